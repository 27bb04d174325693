// Shapes for tests of detection ahead of time, with closed forms of when straight flight is in
// them.

#ifndef KICKDRIFT_TESTS_UNIT_CONTACT_PREDICTION_KINETIC_SHAPES_H
#define KICKDRIFT_TESTS_UNIT_CONTACT_PREDICTION_KINETIC_SHAPES_H

#include "kinetic_scene.h"

#include <kickdrift/contact/geometry/obstacles.h>

#include <functional>
#include <memory>
#include <utility>

namespace KickDriftTests
{
/// From when to when; nothing if the first is later.
using TimeWindow = std::pair<double, double>;

/// A shape, and when a point in straight flight is in it, at times from zero on.
template <int dim>
struct WindowedShape
{
  static constexpr int dimension = dim;

  std::shared_ptr<const Shape<dim>> shape;
  std::function<TimeWindow(Point<dim>, Tensor<1, dim>)> window;
  Point<dim> middle; ///< a point of it
};

/// A shape that does not say whether it is convex.
template <int dim>
class UnknownShape : public Shape<dim>
{
public:
  explicit UnknownShape(std::shared_ptr<const Shape<dim>> shape) : shape(std::move(shape)) {}

  double
  distance(const Point<dim> &point) const override
  {
    return shape->distance(point);
  }

private:
  const std::shared_ptr<const Shape<dim>> shape;
};

inline TimeWindow
intersection(const TimeWindow &a, const TimeWindow &b)
{
  return {std::max(a.first, b.first), std::min(a.second, b.second)};
}

/// When x + v t <= limit.
inline TimeWindow
window_below(const double x, const double v, const double limit)
{
  if (v == 0)
    return x <= limit ? TimeWindow{0., never} : TimeWindow{never, 0.};
  const double t = (limit - x) / v;
  return v < 0 ? TimeWindow{std::max(0., t), never} : TimeWindow{0., t < 0 ? -1. : t};
}

/// When |x + v t| <= limit.
inline TimeWindow
window_between(const double x, const double v, const double limit)
{
  return intersection(window_below(x, v, limit), window_below(-x, -v, limit));
}

/// When |x + v t| <= radius for vectors.
template <int dim>
TimeWindow
window_in_ball(const Tensor<1, dim> &x, const Tensor<1, dim> &v, const double radius)
{
  const double a = v * v, b = x * v, c = x * x - radius * radius, discriminant = b * b - a * c;
  if (discriminant < 0)
    return {never, 0.};
  const double q = -(b + std::copysign(std::sqrt(discriminant), b));
  const double first = std::min(q / a, c / q), second = std::max(q / a, c / q);
  return second < 0 ? TimeWindow{never, 0.} : TimeWindow{std::max(0., first), second};
}

/// Half space, ball and box, in 3D cylinders; all oblique.
template <int dim>
std::vector<WindowedShape<dim>>
windowed_shapes()
{
  std::vector<WindowedShape<dim>> result;
  Point<dim> centre;
  centre[0] = 0.3;
  Tensor<1, dim> slanted;
  std::array<double, dim> half_lengths;
  std::array<Tensor<1, dim>, dim> directions;
  for (unsigned int d = 0; d < dim; ++d)
  {
    slanted[d] = 1. + d;
    half_lengths[d] = 0.8 + 0.3 * d;
    directions[d][d] = 1;
  }
  slanted /= slanted.norm();
  directions[0][0] = directions[1][1] = std::cos(0.4);
  directions[0][1] = std::sin(0.4);
  directions[1][0] = -directions[0][1];

  result.push_back({std::make_shared<HalfSpace<dim>>(centre, slanted),
                    [=](const Point<dim> &x, const Tensor<1, dim> &v)
                    { return window_below(slanted * (x - centre), slanted * v, 0); },
                    centre - slanted});
  result.push_back({std::make_shared<Ball<dim>>(centre, 1.3),
                    [=](const Point<dim> &x, const Tensor<1, dim> &v)
                    { return window_in_ball<dim>(x - centre, v, 1.3); },
                    centre});
  result.push_back({std::make_shared<Cuboid<dim>>(centre, half_lengths, directions),
                    [=](const Point<dim> &x, const Tensor<1, dim> &v)
                    {
                      TimeWindow window{0., never};
                      for (unsigned int d = 0; d < dim; ++d)
                        window = intersection(window,
                                              window_between(directions[d] * (x - centre),
                                                             directions[d] * v, half_lengths[d]));
                      return window;
                    },
                    centre});
  if constexpr (dim == 3)
    for (const double length : {2.4, never})
      result.push_back({std::make_shared<Cylinder>(centre, slanted, 0.9, length),
                        [=](const Point<3> &x, const Tensor<1, 3> &v)
                        {
                          const Tensor<1, 3> r = x - centre;
                          return intersection(window_in_ball<3>(r - (slanted * r) * slanted,
                                                                v - (slanted * v) * slanted, 0.9),
                                              window_between(slanted * r, slanted * v, length / 2));
                        },
                        centre});
  return result;
}
} // namespace KickDriftTests

#endif
