// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef KICKDRIFT_CONTACT_FLIGHT_SURFACE_FLIGHT_H
#define KICKDRIFT_CONTACT_FLIGHT_SURFACE_FLIGHT_H

#include <kickdrift/contact/flight/approaches.h>
#include <kickdrift/contact/flight/contact_key.h>
#include <kickdrift/contact/flight/flights.h>
#include <kickdrift/contact/flight/walk.h>
#include <kickdrift/contact/geometry/box.h>
#include <kickdrift/contact/geometry/obstacles.h>
#include <kickdrift/contact/surface/exclusions.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

namespace KickDrift
{
/// Where a surface is nearest to a point.
template <int spacedim>
struct NearestPlace
{
  unsigned int facet;                   ///< of several that share an edge or corner the first one
  std::array<double, spacedim> weights; ///< of its corners there [-]
  dealii::Tensor<1, spacedim> apart;    ///< from there to the point [length]
};

/**
 * Points, facets and edges of a surface, and obstacles, while nodes fly: who may meet whom, and
 * where they are. Durations count from the present instant [time]; points are contactors of the
 * surface, facets and edges those of Facets, nodes places in Facets::nodes().
 */
template <int spacedim>
class SurfaceFlight
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;
  /// A place in space.
  using Point = dealii::Point<spacedim>;

  /// All must outlive it.
  SurfaceFlight(const NodeTable<spacedim> &nodes, const Surface<spacedim> &surface,
                const Facets<spacedim> &facets, Flights<spacedim> &flights,
                const std::vector<Obstacle<spacedim>> &obstacles, const Exclusions &exclusions);

  /// Lengths below this are rounding, see find_rounding() [length].
  double rounding = 0;

  /// Find that from where all nodes are now.
  void find_rounding();

  /// What is no further away than this is at the same place, after many roundings [length].
  double
  at_one_place() const
  {
    return 100 * rounding;
  }

  /// Sines below this are rounding [-].
  static constexpr double aligned = 1e-7;
  /// Of surfaces that touch and bend under each other, an angle between normals that are still
  /// opposite [-].
  static constexpr double cone = 0.1;

  /// How far apart two things are where they touch: half of what shells are thick. In self-contact
  /// no more than a share of how far apart they were in the reference configuration, see
  /// Surface::own_offset() [length].
  double offset(const ContactKey &key) const;

  /// No offset() of two things with a node of each of two bodies is larger [length].
  double
  largest_offset(const unsigned int body, const unsigned int other) const
  {
    return has_shells ? surface.offset(body, other) : 0.;
  }

  /// Half of what the shell of a node is thick; zero if it is none [length].
  double
  half_thickness(const unsigned int place) const
  {
    return has_shells ? half_thicknesses[place] : 0.;
  }

  /// Bodies, ascending, whose overlap at the start is being let out: their edges do not meet, since
  /// nobody knows on which side they are.
  std::set<std::pair<unsigned int, unsigned int>> overlapping;
  /// Points that are inside of a body (point, body) since the start: they meet nothing else of it.
  std::set<std::pair<unsigned int, unsigned int>> inside;

  /// Nodes that carry a point.
  const std::vector<unsigned int> &
  nodes_of_point(const unsigned int point) const
  {
    return places_of_points[point];
  }

  /// May a point and a facet ever touch?
  bool may_meet(unsigned int point, unsigned int facet) const;

  /// May two edges?
  bool edges_may_meet(unsigned int edge, unsigned int other) const;

  /// May things of a body, which has these nodes?
  bool may_touch_itself(unsigned int body, const std::vector<unsigned int> &places) const;

  /// May a point and an obstacle?
  bool may_meet_obstacle(unsigned int point, unsigned int obstacle) const;

  /// Obstacles that a point may touch within @p box, ascending; all that move are among them.
  std::vector<unsigned int> obstacles_near(unsigned int point, const Box<spacedim> &box) const;

  /// Is the facet one of those that a point is on?
  bool is_own(unsigned int point, unsigned int facet) const;

  /// Call @p f (node) for the nodes of two things in contact, some of them more than once.
  template <typename Function>
  void
  for_each_node(const ContactKey &key, const Function &f) const
  {
    if (key.kind == ContactKind::edge_on_edge)
    {
      for (const unsigned int edge : {key.first, key.second})
        for (const unsigned int corner : facets.edges()[edge].corners)
        {
          const auto &own = facets.corners()[corner];
          std::for_each(own.nodes.begin(), own.nodes.begin() + own.n_nodes, f);
        }
      return;
    }
    for (const unsigned int place : places_of_points[key.first])
      f(place);
    if (key.kind == ContactKind::point_on_facet)
      for (const unsigned int place : facets.nodes_of_facet(key.second))
        f(place);
  }

  /// One of the nodes of the first of two things.
  unsigned int
  first_node(const ContactKey &key) const
  {
    return key.kind == ContactKind::edge_on_edge
               ? facets.corners()[facets.edges()[key.first].corners[0]].nodes[0]
               : places_of_points[key.first][0];
  }

  /// Where a point is after @p duration [length].
  Point point_at(unsigned int point, double duration);

  /// Where a corner of facets is after @p duration [length].
  Point
  corner_at(const unsigned int corner, const double duration)
  {
    return flights.at(corner, duration);
  }

  /// Shift of an obstacle after @p duration [length].
  Vector shift_of(unsigned int obstacle, double duration) const;

  /// sum c x of a stencil after @p duration [length].
  Vector difference(const ContactStencil<spacedim> &stencil, double duration);

  /// How long until one of the nodes of two things in contact is kicked next [time].
  double duration_of(const ContactKey &key);

  /// Between two corners at this instant [length].
  double
  distance(const unsigned int corner, const unsigned int other)
  {
    return (flights.at(corner, 0) - flights.at(other, 0)).norm();
  }

  /// Of a facet, after @p duration [length].
  double longest_edge(unsigned int facet, double duration);

  /// Outwards, of length one [-].
  Vector normal_of_facet(unsigned int facet, double duration);

  /// The foot of a point on the surface around @p facet, see walk().
  Foot<spacedim> foot_of(unsigned int point, unsigned int facet, double duration);

  /// The foot of a point on the plane of a facet.
  Foot<spacedim> foot_on(unsigned int point, unsigned int facet, double duration);

  /// How far the surface around a point is behind a plane through it with that normal, after
  /// @p duration: sine of the largest angle to it, zero if it is in front [-].
  double behind(unsigned int point, const Vector &normal, double duration);

  /// May an edge be pushed along a normal: would it be the first of its own surroundings to touch a
  /// plane with that normal, which is between those of its facets, after @p duration?
  bool is_in_cone_of_edge(unsigned int edge, const Vector &normal, double duration);

  /// Does an edge stand out so far, or lie so flat, that another edge may touch it?
  bool stands_out(unsigned int edge, double duration);

  /**
   * Where the lines through two edges are nearest after @p duration. Returns false if they are
   * parallel.
   * @param side sign of the cross product of the edges along the normal
   * @param place along each edge, from 0 to 1 on it [-]
   * @param normal from the second to the first while they are outside of each other [-]
   * @param apart from the place on the second to that on the first [length]
   */
  bool find_on_edges(const ContactKey &key, double side, double duration,
                     std::array<double, 2> &place, Vector &normal, Vector &apart);

  /// Where the surface around @p facet is nearest to a point after @p duration: goes over edges and
  /// corners as long as it gets nearer.
  NearestPlace<spacedim> nearest(unsigned int point, unsigned int facet, double duration);

  /// Where two edges are nearest after @p duration.
  NearestOnEdges nearest_on(const ContactKey &key, double duration);

  /// Are two surfaces nearest to each other within these edges, not beside them on a facet, to a
  /// small angle, if they are that near after @p duration?
  bool are_edges_nearest(const ContactKey &key, const NearestOnEdges &near, double duration);

private:
  /// Does an edge get nearer to something in that direction if one goes on to a facet beside it?
  bool is_nearer_beside(unsigned int edge, const Vector &direction, double duration);

  const NodeTable<spacedim> &nodes;
  const Surface<spacedim> &surface;
  const Facets<spacedim> &facets;
  Flights<spacedim> &flights;
  const std::vector<Obstacle<spacedim>> &obstacles;
  const Exclusions &exclusions;
  std::vector<std::vector<unsigned int>> places_of_points;
  const bool has_shells;
  std::vector<double> half_thicknesses; ///< by place; empty without shells
};
} // namespace KickDrift

#endif
