#ifndef KICKDRIFT_SOURCE_MESHES_FILES_LABELLED_MESH_H
#define KICKDRIFT_SOURCE_MESHES_FILES_LABELLED_MESH_H

#include "mesh_file_text.h"

#include <kickdrift/meshes/mesh_file_summary.h>
#include <kickdrift/meshes/mesh_names.h>

#include <deal.II/grid/tria.h>

#include <map>
#include <unordered_map>

namespace KickDrift
{
/// The mesh in an input file of another program, which counts nodes and elements by labels: nodes,
/// elements, and sets of them.
struct LabelledMesh
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
    std::string type; ///< as Abaqus calls it, upper case, "C3D8R"
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

  std::vector<Node> nodes;
  std::vector<Element> elements;
  std::unordered_map<Label, std::size_t> node_of_label, element_of_label;
  Sets element_sets, node_sets;
  std::vector<Side> sides;

  /// What the file says about the material of sets of elements, by their names. Throws
  /// BrokenMeshFile for what is no number.
  virtual MeshMaterials materials() const = 0;

  virtual ~LabelledMesh() = default;

protected:
  /// Throw BrokenMeshFile if there is one with that label.
  void add_node(const Node &node, std::size_t line);
  void add_element(const Element &element);
  /// Throw BrokenMeshFile if there is nothing, or if elements or sets have what does not exist.
  void check() const;
};

/**
 * Fill the empty @p triangulation with the triangles or quadrilaterals (dim = 2) or the tetrahedra
 * or hexahedra (dim = 3) of a mesh, and set material and boundary ids. Surfaces, sets of nodes, and
 * sets of elements of one dimension less name parts of the boundary.
 *
 * deal.II's reader of Abaqus' files knows ids only where names have the form EB7 (element sets) and
 * SS7 (surfaces), and stumbles over much that it does not expect. So it is given nodes and cells
 * alone, and the sets are applied afterwards. Throws BrokenMeshFile.
 */
template <int dim, int spacedim>
MeshNames make_labelled_mesh(const LabelledMesh &mesh,
                             dealii::Triangulation<dim, spacedim> &triangulation);
} // namespace KickDrift

#endif
