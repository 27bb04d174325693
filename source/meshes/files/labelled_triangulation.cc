#include "labelled_mesh.h"
#include "mesh_topology.h"

#include <deal.II/grid/grid_in.h>
#include <deal.II/grid/tria_description.h>

#include <algorithm>
#include <iomanip>
#include <optional>
#include <sstream>

namespace KickDrift
{
using namespace dealii;

namespace
{
using Label = LabelledMesh::Label;
using Element = LabelledMesh::Element;
using IdsByName = MeshNames::IdsByName<unsigned int>;

/// 7 for "EB7", as deal.II reads it.
std::optional<unsigned int>
id_of_name(const std::string &name, const std::string &prefix)
{
  const std::string rest = upper_case(name).substr(std::min(prefix.size(), name.size()));
  if (starts_with(upper_case(name), prefix) && is_digits(rest) && rest.size() < 10)
    return std::stoul(rest);
  return {};
}

/// Which sets a cell or a face of the boundary belongs to.
struct Membership
{
  std::optional<unsigned int> id; ///< that a name such as EB7 gives
  std::set<std::string> names;

  void
  add(const std::string &name, const std::string &prefix)
  {
    names.insert(name);
    if (const auto of_name = id_of_name(name, prefix))
      id = of_name;
  }

  /// The id that the file gives; 0 to what is in no set, and none to what is in sets without
  /// numbers: they are not parts of 0.
  std::optional<unsigned int>
  id_of_file() const
  {
    return names.empty() ? 0 : id;
  }

  bool
  operator<(const Membership &other) const
  {
    return std::tie(id, names) < std::tie(other.id, other.names);
  }
};

/// Ids for all members, one for each kind of membership, and the names that stand for them.
IdsByName
choose_ids(const std::vector<Membership> &members, std::vector<unsigned int> &ids)
{
  std::map<Membership, unsigned int> id_of_kind;
  unsigned int next = 1;
  for (const auto &member : members)
  {
    id_of_kind.emplace(member, 0);
    next = std::max(next, member.id_of_file().value_or(0) + 1);
  }
  // the first kind of an id of the file keeps it, others get new ones
  std::map<unsigned int, std::set<unsigned int>> parts;
  IdsByName names;
  for (auto &[kind, id] : id_of_kind)
  {
    const auto of_file = kind.id_of_file();
    id = of_file && parts.count(*of_file) == 0 ? *of_file : next++;
    if (of_file)
      parts[*of_file].insert(id);
    for (const auto &name : kind.names)
      names[name].insert(id);
  }
  for (const auto &[id, ids_of_parts] : parts)
    if (ids_of_parts.size() > 1)
      names.emplace(std::to_string(id), ids_of_parts);
  ids.clear();
  for (const auto &member : members)
    ids.push_back(id_of_kind.at(member));
  return names;
}

bool
is_tetrahedron(const Element &element)
{
  return element.nodes.size() == 4 && starts_with(element.type, "C3D");
}

/// Corners of the sides S1, S2, ... of an element; none of beams.
const std::vector<std::vector<unsigned int>> &
sides_of(const Element &element)
{
  static const std::vector<std::vector<unsigned int>> none,
      triangle = {{0, 1}, {1, 2}, {2, 0}}, quadrilateral = {{0, 1}, {1, 2}, {2, 3}, {3, 0}},
      tetrahedron = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}},
      hexahedron = {{0, 1, 2, 3}, {4, 7, 6, 5}, {0, 4, 5, 1},
                    {1, 5, 6, 2}, {2, 6, 7, 3}, {3, 7, 4, 0}};
  const std::size_t n = element.nodes.size();
  return n == 3                    ? triangle
         : n == 8                  ? hexahedron
         : n != 4                  ? none
         : is_tetrahedron(element) ? tetrahedron
                                   : quadrilateral;
}

/// Makes a triangulation of a mesh and applies the sets to it.
template <int dim, int spacedim>
class Maker
{
public:
  Maker(const LabelledMesh &mesh, Triangulation<dim, spacedim> &triangulation)
      : mesh(mesh), triangulation(triangulation)
  {
    find_cells();
    number_vertices();
    fill();
    restore_positions();
    index_faces();
  }

  MeshNames
  apply_sets()
  {
    for (const auto &entry : mesh.element_sets)
      apply_elements(entry.second);
    for (const auto &entry : mesh.node_sets)
      apply_nodes(entry.second);
    for (const auto &side : mesh.sides)
      apply_side(side);
    MeshNames names;
    std::vector<unsigned int> ids;
    names.materials = choose_ids(of_cells, ids);
    for (const auto &cell : triangulation.active_cell_iterators())
      cell->set_material_id(ids[cell->active_cell_index()]);
    names.boundaries = choose_ids(of_faces, ids);
    for (unsigned int f = 0; f < faces.size(); ++f)
      faces[f]->set_boundary_id(ids[f]);
    return names;
  }

private:
  void
  find_cells()
  {
    MeshTopology topology;
    for (const Element &element : mesh.elements)
    {
      const std::size_t n = element.nodes.size();
      const bool is_solid = n == 8 || is_tetrahedron(element);
      require_in_line((n >= 2 && n <= 4 && !is_solid) || (is_solid && dim == 3), element.line,
                      "elements of type '" + element.type + "' with " + std::to_string(n) +
                          " nodes are not supported in " + std::to_string(dim) +
                          " dimensions; such files may have linear triangles, quadrilaterals, "
                          "tetrahedra and hexahedra");
      if (dim == 2 ? n == 2 : !is_solid)
        continue;
      require_in_line(
          cells.empty() || cells[0]->nodes.size() == n, element.line,
          "it has another number of nodes, " + std::to_string(n) +
              ", than elements before it; all cells of a mesh must be of the same kind");
      cell_of_label[element.label] = cells.size();
      cells.push_back(&element);
      topology.add(dim, element.nodes, element.line);
    }
    topology.check();
    require(!cells.empty(), dim == 2
                                ? "it has no triangles or quadrilaterals (elements of 3 or 4 nodes)"
                                : "it has no tetrahedra (C3D4) or hexahedra (elements of 8 nodes)");
    of_cells.resize(cells.size());
  }

  /// Nodes of cells in the order of the file, as deal.II counts them.
  void
  number_vertices()
  {
    std::set<Label> used;
    for (const auto *cell : cells)
      used.insert(cell->nodes.begin(), cell->nodes.end());
    for (const auto &node : mesh.nodes)
      if (used.count(node.label) > 0)
      {
        vertex_of_label.emplace(node.label, positions.size());
        positions.emplace_back();
        for (unsigned int d = 0; d < spacedim; ++d)
          positions.back()[d] = node.position[d];
      }
  }

  void
  fill_with_simplices()
  {
    std::vector<CellData<dim>> data;
    for (const auto *cell : cells)
    {
      data.emplace_back(dim + 1);
      for (unsigned int v = 0; v <= dim; ++v)
        data.back().vertices[v] = vertex_of_label.at(cell->nodes[v]);
    }
    triangulation.create_triangulation(positions, data, SubCellData());
  }

  /// Let deal.II read nodes and cells, which knows how to turn quadrilaterals and hexahedra.
  void
  fill()
  {
    if (cells[0]->nodes.size() == dim + 1)
      return fill_with_simplices();
    std::stringstream text;
    text << std::setprecision(17) << "*NODE\n";
    for (unsigned int v = 0; v < positions.size(); ++v)
    {
      text << v + 1;
      for (unsigned int d = 0; d < 3; ++d)
        text << ", " << (d < spacedim ? positions[v][d] : 0.);
      text << '\n';
    }
    text << "*ELEMENT\n";
    for (unsigned int c = 0; c < cells.size(); ++c)
    {
      text << c + 1;
      for (const Label node : cells[c]->nodes)
        text << ", " << vertex_of_label.at(node) + 1;
      text << '\n';
    }
    GridIn<dim, spacedim>(triangulation).read(text, GridIn<dim, spacedim>::abaqus);
  }

  /// Coordinates have lost digits on the way through deal.II; cells must be in the same order.
  void
  restore_positions()
  {
    for (const auto &cell : triangulation.active_cell_iterators())
    {
      std::set<unsigned int> expected, found;
      for (const Label node : cells[cell->active_cell_index()]->nodes)
        expected.insert(vertex_of_label.at(node));
      for (const unsigned int v : cell->vertex_indices())
      {
        found.insert(cell->vertex_index(v));
        cell->vertex(v) = positions.at(cell->vertex_index(v));
      }
      AssertThrow(expected == found,
                  ExcMessage("deal.II has read cell " + std::to_string(cell->active_cell_index()) +
                             " with other vertices than it was given."));
    }
  }

  void
  index_faces()
  {
    faces_of_vertex.resize(positions.size());
    for (const auto &face : triangulation.active_face_iterators())
      if (face->at_boundary())
      {
        std::vector<unsigned int> vertices;
        for (const unsigned int v : face->vertex_indices())
          vertices.push_back(face->vertex_index(v));
        std::sort(vertices.begin(), vertices.end());
        for (const unsigned int vertex : vertices)
          faces_of_vertex[vertex].push_back(faces.size());
        face_of_vertices.emplace(vertices, faces.size());
        faces.push_back(face);
      }
    of_faces.resize(faces.size());
  }

  /// The part of the boundary with these corners, if there is one, belongs to set @p name.
  void
  apply_face(const std::vector<Label> &corners, const std::string &name)
  {
    std::vector<unsigned int> vertices;
    for (const Label corner : corners)
      if (vertex_of_label.count(corner) > 0)
        vertices.push_back(vertex_of_label.at(corner));
    std::sort(vertices.begin(), vertices.end());
    const auto face = face_of_vertices.find(vertices);
    if (face != face_of_vertices.end())
      of_faces[face->second].add(name, "SS");
  }

  void
  apply_elements(const LabelledMesh::Set &set)
  {
    for (const auto &[label, line] : set.line_of_label)
    {
      const auto cell = cell_of_label.find(label);
      if (cell != cell_of_label.end())
        of_cells[cell->second].add(set.name, "EB");
      else
        apply_face(mesh.elements[mesh.element_of_label.at(label)].nodes, set.name);
    }
  }

  /// Faces with all their corners in a set of nodes belong to it.
  void
  apply_nodes(const LabelledMesh::Set &set)
  {
    std::map<unsigned int, unsigned int> n_corners; // in the set, by face
    for (const auto &[label, line] : set.line_of_label)
    {
      const auto vertex = vertex_of_label.find(label);
      if (vertex != vertex_of_label.end())
        for (const unsigned int face : faces_of_vertex[vertex->second])
          ++n_corners[face];
    }
    for (const auto &[face, n] : n_corners)
      if (n == faces[face]->n_vertices())
        of_faces[face].names.insert(set.name);
  }

  void
  apply_side(const LabelledMesh::Side &side)
  {
    for (const Label label : side.elements)
    {
      const Element &element = mesh.elements[mesh.element_of_label.at(label)];
      const auto &sides = sides_of(element);
      require_in_line(side.side <= sides.size(), side.line,
                      "element " + std::to_string(label) + " has no side S" +
                          std::to_string(side.side));
      std::vector<Label> corners;
      for (const unsigned int corner : sides[side.side - 1])
        corners.push_back(element.nodes[corner]);
      apply_face(corners, side.surface);
    }
  }

  const LabelledMesh &mesh;
  Triangulation<dim, spacedim> &triangulation;
  std::vector<const Element *> cells;
  std::unordered_map<Label, unsigned int> cell_of_label, vertex_of_label;
  std::vector<Point<spacedim>> positions; ///< by vertex [length]
  std::vector<typename Triangulation<dim, spacedim>::active_face_iterator>
      faces; ///< of the boundary
  std::map<std::vector<unsigned int>, unsigned int> face_of_vertices;
  std::vector<std::vector<unsigned int>> faces_of_vertex;
  std::vector<Membership> of_cells, of_faces;
};
} // namespace

template <int dim, int spacedim>
MeshNames
make_labelled_mesh(const LabelledMesh &mesh, Triangulation<dim, spacedim> &triangulation)
{
  return Maker<dim, spacedim>(mesh, triangulation).apply_sets();
}

template MeshNames make_labelled_mesh(const LabelledMesh &, Triangulation<2> &);
template MeshNames make_labelled_mesh(const LabelledMesh &, Triangulation<2, 3> &);
template MeshNames make_labelled_mesh(const LabelledMesh &, Triangulation<3> &);
} // namespace KickDrift
