#ifndef KICKDRIFT_STEPPING_STEP_CLASSES_H
#define KICKDRIFT_STEPPING_STEP_CLASSES_H

#include <vector>

namespace KickDrift
{
/**
 * Nested step classes: kick i comes with step 2^k b, k as large as its own step allows.
 *
 * Nesting is what keeps the energy bounded (method: nested clocks do not resonate; arbitrary ones
 * do). Time is counted in half steps of the finest class: with centred phase the kicks of class k
 * come at (2j+1) 2^k, and its intervals end at multiples of 2^(k+1).
 */
struct StepClasses
{
  double base = 0;                   ///< b, step of the finest class [time]
  std::vector<unsigned int> of_kick; ///< natural class: that of each kick by its own step
  unsigned int n_classes = 0;        ///< number of classes, the finest first

  /// Step of class @p k [time].
  double
  step(const unsigned int k) const
  {
    return base * (1ull << k);
  }

  /// Half a step of the finest class, the tick of the clocks [time].
  double
  half_tick() const
  {
    return 0.5 * base;
  }
};

/**
 * Classes for the steps @p steps (beta times critical step) of the kicks. The base is the one in
 * (h_min/2, h_min] that needs the fewest kicks; kicks whose step is infinite join the coarsest
 * class.
 */
StepClasses nested_classes(const std::vector<double> &steps);

/// One class with step @p step for all kicks.
StepClasses one_class(unsigned int n_kicks, double step);
} // namespace KickDrift

#endif
