#include "cheapest_classes.h"

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
/// How many kicks per time bases in (h_min/2, h_min] need. Their number does not grow with the
/// steps, of which some stand for all.
class Bases
{
public:
  explicit Bases(const std::vector<double> &steps)
      : smallest(*std::min_element(steps.begin(), steps.end()))
  {
    AssertThrow(std::isfinite(smallest) && smallest > 0,
                dealii::ExcMessage("There is no kick that limits the time step."));
    sample = representatives(steps);
    const auto n_finite = std::count_if(steps.begin(), steps.end(),
                                        [](const double step) { return std::isfinite(step); });
    weight = static_cast<double>(n_finite) / sample.size();
  }

  Base
  operator[](const unsigned int i) const
  {
    const double base = smallest * std::exp2(-static_cast<double>(i) / n);
    return {base, weight * kicks_per_time(sample, base)};
  }

  static constexpr unsigned int n = 128;

private:
  double smallest, weight = 1;
  std::vector<double> sample;
};

/// The base that needs the fewest kicks. Below the smallest step most kicks may have longer ones
/// than it would allow; it also means more frequent contact tests, so it must save some kicks.
Base
base_of_fewest_kicks(const Bases &bases)
{
  Base best = bases[0];
  best.kicks_per_time *= worth_it;
  for (unsigned int i = 1; i < Bases::n; ++i)
    if (const Base base = bases[i]; base.kicks_per_time < best.kicks_per_time)
      best = base;
  return best;
}
} // namespace

StepClasses
nested_classes_on(const double base, const std::vector<double> &steps, const unsigned int n_spare)
{
  StepClasses classes;
  classes.base = std::ldexp(base, -static_cast<int>(n_spare));
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
nested_classes(const std::vector<double> &steps, const unsigned int n_spare)
{
  return nested_classes_on(base_of_fewest_kicks(Bases(steps)).step, steps, n_spare);
}

std::vector<Base>
bases_to_try(const std::vector<double> &steps)
{
  const Bases bases(steps);
  std::vector<Base> result = {bases[0], base_of_fewest_kicks(bases)};
  for (unsigned int i = Bases::n / 8; i < Bases::n; i += Bases::n / 8)
    result.push_back(bases[i]);
  std::sort(result.begin() + 1, result.end(),
            [](const Base &a, const Base &b) { return a.kicks_per_time < b.kicks_per_time; });
  return result;
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
