#ifndef KICKDRIFT_STEPPING_CLOCKS_CLOCK_QUEUE_H
#define KICKDRIFT_STEPPING_CLOCKS_CLOCK_QUEUE_H

#include <kickdrift/stepping/clocks/clock.h>
#include <kickdrift/stepping/clocks/tournament_tree.h>

#include <vector>

namespace KickDrift
{
/// Clocks, how many kicks are on each, and which is the next. A clock without kicks is never due.
class ClockQueue
{
public:
  /// Append a clock without kicks.
  void
  add(const Clock &clock)
  {
    clocks.push_back(clock);
    kicks_on.push_back(0);
  }

  /// Number of clocks.
  unsigned int
  size() const
  {
    return clocks.size();
  }

  /// A clock.
  const Clock &
  operator[](const unsigned int clock) const
  {
    return clocks[clock];
  }

  /// Number of kicks on a clock.
  unsigned int
  n_kicks(const unsigned int clock) const
  {
    return kicks_on[clock];
  }

  /// One kick more on @p clock; before start().
  void
  add_kick(const unsigned int clock)
  {
    ++kicks_on[clock];
  }

  /// All clocks that have kicks are due at their times from now on.
  void start();

  /// Time of the clock that is due next; TournamentTree::never if there is none.
  double
  next_time() const
  {
    return queue.time();
  }

  /// The clock that is due next; of several the first.
  unsigned int
  next() const
  {
    return queue.slot();
  }

  /// The kicks of @p clock have been given: it is due again a step later.
  void
  advance(const unsigned int clock)
  {
    clocks[clock].advance();
    queue.set(clock, clocks[clock].time());
  }

  /// A kick moves from clock @p from to clock @p to. Returns whether @p to had no kicks before.
  bool move_kick(unsigned int from, unsigned int to);

  /// The next kicks of @p clock come at @p tick.
  void
  set_tick(const unsigned int clock, const std::int64_t tick)
  {
    clocks[clock].tick = tick;
    queue.set(clock, clocks[clock].time());
  }

  /// Write to, or read from, a checkpoint the clocks' ticks.
  void serialize(Archive &archive);

private:
  std::vector<Clock> clocks;
  std::vector<unsigned int> kicks_on; ///< number of kicks by clock
  TournamentTree queue;
};
} // namespace KickDrift

#endif
