#ifndef KICKDRIFT_TESTS_UNIT_MESHES_MESH_FILES_H
#define KICKDRIFT_TESTS_UNIT_MESHES_MESH_FILES_H

#include <deal.II/grid/tria.h>

#include <filesystem>
#include <fstream>
#include <iomanip>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <unistd.h>

namespace KickDriftTests
{
using namespace dealii;

/// A file that is there as long as the object is, whatever is thrown.
class TemporaryFile
{
public:
  TemporaryFile(const std::string &suffix, const std::string &content)
      : name((std::filesystem::temp_directory_path() /
              ("kickdrift_mesh_" + std::to_string(getpid()) + suffix))
                 .string())
  {
    write(content);
  }
  ~TemporaryFile() { std::filesystem::remove(name); }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  void
  write(const std::string &content) const
  {
    std::ofstream(name) << content;
  }

  const std::string name;
};

/// Corners of cells and faces in the order of Gmsh and Abaqus.
template <typename Object>
std::string
corners(const Object &object, const std::string &separator)
{
  std::vector<unsigned int> order = {0, 1, 2, 3};
  if (object->n_vertices() == 4 && object->reference_cell().is_hyper_cube())
    order = {0, 1, 3, 2};
  if (object->n_vertices() == 8)
    order = {0, 1, 5, 4, 2, 3, 7, 6};
  order.resize(object->n_vertices());
  std::string text;
  for (const unsigned int v : order)
    text += separator + std::to_string(object->vertex_index(v) + 1);
  return text;
}

/// Gmsh's number of a cell or face.
template <typename Object>
unsigned int
gmsh_type(const Object &object)
{
  const bool is_simplex = object->reference_cell().is_simplex();
  switch (object->n_vertices())
  {
  case 2:
    return 1;
  case 3:
    return 2;
  case 4:
    return is_simplex ? 4 : 3;
  default:
    return 5;
  }
}

/// The mesh as Gmsh writes it: boundary id i is physical group i + 1 with the name "side i".
template <int dim>
std::string
gmsh(const Triangulation<dim> &mesh)
{
  std::ostringstream text, elements;
  unsigned int n_elements = 0;
  const auto add = [&](const auto &object, const unsigned int group)
  {
    elements << ++n_elements << ' ' << gmsh_type(object) << " 2 " << group << " 1"
             << corners(object, " ") << '\n';
  };
  for (const auto &face : mesh.active_face_iterators())
    if (face->at_boundary())
      add(face, face->boundary_id() + 1);
  for (const auto &cell : mesh.active_cell_iterators())
    add(cell, 1);
  const auto ids = mesh.get_boundary_ids();
  text << std::setprecision(17) << "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n"
       << ids.size() << '\n';
  for (const auto id : ids)
    text << dim - 1 << ' ' << id + 1 << " \"side " << id << "\"\n";
  text << "$EndPhysicalNames\n$Nodes\n" << mesh.n_vertices() << '\n';
  for (unsigned int v = 0; v < mesh.n_vertices(); ++v)
    text << v + 1 << ' ' << mesh.get_vertices()[v] << (dim == 2 ? " 0\n" : "\n");
  text << "$EndNodes\n$Elements\n" << n_elements << '\n' << elements.str() << "$EndElements\n";
  return text.str();
}

/// The mesh as Abaqus writes it: "side i" is the set of all nodes at boundary id i.
inline std::string
abaqus(const Triangulation<3> &mesh)
{
  std::ostringstream text;
  text << std::setprecision(17) << "*NODE\n";
  for (unsigned int v = 0; v < mesh.n_vertices(); ++v)
  {
    const auto &p = mesh.get_vertices()[v];
    text << v + 1 << ", " << p[0] << ", " << p[1] << ", " << p[2] << '\n';
  }
  text << "*ELEMENT, TYPE=C3D8\n";
  for (const auto &cell : mesh.active_cell_iterators())
    text << cell->active_cell_index() + 1 << corners(cell, ", ") << '\n';
  for (const auto id : mesh.get_boundary_ids())
  {
    text << "*NSET, NSET=side " << id << '\n';
    std::set<unsigned int> nodes;
    for (const auto &face : mesh.active_face_iterators())
      if (face->at_boundary() && face->boundary_id() == id)
        for (const unsigned int v : face->vertex_indices())
          nodes.insert(face->vertex_index(v) + 1);
    for (const unsigned int node : nodes)
      text << node << '\n';
  }
  return text.str();
}
} // namespace KickDriftTests

#endif
