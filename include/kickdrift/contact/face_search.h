#ifndef KICKDRIFT_CONTACT_FACE_SEARCH_H
#define KICKDRIFT_CONTACT_FACE_SEARCH_H

#include <kickdrift/contact/hierarchy.h>
#include <kickdrift/contact/surface.h>
#include <kickdrift/nodes/node_table.h>

#include <deal.II/base/array_view.h>

namespace KickDrift
{
/**
 * Finds the faces near a point or an edge while nodes move at their own times.
 *
 * Every surface node has a safe box: as long as its straight path stays inside, nothing needs to be
 * done, so most kicks cost one comparison. The box of a face contains the safe boxes of its nodes.
 * A node's path must be checked whenever its velocity changes, up to the time of its next kick at
 * the latest (its horizon); then boxes are never too small.
 */
template <int spacedim>
class FaceSearch
{
public:
  using Vector = dealii::Tensor<1, spacedim>;

  FaceSearch(const NodeTable<spacedim> &nodes, const Surface<spacedim> &surface);

  /// Build the hierarchy; @p horizons : by node of the table, longest time to its next kick [time].
  void build(const std::vector<double> &horizons);

  /// The velocities of these nodes have changed at their own times.
  void nodes_moved(dealii::ArrayView<const unsigned int> nodes);

  /**
   * Append to @p faces those that may come within @p radius of @p box and whose normal n may have
   * n . @p outward <= @p limit.
   */
  void candidates(Box<spacedim> box, double radius, const Vector &outward, double limit,
                  std::vector<unsigned int> &faces) const;

  /// Outward unit normal of a face, as it was when its box was last refitted.
  const Vector &
  face_normal(const unsigned int face) const
  {
    return face_normals[face];
  }

  /// Grows by one whenever a face has turned by 0.25 (difference of unit normals) since it last
  /// grew.
  unsigned int
  n_turns() const
  {
    return turns;
  }

  /// Unit normal of a surface node: mean over its faces, as they were when their boxes were last
  /// refitted. Zero if they cancel.
  Vector nodal_normal(unsigned int node) const;

  /// Largest distance of two corners of the face in the reference configuration [length].
  double
  face_size(const unsigned int face) const
  {
    return face_sizes[face];
  }

  /// Faces that contain the surface node.
  dealii::ArrayView<const unsigned int>
  faces_of_node(const unsigned int node) const
  {
    const unsigned int i = index_of_node[node];
    return dealii::ArrayView<const unsigned int>(node_faces.data() + node_face_offsets[i],
                                                 node_face_offsets[i + 1] - node_face_offsets[i]);
  }

private:
  struct SafeBox
  {
    std::array<double, spacedim> lower, upper; ///< of the displacement [length]
    double horizon;                            ///< [time]
    double reach;                              ///< shortest edge at the node [length]
  };

  void fit_safe_box(unsigned int node);
  Box<spacedim> face_box(unsigned int face) const;
  static Box<spacedim> box_of_directions(const Vector &normal);
  Vector current_normal(unsigned int face, double time) const;

  const NodeTable<spacedim> &nodes;
  const Surface<spacedim> &surface;
  std::vector<unsigned int> index_of_node; ///< dense index of surface nodes
  std::vector<SafeBox> safe_boxes;
  std::vector<std::size_t> node_face_offsets;
  std::vector<unsigned int> node_faces;
  std::vector<Vector> face_normals;
  std::vector<Vector> listed_normals;  ///< that the boxes of directions in the hierarchy are for
  std::vector<Vector> normals_at_turn; ///< when n_turns() last grew
  unsigned int turns = 0;
  std::vector<double> face_sizes;
  Hierarchy<spacedim> hierarchy;
  std::vector<unsigned int> dirty_faces;
  std::vector<char> is_dirty;
};
} // namespace KickDrift

#endif
