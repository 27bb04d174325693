// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef KICKDRIFT_CONTACT_FLIGHT_APPROACHES_H
#define KICKDRIFT_CONTACT_FLIGHT_APPROACHES_H

#include <kickdrift/contact/flight/crossings.h>

#include <array>
#include <optional>

/**
 * @file
 * When do things come as near to each other as they are thick? A shell is its middle surface,
 * rounded with half of its thickness: it touches where something is no further away than an offset.
 * Distances have no side, so nothing has to be known about which one something is on.
 */

namespace KickDrift
{
/// Where a facet is nearest to a point.
template <int spacedim>
struct NearestOnFacet
{
  /// Of its corners there, a sum of one; exactly zero where that is on an edge or a corner [-].
  std::array<double, spacedim> weights;
  dealii::Tensor<1, spacedim> apart; ///< from there to the point [length]
};

/// Where two edges are nearest to each other.
struct NearestOnEdges
{
  std::array<double, 2> place; ///< along each of them, from 0 to 1, exactly these at ends [-]
  dealii::Tensor<1, 3> apart;  ///< from there on the second to there on the first [length]
  bool is_within = false;      ///< within both, and they are not parallel
};

/// @p corners : of the facet, where they are.
template <int spacedim>
NearestOnFacet<spacedim>
nearest_on_facet(const dealii::Point<spacedim> &point,
                 const std::array<dealii::Point<spacedim>, spacedim> &corners);

/// Of two edges with these ends.
NearestOnEdges nearest_on_edges(const std::array<dealii::Point<3>, 2> &first,
                                const std::array<dealii::Point<3>, 2> &second);

/**
 * First time, as a share of the flight, at which two things come as near to each other as
 * @p offset, to @p band [length]; zero if they are as near at the beginning.
 *
 * By conservative advancement (Mirtich 1996): both are convex, so they stay apart as long as a slab
 * as thick as the offset, across the line between where they are nearest, separates their corners.
 * The time is never too late, and too early only where a thousand slabs do not get to it.
 */
template <int spacedim>
std::optional<double> first_approach(const StraightFlight<spacedim> &point,
                                     const std::array<StraightFlight<spacedim>, spacedim> &corners,
                                     double offset, double band);

/// The same of two edges.
std::optional<double> first_approach(const std::array<StraightFlight<3>, 2> &first,
                                     const std::array<StraightFlight<3>, 2> &second, double offset,
                                     double band);
} // namespace KickDrift

#endif
