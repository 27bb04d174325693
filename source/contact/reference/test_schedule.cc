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
// No test comes sooner than after this share of the smallest critical step around it: a run
// that blows up must come to its end.
constexpr double shortest_wait = 0.01;
} // namespace

void
TestState::serialize(Archive &archive)
{
  archive(history, last_contact, time_to_reach, gap, is_lost);
  check_state(is_enumerator(history.status, ContactStatus::sticks), "contact");
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
TestSchedule<spacedim>::start(std::vector<TestState> all, const double time, const double average)
{
  states = std::move(all);
  longest_step = parameters.maximum_step * average;
  for (TestState &state : states)
    for (const unsigned int node : state.nodes)
      for (const unsigned int id : supports.kicks_of_node(node))
        state.constant_step = std::min(state.constant_step, levels.critical_step(id));
  update_classes();
  queue.reinit(states.size());
  for (unsigned int s = 0; s < states.size(); ++s)
    queue.set(s, next_test(states[s], time));
}

template <int spacedim>
void
TestSchedule<spacedim>::update_classes()
{
  if (!levels.has_classes())
    return;
  for (TestState &state : states)
  {
    state.coarsest_class = 0;
    for (const unsigned int node : state.nodes)
      for (const unsigned int id : supports.kicks_of_node(node))
        state.coarsest_class = std::max(state.coarsest_class, levels.classes().of_kick[id]);
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
    next.push_back(next_test(states[s], time));
  queue.set_many(some, next);
}

template <int spacedim>
double
TestSchedule<spacedim>::schedule_step(const TestState &state) const
{
  switch (parameters.schedule)
  {
  case Schedule::synchronous:
    return 0;
  case Schedule::constant:
    return std::min(state.constant_step, longest_step);
  default:
  {
    double speed = 0;
    for (const unsigned int node : state.nodes)
      speed = std::max(speed, nodes.velocity(node).norm());
    const double step = parameters.step_factor * state.length / speed;
    return std::min(longest_step, std::max(step, shortest_wait * state.constant_step));
  }
  }
}

template <int spacedim>
double
TestSchedule<spacedim>::period(const TestState &state) const
{
  return parameters.schedule == Schedule::synchronous ? levels.classes().step(levels.finest_class())
                                                      : schedule_step(state);
}

/// That of the contact's zone; the finest one if no answer has made a zone.
template <int spacedim>
unsigned int
TestSchedule<spacedim>::zone_class(const TestState &state) const
{
  return std::max(state.history.zone_class, levels.finest_class());
}

template <int spacedim>
bool
TestSchedule<spacedim>::in_contact(const TestState &state, const double time) const
{
  const double period =
      uses_zones() ? levels.classes().step(zone_class(state)) : this->period(state);
  return time - state.last_contact <= ContactZones<spacedim>::hold * period;
}

/// The first moment after @p time at which all cells are just about to be kicked.
template <int spacedim>
double
TestSchedule<spacedim>::next_moment_before_kicks(const double time) const
{
  const unsigned int finest = levels.finest_class();
  // a quarter of a step behind the kick that the last answer came before
  const double kick = levels.next_kick(finest, time + 0.25 * levels.classes().step(finest));
  return std::nextafter(kick, -std::numeric_limits<double>::infinity());
}

template <int spacedim>
double
TestSchedule<spacedim>::next_test(const TestState &state, const double time) const
{
  if (parameters.projection)
    return next_moment_before_kicks(time);
  if (uses_zones() && in_contact(state, time))
    return levels.next_common_instant(zone_class(state), time);
  if (parameters.schedule == Schedule::synchronous)
    return levels.next_common_instant(levels.finest_class(), time);
  const double step = schedule_step(state);
  if (!uses_zones())
    return time + step;
  // the last end of an interval of the cells around it within the step, or the next one
  const double wait =
      std::min(step, state.time_to_reach) - levels.classes().step(state.coarsest_class);
  return levels.next_common_instant(state.coarsest_class, time + std::max(0., wait));
}

template <int spacedim>
void
TestSchedule<spacedim>::serialize(Archive &archive, const double now)
{
  archive.fixed(states);
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
  for (const TestState &state : states)
    check_state(state.history.zone_class == 0 ||
                    state.history.zone_class < levels.classes().n_classes,
                "contact");
}

template class TestSchedule<2>;
template class TestSchedule<3>;
} // namespace KickDrift
