#ifndef KICKDRIFT_CONTACT_SURFACE_ERODING_SURFACE_H
#define KICKDRIFT_CONTACT_SURFACE_ERODING_SURFACE_H

#include <kickdrift/contact/surface/exclusions.h>
#include <kickdrift/contact/surface/surface.h>

#include <functional>
#include <vector>

namespace KickDrift
{
/// A body that may lose cells: all faces of its cells, which may all come to bound it.
template <int spacedim>
struct ErodingBody
{
  static constexpr unsigned int nothing = -1; ///< number of no cell

  /// A face of a cell.
  struct Face
  {
    SurfaceFace<spacedim> face; ///< its normal points out of the cell
    unsigned int cell;          ///< that it belongs to
    unsigned int beyond;        ///< cell on its other side, or nothing
  };

  unsigned int number = 0;     ///< of the body in the surface
  std::vector<Face> boundary;  ///< faces with nothing beyond, in the order of the surface
  std::vector<Face> inside;    ///< faces between two cells, each once
  std::vector<Contactor> rim;  ///< of nodes of the boundary, in the order of the surface
  std::vector<Contactor> core; ///< of all other nodes
  std::function<bool(unsigned int cell)> is_deleted; ///< asked for the numbers above
  std::function<unsigned int()> n_deleted;           ///< how many cells have been deleted so far
};

/**
 * The surface of bodies that lose cells during a run. With a deleted cell the faces go that it had
 * on the surface, and those between it and its neighbours begin to bound these. Nodes are
 * contactors as long as they belong to one of the faces: those whose cells have all been deleted
 * are free masses that touch nothing any more.
 */
template <int spacedim>
class ErodingSurface
{
public:
  /// There may be none of the bodies.
  explicit ErodingSurface(std::vector<ErodingBody<spacedim>> bodies);

  /// Number of cells that have been deleted so far.
  unsigned int n_deleted() const;

  /**
   * The surface as it is now. Faces that cells have bared have the boundary id
   * dealii::numbers::internal_face_boundary_id; without deleted cells it is @p first.
   * @param first as it was at the start; what @p exclusions exclude has been taken out of it
   */
  Surface<spacedim> now(const Surface<spacedim> &first,
                        const Exclusions &exclusions = Exclusions()) const;

  /// All nodes that may come to the surface, ascending.
  std::vector<unsigned int> nodes() const;

private:
  const std::vector<ErodingBody<spacedim>> bodies;
};
} // namespace KickDrift

#endif
