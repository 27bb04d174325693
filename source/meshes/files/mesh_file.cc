#include "abaqus_mesh.h"
#include "mesh_file_checks.h"

#include <kickdrift/base/messages.h>
#include <kickdrift/meshes/mesh.h>

#include <deal.II/grid/grid_in.h>

#include <algorithm>
#include <fstream>
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
    const auto &[text, number] = lines[i];
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

template <int dim, int spacedim>
MeshNames
read_checked(const std::string &file, Triangulation<dim, spacedim> &triangulation)
{
  MeshFileLines lines = read_mesh_file_lines(file);
  const bool is_unv = file.size() > 4 && upper_case(file.substr(file.size() - 4)) == ".UNV";
  if (is_unv)
    replace_double_exponents(lines);
  const std::string format = check_mesh_file(file, lines);
  if (format == "abaqus")
    return make_abaqus_mesh(AbaqusMesh(lines), triangulation);
  MeshNames names;
  if (format == "msh")
    names = read_gmsh_names(lines, dim);
  GridIn<dim, spacedim> grid_in(triangulation);
  std::ifstream stream(file);
  std::stringstream text;
  for (std::size_t i = 0; i < lines.size() && is_unv; ++i)
    text << lines[i].text << '\n';
  grid_in.read(is_unv ? static_cast<std::istream &>(text) : stream,
               GridIn<dim, spacedim>::parse_format(format));
  return names;
}
} // namespace

template <int dim, int spacedim>
MeshNames
read_mesh_file(const std::string &file, Triangulation<dim, spacedim> &triangulation)
{
  MeshNames names;
  std::string reason;
  try
  {
    names = read_checked(file, triangulation);
    if (triangulation.n_active_cells() == 0)
      reason = "it has no cells";
  }
  catch (const BrokenMeshFile &broken)
  {
    reason = broken.reason;
  }
  catch (const ExceptionBase &error)
  {
    std::string said = message_of(error);
    if (said.find("did not find any cells") != std::string::npos)
      said = "it has no cells of dimension " + std::to_string(dim) +
             ". Once there are physical groups, Gmsh saves only what is in one: add one of all "
             "cells, or save all (Mesh.SaveAll = 1)";
    reason = "deal.II cannot read it: " + (said == "(none)" ? error.get_exc_name() : said);
  }
  catch (const std::exception &error)
  {
    reason = std::string("it cannot be read: ") + error.what();
  }
  AssertThrow(reason.empty(), ExcMessage("Mesh file '" + file + "': " + reason + "."));
  return names;
}

template MeshNames read_mesh_file(const std::string &, Triangulation<2> &);
template MeshNames read_mesh_file(const std::string &, Triangulation<2, 3> &);
template MeshNames read_mesh_file(const std::string &, Triangulation<3> &);
} // namespace KickDrift
