#include "abaqus_mesh.h"
#include "ls_dyna_mesh.h"
#include "mesh_file_checks.h"
#include "mesh_file_vtk.h"

#include <kickdrift/base/messages.h>
#include <kickdrift/meshes/mesh.h>
#include <kickdrift/meshes/mesh_file_summary.h>

#include <deal.II/grid/grid_in.h>
#include <deal.II/grid/grid_tools.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>

namespace KickDrift
{
using namespace dealii;

namespace
{
/// Section $PhysicalNames: a group of dimension dim names cells, one of dimension dim - 1 a part of
/// the boundary; their tags are the ids that deal.II gives.
MeshNames
read_gmsh_names(const MeshFileLines &lines, const unsigned int dim)
{
  MeshNames names;
  const auto section =
      std::find_if(lines.begin(), lines.end(),
                   [](const MeshFileLine &line) { return line.text == "$PhysicalNames"; });
  if (section == lines.end())
    return names;
  std::size_t i = section - lines.begin() + 1;
  const auto head = integers(lines, i++, 1);
  for (auto n = count(head[0], lines.size(), head.line); n > 0; --n, ++i)
  {
    require(i < lines.size(), "it ends too early");
    const std::string &text = lines[i].text;
    const std::size_t number = lines[i].number;
    const auto open = text.find('"'), close = text.rfind('"');
    require_in_line(open != std::string::npos && open + 1 < close && close + 1 == text.size(),
                    number, "'" + text + "' is no physical name, such as '2 1 \"steel\"'");
    const auto values = integers({{text.substr(0, open), number}}, 0, 2);
    require_in_line(values.size() == 2 && values[0] >= 0 && values[0] <= 3, number,
                    "'" + text + "' does not begin with a dimension from 0 to 3 and a tag");
    require_in_line(values[1] >= 0, number, "the tag of a physical name is negative");
    const std::string name = text.substr(open + 1, close - open - 1);
    if (name.find_first_not_of("0123456789") == std::string::npos)
      continue; // a number stands for itself
    if (values[0] == dim)
      names.materials[name].insert(static_cast<types::material_id>(values[1]));
    else if (values[0] == dim - 1)
      names.boundaries[name].insert(static_cast<types::boundary_id>(values[1]));
  }
  expect_line(lines, i, "$EndPhysicalNames");
  return names;
}

/// The mesh if it is in an input file of another program, else null.
std::unique_ptr<LabelledMesh>
labelled_mesh(const std::string &format, const MeshFileLines &lines)
{
  if (format == "abaqus")
    return std::make_unique<AbaqusMesh>(lines);
  if (format == "ls-dyna")
    return std::make_unique<LsDynaMesh>(lines);
  return nullptr;
}

/// @param materials become those of the file, unless null
template <int dim, int spacedim>
MeshNames
read_checked(const std::string &file, Triangulation<dim, spacedim> &triangulation,
             MeshMaterials *materials)
{
  MeshFileLines lines = read_mesh_file_lines(file);
  if (ends_with(upper_case(file), ".UNV"))
    replace_double_exponents(lines);
  const std::string format = check_mesh_file(file, lines);
  if (const auto mesh = labelled_mesh(format, lines))
  {
    if (materials != nullptr)
      *materials = mesh->materials();
    return make_labelled_mesh(*mesh, triangulation);
  }
  MeshNames names;
  if (format == "msh")
    names = read_gmsh_names(lines, dim);
  GridIn<dim, spacedim> grid_in(triangulation);
  std::ifstream stream(file);
  const bool is_rewritten = format == "unv" || format == "vtk";
  std::stringstream text;
  if (format == "vtk")
    text << checked_vtk(lines);
  for (std::size_t i = 0; i < lines.size() && format == "unv"; ++i)
    text << lines[i].text << '\n';
  grid_in.read(is_rewritten ? static_cast<std::istream &>(text) : stream,
               GridIn<dim, spacedim>::parse_format(format));
  return names;
}

/// What is wrong with a file; empty: it has been read.
template <int dim, int spacedim>
std::string
complaint_about(const std::string &file, Triangulation<dim, spacedim> &triangulation,
                MeshNames &names, MeshMaterials *materials = nullptr)
{
  try
  {
    names = read_checked(file, triangulation, materials);
    return triangulation.n_active_cells() == 0 ? "it has no cells" : "";
  }
  catch (const BrokenMeshFile &broken)
  {
    return broken.reason;
  }
  catch (const ExceptionBase &error)
  {
    std::string said = message_of(error);
    if (said.find("did not find any cells") != std::string::npos)
      said = "it has no cells of dimension " + std::to_string(dim) +
             ". Once there are physical groups, Gmsh saves only what is in one: add one of all "
             "cells, or save all (Mesh.SaveAll = 1)";
    return "deal.II cannot read it: " + (said == "(none)" ? error.get_exc_name() : said);
  }
  catch (const std::exception &error)
  {
    return std::string("it cannot be read: ") + error.what();
  }
}

void
require_none(const std::string &file, const std::string &complaint)
{
  AssertThrow(complaint.empty(), ExcMessage("Mesh file '" + file + "': " + complaint + "."));
}

/// From the smallest to the largest coordinates.
template <int dim, int spacedim>
double
diameter(const Triangulation<dim, spacedim> &triangulation)
{
  const auto corners = GridTools::compute_bounding_box(triangulation).get_boundary_points();
  return corners.first.distance(corners.second);
}

bool
is_plane(const Triangulation<2, 3> &triangulation)
{
  const auto &vertices = triangulation.get_vertices();
  return std::all_of(vertices.begin(), vertices.end(),
                     [](const Point<3> &vertex) { return vertex[2] == 0; });
}
} // namespace

template <int dim, int spacedim>
MeshNames
read_mesh_file(const std::string &file, Triangulation<dim, spacedim> &triangulation)
{
  MeshNames names;
  require_none(file, complaint_about(file, triangulation, names));
  return names;
}

MeshFileSummary
summarise_mesh_file(const std::string &file)
{
  MeshFileSummary summary;
  MeshNames names;
  MeshMaterials materials;
  Triangulation<3> solid;
  const std::string complaint = complaint_about(file, solid, names, &materials);
  if (complaint.empty())
    summary.diameter = diameter(solid);
  else
  {
    Triangulation<2, 3> surface;
    // what is wrong with it as a solid is the better message
    require_none(file, complaint_about(file, surface, names, &materials).empty() ? "" : complaint);
    summary.diameter = diameter(surface);
    summary.dimension = is_plane(surface) ? 2 : 3;
    summary.is_shell = summary.dimension == 3;
  }
  // not those of sets whose elements are no cells of this mesh
  for (const auto &[name, material] : materials)
    if (names.materials.count(name) > 0)
      summary.materials.emplace(name, material);
  return summary;
}

template MeshNames read_mesh_file(const std::string &, Triangulation<2> &);
template MeshNames read_mesh_file(const std::string &, Triangulation<2, 3> &);
template MeshNames read_mesh_file(const std::string &, Triangulation<3> &);
} // namespace KickDrift
