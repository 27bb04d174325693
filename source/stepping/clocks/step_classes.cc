#include <kickdrift/stepping/clocks/step_classes.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace KickDrift
{
namespace
{
// Ticks are 64-bit integers; no mesh has steps that differ by more than this.
constexpr unsigned int max_classes = 40;

/// The largest k with 2^k base <= step; a relative 1e-12 allows for rounding of equal steps.
unsigned int
class_of_step(const double step, const double base)
{
  const double ratio = step / base * (1 + 1e-12);
  const int exponent = std::ilogb(ratio);
  return std::min<int>(std::max(exponent, 0), max_classes - 1);
}

double
kicks_per_time(const std::vector<double> &steps, const double base)
{
  double rate = 0;
  for (const double step : steps)
    if (std::isfinite(step))
      rate += std::ldexp(1. / base, -static_cast<int>(class_of_step(step, base)));
  return rate;
}

/// A sample of the sorted steps, so that the scan for the base does not grow with the mesh.
std::vector<double>
representatives(const std::vector<double> &steps)
{
  std::vector<double> finite;
  for (const double step : steps)
    if (std::isfinite(step))
      finite.push_back(step);
  std::sort(finite.begin(), finite.end());
  constexpr std::size_t enough = 20000;
  if (finite.size() <= enough)
    return finite;
  std::vector<double> sample;
  for (std::size_t i = 0; i < enough; ++i)
    sample.push_back(finite[i * finite.size() / enough]);
  return sample;
}
} // namespace

StepClasses
nested_classes(const std::vector<double> &steps, const unsigned int n_spare)
{
  const double smallest = *std::min_element(steps.begin(), steps.end());
  AssertThrow(std::isfinite(smallest) && smallest > 0,
              dealii::ExcMessage("There is no kick that limits the time step."));

  // A base below the smallest step may let most cells use a longer step than the smallest would.
  // A finer base also means more frequent contact tests, so it must save some kicks.
  const auto sample = representatives(steps);
  constexpr unsigned int n_candidates = 128;
  constexpr double worth_it = 0.97;
  StepClasses classes;
  classes.base = smallest;
  double best = worth_it * kicks_per_time(sample, smallest);
  for (unsigned int i = 1; i < n_candidates; ++i)
  {
    const double base = smallest * std::exp2(-static_cast<double>(i) / n_candidates);
    const double rate = kicks_per_time(sample, base);
    if (rate < best)
    {
      best = rate;
      classes.base = base;
    }
  }

  classes.base = std::ldexp(classes.base, -static_cast<int>(n_spare));
  unsigned int coarsest = 0;
  for (const double step : steps)
    if (std::isfinite(step))
      coarsest = std::max(coarsest, class_of_step(step, classes.base));
  classes.n_classes = coarsest + 1;
  for (const double step : steps)
    classes.of_kick.push_back(coarsest_class_below(step, classes));
  return classes;
}

StepClasses
one_class(const unsigned int n_kicks, const double step, const unsigned int n_spare)
{
  StepClasses classes;
  classes.base = std::ldexp(step, -static_cast<int>(n_spare));
  classes.of_kick.assign(n_kicks, n_spare);
  classes.n_classes = n_spare + 1;
  return classes;
}

unsigned int
coarsest_class_below(const double step, const StepClasses &classes)
{
  const unsigned int coarsest = classes.n_classes - 1;
  return std::isfinite(step) ? std::min(class_of_step(step, classes.base), coarsest) : coarsest;
}

unsigned int
followed_class(const unsigned int own, const double step, const StepClasses &classes)
{
  const unsigned int finer = coarsest_class_below(step, classes);
  return finer < own ? finer
                     : std::max(own, coarsest_class_below(step / reserve_of_longer_steps, classes));
}
} // namespace KickDrift
