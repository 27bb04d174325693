// SPDX-License-Identifier: LGPL-2.1-or-later
#include <kickdrift/contact/flight/surface_flight.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace KickDrift
{
namespace
{
// rounding of lengths, over the size of everything and over how far away it is
constexpr double length_rounding = 1e-11;
constexpr double place_rounding = 64 * std::numeric_limits<double>::epsilon();
} // namespace

template <int spacedim>
SurfaceFlight<spacedim>::SurfaceFlight(const NodeTable<spacedim> &nodes,
                                       const Surface<spacedim> &surface,
                                       const Facets<spacedim> &facets, Flights<spacedim> &flights,
                                       const std::vector<Obstacle<spacedim>> &obstacles,
                                       const Exclusions &exclusions)
    : nodes(nodes),
      surface(surface),
      facets(facets),
      flights(flights),
      obstacles(obstacles),
      exclusions(exclusions),
      has_shells(surface.has_shells())
{
  for (const Contactor &contactor : surface.contactors)
  {
    places_of_points.emplace_back();
    for (const unsigned int node : contactor.node_view())
      places_of_points.back().push_back(facets.place_of_node(node));
  }
  if (!has_shells)
    return;
  half_thicknesses.assign(facets.nodes().size(), 0);
  for (unsigned int f = 0; f < facets.facets().size(); ++f)
    for (const unsigned int place : facets.nodes_of_facet(f))
      half_thicknesses[place] = 0.5 * surface.thickness(facets.facets()[f].body);
}

template <int spacedim>
void
SurfaceFlight<spacedim>::find_rounding()
{
  Box<spacedim> whole = empty_box<spacedim>();
  double furthest = 0;
  for (unsigned int place = 0; place < facets.nodes().size(); ++place)
  {
    extend(whole, flights.now(place));
    furthest = std::max(furthest, flights.now(place).norm());
  }
  rounding =
      std::max(length_rounding * (whole.upper - whole.lower).norm(), place_rounding * furthest);
}

template <int spacedim>
bool
SurfaceFlight<spacedim>::is_own(const unsigned int point, const unsigned int facet) const
{
  const Contactor &contactor = surface.contactors[point];
  if (contactor.face != Contactor::no_face)
    return contactor.face == facets.facets()[facet].face;
  return facets.has_node(facet, places_of_points[point][0]);
}

template <int spacedim>
bool
SurfaceFlight<spacedim>::may_meet(const unsigned int point, const unsigned int facet) const
{
  const Contactor &contactor = surface.contactors[point];
  const unsigned int body = facets.facets()[facet].body;
  const unsigned int rigid = nodes.rigid_bodies.body_of(contactor.nodes[0]);
  const auto on_facet = facets.nodes_of_facet(facet);
  const unsigned int node_of_facet = facets.nodes()[on_facet[0]];
  if (rigid != RigidBodies<spacedim>::none && rigid == nodes.rigid_bodies.body_of(node_of_facet))
    return false;
  if (exclusions.excluded(contactor.body, body) || is_own(point, facet))
    return false;
  const auto held_place = [this](const unsigned int place)
  { return nodes.restraints.holds(facets.nodes()[place]); };
  return !(
      std::all_of(places_of_points[point].begin(), places_of_points[point].end(), held_place) &&
      std::all_of(on_facet.begin(), on_facet.end(), held_place));
}

template <int spacedim>
bool
SurfaceFlight<spacedim>::edges_may_meet(const unsigned int edge, const unsigned int other) const
{
  const auto &a = facets.edges()[edge], &b = facets.edges()[other];
  for (const unsigned int corner : a.corners)
    if (corner == b.corners[0] || corner == b.corners[1])
      return false;
  if (exclusions.excluded(a.body, b.body))
    return false;
  const auto node = [this](const unsigned int corner)
  { return facets.nodes()[facets.corners()[corner].nodes[0]]; };
  const unsigned int rigid = nodes.rigid_bodies.body_of(node(a.corners[0]));
  if (rigid != RigidBodies<spacedim>::none &&
      rigid == nodes.rigid_bodies.body_of(node(b.corners[0])))
    return false;
  return !(
      nodes.restraints.holds(node(a.corners[0])) && nodes.restraints.holds(node(a.corners[1])) &&
      nodes.restraints.holds(node(b.corners[0])) && nodes.restraints.holds(node(b.corners[1])));
}

template <int spacedim>
bool
SurfaceFlight<spacedim>::may_touch_itself(const unsigned int body,
                                          const std::vector<unsigned int> &places) const
{
  if (exclusions.excluded(body, body) || places.empty())
    return false;
  const auto rigid_body = [this](const unsigned int place)
  { return nodes.rigid_bodies.body_of(facets.nodes()[place]); };
  const unsigned int first = rigid_body(places[0]);
  return first == RigidBodies<spacedim>::none ||
         !std::all_of(places.begin(), places.end(),
                      [&](const unsigned int place) { return rigid_body(place) == first; });
}

template <int spacedim>
bool
SurfaceFlight<spacedim>::may_meet_obstacle(const unsigned int point,
                                           const unsigned int obstacle) const
{
  const Contactor &contactor = surface.contactors[point];
  const auto view = contactor.node_view();
  return !exclusions.excluded(contactor.body, surface.body_names.size() + obstacle) &&
         !std::all_of(view.begin(), view.end(),
                      [this](const unsigned int node) { return nodes.restraints.holds(node); });
}

template <int spacedim>
std::vector<unsigned int>
SurfaceFlight<spacedim>::obstacles_near(const unsigned int point, const Box<spacedim> &box) const
{
  const Point middle((Vector(box.lower) + Vector(box.upper)) / 2);
  const double radius = 0.5 * (box.upper - box.lower).norm() + rounding;
  std::vector<unsigned int> result;
  for (unsigned int obstacle = 0; obstacle < obstacles.size(); ++obstacle)
    if (may_meet_obstacle(point, obstacle) &&
        (obstacles[obstacle].displacement || distance_to(obstacles[obstacle], middle) <= radius))
      result.push_back(obstacle);
  return result;
}

template <int spacedim>
typename SurfaceFlight<spacedim>::Point
SurfaceFlight<spacedim>::point_at(const unsigned int point, const double duration)
{
  const auto &places = places_of_points[point];
  if (places.size() == 1)
    return flights.at(places[0], duration);
  Vector sum;
  for (unsigned int i = 0; i < places.size(); ++i)
    sum += surface.contactors[point].weights[i] * flights.at(places[i], duration);
  return Point(sum);
}

template <int spacedim>
typename SurfaceFlight<spacedim>::Vector
SurfaceFlight<spacedim>::shift_of(const unsigned int obstacle, const double duration) const
{
  return displacement_of(obstacles[obstacle], flights.instant() + duration);
}

template <int spacedim>
double
SurfaceFlight<spacedim>::duration_of(const ContactKey &key)
{
  double duration = std::numeric_limits<double>::infinity();
  for_each_node(key, [&](const unsigned int place)
                { duration = std::min(duration, flights.duration(place)); });
  return duration;
}

template <int spacedim>
double
SurfaceFlight<spacedim>::longest_edge(const unsigned int facet, const double duration)
{
  const auto corners = corners_of<spacedim>(
      facets, facet, [&](const unsigned int corner) { return flights.at(corner, duration); });
  double result = 0;
  for (unsigned int k = 0; k < spacedim; ++k)
    result = std::max(result, (corners[(k + 1) % spacedim] - corners[k]).norm());
  return result;
}

template <int spacedim>
typename SurfaceFlight<spacedim>::Vector
SurfaceFlight<spacedim>::normal_of_facet(const unsigned int facet, const double duration)
{
  return facet_normal<spacedim>(corners_of<spacedim>(
      facets, facet, [&](const unsigned int corner) { return flights.at(corner, duration); }));
}

template <int spacedim>
Foot<spacedim>
SurfaceFlight<spacedim>::foot_of(const unsigned int point, const unsigned int facet,
                                 const double duration)
{
  return walk<spacedim>(
      facets, facet, point_at(point, duration),
      [&](const unsigned int corner) { return flights.at(corner, duration); },
      [&](const unsigned int other) { return is_own(point, other); });
}

template <int spacedim>
Foot<spacedim>
SurfaceFlight<spacedim>::foot_on(const unsigned int point, const unsigned int facet,
                                 const double duration)
{
  return foot_on_plane<spacedim>(facets, facet, point_at(point, duration),
                                 [&](const unsigned int corner)
                                 { return flights.at(corner, duration); });
}

template <int spacedim>
double
SurfaceFlight<spacedim>::behind(const unsigned int point, const Vector &normal,
                                const double duration)
{
  const auto &places = places_of_points[point];
  if (places.size() != 1)
    return 0; // it lies within a face
  double result = 0;
  const Point own = flights.at(places[0], duration);
  for (const unsigned int corner : facets.corners_beside(places[0]))
  {
    const Vector along = flights.at(corner, duration) - own;
    result = std::max(result, -(along * normal) / along.norm());
  }
  return result;
}

template <int spacedim>
bool
SurfaceFlight<spacedim>::is_in_cone_of_edge(const unsigned int edge, const Vector &normal,
                                            const double duration)
{
  if constexpr (spacedim == 3)
  {
    const auto &own = facets.edges()[edge];
    const Vector along =
        flights.at(own.corners[1], duration) - flights.at(own.corners[0], duration);
    const double length = along.norm();
    const Vector first = normal_of_facet(own.facets[0], duration);
    if (dealii::cross_product_3d(first, along) * normal > cone * length)
      return false;
    if (own.facets[1] == Facets<spacedim>::none)
      return normal * first > 0;
    const Vector second = normal_of_facet(own.facets[1], duration);
    return -(dealii::cross_product_3d(second, along) * normal) <= cone * length &&
           normal * (first + second) > 0;
  }
  (void)edge, (void)normal, (void)duration;
  return false;
}

template <int spacedim>
bool
SurfaceFlight<spacedim>::stands_out(const unsigned int edge, const double duration)
{
  if constexpr (spacedim == 3)
  {
    const auto &own = facets.edges()[edge];
    if (own.facets[1] == Facets<spacedim>::none)
      return true;
    const Vector along =
        flights.at(own.corners[1], duration) - flights.at(own.corners[0], duration);
    const double sine = dealii::cross_product_3d(normal_of_facet(own.facets[0], duration),
                                                 normal_of_facet(own.facets[1], duration)) *
                        along / along.norm();
    const unsigned int node = facets.nodes()[facets.corners()[own.corners[0]].nodes[0]];
    // what is flat on a rigid body stays so
    return sine > (nodes.is_rigid(node) ? flat_edge : -cone);
  }
  (void)edge, (void)duration;
  return false;
}

template <int spacedim>
bool
SurfaceFlight<spacedim>::find_on_edges(const ContactKey &key, const double side,
                                       const double duration, std::array<double, 2> &place,
                                       Vector &normal, Vector &apart)
{
  if constexpr (spacedim == 3)
  {
    const auto &first = facets.edges()[key.first].corners;
    const auto &second = facets.edges()[key.second].corners;
    const Point a = flights.at(first[0], duration), b = flights.at(second[0], duration);
    const Vector u = flights.at(first[1], duration) - a, v = flights.at(second[1], duration) - b;
    const auto nearest = nearest_on_lines(b - a, u, v);
    if (!nearest)
      return false;
    place = nearest->place;
    normal = side * nearest->across;
    apart = a + place[0] * u - (b + place[1] * v);
    return true;
  }
  (void)key, (void)side, (void)duration, (void)place, (void)normal, (void)apart;
  return false;
}

template <int spacedim>
typename SurfaceFlight<spacedim>::Vector
SurfaceFlight<spacedim>::difference(const ContactStencil<spacedim> &stencil, const double duration)
{
  return stencil.difference([&](const unsigned int node)
                            { return Vector(flights.at(facets.place_of_node(node), duration)); });
}

template class SurfaceFlight<2>;
template class SurfaceFlight<3>;
} // namespace KickDrift
