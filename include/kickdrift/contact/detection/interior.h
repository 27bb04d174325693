#ifndef KICKDRIFT_CONTACT_DETECTION_INTERIOR_H
#define KICKDRIFT_CONTACT_DETECTION_INTERIOR_H

#include <kickdrift/contact/search/hierarchy.h>
#include <kickdrift/contact/surface/surface.h>
#include <kickdrift/nodes/node_table.h>

#include <array>
#include <utility>
#include <vector>

namespace KickDrift
{
/// Largest distance of two corners of a face, where they are at present [length].
template <int spacedim>
double present_size(const SurfaceFace<spacedim> &face, const NodeTable<spacedim> &nodes);

/**
 * The inside of one body, as its closed boundary bounds it.
 *
 * A point is inside if a ray from it leaves the body once more than it enters. The ray is moved
 * sideways by 1e-7 of a face, so that it does not run through edges: points closer to the boundary
 * than that may count as either.
 */
template <int spacedim>
class Interior
{
public:
  /// Copies the positions of the nodes of a body that has the @p faces, indices into
  /// Surface::faces, ascending, and @p closures that belong to its boundary but are not looked at.
  Interior(const NodeTable<spacedim> &nodes, const Surface<spacedim> &surface,
           const std::vector<unsigned int> &faces,
           const std::vector<SurfaceFace<spacedim>> &closures = {});

  /// Is a point inside?
  bool
  contains(const dealii::Point<spacedim> &point) const
  {
    return winding(point) > 0;
  }

  /// How often the boundary goes around a point: two where parts of the body overlap.
  int winding(const dealii::Point<spacedim> &point) const;

  /// The face nearest to @p point with its distance [length]; the body must have faces.
  std::pair<unsigned int, double> nearest_face(const dealii::Point<spacedim> &point) const;

  /// Largest distance of two corners of a face of this body [length].
  double face_size(unsigned int face) const;

  /// Faces of the body, indices into Surface::faces.
  const std::vector<unsigned int> &
  faces() const
  {
    return face_ids;
  }

  /// A point at @p depth times its size behind the middle of face @p i of faces().
  dealii::Point<spacedim> point_behind(unsigned int i, double depth) const;

private:
  struct Face
  {
    std::array<dealii::Point<spacedim>, SurfaceFace<spacedim>::max_nodes> corners;
    unsigned int n_corners;
    double size;
  };

  std::vector<Face> corners; ///< of the faces, then of the closures
  std::vector<unsigned int> face_ids;
  Hierarchy<spacedim> hierarchy;
  Box<spacedim> bounds;
  double shift = 0; ///< of rays, sideways [length]
};
} // namespace KickDrift

#endif
