// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef KICKDRIFT_CONTACT_REFERENCE_TOUCH_SEARCH_H
#define KICKDRIFT_CONTACT_REFERENCE_TOUCH_SEARCH_H

#include <kickdrift/contact/impulses/contact_geometry.h>
#include <kickdrift/contact/search/proximity.h>

#include <vector>

namespace KickDrift
{
/// What is tested for contact in one go.
struct TestedThing
{
  ContactKind kind;    ///< point_on_facet: a point against all bodies
  unsigned int number; ///< of the point, or of the edge
  unsigned int target; ///< an obstacle, otherwise nothing
};

/**
 * Finds what points and edges touch at an instant: points that are behind a facet or an obstacle,
 * and edges behind an edge, both with the sides that their normals say. Nothing is remembered: what
 * is further behind a surface than its own length is taken to be in front of another one.
 *
 * Of different bodies only.
 */
template <int spacedim>
class TouchSearch
{
public:
  /// All must outlive it. @p features : edges that take part.
  TouchSearch(const Surface<spacedim> &surface, const Facets<spacedim> &facets,
              Flights<spacedim> &flights, SurfaceFlight<spacedim> &in_flight,
              const ContactGeometry<spacedim> &geometry, const Proximity<spacedim> &proximity,
              const std::vector<Obstacle<spacedim>> &obstacles,
              const std::vector<unsigned int> &features);

  /// All that may touch something.
  const std::vector<TestedThing> &
  things() const
  {
    return all_things;
  }

  /// Nodes that carry a thing, of the table.
  std::vector<unsigned int> nodes_of(const TestedThing &thing) const;

  /// Characteristic length [length].
  double length_of(const TestedThing &thing) const;

  /// What it touches, or has in front of it, now. @p short_time : much shorter than all steps, for
  /// the velocities of obstacles [time].
  ContactPoint<spacedim> find(const TestedThing &thing, double short_time);

private:
  using Vector = dealii::Tensor<1, spacedim>;

  ContactPoint<spacedim> find_facet(unsigned int point);
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
  std::vector<TestedThing> all_things;
};
} // namespace KickDrift

#endif
