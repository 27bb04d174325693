// SPDX-License-Identifier: LGPL-2.1-or-later
// Where the impulses of contacts act: at which nodes, with which weights.

#include <kickdrift/contact/impulses/contact_geometry.h>

#include <algorithm>
#include <vector>

namespace KickDrift
{
template <int spacedim>
void
ContactGeometry<spacedim>::find_apexes()
{
  std::vector<std::vector<unsigned int>> places(nodes.rigid_bodies.size());
  for (unsigned int place = 0; place < facets.nodes().size(); ++place)
    if (nodes.is_rigid(facets.nodes()[place]))
      places[nodes.rigid_bodies.body_of(facets.nodes()[place])].push_back(place);
  const auto reference = [this](const unsigned int corner)
  {
    const auto &own = facets.corners()[corner];
    Vector sum;
    for (unsigned int i = 0; i < own.n_nodes; ++i)
      sum += nodes.reference(facets.nodes()[own.nodes[i]]) / own.n_nodes;
    return Point(sum);
  };
  apexes.assign(facets.facets().size(), Facets<spacedim>::none);
  for (unsigned int f = 0; f < apexes.size(); ++f)
  {
    const unsigned int body =
        nodes.rigid_bodies.body_of(facets.nodes()[facets.nodes_of_facet(f)[0]]);
    if (body == RigidBodies<spacedim>::none)
      continue;
    const auto corners = corners_of<spacedim>(facets, f, reference);
    const auto normal = facet_normal<spacedim>(corners);
    double deepest = 0;
    for (const unsigned int place : places[body])
      if (const double height = normal * (reference(place) - corners[0]); height < deepest)
      {
        deepest = height;
        apexes[f] = place;
      }
  }
}

template <int spacedim>
bool
ContactGeometry<spacedim>::is_rigid(const unsigned int facet) const
{
  return !apexes.empty() && apexes[facet] != Facets<spacedim>::none;
}

template <int spacedim>
void
ContactGeometry<spacedim>::add_place(ContactStencil<spacedim> &stencil, const Point &place,
                                     const unsigned int facet, const double weight)
{
  // nodes alone, so that a stencil has room for them
  auto corners = facets.facets()[facet].corners;
  for (unsigned int &corner : corners)
    if (facets.corners()[corner].n_nodes > 1)
      for (const unsigned int other : facets.nodes_of_facet(facet))
        if (std::find(corners.begin(), corners.end(), other) == corners.end())
        {
          corner = other;
          break;
        }
  std::array<Point, spacedim> places;
  for (unsigned int k = 0; k < spacedim; ++k)
    places[k] = in_flight.corner_at(corners[k], 0);
  const Point apex = in_flight.corner_at(apexes[facet], 0);
  const auto weights = facet_weights<spacedim>(place, places),
             weights_of_apex = facet_weights<spacedim>(apex, places);
  const Vector normal = facet_normal<spacedim>(places);
  const double share = (normal * (place - places[0])) / (normal * (apex - places[0]));
  for (unsigned int k = 0; k < spacedim; ++k)
    add_corner(stencil, corners[k], weight * (weights[k] - share * weights_of_apex[k]));
  add_corner(stencil, apexes[facet], weight * share);
}

template <int spacedim>
bool
ContactGeometry<spacedim>::set_to_point(ContactStencil<spacedim> &stencil, const ContactKey &key)
{
  if (!is_rigid(key.second))
    return false;
  stencil.n_nodes = 0;
  add_point(stencil, key.first);
  add_place(stencil, in_flight.point_at(key.first, 0), key.second, -1);
  return true;
}

template <int spacedim>
bool
ContactGeometry<spacedim>::set_to_edge(ContactStencil<spacedim> &stencil, const ContactKey &key,
                                       const std::array<double, 2> &place)
{
  for (const unsigned int e : {0, 1})
  {
    const auto &corners = facets.edges()[e == 0 ? key.first : key.second].corners;
    const unsigned int facet = facets.edges()[e == 0 ? key.second : key.first].facets[0];
    if (!is_rigid(facet))
      continue;
    stencil.n_nodes = 0;
    const double sign = e == 0 ? 1 : -1;
    add_corner(stencil, corners[0], sign * (1 - place[e]));
    add_corner(stencil, corners[1], sign * place[e]);
    const Point first = in_flight.corner_at(corners[0], 0);
    add_place(stencil, first + place[e] * (in_flight.corner_at(corners[1], 0) - first), facet,
              -sign);
    return true;
  }
  return false;
}

template <int spacedim>
void
ContactGeometry<spacedim>::add_corner(ContactStencil<spacedim> &stencil, const unsigned int corner,
                                      const double weight) const
{
  const auto &own = facets.corners()[corner];
  for (unsigned int i = 0; i < own.n_nodes; ++i)
  {
    const unsigned int node = facets.nodes()[own.nodes[i]];
    unsigned int place = 0;
    while (place < stencil.n_nodes && stencil.nodes[place] != node)
      ++place;
    if (place < stencil.n_nodes)
      stencil.coefficients[place] += weight / own.n_nodes;
    else
      stencil.add(node, weight / own.n_nodes);
  }
}

template <int spacedim>
void
ContactGeometry<spacedim>::add_point(ContactStencil<spacedim> &stencil,
                                     const unsigned int point) const
{
  const Contactor &contactor = surface.contactors[point];
  for (unsigned int i = 0; i < contactor.n_nodes; ++i)
    stencil.add(contactor.nodes[i], contactor.weights[i]);
}

template <int spacedim>
void
ContactGeometry<spacedim>::set(ContactStencil<spacedim> &stencil, const ContactKey &key,
                               const std::array<double, spacedim> &weights) const
{
  stencil.n_nodes = 0;
  add_point(stencil, key.first);
  for (unsigned int k = 0; k < spacedim; ++k)
    add_corner(stencil, facets.facets()[key.second].corners[k], -weights[k]);
}

template <int spacedim>
void
ContactGeometry<spacedim>::set_edges(ContactStencil<spacedim> &stencil, const ContactKey &key,
                                     const std::array<double, 2> &place) const
{
  stencil.n_nodes = 0;
  double sign = 1;
  for (const unsigned int e : {0, 1})
  {
    const auto &corners = facets.edges()[e == 0 ? key.first : key.second].corners;
    add_corner(stencil, corners[0], sign * (1 - place[e]));
    add_corner(stencil, corners[1], sign * place[e]);
    sign = -1;
  }
}

template void ContactGeometry<2>::find_apexes();
template bool ContactGeometry<2>::set_to_point(ContactStencil<2> &, const ContactKey &);
template bool ContactGeometry<2>::set_to_edge(ContactStencil<2> &, const ContactKey &,
                                              const std::array<double, 2> &);
template void ContactGeometry<2>::add_point(ContactStencil<2> &, unsigned int) const;
template void ContactGeometry<2>::set(ContactStencil<2> &, const ContactKey &,
                                      const std::array<double, 2> &) const;
template void ContactGeometry<2>::set_edges(ContactStencil<2> &, const ContactKey &,
                                            const std::array<double, 2> &) const;
template void ContactGeometry<3>::find_apexes();
template bool ContactGeometry<3>::set_to_point(ContactStencil<3> &, const ContactKey &);
template bool ContactGeometry<3>::set_to_edge(ContactStencil<3> &, const ContactKey &,
                                              const std::array<double, 2> &);
template void ContactGeometry<3>::add_point(ContactStencil<3> &, unsigned int) const;
template void ContactGeometry<3>::set(ContactStencil<3> &, const ContactKey &,
                                      const std::array<double, 3> &) const;
template void ContactGeometry<3>::set_edges(ContactStencil<3> &, const ContactKey &,
                                            const std::array<double, 2> &) const;
} // namespace KickDrift
