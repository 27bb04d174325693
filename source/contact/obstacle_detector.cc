#include <kickdrift/contact/obstacle_detector.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace KickDrift
{
template <int spacedim>
ObstacleDetector<spacedim>::ObstacleDetector(NodeTable<spacedim> &nodes,
                                             const Surface<spacedim> &surface,
                                             const std::vector<Obstacle<spacedim>> &obstacles,
                                             const Exclusions &exclusions)
    : nodes(nodes), surface(surface), obstacles(obstacles)
{
  const unsigned int n_bodies = surface.body_names.size();
  for (unsigned int o = 0; o < obstacles.size(); ++o)
    for (unsigned int c = 0; c < surface.contactors.size(); ++c)
      if (!exclusions.excluded(surface.contactors[c].body, n_bodies + o))
        pairs.push_back({c, o});
}

template <int spacedim>
void
ObstacleDetector<spacedim>::start(const std::vector<double> &horizons)
{
  double shortest = std::numeric_limits<double>::infinity();
  for (const double horizon : horizons)
    if (horizon > 0)
      shortest = std::min(shortest, horizon);
  short_time = std::isfinite(shortest) ? 0.01 * shortest : 1;
}

template <int spacedim>
typename ObstacleDetector<spacedim>::Vector
ObstacleDetector<spacedim>::displacement(const unsigned int obstacle, const double time) const
{
  const auto &function = obstacles[obstacle].displacement;
  return function ? function(time) : Vector();
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
Touch<spacedim>
ObstacleDetector<spacedim>::find(const DetectorQuery &query)
{
  Touch<spacedim> touch;
  const Contactor &point = contactor(query.contactor);
  const unsigned int o = pairs[query.contactor].obstacle;
  const Shape<spacedim> &shape = *obstacles[o].shape;
  for (const unsigned int node : point.node_view())
    nodes[node].drift(query.time);
  // in the frame of the obstacle
  const dealii::Point<spacedim> position = point.position(nodes) - displacement(o, query.time);
  const double distance = shape.distance(position);
  if (!(distance <= query.radius))
    return touch;
  touch.sees = true;
  touch.depth = -distance;
  touch.distance = std::abs(distance);
  touch.size = point.length;
  touch.is_lost = touch.depth > shape.depth_limit();
  touch.touches = touch.depth > 0 && touch.depth <= shape.depth_limit();
  touch.body = point.body;
  touch.target = surface.body_names.size() + o;
  touch.stencil.normal = shape.normal(position);
  touch.stencil.target_velocity = velocity(o, query.time);
  for (unsigned int i = 0; i < point.n_nodes; ++i)
    touch.stencil.add(point.nodes[i], point.weights[i]);
  return touch;
}

template <int spacedim>
double
ObstacleDetector<spacedim>::clearance(const unsigned int pair, double)
{
  // was drifted by the test that saw nothing
  const Contactor &point = contactor(pair);
  const unsigned int o = pairs[pair].obstacle;
  const double time = nodes[point.nodes[0]].time;
  return std::max(0., obstacles[o].shape->distance(point.position(nodes) - displacement(o, time)));
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
