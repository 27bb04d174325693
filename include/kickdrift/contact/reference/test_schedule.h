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
/// A thing that is tested for contact, and what is remembered about it between its tests.
struct TestedSlot
{
  std::vector<unsigned int> nodes;                                ///< that carry it
  double length;                                                  ///< characteristic [length]
  ContactHistory memory;                                          ///< what the response remembers
  unsigned int coarsest_class = 0;                                ///< of the cells around it
  double constant_step = std::numeric_limits<double>::infinity(); ///< smallest critical one [time]
  double last_contact = -std::numeric_limits<double>::infinity(); ///< [time]
  double time_to_reach = std::numeric_limits<double>::infinity(); ///< what is in front [time]
  double gap = std::numeric_limits<double>::infinity();           ///< at the last test [length]

  /// Write to, or read from, a checkpoint what changes during a run.
  void serialize(Archive &archive);
};

/**
 * When each thing is tested: ContactParameters::schedule (Wolff & Bucher 2013, section 5.2). With
 * nested clocks or one clock tests come halfway between the kicks of the cells around a thing;
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
  void start(std::vector<TestedSlot> slots, double time, double average);

  /// Natural classes of kicks have changed.
  void update_classes();

  /// Of the next test [time].
  double
  next_time() const
  {
    return queue.time();
  }

  /// Numbers of the slots to be tested at @p time, ascending.
  std::vector<unsigned int> due(double time) const;

  /// Schedule the next tests of those that have been tested.
  void tested(const std::vector<unsigned int> &some, double time);

  /// Time between two answers of a contact where there are no zones [time].
  double period(const TestedSlot &slot) const;

  /// Was something touched during the last few periods?
  bool in_contact(const TestedSlot &slot, double time) const;

  std::vector<TestedSlot> slots; ///< in the order of things

  /// Write to, or read from, a checkpoint what has changed since start(); @p now is the present
  /// time.
  void serialize(Archive &archive, double now);

private:
  double schedule_step(const TestedSlot &slot) const;
  unsigned int zone_class(const TestedSlot &slot) const;
  double next_moment_before_kicks(double time) const;
  double next_test(const TestedSlot &slot, double time) const;

  const NodeTable<spacedim> &nodes;
  const TimeLevels &levels;
  const SupportIndex<spacedim> &supports;
  const ContactParameters &parameters;
  TournamentTree queue;    ///< by slot
  double longest_step = 0; ///< between tests [time]
};
} // namespace KickDrift

#endif
