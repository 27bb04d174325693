// Triangles in space, for shells: generators, files, and what is refused.

#include <kickdrift/base/messages.h>
#include <kickdrift/meshes/mesh.h>

#include "mesh_files.h"

#include <deal.II/grid/grid_tools.h>

#include <gtest/gtest.h>

#include <map>
#include <set>

using namespace KickDrift;
using namespace dealii;

namespace
{
using Surface = Triangulation<2, 3>;

/// A surface with these entries of subsection Mesh besides the cell type.
MeshNames
make(Surface &surface, const std::map<std::string, std::string> &entries)
{
  ParameterHandler prm;
  MeshParameters<3>::declare_parameters(prm);
  prm.set("Cell type", "shell");
  for (const auto &[name, value] : entries)
    prm.set(name, value);
  MeshParameters<3> mesh;
  mesh.parse_parameters(prm);
  EXPECT_TRUE(mesh.is_shell());
  return mesh.make_shell(surface);
}

Tensor<1, 3>
area_vector(const Surface::active_cell_iterator &cell)
{
  return 0.5 *
         cross_product_3d(cell->vertex(1) - cell->vertex(0), cell->vertex(2) - cell->vertex(0));
}

/// Vertices - edges + triangles, after checking that triangles look away from the origin.
int
euler_number(const Surface &surface)
{
  std::set<unsigned int> vertices, edges;
  for (const auto &cell : surface.active_cell_iterators())
  {
    EXPECT_GT(area_vector(cell) * cell->center(), 0.);
    for (unsigned int i = 0; i < 3; ++i)
    {
      vertices.insert(cell->vertex_index(i));
      edges.insert(cell->line_index(i));
    }
  }
  return int(vertices.size()) - int(edges.size()) + int(surface.n_active_cells());
}

double
area(const Surface &surface)
{
  double sum = 0;
  for (const auto &cell : surface.active_cell_iterators())
    sum += area_vector(cell).norm();
  return sum;
}
} // namespace

TEST(Surfaces, PlatesHaveNamedEdges)
{
  for (unsigned int normal = 0; normal < 3; ++normal)
  {
    std::string upper;
    for (unsigned int d = 0; d < 3; ++d)
      upper += std::string(d > 0 ? ", " : "") + (d == normal ? "0" : "2");
    Surface plate;
    make(plate, {{"Upper corner", upper}, {"Subdivisions", "4, 4, 4"}});
    EXPECT_NEAR(area(plate), 4, 1e-14);
    EXPECT_EQ(plate.n_active_cells(), 4 * 9u);
    std::map<types::boundary_id, unsigned int> n_edges;
    for (const auto &edge : plate.active_face_iterators())
      if (edge->at_boundary())
      {
        const auto id = edge->boundary_id();
        ++n_edges[id];
        EXPECT_NEAR(edge->center()[id / 2], id % 2 == 1 ? 2. : 0., 1e-14);
      }
    EXPECT_EQ(n_edges.size(), 4u);
    EXPECT_EQ(n_edges.count(2 * normal), 0u);
    for (const auto &cell : plate.active_cell_iterators())
      EXPECT_GT(area_vector(cell)[normal], 0.);
  }
}

TEST(Surfaces, AreClosedOrOpen)
{
  Surface box, sphere, tube;
  make(box,
       {{"Lower corner", "-1, -1, -1"}, {"Upper corner", "1, 2, 3"}, {"Subdivisions", "2, 3, 4"}});
  EXPECT_EQ(euler_number(box), 2);
  EXPECT_NEAR(area(box), 2 * (2 * 3 + 3 * 4 + 4 * 2), 1e-13);
  make(sphere, {{"Generator", "ball"}, {"Radius", "2"}, {"Refinements", "3"}});
  EXPECT_EQ(euler_number(sphere), 2);
  EXPECT_EQ(sphere.n_active_cells(), 20 * 64u);
  for (const auto &cell : sphere.active_cell_iterators())
    for (unsigned int v = 0; v < 3; ++v)
      EXPECT_NEAR(cell->vertex(v).norm(), 2, 1e-14);
  make(tube, {{"Generator", "cylinder"}, {"Radius", "2"}, {"Length", "6"}, {"Refinements", "2"}});
  unsigned int n_ends[3] = {0, 0, 0};
  for (const auto &cell : tube.active_cell_iterators())
  {
    const Tensor<1, 3> outwards({0., cell->center()[1], cell->center()[2]});
    EXPECT_GT(area_vector(cell) * outwards, 0.);
    for (unsigned int i = 0; i < 3; ++i)
    {
      const auto x = cell->vertex(i);
      EXPECT_NEAR(std::hypot(x[1], x[2]), 2, 1e-13);
      if (cell->face(i)->at_boundary())
      {
        ++n_ends[cell->face(i)->boundary_id()];
        EXPECT_NEAR(cell->face(i)->center()[0], cell->face(i)->boundary_id() == 1 ? -3. : 3.,
                    1e-13);
      }
    }
  }
  EXPECT_EQ(n_ends[1], 24u);
  EXPECT_EQ(n_ends[2], 24u);
}

TEST(Surfaces, AreMappedAndMoved)
{
  Surface plate;
  make(plate, {{"Upper corner", "1, 1, 0"}, {"Map", "2*x; y; x*x + 3"}, {"Material id", "x < 1"}});
  double highest = 0;
  for (const auto &x : plate.get_vertices())
  {
    EXPECT_NEAR(x[2], 3 + 0.25 * x[0] * x[0], 1e-14);
    highest = std::max(highest, x[2]);
  }
  EXPECT_NEAR(highest, 4, 1e-14);
}

TEST(Surfaces, ComeFromFiles)
{
  const std::map<std::string, std::string> files = {
      {".inp", "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 1, 1, 1\n4, 0, 1, 1\n"
               "*ELEMENT, TYPE=S3, ELSET=sheet\n1, 1, 2, 3\n2, 1, 3, 4\n"},
      {".msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 1\n"
               "4 0 1 1\n$EndNodes\n$Elements\n2\n1 2 2 5 1 1 2 3\n2 2 2 5 1 1 3 4\n"
               "$EndElements\n"},
      {".vtk", "# vtk DataFile Version 3.0\nsheet\nASCII\nDATASET UNSTRUCTURED_GRID\n"
               "POINTS 4 double\n0 0 0 1 0 0 1 1 1 0 1 1\nCELLS 2 8\n3 0 1 2\n3 0 2 3\n"
               "CELL_TYPES 2\n5\n5\n"}};
  for (const auto &[suffix, text] : files)
  {
    const KickDriftTests::TemporaryFile file(suffix, text);
    Surface surface;
    make(surface, {{"Generator", "file"}, {"File", file.name}});
    EXPECT_EQ(surface.n_active_cells(), 2u) << suffix;
    EXPECT_NEAR(area(surface), std::sqrt(2.), 1e-14) << suffix;
  }
}

TEST(Surfaces, RefuseWhatIsNone)
{
  const auto message = [](const std::map<std::string, std::string> &entries)
  {
    Surface surface;
    try
    {
      make(surface, entries);
    }
    catch (const ExceptionBase &exception)
    {
      return message_of(exception);
    }
    return std::string();
  };
  const KickDriftTests::TemporaryFile mixed(
      ".vtk", "# vtk DataFile Version 3.0\nsheet\nASCII\n"
              "DATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n"
              "0 0 0 1 0 0 1 1 1 0 1 1 2 0 0\nCELLS 2 9\n4 0 1 2 3\n3 1 4 2\n"
              "CELL_TYPES 2\n9\n5\n");
  EXPECT_NE(message({{"Generator", "file"}, {"File", mixed.name}}).find("Quad"), std::string::npos);
  EXPECT_NE(message({{"Upper corner", "0, 1, 0"}}).find("Upper corner"), std::string::npos);
  EXPECT_NE(message({{"Manifolds", "0: sphere 0, 0, 0"}}).find("Manifolds"), std::string::npos);
  EXPECT_NE(message({{"Generator", "grid generator"}}).find("makes no shells"), std::string::npos);
}
