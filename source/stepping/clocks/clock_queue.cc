#include <kickdrift/base/archive_checks.h>
#include <kickdrift/stepping/clocks/clock_queue.h>

namespace KickDrift
{
void
Clock::serialize(Archive &archive)
{
  double same_unit = unit;
  std::int64_t same_stride = stride;
  archive(same_unit, tick, same_stride);
  constexpr std::int64_t most_ticks = std::int64_t(1) << 60; // counting on does not overflow
  check_state(same_unit == unit && same_stride == stride && tick >= -most_ticks &&
                  tick <= most_ticks,
              "stepper");
}

void
ClockQueue::start()
{
  queue.reinit(clocks.size());
  for (unsigned int c = 0; c < clocks.size(); ++c)
    if (kicks_on[c] > 0)
      queue.set(c, clocks[c].time());
}

bool
ClockQueue::move_kick(const unsigned int from, const unsigned int to)
{
  --kicks_on[from];
  ++kicks_on[to];
  if (kicks_on[from] == 0)
    queue.set(from, TournamentTree::never);
  return kicks_on[to] == 1;
}

void
ClockQueue::serialize(Archive &archive)
{
  archive.section("clocks");
  std::uint64_t n_clocks = clocks.size();
  archive(n_clocks);
  check_state(n_clocks == clocks.size(), "stepper");
  for (Clock &clock : clocks)
    archive(clock);
  if (archive.is_reading())
    start(); // the queue follows from the clocks
}
} // namespace KickDrift
