#ifndef KICKDRIFT_CONTACT_CONTACT_SCHEDULE_H
#define KICKDRIFT_CONTACT_CONTACT_SCHEDULE_H

#include <kickdrift/contact/detection/detector.h>
#include <kickdrift/contact/divided_looks.h>
#include <kickdrift/contact/parameters.h>
#include <kickdrift/contact/response/sequential_response.h>
#include <kickdrift/contact/surface/exclusions.h>
#include <kickdrift/contact/surface/motion_bounds.h>
#include <kickdrift/contact/tracking/face_search.h>
#include <kickdrift/contact/tracking/patch_pairs.h>
#include <kickdrift/nodes/node_table.h>
#include <kickdrift/stepping/clocks/time_levels.h>
#include <kickdrift/stepping/clocks/tournament_tree.h>
#include <kickdrift/stepping/kicks/support_index.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace KickDrift
{
/// A contactor of a detector and what is remembered about it between its tests.
template <int spacedim>
struct ContactSlot
{
  /// The detector must outlive the slot.
  ContactSlot(Detector<spacedim> &detector, const unsigned int contactor)
      : detector(&detector), contactor(contactor)
  {
  }

  /// Characteristic length [length].
  double
  length() const
  {
    return detector->length(contactor);
  }

  /// Body of the contactor.
  unsigned int
  body() const
  {
    return detector->body_of(contactor);
  }

  /// Nodes that carry the contactor.
  dealii::ArrayView<const unsigned int>
  nodes() const
  {
    return detector->nodes_of(contactor);
  }

  /// Write to, or read from, a checkpoint what changes during a run.
  void serialize(Archive &archive);

  Detector<spacedim> *detector;            ///< that finds what the contactor touches
  unsigned int contactor;                  ///< number among those of the detector
  unsigned int group = 0;                  ///< of contactors that rest together (PatchPairs)
  ContactHistory memory;                   ///< what the response remembers
  unsigned int coarsest_natural_class = 0; ///< of the cells around it
  double constant_step = std::numeric_limits<double>::infinity(); ///< smallest critical [time]
  double last_contact = -std::numeric_limits<double>::infinity(); ///< was behind a face [time]
  double last_test = 0;                                           ///< [time]
  double depth = 0;                                               ///< at the last test [length]
  double time_to_reach = 0; ///< what is in front, at the relative speed of the last test [time]
  double gap = 0;           ///< at the last test, if there was anything in sight [length]
  ContactFreeInterval free_interval{0, 0}; ///< while it sleeps
  bool sees = false;                       ///< was anything in sight at the last test?
  bool rests = false;                      ///< is it tested no more until its group is woken?
};

/**
 * When each contactor is tested (ContactParameters::schedule).
 *
 * Contactors in contact are tested at the common instants of their zone of cells. Those that see
 * nothing rest while nothing that they might touch is near their patch of the surface (PatchPairs),
 * unless all are to be tested at every step. The others are tested as the parameters say; with
 * Schedule::predicted they sleep until bounds of motion (MotionBounds) say that they could touch
 * something. A bound that breaks, a surface that turns or a target that speeds up wakes those that
 * depend on it.
 */
template <int spacedim>
class ContactSchedule
{
public:
  using Detectors = std::vector<std::unique_ptr<Detector<spacedim>>>; ///< see Contact

  /// All must outlive it.
  ContactSchedule(const NodeTable<spacedim> &nodes, const TimeLevels &levels,
                  const SupportIndex<spacedim> &supports, const ContactParameters &parameters,
                  const Exclusions &exclusions, MotionBounds<spacedim> &bounds,
                  FaceSearch<spacedim> &search, const Surface<spacedim> &surface,
                  const Detectors &detectors);

  /// Throws dealii::ExcMessage if the parameters need other clocks than those of the stepper, which
  /// must have started.
  void check_clocks() const;

  /// Do cells around lasting contacts share a class?
  bool
  uses_zones() const
  {
    return levels.has_classes() && parameters.zone_layers > 0;
  }

  /// Are lasting contacts answered right after kicks, instead of halfway between them?
  bool
  answers_after_kicks() const
  {
    return uses_zones() && parameters.response != Response::reflect && !parameters.projection &&
           parameters.solver == ContactSolver::sequential;
  }

  /// Make the slots of all contactors of the detectors and find their first tests. Bounds and
  /// search must have been started, and detectors must have entered the instant.
  /// @param with_obstacles are there targets that move by themselves?
  /// @param average of the critical steps of what can deform [time]
  /// @param ranks processes that share the looks at contactors (DividedLooks); null: one
  void start(double time, bool with_obstacles, double average,
             const std::shared_ptr<Ranks> &ranks = nullptr);

  /// What is remembered about contactors, for take_over().
  struct Kept
  {
    /// A contactor: the number of its detector, what it looks for, its nodes, and how many there
    /// are like this before it.
    using Key = std::vector<unsigned int>;

    std::map<Key, std::pair<ContactSlot<spacedim>, double>> slots; ///< with their next tests [time]
  };

  /// Remember contactors while the surface and the detectors are replaced.
  Kept keep() const;

  /// Cells have been deleted: make the slots of detectors that have been replaced. Bounds and
  /// search must have been started anew, and detectors must have entered the instant.
  void make_again(double time);

  /// After make_again(): find the next tests. Contactors that were there before go on with what is
  /// remembered about them, and are taken out of @p kept.
  void take_over(double time, Kept &kept);

  /// Natural classes of kicks have changed.
  void update_classes();

  /// The next test, or update_search(), whichever comes first [time].
  double
  next_time() const
  {
    return std::min(queue.time(), next_update);
  }

  /// Bring the search up to date if that is due: boxes of faces, surfaces that have turned, speeds
  /// of moving targets.
  void update_search(double time);

  /// Is there nothing that a contactor could touch, as far as is known without looking?
  bool
  touches_nothing(const ContactSlot<spacedim> &slot) const
  {
    return slot.rests && bounds.patches.broken().empty();
  }

  /// Times of fits have changed with the bounds of motion.
  void reschedule_search();

  /// Numbers of the slots to test at @p time, ascending.
  const std::vector<unsigned int> &find_due(double time);

  /// Those that find_due() has found.
  const std::vector<unsigned int> &
  due() const
  {
    return due_slots;
  }

  /// About how many of them this process looks at.
  unsigned int
  n_due_here() const
  {
    return due_slots.size() / looks.n_processes();
  }

  /// Test now those contactors that find_due() has found and that are for the thread number @p
  /// thread of @p n_threads of this process, unless they are known to touch nothing yet. @p found
  /// says what they touch, by due contactor.
  void test_due(double time, unsigned int thread, unsigned int n_threads,
                std::vector<ContactPoint<spacedim>> &found);

  /// Collective, after test_due(): @p found also says what those touch that other processes have
  /// tested.
  void share_tests(double time, std::vector<ContactPoint<spacedim>> &found);

  /// Collective: what all contactors touch at @p time, by slot. Detectors must have entered the
  /// instant. Tests and their times stay as they are.
  std::vector<ContactPoint<spacedim>> look_at_all(double time);

  /// Collective: the first process gets to know what each of the others alone remembers.
  void gather();

  /// Schedule the next tests of those that have been tested.
  void schedule_tested(double time);

  /// Bounds of motion may have been broken: bring tests forward.
  void reschedule(double time);

  /// The class that a contactor in lasting contact is tested with.
  unsigned int zone_class(const ContactSlot<spacedim> &slot) const;
  /// Was the contactor behind a surface during the last few periods?
  bool in_contact(const ContactSlot<spacedim> &slot, double time) const;

  /// One for each contactor, in the order of the detectors.
  std::vector<ContactSlot<spacedim>> slots;

  /// Write to, or read from, a checkpoint what has changed since start(); @p now is the present
  /// time.
  void serialize(Archive &archive, double now);

private:
  using Slot = ContactSlot<spacedim>;

  /// Tests of one detector that are done together.
  struct PendingTests
  {
    std::vector<unsigned int> slots;
    std::vector<PendingTest<spacedim>> tests; ///< of these slots
  };

  std::vector<unsigned int> add_slots();
  /// Call @p f (key, slot) for all slots.
  template <typename Function>
  void for_each_key(const Function &f) const;
  void find_class(Slot &slot) const;
  void add_due_of_rigid(double time);
  /// Nothing has been found yet. Returns whether a slot that is due has to be tested.
  bool begin_test(Slot &slot, double time, bool lasts, ContactPoint<spacedim> &found) const;
  void test_together(PendingTests &pending, double time);
  /// What its detector is to be asked.
  ContactTest test_of(const Slot &slot, double time, bool lasts) const;
  void test(Slot &slot, double time, bool lasts, ContactPoint<spacedim> &found);
  void record(Slot &slot, double time, ContactPoint<spacedim> &found);
  void note(Slot &slot, double time, ContactPoint<spacedim> &found) const;
  /// Until when nothing can touch them, as things are now; slots of other processes, too.
  void find_free_intervals(const std::vector<unsigned int> &some, double time);
  /// Do two slots share what is remembered about them?
  static bool share_memory(const Slot &a, const Slot &b);
  /// Can contactors rest at all?
  bool has_rests() const;
  bool may_rest(const Slot &slot, double time) const;
  /// Longest time between two kicks of every node [time].
  std::vector<double> longest_waits() const;
  void start_rests(double time);
  /// Find out what has come near patches, or has left them.
  void update_rests(double time);
  void wake_resting(double time);
  void find_next_update();
  void find_rates();
  void shorten_sleeps(double time);
  void wake_turned(double time);
  void check_target_speed(double time);
  bool may_sleep(const Slot &slot, double time) const;
  void wake(unsigned int slot, double time);
  double speed(const Slot &slot) const;
  double schedule_step(const Slot &slot) const;
  double next_moment_before_kicks(double time) const;
  void find_next_ends(double time);
  double next_end(unsigned int step_class, double time) const;
  double next_test(const Slot &slot, double time) const;
  double next_predicted_test(const Slot &slot, double time) const;

  const NodeTable<spacedim> &nodes;
  const TimeLevels &levels;
  const SupportIndex<spacedim> &supports;
  const ContactParameters &parameters;
  const Exclusions &exclusions;
  MotionBounds<spacedim> &bounds;
  FaceSearch<spacedim> &search;
  const Detectors &detectors;
  PatchPairs<spacedim> pairs;
  DividedLooks looks;                  ///< slots among processes and threads
  std::vector<char> is_looked_at;      ///< by slot: by this process, since gather()
  TournamentTree queue;                ///< by slot
  std::vector<unsigned int> due_slots; ///< at the present instant
  std::vector<char> is_tested;         ///< by due slot: is there anything to be told of it?
  std::vector<double> rates;           ///< by body: MotionBounds::largest_rates() [length/time]
  unsigned int rates_version = -1;     ///< MotionBounds::n_changes() that they are from
  std::vector<unsigned int>
      normal_changes; ///< by body: FaceSearch::n_normal_changes() when it was last looked at
  std::vector<double> next_times; ///< of the due slots
  std::vector<double> next_ends;  ///< by class: first end of an interval after ends_after [time]
  double ends_after = std::numeric_limits<double>::quiet_NaN(); ///< [time]
  double average_step = 0;                                      ///< of start() [time]
  double longest_step = 0;                                      ///< between tests [time]
  double target_speed = 0; ///< that no target exceeds which moves by itself [length/time]
  double next_target_check = -std::numeric_limits<double>::infinity(); ///< [time]
  double next_update = -std::numeric_limits<double>::infinity(); ///< see update_search() [time]
  bool has_obstacles = false;
};
} // namespace KickDrift

#endif
