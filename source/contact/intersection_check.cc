#include <kickdrift/base/limits.h>
#include <kickdrift/contact/ccd/impact_time.h>
#include <kickdrift/contact/intersection_check.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

namespace KickDrift
{
namespace
{
using Limits::never;

bool
have_same_velocity(const NodeState &a, const NodeState &b)
{
  return std::equal(a.velocity, a.velocity + 3, b.velocity);
}

/// Points of two primitives in straight motion, relative to one of them, so that it does not matter
/// where and how fast all of them are.
template <int spacedim>
struct FlightsOfPair
{
  std::array<MovingPoint<spacedim>, 2> first;
  std::array<MovingPoint<spacedim>, 4> second;
  unsigned int n_first = 0, n_second = 0;

  dealii::ArrayView<const MovingPoint<spacedim>>
  targets() const
  {
    return {second.data(), n_second};
  }
};

/// How long a plane with this normal that all points of the second leave, or do not reach, keeps
/// the two apart at least.
template <int spacedim>
double
separated_until(const FlightsOfPair<spacedim> &flights, const dealii::Tensor<1, spacedim> &normal)
{
  double until = never;
  for (unsigned int i = 0; i < flights.n_first && until > 0; ++i)
    for (unsigned int j = 0; j < flights.n_second; ++j)
    {
      const double gap = normal * (flights.second[j].position - flights.first[i].position),
                   rate = normal * (flights.second[j].velocity - flights.first[i].velocity);
      until = std::min(until, !(gap > 0) ? 0. : rate < 0 ? gap / -rate : never);
    }
  return until;
}

/// There is no contact before this: cheap, and late enough where two are far from each other.
template <int spacedim>
double
not_before(const FlightsOfPair<spacedim> &flights)
{
  double latest = 0;
  const auto try_normal = [&](const dealii::Tensor<1, spacedim> &normal)
  {
    latest =
        std::max({latest, separated_until(flights, normal), separated_until(flights, -normal)});
  };
  for (unsigned int d = 0; d < spacedim; ++d)
    try_normal(dealii::Point<spacedim>::unit_vector(d));
  const auto &x = flights.second;
  dealii::Tensor<1, spacedim> normal;
  if constexpr (spacedim == 2)
    normal = dealii::cross_product_2d(x[1].position - x[0].position);
  else if (flights.n_first == 2)
    normal = dealii::cross_product_3d(flights.first[1].position - flights.first[0].position,
                                      x[1].position - x[0].position);
  else
    normal = flights.n_second == 4 ? dealii::cross_product_3d(x[3].position - x[0].position,
                                                              x[2].position - x[1].position)
                                   : dealii::cross_product_3d(x[1].position - x[0].position,
                                                              x[2].position - x[0].position);
  try_normal(normal);
  constexpr double reserve = 1 - 1e-9; // rounding
  return reserve * latest;
}

template <int spacedim>
FlightsOfPair<spacedim>
flights_of(const NodeTable<spacedim> &nodes,
           const std::array<dealii::ArrayView<const unsigned int>, 2> &primitives,
           const double time)
{
  const unsigned int origin = primitives[0][0];
  FlightsOfPair<spacedim> result;
  const auto moving = [&](const unsigned int node)
  {
    MovingPoint<spacedim> point;
    point.position = dealii::Point<spacedim>(
        (nodes.reference(node) - nodes.reference(origin)) +
        (nodes.displacement_at(node, time) - nodes.displacement_at(origin, time)));
    point.velocity = nodes.velocity(node) - nodes.velocity(origin);
    return point;
  };
  for (const unsigned int node : primitives[0])
    result.first[result.n_first++] = moving(node);
  for (const unsigned int node : primitives[1])
    result.second[result.n_second++] = moving(node);
  return result;
}
} // namespace

template <int spacedim>
IntersectionCheck<spacedim>::IntersectionCheck(NodeTable<spacedim> &nodes,
                                               Stepper<spacedim> &stepper,
                                               Surface<spacedim> surface,
                                               const ContactParameters &parameters,
                                               const std::vector<Obstacle<spacedim>> &obstacles)
    : nodes(nodes),
      stepper(stepper),
      obstacles(obstacles),
      checked_surface(std::move(surface)),
      names(partner_names(checked_surface, obstacles)),
      exclusions(parameters.exclude, names, checked_surface, parameters.group_of_body),
      primitives(nodes, checked_surface, this->obstacles, exclusions)
{
  check_shapes(obstacles);
  const auto &surface_nodes = primitives.surface_nodes();
  entry_of_node.assign(nodes.size(), -1);
  for (unsigned int i = 0; i < surface_nodes.size(); ++i)
    entry_of_node[surface_nodes[i]] = i;
  const double shortest = primitives.edge_lengths().first;
  reach = std::isfinite(shortest) ? shortest : 0.;
  for (const unsigned int node : surface_nodes)
    flights.push_back(nodes[node]);
  last_look = stepper.time();
  search(last_look);
}

template <int spacedim>
void
IntersectionCheck<spacedim>::advance_to(const double time)
{
  const auto prepare = [this](const double next)
  {
    // positions until the next instant are known: the list must hold until there
    if (longest_way(next) < 0.5 * reach)
      return;
    mark_places(stepper.time());
    constexpr double reserve = 2.5; // two may come towards each other
    reach = std::max(reach, reserve * longest_way(next));
    search(stepper.time());
  };
  while (stepper.next_time() <= time)
  {
    const double next = stepper.next_time();
    prepare(next);
    find_impacts(next);
    stepper.advance_to(next);
    look(next);
  }
  prepare(time);
  find_impacts(time);
  stepper.advance_to(time);
  look(time);
}

/// List what is near at @p time.
template <int spacedim>
void
IntersectionCheck<spacedim>::search(const double time)
{
  mark_places(time);
  primitives.enter_instant(time);
  primitives.fit(time);
  std::vector<PrimitivePair> near;
  primitives.find(time, reach, 0, 1, near);
  pairs.clear();
  pairs_of_node.assign(flights.size(), {});
  for (const PrimitivePair &pair : near)
  {
    for (const auto &side : primitives.nodes_of(pair))
      for (const unsigned int node : side)
        pairs_of_node[entry_of_node[node]].push_back(pairs.size());
    pairs.push_back({pair, never, true});
    bound(pairs.back(), time);
  }
  is_changed.assign(pairs.size(), 0);
}

template <int spacedim>
void
IntersectionCheck<spacedim>::mark_places(const double time)
{
  at_search.resize(flights.size());
  for (unsigned int i = 0; i < flights.size(); ++i)
    at_search[i] = nodes.displacement_at(primitives.surface_nodes()[i], time);
  obstacles_at_search.resize(obstacles.size());
  for (unsigned int o = 0; o < obstacles.size(); ++o)
    obstacles_at_search[o] = primitives.obstacle_displacement(o, time);
}

/// Of all nodes and obstacles since the last search, if nothing is kicked until @p time.
template <int spacedim>
double
IntersectionCheck<spacedim>::longest_way(const double time) const
{
  double square = 0;
  const auto &surface_nodes = primitives.surface_nodes();
  for (unsigned int i = 0; i < surface_nodes.size(); ++i)
    square = std::max(square,
                      (nodes.displacement_at(surface_nodes[i], time) - at_search[i]).norm_square());
  double longest = std::sqrt(square);
  for (unsigned int o = 0; o < obstacles.size(); ++o)
    longest = std::max(longest,
                       (primitives.obstacle_displacement(o, time) - obstacles_at_search[o]).norm() +
                           detour(o, last_look, time));
  return longest;
}

template <int spacedim>
void
IntersectionCheck<spacedim>::look(const double time)
{
  const auto &surface_nodes = primitives.surface_nodes();
  check_obstacles(time);
  changed.clear();
  for (unsigned int i = 0; i < flights.size(); ++i)
  {
    const NodeState &state = nodes[surface_nodes[i]];
    if (have_same_velocity(state, flights[i]))
      continue;
    ++flights_ended;
    flights[i] = state;
    for (const unsigned int pair : pairs_of_node[i])
      if (!is_changed[pair])
      {
        is_changed[pair] = 1;
        changed.push_back(pair);
      }
  }
  // flights up to now were tested when they began
  for (Pair &pair : pairs)
    if (pair.impact <= time)
      note(pair, pair.impact);
  for (const unsigned int pair : changed)
  {
    is_changed[pair] = 0;
    bound(pairs[pair], time);
  }
  std::stable_sort(intersections.begin(), intersections.end(),
                   [](const Intersection &a, const Intersection &b) { return a.time < b.time; });
}

template <int spacedim>
void
IntersectionCheck<spacedim>::note(Pair &pair, const double time)
{
  intersections.push_back({pair.primitives, time});
  pair.impact = never;
}

/// Flights of a pair have begun at @p time: when it is to be looked at.
template <int spacedim>
void
IntersectionCheck<spacedim>::bound(Pair &pair, const double time)
{
  pair.impact = never;
  pair.is_exact = pair.primitives.kind == LayerPairKind::node_obstacle;
  if (!pair.is_exact)
    pair.impact = time + not_before(flights_of(nodes, primitives.nodes_of(pair.primitives), time));
}

/// Nothing is kicked until @p time: which of the pairs that may meet do so?
template <int spacedim>
void
IntersectionCheck<spacedim>::find_impacts(const double time)
{
  const double now = stepper.time();
  for (Pair &pair : pairs)
    if (!pair.is_exact && pair.impact <= time)
    {
      ++tests;
      pair.impact = now + impact_time(pair.primitives, now);
      pair.is_exact = true;
    }
}

/// How long from @p time on, if nothing is kicked.
template <int spacedim>
double
IntersectionCheck<spacedim>::impact_time(const PrimitivePair &pair, const double time) const
{
  const auto flights = flights_of(nodes, primitives.nodes_of(pair), time);
  if constexpr (spacedim == 3)
    if (pair.kind == LayerPairKind::edges)
      return first_contact_of_edges({flights.first.data(), 2}, flights.targets()).time;
  return first_contact<spacedim>(flights.first[0], flights.targets()).time;
}

/// Distance of a node from an obstacle while its present flight lasts; where it is then, seen from
/// the obstacle.
template <int spacedim>
double
IntersectionCheck<spacedim>::obstacle_distance(const PrimitivePair &pair, const double time,
                                               dealii::Point<spacedim> *const position) const
{
  const unsigned int node = primitives.surface_nodes()[pair.first];
  const NodeState &flight = flights[pair.first];
  for (unsigned int d = 0; d < spacedim; ++d)
    (*position)[d] = nodes.reference(node)[d] + flight.displacement[d] +
                     (time - flight.time) * flight.velocity[d];
  *position -= primitives.obstacle_displacement(pair.second, time);
  return obstacles[pair.second].shape->distance(*position);
}

/// How much longer than straight the way of an obstacle may be in an interval: from the bound of
/// its acceleration, or else from where it is in between.
template <int spacedim>
double
IntersectionCheck<spacedim>::detour(const unsigned int obstacle, const double from,
                                    const double to) const
{
  if (!primitives.obstacle_moves(obstacle))
    return 0;
  const double interval = to - from;
  if (const auto &acceleration = obstacles[obstacle].largest_acceleration)
    return 0.5 * *acceleration * interval * interval;
  // with a constant acceleration the detour is at most twice the deviation in the middle
  constexpr unsigned int n_samples = 4;
  constexpr double reserve = 4;
  const auto first = primitives.obstacle_displacement(obstacle, from),
             last = primitives.obstacle_displacement(obstacle, to);
  double largest = 0;
  for (unsigned int i = 1; i < n_samples; ++i)
  {
    const double s = double(i) / n_samples;
    largest = std::max(largest, (primitives.obstacle_displacement(obstacle, from + s * interval) -
                                 (1 - s) * first - s * last)
                                    .norm());
  }
  return reserve * largest;
}

/// Distances change by no more than one moves: intervals that cannot reach the surface are left
/// out, the others are halved.
template <int spacedim>
bool
IntersectionCheck<spacedim>::enters(const PrimitivePair &pair, const double from,
                                    const double to) const
{
  dealii::Point<spacedim> first, last;
  const double before = obstacle_distance(pair, from, &first),
               after = obstacle_distance(pair, to, &last);
  if (!(before > 0) || !(after > 0))
    return true;
  const double middle = 0.5 * (from + to);
  if (before + after > first.distance(last) + detour(pair.second, from, to) ||
      !(middle > from && middle < to))
    return false;
  return enters(pair, from, middle) || enters(pair, middle, to);
}

template <int spacedim>
void
IntersectionCheck<spacedim>::check_obstacles(const double time)
{
  for (unsigned int i = 0; i < flights.size(); ++i)
    for (const unsigned int p : pairs_of_node[i])
      if (pairs[p].primitives.kind == LayerPairKind::node_obstacle)
        if (last_look < time && enters(pairs[p].primitives, last_look, time))
          note(pairs[p], time);
  last_look = time;
}

template <int spacedim>
std::string
IntersectionCheck<spacedim>::text(const Intersection &intersection) const
{
  const PrimitivePair &pair = intersection.primitives;
  const auto [a, b] = primitives.partners(pair);
  const auto [first, second] = primitives.nodes_of(pair);
  std::ostringstream out;
  const auto list = [&](const dealii::ArrayView<const unsigned int> &some)
  {
    for (unsigned int i = 0; i < some.size(); ++i)
      out << (i > 0 ? ", " : "") << some[i];
  };
  if (pair.kind == LayerPairKind::edges)
  {
    out << "The edge of nodes ";
    list(first);
    out << " of '" << names[a] << "' passes through the edge of nodes ";
    list(second);
    out << " of '" << names[b] << "'";
  }
  else if (pair.kind == LayerPairKind::node_face)
  {
    out << "Node " << first[0] << " of '" << names[a] << "' passes through the face of nodes ";
    list(second);
    out << " of '" << names[b] << "'";
  }
  else
    out << "Node " << first[0] << " of '" << names[a] << "' enters obstacle '" << names[b] << "'";
  out << " at time " << intersection.time << ".";
  return out.str();
}

template class IntersectionCheck<2>;
template class IntersectionCheck<3>;
} // namespace KickDrift
