// SPDX-License-Identifier: LGPL-2.1-or-later
#include <kickdrift/base/archive_checks.h>
#include <kickdrift/contact/reference/test_schedule.h>
#include <kickdrift/contact/response/contact_zones.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace KickDrift
{
namespace
{
// Contacts that are answered before a kick are answered so much earlier, as a share of its step:
// more than rounding.
constexpr double before_kick = 1e-9;
// No test comes sooner than after this share of the smallest critical step around a thing: a run
// that blows up must come to its end.
constexpr double shortest_wait = 0.01;
} // namespace

void
TestedSlot::serialize(Archive &archive)
{
  archive(memory, last_contact, time_to_reach, gap);
  check_state(is_enumerator(memory.status, ContactStatus::sticks), "contact");
}

template <int spacedim>
TestSchedule<spacedim>::TestSchedule(const NodeTable<spacedim> &nodes, const TimeLevels &levels,
                                     const SupportIndex<spacedim> &supports,
                                     const ContactParameters &parameters)
    : nodes(nodes), levels(levels), supports(supports), parameters(parameters)
{
}

template <int spacedim>
void
TestSchedule<spacedim>::check_clocks() const
{
  const bool is_synchronous = parameters.schedule == Schedule::synchronous,
             has_one_step = is_synchronous && levels.has_one_step();
  AssertThrow(levels.has_classes() || !is_synchronous,
              dealii::ExcMessage(
                  "Contact/Reference/Schedule = synchronous needs clocks 'one' or 'nested'."));
  AssertThrow(parameters.solver == ContactSolver::sequential || has_one_step,
              dealii::ExcMessage("'Contact/Reference/Solver' = coupled needs "
                                 "'Contact/Reference/Schedule' = synchronous and one step for all "
                                 "cells, 'Stepping/Clocks' = one."));
  AssertThrow(!parameters.projection || has_one_step,
              dealii::ExcMessage(
                  "'Contact/Reference/Projection' needs 'Contact/Reference/Schedule' = synchronous "
                  "and one step for all cells, 'Stepping/Clocks' = one."));
}

template <int spacedim>
void
TestSchedule<spacedim>::start(std::vector<TestedSlot> all, const double time, const double average)
{
  slots = std::move(all);
  longest_step = parameters.maximum_step * average;
  for (TestedSlot &slot : slots)
    for (const unsigned int node : slot.nodes)
      for (const unsigned int id : supports.kicks_of_node(node))
        slot.constant_step = std::min(slot.constant_step, levels.critical_step(id));
  update_classes();
  queue.reinit(slots.size());
  for (unsigned int s = 0; s < slots.size(); ++s)
    queue.set(s, next_test(slots[s], time));
}

template <int spacedim>
void
TestSchedule<spacedim>::update_classes()
{
  if (!levels.has_classes())
    return;
  for (TestedSlot &slot : slots)
  {
    slot.coarsest_class = 0;
    for (const unsigned int node : slot.nodes)
      for (const unsigned int id : supports.kicks_of_node(node))
        slot.coarsest_class = std::max(slot.coarsest_class, levels.classes().of_kick[id]);
  }
}

template <int spacedim>
std::vector<unsigned int>
TestSchedule<spacedim>::due(const double time) const
{
  std::vector<unsigned int> result;
  if (queue.time() == time)
    queue.earliest(result);
  return result;
}

template <int spacedim>
void
TestSchedule<spacedim>::tested(const std::vector<unsigned int> &some, const double time)
{
  std::vector<double> next;
  for (const unsigned int s : some)
    next.push_back(next_test(slots[s], time));
  queue.set_many(some, next);
}

template <int spacedim>
double
TestSchedule<spacedim>::schedule_step(const TestedSlot &slot) const
{
  switch (parameters.schedule)
  {
  case Schedule::synchronous:
    return 0;
  case Schedule::constant:
    return std::min(slot.constant_step, longest_step);
  default:
  {
    double speed = 0;
    for (const unsigned int node : slot.nodes)
      speed = std::max(speed, nodes.velocity(node).norm());
    const double step = parameters.step_factor * slot.length / speed;
    return std::min(longest_step, std::max(step, shortest_wait * slot.constant_step));
  }
  }
}

template <int spacedim>
double
TestSchedule<spacedim>::period(const TestedSlot &slot) const
{
  return parameters.schedule == Schedule::synchronous ? levels.classes().step(levels.finest_class())
                                                      : schedule_step(slot);
}

/// That of the contact's zone; the finest one if no answer has made a zone.
template <int spacedim>
unsigned int
TestSchedule<spacedim>::zone_class(const TestedSlot &slot) const
{
  return std::max(slot.memory.zone_class, levels.finest_class());
}

template <int spacedim>
bool
TestSchedule<spacedim>::in_contact(const TestedSlot &slot, const double time) const
{
  const double period =
      uses_zones() ? levels.classes().step(zone_class(slot)) : schedule_step(slot);
  return time - slot.last_contact <= ContactZones<spacedim>::hold * period;
}

/// The first moment after @p time at which all cells are just about to be kicked.
template <int spacedim>
double
TestSchedule<spacedim>::next_moment_before_kicks(const double time) const
{
  const unsigned int finest = levels.finest_class();
  const double step = levels.classes().step(finest), ahead = (0.5 + before_kick) * step;
  return levels.next_common_instant(finest, time + ahead + 0.25 * step) - ahead;
}

template <int spacedim>
double
TestSchedule<spacedim>::next_test(const TestedSlot &slot, const double time) const
{
  if (parameters.projection)
    return next_moment_before_kicks(time);
  if (uses_zones() && in_contact(slot, time))
    return levels.next_common_instant(zone_class(slot), time);
  if (parameters.schedule == Schedule::synchronous)
    return levels.next_common_instant(levels.finest_class(), time);
  const double step = schedule_step(slot);
  if (!uses_zones())
    return time + step;
  // the last end of an interval of the cells around it within the step, or the next one
  const double wait =
      std::min(step, slot.time_to_reach) - levels.classes().step(slot.coarsest_class);
  return levels.next_common_instant(slot.coarsest_class, time + std::max(0., wait));
}

template <int spacedim>
void
TestSchedule<spacedim>::serialize(Archive &archive, const double now)
{
  archive.fixed(slots);
  archive(queue);
  if (!archive.is_reading())
    return;
  update_classes(); // the stepper has been read
  std::vector<double> times;
  for (unsigned int s = 0; s < queue.size(); ++s)
    times.push_back(queue.time(s));
  queue.reinit(times.size()); // the tree above the times follows from them
  for (unsigned int s = 0; s < times.size(); ++s)
  {
    check_state(times[s] >= now, "contact");
    queue.set(s, times[s]);
  }
  for (const TestedSlot &slot : slots)
    check_state(slot.memory.zone_class == 0 || slot.memory.zone_class < levels.classes().n_classes,
                "contact");
}

template class TestSchedule<2>;
template class TestSchedule<3>;
} // namespace KickDrift
