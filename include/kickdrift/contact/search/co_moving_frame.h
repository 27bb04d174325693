// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef KICKDRIFT_CONTACT_SEARCH_CO_MOVING_FRAME_H
#define KICKDRIFT_CONTACT_SEARCH_CO_MOVING_FRAME_H

#include <deal.II/base/array_view.h>
#include <deal.II/base/point.h>
#include <deal.II/base/tensor.h>

#include <vector>

namespace KickDrift
{
/**
 * Moves with a body that flies and turns: every place goes on with the velocity that it had at an
 * instant as part of a rigid body. So all move straight, and their map I + t [w]x never brings two
 * of them nearer to each other, since (I + t [w]x)^T (I + t [w]x) = I - t^2 [w]x^2. What stays near
 * to its place in the frame therefore keeps its distance from all that does.
 *
 * In the plane bodies turn about the third axis.
 */
template <int spacedim>
class CoMovingFrame
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;
  /// A place in space.
  using Point = dealii::Point<spacedim>;

  /// At rest.
  CoMovingFrame() = default;

  /// With the mean velocity of @p places at an instant and the spin that their moment of momentum
  /// tells, as if they had equal masses [length, length/time, time].
  CoMovingFrame(const std::vector<Point> &places, const std::vector<Vector> &velocities,
                double instant);

  /// With which a place moves [length/time].
  Vector velocity_of(const Point &place) const;

  /// Where a place has come to at @p time.
  Point
  at(const Point &place, const double time) const
  {
    return place + (time - since) * velocity_of(place);
  }

  /// The place that has come to @p point at @p time.
  Point place_of(const Point &point, double time) const;

  double since = 0;                      ///< instant at which everything is at its place [time]
  Point center;                          ///< of all places [length]
  Vector velocity;                       ///< of it [length/time]
  dealii::Tensor<1, 3> angular_velocity; ///< [1/time]
};
} // namespace KickDrift

#endif
