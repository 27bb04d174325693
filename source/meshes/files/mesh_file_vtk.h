#ifndef KICKDRIFT_SOURCE_MESHES_FILES_MESH_FILE_VTK_H
#define KICKDRIFT_SOURCE_MESHES_FILES_MESH_FILE_VTK_H

#include "mesh_file_text.h"

namespace KickDrift
{
/// Check a VTK file, including its tables MaterialID and ManifoldID. Throws BrokenMeshFile.
void check_vtk(const MeshFileLines &lines);
} // namespace KickDrift

#endif
