#ifndef KICKDRIFT_STEPPING_CLOCKS_TIME_LEVELS_H
#define KICKDRIFT_STEPPING_CLOCKS_TIME_LEVELS_H

#include <kickdrift/stepping/clocks/clock_queue.h>
#include <kickdrift/stepping/clocks/patience.h>
#include <kickdrift/stepping/clocks/promotion.h>
#include <kickdrift/stepping/clocks/stability_rule.h>
#include <kickdrift/stepping/clocks/stepper_parameters.h>

#include <functional>
#include <unordered_map>
#include <utility>

namespace KickDrift
{
/**
 * The clock of every kick, and how it changes: critical steps, natural classes, promotions to finer
 * classes, and times at which intervals end.
 *
 * A kick id is the global number of a kick that has a clock of its own: kick k of a family has id
 * (first + k), see Stepper::add(). With step classes the clock of a kick is its class, otherwise
 * (Clocks::per_cell) its id. Before start() only ids and critical steps are known.
 *
 * More than twenty functions, most of them of one line: stepper and contact ask for steps, classes
 * and ends of intervals in many ways, and all answers come from the same few tables.
 */
class TimeLevels
{
public:
  /// Called when a kick changes from one clock to another.
  using OnChange = std::function<void(unsigned int kick, unsigned int from, unsigned int to)>;

  /// Throws StepperExceptions::ExcParameter for parameters that are not allowed.
  explicit TimeLevels(const StepperParameters &parameters);

  /// Append a kick. Returns its id.
  unsigned int add(double critical_step);

  /// These kicks, and those that share a class with one of them, share one class from now on: the
  /// finest that one of them needs. Before start(); only with step classes.
  void unite(const std::vector<unsigned int> &kicks);

  /// What clocks are chosen for.
  struct Neighbourhood
  {
    /// Nodes of kicks by id, for the stability rule; without rows it is not applied.
    CompressedRows<unsigned int> nodes_of_kick;
    /// Kicks::stratum() by id, for filtered class boundaries; empty: they are plain.
    std::vector<unsigned int> strata;
    unsigned int n_nodes = 0; ///< of the node table
    bool is_constant = true;  ///< Will critical steps stay what they are?
    bool has_history = false; ///< Do kicks deform for good? Then more classes are spare.
    unsigned int n_spare = 0; ///< that are spare at least, unless the step is fixed
  };

  /// Choose clocks, and count kicks on them; clocks().start() must follow. Throws
  /// StepperExceptions::ExcNoCriticalStep if no kick limits the step.
  void start(const Neighbourhood &neighbourhood);

  /// Are there step classes (Clocks::one, Clocks::nested)?
  bool
  has_classes() const
  {
    return parameters.clocks != Clocks::per_cell;
  }

  /// Number of kicks that have clocks of their own.
  unsigned int
  n_kicks() const
  {
    return critical_steps.size();
  }

  /// Step classes, with the natural class of each kick. Empty for Clocks::per_cell.
  const StepClasses &
  classes() const
  {
    return natural;
  }

  /// Have all kicks one step?
  bool
  has_one_step() const
  {
    return parameters.clocks == Clocks::one;
  }

  /// The finest natural class; those below it are spare.
  unsigned int
  finest_class() const
  {
    return finest;
  }

  /// What the stability rule has done, last.
  const StabilityRuleReport &
  rule() const
  {
    return rule_report;
  }

  /// The coarsest class that may come beside a kick in its natural class without resonance.
  unsigned int coarsest_class_beside(unsigned int kick) const;

  /// Critical step of a kick in the reference state, before beta [time].
  double
  critical_step(const unsigned int kick) const
  {
    return critical_steps[kick];
  }

  /// That of the deformed state which classes follow [time].
  double
  current_critical_step(const unsigned int kick) const
  {
    return current_steps.empty() ? critical_steps[kick] : current_steps[kick];
  }

  /// The smallest critical step [time].
  double smallest_critical_step() const;

  /// The largest share of its critical step that a step may take, from the parameters: beta, or
  /// what a fixed time step makes of it; not above 1 [-].
  double largest_step_ratio() const;

  /// Longest time between two kicks: the step without promotions [time].
  double natural_step(unsigned int kick) const;

  /// Step at which a kick comes at present [time].
  double
  step(const unsigned int kick) const
  {
    return queue[clocks_of_kicks[kick]].step();
  }

  /**
   * The same after start(), at a time @p now at which the intervals of all of them end: the kicks
   * move in the change_classes() of that time. Returns whether a natural class has changed.
   * @param neighbourhood makes what clocks are chosen for, if that is needed
   */
  bool unite(const std::vector<unsigned int> &kicks,
             const std::function<Neighbourhood()> &neighbourhood, double now);

  /// Present clock of a kick: with step classes its class.
  unsigned int
  clock_of_kick(const unsigned int kick) const
  {
    return clocks_of_kicks[kick];
  }

  /// End of the interval that the last impulse of a kick stands for [time].
  double
  covered_until(const unsigned int kick) const
  {
    return queue[clocks_of_kicks[kick]].covered_until();
  }

  /// First end of an interval of class @p step_class after @p time [time].
  double next_common_instant(unsigned int step_class, double time) const;

  /// Time at which kicks of class @p step_class are due first after @p time [time].
  double next_kick(unsigned int step_class, double time) const;

  /// Kicks per time at the steps of start(); first: ours, second: all at the smallest step.
  std::pair<double, double> kick_rates() const;

  /// See Stepper::promote() and Promotion; @p now is the present time [time]. United kicks go
  /// together.
  void promote(unsigned int kick, unsigned int step_class, double until, double now);

  /**
   * Natural classes follow critical steps that have changed. Kicks move at the next ends of
   * intervals; until then they keep their classes. For longer steps see followed_class(). Returns
   * whether a natural class has changed.
   * @param current critical steps, shape (n_kicks()) [time]
   */
  bool follow(const std::vector<double> &current, const Neighbourhood &neighbourhood, double now);

  /// From now on kicks wait before they follow() longer steps.
  void
  be_patient(std::vector<double> first_patience)
  {
    patience = Patience(std::move(first_patience));
  }

  /// Are there kicks that may follow() into a coarser class if their steps stay as long as they
  /// are?
  bool
  is_waiting() const
  {
    return patience.is_waiting();
  }

  /// Kicks that are in class @p step_class, but were not at the start: promoted, or following.
  const std::vector<unsigned int> &
  promoted_to(const unsigned int step_class) const
  {
    return kicks_promoted_to[step_class];
  }

  /// End of the promotion of a kick; minus infinity if it has none [time].
  double promoted_until(unsigned int kick) const;

  /// Number of kicks that are promoted at present, or are to change their class.
  unsigned int
  n_promoted() const
  {
    return promoted.size();
  }

  /// How often kicks have changed their class so far.
  std::uint64_t
  n_class_changes() const
  {
    return class_changes;
  }

  /// Time at which change_classes() is due; TournamentTree::never if no kick is promoted.
  double
  next_change() const
  {
    return change_time;
  }

  /// Move promoted kicks to the classes that they want, as far as intervals end at @p time.
  void change_classes(double time, const OnChange &on_change);

  /// Clocks and the order in which they are due.
  const ClockQueue &
  clocks() const
  {
    return queue;
  }
  /// The same, for the stepper.
  ClockQueue &
  clocks()
  {
    return queue;
  }

  /// Write to, or read from, a checkpoint what has changed since start(). Reading calls
  /// @p on_change for kicks on another clock than at the start.
  void serialize(Archive &archive, const OnChange &on_change);

private:
  void start_per_cell();
  void start_classes(const Neighbourhood &neighbourhood);
  /// Lower the classes of united kicks to the finest of them; returns whether any has changed.
  bool level_united(std::vector<unsigned int> &classes) const;
  /// Natural classes from own_classes, by the rule.
  void apply_rule(const std::vector<double> &steps, const Neighbourhood &neighbourhood);
  /// change_classes() is due when both the present interval and one of @p step_class may end.
  void request_change(unsigned int step_class, double now);
  /// Kicks whose natural class was another one are to move.
  void follow_natural_classes(const std::vector<unsigned int> &before, double now);
  /// Tick of the shared clock at @p time, rounded down.
  std::int64_t tick_at(double time) const;
  /// First time after @p time that is half a period of a class, or a whole one, after ends of
  /// intervals [time].
  double next_time_of(unsigned int step_class, bool is_kick, double time) const;
  void move(unsigned int kick, unsigned int step_class, double time, const OnChange &on_change);
  void promote_one(unsigned int kick, unsigned int step_class, double until, double now);
  /// Throw if what was read of promotions does not agree with the clocks.
  void check_promotions() const;

  const StepperParameters parameters;
  std::vector<double> critical_steps;  ///< by kick
  mutable double fixed_step_ratio = 0; ///< see largest_step_ratio(); 0: not found yet
  std::vector<double> current_steps;   ///< the same that classes follow; empty if they have not yet
  StepClasses natural;
  std::vector<std::vector<unsigned int>> united; ///< see unite()
  std::vector<unsigned int> united_of_kick;      ///< index into united; those beyond have none
  std::vector<unsigned int> own_classes;         ///< by kick, by its own step alone
  std::vector<unsigned int> initial_classes;     ///< by kick, the natural ones at the start
  Patience patience;
  unsigned int finest = 0; ///< see finest_class()
  StabilityRuleReport rule_report;
  ClockQueue queue;
  std::vector<unsigned int> clocks_of_kicks;

  std::unordered_map<unsigned int, Promotion> promotions;   ///< by kick
  std::vector<unsigned int> promoted;                       ///< keys of promotions, in their order
  std::vector<std::vector<unsigned int>> kicks_promoted_to; ///< by class
  double change_time = TournamentTree::never;
  std::uint64_t class_changes = 0;
};
} // namespace KickDrift

#endif
