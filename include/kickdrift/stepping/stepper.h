#ifndef KICKDRIFT_STEPPING_STEPPER_H
#define KICKDRIFT_STEPPING_STEPPER_H

#include <kickdrift/stepping/clock.h>
#include <kickdrift/stepping/kicks.h>
#include <kickdrift/stepping/step_classes.h>
#include <kickdrift/stepping/tournament_tree.h>

#include <functional>
#include <map>
#include <memory>
#include <unordered_map>

namespace KickDrift
{
/**
 * Things that happen at instants between kicks and change velocities, like collisions.
 *
 * Kicks of the same time come before process().
 */
class EventSource
{
public:
  virtual ~EventSource() = default;

  /// The next instant [time].
  virtual double next_time() const = 0;

  /// Do all that is due at exactly @p time.
  virtual void process(double time) = 0;

  /// Velocities of these (watched) nodes have just been changed by kicks at @p time.
  virtual void nodes_kicked(dealii::ArrayView<const unsigned int> nodes, double time) = 0;
};

/// How the stepper chooses its clocks.
struct StepperParameters
{
  Clocks clocks = Clocks::nested; ///< how kicks share clocks
  Phase phase = Phase::centred;   ///< where in their first interval clocks start
  double time_step_ratio = 0.5;   ///< beta, of the critical step
  double time_step = 0;           ///< fixed step for Clocks::one; 0: from beta [time]
  /// Threads that kick cells and look for contacts; above 1 only for step classes. The bits of a
  /// run do not depend on it.
  unsigned int threads = 1;
};

/**
 * The loop that drifts and kicks (Lew et al. 2003; method: kicks and drifts).
 *
 * It knows nodes, families of kicks and clocks; no elements, no materials, no contact. Kicks run
 * in the total order (time, clock, family, kick), instants after the kicks of the same time.
 */
template <int spacedim>
class Stepper
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  /// @p nodes must outlive the stepper.
  Stepper(NodeTable<spacedim> &nodes, const StepperParameters &parameters);

  /**
   * Add a family that has clocks of its own. Returns the id of its first unit: kick k of the family
   * is unit (first + k).
   */
  unsigned int add(std::shared_ptr<Kicks<spacedim>> family);

  /**
   * Add a family whose kick k shares the clock of @p unit_of_kick [k], e.g. a body force that
   * follows its cell.
   */
  void add_on_clock_of(std::shared_ptr<Kicks<spacedim>> family,
                       std::vector<unsigned int> unit_of_kick);

  /**
   * Add a family whose kicks come when the nodes they act on have synchronised velocities, such as
   * damping: all belong to the class above the coarsest of the units that own any of the nodes, so
   * that they come together, at every second end of the intervals of these units. They are no units
   * themselves: they set no step and are not leased. Throws dealii::ExceptionBase for
   * Clocks::per_cell and Phase::start, where there are no such times.
   */
  void add_synchronised(std::shared_ptr<Kicks<spacedim>> family);

  /**
   * Prescribe the motion of restrained nodes along @p directions: at the start of every interval of
   * the finest step around them, the support's velocity is set to the mean of @p displacement
   * (node, time) over the interval, so that positions are exact at the ends. Other components of
   * @p displacement are ignored, other restraints of the nodes stay as they are. Nodes should start
   * from displacement (node, 0); start() gives them the velocity of the first interval.
   *
   * Throws dealii::ExceptionBase if a node is not restrained along one of the directions.
   */
  void prescribe(const std::vector<unsigned int> &nodes, const std::vector<Vector> &directions,
                 std::function<Vector(unsigned int node, double time)> displacement);

  /// Collisions; at most one object, not owned.
  void attach(EventSource &events);

  /// Report kicks of these nodes to the attached instants.
  void watch(const std::vector<unsigned int> &nodes);

  /// Choose clocks. Called once, after the last add(); later calls of add() throw. Throws
  /// dealii::ExceptionBase for more than one thread with Clocks::per_cell.
  void start();

  /// Do everything that is due up to and including @p time [time].
  void advance_to(double time);

  /// Time up to which everything has been done.
  double
  time() const
  {
    return now;
  }

  /**
   * All nodes at one time, with synchronised velocities: every kick has delivered its impulse up to
   * that time and no further. The run itself is not touched.
   * @pre advance_to(time) was called.
   */
  NodeTable<spacedim> snapshot(double time) const;

  /// Balance of energies for what snapshot() returned; contact terms are not included.
  EnergyBalance energy(const NodeTable<spacedim> &synchronised) const;

  /// Velocity of one watched node at @p time as snapshot() would give it.
  Vector synchronised_velocity(unsigned int node, double time) const;

  /// Force on each of these (watched) nodes at @p time, of all families but those that come between
  /// kicks.
  std::vector<Vector> forces_on(const std::vector<unsigned int> &nodes, double time) const;

  /// Is @p time the end of an interval of every unit that owns the (watched) node?
  bool at_common_instant(unsigned int node, double time) const;

  // Clocks and units. With step classes a unit's clock is its class.

  /// Number of kicks that have clocks of their own.
  unsigned int
  n_units() const
  {
    return critical_steps.size();
  }

  /// Units whose support contains @p node, which must be watched.
  dealii::ArrayView<const unsigned int> units_of_node(unsigned int node) const;

  /// Nodes of a unit.
  std::vector<unsigned int> support(unsigned int unit) const;

  /// Are there step classes (Clocks::one, Clocks::nested)?
  bool
  has_classes() const
  {
    return parameters.clocks != Clocks::per_cell;
  }

  /// Step classes by the units' own steps. Empty for Clocks::per_cell.
  const StepClasses &
  classes() const
  {
    return natural;
  }

  /// First end of an interval of class @p step_class after @p time [time].
  double next_common_instant(unsigned int step_class, double time) const;

  /**
   * Ask that @p unit is kicked at least as often as class @p step_class until @p until [time].
   * Granted at the next instant at which both the old and the new interval end. To be renewed by
   * whoever needs it; when it runs out the unit goes back to its own class. A request for the same
   * or a finer class keeps the later end; one for a coarser class is ignored until the lease runs
   * out.
   */
  void promote(unsigned int unit, unsigned int step_class, double until);

  /// Current class of a unit.
  unsigned int
  class_of_unit(const unsigned int unit) const
  {
    return clock_of_unit[unit];
  }

  /// Units that are not in their own class at present, or asked not to be.
  unsigned int
  n_promoted() const
  {
    return promoted.size();
  }

  /// How many times units have changed their class so far.
  std::uint64_t
  n_class_changes() const
  {
    return class_changes;
  }

  /// Step at which @p unit is kicked at present [time].
  double
  step_of_unit(const unsigned int unit) const
  {
    return clocks[clock_of_unit[unit]].step();
  }

  /// Longest time between two kicks of @p unit: its step without leases [time].
  double natural_step_of_unit(unsigned int unit) const;

  /// Critical step, before beta [time].
  double
  critical_step_of_unit(const unsigned int unit) const
  {
    return critical_steps[unit];
  }

  /**
   * Write to, or read from, a checkpoint what has changed since start(), that of the families
   * included, but not the nodes. May be called whenever advance_to() may be. To read, the stepper
   * must have been started with the same families.
   */
  void serialize(Archive &archive);

  /// Kicks so far by family name, in the order of add().
  std::vector<std::pair<std::string, std::uint64_t>> kick_counts() const;

  /// The team that kicks cells, for others who work at an instant; nothing if there is one thread
  /// only. After start().
  const std::shared_ptr<Threads> &
  threads() const
  {
    return team;
  }

  /// Wall time of kicks [s].
  struct KickTime
  {
    double total = 0; ///< drifting included
    double drift = 0; ///< what drifting took of it
  };

  /// Wall time by family name, estimated from samples, that of snapshot() not included.
  std::map<std::string, KickTime> kick_times() const;

  /// Kicks of units per time at the steps of start(); first: ours, second: all at the smallest
  /// step.
  std::pair<double, double> kick_rates() const;

private:
  /// How the kicks of a family get their clocks.
  enum class Role
  {
    leader,   ///< every kick is a unit
    follower, ///< with a unit
    between   ///< when the units around it end their intervals
  };

  struct Family
  {
    std::shared_ptr<Kicks<spacedim>> kicks;
    Role role;
    unsigned int first_unit;                ///< leaders: unit of kick 0
    std::vector<unsigned int> unit_of_kick; ///< followers
    std::vector<unsigned int> n_on_clock;   ///< with step classes: kicks on each clock
    std::uint64_t count = 0;
    double time = 0; ///< spent in kicks, extrapolated from samples [s]
  };

  struct BetweenKick
  {
    unsigned int family, kick, clock;
  };

  struct Prescription
  {
    std::vector<unsigned int> nodes;
    std::vector<Vector> directions;
    std::function<Vector(unsigned int, double)> displacement;
    Clock clock;
  };

  struct Promotion
  {
    unsigned int step_class;
    double until;
  };

  /// Rows of indices in one array.
  struct Table
  {
    std::vector<std::size_t> offsets;
    std::vector<unsigned int> entries;

    /// From pairs (row, entry); entries of a row become unique and ascending.
    void build(std::vector<std::pair<unsigned int, unsigned int>> pairs, unsigned int n_rows);
    dealii::ArrayView<const unsigned int>
    row(const unsigned int i) const
    {
      return dealii::ArrayView<const unsigned int>(entries.data() + offsets[i],
                                                   offsets[i + 1] - offsets[i]);
    }
  };

  void choose_clocks();
  void give_clocks_to_families();
  /// Clock of every kick of a family.
  std::vector<unsigned int> clocks_of_kicks(const Family &family) const;
  /// The class for a family that comes between kicks.
  unsigned int class_between(const Family &family) const;
  void start_queue();
  void index_nodes();
  void start_prescriptions();
  void kick_clock(unsigned int clock);
  /// With a clock per unit: everything about a clock that kick_in_sequence() has to know.
  struct SequenceEntry
  {
    unsigned int family; ///< of the unit
    bool is_alone;       ///< followers act on other nodes than the unit's
    bool is_watched;
    bool is_followed; ///< by other families or by restraints
  };
  void prepare_sequence();
  /// With a clock per unit: fire the first clock and those after it that are due up to @p limit, as
  /// long as it is certain that they are next.
  void kick_in_sequence(double limit);
  /// What comes after the kick of the unit that owns @p clock.
  void follow(unsigned int clock, double time, double step);
  /// For how many times @p n_kicks the time of the next so many kicks stands; zero: it is not to
  /// be measured.
  double weight_of_sample(unsigned int n_kicks);
  void kick_clock(Prescription &prescription);
  /// Mean velocity over the interval that begins now [length/time].
  Vector mean_velocity(const Prescription &prescription, unsigned int node) const;
  void change_classes(double time);
  void move(unsigned int unit, unsigned int step_class);
  /// The kicks of @p unit, and those that follow it, belong to @p clock from now on.
  void give_to_clock(unsigned int unit, unsigned int clock);
  void list_away_nodes(unsigned int clock);
  /// The part of serialize() that is about units on lease.
  void serialize_classes(Archive &archive);
  /// Index of the family that brought @p unit.
  unsigned int family_of(unsigned int unit) const;
  unsigned int
  unit_of_kick(const Family &family, const unsigned int k) const
  {
    return family.role == Role::leader ? family.first_unit + k : family.unit_of_kick[k];
  }
  /// Tick of the shared unit at @p time, rounded down.
  std::int64_t tick_at(double time) const;

  NodeTable<spacedim> &nodes;
  const StepperParameters parameters;
  std::vector<Family> families;
  std::vector<Prescription> prescriptions;
  EventSource *events = nullptr;

  std::vector<double> critical_steps; ///< by unit
  StepClasses natural;
  std::vector<Clock> clocks;
  TournamentTree queue;
  std::vector<unsigned int> clock_of_unit;
  std::vector<unsigned int> n_units_on_clock; ///< and kicks that come between them
  Table families_of_clock;
  std::vector<SequenceEntry> sequence; ///< empty with step classes
  std::vector<DueClock> due;           ///< for kick_in_sequence()

  std::vector<char> is_watched;
  Table units_of_watched;
  Table watched_of_clock, restrained_of_clock; ///< with step classes: by home class
  Table followers_of_unit;                     ///< entries: ids of followers' kicks
  Table between_of_watched;                    ///< entries: ids of kicks between the units'
  std::vector<std::pair<unsigned int, unsigned int>> follower_kicks; ///< id to (family, kick)
  std::vector<BetweenKick> between_kicks;                            ///< by id

  std::unordered_map<unsigned int, Promotion> promotions;
  std::vector<unsigned int> promoted;
  std::vector<std::vector<unsigned int>> away_units; ///< by class: units that are there on lease
  std::vector<std::vector<unsigned int>> away_watched, away_restrained;
  double next_change = TournamentTree::never;
  std::uint64_t class_changes = 0;

  unsigned int n_unmeasured = 0; ///< kicks since the last that was measured
  double now = 0;
  double current = 0;
  bool started = false;
  std::shared_ptr<Threads> team; ///< see threads()
};
} // namespace KickDrift

#endif
