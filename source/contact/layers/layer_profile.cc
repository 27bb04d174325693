#include <kickdrift/contact/layers/layer_profile.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace
{
/// The level of a quadratic layer: the longest of the steps 2^(-m) that is not above l^(-3/2).
unsigned int
level_of_quadratic(const unsigned int layer)
{
  const double cube = std::pow(double(layer), 3);
  unsigned int level = 0;
  while (std::ldexp(1., 2 * level) < cube) // (2^m)^2 < l^3
    ++level;
  return level;
}
} // namespace

LayerProfile::LayerProfile(const LayerShape shape, const unsigned int n_levels) : shape(shape)
{
  AssertThrow(n_levels > 0, dealii::ExcMessage("Penalty layers need at least one level."));
  unsigned int layer = 1;
  for (unsigned int m = 0; m < n_levels; ++m)
  {
    const unsigned int first = layer;
    while (shape == LayerShape::quadratic && level_of_quadratic(layer) == m)
      ++layer;
    const double thickness = shape == LayerShape::cubic ? std::exp2(-0.5 * m) : 1. / first;
    levels.push_back({thickness, first, layer});
  }
}

template <typename Function>
void
LayerProfile::for_each_layer(const unsigned int level, const double x, const Function &f) const
{
  if (shape == LayerShape::cubic)
  {
    if (x < levels[level].thickness)
      f(levels[level].thickness, std::ldexp(1., 2 * level));
  }
  else
    for (unsigned int l = levels[level].first; l < levels[level].last && x * l < 1; ++l)
      f(1. / l, double(l) * l * l);
}

double
LayerProfile::energy(const unsigned int level, const double x) const
{
  double sum = 0;
  for_each_layer(level, x,
                 [&](const double thickness, const double stiffness)
                 {
                   const double u = thickness - x;
                   sum += stiffness * u * u * (shape == LayerShape::cubic ? u / thickness : 1);
                 });
  return sum;
}

double
LayerProfile::force(const unsigned int level, const double x) const
{
  double sum = 0;
  for_each_layer(level, x,
                 [&](const double thickness, const double stiffness)
                 {
                   const double u = thickness - x;
                   sum += stiffness * u * (shape == LayerShape::cubic ? 3 * u / thickness : 2);
                 });
  return sum;
}

double
LayerProfile::curvature(const unsigned int level, const double x) const
{
  double sum = 0;
  for_each_layer(
      level, x,
      [&](const double thickness, const double stiffness)
      { sum += stiffness * (shape == LayerShape::cubic ? 6 * (thickness - x) / thickness : 2); });
  return sum;
}

double
LayerProfile::energy(const double x) const
{
  double sum = 0;
  for (unsigned int m = 0; m < levels.size() && x < levels[m].thickness; ++m)
    sum += energy(m, x);
  return sum;
}

double
LayerProfile::curvature(const double x) const
{
  double sum = 0;
  for (unsigned int m = 0; m < levels.size() && x < levels[m].thickness; ++m)
    sum += curvature(m, x);
  return sum;
}

double
LayerProfile::stiffness_for_step(const double ratio, const double step,
                                 const double inverse_mass) const
{
  const double rate = 2 * ratio / step;
  return rate * rate / (largest_curvature() * inverse_mass);
}

double
LayerProfile::step_for_stiffness(const double ratio, const double stiffness,
                                 const double inverse_mass) const
{
  return 2 * ratio / std::sqrt(largest_curvature() * stiffness * inverse_mass);
}

double
stopped_speed(const double thickness, const double stiffness, const double inverse_mass)
{
  return thickness * std::sqrt(8 * stiffness * inverse_mass);
}
} // namespace KickDrift
