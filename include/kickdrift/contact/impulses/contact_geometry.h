// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef KICKDRIFT_CONTACT_IMPULSES_CONTACT_GEOMETRY_H
#define KICKDRIFT_CONTACT_IMPULSES_CONTACT_GEOMETRY_H

#include <kickdrift/contact/geometry/obstacles.h>
#include <kickdrift/contact/impulses/active_contact.h>
#include <kickdrift/contact/impulses/flights.h>
#include <kickdrift/contact/impulses/walk.h>
#include <kickdrift/contact/surface/exclusions.h>

#include <vector>

namespace KickDrift
{
/**
 * Where things in contact are: now, and at the end of their flights.
 *
 * Impulses act along the present normal; what they have to bring about is a gap at the end of the
 * flight, over the surface as it is there, found by walking over it from where the contact is. So a
 * normal never does work while surfaces slide and turn, as a frozen one would.
 */
template <int spacedim>
class ContactGeometry
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;
  /// A place in space.
  using Point = dealii::Point<spacedim>;

  /// All must outlive it.
  ContactGeometry(const NodeTable<spacedim> &nodes, const Surface<spacedim> &surface,
                  const Facets<spacedim> &facets, Flights<spacedim> &flights,
                  const std::vector<Obstacle<spacedim>> &obstacles, const Exclusions &exclusions);

  /// Lengths below this are rounding [length].
  double rounding = 0;

  /// Nodes that carry a point, as places in Facets::nodes().
  const std::vector<unsigned int> &
  nodes_of_point(const unsigned int point) const
  {
    return places_of_points[point];
  }

  /// The place of one of the nodes of the first of two things.
  unsigned int
  place_of(const ContactKey &key) const
  {
    return key.kind == ContactKind::edge_on_edge
               ? facets.corners()[facets.edges()[key.first].corners[0]].nodes[0]
               : places_of_points[key.first][0];
  }

  /// May a point and a facet ever touch?
  bool may_meet(unsigned int point, unsigned int facet) const;

  /// May two edges?
  bool edges_may_meet(unsigned int edge, unsigned int other) const;

  /// May a point and an obstacle?
  bool may_meet_obstacle(unsigned int point, unsigned int obstacle) const;

  /// Is the facet one of those that a point is on?
  bool is_own(unsigned int point, unsigned int facet) const;

  /// Where a point is after @p duration [length].
  Point point_at(unsigned int point, double duration);

  /// Shift of an obstacle after @p duration [length].
  Vector shift_of(unsigned int obstacle, double duration) const;

  /// How long until one of the nodes of a contact is kicked next [time].
  double duration_of(const ContactKey &key);

  /// Is a normal one that a point may be pushed along: would the point be the first of its own
  /// surroundings to touch a plane with that normal, after @p duration?
  bool is_in_cone_of_point(unsigned int point, const Vector &normal, double duration);

  /// The same of an edge: is the normal between those of its facets?
  bool is_in_cone_of_edge(unsigned int edge, const Vector &normal, double duration);

  /// Does an edge stand out so far, or lie so flat, that another edge may touch it?
  bool stands_out(unsigned int edge, double duration);

  /// Where two edges are nearest, with the normal from the second to the first. Returns false if
  /// they are parallel.
  bool find_on_edges(const ContactKey &key, double side, double duration,
                     std::array<double, 2> &place, Vector &normal, Vector &apart);

  /// The present place of a contact that is remembered. Returns false if it is there no longer;
  /// then @p contact is as it would be without that, if it is_leaving.
  bool find_present(ActiveContact<spacedim> &contact);

  /// A contact that has been met: where it acts now, and where it was met, after @p time of its
  /// flight [time].
  void meet(ActiveContact<spacedim> &contact, double time);

  /// Gap and slip at the end of the flight.
  void measure(ActiveContact<spacedim> &contact);

  /// Gap at the end of the flight over the surface as it is there [length].
  double walked_gap(const ActiveContact<spacedim> &contact);

  /// Masses that a contact moves, and what can deform.
  void find_masses(ActiveContact<spacedim> &contact) const;

private:
  /// Set a stencil to a point and a place on a facet, or on two edges.
  void set(ContactStencil<spacedim> &stencil, const ContactKey &key,
           const std::array<double, spacedim> &weights) const;
  void set_edges(ContactStencil<spacedim> &stencil, const ContactKey &key,
                 const std::array<double, 2> &place) const;
  void add_corner(ContactStencil<spacedim> &stencil, unsigned int corner, double weight) const;
  void add_point(ContactStencil<spacedim> &stencil, unsigned int point) const;
  /// sum c x after @p duration.
  Vector difference(const ContactStencil<spacedim> &stencil, double duration);
  Vector normal_of_facet(unsigned int facet, double duration);
  Foot<spacedim> foot_of(unsigned int point, unsigned int facet, double duration);
  Foot<spacedim> foot_on(unsigned int point, unsigned int facet, double duration);
  void measure_on_facet(ActiveContact<spacedim> &contact);
  void measure_on_edges(ActiveContact<spacedim> &contact);
  void measure_on_obstacle(ActiveContact<spacedim> &contact);
  bool is_held(unsigned int node) const;
  /// Of facets of a rigid body: the node that is furthest behind its plane.
  void find_apexes();
  /// Both sides of a contact act where the point is, so that friction has no moment either, if the
  /// facet is that of a rigid body.
  bool set_to_point(ContactStencil<spacedim> &stencil, const ContactKey &key,
                    const Foot<spacedim> &foot);

  const NodeTable<spacedim> &nodes;
  const Surface<spacedim> &surface;
  const Facets<spacedim> &facets;
  Flights<spacedim> &flights;
  const std::vector<Obstacle<spacedim>> &obstacles;
  const Exclusions &exclusions;
  std::vector<std::vector<unsigned int>> places_of_points;
  std::vector<unsigned int> apexes; ///< by facet, places; empty without rigid bodies
};
} // namespace KickDrift

#endif
