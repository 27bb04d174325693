#ifndef KICKDRIFT_SOURCE_MESHES_FILES_ABAQUS_MESH_H
#define KICKDRIFT_SOURCE_MESHES_FILES_ABAQUS_MESH_H

#include "labelled_mesh.h"

namespace KickDrift
{
/**
 * The mesh in an Abaqus input file: nodes, elements, and sets of them, and densities and isotropic
 * elasticity of the materials that sections give to them. Of the rest of the file nothing is read.
 */
struct AbaqusMesh : LabelledMesh
{
  /// Throws BrokenMeshFile, with the line where it can.
  explicit AbaqusMesh(const MeshFileLines &lines);

  MeshMaterials materials() const override;

private:
  /// Line with a keyword: "*ELSET, ELSET=left, GENERATE".
  struct Keyword
  {
    explicit Keyword(const MeshFileLine &line);

    /// Value of a parameter, empty if it is not there.
    std::string value(const std::string &parameter) const;

    /// Is a surface one of nodes?
    bool is_of_nodes() const;

    std::string word;                              ///< upper case, "*ELSET"
    std::map<std::string, std::string> parameters; ///< by name in upper case
  };

  /// The set that the data lines of a keyword fill, or null.
  Set *set_of(const Keyword &keyword, std::size_t line);
  Sets &sets_of(const Keyword &keyword);
  void read_data(const MeshFileLine &line, const Keyword &keyword, Set *set);
  void read_node(const MeshFileLine &line);
  void read_element(const MeshFileLine &line, const Keyword &keyword);
  void read_side(const MeshFileLine &line, const std::string &surface);
  void read_members(const MeshFileLine &line, const Keyword &keyword, Set &set);
  /// Add a label, or the labels of another set.
  void add_members(const std::string &word, const Sets &sets, std::size_t line, Set &set);
  /// Count members that do not stand in the file themselves, but as a set or a range of which
  /// there are @p n. A short file could have any number of them.
  void count_expanded(std::size_t n, std::size_t line);
  void read_section(const MeshFileLine &line, const Keyword &keyword);

  /// Which set of elements is of which material.
  struct Section
  {
    std::string set, material; ///< the material in upper case
    MeshFileLine line;         ///< the first one of data; a shell's thickness
    bool is_shell;
  };

  std::size_t n_expanded = 0;
  std::vector<Section> sections;
  std::string material;                                        ///< the last one named, upper case
  std::map<std::string, MeshFileLine> densities, elasticities; ///< by material: first line of data
};
} // namespace KickDrift

#endif
