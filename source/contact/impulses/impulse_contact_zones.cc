// SPDX-License-Identifier: LGPL-2.1-or-later
// Zones of cells around contacts to come.

#include <kickdrift/contact/flight/crossings.h>
#include <kickdrift/contact/impulses/impulse_contact.h>

#include <algorithm>
#include <array>
#include <vector>

namespace KickDrift
{
namespace
{
// steps of the coarsest class before a contact begins: the one that is under way, and the next
constexpr double steps_ahead = 2;
} // namespace

template <int spacedim>
double
ImpulseContact<spacedim>::zone_periods() const
{
  return std::max(1., 0.5 / stepper.levels().largest_step_ratio());
}

template <int spacedim>
void
ImpulseContact<spacedim>::promote_ahead(const std::vector<unsigned int> &places)
{
  if (!has_zones || stepper.levels().has_one_step())
    return;
  ahead.resize(facets.corners().size());
  ++n_times_ahead;
  // those that the lists know; who is further away joins when they reach it
  const Candidates<spacedim> &candidates = proximity->candidates()[0];
  for (const unsigned int place : places)
  {
    if (!candidates.has_any(place))
      continue;
    for (const unsigned int point : candidates.points_of_node(place))
      for (const unsigned int facet : candidates.facets_of_point(point))
        promote_ahead(point, facet);
    for (const unsigned int facet : facets.facets_of_node(place))
      for (const unsigned int point : candidates.points_of_facet(facet))
        promote_ahead(point, facet);
  }
}

template <int spacedim>
const typename ImpulseContact<spacedim>::CornerAhead &
ImpulseContact<spacedim>::ahead_of(const unsigned int corner)
{
  CornerAhead &result = ahead[corner];
  if (result.number == n_times_ahead)
    return result;
  const auto &own = facets.corners()[corner];
  result = {flights->at(corner, 0), Vector(), -1u, 0, n_times_ahead};
  for (unsigned int i = 0; i < own.n_nodes; ++i)
  {
    result.velocity += flights->velocity(own.nodes[i]) / own.n_nodes;
    const auto classes =
        zones.classes_of(std::array<unsigned int, 1>{{facets.nodes()[own.nodes[i]]}});
    result.finest = std::min(result.finest, classes.first);
    result.coarsest = std::max(result.coarsest, classes.second);
  }
  return result;
}

template <int spacedim>
void
ImpulseContact<spacedim>::promote_ahead(const unsigned int point, const unsigned int facet)
{
  // asked for every pair that is near something that was kicked
  unsigned int finest = -1, coarsest = 0;
  const auto &corners = facets.facets()[facet].corners;
  const auto &own = in_flight->nodes_of_point(point); // corners with the same numbers
  const auto add = [&](const unsigned int corner)
  {
    const CornerAhead &of_corner = ahead_of(corner);
    finest = std::min(finest, of_corner.finest);
    coarsest = std::max(coarsest, of_corner.coarsest);
  };
  for (const unsigned int place : own)
    add(place);
  for (const unsigned int corner : corners)
    add(corner);
  if (finest >= coarsest)
    return;
  const double time = steps_ahead * stepper.levels().classes().step(coarsest);
  const auto flight_of = [&](const unsigned int corner)
  {
    const CornerAhead &of_corner = ahead_of(corner);
    return StraightFlight<spacedim>{of_corner.now, of_corner.now + time * of_corner.velocity};
  };
  const StraightFlight<spacedim> flight =
      own.size() == 1 ? flight_of(own[0])
                      : StraightFlight<spacedim>{in_flight->point_at(point, 0),
                                                 in_flight->point_at(point, time)};
  std::array<StraightFlight<spacedim>, spacedim> flights_of_corners;
  Box<spacedim> there = empty_box<spacedim>(), here = empty_box<spacedim>();
  for (unsigned int k = 0; k < spacedim; ++k)
  {
    flights_of_corners[k] = flight_of(corners[k]);
    extend(there, flights_of_corners[k].begin);
    extend(there, flights_of_corners[k].end);
  }
  extend(here, flight.begin);
  extend(here, flight.end);
  if (!overlap(grown(here, in_flight->rounding), there))
    return;
  const auto crossing = first_crossing<spacedim>(flight, flights_of_corners, in_flight->rounding);
  // what touches now has its zone
  if (!crossing || !(crossing->time > 0))
    return;
  ContactStencil<spacedim> stencil;
  geometry->set(stencil, {ContactKind::point_on_facet, point, facet},
                in_flight->foot_on(point, facet, 0).weights);
  zones.promote(stencil, zone_periods(), true);
}

template double ImpulseContact<2>::zone_periods() const;
template double ImpulseContact<3>::zone_periods() const;
template void ImpulseContact<2>::promote_ahead(const std::vector<unsigned int> &);
template void ImpulseContact<3>::promote_ahead(const std::vector<unsigned int> &);
} // namespace KickDrift
