// What a checkpoint has to hold of the stepper. Everything else follows from the parameters.

#include <kickdrift/base/archive_checks.h>
#include <kickdrift/stepping/stepper.h>

#include <cmath>

namespace KickDrift
{
namespace
{
/// Write or read a clock, of which a run changes nothing but the tick.
void
serialize_clock(Archive &archive, Clock &clock)
{
  const Clock before = clock;
  archive(clock);
  constexpr std::int64_t most_ticks = std::int64_t(1) << 60; // counting on does not overflow
  check_state(clock.unit == before.unit && clock.stride == before.stride &&
                  clock.tick >= -most_ticks && clock.tick <= most_ticks,
              "stepper");
}

/// Units on lease, and those that are @p away from home in each class, must agree with the clocks.
template <typename Leases>
void
check_leases(const Leases &promotions, const std::vector<std::vector<unsigned int>> &away,
             const std::vector<unsigned int> &natural,
             const std::vector<unsigned int> &clock_of_unit)
{
  const unsigned int n_units = clock_of_unit.size();
  check_state(promotions.empty() || natural.size() == n_units, "stepper");
  // a unit is lent to be kicked more often than at home
  for (const auto &[unit, promote] : promotions)
    check_state(unit < n_units && promote.step_class <= natural[unit], "stepper");
  std::vector<char> is_away(n_units, 0);
  for (unsigned int c = 0; c < away.size(); ++c)
    for (const unsigned int unit : away[c])
    {
      check_state(promotions.count(unit) > 0 && !is_away[unit] && clock_of_unit[unit] == c &&
                      natural[unit] != c,
                  "stepper");
      is_away[unit] = 1;
    }
  for (unsigned int unit = 0; unit < natural.size(); ++unit)
    check_state(is_away[unit] || clock_of_unit[unit] == natural[unit], "stepper");
}
} // namespace

template <int spacedim>
void
Stepper<spacedim>::serialize(Archive &archive)
{
  AssertThrow(started, dealii::ExcMessage("Stepper::start() must be called first."));
  archive.section("stepper");
  serialize_classes(archive);
  for (Family &family : families)
  {
    archive.section(family.kicks->name());
    archive(family.count, family.time, *family.kicks);
  }
  for (Prescription &prescription : prescriptions)
    serialize_clock(archive, prescription.clock);
  std::uint64_t n_clocks = clocks.size();
  archive(n_clocks);
  check_state(n_clocks == clocks.size(), "stepper");
  for (Clock &clock : clocks)
    serialize_clock(archive, clock);
  archive(queue, n_unmeasured, now, current);
  if (!archive.is_reading())
    return;
  check_state(std::isfinite(now) && current >= 0 && current <= now && next_change >= now,
              "stepper");
  for (const Prescription &prescription : prescriptions)
    check_state(prescription.clock.time() >= now, "stepper");
  start_queue(); // its tree follows from the clocks
  check_state(queue.time() >= now, "stepper");
}

template <int spacedim>
void
Stepper<spacedim>::serialize_classes(Archive &archive)
{
  auto clock_now = clock_of_unit;
  archive.fixed(clock_now);
  for (unsigned int unit = 0; unit < n_units(); ++unit)
    if (clock_now[unit] != clock_of_unit[unit])
    {
      check_state(has_classes() && clock_now[unit] < clocks.size(), "stepper");
      give_to_clock(unit, clock_now[unit]);
    }

  archive(promoted);
  if (archive.is_reading())
    promotions.clear();
  for (const unsigned int unit : promoted)
    archive(promotions[unit]);
  archive.fixed(away_units);
  if (archive.is_reading())
  {
    check_state(promotions.size() == promoted.size(), "stepper"); // none twice
    check_leases(promotions, away_units, natural.of_unit, clock_of_unit);
    for (unsigned int c = 0; c < away_units.size(); ++c)
      list_away_nodes(c);
  }
  archive(next_change, class_changes);
}

template class Stepper<2>;
template class Stepper<3>;
} // namespace KickDrift
