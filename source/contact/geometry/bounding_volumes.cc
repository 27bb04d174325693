#include <kickdrift/contact/geometry/bounding_volumes.h>

#include <deal.II/base/symmetric_tensor.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace KickDrift
{
namespace
{
using dealii::ArrayView;
using dealii::Point;
using dealii::Tensor;

/// By which volumes are larger than computed, relative to the largest coordinate [-].
constexpr double safety = 16 * std::numeric_limits<double>::epsilon();

template <int spacedim>
double
largest_coordinate(const ArrayView<const Point<spacedim>> points)
{
  double largest = 0;
  for (const auto &point : points)
    for (unsigned int d = 0; d < spacedim; ++d)
      largest = std::max(largest, std::abs(point[d]));
  return largest;
}

/// Smallest and largest x . direction.
template <int spacedim>
std::array<double, 2>
projection(const ArrayView<const Point<spacedim>> points, const Tensor<1, spacedim> &direction)
{
  std::array<double, 2> range = {
      {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}};
  for (const auto &point : points)
  {
    const double x = point * direction;
    range[0] = std::min(range[0], x);
    range[1] = std::max(range[1], x);
  }
  return range;
}

template <int spacedim, int k>
std::array<Tensor<1, spacedim>, k / 2>
directions_of_polytope()
{
  std::array<Tensor<1, spacedim>, k / 2> result;
  unsigned int n = 0;
  for (unsigned int d = 0; d < spacedim; ++d)
    result[n++][d] = 1;
  const auto add = [&](const double x, const double y, const double z)
  {
    result[n][0] = x;
    result[n][1] = y;
    if constexpr (spacedim == 3)
      result[n][2] = z;
    ++n;
  };
  if (spacedim == 2)
    for (const double sign : {1., -1.})
      add(1, sign, 0);
  if (k == 14 || k == 26)
    for (const double y : {1., -1.})
      for (const double z : {1., -1.})
        add(1, y, z);
  if (k == 18 || k == 26)
    for (const double sign : {1., -1.})
    {
      add(1, sign, 0);
      add(1, 0, sign);
      add(0, 1, sign);
    }
  return result;
}

/// Distance of the projections of two oriented boxes on a unit vector, negative if they overlap.
template <int spacedim>
double
separation(const OrientedBox<spacedim> &a, const OrientedBox<spacedim> &b,
           const Tensor<1, spacedim> &direction)
{
  double reach = 0;
  for (unsigned int d = 0; d < spacedim; ++d)
    reach += a.half_sizes[d] * std::abs(direction * a.axes[d]) +
             b.half_sizes[d] * std::abs(direction * b.axes[d]);
  return std::abs(direction * (b.center - a.center)) - reach;
}
} // namespace

template <int spacedim, int k>
const std::array<Tensor<1, spacedim>, Polytope<spacedim, k>::n_directions> &
Polytope<spacedim, k>::directions()
{
  static const auto result = directions_of_polytope<spacedim, k>();
  return result;
}

template <int spacedim>
Box<spacedim>
enclosing_box(const ArrayView<const Point<spacedim>> points)
{
  Box<spacedim> box{points[0], points[0]};
  for (const auto &point : points)
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      box.lower[d] = std::min(box.lower[d], point[d]);
      box.upper[d] = std::max(box.upper[d], point[d]);
    }
  return box;
}

template <int spacedim>
Sphere<spacedim>
enclosing_sphere(const ArrayView<const Point<spacedim>> points)
{
  const auto box = enclosing_box(points);
  Sphere<spacedim> sphere{box.lower + 0.5 * (box.upper - box.lower), 0.};
  for (const auto &point : points)
    sphere.radius = std::max(sphere.radius, (point - sphere.center).norm_square());
  sphere.radius = std::sqrt(sphere.radius) + safety * largest_coordinate(points);
  return sphere;
}

template <int spacedim, int k>
Polytope<spacedim, k>
enclosing_polytope(const ArrayView<const Point<spacedim>> points)
{
  Polytope<spacedim, k> polytope;
  const double margin = safety * largest_coordinate(points);
  for (unsigned int i = 0; i < polytope.n_directions; ++i)
  {
    const auto range = projection(points, polytope.directions()[i]);
    polytope.lower[i] = range[0] - margin;
    polytope.upper[i] = range[1] + margin;
  }
  return polytope;
}

template <int spacedim>
OrientedBox<spacedim>
enclosing_oriented_box(const ArrayView<const Point<spacedim>> points)
{
  Tensor<1, spacedim> mean;
  for (const auto &point : points)
    mean += (point - points[0]) / double(points.size());
  dealii::SymmetricTensor<2, spacedim> covariance;
  for (const auto &point : points)
    covariance += symmetrize(outer_product(point - points[0] - mean, point - points[0] - mean));

  OrientedBox<spacedim> box;
  // Jacobi's method keeps the vectors orthogonal also where eigenvalues coincide
  const auto pairs = eigenvectors(covariance, dealii::SymmetricTensorEigenvectorMethod::jacobi);
  const double margin = safety * largest_coordinate(points);
  box.center = points[0];
  for (unsigned int d = 0; d < spacedim; ++d)
  {
    box.axes[d] = pairs[d].second;
    double lower = 0, upper = 0;
    for (const auto &point : points)
    {
      const double x = (point - points[0]) * box.axes[d];
      lower = std::min(lower, x);
      upper = std::max(upper, x);
    }
    box.center += 0.5 * (lower + upper) * box.axes[d];
    box.half_sizes[d] = 0.5 * (upper - lower) + margin;
  }
  return box;
}

template <int spacedim>
double
distance_bound(const Sphere<spacedim> &a, const Sphere<spacedim> &b)
{
  return std::max(0., (b.center - a.center).norm() - a.radius - b.radius);
}

template <int spacedim>
double
distance_bound(const Box<spacedim> &a, const Box<spacedim> &b)
{
  double square = 0;
  for (unsigned int d = 0; d < spacedim; ++d)
  {
    const double gap = std::max({0., b.lower[d] - a.upper[d], a.lower[d] - b.upper[d]});
    square += gap * gap;
  }
  return std::sqrt(square);
}

template <int spacedim, int k>
double
distance_bound(const Polytope<spacedim, k> &a, const Polytope<spacedim, k> &b)
{
  double bound = 0;
  for (unsigned int i = 0; i < a.n_directions; ++i)
  {
    const double gap = std::max(b.lower[i] - a.upper[i], a.lower[i] - b.upper[i]);
    if (gap > 0)
      bound = std::max(bound, gap / a.directions()[i].norm());
  }
  return bound;
}

template <int spacedim>
double
distance_bound(const OrientedBox<spacedim> &a, const OrientedBox<spacedim> &b)
{
  double bound = 0;
  for (unsigned int d = 0; d < spacedim; ++d)
    bound = std::max({bound, separation(a, b, a.axes[d]), separation(a, b, b.axes[d])});
  if constexpr (spacedim == 3)
    for (const auto &x : a.axes)
      for (const auto &y : b.axes)
      {
        const Tensor<1, 3> normal = cross_product_3d(x, y);
        const double length = normal.norm();
        if (length > 1e-6) // of parallel axes nothing but round-off, and the axes themselves do
          bound = std::max(bound, separation(a, b, normal / length));
      }
  return bound;
}

template <int spacedim>
bool
overlap(const Sphere<spacedim> &a, const Sphere<spacedim> &b)
{
  const double reach = a.radius + b.radius;
  return (b.center - a.center).norm_square() <= reach * reach;
}

template <int spacedim>
bool
overlap(const Box<spacedim> &a, const Box<spacedim> &b)
{
  for (unsigned int d = 0; d < spacedim; ++d)
    if (a.lower[d] > b.upper[d] || b.lower[d] > a.upper[d])
      return false;
  return true;
}

template <int spacedim, int k>
bool
overlap(const Polytope<spacedim, k> &a, const Polytope<spacedim, k> &b)
{
  for (unsigned int i = 0; i < a.n_directions; ++i)
    if (a.lower[i] > b.upper[i] || b.lower[i] > a.upper[i])
      return false;
  return true;
}

template <int spacedim>
bool
overlap(const OrientedBox<spacedim> &a, const OrientedBox<spacedim> &b)
{
  return distance_bound(a, b) == 0;
}

template <int spacedim>
Sphere<spacedim>
swept(const Sphere<spacedim> &volume, const Tensor<1, spacedim> &by)
{
  return {volume.center + 0.5 * by, (volume.radius + 0.5 * by.norm()) * (1 + safety)};
}

template <int spacedim>
Box<spacedim>
swept(const Box<spacedim> &volume, const Tensor<1, spacedim> &by)
{
  Box<spacedim> result = volume;
  for (unsigned int d = 0; d < spacedim; ++d)
    (by[d] < 0 ? result.lower : result.upper)[d] += by[d];
  return result;
}

template <int spacedim, int k>
Polytope<spacedim, k>
swept(const Polytope<spacedim, k> &volume, const Tensor<1, spacedim> &by)
{
  Polytope<spacedim, k> result = volume;
  for (unsigned int i = 0; i < volume.n_directions; ++i)
  {
    const double along = by * volume.directions()[i];
    (along < 0 ? result.lower : result.upper)[i] += along;
  }
  return result;
}

template <int spacedim>
OrientedBox<spacedim>
swept(const OrientedBox<spacedim> &volume, const Tensor<1, spacedim> &by)
{
  OrientedBox<spacedim> result = volume;
  result.center += 0.5 * by;
  for (unsigned int d = 0; d < spacedim; ++d)
    result.half_sizes[d] =
        (volume.half_sizes[d] + 0.5 * std::abs(by * volume.axes[d])) * (1 + safety);
  return result;
}

#define INSTANTIATE(spacedim)                                                                      \
  template Sphere<spacedim> enclosing_sphere(ArrayView<const Point<spacedim>>);                    \
  template Box<spacedim> enclosing_box(ArrayView<const Point<spacedim>>);                          \
  template OrientedBox<spacedim> enclosing_oriented_box(ArrayView<const Point<spacedim>>);         \
  template double distance_bound(const Sphere<spacedim> &, const Sphere<spacedim> &);              \
  template double distance_bound(const Box<spacedim> &, const Box<spacedim> &);                    \
  template double distance_bound(const OrientedBox<spacedim> &, const OrientedBox<spacedim> &);    \
  template bool overlap(const Sphere<spacedim> &, const Sphere<spacedim> &);                       \
  template bool overlap(const Box<spacedim> &, const Box<spacedim> &);                             \
  template bool overlap(const OrientedBox<spacedim> &, const OrientedBox<spacedim> &);             \
  template Sphere<spacedim> swept(const Sphere<spacedim> &, const Tensor<1, spacedim> &);          \
  template Box<spacedim> swept(const Box<spacedim> &, const Tensor<1, spacedim> &);                \
  template OrientedBox<spacedim> swept(const OrientedBox<spacedim> &, const Tensor<1, spacedim> &);
#define INSTANTIATE_POLYTOPE(spacedim, k)                                                          \
  template struct Polytope<spacedim, k>;                                                           \
  template Polytope<spacedim, k> enclosing_polytope(ArrayView<const Point<spacedim>>);             \
  template double distance_bound(const Polytope<spacedim, k> &, const Polytope<spacedim, k> &);    \
  template bool overlap(const Polytope<spacedim, k> &, const Polytope<spacedim, k> &);             \
  template Polytope<spacedim, k> swept(const Polytope<spacedim, k> &, const Tensor<1, spacedim> &);
INSTANTIATE(2)
INSTANTIATE(3)
INSTANTIATE_POLYTOPE(2, 8)
INSTANTIATE_POLYTOPE(3, 6)
INSTANTIATE_POLYTOPE(3, 14)
INSTANTIATE_POLYTOPE(3, 18)
INSTANTIATE_POLYTOPE(3, 26)
#undef INSTANTIATE
#undef INSTANTIATE_POLYTOPE
} // namespace KickDrift
