#ifndef KICKDRIFT_SOURCE_CASES_MESH_FILE_CHECKS_H
#define KICKDRIFT_SOURCE_CASES_MESH_FILE_CHECKS_H

#include <string>

namespace KickDrift
{
/// Complaint about the content of a mesh file.
struct BrokenMeshFile
{
  std::string reason;
};

/**
 * Check that a mesh file can be read and that its sections are complete: counts agree with the
 * lines that follow, numbers are numbers, and elements refer to nodes that exist. Returns the name
 * of the format: msh, abaqus, ucd, vtk or unv. Throws BrokenMeshFile.
 */
std::string check_mesh_file(const std::string &file);
} // namespace KickDrift

#endif
