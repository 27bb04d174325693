#ifndef KICKDRIFT_SOURCE_POTENTIALS_SHELLS_MIRROR_PLANES_H
#define KICKDRIFT_SOURCE_POTENTIALS_SHELLS_MIRROR_PLANES_H

#include <kickdrift/potentials/shells/shell_mesh.h>

#include <vector>

namespace KickDrift
{
/**
 * In which planes the edges of a shell that keep their normals are reflected. Such edges are parts
 * of the boundary, each as long as one follows the other without a corner.
 *
 * A part that bends and lies in one plane, which the shell crosses, has this plane. So half of a
 * shell is reflected in its plane of symmetry even if its triangles, which are flat, do not cross
 * it at right angles. A straight part has many planes: the one that is square to an axis of
 * coordinates is taken if the shell is curved enough next to the edge to be square to it. Otherwise
 * every edge has the plane that its triangle is square to.
 */
struct MirrorPlanes
{
  explicit MirrorPlanes(const ShellMesh &mesh);

  /// By place in ShellMesh::edges_with_normals().
  std::vector<unsigned int> parts;
  std::vector<dealii::Tensor<1, 3>> normals; ///< the same
  /// By node: a place of an edge if two edges of one part meet in it, else ShellMesh::none.
  std::vector<unsigned int> edge_of_inner_node;
};
} // namespace KickDrift

#endif
