// Until when pairs of a kinetic hierarchy certainly do not touch: tests of volumes.

#include <kickdrift/base/limits.h>
#include <kickdrift/contact/ccd/window.h>
#include <kickdrift/contact/prediction/kinetic_hierarchy.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace KickDrift
{
namespace
{
using dealii::Point;
using dealii::Tensor;

using Limits::never;
/// What products of a position with a direction may be wrong by, as a share of its length.
constexpr double round_off = 8 * std::numeric_limits<double>::epsilon();

/// Times in which two slabs may overlap. @p acceleration : of the second relative to the first;
/// @p deviation : of all points from that.
template <typename Slab>
TimeWindow
overlap_window(const Slab &first, const Slab &second, const double acceleration,
               const double deviation)
{
  TimeWindow window =
      times_not_positive(second.lower - first.upper, second.lower_velocity - first.upper_velocity,
                         acceleration - deviation);
  window.intersect(times_not_positive(first.lower - second.upper,
                                      first.lower_velocity - second.upper_velocity,
                                      -acceleration - deviation));
  return window;
}
} // namespace

template <int spacedim>
double
KineticHierarchy<spacedim>::sphere_bound(const Pair &pair, const NodeTable<spacedim> &nodes)
{
  ++looks.back().sphere_tests;
  const MovingSphere<spacedim> first = fitted(pair.first, nodes).sphere;
  const Subtree &second = subtrees[pair.second];
  if (!second.is_obstacle())
    return first_contact(first, fitted(pair.second, nodes).sphere);
  const unsigned int obstacle = obstacle_of(second);
  return first_contact(seen_from(obstacle, first), *scope.obstacles[obstacle].shape).time;
}

template <int spacedim>
MovingSphere<spacedim>
KineticHierarchy<spacedim>::seen_from(const unsigned int obstacle,
                                      MovingSphere<spacedim> sphere) const
{
  const Motion &motion = motions[obstacle];
  sphere.center -= motion.displacement;
  sphere.velocity -= motion.velocity;
  sphere.growth += motion.growth;
  sphere.growth_rate += motion.growth_rate;
  return sphere;
}

template <int spacedim>
double
KineticHierarchy<spacedim>::box_bound(const Pair &pair) const
{
  const Subtree &first = subtrees[pair.first], &second = subtrees[pair.second];
  const auto &a = bounds[first.body], &b = bounds[second.body];
  const auto side = [](const Subtree &subtree, const unsigned int d)
  {
    return Slab{subtree.box.lower[d], subtree.box.upper[d], subtree.velocities.lower[d],
                subtree.velocities.upper[d]};
  };
  TimeWindow window;
  for (unsigned int d = 0; d < spacedim; ++d)
    window.intersect(overlap_window(side(first, d), side(second, d),
                                    b.acceleration[d] - a.acceleration[d],
                                    a.deviation + b.deviation));
  return window.is_empty() ? never : window.enter;
}

/// Parts of surfaces are thin: across them is where tilted ones are apart although boxes overlap.
template <int spacedim>
double
KineticHierarchy<spacedim>::oriented_bound(const Pair &pair, const NodeTable<spacedim> &nodes)
{
  const Subtree &first = subtrees[pair.first], &second = subtrees[pair.second];
  const auto &a = bounds[first.body], &b = bounds[second.body];
  TimeWindow window;
  for (const unsigned int subtree : {pair.first, pair.second})
  {
    const Tensor<1, spacedim> &direction = thin_direction(subtree, nodes);
    window.intersect(overlap_window(slab(first, direction, nodes), slab(second, direction, nodes),
                                    direction * (b.acceleration - a.acceleration),
                                    a.deviation + b.deviation));
    if (window.is_empty())
      return never;
  }
  return window.enter;
}

template <int spacedim>
double
KineticHierarchy<spacedim>::polytope_bound(const Pair &pair, const NodeTable<spacedim> &nodes) const
{
  const Subtree &first = subtrees[pair.first], &second = subtrees[pair.second];
  const auto &a = bounds[first.body], &b = bounds[second.body];
  TimeWindow window;
  for (unsigned int i = spacedim; i < PolytopeType::n_directions; ++i) // the others are the box's
  {
    const auto &direction = PolytopeType::directions()[i];
    window.intersect(overlap_window(slab(first, direction, nodes), slab(second, direction, nodes),
                                    direction * (b.acceleration - a.acceleration),
                                    direction.norm() * (a.deviation + b.deviation)));
  }
  return window.is_empty() ? never : window.enter;
}

/// A convex obstacle lies behind the plane that touches it where it is nearest to a point.
template <int spacedim>
double
KineticHierarchy<spacedim>::plane_bound(const Pair &pair, const NodeTable<spacedim> &nodes) const
{
  const Subtree &first = subtrees[pair.first];
  const unsigned int obstacle = obstacle_of(subtrees[pair.second]);
  const Shape<spacedim> &shape = *scope.obstacles[obstacle].shape;
  if (shape.convexity() != Convexity::convex)
    return 0;
  const Point<spacedim> center = first.sphere.center - motions[obstacle].displacement;
  const double distance = shape.distance(center);
  if (!(distance > 0))
    return 0;
  const Tensor<1, spacedim> normal = shape.normal(center);
  const Slab faces = slab(first, normal, nodes);
  const Motion &motion = motions[obstacle];
  const double rounding = round_off * (center.norm() + first.sphere.center.norm());
  return times_not_positive(distance + faces.lower - normal * first.sphere.center - rounding,
                            faces.lower_velocity - normal * motion.velocity - motion.growth,
                            normal * first.sphere.acceleration - first.sphere.growth_rate -
                                motion.growth_rate)
      .enter;
}

template <int spacedim>
typename KineticHierarchy<spacedim>::Slab
KineticHierarchy<spacedim>::slab(const Subtree &subtree, const Tensor<1, spacedim> &direction,
                                 const NodeTable<spacedim> &nodes) const
{
  Slab result;
  double largest = 0;
  for_each_node(subtree,
                [&](const unsigned int node)
                {
                  const Point<spacedim> position = nodes.position(node);
                  const double x = position * direction, v = nodes.velocity(node) * direction;
                  result.lower = std::min(result.lower, x);
                  result.upper = std::max(result.upper, x);
                  result.lower_velocity = std::min(result.lower_velocity, v);
                  result.upper_velocity = std::max(result.upper_velocity, v);
                  largest = std::max(largest, position.norm_square());
                });
  const double rounding = round_off * direction.norm() * std::sqrt(largest);
  result.lower -= rounding;
  result.upper += rounding;
  return result;
}

template class KineticHierarchy<2>;
template class KineticHierarchy<3>;
} // namespace KickDrift
