#include <kickdrift/contact/geometry/closest_point.h>

#include <deal.II/base/exceptions.h>

#include "closest_on_quadrilateral.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace KickDrift
{
namespace
{
using namespace ClosestOnFaces;

ClosestPoint<2>
closest_on_face(const Point<2> *corners, const unsigned int n_corners, const Point<2> &y)
{
  AssertDimension(n_corners, 2);
  (void)n_corners;
  const Tensor<1, 2> a = corners[0] - y, ab = corners[1] - corners[0];
  const double t = closest_on_segment(a, ab), length = ab.norm();

  ClosestPoint<2> result;
  result.weights = {{1 - t, t}};
  result.point = corners[0] + t * ab;
  result.distance = (a + t * ab).norm();
  if (length > 0)
    result.normal = Tensor<1, 2>({ab[1] / length, -ab[0] / length});
  return result;
}

/**
 * Weights of the corners at the point of a triangle's boundary that is closest to the origin;
 * the triangle has its corners at @p a, a+ab and a+ac.
 */
std::array<double, 3>
closest_on_triangle_edges(const Tensor<1, 3> &a, const Tensor<1, 3> &ab, const Tensor<1, 3> &ac)
{
  const Tensor<1, 3> b = a + ab, bc = ac - ab;
  const double t_ab = closest_on_segment(a, ab), t_ac = closest_on_segment(a, ac),
               t_bc = closest_on_segment(b, bc);
  const double d_ab = (a + t_ab * ab).norm_square(), d_ac = (a + t_ac * ac).norm_square(),
               d_bc = (b + t_bc * bc).norm_square();
  if (d_ab <= d_ac && d_ab <= d_bc)
    return {{1 - t_ab, t_ab, 0.}};
  if (d_ac <= d_bc)
    return {{1 - t_ac, 0., t_ac}};
  return {{0., 1 - t_bc, t_bc}};
}

ClosestPoint<3>
closest_on_triangle(const Point<3> *corners, const Point<3> &y)
{
  const Tensor<1, 3> a = corners[0] - y, ab = corners[1] - corners[0], ac = corners[2] - corners[0];
  const Tensor<1, 3> area = cross_product_3d(ab, ac);
  const double area_square = area.norm_square(), size_square = ab * ab + ac * ac;

  // Barycentric coordinates of the projection onto the plane, times area_square. Taken from cross
  // products, their error grows only with the inverse, not with its square, of the smallest angle.
  const double b_part = area * cross_product_3d(ac, a), c_part = area * cross_product_3d(a, ab);
  const double a_part = area_square - b_part - c_part;

  std::array<double, 3> w;
  if (a_part >= 0 && b_part >= 0 && c_part >= 0 &&
      area_square > degenerate_area * degenerate_area * size_square * size_square)
  {
    const double b = b_part / area_square, c = c_part / area_square;
    w = {{1 - b - c, b, c}};
  }
  else
    w = closest_on_triangle_edges(a, ab, ac);

  ClosestPoint<3> result;
  result.weights = {{w[0], w[1], w[2], 0.}};
  const Tensor<1, 3> from_first_corner = w[1] * ab + w[2] * ac;
  result.point = corners[0] + from_first_corner;
  result.distance = (a + from_first_corner).norm();
  result.normal = unit_normal(area, size_square);
  return result;
}

ClosestPoint<3>
closest_on_face(const Point<3> *corners, const unsigned int n_corners, const Point<3> &y)
{
  Assert(n_corners == 3 || n_corners == 4, dealii::ExcMessage("A face has 3 or 4 corners in 3D."));
  return n_corners == 3 ? closest_on_triangle(corners, y) : closest_on_quadrilateral(corners, y);
}
} // namespace

template <int spacedim>
ClosestPoint<spacedim>
closest_point(const Point<spacedim> *corners, const unsigned int n_corners,
              const Point<spacedim> &y)
{
  return closest_on_face(corners, n_corners, y);
}

template ClosestPoint<2> closest_point(const Point<2> *, unsigned int, const Point<2> &);
template ClosestPoint<3> closest_point(const Point<3> *, unsigned int, const Point<3> &);
} // namespace KickDrift
