#ifndef KICKDRIFT_STEPPING_STEPS_STEP_FOLLOWER_H
#define KICKDRIFT_STEPPING_STEPS_STEP_FOLLOWER_H

#include <kickdrift/stepping/kicks/kick_families.h>
#include <kickdrift/stepping/steps/critical_steps.h>

namespace KickDrift
{
template <int spacedim>
class Distribution;

/**
 * Watches how critical steps change by deformation, so that classes can follow them.
 *
 * It looks at each kick whose critical step is not constant (Kicks::has_constant_steps()). The
 * number of steps between two looks depends on how fast nodes move in comparison with waves: in
 * between, a cell cannot be strained by more than a part of what its step leaves to the critical
 * one. Kicks that are hardly deformed, or as deformed as at the last look, keep the critical step
 * they had, so that most looks cost as much as a few kicks. Nodes are not changed, and the times of
 * looks do not depend on snapshots.
 *
 * With several processes each looks at the kicks that it holds, and all agree on the fastest node,
 * the largest ratio and whether there is news; steps travel only if classes are to follow them.
 */
template <int spacedim>
class StepFollower
{
public:
  /// @p nodes and @p families must outlive the object.
  StepFollower(NodeTable<spacedim> &nodes, const KickFamilies<spacedim> &families,
               const StepperParameters &parameters);

  /// Critical steps in the reference state, by id [time]. After it no kick must be added. Throws as
  /// CriticalSteps.
  std::vector<double> find_critical_steps();

  /// Begin to look, if there is anything to look at.
  /// @param distribution of the kicks among processes; null: there is one
  void start(const TimeLevels &levels,
             std::shared_ptr<Distribution<spacedim>> distribution = nullptr);

  /// How long kicks should wait for longer steps, by id, zero for those that are not watched: as
  /// many times as waves need to pass through the body that the kick is part of [time].
  std::vector<double> first_patience() const;

  /// Are all critical steps constant?
  bool is_constant() const;

  /// When to look next [time]; TournamentTree::never if critical steps are constant.
  double
  next_time() const
  {
    return next_look;
  }

  /// Find critical steps at next_time(). Returns whether classes should follow what has changed.
  /// Collective with several processes, and the same for all.
  bool look(const TimeLevels &levels);

  /// Collective: the first process knows all critical steps. Nothing with one process.
  void gather();

  /// Classes have changed.
  void classes_changed(const TimeLevels &levels);

  /// The kick with this id, that was watched, is not given any more, and limits no step.
  void ended(unsigned int id);

  /// Classes are those of a checkpoint that has been read, see serialize().
  void resume(const TimeLevels &levels);

  /// Critical steps found last, by id; with several processes of the kicks that this one holds,
  /// and of all after a look() that has returned true [time].
  const std::vector<double> &
  critical_steps() const
  {
    return steps;
  }

  /// The largest ratio of a step to its critical step found last, for the classes that follow from
  /// it: above 1 they cannot follow, and the run is unstable [-].
  double
  largest_ratio() const
  {
    return worst;
  }

  /// How often a look has found the step of a kick above its critical one. With several processes
  /// the first one knows of all of them after gather().
  std::uint64_t
  n_above_critical() const
  {
    return above_critical;
  }

  /// Id of the kick that has the largest_ratio().
  unsigned int
  id_of_largest_ratio() const
  {
    return id_of_worst;
  }

  /// Write to, or read from, a checkpoint what has changed since start().
  void serialize(Archive &archive);

private:
  /// A kick that is watched.
  struct Watched
  {
    unsigned int id, family, kick;
  };

  void update_classes(const TimeLevels &levels);
  static unsigned int class_of(unsigned int id, const TimeLevels &levels);
  /// Do several processes share the kicks, and does this one not hold the kick with this id?
  bool elsewhere(unsigned int id) const;
  /// Of all nodes [length/time].
  double largest_speed() const;
  /// With several processes: all know the worst of them, which was as given before the look.
  void share_look(double worst_before, unsigned int id_before, const TimeLevels &levels);
  /// As many numbers of each process.
  std::vector<std::size_t> each(unsigned int n) const;
  /// With several processes: all, or the first one, know all steps.
  void share_steps(bool for_all);
  /// Find the critical step of a kick, anew if @p is_due or if it is deformed otherwise than
  /// before.
  void look_at(const Watched &watched, double time, bool is_due, const TimeLevels &levels);
  /// The critical step of a kick with what damps it now, from that without.
  double with_damping(const Watched &kick, double undamped_step) const;
  void note_ratio(unsigned int id, const TimeLevels &levels);
  void note_above_critical(unsigned int id);
  /// Steps of a kick between two looks at it, a power of two.
  unsigned int steps_between_looks() const;

  NodeTable<spacedim> &nodes; ///< as they are, but for those of a kick while it is looked at
  const KickFamilies<spacedim> &families;
  const StepperParameters &parameters;
  std::vector<std::shared_ptr<const Kicks<spacedim>>> with_ids; ///< families
  std::unique_ptr<CriticalSteps<spacedim>> critical;
  std::vector<char> varies;                  ///< by id, is the critical step not constant?
  std::vector<double> steps;                 ///< by id, the last ones [time]
  std::vector<double> undamped;              ///< the same without damping; empty: there is none
  std::vector<double> undamped_reference;    ///< the same in the reference state [time]
  std::vector<float> reported;               ///< by id, what classes follow [time]
  std::vector<float> deformations;           ///< by id, for which steps was calculated [-]
  std::vector<std::vector<Watched>> watched; ///< by natural class, those that are looked at here
  std::vector<char> any_watched;             ///< by natural class, is there one, here or elsewhere?
  double step_ratio = 0;                     ///< see TimeLevels::largest_step_ratio() [-]
  double wave_speed = 0;                     ///< smallest of all kicks [length/time]
  double fastest = 0;                        ///< speed of a node, lately [length/time]
  double next_look = TournamentTree::never;  ///< see next_time() [time]
  double tick_length = 0;                    ///< step of the first class [time]
  std::uint64_t tick = 0;                    ///< next_look in ticks
  bool has_news = false;                     ///< steps differ from those that classes follow
  double worst = 0;                          ///< see largest_ratio()
  unsigned int id_of_worst = 0;
  std::uint64_t above_critical = 0;                     ///< see n_above_critical()
  std::uint64_t above_critical_here = 0;                ///< found by this process since gather()
  std::shared_ptr<Distribution<spacedim>> distribution; ///< null: there is one process
  bool has_looked = false; ///< since all steps were known to the first process
};
} // namespace KickDrift

#endif
