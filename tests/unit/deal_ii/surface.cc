// Surfaces and shares of loads: orientation, closedness, areas, forces.
#include "test_body.h"

#include <kickdrift/deal_ii/load_shares.h>

#include <gtest/gtest.h>

#include <map>
#include <set>

using namespace KickDrift;
using namespace KickDriftTests;

namespace
{
/// Area vector of a face as the orientation in SurfaceFace defines it, and its centre.
template <int dim>
std::pair<Tensor<1, dim>, Point<dim>>
area_vector(const SurfaceFace<dim> &face, const NodeTable<dim> &nodes)
{
  std::vector<Point<dim>> x;
  Point<dim> centre;
  for (unsigned int v = 0; v < face.n_nodes; ++v)
  {
    x.push_back(nodes.reference(face.nodes[v]));
    centre += x.back() / double(face.n_nodes);
  }
  Tensor<1, dim> area;
  if constexpr (dim == 2)
    area = cross_product_2d(x[1] - x[0]); // turns by -90 degrees
  else if (face.n_nodes == 3)
    area = 0.5 * cross_product_3d(x[1] - x[0], x[2] - x[0]);
  else
    area = 0.5 * cross_product_3d(x[3] - x[0], x[2] - x[1]);
  return {area, centre};
}

template <int dim>
void
check_surface(const bool simplices, const Shape shape)
{
  const TestMesh<dim> mesh(simplices, shape);
  auto body = mesh.body(4.);
  NodeTable<dim> nodes;
  nodes.add(Point<dim>(), 1.);
  body.add_nodes(nodes);
  Surface<dim> surface;
  surface.body_names.push_back("other");
  body.add_surface(surface, 1);
  ASSERT_EQ(surface.body_names.back(), "test");
  ASSERT_GT(surface.faces.size(), 0u);
  ASSERT_EQ(surface.faces.size(), body.boundary_faces().size());

  Tensor<1, dim> sum;
  double flux = 0, volume = 0;
  std::set<unsigned int> on_faces;
  // Every directed edge of a closed oriented surface is passed once in each direction.
  std::map<std::pair<unsigned int, unsigned int>, int> edges;
  for (unsigned int f = 0; f < surface.faces.size(); ++f)
  {
    const auto &face = surface.faces[f];
    ASSERT_EQ(face.n_nodes, dim == 2 ? 2u : simplices ? 3u : 4u);
    EXPECT_EQ(face.body, 1u);
    const auto [area, centre] = area_vector(face, nodes);
    sum += area;
    flux += area * centre / dim;
    const auto &cell = body.cell(body.boundary_faces()[f].active_cell_index);
    const auto &mesh_face = cell->face(body.boundary_faces()[f].face);
    EXPECT_EQ(mesh_face->boundary_id(), face.boundary_id);
    EXPECT_LT(centre.distance(mesh_face->center()), 1e-14 * 10);
    EXPECT_GT(area * (centre - cell->center()), 0.) << "normal points inwards";
    const unsigned int cycle[] = {0, 1, face.n_nodes == 4 ? 3u : 2u, 2};
    for (unsigned int v = 0; v < face.n_nodes; ++v)
    {
      on_faces.insert(face.nodes[v]);
      const auto a = face.nodes[cycle[v]], b = face.nodes[cycle[(v + 1) % face.n_nodes]];
      if (dim == 3)
        edges[std::minmax(a, b)] += a < b ? 1 : -1;
      else if (v == 0)
      {
        edges[{a, a}] += 1;
        edges[{b, b}] -= 1;
      }
    }
  }
  for (const auto &edge : edges)
    EXPECT_EQ(edge.second, 0);
  EXPECT_LT(sum.norm(), 1e-12);
  for (const auto &block : body.cell_blocks())
    for (const double weight : block.data.weights)
      volume += weight;
  // Gauss' theorem; the mean of a warped face's corners is exact enough only for plane faces.
  EXPECT_NEAR(flux, volume, dim == 2 || simplices ? 1e-11 : 1e-2 * volume);

  // Contactors: each boundary node once, with its length.
  ASSERT_EQ(surface.contactors.size(), on_faces.size());
  for (const auto &contactor : surface.contactors)
  {
    EXPECT_EQ(on_faces.count(contactor.nodes[0]), 1u);
    EXPECT_EQ(contactor.body, 1u);
    EXPECT_NEAR(std::pow(contactor.length, dim) * 4., nodes.mass(contactor.nodes[0]), 1e-14);
  }
}

/// Sum of f(x_A) * share_A over all pieces.
template <int dim>
Tensor<1, dim>
total_force(const LoadShares<dim> &loads,
            const std::function<Tensor<1, dim>(const Point<dim> &)> &load)
{
  EXPECT_EQ(loads.nodes.size(), loads.active_cell_indices.size() * loads.nodes_per_piece);
  EXPECT_EQ(loads.nodes.size(), loads.shares.size());
  Tensor<1, dim> sum;
  for (unsigned int i = 0; i < loads.nodes.size(); ++i)
    sum += loads.shares[i] * load(loads.positions[i]);
  return sum;
}

template <int dim>
void
check_loads(const bool simplices)
{
  // A plain box 1 x 1.5 (x 2), so that everything is known.
  const TestMesh<dim> mesh(simplices, Shape::box, true);
  for (const auto &face : mesh.triangulation.active_face_iterators())
    if (face->at_boundary())
      face->set_boundary_id(std::abs(face->center()[0] - 1) < 1e-10 ? 1 : 9);
  auto body = mesh.body(3.);
  NodeTable<dim> nodes;
  nodes.add(Point<dim>(), 1.);
  body.add_nodes(nodes);
  const double area = dim == 2 ? 1.5 : 3.;
  const double rest = dim == 2 ? 3.5 : 10.; // area of the other sides
  Tensor<1, dim> direction;
  for (unsigned int d = 0; d < dim; ++d)
    direction[d] = 1. - 0.4 * d;
  const auto constant = [&](const Point<dim> &) { return direction; };
  const auto linear = [&](const Point<dim> &x) { return x[1] * direction; };

  const auto volume = cell_load_shares(body), mass = cell_load_shares(body, LoadPer::mass);
  EXPECT_LT((total_force<dim>(volume, constant) - area * direction).norm(), 1e-13);
  EXPECT_LT((total_force<dim>(volume, linear) - 0.75 * area * direction).norm(), 1e-13);
  EXPECT_LT((total_force<dim>(mass, constant) - 3. * area * direction).norm(), 1e-12);
  const auto side = boundary_load_shares(body, {1});
  EXPECT_LT((total_force<dim>(side, constant) - area * direction).norm(), 1e-13);
  EXPECT_LT((total_force<dim>(side, linear) - 0.75 * area * direction).norm(), 1e-13);
  for (const auto &x : side.positions)
    EXPECT_NEAR(x[0], 1., 1e-14);
  const auto others = boundary_load_shares(body, {9});
  EXPECT_NEAR(total_force<dim>(others, constant)[0], rest, 1e-12);
  EXPECT_NEAR(total_force<dim>(boundary_load_shares(body, {}), constant)[0], rest + area, 1e-12);

  // Nodes and positions belong together, and to the cell.
  for (const auto *loads : {&volume, &side})
    for (unsigned int i = 0; i < loads->nodes.size(); ++i)
    {
      EXPECT_LT(nodes.reference(loads->nodes[i]).distance(loads->positions[i]), 1e-15);
      const auto of_cell =
          body.nodes_of_cell(body.cell(loads->active_cell_indices[i / loads->nodes_per_piece]));
      EXPECT_EQ(std::count(of_cell.begin(), of_cell.end(), loads->nodes[i]), 1);
    }
  EXPECT_EQ(body.boundary_nodes({1}),
            [&]
            {
              const std::set<unsigned int> ascending(side.nodes.begin(), side.nodes.end());
              return std::vector<unsigned int>(ascending.begin(), ascending.end());
            }());
  const auto message = message_of([&] { boundary_load_shares(body, {5}); });
  EXPECT_NE(message.find("its ids are 1, 9"), std::string::npos) << message;
}
} // namespace

TEST(BodySurface, is_closed_and_points_outwards)
{
  for (const auto shape : {Shape::box, Shape::ball})
    for (const bool simplices : {false, true})
    {
      SCOPED_TRACE(std::string(simplices ? "simplices" : "hypercubes") + " " +
                   std::to_string(int(shape)));
      check_surface<2>(simplices, shape);
      check_surface<3>(simplices, shape);
    }
}

TEST(BodySurface, has_the_area_of_a_box)
{
  for (const bool simplices : {false, true})
  {
    const TestMesh<3> mesh(simplices, Shape::box, true);
    auto body = mesh.body();
    NodeTable<3> nodes;
    body.add_nodes(nodes);
    Surface<3> surface;
    body.add_surface(surface, 0);
    double area = 0;
    for (const auto &face : surface.faces)
      area += area_vector(face, nodes).first.norm();
    EXPECT_NEAR(area, 2 * (1.5 + 2. + 3.), 1e-12);
    EXPECT_NE(message_of([&] { body.add_surface(surface, 0); }), "");
  }
}

TEST(LoadShares, integrate_to_the_total_force)
{
  for (const bool simplices : {false, true})
  {
    SCOPED_TRACE(simplices);
    check_loads<2>(simplices);
    check_loads<3>(simplices);
  }
}
