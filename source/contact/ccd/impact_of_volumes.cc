#include "polynomial.h"

#include <kickdrift/base/limits.h>
#include <kickdrift/contact/ccd/impact_time.h>
#include <kickdrift/contact/ccd/window.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace
{
using dealii::Tensor;

using Limits::epsilon;
using Limits::never;

/// |d(t)|^2 - r(t)^2 of two spheres as a polynomial of the time from @p start on.
template <int spacedim>
Polynomial<4>::Coefficients
excess_of_distance(const MovingSphere<spacedim> &first, const MovingSphere<spacedim> &second,
                   const double start)
{
  const Tensor<1, spacedim> a = second.acceleration - first.acceleration;
  const Tensor<1, spacedim> v = second.velocity - first.velocity + start * a;
  const Tensor<1, spacedim> d = second.center - first.center + start * (v - 0.5 * start * a);
  const double b = first.growth_rate + second.growth_rate;
  const double g = first.growth + second.growth + start * b;
  const double r = first.radius + second.radius + start * (g - 0.5 * start * b);
  const double distance = d.norm();
  return {{(distance - r) * (distance + r), 2 * (d * v - r * g), v * v + d * a - g * g - r * b,
           v * a - g * b, 0.25 * (a * a - b * b)}};
}

/// Error of the above at its start [length^2].
template <int spacedim>
double
round_off_of_excess(const MovingSphere<spacedim> &first, const MovingSphere<spacedim> &second,
                    const double start)
{
  const double radius = first.radius + second.radius +
                        start * (first.growth + second.growth +
                                 0.5 * start * (first.growth_rate + second.growth_rate));
  const double way = (second.center - first.center).norm() +
                     start * ((second.velocity - first.velocity).norm() +
                              start * (second.acceleration - first.acceleration).norm());
  const double error = 4 * epsilon * (radius + way);
  return error * (2 * radius + error);
}
} // namespace

template <int spacedim>
double
first_contact(const MovingSphere<spacedim> &first, const MovingSphere<spacedim> &second,
              const double horizon)
{
  double time = 0, step = 0;
  // the polynomial around the root found is more precise than that from the start
  for (unsigned int i = 0; i < 4; ++i)
  {
    const auto c = excess_of_distance(first, second, time);
    if (!(c[0] > 0)) // back to where they were apart
      return time -
             std::min(step,
                      Polynomial<4>(Polynomial<4>::Coefficients{{-c[0], c[1], -c[2], c[3], -c[4]}})
                          .first_not_positive(step));
    if (i > 0 && c[0] <= round_off_of_excess(first, second, time))
      break;
    step = Polynomial<4>(c).first_not_positive(horizon - time);
    time += step;
    if (!(step > 4 * epsilon * time) || time == never)
      break;
  }
  return time;
}

template <int spacedim>
double
first_contact(const Box<spacedim> &first, const Tensor<1, spacedim> &first_velocity,
              const Box<spacedim> &second, const Tensor<1, spacedim> &second_velocity,
              const double horizon)
{
  TimeWindow window{0., horizon};
  for (unsigned int d = 0; d < spacedim; ++d)
  {
    const double v = second_velocity[d] - first_velocity[d];
    window.intersect(times_not_positive(second.lower[d] - first.upper[d], v, 0));
    window.intersect(times_not_positive(first.lower[d] - second.upper[d], -v, 0));
  }
  return window.is_empty() ? never : window.enter;
}

template double first_contact(const MovingSphere<2> &, const MovingSphere<2> &, double);
template double first_contact(const MovingSphere<3> &, const MovingSphere<3> &, double);
template double first_contact(const Box<2> &, const Tensor<1, 2> &, const Box<2> &,
                              const Tensor<1, 2> &, double);
template double first_contact(const Box<3> &, const Tensor<1, 3> &, const Box<3> &,
                              const Tensor<1, 3> &, double);
} // namespace KickDrift
