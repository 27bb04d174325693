#ifndef KICKDRIFT_SOURCE_MESHES_FILES_MESH_FILE_CHECKS_H
#define KICKDRIFT_SOURCE_MESHES_FILES_MESH_FILE_CHECKS_H

#include "mesh_file_text.h"

namespace KickDrift
{
/**
 * Check that the sections of a mesh file are complete: counts agree with the lines that follow,
 * numbers are numbers, and elements refer to nodes that exist. Returns the name of the format: msh,
 * ucd or unv; not checked here: abaqus and ls-dyna, see LabelledMesh, and vtk, see checked_vtk().
 * Throws BrokenMeshFile.
 */
std::string check_mesh_file(const std::string &file, const MeshFileLines &lines);

/// In the coordinates of a UNV file, turn Fortran's exponents (1.5D+00), which deal.II does not
/// read, into those of everybody else. Throws BrokenMeshFile if there are no coordinates.
void replace_double_exponents(MeshFileLines &lines);
} // namespace KickDrift

#endif
