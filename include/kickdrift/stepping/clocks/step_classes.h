#ifndef KICKDRIFT_STEPPING_CLOCKS_STEP_CLASSES_H
#define KICKDRIFT_STEPPING_CLOCKS_STEP_CLASSES_H

#include <functional>
#include <vector>

namespace KickDrift
{
/**
 * Nested step classes: kick i comes with step 2^k b, k as large as its own step allows.
 *
 * Every step divides the next longer one: arbitrary clocks resonate nearly everywhere, nested ones
 * only where the steps of neighbours differ too much, which apply_stability_rule() mends. Time is
 * counted in half steps of the finest class: with centred phase the kicks of class k come at (2j+1)
 * 2^k, and its intervals end at multiples of 2^(k+1).
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
 * (h_min/2, h_min] that needs the fewest kicks, halved @p n_spare times; kicks whose step is
 * infinite join the coarsest class.
 */
StepClasses nested_classes(const std::vector<double> &steps, unsigned int n_spare = 0);

/// The same with the base that costs least, of eight in (h_min/2, h_min] and the one that needs the
/// fewest kicks. @p cost (classes) is what is evaluated per time, at least the kicks [1/time].
StepClasses cheapest_nested_classes(const std::vector<double> &steps, unsigned int n_spare,
                                    const std::function<double(const StepClasses &)> &cost);

/// All kicks in one class with step @p step, above @p n_spare classes with halved ones.
StepClasses one_class(unsigned int n_kicks, double step, unsigned int n_spare = 0);

/// The coarsest of @p classes whose step is not above @p step; the finest if there is none.
unsigned int coarsest_class_below(double step, const StepClasses &classes);

/// A kick gets a longer step only if it could bear one that is longer by this factor: it must be
/// worth the change, and not be given up again soon.
constexpr double reserve_of_longer_steps = 1.2;

/// The class, of @p classes, for a kick in class @p own that can bear @p step at present. If that
/// is not a finer one it is a coarser one only with reserve_of_longer_steps.
unsigned int followed_class(unsigned int own, double step, const StepClasses &classes);
} // namespace KickDrift

#endif
