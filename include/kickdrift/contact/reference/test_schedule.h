// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef KICKDRIFT_CONTACT_REFERENCE_TEST_SCHEDULE_H
#define KICKDRIFT_CONTACT_REFERENCE_TEST_SCHEDULE_H

#include <kickdrift/contact/parameters.h>
#include <kickdrift/contact/response/contact_history.h>
#include <kickdrift/nodes/node_table.h>
#include <kickdrift/stepping/clocks/time_levels.h>
#include <kickdrift/stepping/clocks/tournament_tree.h>
#include <kickdrift/stepping/kicks/support_index.h>

#include <limits>
#include <vector>

namespace KickDrift
{
/// What is remembered between tests for contact, see ContactTest.
struct TestState
{
  std::vector<unsigned int> nodes;                                ///< that carry it
  double length;                                                  ///< characteristic [length]
  ContactHistory history;                                         ///< what the response remembers
  unsigned int coarsest_class = 0;                                ///< of the cells around it
  double constant_step = std::numeric_limits<double>::infinity(); ///< smallest critical one [time]
  double last_contact = -std::numeric_limits<double>::infinity(); ///< [time]
  double time_to_reach = std::numeric_limits<double>::infinity(); ///< what is in front [time]
  double gap = std::numeric_limits<double>::infinity();           ///< at the last test [length]

  bool is_lost = false; ///< has it been too deep inside a target to be pushed out?

  /// Write to, or read from, a checkpoint what changes during a run.
  void serialize(Archive &archive);
};

/**
 * When points and edges are tested: ContactParameters::schedule (Wolff & Bucher 2013, section 5.2).
 * With nested clocks or one clock tests come halfway between the kicks of the cells around it;
 * while a contact lasts, between all those of its zone.
 */
template <int spacedim>
class TestSchedule
{
public:
  /// All must outlive it.
  TestSchedule(const NodeTable<spacedim> &nodes, const TimeLevels &levels,
               const SupportIndex<spacedim> &supports, const ContactParameters &parameters);

  /// Throws dealii::ExcMessage if the parameters need other clocks than those of the stepper, which
  /// must have started.
  void check_clocks() const;

  /// Do cells around lasting contacts share a class?
  bool
  uses_zones() const
  {
    return levels.has_classes() && parameters.zone_layers > 0;
  }

  /// Find the first tests. @p average : of the critical steps of all cells [time]
  void start(std::vector<TestState> states, double time, double average);

  /// Natural classes of kicks have changed.
  void update_classes();

  /// Of the next test [time].
  double
  next_time() const
  {
    return queue.time();
  }

  /// Numbers of the states to be tested at @p time, ascending.
  std::vector<unsigned int> due(double time) const;

  /// Schedule the next tests of those that have been tested.
  void tested(const std::vector<unsigned int> &some, double time);

  /// Time between two answers of a contact where there are no zones [time].
  double period(const TestState &state) const;

  /// Was something touched during the last few periods?
  bool in_contact(const TestState &state, double time) const;

  std::vector<TestState> states; ///< by test

  /// Write to, or read from, a checkpoint what has changed since start(); @p now is the present
  /// time.
  void serialize(Archive &archive, double now);

private:
  double schedule_step(const TestState &state) const;
  unsigned int zone_class(const TestState &state) const;
  double next_moment_before_kicks(double time) const;
  double next_test(const TestState &state, double time) const;

  const NodeTable<spacedim> &nodes;
  const TimeLevels &levels;
  const SupportIndex<spacedim> &supports;
  const ContactParameters &parameters;
  TournamentTree queue;    ///< by state
  double longest_step = 0; ///< between tests [time]
};
} // namespace KickDrift

#endif
