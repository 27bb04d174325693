#ifndef KICKDRIFT_STEPPING_CLOCKS_STEPPER_PARAMETERS_H
#define KICKDRIFT_STEPPING_CLOCKS_STEPPER_PARAMETERS_H

#include <kickdrift/stepping/clocks/clock.h>

#include <memory>

namespace KickDrift
{
class NodeOwners;
class Ranks;

/// With which part of its nodes' masses a kick's critical step is calculated.
enum class MassForSteps
{
  shared, ///< a share in proportion to the stiffness that it puts on the node
  own     ///< its own, such as the lumped mass of a cell, as in the papers
};

/// How kicks see nodes that they share with kicks of finer classes.
enum class ClassBoundary
{
  plain,   ///< where they are, as in the papers
  filtered ///< without the motion to and fro between the kicks of both, see ClassBoundaries
};

/// How the stepper chooses its clocks.
struct StepperParameters
{
  Clocks clocks = Clocks::nested; ///< how kicks share clocks
  Phase phase = Phase::centred;   ///< where in their first interval clocks start
  double time_step_ratio = 0.5;   ///< beta, of the critical step; above 0, not above 1
  double time_step = 0;           ///< fixed step for Clocks::one; 0: from beta [time]
  /// With which part of the nodal masses critical steps are calculated.
  MassForSteps mass_for_steps = MassForSteps::shared;
  /// For Clocks::nested: classes by apply_stability_rule(), so that neighbours do not resonate.
  bool stability_rule = true;
  /// For Clocks::nested with Phase::centred, others are plain: what kicks see beside finer classes.
  /// With filtered ones, and the stability rule, neighbours are at most one class apart.
  ClassBoundary class_boundary = ClassBoundary::filtered;
  /**
   * Classes below the finest that are kept free at the start, each with half the step of the next:
   * kicks whose critical steps become shorter by deformation move to them (see StepFollower). None
   * are kept if all critical steps are constant, twice as many if kicks have a history: plastic
   * cells become flat and stay so.
   */
  unsigned int spare_classes = 4;
  /// Threads that kick cells and search for contacts, at most 1024; above 1 only with step classes.
  /// The bits of a run do not depend on it.
  unsigned int threads = 1;
  /// Processes that share the kicks; only with step classes. All have the same nodes and kicks, and
  /// the bits of a run do not depend on their number. Null: this one alone.
  std::shared_ptr<Ranks> ranks = nullptr;
  /// Which of several processes owns which node: the same on all of them, from
  /// Stepper::divide_anew() of a run with the same nodes whose kicks have changed their clocks.
  /// Null: as the clocks of the start ask for.
  std::shared_ptr<const NodeOwners> owners = nullptr;

  /// Are class boundaries filtered? Only nested clocks with kicks in the middle of intervals have
  /// what that needs.
  bool
  has_filtered_boundaries() const
  {
    return class_boundary == ClassBoundary::filtered && clocks == Clocks::nested &&
           phase == Phase::centred;
  }
};
} // namespace KickDrift

#endif
