#include <kickdrift/stepping/clocks/step_classes.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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

// A base below the smallest step also means more frequent contact tests, so it must save some
// kicks.
constexpr double worth_it = 0.97;

/// The smallest step. Throws if there is none.
double
smallest_of(const std::vector<double> &steps)
{
  const double smallest = *std::min_element(steps.begin(), steps.end());
  AssertThrow(std::isfinite(smallest) && smallest > 0,
              dealii::ExcMessage("There is no kick that limits the time step."));
  return smallest;
}

/// The base that needs the fewest kicks: below the smallest step it may let most cells use a longer
/// step than that would.
double
base_of_fewest_kicks(const std::vector<double> &steps)
{
  const double smallest = smallest_of(steps);
  const auto sample = representatives(steps);
  constexpr unsigned int n_candidates = 128;
  double result = smallest;
  double best = worth_it * kicks_per_time(sample, smallest);
  for (unsigned int i = 1; i < n_candidates; ++i)
  {
    const double base = smallest * std::exp2(-static_cast<double>(i) / n_candidates);
    const double rate = kicks_per_time(sample, base);
    if (rate < best)
    {
      best = rate;
      result = base;
    }
  }
  return result;
}

/// Nested classes whose finest one above @p n_spare has the step @p base.
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

} // namespace

StepClasses
nested_classes(const std::vector<double> &steps, const unsigned int n_spare)
{
  return nested_classes_on(base_of_fewest_kicks(steps), steps, n_spare);
}

StepClasses
cheapest_nested_classes(const std::vector<double> &steps, const unsigned int n_spare,
                        const std::function<double(const StepClasses &)> &cost)
{
  const double smallest = smallest_of(steps);
  std::vector<double> bases = {base_of_fewest_kicks(steps)};
  constexpr unsigned int n_bases = 8;
  for (unsigned int i = 0; i < n_bases; ++i)
    bases.push_back(smallest * std::exp2(-static_cast<double>(i) / n_bases));
  std::sort(bases.begin(), bases.end());
  bases.erase(std::unique(bases.begin(), bases.end()), bases.end());

  struct Candidate
  {
    double least, base, factor; // least cost, and what the cost is multiplied by
  };
  std::vector<Candidate> candidates;
  for (const double base : bases)
  {
    const double factor = base < smallest ? 1 / worth_it : 1;
    candidates.push_back({factor * kicks_per_time(steps, base), base, factor});
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate &a, const Candidate &b)
            { return std::pair(a.least, a.base) < std::pair(b.least, b.base); });
  double least = std::numeric_limits<double>::infinity();
  StepClasses cheapest;
  for (const Candidate &candidate : candidates)
  {
    if (candidate.least >= least)
      break; // so are the others
    StepClasses classes = nested_classes_on(candidate.base, steps, n_spare);
    const double found = candidate.factor * cost(classes);
    if (found < least)
    {
      least = found;
      cheapest = std::move(classes);
    }
  }
  return cheapest;
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
