// Mesh files whose cells do not fit together, tables of ids in VTK files, sets out of bounds.
#include "mesh_files.h"
#include "unit/deal_ii/test_body.h"

#include <kickdrift/meshes/mesh.h>

#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_out.h>

#include <gtest/gtest.h>

using namespace KickDrift;
using namespace KickDriftTests;

namespace
{
template <int dim>
void
read(Triangulation<dim> &triangulation, const std::string &suffix, const std::string &content)
{
  const TemporaryFile file(suffix, content);
  read_mesh_file(file.name, triangulation);
}

template <int dim>
std::string
complaint(const std::string &suffix, const std::string &content)
{
  Triangulation<dim> triangulation;
  return message_of([&] { read(triangulation, suffix, content); });
}

/// Nodes of quadrilaterals, or of hexahedra above them, from 1.
using Cells = std::vector<std::vector<unsigned int>>;

/// A file with the cells, one to a line, and its line with the last cell.
template <int dim>
std::pair<std::string, std::size_t>
mesh_file(const std::string &suffix, const Cells &squares)
{
  const std::vector<Point<2>> corners = {{0, 0}, {1, 0}, {1, 1},  {0, 1},
                                         {2, 0}, {2, 1}, {2, -1}, {2, 2}};
  const bool is_vtk = suffix == ".vtk", is_unv = suffix == ".unv", is_abaqus = suffix == ".inp";
  const std::string separator = is_abaqus ? ", " : " ";
  std::ostringstream out;
  const unsigned int n_nodes = 8 * (dim - 1), n_corners = 4 * (dim - 1);
  if (is_vtk)
    out << "# vtk DataFile Version 3.0\ncells\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS " << n_nodes
        << " double\n";
  else if (is_abaqus)
    out << "*NODE\n";
  else if (is_unv)
    out << "-1\n2411\n";
  else
    out << n_nodes << ' ' << squares.size() << " 0 0 0\n";
  for (unsigned int i = 0; i < n_nodes; ++i)
  {
    if (!is_vtk)
      out << i + 1 << (is_unv ? " 1 1 11\n" : separator);
    out << corners[i % 8][0] << separator << corners[i % 8][1] << separator << i / 8 << '\n';
  }
  if (is_vtk)
    out << "CELLS " << squares.size() << ' ' << squares.size() * (n_corners + 1) << '\n';
  else if (is_abaqus)
    out << "*ELEMENT, TYPE=" << (dim == 2 ? "CPS4" : "C3D8") << '\n';
  else if (is_unv)
    out << "-1\n-1\n2412\n";
  for (unsigned int c = 0; c < squares.size(); ++c)
  {
    if (is_vtk)
      out << n_corners;
    else if (is_abaqus)
      out << c + 1;
    else if (is_unv)
      out << c + 1 << (dim == 2 ? " 44" : " 115") << " 1 1 7 " << n_corners << '\n';
    else
      out << c + 1 << " 0 " << (dim == 2 ? "quad" : "hex");
    for (unsigned int i = 0; i < n_corners; ++i)
      out << separator << squares[c][i % 4] + 8 * (i / 4) - is_vtk;
    out << '\n';
  }
  const std::string text = out.str();
  const std::size_t line = std::count(text.begin(), text.end(), '\n');
  if (is_vtk)
    out << "CELL_TYPES " << squares.size() << '\n';
  for (unsigned int c = 0; is_vtk && c < squares.size(); ++c)
    out << (dim == 2 ? 9 : 12) << '\n';
  if (is_unv)
    out << "-1\n";
  return {out.str(), line};
}

template <int dim>
void
check_cells_that_do_not_fit()
{
  const Cells two = {{1, 2, 3, 4}, {2, 5, 6, 3}};
  for (const std::string suffix : {".ucd", ".vtk", ".unv", ".inp"})
  {
    SCOPED_TRACE(suffix);
    Triangulation<dim> triangulation;
    read(triangulation, suffix, mesh_file<dim>(suffix, two).first);
    EXPECT_EQ(triangulation.n_active_cells(), 2u);
    const auto expect = [&](const std::vector<unsigned int> &third, const std::string &reason)
    {
      const auto [text, line] = mesh_file<dim>(suffix, {two[0], two[1], third});
      const auto message = complaint<dim>(suffix, text);
      EXPECT_TRUE(contains(message, suffix + "': line " + std::to_string(line) + ": ") &&
                  contains(message, reason))
          << message;
    };
    expect({2, 7, 8, 3}, "third at one of its sides");
    expect({3, 6, 8, 8}, "has a node twice");
    expect({5, 6, 3, 2}, "has the same nodes as one before");
  }
}

const std::string squares = mesh_file<2>(".vtk", {{1, 2, 3, 4}, {2, 5, 6, 3}}).first;

std::string
table(const std::string &name, const std::string &values)
{
  return "SCALARS " + name + " int 1\nLOOKUP_TABLE default\n" + values + "\n";
}

/// Material ids of the two cells of a VTK file with these lines at its end.
std::vector<unsigned int>
materials(const std::string &data)
{
  Triangulation<2> triangulation;
  read(triangulation, ".vtk", squares + data);
  std::vector<unsigned int> ids;
  for (const auto &cell : triangulation.active_cell_iterators())
    ids.push_back(cell->material_id());
  return ids;
}
} // namespace

TEST(MeshChecks, cells_that_do_not_fit_2d)
{
  check_cells_that_do_not_fit<2>();
}
TEST(MeshChecks, cells_that_do_not_fit_3d)
{
  check_cells_that_do_not_fit<3>();
}

// What deal.II writes is read, and the ids are those of before.
template <int dim>
void
check_what_deal_ii_writes()
{
  Triangulation<dim> written, found;
  std::vector<unsigned int> subdivisions(dim, 4); // coordinates have few digits
  Point<dim> corner;
  for (unsigned int d = 0; d < dim; ++d)
    corner[d] = 1 + d;
  GridGenerator::subdivided_hyper_rectangle(written, subdivisions, Point<dim>(), corner, true);
  unsigned int n = 0;
  for (const auto &cell : written.active_cell_iterators())
  {
    cell->set_material_id(2147483647 - n++ % 4);
    if (n == 5) // sides that are no part of the boundary get tables of their own
      cell->set_all_manifold_ids(3);
  }
  std::ostringstream out;
  GridOut().write_vtk(written, out);
  EXPECT_TRUE(contains(out.str(), "-1"));
  read(found, ".vtk", out.str());
  ASSERT_EQ(found.n_active_cells(), n);
  auto expected = written.begin_active();
  for (const auto &cell : found.active_cell_iterators())
  {
    EXPECT_NEAR(cell->center().distance(expected->center()), 0., 1e-14);
    EXPECT_EQ(cell->material_id(), expected->material_id());
    EXPECT_EQ(cell->manifold_id(), expected->manifold_id());
    ++expected;
  }
  EXPECT_EQ(found.get_boundary_ids(), written.get_boundary_ids());
}

TEST(MeshChecks, of_what_gmsh_saves_they_say_what_to_set)
{
  const std::string nodes = "$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n";
  const auto file = [&](const char *binary, const char *element)
  {
    return std::string("$MeshFormat\n2.2 ") + binary + " 8\n$EndMeshFormat\n" + nodes +
           "$Elements\n1\n" + element + "\n$EndElements\n";
  };
  const auto expect = [&](const std::string &content, const std::string &what)
  { EXPECT_NE(complaint<3>(".msh", content).find(what), std::string::npos) << what; };
  expect(file("1", "1 2 2 1 1 1 2 3"), "Mesh.Binary = 0");
  expect(file("0", "1 9 2 1 1 1 2 3 1 2 3"), "Mesh.ElementOrder = 1");
  // a part of the boundary is a physical group, the cells are in none
  expect(file("0", "1 2 2 1 1 1 2 3"), "no cells of dimension 3");
  expect(file("0", "1 2 2 1 1 1 2 3"), "Mesh.SaveAll = 1");
}

TEST(MeshChecks, what_deal_ii_writes_2d)
{
  check_what_deal_ii_writes<2>();
}
TEST(MeshChecks, what_deal_ii_writes_3d)
{
  check_what_deal_ii_writes<3>();
}

TEST(MeshChecks, tables_of_vtk)
{
  using Ids = std::vector<unsigned int>;
  const std::string n = "CELL_DATA 2\n", material = table("MaterialID", "7 8"),
                    other = "SCALARS pressure float 1\nLOOKUP_TABLE default\n0.5 nan\n";
  for (const std::string &data :
       {n + material, n + other + material, n + other + other + material + other,
        n + table("ManifoldID", "-1 -1") + material, n + material + "VECTORS v float\n0 0 0 1 1 1",
        n + material + "\nPOINT_DATA 8\n" + other, "POINT_DATA 8\n" + other + n + material,
        n + "SCALARS MaterialID int\nLOOKUP_TABLE default\n+7\n\n8"})
    EXPECT_EQ(materials(data), (Ids{7, 8})) << data;
  EXPECT_EQ(materials(""), (Ids{0, 0}));
  EXPECT_EQ(materials(n + other), (Ids{0, 0}));
  EXPECT_EQ(materials("POINT_DATA 8\n" + table("MaterialID", "1 2 3 4 5 6 7 8")), (Ids{0, 0}));

  const auto expect = [](const std::string &data, const std::string &reason)
  {
    const auto message = message_of([&] { materials(data); });
    EXPECT_TRUE(contains(message, ".vtk'") && contains(message, reason)) << data << message;
  };
  const std::size_t head = std::count(squares.begin(), squares.end(), '\n');
  const std::string fourth = "line " + std::to_string(head + 4) + ": ";
  expect(n + table("MaterialID", "7"), "ends in table MaterialID");
  expect(n + table("MaterialID", "-1 1e300"), fourth + "'-1' in table MaterialID");
  expect(n + table("MaterialID", "1 1e300"), fourth + "'1e300' in table MaterialID");
  expect(n + table("MaterialID", "nan x"), fourth + "'nan' in table MaterialID");
  expect(n + table("MaterialID", "1 x"), "'x'");
  expect(n + table("MaterialID", "1 2.5"), "'2.5'");
  expect(n + table("MaterialID", "1 2147483648"),
         "2 integers, one for each cell, from 0 to 214748");
  expect(n + table("ManifoldID", "-1 -2"), "from -1 to 2147483647");
  expect(n + table("MaterialID", "1") + table("ManifoldID", "1 2"), "'SCALARS'");
  expect(n + table("MaterialID", "7 8 9"), fourth + "table MaterialID has more than 2 numbers");
  expect("CELL_DATA 1\n" + table("MaterialID", "7"), "not for the 2 cells");
  expect("CELL_DATA 2e0\n" + material, "no integer");
  expect(n + material + n + table("MaterialID", "7"), "ends in table MaterialID");
  // would overwrite the ids of the cells
  expect(n + material + "POINT_DATA 8\n" + table("MaterialID", "1 2 3 4 5 6 7 8"),
         "belongs to section CELL_DATA, not POINT_DATA");
  for (const std::string bad : {"SCALARS MaterialID float\nLOOKUP_TABLE default\n7 8\n",
                                "SCALARS MaterialID int\nLOOKUP_TABLE mine\n7 8\n",
                                "SCALARS MaterialID int\n7 8\n", "SCALARS MaterialID"})
    expect(n + bad, "table MaterialID does not begin with");
}

// A short file with sets within sets, or with ranges, cannot have members without end.
TEST(MeshChecks, sets_within_sets)
{
  constexpr unsigned int n = 2000;
  std::string mesh = "*NODE\n", many_words, many_ranges, many_sides;
  for (unsigned int i = 0; i < n; ++i)
    mesh +=
        std::to_string(i + 1) + "," + std::to_string(i / 2) + "," + std::to_string(i % 2) + "\n";
  mesh += "*ELEMENT, TYPE=CPS4, ELSET=E\n";
  for (unsigned int i = 1; i + 3 <= n; i += 2)
    mesh += std::to_string(i) + "," + std::to_string(i) + "," + std::to_string(i + 2) + "," +
            std::to_string(i + 3) + "," + std::to_string(i + 1) + "\n";
  const std::string range = "1, " + std::to_string(n) + "\n";
  for (unsigned int i = 0; i < 1500; ++i)
  {
    many_words += "A\n";
    many_ranges += range;
    many_sides += "E, S1\n";
  }
  mesh += "*NSET, NSET=A, GENERATE\n" + range;
  const std::string few = "*NSET, NSET=B\nA\nA, 1\n*SURFACE, NAME=C\nE, S1\n";
  EXPECT_EQ(complaint<2>(".inp", mesh + few), "");
  const std::size_t head = std::count(mesh.begin(), mesh.end(), '\n');
  // 1e6 + 100 (2000 nodes + 999 elements), of which A itself has 2000
  for (const auto &[more, n_allowed] :
       {std::pair<std::string, unsigned int>{"*NSET, NSET=B\n" + many_words, 648},
        {"*NSET, NSET=B, GENERATE\n" + many_ranges, 648},
        {"*SURFACE, NAME=C\n" + many_sides, 1299}})
  {
    const auto message = complaint<2>(".inp", mesh + more);
    EXPECT_TRUE(contains(message, "line " + std::to_string(head + 1 + n_allowed + 1) + ": ") &&
                contains(message, "more than 1299900 members"))
        << message;
  }
}
