// SPDX-License-Identifier: LGPL-2.1-or-later
#include <kickdrift/contact/geometry/bounding_volumes.h>
#include <kickdrift/contact/impulses/crossing_search.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace
{
// how often a contact that still crosses may leave an edge before it keeps to where it was met
constexpr unsigned int most_times_off = 3;
} // namespace

template <int spacedim>
bool
CrossingSearch<spacedim>::ends_in_front(const unsigned int corner, const unsigned int edge,
                                        const double duration)
{
  const auto place = [&](const unsigned int c) { return flights.at(c, duration); };
  const auto &own = facets.edges()[edge];
  const Vector apart = place(corner) - place(own.corners[0]);
  return std::any_of(own.facets.begin(), own.facets.end(),
                     [&](const unsigned int facet)
                     {
                       return facet != Facets<spacedim>::none &&
                              apart * facet_normal<spacedim>(
                                          corners_of<spacedim>(facets, facet, place)) >=
                                  -in_flight.at_one_place();
                     });
}

template <int spacedim>
void
CrossingSearch<spacedim>::look_at_edges(const unsigned int edge, const unsigned int other,
                                        ActiveContacts<spacedim> &contacts)
{
  if constexpr (spacedim == 3)
  {
    const ContactKey key{ContactKind::edge_on_edge, edge, other};
    if (!in_flight.overlapping.empty() &&
        in_flight.overlapping.count(
            std::minmax(facets.edges()[edge].body, facets.edges()[other].body)) > 0)
      return;
    ++n_tests;
    if (!overlap(swept_by_edge(edge), swept_by_edge(other)))
      return;
    const double duration = std::min(duration_of(facets.edges()[edge].corners),
                                     duration_of(facets.edges()[other].corners));
    if (!std::isfinite(duration))
      return;
    const auto ends_of = [&](const unsigned int e) -> std::array<StraightFlight<3>, 2>
    {
      const auto &ends = facets.edges()[e].corners;
      return {{flight_of(ends[0]).until(duration), flight_of(ends[1]).until(duration)}};
    };
    const auto first = ends_of(edge), second = ends_of(other);
    if (in_flight.largest_offset(facets.edges()[edge].body, facets.edges()[other].body) > 0)
    {
      look_at_edges_at_offset(key, first, second, duration, contacts);
      return;
    }
    std::array<EdgeCrossing, 4> crossings;
    const unsigned int n = find_crossings(first, second, in_flight.rounding, crossings);
    ActiveContact<spacedim> *const contact = n > 0 ? contacts.find(key) : nullptr;
    if (contact && !contact->is_leaving && (!contact->is_new || contact->is_frozen))
      return;
    for (const unsigned int e : {edge, other})
      if (n > 0 && !in_flight.stands_out(e, 0) && !in_flight.stands_out(e, duration))
        return;
    for (unsigned int i = 0; i < n; ++i)
    {
      const EdgeCrossing &crossing = crossings[i];
      const double time = crossing.time * duration;
      if (!in_flight.is_in_cone_of_edge(other, crossing.direction, time) ||
          !in_flight.is_in_cone_of_edge(edge, -crossing.direction, time))
        continue;
      if (contact)
      {
        if (contact->is_leaving)
          cross_again(*contact, time);
        else
        {
          geometry.measure(*contact);
          if (contact->is_off_end && ++contact->n_planes > most_times_off)
            any = contact->is_frozen = true;
        }
        return;
      }
      const auto ends = [&](const double place, const std::array<StraightFlight<3>, 2> &flight,
                            const unsigned int e, const unsigned int target)
      {
        const double near = in_flight.at_one_place() / (flight[1].begin - flight[0].begin).norm();
        const unsigned int corner = place < near       ? facets.edges()[e].corners[0]
                                    : place > 1 - near ? facets.edges()[e].corners[1]
                                                       : Facets<spacedim>::none;
        return corner != Facets<spacedim>::none && ends_in_front(corner, target, duration);
      };
      if (ends(crossing.place[0], first, edge, other) ||
          ends(crossing.place[1], second, other, edge))
        continue;
      ActiveContact<spacedim> met;
      met.normal = crossing.direction;
      for (unsigned int e = 0; e < 2; ++e)
        met.place[e] = std::min(1., std::max(0., crossing.place[e]));
      const Vector u = first[1].at(crossing.time) - first[0].at(crossing.time),
                   v = second[1].at(crossing.time) - second[0].at(crossing.time);
      met.side = dealii::cross_product_3d(u, v) * crossing.direction > 0 ? 1 : -1;
      add(key, time, duration, met);
      return;
    }
  }
  (void)edge, (void)other, (void)contacts;
}

template bool CrossingSearch<3>::ends_in_front(unsigned int, unsigned int, double);
template void CrossingSearch<2>::look_at_edges(unsigned int, unsigned int, ActiveContacts<2> &);
template void CrossingSearch<3>::look_at_edges(unsigned int, unsigned int, ActiveContacts<3> &);
} // namespace KickDrift
