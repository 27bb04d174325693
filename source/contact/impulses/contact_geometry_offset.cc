// SPDX-License-Identifier: LGPL-2.1-or-later
// Contacts at a distance: of shells, which are rounded.

#include <kickdrift/contact/impulses/contact_geometry.h>

#include <algorithm>

namespace KickDrift
{
template <int spacedim>
typename ContactGeometry<spacedim>::Near
ContactGeometry<spacedim>::nearest(const ContactKey &key, const double duration,
                                   const bool over_surface)
{
  if constexpr (spacedim == 3)
    if (key.kind == ContactKind::edge_on_edge)
    {
      const NearestOnEdges edges = in_flight.nearest_on(key, duration);
      return {0, {}, edges, edges.apart};
    }
  if (over_surface)
  {
    const NearestPlace<spacedim> place = in_flight.nearest(key.first, key.second, duration);
    return {place.facet, place.weights, {}, place.apart};
  }
  const auto on_facet = nearest_on_facet<spacedim>(
      in_flight.point_at(key.first, duration),
      corners_of<spacedim>(facets, key.second,
                           [&](const unsigned int corner)
                           { return in_flight.corner_at(corner, duration); }));
  return {key.second, on_facet.weights, {}, on_facet.apart};
}

template <int spacedim>
void
ContactGeometry<spacedim>::set_near(ContactStencil<spacedim> &stencil, const ContactKey &key,
                                    const Near &near) const
{
  if (key.kind == ContactKind::edge_on_edge)
    set_edges(stencil, key, near.edges.place);
  else
    set(stencil, {key.kind, key.first, near.facet}, near.weights);
}

namespace
{
/// The direction of @p apart, seen from the side of @p normal, and the distance along it; what is
/// on the other side has gone through.
template <int spacedim>
double
seen_from(const dealii::Tensor<1, spacedim> &apart, dealii::Tensor<1, spacedim> &normal)
{
  const double distance = apart.norm();
  if (!(distance > 0))
    return 0;
  const double sign = apart * normal < 0 ? -1 : 1;
  normal = sign / distance * apart;
  return sign * distance;
}
} // namespace

template <int spacedim>
bool
ContactGeometry<spacedim>::find_present_at_offset(ActiveContact<spacedim> &contact, double &gap)
{
  const Near near = nearest(contact.key, 0, true);
  double distance = seen_from<spacedim>(near.apart, contact.normal);
  bool is_there = true;
  if (distance < -contact.offset)
  {
    // it has not gone through, but past an end of the other
    distance = -distance;
    contact.normal *= -1;
    is_there = false;
  }
  if (contact.key.kind == ContactKind::edge_on_edge)
  {
    // beside edges, and where they end, points and other edges are nearer
    if constexpr (spacedim == 3)
      is_there = is_there && in_flight.are_edges_nearest(contact.key, near.edges, 0);
    contact.place = near.edges.place;
  }
  else
  {
    contact.key.second = near.facet;
    const double offset = in_flight.offset(contact.key);
    if (offset > in_flight.rounding)
      contact.offset = offset;
    else
      is_there = false; // one place of the reference configuration
  }
  gap = distance - contact.offset;
  set_near(contact.material, contact.key, near);
  contact.stencil = contact.material;
  return is_there;
}

template <int spacedim>
void
ContactGeometry<spacedim>::meet_at_offset(ActiveContact<spacedim> &contact, const double time)
{
  const Near there = nearest(contact.key, time, false), now = nearest(contact.key, 0, false);
  // the side is that of the present: there it may have gone through already
  const Vector &apart = there.apart * now.apart > 0 ? there.apart : now.apart;
  contact.normal = apart / apart.norm();
  set_near(contact.plane, contact.key, there);
  contact.plane.normal = contact.normal;
  contact.apart_at_plane = contact.offset * contact.normal;
  contact.material = contact.plane;
  // impulses act along the line between the places that are nearest now: they have no moment
  const double distance = seen_from<spacedim>(now.apart, contact.normal);
  set_near(contact.stencil, contact.key, now);
  contact.stencil.normal = contact.normal;
  // what was nearer already, without a contact, is not thrown out
  const double nearest_now = nearest(contact.key, 0, true).apart.norm();
  contact.least_gap =
      std::min(0., std::min(distance, nearest_now) - contact.offset + 10 * in_flight.rounding);
}

template <int spacedim>
void
ContactGeometry<spacedim>::measure_at_offset(ActiveContact<spacedim> &contact)
{
  const Near near = nearest(contact.key, contact.duration, true);
  double offset = contact.offset;
  if (contact.key.kind == ContactKind::point_on_facet && near.facet != contact.key.second)
    offset = std::min(offset, in_flight.offset({contact.key.kind, contact.key.first, near.facet}));
  contact.end_normal = contact.stencil.normal;
  contact.end_gap = seen_from<spacedim>(near.apart, contact.end_normal) - offset;
  // past an end of the other: if it goes through on its way, its plane holds it
  if (contact.is_new && contact.end_gap < -2 * offset)
  {
    contact.end_gap = near.apart.norm() - offset;
    contact.end_normal *= -1;
  }
  contact.is_off_end = false;
  contact.facet_beyond = Facets<spacedim>::none;
}

template bool ContactGeometry<2>::find_present_at_offset(ActiveContact<2> &, double &);
template bool ContactGeometry<3>::find_present_at_offset(ActiveContact<3> &, double &);
template void ContactGeometry<2>::meet_at_offset(ActiveContact<2> &, double);
template void ContactGeometry<3>::meet_at_offset(ActiveContact<3> &, double);
template void ContactGeometry<2>::measure_at_offset(ActiveContact<2> &);
template void ContactGeometry<3>::measure_at_offset(ActiveContact<3> &);
} // namespace KickDrift
