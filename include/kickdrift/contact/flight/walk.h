// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef KICKDRIFT_CONTACT_FLIGHT_WALK_H
#define KICKDRIFT_CONTACT_FLIGHT_WALK_H

#include <kickdrift/contact/flight/crossings.h>
#include <kickdrift/contact/flight/facets.h>

#include <algorithm>

namespace KickDrift
{
/// Sine of the angle of an edge below which it is no bend, but rounding [-].
constexpr double flat_edge = 1e-9;

/// Where a point is in front of a surface, or behind it.
template <int spacedim>
struct Foot
{
  unsigned int facet;                   ///< on whose plane it is
  std::array<double, spacedim> weights; ///< of its corners at the foot on its plane [-]
  dealii::Tensor<1, spacedim> normal;   ///< of the facet [-]
  double gap;                           ///< along it; beyond a rim the distance to that [length]
  bool is_off = false;                  ///< is the point beyond a rim, in front of nothing?
  bool is_over_convex = false;          ///< is it on another facet, behind a convex edge?
  bool is_over_concave = false;         ///< behind a concave one?
};

/// Corners of a facet. @p position : of a corner, Point (unsigned int).
template <int spacedim, typename Position>
std::array<dealii::Point<spacedim>, spacedim>
corners_of(const Facets<spacedim> &facets, const unsigned int facet, const Position &position)
{
  std::array<dealii::Point<spacedim>, spacedim> result;
  for (unsigned int k = 0; k < spacedim; ++k)
    result[k] = position(facets.facets()[facet].corners[k]);
  return result;
}

/// The foot of a point on the plane of one facet.
template <int spacedim, typename Position>
Foot<spacedim>
foot_on_plane(const Facets<spacedim> &facets, const unsigned int facet,
              const dealii::Point<spacedim> &point, const Position &position)
{
  const auto corners = corners_of<spacedim>(facets, facet, position);
  const auto normal = facet_normal<spacedim>(corners);
  return {facet, facet_weights<spacedim>(point, corners), normal, (point - corners[0]) * normal};
}

/// Sine of the angle by which a surface bends at the edge from corner @p k of @p facet to its
/// neighbour; positive where it is convex [-].
template <int spacedim>
double
bend(const std::array<dealii::Point<spacedim>, spacedim> &corners, const unsigned int k,
     const dealii::Tensor<1, spacedim> &normal, const dealii::Tensor<1, spacedim> &beyond)
{
  if constexpr (spacedim == 2)
  {
    const double turn = normal[0] * beyond[1] - normal[1] * beyond[0];
    return k == 1 ? turn : -turn;
  }
  else
  {
    const auto along = corners[(k + 1) % spacedim] - corners[k];
    return dealii::cross_product_3d(normal, beyond) * along / along.norm();
  }
}

/**
 * Where a point is in front of the surface around @p facet: walks over edges to the facet on whose
 * plane the foot is. Behind a concave edge both planes count, and the deeper one is taken; in front
 * of a convex edge or corner, where there is no foot, the point is off. A facet for which @p is_own
 * (facet) holds is never walked onto.
 */
template <int spacedim, typename Position, typename IsOwn>
Foot<spacedim>
walk(const Facets<spacedim> &facets, unsigned int facet, const dealii::Point<spacedim> &point,
     const Position &position, const IsOwn &is_own)
{
  constexpr unsigned int most_steps = 12; // in one flight, and of those that go round in circles
  Foot<spacedim> foot;
  bool over_convex = false, over_concave = false;
  for (unsigned int i = 0; i < most_steps; ++i)
  {
    const auto corners = corners_of<spacedim>(facets, facet, position);
    const auto normal = facet_normal<spacedim>(corners);
    foot = {facet,       facet_weights<spacedim>(point, corners),
            normal,      (point - corners[0]) * normal,
            false,       over_convex,
            over_concave};
    // the corner that the foot is furthest away from
    const unsigned int least =
        std::min_element(foot.weights.begin(), foot.weights.end()) - foot.weights.begin();
    if (foot.weights[least] >= 0)
      return foot;
    // across the edge that is opposite to it
    const unsigned int k = spacedim == 2 ? 1 - least : (least + 1) % spacedim;
    const unsigned int beyond = facets.facets()[facet].neighbours[k];
    if (beyond == Facets<spacedim>::none || is_own(beyond))
    {
      foot.is_off = true;
      return foot;
    }
    const Foot<spacedim> other = foot_on_plane(facets, beyond, point, position);
    const double sine = bend<spacedim>(corners, k, normal, other.normal);
    // is the foot on the plane of the other facet on its side of the edge?
    const auto &across = facets.facets()[beyond].neighbours;
    const unsigned int back = std::find(across.begin(), across.end(), facet) - across.begin();
    const double beyond_edge =
        spacedim == 2 ? other.weights[1 - back] : other.weights[(back + 2) % spacedim];
    if (beyond_edge >= 0 || std::abs(sine) < flat_edge)
    {
      over_convex = over_convex || sine > flat_edge;
      over_concave = over_concave || sine < -flat_edge;
      facet = beyond;
      continue;
    }
    if (sine >= 0)
    {
      foot.is_off = true;
      if constexpr (spacedim == 2)
        foot.gap = (point - corners[k]).norm();
      else
      {
        const auto along =
            (corners[(k + 1) % 3] - corners[k]) / (corners[(k + 1) % 3] - corners[k]).norm();
        auto from_edge = point - corners[k];
        from_edge -= (from_edge * along) * along;
        foot.gap = foot.gap > 0 || other.gap > 0 ? from_edge.norm() : std::max(foot.gap, other.gap);
      }
      return foot;
    }
    if (!(other.gap < foot.gap))
      return foot;
    foot = other;
    foot.is_over_concave = true;
    return foot;
  }
  return foot;
}
} // namespace KickDrift

#endif
