// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef KICKDRIFT_CONTACT_FLIGHT_CROSSINGS_H
#define KICKDRIFT_CONTACT_FLIGHT_CROSSINGS_H

#include <deal.II/base/point.h>
#include <deal.II/base/tensor.h>

#include <array>
#include <optional>

/**
 * @file
 * When do straight flights cross? All corners fly from where they are now to where they are at the
 * end; times are shares of that, from 0 to 1. The volume that a point and a facet, or two edges,
 * enclose is a polynomial of time, whose roots are found to rounding.
 */

namespace KickDrift
{
/// From here to there, at constant velocity.
template <int spacedim>
struct StraightFlight
{
  dealii::Point<spacedim> begin; ///< [length]
  dealii::Point<spacedim> end;   ///< [length]

  /// Where it is at @p time, from 0 to 1 [length].
  dealii::Point<spacedim>
  at(const double time) const
  {
    return begin + time * (end - begin);
  }
};

/// A point goes through a facet.
template <int spacedim>
struct FacetCrossing
{
  double time;                          ///< share of the flight [-]
  std::array<double, spacedim> weights; ///< of the facet's corners there, a sum of one [-]
  dealii::Tensor<1, spacedim> normal;   ///< of the facet there [-]
};

/**
 * First time at which a point crosses a facet from the side that its normal points to. A point that
 * is within @p band of the facet's plane at the beginning touches: it counts as in front, and
 * crosses only if it is behind by more at the end, at once if it goes inwards. Contacts, too, are
 * held to their gaps at the end alone. The facet is larger than it is by @p band on all sides
 * [length].
 */
template <int spacedim>
std::optional<FacetCrossing<spacedim>>
first_crossing(const StraightFlight<spacedim> &point,
               const std::array<StraightFlight<spacedim>, spacedim> &corners, double band);

/// Two edges pass through each other.
struct EdgeCrossing
{
  double time;                    ///< share of the flight [-]
  std::array<double, 2> place;    ///< along each edge, from 0 to 1 [-]
  dealii::Tensor<1, 3> direction; ///< from the second to the first before they meet; length one [-]
};

/// Where two lines are nearest.
struct NearestOnLines
{
  std::array<double, 2> place; ///< along each of them, in parts of what it is given by [-]
  dealii::Tensor<1, 3> across; ///< cross product of the two, over its length [-]
};

/// The same of the lines along @p u and @p v, the second @p apart from the first; nothing if they
/// are parallel, to a millionth [length].
std::optional<NearestOnLines> nearest_on_lines(const dealii::Tensor<1, 3> &apart,
                                               const dealii::Tensor<1, 3> &u,
                                               const dealii::Tensor<1, 3> &v);

/// All crossings of two edges, at most four, in order of time. Edges whose lines are within ten
/// times @p band of each other at the beginning touch: they cross only if they are further apart at
/// the end, at once, from the side that they come from [length]. Returns how many there are.
unsigned int find_crossings(const std::array<StraightFlight<3>, 2> &first,
                            const std::array<StraightFlight<3>, 2> &second, double band,
                            std::array<EdgeCrossing, 4> &crossings);

/// Normal of a facet, of length one; zero if it is degenerate. @p corners : where they are.
template <int spacedim>
dealii::Tensor<1, spacedim>
facet_normal(const std::array<dealii::Point<spacedim>, spacedim> &corners);

/// Weights of the corners at the foot of a point on the plane of a facet, a sum of one; negative
/// beyond an edge.
template <int spacedim>
std::array<double, spacedim>
facet_weights(const dealii::Point<spacedim> &point,
              const std::array<dealii::Point<spacedim>, spacedim> &corners);

/// The roots of a cubic polynomial between 0 and 1 at which it changes its sign, in order. Returns
/// how many there are.
unsigned int find_roots(const std::array<double, 4> &coefficients, std::array<double, 3> &roots);
} // namespace KickDrift

#endif
