#ifndef KICKDRIFT_STEPPING_STEPPER_H
#define KICKDRIFT_STEPPING_STEPPER_H

#include <kickdrift/stepping/boundaries/class_boundaries.h>
#include <kickdrift/stepping/clocks/stepper_exceptions.h>
#include <kickdrift/stepping/clocks/stepper_parameters.h>
#include <kickdrift/stepping/clocks/time_levels.h>
#include <kickdrift/stepping/event_source.h>
#include <kickdrift/stepping/kicks/kick_families.h>
#include <kickdrift/stepping/kicks/kicks.h>
#include <kickdrift/stepping/kicks/support_index.h>
#include <kickdrift/stepping/prescribed_motions.h>
#include <kickdrift/stepping/rigid_clocks.h>
#include <kickdrift/stepping/rigid_steps.h>
#include <kickdrift/stepping/steps/stability_limit.h>
#include <kickdrift/stepping/steps/step_follower.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace KickDrift
{
template <int spacedim>
class Distribution;
struct Division;
struct Holding;
struct KickLoad;
struct NodesOfAll;

/**
 * The loop that drifts and kicks (Lew et al. 2003; method: kicks and drifts).
 *
 * It knows nodes, families of kicks and clocks; no elements, no materials, no contact. Kicks come
 * in the total order (time, clock, family, kick), events after the kicks of the same time.
 *
 * Its parts answer questions of others: levels() about clocks and classes, supports() about which
 * kicks act on which nodes. Misuse throws one of StepperExceptions, in Release mode, too. Forces,
 * motions and other functions of a user must not call start(), advance_to(), snapshot(), energy()
 * or serialize(), which throw ExcAtWork then. It has more than twenty functions, since a run is set
 * up, advanced, looked at and saved here.
 */
template <int spacedim>
class Stepper : public StepperExceptions
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  /// @p nodes must outlive the stepper. Throws ExcParameter.
  Stepper(NodeTable<spacedim> &nodes, const StepperParameters &parameters);

  /**
   * Add a family whose kicks have clocks of their own. Returns the id of its first kick: kick k of
   * the family has id (first + k). Throws ExcNoFamily, ExcFamilyAddedTwice or ExcAlreadyStarted.
   */
  unsigned int add(std::shared_ptr<Kicks<spacedim>> family);

  /**
   * Add a family whose kick k shares the clock of the kick with id @p id_of_kick [k], e.g. a body
   * force on the clock of its cell. Throws as add(), and ExcClocksOfFollower or ExcNoSuchKick.
   */
  void add_on_clock_of(std::shared_ptr<Kicks<spacedim>> family,
                       std::vector<unsigned int> id_of_kick);

  /**
   * Add a family whose kick k is given in place of those with the ids @p groups [k], which remain
   * what they are for critical steps, energies and followers, but are never given themselves. All
   * of a group, and so the kick, are in one class, the finest that one of them needs. A kick
   * without a group is not given. Throws as add(), and ExcNoSuchKick, ExcReplacement or
   * ExcNoClasses.
   */
  void add_in_place_of(std::shared_ptr<Kicks<spacedim>> family,
                       const std::vector<std::vector<unsigned int>> &groups);

  /**
   * From now on kick @p k of a @p family of add_in_place_of() is given in place of those with
   * these @p ids, too, and of those of all groups that have some of them. After start(), from an
   * EventSource::process() at a time at which the intervals of all of them end
   * (TimeLevels::covered_until()); only with Phase::centred. Throws ExcNoSuchKick or
   * ExcReplacementNow.
   */
  void give_in_place_of(const Kicks<spacedim> &family, unsigned int k,
                        const std::vector<unsigned int> &ids);

  /// What the kick with this id stands for.
  KickKind
  kind_of_kick(const unsigned int id) const
  {
    return families[families.family_of(id)].kicks->kind();
  }

  /// Does the kick with this id depend on earlier ones, Kicks::has_history()?
  bool
  has_history(const unsigned int id) const
  {
    return families[families.family_of(id)].kicks->has_history();
  }

  /// Call @p f (kicks, k) for the kick with this id, and then for its followers, also if another
  /// one is given in its place. After start().
  template <typename Function>
  void
  for_each_kick(const unsigned int id, const Function &f) const
  {
    families.for_each_kick(id, f);
  }

  /**
   * Add a family whose kicks oppose velocities, see DampingKicks. Each shares the clock of the
   * coarsest kick that acts on one of its nodes at the start, and comes after all others of that
   * time. They have no ids and set no step. Throws as add(), and ExcNoSynchronisedTimes for
   * Clocks::per_cell and Phase::start.
   */
  void add_damping(std::shared_ptr<DampingKicks<spacedim>> family);

  /**
   * Prescribe the motion of restrained nodes along @p directions: at the start of every interval of
   * the finest step around them, the support's velocity is set to the mean of @p displacement
   * (node, time) over the interval, so that positions are exact at the ends. Other components of
   * @p displacement are ignored, other restraints of the nodes stay as they are. Nodes should start
   * from displacement (node, 0); start() gives them the velocity of the first interval.
   *
   * Throws ExcNoSuchNode, and Restraints::ExcNotRestrained if a node is not restrained along a
   * direction.
   */
  void prescribe(const std::vector<unsigned int> &nodes, const std::vector<Vector> &directions,
                 std::function<Vector(unsigned int node, double time)> displacement);

  /**
   * The kicks with these @p ids are those of the body @p body of NodeTable::rigid_bodies, such as
   * RigidFlight of its cells: all are in one class, and with each kick the body takes what kicks
   * have given to its nodes and sets a new course, straight until the next one. Every rigid body of
   * the table needs some. Throws ExcAlreadyStarted, ExcNoSuchKick, ExcRigidClocks.
   */
  void add_rigid_body(unsigned int body, const std::vector<unsigned int> &ids);

  /**
   * The kicks with these @p ids, which nothing can make unstable, are those of a rigid body of
   * these nodes, free or driven: their critical steps follow what it does, see RigidSteps, and are
   * not above @p resolution [time]. Throws ExcAlreadyStarted, ExcStepsKnown, ExcNoSuchKick.
   */
  void follow_rigid_body(const std::vector<unsigned int> &body_nodes,
                         const std::vector<unsigned int> &ids, double resolution);

  /// Collisions; at most one object, not owned. It need not outlive the stepper, but its last
  /// advance_to(). Throws ExcTwoEventSources.
  void attach(EventSource<spacedim> &events);

  /// Keep the spare classes of the parameters although critical steps are constant, for others that
  /// promote() kicks below the finest class. Before start().
  void keep_spare_classes();

  /**
   * Report kicks of these nodes to the event source, and know which kicks act on them. Throws
   * ExcNoSuchNode.
   * @param kicks which of several processes give the kicks on these nodes. With
   * WatchedKicks::divided the source has to change the nodes on all processes alike, to ask on all
   * alike for velocity_with_kicks(), and not to ask for forces_on()
   */
  void watch(const std::vector<unsigned int> &nodes, WatchedKicks kicks = WatchedKicks::by_all);

  /**
   * Mass scaling: give nodes the masses_for_step(). After all kicks with clocks of their own have
   * been added, and before their critical steps are known. Everything that moves does so with the
   * new masses: momenta and kinetic energies are theirs. Forces are what they were, and so is the
   * weight that a load puts on a cell. Throws as masses_for_step(), and ExcStepsKnown.
   */
  void scale_masses(double step, const std::vector<unsigned int> &only = {});

  /**
   * Masses of all nodes with which no critical step is below @p step in the reference state, see
   * masses_for_steps() [mass].
   * @param only these nodes may become heavier; empty: all
   * Throws ExcParameter for steps that are not positive, ExcNoSuchNode, and ExcMassScaling for
   * MassForSteps::own.
   */
  std::vector<double> masses_for_step(double step,
                                      const std::vector<unsigned int> &only = {}) const;

  /// The largest stable step of one clock for all kicks, see stability_limit(), with these masses.
  /// If kicks are damped: one that is stable, and not below any critical step of a single kick.
  /// Throws ExcOneProcess after start() with several processes, which know parts of the model.
  StabilityLimit largest_stable_step(const NodeTable<spacedim> &with_masses) const;

  /**
   * Calculate the critical steps of all kicks, which levels() then knows. After it no more kicks
   * with clocks of their own can be added. start() does it if it has not been done. Throws
   * ExcNoOwnMasses, ExcNoSuchNode.
   */
  void find_critical_steps();

  /**
   * Choose clocks. Called once, after everything has been added.
   *
   * Throws ExcAlreadyStarted, ExcNoCriticalStep, ExcUnstableStep, ExcNoKickOnPrescribedNodes,
   * ExcNodeNotFinite, ExcStiffness, ExcStiffnessLength, ExcFamilyElsewhere, or ExcNoSuchNode if
   * kicks or restraints are on nodes that are not there.
   */
  void start();

  /**
   * Do everything that is due up to and including @p time [time].
   *
   * With several processes all have to do so, and know all nodes afterwards.
   *
   * Throws ExcNotStarted, ExcNodesChanged, ExcRestraintsChanged, ExcDestroyed, or ExcTargetTime if
   * @p time is not finite or before time(); ExcUndefinedForce at the first kick of cells, shells or
   * springs whose force is not finite, such as that of a cell which has turned inside out: time()
   * is that of the kick; Ranks::ExcOtherProcess if another process fails. What kicks, motions and
   * events throw comes out as it is, in the midst of a step: after that everything that goes on,
   * and snapshot(), throw ExcStopped.
   */
  void advance_to(double time);

  /// Time of what is due next: nodes fly straight until then [time]. After start().
  double next_time() const;

  /// Has start() been called?
  bool
  has_started() const
  {
    return started;
  }

  /// Time up to which everything has been done.
  double
  time() const
  {
    return now;
  }

  /**
   * All nodes at one time, with synchronised velocities: every kick and lasting contact has
   * delivered its impulse up to that time and no further. The run itself is not touched.
   * With several processes all have to ask, and get the same.
   * Throws ExcNotStarted, ExcStopped, or ExcFutureTime if advance_to(@p time) was not called.
   */
  NodeTable<spacedim> snapshot(double time) const;

  /**
   * Balance of energies for what snapshot() returned; contact terms are not included. With several
   * processes all have to ask, and get the same.
   * @param of_families if not null, gets what each family has added; on the first process only
   */
  EnergyBalance energy(const NodeTable<spacedim> &synchronised,
                       FamilyEnergies<spacedim> *of_families = nullptr) const;

  /// Velocity of a node at @p time as snapshot() would give it, but for what kicks beside finer
  /// ones have still to give: here their forces are those of where nodes are, not of where they
  /// are read. Throws ExcNodeNotWatched; what carries the node must be watched, too. Collective, as
  /// is velocity_with_kicks(), for nodes of WatchedKicks::divided.
  Vector synchronised_velocity(unsigned int node, double time) const;

  /// The same without what lasting contacts have pending: for answering contacts, whose impulses
  /// come on top of what the kicks have done.
  Vector velocity_with_kicks(unsigned int node, double time) const;

  /// Force on each of these nodes at @p time, of all families except those of add_damping().
  /// Throws ExcNodeNotWatched, and on all processes ExcForcesDivided if one of them does not give
  /// the kicks on these nodes.
  std::vector<Vector> forces_on(const std::vector<unsigned int> &nodes, double time) const;

  /// Kick ids, their clocks and steps.
  const TimeLevels &
  levels() const
  {
    return time_levels;
  }

  /// Critical steps in the deformed state.
  const StepFollower<spacedim> &
  follower() const
  {
    return step_follower;
  }

  /// Kicks of nodes and nodes of kicks.
  const SupportIndex<spacedim> &
  supports() const
  {
    return support_index;
  }

  /**
   * Ask that the kick with this @p id comes at least as often as those of class @p step_class until
   * @p until [time].
   *
   * Granted at the next instant at which both the old and the new interval end. To be renewed while
   * it is needed: the kick returns to its natural class when the promotion expires. A request for
   * the same or a finer class keeps the later end; one for a coarser class is ignored until the
   * promotion expires.
   */
  void
  promote(const unsigned int id, const unsigned int step_class, const double until)
  {
    time_levels.promote(id, step_class, until, current);
  }

  /**
   * Write to, or read from, a checkpoint what has changed since start(), that of the families
   * included, but not the nodes. May be called whenever advance_to() may be. To read, the stepper
   * must have been started with the same families.
   */
  void serialize(Archive &archive);

  /// What the families of one name have done so far.
  struct KickStatistics
  {
    std::string name;        ///< of the families
    KickKind kind;           ///< of the first of them
    std::uint64_t count = 0; ///< kicks
    double time = 0;         ///< wall time, drifting included, estimated from samples [s]
    double drift_time = 0;   ///< share of drifting [s]
  };

  /// By family name, in the order of add(); what snapshot() does is not included. The last one are
  /// the kicks of sweeps at filtered class boundaries, if they are.
  std::vector<KickStatistics> kick_statistics() const;

  /// What processes would have to do if there were @p n_ranks of them. After start(), with step
  /// classes.
  Division divide_in_thought(unsigned int n_ranks) const;

  /// With filtered class boundaries how often a kick beside finer ones is evaluated before it is
  /// given; zero with plain ones. After start().
  unsigned int n_sweeps() const;
  /// Such evaluations per time for the present classes [1/time]. After start().
  double sweep_rate() const;

  /// How much processes have to do at present. After start(), with several processes.
  KickLoad kick_load() const;

  /// Owners that start() would choose for the clocks that kicks have at present, for
  /// StepperParameters::owners, and what processes would have to do then. After start(), with
  /// several processes, which all get the same.
  std::pair<NodeOwners, KickLoad> divide_anew() const;

  /// What this process has to do; alone all. After start().
  Holding holding() const;

  /// The first of the processes that give the kick @p id; none if all do. After start().
  std::optional<unsigned int> first_holder(unsigned int id) const;

  /// The threads that kick cells, for others that work at the same instants; null if there is one
  /// thread only. After start().
  const std::shared_ptr<Threads> &
  threads() const
  {
    return team;
  }

  /// The processes that work on the run; null if there is one only.
  const std::shared_ptr<Ranks> &
  ranks() const
  {
    return parameters.ranks;
  }

private:
  /// With a clock per kick: everything about a clock that kick_in_sequence() needs.
  struct SequenceEntry
  {
    unsigned int family; ///< of the kick
    bool is_alone;       ///< followers act on other nodes than the kick
    bool is_watched;
    bool is_followed; ///< by other families or by restraints
  };

  /// Throw if @p what comes after start().
  void check_not_started(const std::string &what) const;
  /// Throw if a kick acts on a node that is not there.
  void check_supports() const;
  /// What clocks are chosen for.
  TimeLevels::Neighbourhood neighbourhood() const;
  /// Look at critical steps; classes follow what has changed.
  void follow_deformation();
  /// Classes follow these critical steps, and how fast rigid bodies are.
  void follow(std::vector<double> steps);
  /// Throw if the nodes are not in a state to start from.
  void check_nodes() const;
  void check_damping_of_rigid_bodies() const;
  void unite_kicks_of_damping();
  /// Throw if the fixed step, if there is one, is unstable.
  void check_fixed_step() const;
  /// Is there an event source that can still be asked?
  bool
  has_events() const
  {
    return events && !life_of_events.has_ended();
  }
  /// energy() where all kicks are known.
  EnergyBalance energy_of_all(const NodeTable<spacedim> &synchronised,
                              FamilyEnergies<spacedim> *of_families) const;
  double ripple(const NodeTable<spacedim> &synchronised) const;
  std::vector<char> nodes_in_contact(double time) const;
  void for_each_pending_kick(
      const std::vector<unsigned int> &some_nodes, double time,
      const std::function<void(unsigned int node, const Vector &impulse)> &on_impulse) const;
  Vector velocity_of_rigid(unsigned int node, double time, bool with_events) const;
  std::vector<unsigned int> given_ids(const std::vector<unsigned int> &some_nodes) const;
  /// Throw if the run cannot go on to @p time.
  void check_advance(double time) const;
  /// Those that events change.
  NodesOfAll nodes_of_events() const;
  /// velocity_with_kicks() of a node, where the kicks on it are given.
  Vector node_with_kicks(unsigned int node, double time) const;
  /// advance_to() without what others need to know of its end.
  void step_to(double time);
  /// With several processes: know all nodes; the first one knows what is kept of kicks, too.
  void gather();
  void kick_clock(unsigned int clock);
  /// Kicks of families on @p clock that have come to their end with the one that was given at
  /// @p time : what they have given beyond it is taken back.
  void end_kicks(unsigned int clock, double time, double step);
  void prepare_sequence();
  /// With a clock per kick: kick the first clock, and those after it that are due up to @p limit as
  /// long as it is certain that they are next.
  void kick_in_sequence(double limit);
  /// Throw ExcUndefinedForce if what a family has just given is not finite; @p time : of its
  /// clocks.
  template <typename TimeOfClock>
  void
  check_forces(const KickFamily<spacedim> &family, const TimeOfClock &time)
  {
    if (const auto clock = family.kicks->undefined_clock())
      refuse_forces(family, *clock, time(*clock));
  }
  [[noreturn]] void refuse_forces(const KickFamily<spacedim> &family, unsigned int clock,
                                  double time);
  /// What comes after the kick that owns @p clock.
  void kick_followers(unsigned int clock, double time, double step);
  /// The factor from the wall time of the next @p n_kicks kicks to that of all since the last
  /// measurement of the entry @p sampled of n_unmeasured; zero: they are not measured.
  double weight_of_sample(unsigned int sampled, unsigned int n_kicks);
  void change_classes(double time);

  NodeTable<spacedim> &nodes;
  const Lifetime::Watch life_of_nodes;
  unsigned int n_nodes = 0, n_restrained = 0; ///< at the start
  const StepperParameters parameters;
  KickFamilies<spacedim> families;
  std::unique_ptr<ClassBoundaries<spacedim>> boundaries; ///< null: they are plain
  double time_of_boundaries = 0; ///< spent there, extrapolated from samples [s]
  TimeLevels time_levels;
  StepFollower<spacedim> step_follower;
  SupportIndex<spacedim> support_index;
  PrescribedMotions<spacedim> motions;
  RigidClocks<spacedim> rigid_clocks;
  RigidSteps<spacedim> rigid_steps;
  EventSource<spacedim> *events = nullptr;
  Lifetime::Watch life_of_events;
  bool keeps_spare_classes = false; ///< see keep_spare_classes()

  std::vector<SequenceEntry> sequence; ///< empty with step classes
  std::vector<DueClock> due;           ///< for kick_in_sequence()

  /// Kicks since the last that were measured: by class, since few kicks at a time take longer
  /// each; with a clock per kick of all.
  std::vector<unsigned int> n_unmeasured;
  double now = 0;     ///< see time() [time]
  double current = 0; ///< of the last thing that was done [time]
  bool started = false;
  bool is_in_step = false; ///< in advance_to(), or has something been thrown there?
  mutable std::atomic<bool> is_at_work{false};          ///< see AtWork
  std::shared_ptr<Threads> team;                        ///< see threads()
  std::shared_ptr<Distribution<spacedim>> distribution; ///< null with one process
};
} // namespace KickDrift

#endif
