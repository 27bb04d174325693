#ifndef KICKDRIFT_CONTACT_GEOMETRY_CLOSEST_POINT_H
#define KICKDRIFT_CONTACT_GEOMETRY_CLOSEST_POINT_H

#include <deal.II/base/point.h>
#include <deal.II/base/tensor.h>

#include <array>

namespace KickDrift
{
/// The point of a face that is closest to a given point.
template <int spacedim>
struct ClosestPoint
{
  static constexpr unsigned int max_nodes = spacedim == 2 ? 2 : 4; ///< most corners that a face has

  /// Shape function values N_B at the closest point; they sum to one [-].
  std::array<double, max_nodes> weights{};
  dealii::Point<spacedim> point;      ///< x(xi) [length]
  dealii::Tensor<1, spacedim> normal; ///< outward unit normal there; zero if degenerate
  double distance = 0;                ///< |y - x(xi)|, not squared [length]
};

/**
 * Closest point of the segment (2D), triangle or bilinear quadrilateral (3D) with corners
 * @p corners (node order as in SurfaceFace) to @p y [length].
 *
 * The global minimum of the distance, also over strongly warped quadrilaterals. Faces of any size
 * may be degenerate: a face without area is treated as the segment or point that it is, and has no
 * normal; where a quadrilateral is pinched (two corners in one place) the normal is the one at its
 * centre. A coordinate that is not a number makes the distance not a number.
 */
template <int spacedim>
ClosestPoint<spacedim> closest_point(const dealii::Point<spacedim> *corners, unsigned int n_corners,
                                     const dealii::Point<spacedim> &y);
} // namespace KickDrift

#endif
