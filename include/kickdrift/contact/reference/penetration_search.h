// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef KICKDRIFT_CONTACT_REFERENCE_PENETRATION_SEARCH_H
#define KICKDRIFT_CONTACT_REFERENCE_PENETRATION_SEARCH_H

#include <kickdrift/contact/impulses/contact_geometry.h>
#include <kickdrift/contact/search/proximity.h>

#include <vector>

namespace KickDrift
{
/// What is tested for contact in one go.
struct ContactTest
{
  ContactKind kind;    ///< point_on_facet: a point against all bodies
  unsigned int number; ///< of the point, or of the edge
  unsigned int target; ///< an obstacle, otherwise nothing
};

/**
 * Finds what points and edges have penetrated at an instant. A point is inside a body if it is
 * behind the nearest place of its surface, where edges and corners have the mean normal of their
 * facets (Baerentzen & Aanaes 2005); it is answered by the nearest facet that faces it. Two edges
 * penetrate if each is inside the body of the other where they are nearest.
 *
 * Nothing is remembered: what has gone through a thin body is in front of its other side, and what
 * is further inside than its own length is not seen. Of different bodies only; a point touches one
 * at a time.
 */
template <int spacedim>
class PenetrationSearch
{
public:
  /// All must outlive it. @p features : edges that take part.
  PenetrationSearch(const Surface<spacedim> &surface, const Facets<spacedim> &facets,
                    Flights<spacedim> &flights, SurfaceFlight<spacedim> &in_flight,
                    const ContactGeometry<spacedim> &geometry, const Proximity<spacedim> &proximity,
                    const std::vector<Obstacle<spacedim>> &obstacles,
                    const std::vector<unsigned int> &features);

  /// Of all that may touch something.
  const std::vector<ContactTest> &
  tests() const
  {
    return all_tests;
  }

  /// Nodes that carry it, of the table.
  std::vector<unsigned int> nodes_of(const ContactTest &test) const;

  /// Characteristic length [length].
  double length_of(const ContactTest &test) const;

  /// What it touches, or has in front of it, now. @p short_time : much shorter than all steps, for
  /// the velocities of obstacles [time].
  ContactPoint<spacedim> find(const ContactTest &test, double short_time);

private:
  using Vector = dealii::Tensor<1, spacedim>;

  /// Where a point is, of one body.
  struct Place
  {
    double distance;                               ///< of its surface [length]
    bool is_inside;                                ///< or on it
    std::vector<NearestPlace<spacedim>> on_facets; ///< of all that were looked at
  };

  /// @p some : facets of one body, those that are nearest among them.
  Place find_place(const dealii::Point<spacedim> &point,
                   const std::vector<unsigned int> &some) const;
  ContactPoint<spacedim> find_body(unsigned int point);
  ContactPoint<spacedim> find_obstacle(unsigned int point, unsigned int obstacle,
                                       double short_time);
  ContactPoint<spacedim> find_edge(unsigned int edge);
  /// Outwards, of no particular length.
  Vector normal_of_point(unsigned int point);
  double length_of_edge(unsigned int edge) const;

  const Surface<spacedim> &surface;
  const Facets<spacedim> &facets;
  Flights<spacedim> &flights;
  SurfaceFlight<spacedim> &in_flight;
  const ContactGeometry<spacedim> &geometry;
  const Proximity<spacedim> &proximity;
  const std::vector<Obstacle<spacedim>> &obstacles;
  std::vector<ContactTest> all_tests;
};
} // namespace KickDrift

#endif
