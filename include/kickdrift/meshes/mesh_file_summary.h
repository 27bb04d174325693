#ifndef KICKDRIFT_MESHES_MESH_FILE_SUMMARY_H
#define KICKDRIFT_MESHES_MESH_FILE_SUMMARY_H

#include <map>
#include <string>

namespace KickDrift
{
/// What a mesh file says about the material of some of its cells.
struct MeshMaterial
{
  double density = 0;        ///< [mass/length^3]
  double youngs_modulus = 0; ///< [stress]
  double poissons_ratio = 0; ///< [-]
  double thickness = 0;      ///< of shells; 0: not said [length]
};

/// By the name of a group of cells, see MeshNames.
using MeshMaterials = std::map<std::string, MeshMaterial>;

/// What a mesh file holds.
struct MeshFileSummary
{
  unsigned int dimension = 3; ///< of space
  bool is_shell = false;      ///< triangles or quadrilaterals that are not in the plane z = 0
  double diameter = 0;        ///< from the smallest to the largest coordinates [length]
  MeshMaterials materials;    ///< of Abaqus' and LS-DYNA's files, as far as they are elastic
};

/**
 * Look at a mesh file, see read_mesh_file(). Solids go before shells, and these before plane meshes
 * that are not in the plane z = 0. Throws dealii::ExceptionBase as read_mesh_file() does.
 */
MeshFileSummary summarise_mesh_file(const std::string &file);
} // namespace KickDrift

#endif
