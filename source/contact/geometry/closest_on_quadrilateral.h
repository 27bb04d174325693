#ifndef KICKDRIFT_CONTACT_GEOMETRY_CLOSEST_ON_QUADRILATERAL_H
#define KICKDRIFT_CONTACT_GEOMETRY_CLOSEST_ON_QUADRILATERAL_H

#include <kickdrift/contact/geometry/closest_point.h>

#include <deal.II/base/tensor.h>

namespace KickDrift
{
/// Closest points on the parts of faces, for closest_point().
namespace ClosestOnFaces
{
using dealii::Point;
using dealii::Tensor;

/// Faces whose area is smaller than this times the square of their size have no normal [-].
constexpr double degenerate_area = 1e-12;

/// Divide; zero if the divisor, a sum of squares, vanishes.
inline double
quotient(const double dividend, const double divisor)
{
  return divisor > 0 ? dividend / divisor : 0.;
}

inline double
clamped(const double value, const double lower, const double upper)
{
  return value < lower ? lower : (value > upper ? upper : value);
}

/// Parameter in [0,1] of the point of the segment from @p a along @p ab closest to the origin.
template <int spacedim>
inline double
closest_on_segment(const Tensor<1, spacedim> &a, const Tensor<1, spacedim> &ab)
{
  return clamped(quotient(-(a * ab), ab * ab), 0., 1.);
}

/// @p area divided by its length; zero if that is no more than round-off for a face of this size.
inline Tensor<1, 3>
unit_normal(const Tensor<1, 3> &area, const double size_square)
{
  const double length = area.norm();
  return length > degenerate_area * size_square ? area / length : Tensor<1, 3>();
}

/// The point of a bilinear quadrilateral that is closest to @p y.
ClosestPoint<3> closest_on_quadrilateral(const Point<3> *corners, const Point<3> &y);
} // namespace ClosestOnFaces
} // namespace KickDrift

#endif
