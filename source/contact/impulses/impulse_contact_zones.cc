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
void
ImpulseContact<spacedim>::promote_ahead(const unsigned int point, const unsigned int facet)
{
  // asked for every pair that is near something that was kicked
  unsigned int finest = -1, coarsest = 0;
  const auto add = [&](const unsigned int place)
  {
    const auto classes = zones.classes_of(std::array<unsigned int, 1>{{facets.nodes()[place]}});
    finest = std::min(finest, classes.first);
    coarsest = std::max(coarsest, classes.second);
  };
  for (const unsigned int place : in_flight->nodes_of_point(point))
    add(place);
  for (const unsigned int place : facets.nodes_of_facet(facet))
    add(place);
  if (finest >= coarsest)
    return;
  const double time = steps_ahead * stepper.levels().classes().step(coarsest);
  const auto flight_of = [&](const unsigned int corner)
  {
    return StraightFlight<spacedim>{in_flight->corner_at(corner, 0),
                                    in_flight->corner_at(corner, time)};
  };
  std::array<StraightFlight<spacedim>, spacedim> corners;
  for (unsigned int k = 0; k < spacedim; ++k)
    corners[k] = flight_of(facets.facets()[facet].corners[k]);
  const auto crossing =
      first_crossing<spacedim>({in_flight->point_at(point, 0), in_flight->point_at(point, time)},
                               corners, in_flight->rounding);
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
