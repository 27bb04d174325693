// SPDX-License-Identifier: LGPL-2.1-or-later
#include <kickdrift/contact/reference/touch_search.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace KickDrift
{
namespace
{
// beyond the rim of a facet, in parts of it, and behind it there, in lengths of the point: bodies
// that lie flush on each other hold
constexpr double rim = 0.1;
// of edges, in parts of the shorter one: deeper ones are on the far sides of their bodies
constexpr double deepest_edge = 0.25;
} // namespace

template <int spacedim>
TouchSearch<spacedim>::TouchSearch(const Surface<spacedim> &surface, const Facets<spacedim> &facets,
                                   Flights<spacedim> &flights, SurfaceFlight<spacedim> &in_flight,
                                   const ContactGeometry<spacedim> &geometry,
                                   const Proximity<spacedim> &proximity,
                                   const std::vector<Obstacle<spacedim>> &obstacles,
                                   const std::vector<unsigned int> &features)
    : surface(surface),
      facets(facets),
      flights(flights),
      in_flight(in_flight),
      geometry(geometry),
      proximity(proximity),
      obstacles(obstacles)
{
  for (unsigned int p = 0; p < surface.contactors.size(); ++p)
    all_things.push_back({ContactKind::point_on_facet, p, 0});
  for (const unsigned int edge : features)
    all_things.push_back({ContactKind::edge_on_edge, edge, 0});
  for (unsigned int o = 0; o < obstacles.size(); ++o)
    for (unsigned int p = 0; p < surface.contactors.size(); ++p)
      if (in_flight.may_meet_obstacle(p, o))
        all_things.push_back({ContactKind::point_on_obstacle, p, o});
}

template <int spacedim>
std::vector<unsigned int>
TouchSearch<spacedim>::nodes_of(const TestedThing &thing) const
{
  std::vector<unsigned int> result;
  if (thing.kind == ContactKind::edge_on_edge)
  {
    for (const unsigned int corner : facets.edges()[thing.number].corners)
      for (unsigned int i = 0; i < facets.corners()[corner].n_nodes; ++i)
        result.push_back(facets.nodes()[facets.corners()[corner].nodes[i]]);
    return result;
  }
  const auto own = surface.contactors[thing.number].node_view();
  result.assign(own.begin(), own.end());
  return result;
}

template <int spacedim>
double
TouchSearch<spacedim>::length_of(const TestedThing &thing) const
{
  if (thing.kind != ContactKind::edge_on_edge)
    return surface.contactors[thing.number].length;
  double result = std::numeric_limits<double>::infinity();
  for (const unsigned int corner : facets.edges()[thing.number].corners)
    result = std::min(result, proximity.size(facets.corners()[corner].nodes[0]));
  return result;
}

template <int spacedim>
ContactPoint<spacedim>
TouchSearch<spacedim>::find(const TestedThing &thing, const double short_time)
{
  switch (thing.kind)
  {
  case ContactKind::edge_on_edge:
    return find_edge(thing.number);
  case ContactKind::point_on_obstacle:
    return find_obstacle(thing.number, thing.target, short_time);
  default:
    return find_facet(thing.number);
  }
}

template <int spacedim>
typename TouchSearch<spacedim>::Vector
TouchSearch<spacedim>::normal_of_point(const unsigned int point)
{
  Vector sum;
  const Contactor &contactor = surface.contactors[point];
  if (contactor.face != Contactor::no_face)
  {
    for (unsigned int f = facets.first_facet(contactor.face);
         f < facets.first_facet(contactor.face + 1); ++f)
      sum += in_flight.normal_of_facet(f, 0);
    return sum;
  }
  for (const unsigned int facet : facets.facets_of_node(in_flight.nodes_of_point(point)[0]))
    sum += in_flight.normal_of_facet(facet, 0);
  return sum;
}

template <int spacedim>
ContactPoint<spacedim>
TouchSearch<spacedim>::find_facet(const unsigned int point)
{
  ContactPoint<spacedim> found;
  const auto &candidates = proximity.candidates()[0];
  const std::vector<unsigned int> &near = candidates.facets_of_point(point);
  if (near.empty())
    return found;
  const Contactor &contactor = surface.contactors[point];
  const Vector own_normal = normal_of_point(point);
  Foot<spacedim> best;
  double least = contactor.length;
  for (const unsigned int facet : near)
  {
    const Foot<spacedim> foot = in_flight.foot_on(point, facet, 0);
    const double smallest = *std::min_element(foot.weights.begin(), foot.weights.end());
    if (smallest < -rim || (smallest < 0 && foot.gap < -rim * contactor.length) ||
        own_normal * foot.normal > 0 || !(std::abs(foot.gap) < least))
      continue;
    least = std::abs(foot.gap);
    best = foot;
    found.sees = true;
  }
  if (!found.sees)
    return found;
  found.touches = best.gap <= 0;
  found.depth = -best.gap;
  found.distance = std::abs(best.gap);
  found.size = contactor.length;
  found.body = contactor.body;
  found.target = facets.facets()[best.facet].body;
  // also beyond the rim, so that impulses have no moment
  geometry.set(found.stencil, {ContactKind::point_on_facet, point, best.facet}, best.weights);
  found.stencil.normal = best.normal;
  return found;
}

template <int spacedim>
ContactPoint<spacedim>
TouchSearch<spacedim>::find_obstacle(const unsigned int point, const unsigned int obstacle,
                                     const double short_time)
{
  ContactPoint<spacedim> found;
  const Contactor &contactor = surface.contactors[point];
  const Shape<spacedim> &shape = *obstacles[obstacle].shape;
  const auto own = in_flight.point_at(point, 0) - in_flight.shift_of(obstacle, 0);
  const double gap = shape.distance(dealii::Point<spacedim>(own));
  if (!(gap <= contactor.length))
    return found;
  found.sees = true;
  found.depth = -gap;
  found.distance = std::abs(gap);
  found.size = contactor.length;
  found.is_lost = found.depth > shape.depth_limit();
  found.touches = found.depth > 0 && !found.is_lost;
  found.body = contactor.body;
  found.target = surface.body_names.size() + obstacle;
  found.stencil.normal = shape.normal(dealii::Point<spacedim>(own));
  const double before = std::min(short_time, flights.instant());
  found.stencil.target_velocity =
      (in_flight.shift_of(obstacle, short_time) - in_flight.shift_of(obstacle, -before)) /
      (short_time + before);
  for (unsigned int i = 0; i < contactor.n_nodes; ++i)
    found.stencil.add(contactor.nodes[i], contactor.weights[i]);
  return found;
}

template <int spacedim>
double
TouchSearch<spacedim>::length_of_edge(const unsigned int edge) const
{
  const auto &ends = facets.edges()[edge].corners;
  return in_flight.distance(ends[0], ends[1]);
}

template <int spacedim>
ContactPoint<spacedim>
TouchSearch<spacedim>::find_edge(const unsigned int edge)
{
  ContactPoint<spacedim> found;
  double least = std::numeric_limits<double>::infinity();
  for (const unsigned int other : proximity.candidates()[0].edges_of_edge(edge))
  {
    const ContactKey key{ContactKind::edge_on_edge, edge, other};
    const double length = std::min(length_of_edge(edge), length_of_edge(other));
    for (const double side : {1., -1.})
    {
      std::array<double, 2> place;
      Vector normal, apart;
      if (!in_flight.find_on_edges(key, side, 0, place, normal, apart))
        break;
      const double gap = normal * apart;
      const bool is_on = std::min(place[0], place[1]) >= 0 && std::max(place[0], place[1]) <= 1;
      if (!is_on || !(std::abs(gap) < least) || gap < -deepest_edge * length || gap > length ||
          !in_flight.is_in_cone_of_edge(other, normal, 0) ||
          !in_flight.is_in_cone_of_edge(edge, -normal, 0))
        continue;
      least = std::abs(gap);
      found.sees = true;
      found.touches = gap <= 0;
      found.depth = -gap;
      found.distance = least;
      found.size = length;
      found.body = facets.edges()[edge].body;
      found.target = facets.edges()[other].body;
      geometry.set_edges(found.stencil, key, place);
      found.stencil.normal = normal;
    }
  }
  return found;
}

template class TouchSearch<2>;
template class TouchSearch<3>;
} // namespace KickDrift
