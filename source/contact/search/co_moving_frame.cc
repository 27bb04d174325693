// SPDX-License-Identifier: LGPL-2.1-or-later
#include <kickdrift/contact/search/co_moving_frame.h>
#include <kickdrift/nodes/rigid_motion.h>

#include <deal.II/base/exceptions.h>

namespace KickDrift
{
namespace
{
// Least determinant of inertia, over that of as much in all directions: what lies on a line has
// no spin about it. For cost alone, since any frame will do.
constexpr double least_inertia = 1e-9;
} // namespace

template <int spacedim>
CoMovingFrame<spacedim>::CoMovingFrame(const std::vector<Point> &places,
                                       const std::vector<Vector> &velocities, const double instant)
    : since(instant)
{
  AssertThrow(!places.empty() && places.size() == velocities.size(),
              dealii::ExcDimensionMismatch(places.size(), velocities.size()));
  const double n = places.size();
  Vector sum;
  for (unsigned int i = 0; i < places.size(); ++i)
  {
    sum += Vector(places[i]) / n;
    velocity += velocities[i] / n;
  }
  center = Point(sum);
  dealii::Tensor<2, 3> inertia;
  dealii::Tensor<1, 3> moment;
  for (unsigned int i = 0; i < places.size(); ++i)
  {
    const auto arm = in_space<spacedim>(places[i] - center);
    moment += dealii::cross_product_3d(arm, in_space<spacedim>(velocities[i] - velocity));
    for (unsigned int d = 0; d < 3; ++d)
    {
      inertia[d][d] += arm.norm_square();
      for (unsigned int e = 0; e < 3; ++e)
        inertia[d][e] -= arm[d] * arm[e];
    }
  }
  const double mean = dealii::trace(inertia) / 3;
  if (dealii::determinant(inertia) > least_inertia * mean * mean * mean)
    angular_velocity = dealii::invert(inertia) * moment;
}

template <int spacedim>
typename CoMovingFrame<spacedim>::Vector
CoMovingFrame<spacedim>::velocity_of(const Point &place) const
{
  return velocity + from_space<spacedim>(dealii::cross_product_3d(
                        angular_velocity, in_space<spacedim>(place - center)));
}

template <int spacedim>
typename CoMovingFrame<spacedim>::Point
CoMovingFrame<spacedim>::place_of(const Point &point, const double time) const
{
  // (I + [s]x) z = b has the solution z = (b - s x b + (s . b) s) / (1 + s . s)
  const double elapsed = time - since;
  const auto b = in_space<spacedim>(point - center - elapsed * velocity);
  const auto turn = elapsed * angular_velocity;
  return center + from_space<spacedim>((b - dealii::cross_product_3d(turn, b) + (turn * b) * turn) /
                                       (1 + turn.norm_square()));
}

template class CoMovingFrame<2>;
template class CoMovingFrame<3>;
} // namespace KickDrift
