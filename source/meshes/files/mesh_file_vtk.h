#ifndef KICKDRIFT_SOURCE_MESHES_FILES_MESH_FILE_VTK_H
#define KICKDRIFT_SOURCE_MESHES_FILES_MESH_FILE_VTK_H

#include "mesh_file_text.h"

namespace KickDrift
{
/**
 * Check a VTK file, including its tables MaterialID and ManifoldID. Throws BrokenMeshFile.
 * @return what there is to be read: the mesh and these tables. deal.II 9.7 does not find them
 * behind others.
 */
std::string checked_vtk(const MeshFileLines &lines);
} // namespace KickDrift

#endif
