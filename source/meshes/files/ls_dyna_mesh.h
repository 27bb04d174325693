#ifndef KICKDRIFT_SOURCE_MESHES_FILES_LS_DYNA_MESH_H
#define KICKDRIFT_SOURCE_MESHES_FILES_LS_DYNA_MESH_H

#include "labelled_mesh.h"

namespace KickDrift
{
/**
 * The mesh in an LS-DYNA keyword deck (.k, .key, .dyn): nodes, solid and shell elements, parts and
 * sets of nodes; density, Young's modulus and Poisson's ratio of the materials of parts, and the
 * thickness of shells. Of the rest nothing is read.
 *
 * Cards have columns of fixed width, or commas. Solids are tetrahedra if their last nodes are the
 * same. Sets of elements have the titles of parts, or "part 7".
 */
struct LsDynaMesh : LabelledMesh
{
  /// Throws BrokenMeshFile, with the line where it can.
  explicit LsDynaMesh(const MeshFileLines &lines);

  MeshMaterials materials() const override;

private:
  /// Lines of data after a line with a keyword; comments are left out.
  struct Block
  {
    MeshFileLine keyword;
    std::string word; ///< upper case, without what follows a blank: "*ELEMENT_SOLID"
    MeshFileLines cards;
  };

  struct Part
  {
    Label section, material;
    std::string name;
  };

  void read(const Block &block);
  void read_nodes(const Block &block);
  void read_elements(const Block &block, bool is_solid);
  void read_parts(const Block &block);
  void read_node_set(const Block &block);
  void name_parts();

  std::map<Label, Part> parts;
  std::map<Label, std::vector<std::size_t>> elements_of_part; ///< indices
  std::map<Label, Block> material_blocks, section_blocks;     ///< by id
};

/// Does a file have one of the suffixes of LS-DYNA's decks?
bool is_ls_dyna_file(const std::string &file);
} // namespace KickDrift

#endif
