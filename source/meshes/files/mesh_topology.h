#ifndef KICKDRIFT_SOURCE_MESHES_FILES_MESH_TOPOLOGY_H
#define KICKDRIFT_SOURCE_MESHES_FILES_MESH_TOPOLOGY_H

#include "mesh_file_text.h"

#include <map>

namespace KickDrift
{
/**
 * Checks that the cells of a mesh fit together: nodes of a cell are different, no two cells have
 * the same nodes, and no face belongs to more than two cells. deal.II 9.4 may never return from
 * meshes in which this is not so.
 */
class MeshTopology
{
public:
  /// Add a cell: triangle or quadrilateral (@p dimension 2), tetrahedron or hexahedron (3), its
  /// nodes in the order that Gmsh, Abaqus, UCD, VTK and UNV share. Others are ignored.
  void add(unsigned int dimension, const std::vector<long> &nodes, std::size_t line);

  /// Throws BrokenMeshFile for cells of the highest dimension that do not fit together.
  void check() const;

private:
  struct Cells
  {
    std::map<std::vector<long>, unsigned int> n_cells; ///< with these ascending nodes, and faces
    std::string complaint;                             ///< the first
    std::size_t line = 0;
  };
  std::map<unsigned int, Cells> by_dimension;
};
} // namespace KickDrift

#endif
