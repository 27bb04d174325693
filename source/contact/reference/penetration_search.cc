// SPDX-License-Identifier: LGPL-2.1-or-later
#include <kickdrift/contact/flight/approaches.h>
#include <kickdrift/contact/reference/penetration_search.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace KickDrift
{
namespace
{
// sines of angles below this are rounding
constexpr double faces = 1e-9;
} // namespace

template <int spacedim>
PenetrationSearch<spacedim>::PenetrationSearch(
    const Surface<spacedim> &surface, const Facets<spacedim> &facets, Flights<spacedim> &flights,
    SurfaceFlight<spacedim> &in_flight, const ContactGeometry<spacedim> &geometry,
    const Proximity<spacedim> &proximity, const std::vector<Obstacle<spacedim>> &obstacles,
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
    all_tests.push_back({ContactKind::point_on_facet, p, 0});
  for (const unsigned int edge : features)
    all_tests.push_back({ContactKind::edge_on_edge, edge, 0});
  for (unsigned int o = 0; o < obstacles.size(); ++o)
    for (unsigned int p = 0; p < surface.contactors.size(); ++p)
      if (in_flight.may_meet_obstacle(p, o))
        all_tests.push_back({ContactKind::point_on_obstacle, p, o});
}

template <int spacedim>
std::vector<unsigned int>
PenetrationSearch<spacedim>::nodes_of(const ContactTest &test) const
{
  std::vector<unsigned int> result;
  if (test.kind == ContactKind::edge_on_edge)
  {
    for (const unsigned int corner : facets.edges()[test.number].corners)
      for (unsigned int i = 0; i < facets.corners()[corner].n_nodes; ++i)
        result.push_back(facets.nodes()[facets.corners()[corner].nodes[i]]);
    return result;
  }
  const auto own = surface.contactors[test.number].node_view();
  result.assign(own.begin(), own.end());
  return result;
}

template <int spacedim>
double
PenetrationSearch<spacedim>::length_of(const ContactTest &test) const
{
  if (test.kind != ContactKind::edge_on_edge)
    return surface.contactors[test.number].length;
  double result = std::numeric_limits<double>::infinity();
  for (const unsigned int corner : facets.edges()[test.number].corners)
    result = std::min(result, proximity.size(facets.corners()[corner].nodes[0]));
  return result;
}

template <int spacedim>
ContactPoint<spacedim>
PenetrationSearch<spacedim>::find(const ContactTest &test, const double short_time)
{
  switch (test.kind)
  {
  case ContactKind::edge_on_edge:
    return find_edge(test.number);
  case ContactKind::point_on_obstacle:
    return find_obstacle(test.number, test.target, short_time);
  default:
    return find_body(test.number);
  }
}

template <int spacedim>
typename PenetrationSearch<spacedim>::Vector
PenetrationSearch<spacedim>::normal_of_point(const unsigned int point)
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
typename PenetrationSearch<spacedim>::Place
PenetrationSearch<spacedim>::find_place(const dealii::Point<spacedim> &point,
                                        const std::vector<unsigned int> &some) const
{
  Place place{std::numeric_limits<double>::infinity(), false, {}};
  const auto position = [this](const unsigned int corner)
  { return in_flight.corner_at(corner, 0); };
  for (const unsigned int facet : some)
  {
    const auto near =
        nearest_on_facet<spacedim>(point, corners_of<spacedim>(facets, facet, position));
    place.on_facets.push_back({facet, near.weights, near.apart});
    place.distance = std::min(place.distance, near.apart.norm());
  }
  // of all facets that have this place
  std::vector<Foot<spacedim>> there;
  const NearestPlace<spacedim> *nearest = nullptr;
  for (const auto &near : place.on_facets)
    if (near.apart.norm() <= place.distance + in_flight.at_one_place())
    {
      if (!nearest || near.apart.norm() == place.distance)
        nearest = &near;
      there.push_back({near.facet, near.weights, in_flight.normal_of_facet(near.facet, 0), 0.});
    }
  place.is_inside = nearest && (place.distance <= in_flight.at_one_place() ||
                                nearest->apart * geometry.mean_normal(there, 0) < 0);
  return place;
}

template <int spacedim>
ContactPoint<spacedim>
PenetrationSearch<spacedim>::find_body(const unsigned int point)
{
  ContactPoint<spacedim> found;
  const std::vector<unsigned int> &near = proximity.candidates()[0].facets_of_point(point);
  if (near.empty())
    return found;
  const Contactor &contactor = surface.contactors[point];
  const auto own_place = in_flight.point_at(point, 0);
  const Vector own_normal = normal_of_point(point);
  std::vector<unsigned int> bodies;
  for (const unsigned int facet : near)
    bodies.push_back(facets.facets()[facet].body);
  std::sort(bodies.begin(), bodies.end());
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());

  NearestPlace<spacedim> best;
  for (const unsigned int body : bodies)
  {
    std::vector<unsigned int> of_body;
    std::copy_if(near.begin(), near.end(), std::back_inserter(of_body),
                 [&](const unsigned int facet) { return facets.facets()[facet].body == body; });
    const Place place = find_place(own_place, of_body);
    // in front of the nearest, or inside, then behind what it can have come through
    double least = contactor.length;
    const NearestPlace<spacedim> *nearest = nullptr;
    for (const auto &there : place.on_facets)
    {
      const double distance = there.apart.norm();
      const bool is_faced =
          !place.is_inside ||
          own_normal * in_flight.normal_of_facet(there.facet, 0) <= -faces * own_normal.norm();
      if (is_faced && distance < least)
      {
        least = distance;
        nearest = &there;
      }
    }
    if (!nearest || (found.touches && (!place.is_inside || least <= found.depth)) ||
        (found.sees && !place.is_inside && least >= found.distance))
      continue;
    found.sees = true;
    found.touches = place.is_inside;
    found.distance = least;
    found.depth = place.is_inside ? least : -least;
    found.target = body;
    best = *nearest;
  }
  if (!found.sees)
    return found;
  found.size = contactor.length;
  found.body = contactor.body;
  geometry.set(found.stencil, {ContactKind::point_on_facet, point, best.facet}, best.weights);
  found.stencil.normal = in_flight.normal_of_facet(best.facet, 0);
  return found;
}

template <int spacedim>
ContactPoint<spacedim>
PenetrationSearch<spacedim>::find_obstacle(const unsigned int point, const unsigned int obstacle,
                                           const double short_time)
{
  ContactPoint<spacedim> found;
  const Contactor &contactor = surface.contactors[point];
  const Shape<spacedim> &shape = *obstacles[obstacle].shape;
  const auto own = in_flight.point_at(point, 0) - in_flight.shift_of(obstacle, 0);
  const double gap = distance_to(obstacles[obstacle], dealii::Point<spacedim>(own));
  if (!(gap <= contactor.length))
    return found;
  found.sees = true;
  found.depth = -gap;
  found.distance = std::abs(gap);
  found.size = contactor.length;
  found.is_lost = found.depth > shape.depth_limit();
  found.touches = found.depth >= 0 && !found.is_lost;
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
PenetrationSearch<spacedim>::length_of_edge(const unsigned int edge) const
{
  const auto &ends = facets.edges()[edge].corners;
  return in_flight.distance(ends[0], ends[1]);
}

template <int spacedim>
ContactPoint<spacedim>
PenetrationSearch<spacedim>::find_edge(const unsigned int edge)
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
      if (!is_on || !(std::abs(gap) < std::min(least, length)) ||
          !in_flight.is_in_cone_of_edge(other, normal, 0) ||
          !in_flight.is_in_cone_of_edge(edge, -normal, 0))
        continue;
      const auto at = [&](const unsigned int e, const double share)
      {
        const auto &ends = facets.edges()[e].corners;
        const auto begin = in_flight.corner_at(ends[0], 0);
        return begin + share * (in_flight.corner_at(ends[1], 0) - begin);
      };
      const auto is_inside = [&](const dealii::Point<spacedim> &point, const unsigned int e)
      {
        const auto near = proximity.candidates()[0].facets_of_body(
            facets.edges()[e].body,
            grown(Box<spacedim>{point, point}, std::abs(gap) + in_flight.at_one_place()));
        return find_place(point, near).is_inside;
      };
      if (gap <= 0 &&
          !(is_inside(at(edge, place[0]), other) && is_inside(at(other, place[1]), edge)))
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

template class PenetrationSearch<2>;
template class PenetrationSearch<3>;
} // namespace KickDrift
