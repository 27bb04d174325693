#include <kickdrift/base/limits.h>
#include <kickdrift/contact/ccd/impact_time.h>
#include <kickdrift/contact/ccd/window.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace
{
using dealii::Point;
using dealii::Tensor;

using Limits::epsilon;
using Limits::never;

/// Later than any event; its fourth power is still a number.
constexpr double end_of_time = 1e70;

/// The gap between a moving sphere and a shape, and until when it is certainly positive.
template <int spacedim>
class Gap
{
public:
  Gap(const MovingSphere<spacedim> &sphere, const Shape<spacedim> &shape)
      : sphere(sphere), shape(shape)
  {
  }

  /// Go to a time.
  void
  set(const double time)
  {
    now = time;
    position = center(time);
    velocity = sphere.velocity + time * sphere.acceleration;
    growth = sphere.growth + time * sphere.growth_rate;
    gap = value(time);
  }

  bool
  is_closed() const
  {
    return !(gap > 2 * round_off(now));
  }

  /// How long the gap stays positive since nothing moves faster.
  double
  open_by_speed() const
  {
    return duration(-(velocity.norm() + growth),
                    -(sphere.acceleration.norm() + sphere.growth_rate));
  }

  /// The same for the gap's tangent plane: a lower bound if the distance is convex, an upper one if
  /// it is concave.
  double
  open_by_tangent() const
  {
    const Tensor<1, spacedim> normal = shape.normal(position);
    return duration(normal * velocity - growth, normal * sphere.acceleration - sphere.growth_rate);
  }

  /// The same from the gap after @p length, if the distance is concave; not more than @p length.
  double
  open_by_chord(const double length) const
  {
    // the gap less bend t^2/2 is concave
    const double bend = std::max(0., sphere.acceleration.norm() - sphere.growth_rate);
    const double end = value(now + length) - round_off(now + length);
    return std::min(length,
                    duration((end - gap + round_off(now)) / length - 0.5 * bend * length, bend));
  }

private:
  Point<spacedim>
  center(const double time) const
  {
    return sphere.center + time * (sphere.velocity + 0.5 * time * sphere.acceleration);
  }

  double
  value(const double time) const
  {
    return shape.distance(center(time)) - sphere.radius -
           time * (sphere.growth + 0.5 * time * sphere.growth_rate);
  }

  double
  round_off(const double time) const
  {
    return 8 * epsilon *
           (sphere.center.norm() + sphere.radius +
            time * (sphere.velocity.norm() + sphere.growth +
                    0.5 * time * (sphere.acceleration.norm() + sphere.growth_rate)));
  }

  /// How long the gap is positive if it changes at a rate that itself changes.
  double
  duration(const double rate, const double change_of_rate) const
  {
    return times_not_positive(gap - round_off(now), rate, change_of_rate).enter;
  }

  const MovingSphere<spacedim> &sphere;
  const Shape<spacedim> &shape;
  double now = 0, gap = 0, growth = 0;
  Point<spacedim> position;
  Tensor<1, spacedim> velocity;
};
} // namespace

template <int spacedim>
Impact
first_contact(const MovingSphere<spacedim> &sphere, const Shape<spacedim> &shape)
{
  constexpr unsigned int max_looks = 10000;
  const Convexity convexity = shape.convexity();
  Gap<spacedim> gap(sphere, shape);
  double time = 0, length = 0;
  for (unsigned int i = 0; i < max_looks; ++i)
  {
    gap.set(time);
    if (gap.is_closed())
      return {time, true};
    switch (convexity)
    {
    case Convexity::convex:
      time += gap.open_by_tangent();
      break;
    case Convexity::concave:
    {
      const double by_speed = gap.open_by_speed();
      if (by_speed == never)
        return {};
      // as far as the tangent says, or farther and farther
      const double by_tangent = gap.open_by_tangent();
      length = by_tangent < never ? by_tangent : 2 * std::max(by_speed, length);
      time += std::max(by_speed, gap.open_by_chord(length));
      break;
    }
    default:
      time += gap.open_by_speed();
    }
    if (!(time < end_of_time))
      return {};
  }
  return {time, false};
}

template Impact first_contact(const MovingSphere<2> &, const Shape<2> &);
template Impact first_contact(const MovingSphere<3> &, const Shape<3> &);
} // namespace KickDrift
