// Parts of the boundary of mesh files that refinement puts onto spheres and cylinders.
#include "mesh_files.h"
#include "unit/deal_ii/test_body.h"

#include <kickdrift/meshes/hanging_nodes.h>
#include <kickdrift/meshes/mesh.h>

#include <deal.II/grid/tria_description.h>

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

using namespace KickDrift;
using namespace KickDriftTests;

namespace
{
/// A body with the mesh of a file, refined.
template <int dim>
struct FileMesh
{
  FileMesh(const std::string &content, const std::string &manifolds,
           const std::string &refinements = "set Refinements = 2", const Constants &constants = {})
  {
    const bool is_gmsh = content[0] == '$';
    const TemporaryFile file(is_gmsh ? ".msh" : ".inp", content);
    ParameterHandler prm;
    MeshParameters<dim>::declare_parameters(prm);
    prm.parse_input_from_string("set Generator = file\nset File = " + file.name +
                                "\nset Manifolds = " + manifolds + "\n" + refinements);
    MeshParameters<dim> mesh;
    mesh.parse_parameters(prm, constants, "Bodies/b/Mesh");
    names = mesh.make(triangulation);
  }

  double
  volume() const
  {
    double result = 0;
    for (const auto &cell : triangulation.active_cell_iterators())
      result += cell->measure();
    return result;
  }

  /// Vertices of the part of the boundary that was written with this id.
  std::vector<Point<dim>>
  side(const unsigned int id) const
  {
    std::map<unsigned int, Point<dim>> vertices;
    const auto &ids = names.boundaries.at("side " + std::to_string(id));
    for (const auto &face : triangulation.active_face_iterators())
      if (face->at_boundary() && ids.count(face->boundary_id()) > 0)
        for (const unsigned int v : face->vertex_indices())
          vertices[face->vertex_index(v)] = face->vertex(v);
    std::vector<Point<dim>> result;
    for (const auto &entry : vertices)
      result.push_back(entry.second);
    return result;
  }

  Triangulation<dim> triangulation;
  MeshNames names;
};

template <int dim>
std::string
complaint(const std::string &content, const std::string &manifolds)
{
  return message_of([&] { FileMesh<dim>(content, manifolds); });
}

/// Distance from the line through @p point along @p direction, which is a unit vector.
double
distance_from_line(const Point<3> &p, const Point<3> &point, const Tensor<1, 3> &direction)
{
  return cross_product_3d(p - point, direction).norm();
}

/// The last refinement divides the error of the volume by four.
template <int dim, typename MeshOf>
void
expect_second_order(const double volume, const MeshOf &mesh_of, const unsigned int n_refinements)
{
  const auto error = [&](const unsigned int n)
  { return volume - mesh_of("set Refinements = " + std::to_string(n)).volume(); };
  EXPECT_GT(error(n_refinements), 0);
  EXPECT_NEAR(error(n_refinements - 1) / error(n_refinements), 4, 0.05);
}

/// A square, or a slab from z = 0 to 0.5, with a hole: side 0 is the hole, side 1 the rest.
template <int dim>
Triangulation<dim>
plate(const double radius)
{
  Triangulation<dim> mesh;
  GridGenerator::hyper_cube_with_cylindrical_hole(mesh, radius, 1., 0.5);
  for (const auto &face : mesh.active_face_iterators())
    if (face->at_boundary())
      face->set_boundary_id(std::hypot(face->center()[0], face->center()[1]) < radius ? 0 : 1);
  return mesh;
}

/// A mesh of simplices around the origin.
template <int dim>
Triangulation<dim>
simplices_around_origin()
{
  // hexagon, octahedron
  std::vector<Point<dim>> vertices(1);
  std::vector<dealii::CellData<dim>> cells;
  const auto add = [&cells](const std::vector<unsigned int> &corners)
  {
    cells.emplace_back(dim + 1);
    cells.back().vertices = corners;
  };
  if constexpr (dim == 2)
    for (unsigned int i = 0; i < 6; ++i)
    {
      vertices.emplace_back(std::cos(i * numbers::PI / 3), std::sin(i * numbers::PI / 3));
      add({0, i + 1, (i + 1) % 6 + 1});
    }
  else
  {
    for (const double sign : {1., -1.})
      for (unsigned int d = 0; d < 3; ++d)
        vertices.push_back(Point<3>() + sign * Point<3>::unit_vector(d));
    for (const unsigned int x : {1, 4})
      for (const unsigned int y : {2, 5})
        for (const unsigned int z : {3, 6})
        {
          const bool is_left_handed = (x == 4) != ((y == 5) != (z == 6));
          add({0, x, is_left_handed ? z : y, is_left_handed ? y : z});
        }
  }
  Triangulation<dim> mesh;
  mesh.create_triangulation(vertices, cells, SubCellData());
  return mesh;
}
} // namespace

TEST(MeshManifolds, disc)
{
  const Point<2> centre(3, 1);
  Triangulation<2> coarse;
  GridGenerator::hyper_ball(coarse, centre, 0.5);
  const auto refined = [&](const std::string &refinements) {
    return FileMesh<2>(gmsh(coarse), "side 0: sphere around 2*a, 1", refinements, {{"a", 1.5}});
  };
  for (const auto &vertex : refined("set Refinements = 4").side(0))
    EXPECT_NEAR(vertex.distance(centre), 0.5, 1e-14);
  expect_second_order<2>(numbers::PI / 4, refined, 5);

  // the same as deal.II's ball, whose manifold is deal.II's
  Triangulation<2> ball;
  GridGenerator::hyper_ball(ball, centre, 0.5);
  ball.refine_global(3);
  const auto mesh = refined("set Refinements = 3");
  ASSERT_EQ(mesh.triangulation.n_vertices(), ball.n_vertices());
  for (unsigned int v = 0; v < ball.n_vertices(); ++v)
    EXPECT_LT(mesh.triangulation.get_vertices()[v].distance(ball.get_vertices()[v]), 1e-14);
  // no manifolds afterwards
  for (const auto id : mesh.triangulation.get_manifold_ids())
    EXPECT_EQ(id, numbers::flat_manifold_id);

  // straight without
  const FileMesh<2> polygon(gmsh(coarse), "");
  EXPECT_NEAR(polygon.volume(), 0.5, 1e-14);
}

TEST(MeshManifolds, ball)
{
  Triangulation<3> coarse;
  GridGenerator::hyper_ball(coarse, Point<3>(1, -2, 3), 2.);
  const auto refined = [&](const std::string &refinements)
  { return FileMesh<3>(gmsh(coarse), "1: sphere around 1, -2, 3", refinements); };
  const auto vertices = refined("set Refinements = 3").side(0);
  EXPECT_EQ(vertices.size(), 6 * 64u + 2);
  for (const auto &vertex : vertices)
    EXPECT_NEAR(vertex.distance(Point<3>(1, -2, 3)), 2, 1e-14);
  expect_second_order<3>(32. / 3 * numbers::PI, refined, 4);
}

// An inclined cylinder with straight ends, whose round edges belong to the hull.
TEST(MeshManifolds, cylinder)
{
  const Tensor<1, 3> e({2. / 3, -2. / 3, 1. / 3}), f({2. / 3, 1. / 3, -2. / 3}),
      g = cross_product_3d(e, f);
  const Point<3> centre(0.5, 2, -1);
  Triangulation<3> coarse;
  GridGenerator::cylinder(coarse, 0.5, 1.5);
  GridTools::transform([&](const Point<3> &p) { return centre + p[0] * e + p[1] * f + p[2] * g; },
                       coarse);
  for (const auto &content : {gmsh(coarse), abaqus(coarse)})
  {
    // any point of the axis will do, and any length of the direction
    const auto refined = [&](const std::string &refinements)
    {
      return FileMesh<3>(content,
                         "side 0: cylinder around 0.5 + 4, 2 - 4, -1 + 2 along -0.2, 0.2, -0.1",
                         refinements);
    };
    const auto mesh = refined("set Refinements = 2");
    for (const auto &vertex : mesh.side(0))
      EXPECT_NEAR(distance_from_line(vertex, centre, e), 0.5, 1e-14);
    for (const unsigned int side : {1, 2})
    {
      double largest = 0;
      for (const auto &vertex : mesh.side(side))
      {
        EXPECT_NEAR((vertex - centre) * e, side == 1 ? -1.5 : 1.5, 1e-14);
        largest = std::max(largest, distance_from_line(vertex, centre, e));
      }
      EXPECT_NEAR(largest, 0.5, 1e-14);
    }
    expect_second_order<3>(0.75 * numbers::PI, refined, 3);
  }
}

// deal.II's cylinder takes points for points of the axis if they are near it in comparison with
// their coordinates.
TEST(MeshManifolds, thin_cylinder_far_away)
{
  const double radius = 1e-3;
  const Point<3> centre(1000, 500, 0);
  Triangulation<3> coarse;
  GridGenerator::cylinder(coarse, radius, radius);
  GridTools::shift(centre, coarse);
  const FileMesh<3> mesh(gmsh(coarse), "side 0: cylinder around 1000, 500, 0 along 1, 0, 0");
  for (const auto &vertex : mesh.side(0))
    EXPECT_NEAR(distance_from_line(vertex, centre, Point<3>(1, 0, 0)), radius, 1e-12);
}

template <int dim>
void
test_plate(const std::string &shape)
{
  const double radius = 0.25;
  const auto content = gmsh(plate<dim>(radius));
  const FileMesh<dim> mesh(content, "side 0: " + shape);
  const auto hole = mesh.side(0), others = mesh.side(1);
  EXPECT_GE(hole.size(), 8u * 4);
  for (const auto &vertex : hole)
    EXPECT_NEAR(std::hypot(vertex[0], vertex[1]), radius, 1e-15);
  // the generators of some releases of deal.II round otherwise
  const auto is = [](const double x, const double expected)
  { return std::abs(x - expected) < 1e-14; };
  for (const auto &vertex : others)
  {
    const bool is_at_side = is(std::max(std::abs(vertex[0]), std::abs(vertex[1])), 1);
    EXPECT_TRUE(is_at_side || (dim == 3 && (is(vertex[dim - 1], 0) || is(vertex[dim - 1], 0.5))))
        << vertex;
  }
}

TEST(MeshManifolds, what_is_not_named_stays_straight)
{
  test_plate<2>("sphere around 0, 0");
  test_plate<3>("cylinder around 0, 0, 7 along 0, 0, 1");
}

TEST(MeshManifolds, simplices)
{
  const auto disc = gmsh(simplices_around_origin<2>());
  const auto ball = gmsh(simplices_around_origin<3>());
  const auto refined_disc = [&](const std::string &refinements)
  { return FileMesh<2>(disc, "side 0: sphere around 0, 0", refinements); };
  const auto refined_ball = [&](const std::string &refinements)
  { return FileMesh<3>(ball, "side 0: sphere around 0, 0, 0", refinements); };
  for (const auto &vertex : refined_disc("set Refinements = 3").side(0))
    EXPECT_NEAR(vertex.norm(), 1, 1e-15);
  for (const auto &vertex : refined_ball("set Refinements = 3").side(0))
    EXPECT_NEAR(vertex.norm(), 1, 1e-15);
  expect_second_order<2>(numbers::PI, refined_disc, 5);
  expect_second_order<3>(4. / 3 * numbers::PI, refined_ball, 4);
}

TEST(MeshManifolds, local_refinements)
{
  Triangulation<3> coarse;
  GridGenerator::hyper_ball(coarse);
  const FileMesh<3> mesh(gmsh(coarse), "side 0: sphere around 0, 0, 0",
                         "set Refinements = 1\nset Local refinements = z > 0.3 ? 2 : 0");
  EXPECT_TRUE(mesh.triangulation.has_hanging_nodes());
  Triangulation<3> straight;
  straight.copy_triangulation(mesh.triangulation);
  straighten_hanging_nodes(straight);
  DoFHandler<3> dof_handler(mesh.triangulation);
  dof_handler.distribute_dofs(FE_Q<3>(1));
  const auto constraints = hanging_node_constraints(dof_handler);
  unsigned int n_round = 0, n_hanging = 0;
  for (const auto &cell : dof_handler.active_cell_iterators())
    for (const unsigned int f : cell->face_indices())
      if (cell->at_boundary(f))
        for (const unsigned int v : cell->face(f)->vertex_indices())
        {
          const auto vertex = cell->face(f)->vertex(v);
          const auto same = straight.get_vertices()[cell->face(f)->vertex_index(v)];
          EXPECT_LT(vertex.distance(same), 1e-15);
          const bool hangs = constraints.is_constrained(cell->face(f)->vertex_dof_index(v, 0));
          ++(hangs ? n_hanging : n_round);
          if (hangs)
          {
            EXPECT_LT(vertex.norm(), 0.995); // in the middle of a chord
          }
          else
          {
            EXPECT_NEAR(vertex.norm(), 1, 1e-15);
          }
        }
  EXPECT_GT(n_round, 300u);
  EXPECT_GT(n_hanging, 10u);
}

// A rod with an end that bulges: the edge between both belongs to the later entry. On the cylinder
// it is a circle, and on the sphere, too; the shortest way on the sphere leaves the cylinder.
TEST(MeshManifolds, later_entries_take_common_edges)
{
  const double radius = 0.6, length = 0.8;
  Triangulation<3> coarse;
  GridGenerator::cylinder(coarse, radius, length);
  GridTools::transform(
      [&](Point<3> p)
      {
        if (p[0] > 0.9 * length)
          p[0] = std::sqrt(1 - p[1] * p[1] - p[2] * p[2]);
        return p;
      },
      coarse);
  const std::string cap = "side 2: sphere around 0, 0, 0",
                    hull = "side 0: cylinder around 0, 0, 0 along 1, 0, 0";
  const auto distance_from_hull = [&](const FileMesh<3> &mesh)
  {
    double largest = 0;
    for (const auto &vertex : mesh.side(0))
      largest = std::max(largest, std::abs(std::hypot(vertex[1], vertex[2]) - radius));
    return largest;
  };
  const FileMesh<3> right(gmsh(coarse), cap + "; " + hull);
  EXPECT_LT(distance_from_hull(right), 1e-15);
  for (const auto &vertex : right.side(2))
    EXPECT_NEAR(vertex.norm(), 1, 1e-15);
  const FileMesh<3> wrong(gmsh(coarse), hull + "; " + cap);
  EXPECT_GT(distance_from_hull(wrong), 1e-3);
}

// The middle of an edge that spans an eighth of a turn is 7.6 % of the radius beside the circle.
TEST(MeshManifolds, thin_walls_are_turned_inside_out)
{
  Triangulation<2> coarse;
  GridGenerator::hyper_shell(coarse, Point<2>(), 1, 1.02, 8, true);
  const std::string inside = "side 0: sphere around 0, 0",
                    both = inside + "; side 1" + inside.substr(inside.find(':'));
  const auto complaint_of = [&](const std::string &manifolds, const std::string &others)
  {
    return message_of([&]
                      { FileMesh<2>(gmsh(coarse), manifolds, "set Refinements = 1\n" + others); });
  };
  for (const std::string others :
       {"", "set Cell type = simplices", "set Map = 2*x; y", "set Local refinements = x > 0"})
  {
    const auto message = complaint_of(inside, others);
    EXPECT_TRUE(contains(message, "Parameter 'Bodies/b/Mesh/Manifolds': '" + inside +
                                      "' turns cells inside out. Cell ") &&
                contains(message, "is inverted"))
        << others << ": " << message;
  }
  EXPECT_EQ(complaint_of(both, ""), "");
  EXPECT_TRUE(contains(complaint_of(both, "set Map = -x; y"),
                       "Parameter 'Bodies/b/Mesh/Map': '-x; y' turns cells inside out."));
}

TEST(MeshManifolds, complaints)
{
  const auto disc = gmsh(plate<2>(0.25)), block = gmsh(plate<3>(0.25));
  const auto expect = [](const std::string &message, const std::string &part)
  {
    EXPECT_TRUE(contains(message, "Bodies/b/Mesh/Manifolds'") && contains(message, part))
        << part << ": " << message;
  };
  const auto expect_2d = [&](const std::string &manifolds, const std::string &part)
  { expect(complaint<2>(disc, manifolds), part); };
  const auto expect_3d = [&](const std::string &manifolds, const std::string &part)
  { expect(complaint<3>(block, manifolds), part); };
  expect_2d("hole: sphere around 0, 0", "no boundary 'hole'; it has 1, 2, and the names side 0");
  expect_2d("7: sphere around 0, 0", "no boundary 7; it has 1, 2");
  for (const std::string wrong :
       {"side 0", "side 0 sphere around 0, 0", "side 0: spere around 0, 0", "side 0: sphere 0, 0",
        "side 0: sphere", ": sphere around 0, 0", "side 0: sphere around 0, 0 along 1, 0",
        "side 0: sphere around 0, 0; ; side 1: sphere around 0, 0"})
    expect_2d(wrong, "is not understood; allowed are 'BOUNDARIES: sphere around CENTRE'.");
  expect_2d("side 0: cylinder around 0, 0 along 0, 1", "three dimensions");
  expect_2d("side 0: sphere around 0, 0, 0", "there are 3 entries but 2 are needed");
  expect_2d("side 0: sphere around 0, q", "there is no constant 'q'");
  expect_2d("side 0, 1: sphere around 0, 0; 1: sphere around 0, 0", "has a manifold already");
  expect_3d("side 0: cylinder around 0, 0, 0", "'BOUNDARIES: cylinder around POINT along DIREC");
  expect_3d("side 0: cylinder around 0, 0 along 0, 0, 1", "there are 2 entries but 3 are needed");
  expect_3d("side 0: cylinder around 0, 0, 0 along 0, 0", "there are 2 entries but 3 are needed");
  expect_3d("side 0: cylinder around 0, 0, 0 along 0, 1 - 1, 0", "has the length 0");

  expect_2d("side 0: sphere around 0.25, 0", "has the vertex (0.25, 0) at the centre.");
  expect_3d("side 0: cylinder around 0.25, 0, 0 along 0, 0, 1", "at the axis.");
  expect_2d("side 0: sphere around 0, 0.01", "in different distances from the centre: ");
  expect_3d("side 0: cylinder around 0, 0, 0 along 0, 0.1, 1", "distances from the axis: ");
  expect_3d("side 0: cylinder around 0, 0, 0 along 0, 0, 1; 2: sphere around 0, 0, 0.25",
            "'2: sphere around 0, 0, 0.25' has vertices in different distances");

  // the corners of a square have the same distance from the middle of a side
  Triangulation<2> half;
  GridGenerator::hyper_rectangle(half, Point<2>(-1, 0), Point<2>(1, 1));
  GridTools::transform(
      [](const Point<2> &p)
      { return Point<2>(p[1] > 0.5 ? p[0] * std::sqrt(0.5) : p[0], p[1] * std::sqrt(0.5)); },
      half);
  expect(complaint<2>(gmsh(half), "side 0: sphere around 0, 0"),
         "has an edge from (-1, 0) to (1, 0), through the centre");
}
