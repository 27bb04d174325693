#include <kickdrift/base/messages.h>
#include <kickdrift/contact/geometry/obstacles.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
using dealii::Point;
using dealii::Tensor;

template <int spacedim>
void
check_shapes(const std::vector<Obstacle<spacedim>> &obstacles)
{
  for (const auto &obstacle : obstacles)
    AssertThrow(obstacle.shape, ObstacleExceptions::ExcNoShape("Obstacle '" + obstacle.name + "'"));
}

template <int spacedim>
Tensor<1, spacedim>
displacement_of(const Obstacle<spacedim> &obstacle, const double time)
{
  if (!obstacle.displacement)
    return {};
  const Tensor<1, spacedim> displacement = obstacle.displacement(time);
  AssertThrow(std::isfinite(displacement.norm_square()),
              ObstacleExceptions::ExcDisplacement(obstacle.name, time));
  return displacement;
}

template <int spacedim>
double
distance_to(const Obstacle<spacedim> &obstacle, const Point<spacedim> &point)
{
  const double distance = obstacle.shape->distance(point);
  AssertThrow(!std::isnan(distance) || !std::isfinite(point.norm_square()),
              ObstacleExceptions::ExcDistance(obstacle.name, point_text(point)));
  return distance;
}

template <int spacedim>
std::array<double, spacedim>
Shape<spacedim>::extents() const
{
  std::array<double, spacedim> result;
  result.fill(std::numeric_limits<double>::infinity());
  return result;
}

template <int spacedim>
Tensor<1, spacedim>
Shape<spacedim>::normal(const Point<spacedim> &point) const
{
  // small beside the point's coordinates, as rounding goes with them
  double step = std::abs(distance(point));
  for (unsigned int d = 0; d < spacedim; ++d)
    step = std::max(step, std::abs(point[d]));
  step *= 1e-7;
  Tensor<1, spacedim> gradient;
  for (unsigned int d = 0; d < spacedim; ++d)
  {
    auto forward = point, backward = point;
    forward[d] += step;
    backward[d] -= step;
    gradient[d] = distance(forward) - distance(backward);
  }
  const double norm = gradient.norm();
  return norm > 0 ? gradient / norm : gradient;
}

template <int spacedim>
HalfSpace<spacedim>::HalfSpace(const Point<spacedim> &point, const Tensor<1, spacedim> &outward)
    : origin(point), outward(outward / outward.norm())
{
}

template <int spacedim>
double
HalfSpace<spacedim>::distance(const Point<spacedim> &point) const
{
  return outward * (point - origin);
}

template <int spacedim>
Tensor<1, spacedim>
HalfSpace<spacedim>::normal(const Point<spacedim> &) const
{
  return outward;
}

template <int spacedim>
Ball<spacedim>::Ball(const Point<spacedim> &centre, const double radius)
    : centre(centre), radius(radius)
{
}

template <int spacedim>
double
Ball<spacedim>::distance(const Point<spacedim> &point) const
{
  return point.distance(centre) - radius;
}

template <int spacedim>
double
Ball<spacedim>::depth_limit() const
{
  return 0.5 * radius;
}

template <int spacedim>
std::array<double, spacedim>
Ball<spacedim>::extents() const
{
  std::array<double, spacedim> result;
  result.fill(2 * radius);
  return result;
}

template <int spacedim>
Tensor<1, spacedim>
Ball<spacedim>::normal(const Point<spacedim> &point) const
{
  const double norm = point.distance(centre);
  return norm > 0 ? (point - centre) / norm : Point<spacedim>::unit_vector(0);
}

namespace
{
/// Distance to the surface of a box in its own coordinates, from how far a point is beyond each
/// side.
template <std::size_t n>
double
distance_to_box(const std::array<double, n> &beyond)
{
  double square = 0;
  double largest = beyond[0];
  for (const double b : beyond)
  {
    square += b > 0 ? b * b : 0;
    largest = std::max(largest, b);
  }
  return largest > 0 ? std::sqrt(square) : largest;
}

/// Its gradient, with respect to how far the point is beyond each side.
template <std::size_t n>
std::array<double, n>
gradient_of_distance_to_box(const std::array<double, n> &beyond)
{
  std::array<double, n> gradient{};
  const double distance = distance_to_box<n>(beyond);
  if (distance > 0)
    for (std::size_t i = 0; i < n; ++i)
      gradient[i] = std::max(0., beyond[i]) / distance;
  else
    gradient[std::max_element(beyond.begin(), beyond.end()) - beyond.begin()] = 1;
  return gradient;
}

/// A unit vector across a given one.
Tensor<1, 3>
any_normal_to(const Tensor<1, 3> &axis)
{
  unsigned int smallest = 0;
  for (unsigned int d = 1; d < 3; ++d)
    if (std::abs(axis[d]) < std::abs(axis[smallest]))
      smallest = d;
  const Tensor<1, 3> normal = cross_product_3d(axis, Point<3>::unit_vector(smallest));
  return normal / normal.norm();
}
} // namespace

Cylinder::Cylinder(const Point<3> &centre, const Tensor<1, 3> &axis, const double radius,
                   const double length)
    : centre(centre), axis(axis / axis.norm()), radius(radius), half_length(length / 2)
{
}

double
Cylinder::distance(const Point<3> &point) const
{
  // in the plane of point and axis it is a box
  const Tensor<1, 3> from_centre = point - centre;
  const double along = axis * from_centre;
  const double across = (from_centre - along * axis).norm();
  return distance_to_box<2>({{across - radius, std::abs(along) - half_length}});
}

double
Cylinder::depth_limit() const
{
  return 0.5 * std::min(radius, half_length);
}

std::array<double, 3>
Cylinder::extents() const
{
  std::array<double, 3> result = {2 * radius, 2 * radius, 2 * half_length};
  std::sort(result.begin(), result.end());
  return result;
}

Tensor<1, 3>
Cylinder::normal(const Point<3> &point) const
{
  const Tensor<1, 3> from_centre = point - centre;
  const double along = axis * from_centre;
  const Tensor<1, 3> across = from_centre - along * axis;
  const double norm = across.norm();
  const auto gradient =
      gradient_of_distance_to_box<2>({{norm - radius, std::abs(along) - half_length}});
  return gradient[0] * (norm > 0 ? across / norm : any_normal_to(axis)) +
         std::copysign(gradient[1], along) * axis;
}

template <int spacedim>
Cuboid<spacedim>::Cuboid(const Point<spacedim> &centre,
                         const std::array<double, spacedim> &half_lengths,
                         const std::array<Tensor<1, spacedim>, spacedim> &directions)
    : centre(centre), half_lengths(half_lengths), directions(directions)
{
}

template <int spacedim>
double
Cuboid<spacedim>::distance(const Point<spacedim> &point) const
{
  auto beyond = coordinates(point);
  for (unsigned int d = 0; d < spacedim; ++d)
    beyond[d] = std::abs(beyond[d]) - half_lengths[d];
  return distance_to_box(beyond);
}

template <int spacedim>
std::array<double, spacedim>
Cuboid<spacedim>::extents() const
{
  std::array<double, spacedim> result;
  for (unsigned int d = 0; d < spacedim; ++d)
    result[d] = 2 * half_lengths[d];
  std::sort(result.begin(), result.end());
  return result;
}

template <int spacedim>
Tensor<1, spacedim>
Cuboid<spacedim>::normal(const Point<spacedim> &point) const
{
  const auto x = coordinates(point);
  auto beyond = x;
  for (unsigned int d = 0; d < spacedim; ++d)
    beyond[d] = std::abs(x[d]) - half_lengths[d];
  const auto gradient = gradient_of_distance_to_box(beyond);
  Tensor<1, spacedim> normal;
  for (unsigned int d = 0; d < spacedim; ++d)
    normal += std::copysign(gradient[d], x[d]) * directions[d];
  return normal;
}

template <int spacedim>
std::array<double, spacedim>
Cuboid<spacedim>::coordinates(const Point<spacedim> &point) const
{
  std::array<double, spacedim> x;
  for (unsigned int d = 0; d < spacedim; ++d)
    x[d] = directions[d] * (point - centre);
  return x;
}

template <int spacedim>
double
Cuboid<spacedim>::depth_limit() const
{
  return 0.5 * *std::min_element(half_lengths.begin(), half_lengths.end());
}

#define INSTANTIATE(dim)                                                                           \
  template void check_shapes(const std::vector<Obstacle<dim>> &);                                  \
  template Tensor<1, dim> displacement_of(const Obstacle<dim> &, double);                          \
  template double distance_to(const Obstacle<dim> &, const Point<dim> &);                          \
  template class Shape<dim>;                                                                       \
  template class HalfSpace<dim>;                                                                   \
  template class Ball<dim>;                                                                        \
  template class Cuboid<dim>;                                                                      \
  template class Outside<dim>;
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace KickDrift
