// What a checkpoint has to hold of the stepper. Everything else follows from the parameters.

#include <kickdrift/archive.h>
#include <kickdrift/stepping/stepper.h>

namespace KickDrift
{
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
    archive(prescription.clock);
  archive.fixed(clocks);
  archive(queue, n_unmeasured, now, current);
}

template <int spacedim>
void
Stepper<spacedim>::serialize_classes(Archive &archive)
{
  auto clock_now = clock_of_unit;
  archive.fixed(clock_now);
  for (unsigned int unit = 0; unit < n_units(); ++unit)
    if (clock_now[unit] != clock_of_unit[unit])
      give_to_clock(unit, clock_now[unit]);

  archive(leased);
  if (archive.is_reading())
    leases.clear();
  for (const unsigned int unit : leased)
    archive(leases[unit]);
  archive.fixed(away_units);
  if (archive.is_reading())
    for (unsigned int c = 0; c < away_units.size(); ++c)
      list_away_nodes(c);
  archive(next_change, class_changes);
}

template class Stepper<2>;
template class Stepper<3>;
} // namespace KickDrift
