// SPDX-License-Identifier: LGPL-2.1-or-later
// Things that touch at a distance: shells.

#include <kickdrift/contact/flight/approaches.h>
#include <kickdrift/contact/impulses/crossing_search.h>

#include <algorithm>

namespace KickDrift
{
namespace
{
/// Do two things that are @p now apart, and will be @p end apart, get nearer than the offset, or,
/// if they are nearer already, than they are?
template <int spacedim>
bool
get_too_near(const dealii::Tensor<1, spacedim> &now, const dealii::Tensor<1, spacedim> &end,
             const double offset, const double rounding)
{
  // on the other side they have gone through
  const double distance = now * end < 0 ? -end.norm() : end.norm();
  const double least = now.norm() < offset - rounding ? now.norm() : offset;
  return distance < least - rounding;
}
} // namespace

template <int spacedim>
void
CrossingSearch<spacedim>::look_at_facet_at_offset(
    const unsigned int point, const unsigned int facet, const StraightFlight<spacedim> &flight,
    const std::array<StraightFlight<spacedim>, spacedim> &corners, const double duration,
    ActiveContacts<spacedim> &contacts)
{
  const auto approach = [&](const double offset)
  { return first_approach<spacedim>(flight, corners, offset, in_flight.rounding); };
  const unsigned int body = facets.facets()[facet].body;
  const double largest = in_flight.largest_offset(surface.contactors[point].body, body);
  std::optional<double> share = approach(largest);
  if (!share)
    return;
  const double offset = in_flight.offset({ContactKind::point_on_facet, point, facet});
  if (!(offset > in_flight.rounding) || (offset < largest && !(share = approach(offset))))
    return;
  double time = *share * duration;
  NearestPlace<spacedim> there = in_flight.nearest(point, facet, time);
  const auto is_elsewhere = [&](const NearestPlace<spacedim> &place, const double at)
  {
    // beside the facet its surface is nearer still: that is another pair
    std::array<dealii::Point<spacedim>, spacedim> places;
    for (unsigned int k = 0; k < spacedim; ++k)
      places[k] = corners[k].at(at);
    return place.apart.norm() -
               in_flight.offset({ContactKind::point_on_facet, point, place.facet}) <
           nearest_on_facet<spacedim>(flight.at(at), places).apart.norm() - offset -
               in_flight.rounding;
  };
  if (is_elsewhere(there, *share) || !(time > 0))
  {
    const NearestPlace<spacedim> now = in_flight.nearest(point, facet, 0),
                                 end = in_flight.nearest(point, facet, duration);
    if (is_elsewhere(end, 1) ||
        !get_too_near<spacedim>(now.apart, end.apart, offset, in_flight.rounding))
      return;
    if (is_elsewhere(there, *share))
    {
      time = duration;
      there = end;
    }
  }
  const ContactKey key{ContactKind::point_on_facet, point, there.facet};
  if (!in_flight.may_meet(point, there.facet))
    return;
  if (ActiveContact<spacedim> *const contact = contacts.find(key))
    cross_again(*contact, time);
  else
    add(key, time, duration, {});
}

template <int spacedim>
void
CrossingSearch<spacedim>::look_at_edges_at_offset(const ContactKey &key,
                                                  const std::array<StraightFlight<3>, 2> &first,
                                                  const std::array<StraightFlight<3>, 2> &second,
                                                  const double duration,
                                                  ActiveContacts<spacedim> &contacts)
{
  if constexpr (spacedim == 3)
  {
    const double largest =
        in_flight.largest_offset(facets.edges()[key.first].body, facets.edges()[key.second].body);
    const auto approach = [&](const double offset)
    { return first_approach(first, second, offset, in_flight.rounding); };
    std::optional<double> share = approach(largest);
    if (!share)
      return;
    const double offset = in_flight.offset(key);
    if (!(offset > in_flight.rounding) || (offset < largest && !(share = approach(offset))))
      return;
    double time = *share * duration;
    NearestOnEdges there = in_flight.nearest_on(key, time);
    const bool are_nearest = in_flight.are_edges_nearest(key, there, time);
    if (!are_nearest || !(time > 0))
    {
      const NearestOnEdges now = in_flight.nearest_on(key, 0),
                           end = in_flight.nearest_on(key, duration);
      if (!in_flight.are_edges_nearest(key, end, duration) ||
          !get_too_near<3>(now.apart, end.apart, offset, in_flight.rounding))
        return;
      if (!are_nearest)
      {
        time = duration;
        there = end;
      }
    }
    if (ActiveContact<spacedim> *const contact = contacts.find(key))
    {
      cross_again(*contact, time);
      return;
    }
    ActiveContact<spacedim> met;
    met.place = there.place;
    add(key, time, duration, met);
  }
  (void)key, (void)first, (void)second, (void)duration, (void)contacts;
}

template void CrossingSearch<2>::look_at_facet_at_offset(unsigned int, unsigned int,
                                                         const StraightFlight<2> &,
                                                         const std::array<StraightFlight<2>, 2> &,
                                                         double, ActiveContacts<2> &);
template void CrossingSearch<3>::look_at_facet_at_offset(unsigned int, unsigned int,
                                                         const StraightFlight<3> &,
                                                         const std::array<StraightFlight<3>, 3> &,
                                                         double, ActiveContacts<3> &);
template void CrossingSearch<2>::look_at_edges_at_offset(const ContactKey &,
                                                         const std::array<StraightFlight<3>, 2> &,
                                                         const std::array<StraightFlight<3>, 2> &,
                                                         double, ActiveContacts<2> &);
template void CrossingSearch<3>::look_at_edges_at_offset(const ContactKey &,
                                                         const std::array<StraightFlight<3>, 2> &,
                                                         const std::array<StraightFlight<3>, 2> &,
                                                         double, ActiveContacts<3> &);
} // namespace KickDrift
