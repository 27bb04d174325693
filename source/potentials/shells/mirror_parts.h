#ifndef KICKDRIFT_SOURCE_POTENTIALS_SHELLS_MIRROR_PARTS_H
#define KICKDRIFT_SOURCE_POTENTIALS_SHELLS_MIRROR_PARTS_H

#include <kickdrift/potentials/shells/shell_mesh.h>

#include <vector>

namespace KickDrift
{
/// The edges of a shell that keep their normals are parts of the boundary, each as long as one edge
/// follows the other without a corner.
struct MirrorParts
{
  explicit MirrorParts(const ShellMesh &mesh);

  /// By place in ShellMesh::edges_with_normals().
  std::vector<unsigned int> parts;
  /// By node: a place of an edge if two edges of one part meet in it, else ShellMesh::none.
  std::vector<unsigned int> edge_of_inner_node;
};
} // namespace KickDrift

#endif
