#ifndef KICKDRIFT_SOURCE_MESHES_FILES_ABAQUS_MESH_H
#define KICKDRIFT_SOURCE_MESHES_FILES_ABAQUS_MESH_H

#include "mesh_file_text.h"

#include <kickdrift/meshes/mesh_names.h>

#include <deal.II/grid/tria.h>

#include <map>
#include <unordered_map>

namespace KickDrift
{
/**
 * The mesh in an Abaqus input file: nodes, elements, and sets of them. Of the rest of the file
 * nothing is read.
 */
struct AbaqusMesh
{
  using Label = long;

  struct Node
  {
    Label label;
    dealii::Point<3> position; ///< [length]
  };

  struct Element
  {
    Label label;
    std::vector<Label> nodes;
    std::string type; ///< upper case, "C3D8R"
    std::size_t line; ///< of the file
  };

  struct Set
  {
    std::string name; ///< as it stands in the file; names do not differ by case alone
    std::map<Label, std::size_t> line_of_label; ///< members, and the lines where they stand
  };
  using Sets = std::map<std::string, Set>; ///< by name in upper case

  /// The same side of an element, or of all elements of a set.
  struct Side
  {
    std::string surface;
    std::vector<Label> elements;
    unsigned int side; ///< from 1
    std::size_t line;
  };

  /// Throws BrokenMeshFile, with the line where it can.
  explicit AbaqusMesh(const MeshFileLines &lines);

  std::vector<Node> nodes;
  std::vector<Element> elements;
  std::unordered_map<Label, std::size_t> node_of_label, element_of_label;
  Sets element_sets, node_sets;
  std::vector<Side> sides;

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
  void check_labels() const;

  std::size_t n_expanded = 0;
};

/**
 * Fill the empty @p triangulation with the triangles or quadrilaterals (dim = 2) or the tetrahedra
 * or hexahedra (dim = 3) of a mesh, and set material and boundary ids. Surfaces, sets of nodes, and
 * sets of elements of one dimension less name parts of the boundary.
 *
 * deal.II's reader knows ids only where names have the form EB7 (element sets) and SS7 (surfaces),
 * and stumbles over much that it does not expect. So it is given nodes and cells alone, and the
 * sets are applied afterwards. Throws BrokenMeshFile.
 */
template <int dim, int spacedim>
MeshNames make_abaqus_mesh(const AbaqusMesh &mesh,
                           dealii::Triangulation<dim, spacedim> &triangulation);
} // namespace KickDrift

#endif
