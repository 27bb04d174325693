// SPDX-License-Identifier: LGPL-2.1-or-later
// Points that cross facets and obstacles.

#include <kickdrift/contact/ccd/impact_time.h>
#include <kickdrift/contact/geometry/bounding_volumes.h>
#include <kickdrift/contact/impulses/crossing_search.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace
{
// how often a contact that still crosses gets a new plane
constexpr unsigned int most_planes = 30;
} // namespace

template <int spacedim>
void
CrossingSearch<spacedim>::add(const ContactKey &key, const double time, const double duration,
                              const ActiveContact<spacedim> &like)
{
  Meeting meeting{time, duration, like};
  meeting.contact.key = key;
  meeting.contact.is_new = true;
  meeting.contact.duration = duration;
  if (key.kind == ContactKind::edge_on_edge)
  {
    meeting.contact.body = facets.edges()[key.first].body;
    meeting.contact.target = facets.edges()[key.second].body;
  }
  else
  {
    meeting.contact.body = surface.contactors[key.first].body;
    meeting.contact.target = key.kind == ContactKind::point_on_facet
                                 ? facets.facets()[key.second].body
                                 : surface.body_names.size() + key.second;
  }
  meetings.push_back(meeting);
}

template <int spacedim>
void
CrossingSearch<spacedim>::cross_again(ActiveContact<spacedim> &contact, const double time)
{
  if (contact.is_leaving)
  {
    contact.is_leaving = false;
    contact.overlap = 0;
    contact.is_new = true;
    contact.by_plane = true;
    contact.least = 0;
    geometry.meet(contact, time);
    contact.is_prepared = false;
    any = true;
    return;
  }
  if (!contact.is_new || contact.is_frozen)
    return;
  // its end looks free, but it goes through on the way
  ActiveContact<spacedim> met = contact;
  geometry.meet(met, time);
  met.by_plane = true;
  geometry.measure(met);
  const double walked = contact.by_plane ? -1 : geometry.walked_gap(contact);
  if (!(met.end_gap < -in_flight.rounding) ||
      !((contact.by_plane && contact.n_planes < most_planes) || walked > in_flight.rounding))
    return;
  ++contact.n_planes;
  contact.by_plane = true;
  contact.is_impact = false; // its gap counts, too
  if (time > 0)
  {
    contact.plane = met.plane;
    contact.apart_at_plane = met.apart_at_plane;
  }
  any = true;
}

template <int spacedim>
void
CrossingSearch<spacedim>::look_at_facet(const unsigned int point, const unsigned int facet,
                                        const PointFlight &flight,
                                        ActiveContacts<spacedim> &contacts)
{
  const ContactKey key{ContactKind::point_on_facet, point, facet};
  if (!in_flight.inside.empty() && in_flight.inside.count({point, facets.facets()[facet].body}) > 0)
    return;
  ++n_tests;
  if (!overlap(flight.box, swept_by_facet(facet)))
    return;
  const double duration = std::min(flight.duration, duration_of(facets.facets()[facet].corners));
  if (!std::isfinite(duration))
    return;
  const auto &places = in_flight.nodes_of_point(point);
  const StraightFlight<spacedim> own =
      places.size() == 1 ? flight_of(places[0]).until(duration)
                         : StraightFlight<spacedim>{in_flight.point_at(point, 0),
                                                    in_flight.point_at(point, duration)};
  std::array<StraightFlight<spacedim>, spacedim> corners_of_facet;
  for (unsigned int k = 0; k < spacedim; ++k)
    corners_of_facet[k] = flight_of(facets.facets()[facet].corners[k]).until(duration);
  if (in_flight.largest_offset(surface.contactors[point].body, facets.facets()[facet].body) > 0)
  {
    look_at_facet_at_offset(point, facet, own, corners_of_facet, duration, contacts);
    return;
  }
  const auto crossing = first_crossing<spacedim>(own, corners_of_facet, in_flight.rounding);
  if (!crossing)
    return;
  const double time = crossing->time * duration;
  if (ActiveContact<spacedim> *const contact = contacts.find(key))
  {
    cross_again(*contact, time);
    return;
  }
  const unsigned int met = facet_at_seam(point, facet, *crossing, duration);
  if (met == Facets<spacedim>::none)
    return;
  const ContactKey there{ContactKind::point_on_facet, point, met};
  if (!contacts.find(there))
    add(there, time, duration, {});
}

/// The others that a facet has a convex edge or corner in common with, where it is crossed; concave
/// ones are found in the next round.
template <int spacedim>
std::vector<unsigned int>
CrossingSearch<spacedim>::facets_beyond(const unsigned int facet,
                                        const FacetCrossing<spacedim> &crossing,
                                        const double duration)
{
  const auto at_end = [&](const unsigned int corner) { return flights.at(corner, duration); };
  const auto &own = facets.facets()[facet];
  const auto corners = corners_of<spacedim>(facets, facet, at_end);
  const Vector normal = facet_normal<spacedim>(corners);
  const double longest = in_flight.longest_edge(facet, duration);
  std::vector<unsigned int> result;
  for (unsigned int k = 0; k < spacedim; ++k)
  {
    const double weight = crossing.weights[spacedim == 2 ? 1 - k : (k + 2) % spacedim];
    const unsigned int beyond = own.neighbours[k];
    if (weight * longest > in_flight.at_one_place() || beyond == Facets<spacedim>::none)
      continue;
    const double sine =
        bend<spacedim>(corners, k, normal, in_flight.normal_of_facet(beyond, duration));
    if (sine >= (spacedim == 2 ? 0 : flat_edge))
      result.push_back(beyond);
  }
  if constexpr (spacedim == 3)
    for (unsigned int k = 0; k < 3; ++k)
    {
      const auto &corner = facets.corners()[own.corners[k]];
      if ((1 - crossing.weights[k]) * longest > in_flight.at_one_place() || corner.n_nodes > 1)
        continue;
      for (const unsigned int other : facets.facets_of_node(corner.nodes[0]))
      {
        double highest = 0, lowest = 0; // over the plane of the facet, sines
        for (const auto &place : corners_of<3>(facets, other, at_end))
          if (const Vector away = place - corners[k]; away.norm() > 0)
          {
            highest = std::max(highest, away * normal / away.norm());
            lowest = std::min(lowest, away * normal / away.norm());
          }
        if (highest <= flat_edge && lowest < -flat_edge &&
            std::find(result.begin(), result.end(), other) == result.end())
          result.push_back(other);
      }
    }
  return result;
}

template <int spacedim>
unsigned int
CrossingSearch<spacedim>::facet_at_seam(const unsigned int point, const unsigned int facet,
                                        const FacetCrossing<spacedim> &crossing,
                                        const double duration)
{
  const auto at_end = [&](const unsigned int corner) { return flights.at(corner, duration); };
  const auto end = in_flight.point_at(point, duration);
  const auto own = foot_on_plane<spacedim>(facets, facet, end, at_end);
  const double in_front = -in_flight.rounding, time = crossing.time * duration;
  const double behind = in_flight.behind(point, crossing.normal, time);
  // on which of them can its own surface be pressed?
  const auto obstruction = [](const double sine)
  {
    return sine <= SurfaceFlight<spacedim>::aligned ? 0
           : sine <= SurfaceFlight<spacedim>::cone  ? 1
                                                    : 2;
  };
  unsigned int met = facet;
  int least = obstruction(behind);
  double highest = own.gap;
  for (const unsigned int beyond : facets_beyond(facet, crossing, duration))
  {
    const auto other = foot_on_plane<spacedim>(facets, beyond, end, at_end);
    // a point does not pass in front of a facet that its own surface is behind of
    const double behind_other =
        in_flight.behind(point, in_flight.normal_of_facet(beyond, time), time);
    const bool passes = other.gap >= in_front && behind_other <= in_flight.cone;
    const auto &neighbours = facets.facets()[facet].neighbours;
    if (std::find(neighbours.begin(), neighbours.end(), beyond) == neighbours.end())
    {
      // at a corner: if it slides along the other one, past the one that it seems to cross
      if (passes && other.gap <= in_flight.at_one_place() && own.gap < -in_flight.at_one_place())
        return Facets<spacedim>::none;
      continue;
    }
    if (passes || (own.gap >= in_front && behind <= in_flight.cone))
      return Facets<spacedim>::none;
    if (in_flight.is_own(point, beyond) || !in_flight.may_meet(point, beyond))
      continue;
    const int of_other = obstruction(behind_other);
    if (of_other == least ? other.gap > highest : of_other < least)
    {
      met = beyond;
      least = of_other;
      highest = other.gap;
    }
  }
  return met;
}

template <int spacedim>
void
CrossingSearch<spacedim>::look_at_obstacle(const unsigned int point, const unsigned int obstacle,
                                           ActiveContacts<spacedim> &contacts)
{
  const ContactKey key{ContactKind::point_on_obstacle, point, obstacle};
  const double duration = in_flight.duration_of(key);
  if (!std::isfinite(duration))
    return;
  ++n_tests;
  const auto &shape = *obstacles[obstacle].shape;
  const auto begin = in_flight.point_at(point, 0) - in_flight.shift_of(obstacle, 0);
  const auto end = in_flight.point_at(point, duration) - in_flight.shift_of(obstacle, duration);
  const Vector way = end - begin;
  const double offset = in_flight.offset(key);
  const double distance = distance_to(obstacles[obstacle], dealii::Point<spacedim>(begin)) - offset;
  // a shell that is nearer than half of its thickness goes no deeper; what is inside stays there
  if (distance > way.norm() || distance < -in_flight.rounding - offset)
    return;
  double time = 0;
  if (distance > in_flight.rounding)
  {
    MovingSphere<spacedim> sphere;
    sphere.center = begin;
    sphere.radius = offset;
    sphere.velocity = way / duration;
    time = first_contact(sphere, shape).time;
    if (!(time <= duration))
      return;
  }
  else if (!(shape.normal(dealii::Point<spacedim>(begin)) * way < 0))
    return;
  if (ActiveContact<spacedim> *const contact = contacts.find(key))
  {
    cross_again(*contact, time);
    return;
  }
  const double at_end = shape.distance(dealii::Point<spacedim>(end)) - offset;
  const double deepest = distance < -in_flight.rounding ? distance : 0.;
  if (at_end < deepest - in_flight.rounding || time > 0)
    add(key, time, duration, {});
}

template void CrossingSearch<2>::add(const ContactKey &, double, double, const ActiveContact<2> &);
template void CrossingSearch<3>::add(const ContactKey &, double, double, const ActiveContact<3> &);
template void CrossingSearch<2>::cross_again(ActiveContact<2> &, double);
template void CrossingSearch<3>::cross_again(ActiveContact<3> &, double);
template void CrossingSearch<2>::look_at_facet(unsigned int, unsigned int, const PointFlight &,
                                               ActiveContacts<2> &);
template void CrossingSearch<3>::look_at_facet(unsigned int, unsigned int, const PointFlight &,
                                               ActiveContacts<3> &);
template void CrossingSearch<2>::look_at_obstacle(unsigned int, unsigned int, ActiveContacts<2> &);
template void CrossingSearch<3>::look_at_obstacle(unsigned int, unsigned int, ActiveContacts<3> &);
} // namespace KickDrift
