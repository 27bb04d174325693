#ifndef KICKDRIFT_SOURCE_MESHES_FILES_MESH_FILE_VTK_H
#define KICKDRIFT_SOURCE_MESHES_FILES_MESH_FILE_VTK_H

#include "mesh_file_text.h"

namespace KickDrift
{
/// Check a VTK file, including its tables MaterialID and ManifoldID. Throws BrokenMeshFile.
void check_vtk(const MeshFileLines &lines);

/**
 * Replace numbers that are not finite in tables of a file that has been checked. Nobody reads these
 * tables, but deal.II 9.7 does not find what stands behind such a number.
 */
void replace_unread_values(MeshFileLines &lines);
} // namespace KickDrift

#endif
