// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef KICKDRIFT_CONTACT_IMPULSES_CONTACT_GEOMETRY_H
#define KICKDRIFT_CONTACT_IMPULSES_CONTACT_GEOMETRY_H

#include <kickdrift/contact/flight/surface_flight.h>
#include <kickdrift/contact/impulses/active_contact.h>

#include <vector>

namespace KickDrift
{
/**
 * Where contacts are: now, and at the end of their flights.
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
                  const Facets<spacedim> &facets, SurfaceFlight<spacedim> &in_flight,
                  const std::vector<Obstacle<spacedim>> &obstacles);

  /// Where a contact that is remembered is at present. Returns false if the two do not touch any
  /// more; its stencil is that of where they are all the same, or has no nodes if they are nowhere
  /// near each other.
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

  /// Mean of the normals of facets that have a place in common, each with the angle that it has
  /// there: what does not depend on how a surface is divided (Baerentzen & Aanaes 2005), and lets
  /// mirror images be their own.
  Vector mean_normal(const std::vector<Foot<spacedim>> &there, double duration) const;

  /// Set a stencil to a point and a place on a facet.
  void set(ContactStencil<spacedim> &stencil, const ContactKey &key,
           const std::array<double, spacedim> &weights) const;
  /// The same of places on two edges.
  void set_edges(ContactStencil<spacedim> &stencil, const ContactKey &key,
                 const std::array<double, 2> &place) const;

private:
  void add_corner(ContactStencil<spacedim> &stencil, unsigned int corner, double weight) const;
  void add_point(ContactStencil<spacedim> &stencil, unsigned int point) const;
  std::vector<Foot<spacedim>> all_at_one_place(unsigned int point, const Foot<spacedim> &foot,
                                               double duration) const;
  void keep_best(unsigned int point, std::vector<Foot<spacedim>> &there, double duration) const;
  void measure_on_facet(ActiveContact<spacedim> &contact);
  void measure_on_edges(ActiveContact<spacedim> &contact);
  void measure_on_obstacle(ActiveContact<spacedim> &contact);
  /// The same of points on facets, and of edges, that touch at a distance. Returns whether those
  /// that are remembered are still what is nearest.
  bool find_present_at_offset(ActiveContact<spacedim> &contact, double &gap);
  void meet_at_offset(ActiveContact<spacedim> &contact, double time);
  void measure_at_offset(ActiveContact<spacedim> &contact);
  /// Where the two are nearest to each other after @p duration; with @p over_surface also beside
  /// the facet, where its surface is nearer.
  struct Near
  {
    unsigned int facet;                   ///< of the surface
    std::array<double, spacedim> weights; ///< of its corners
    NearestOnEdges edges;                 ///< of edges
    Vector apart;                         ///< from the second to the first [length]
  };
  Near nearest(const ContactKey &key, double duration, bool over_surface);
  /// Set where impulses act to there.
  void set_near(ContactStencil<spacedim> &stencil, const ContactKey &key, const Near &near) const;
  /// Of facets of a rigid body: the node that is furthest behind its plane.
  void find_apexes();
  /// Is a facet that of a rigid body?
  bool is_rigid(unsigned int facet) const;
  /// Add a place as a part of the rigid body that a facet belongs to.
  void add_place(ContactStencil<spacedim> &stencil, const Point &place, unsigned int facet,
                 double weight);
  /// Both sides of a contact act where the point is, so that friction has no moment either, if the
  /// facet is that of a rigid body.
  bool set_to_point(ContactStencil<spacedim> &stencil, const ContactKey &key);
  /// The same where one of the edges is, if the other one is that of a rigid body.
  bool set_to_edge(ContactStencil<spacedim> &stencil, const ContactKey &key,
                   const std::array<double, 2> &place);

  const NodeTable<spacedim> &nodes;
  const Surface<spacedim> &surface;
  const Facets<spacedim> &facets;
  SurfaceFlight<spacedim> &in_flight;
  const std::vector<Obstacle<spacedim>> &obstacles;
  std::vector<unsigned int> apexes; ///< by facet, places; empty without rigid bodies
};
} // namespace KickDrift

#endif
