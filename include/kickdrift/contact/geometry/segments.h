#ifndef KICKDRIFT_CONTACT_GEOMETRY_SEGMENTS_H
#define KICKDRIFT_CONTACT_GEOMETRY_SEGMENTS_H

#include <deal.II/base/point.h>

#include <array>

namespace KickDrift
{
/// A straight line between two points.
using Segment = std::array<dealii::Point<3>, 2>;

/// The points of two segments that are closest to each other.
struct ClosestPoints
{
  double s;        ///< on the first segment, 0 at its first point and 1 at its second [-]
  double t;        ///< on the second segment [-]
  double distance; ///< of the two points [length]
};

/// The point of a segment at @p s in [0,1].
inline dealii::Point<3>
point_on(const Segment &segment, const double s)
{
  return segment[0] + s * (segment[1] - segment[0]);
}

/**
 * Closest points of two segments of any length, zero included. Where parallel segments have many
 * closest points, one of them.
 */
ClosestPoints closest_points(const Segment &first, const Segment &second);
} // namespace KickDrift

#endif
