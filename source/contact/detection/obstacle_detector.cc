#include <kickdrift/contact/detection/obstacle_detector.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace KickDrift
{
namespace
{
// A contactor is looked at again before it can be deeper than this share of its length.
constexpr double contactor_depth_share = 0.9;
} // namespace

template <int spacedim>
ObstacleDetector<spacedim>::ObstacleDetector(const NodeTable<spacedim> &nodes,
                                             const Surface<spacedim> &surface,
                                             const std::vector<Obstacle<spacedim>> &obstacles,
                                             const Exclusions &exclusions,
                                             const MotionBounds<spacedim> &bounds,
                                             const double short_time)
    : nodes(nodes),
      surface(surface),
      obstacles(obstacles),
      bounds(bounds),
      motions(obstacles.size()),
      short_time(short_time)
{
  const unsigned int n_bodies = surface.body_names.size();
  for (unsigned int o = 0; o < obstacles.size(); ++o)
    for (unsigned int c = 0; c < surface.contactors.size(); ++c)
    {
      const Contactor &contactor = surface.contactors[c];
      // one side of a shell is enough: obstacles do not ask where it looks
      if (contactor.side != Side::back && !exclusions.excluded(contactor.body, n_bodies + o))
        pairs.push_back({c, o});
    }
}

template <int spacedim>
void
ObstacleDetector<spacedim>::enter_instant(const double time)
{
  for (unsigned int o = 0; o < obstacles.size(); ++o)
    if (obstacles[o].displacement)
      motions[o] = {obstacles[o].displacement(time), velocity(o, time)};
}

template <int spacedim>
typename ObstacleDetector<spacedim>::Vector
ObstacleDetector<spacedim>::velocity(const unsigned int obstacle, const double time) const
{
  const auto &function = obstacles[obstacle].displacement;
  if (!function)
    return Vector();
  const double before = std::max(0., time - short_time), after = time + short_time;
  return (function(after) - function(before)) / (after - before);
}

template <int spacedim>
ContactPoint<spacedim>
ObstacleDetector<spacedim>::find(const ContactTest &test)
{
  ContactPoint<spacedim> touch;
  const Contactor &point = contactor(test.contactor);
  const unsigned int o = pairs[test.contactor].obstacle;
  const Shape<spacedim> &shape = *obstacles[o].shape;
  // in the frame of the obstacle
  const dealii::Point<spacedim> position =
      point.position_at(nodes, test.time) - motions[o].displacement;
  const double offset = surface.offset(point.body, surface.body_names.size() + o);
  const double distance = shape.distance(position) - offset;
  if (!(distance <= test.radius))
    return touch;
  touch.sees = true;
  touch.depth = -distance;
  touch.distance = std::abs(distance);
  touch.size = point.length;
  touch.is_lost = touch.depth > offset + shape.depth_limit();
  touch.touches = touch.depth > 0 && !touch.is_lost;
  touch.body = point.body;
  touch.target = surface.body_names.size() + o;
  touch.stencil.normal = shape.normal(position);
  touch.stencil.target_velocity = motions[o].velocity;
  for (unsigned int i = 0; i < point.n_nodes; ++i)
    touch.stencil.add(point.nodes[i], point.weights[i]);
  return touch;
}

template <int spacedim>
bool
ObstacleDetector<spacedim>::may_see(const unsigned int pair, const Box<spacedim> &box) const
{
  const Obstacle<spacedim> &obstacle = obstacles[pairs[pair].obstacle];
  if (obstacle.displacement)
    return true;
  const dealii::Tensor<1, spacedim> half_diagonal = 0.5 * (box.upper - box.lower);
  // signed distances change by no more than one moves
  return !(obstacle.shape->distance(box.lower + half_diagonal) - half_diagonal.norm() >
           contactor(pair).length +
               surface.offset(contactor(pair).body, surface.body_names.size()));
}

template <int spacedim>
ContactFreeInterval
ObstacleDetector<spacedim>::free_interval(const unsigned int pair, const double time,
                                          const double target_speed)
{
  const Contactor &point = contactor(pair);
  const unsigned int o = pairs[pair].obstacle;
  const Shape<spacedim> &shape = *obstacles[o].shape;
  const double distance =
      std::max(0., shape.distance(point.position_at(nodes, time) - motions[o].displacement) -
                       surface.offset(point.body, surface.body_names.size() + o));
  const double depth = std::min(contactor_depth_share * point.length, 0.5 * shape.depth_limit());
  const double speed =
      bounds.velocity(point.body).norm() + bounds.deviation(point.body) + target_speed;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return speed > 0 ? ContactFreeInterval{time + distance / speed, time + (distance + depth) / speed}
                   : ContactFreeInterval{infinity, infinity};
}

template <int spacedim>
double
ObstacleDetector<spacedim>::target_speed(const double time) const
{
  double fastest = 0;
  for (unsigned int o = 0; o < obstacles.size(); ++o)
    fastest = std::max(fastest, velocity(o, time).norm());
  return fastest;
}

template class ObstacleDetector<2>;
template class ObstacleDetector<3>;
} // namespace KickDrift
