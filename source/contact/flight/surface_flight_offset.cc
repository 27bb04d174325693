// SPDX-License-Identifier: LGPL-2.1-or-later
// Things that touch at a distance: where they are nearest to each other.

#include <kickdrift/contact/flight/surface_flight.h>

#include <algorithm>
#include <limits>

namespace KickDrift
{
template <int spacedim>
double
SurfaceFlight<spacedim>::offset(const ContactKey &key) const
{
  if (!has_shells)
    return 0;
  const bool of_edges = key.kind == ContactKind::edge_on_edge;
  const unsigned int body =
      of_edges ? facets.edges()[key.first].body : surface.contactors[key.first].body;
  if (key.kind == ContactKind::point_on_obstacle)
    return surface.offset(body, surface.body_names.size() + key.second);
  const unsigned int other =
      of_edges ? facets.edges()[key.second].body : facets.facets()[key.second].body;
  if (body != other || !(surface.thickness(body) > 0))
    return surface.offset(body, other);

  const auto reference = [this](const unsigned int corner)
  {
    const auto &own = facets.corners()[corner];
    Vector sum;
    for (unsigned int i = 0; i < own.n_nodes; ++i)
      sum += Vector(nodes.reference(facets.nodes()[own.nodes[i]])) / own.n_nodes;
    return Point(sum);
  };
  if constexpr (spacedim == 3)
    if (of_edges)
    {
      const auto &first = facets.edges()[key.first].corners,
                 &second = facets.edges()[key.second].corners;
      return surface.own_offset(body,
                                nearest_on_edges({{reference(first[0]), reference(first[1])}},
                                                 {{reference(second[0]), reference(second[1])}})
                                    .apart.norm());
    }
  const Contactor &contactor = surface.contactors[key.first];
  Vector point;
  for (unsigned int i = 0; i < contactor.n_nodes; ++i)
    point += contactor.weights[i] * Vector(nodes.reference(contactor.nodes[i]));
  return surface.own_offset(
      body,
      nearest_on_facet<spacedim>(Point(point), corners_of<spacedim>(facets, key.second, reference))
          .apart.norm());
}

template <int spacedim>
NearestPlace<spacedim>
SurfaceFlight<spacedim>::nearest(const unsigned int point, const unsigned int facet,
                                 const double duration)
{
  constexpr unsigned int most_steps = 12; // in one flight, and of those that go round in circles
  constexpr double same = 1e-12;          // of distances
  const Point place = point_at(point, duration);
  const auto on_facet = [&](const unsigned int f)
  {
    const NearestOnFacet<spacedim> near = nearest_on_facet<spacedim>(
        place, corners_of<spacedim>(facets, f,
                                    [&](const unsigned int corner)
                                    { return flights.at(corner, duration); }));
    return NearestPlace<spacedim>{f, near.weights, near.apart};
  };
  /// Call f (facet) for all others that share what the place is on.
  const auto for_each_beside = [&](const NearestPlace<spacedim> &here, const auto &f)
  {
    const auto &corners = facets.facets()[here.facet].corners;
    if (*std::min_element(here.weights.begin(), here.weights.end()) > 0)
      return;
    const unsigned int largest =
        std::max_element(here.weights.begin(), here.weights.end()) - here.weights.begin();
    const auto look_at = [&](const unsigned int other)
    {
      const auto &corners_of_other = facets.facets()[other].corners;
      bool shares = other != here.facet && !is_own(point, other);
      for (unsigned int k = 0; k < spacedim && shares; ++k)
        shares = !(here.weights[k] > 0) ||
                 std::find(corners_of_other.begin(), corners_of_other.end(), corners[k]) !=
                     corners_of_other.end();
      if (shares)
        f(other);
    };
    const unsigned int face = facets.facets()[here.facet].face;
    if (corners[largest] < facets.nodes().size())
      for (const unsigned int other : facets.facets_of_node(corners[largest]))
        look_at(other);
    else // the middle of its face
      for (unsigned int other = facets.first_facet(face); other < facets.first_facet(face + 1);
           ++other)
        look_at(other);
  };
  NearestPlace<spacedim> best = on_facet(facet);
  for (unsigned int i = 0; i < most_steps; ++i)
  {
    NearestPlace<spacedim> next = best;
    for_each_beside(best,
                    [&](const unsigned int other)
                    {
                      const NearestPlace<spacedim> there = on_facet(other);
                      if (there.apart.norm() < (1 - same) * next.apart.norm())
                        next = there;
                    });
    if (next.facet == best.facet)
      break;
    best = next;
  }
  unsigned int first = best.facet;
  for_each_beside(best, [&](const unsigned int other) { first = std::min(first, other); });
  return first == best.facet ? best : on_facet(first);
}

template <int spacedim>
NearestOnEdges
SurfaceFlight<spacedim>::nearest_on(const ContactKey &key, const double duration)
{
  if constexpr (spacedim == 3)
  {
    const auto ends = [&](const unsigned int edge) -> std::array<Point, 2>
    {
      const auto &corners = facets.edges()[edge].corners;
      return {{flights.at(corners[0], duration), flights.at(corners[1], duration)}};
    };
    return nearest_on_edges(ends(key.first), ends(key.second));
  }
  (void)key, (void)duration;
  return {};
}

template <int spacedim>
bool
SurfaceFlight<spacedim>::is_nearer_beside(const unsigned int edge, const Vector &direction,
                                          const double duration)
{
  const auto &own = facets.edges()[edge];
  const Point from = flights.at(own.corners[0], duration);
  Vector along = flights.at(own.corners[1], duration) - from;
  along /= along.norm();
  for (const unsigned int facet : own.facets)
    if (facet != Facets<spacedim>::none)
      for (const unsigned int corner : facets.facets()[facet].corners)
        if (corner != own.corners[0] && corner != own.corners[1])
        {
          Vector inwards = flights.at(corner, duration) - from;
          inwards -= (inwards * along) * along;
          if (inwards * direction > cone * inwards.norm())
            return true;
        }
  return false;
}

template <int spacedim>
bool
SurfaceFlight<spacedim>::are_edges_nearest(const ContactKey &key, const NearestOnEdges &near,
                                           const double duration)
{
  if constexpr (spacedim == 3)
  {
    if (!near.is_within || !(near.apart.norm() > 0))
      return false;
    const Vector normal = near.apart / near.apart.norm();
    return !is_nearer_beside(key.first, -normal, duration) &&
           !is_nearer_beside(key.second, normal, duration);
  }
  (void)key, (void)near, (void)duration;
  return false;
}

template double SurfaceFlight<2>::offset(const ContactKey &) const;
template double SurfaceFlight<3>::offset(const ContactKey &) const;
template NearestPlace<2> SurfaceFlight<2>::nearest(unsigned int, unsigned int, double);
template NearestPlace<3> SurfaceFlight<3>::nearest(unsigned int, unsigned int, double);
template NearestOnEdges SurfaceFlight<2>::nearest_on(const ContactKey &, double);
template NearestOnEdges SurfaceFlight<3>::nearest_on(const ContactKey &, double);
template bool SurfaceFlight<2>::are_edges_nearest(const ContactKey &, const NearestOnEdges &,
                                                  double);
template bool SurfaceFlight<3>::are_edges_nearest(const ContactKey &, const NearestOnEdges &,
                                                  double);
} // namespace KickDrift
