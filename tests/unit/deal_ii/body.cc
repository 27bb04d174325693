// Bodies: nodes, masses, cell data, what is refused, vectors.
#include "test_body.h"

#include <deal.II/base/multithread_info.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_dgq.h>
#include <deal.II/fe/fe_values.h>

#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace KickDrift;
using namespace KickDriftTests;

namespace
{
/// Row sums of the consistent mass matrix by accurate quadrature, and the volume.
template <int dim>
std::pair<Vector<double>, double>
row_sums(const TestMesh<dim> &mesh, const double density)
{
  const bool simplices = mesh.element->reference_cell().is_simplex();
  const Quadrature<dim> quadrature =
      simplices ? Quadrature<dim>(QGaussSimplex<dim>(3)) : Quadrature<dim>(QGauss<dim>(4));
  const auto &element = mesh.element->base_element(0);
  DoFHandler<dim> scalar(mesh.triangulation);
  scalar.distribute_dofs(element);
  FEValues<dim> fe_values(*mesh.mapping, element, quadrature, update_values | update_JxW_values);
  Vector<double> sums(mesh.triangulation.n_vertices());
  double volume = 0;
  for (const auto &cell : scalar.active_cell_iterators())
  {
    fe_values.reinit(cell);
    for (const unsigned int q : fe_values.quadrature_point_indices())
    {
      volume += fe_values.JxW(q);
      for (const unsigned int i : fe_values.dof_indices())
        for (const unsigned int j : fe_values.dof_indices())
          sums[cell->vertex_index(i)] += density * fe_values.shape_value(i, q) *
                                         fe_values.shape_value(j, q) * fe_values.JxW(q);
    }
  }
  return {sums, volume};
}

template <int dim>
void
check_masses(const bool simplices, const Shape shape)
{
  const double density = 2.5;
  const TestMesh<dim> mesh(simplices, shape);
  auto body = mesh.body(density);
  NodeTable<dim> nodes;
  nodes.add(Point<dim>(), 1.); // the body's nodes need not come first
  body.add_nodes(nodes);
  ASSERT_EQ(body.first_node(), 1u);
  ASSERT_EQ(body.n_nodes(), mesh.triangulation.n_used_vertices());
  ASSERT_EQ(nodes.size(), body.n_nodes() + 1);

  const auto [sums, volume] = row_sums(mesh, density);
  double total = 0;
  for (const auto &cell : body.cells())
  {
    const auto cell_nodes = body.nodes_of_cell(cell);
    for (unsigned int v = 0; v < cell_nodes.size(); ++v)
    {
      EXPECT_NEAR(nodes.mass(cell_nodes[v]), sums[cell->vertex_index(v)], 1e-13 * density * volume);
      EXPECT_LT(nodes.reference(cell_nodes[v]).distance(cell->vertex(v)), 1e-15);
    }
  }
  for (unsigned int n = 1; n < nodes.size(); ++n)
    total += nodes.mass(n);
  EXPECT_NEAR(total, density * volume, 1e-12 * density * volume);

  // What the cells say they give adds up to what the nodes have.
  std::vector<double> given(nodes.size(), 0.);
  for (const auto &block : body.cell_blocks())
    for (unsigned int i = 0; i < block.data.nodes.size(); ++i)
      given[block.data.nodes[i]] += block.data.masses[i];
  for (unsigned int n = 1; n < nodes.size(); ++n)
    EXPECT_NEAR(given[n], nodes.mass(n), 4e-16 * 30 * given[n]);
}

/// Gradients of the shape functions in reference coordinates, written out.
template <int dim>
std::vector<Tensor<1, dim>>
reference_gradients(const unsigned int nodes_per_cell, const unsigned int q)
{
  std::vector<Tensor<1, dim>> gradients(nodes_per_cell);
  for (unsigned int a = 0; a < nodes_per_cell; ++a)
    for (unsigned int d = 0; d < dim; ++d)
      if (nodes_per_cell == dim + 1)
        gradients[a][d] = a == 0 ? -1. : a == d + 1;
      else
      {
        gradients[a][d] = 1;
        for (unsigned int e = 0; e < dim; ++e)
        {
          const double xi = 0.5 + (q >> e & 1 ? 0.5 : -0.5) / std::sqrt(3.);
          const double sign = a >> e & 1 ? 1. : -1.;
          gradients[a][d] *= e == d ? sign : 0.5 + sign * (xi - 0.5);
        }
      }
  return gradients;
}

template <int dim>
void
check_linear_field(const bool simplices, const Shape shape)
{
  const TestMesh<dim> mesh(simplices, shape);
  auto body = mesh.body();
  NodeTable<dim> nodes;
  body.add_nodes(nodes);
  Tensor<2, dim> H;
  for (unsigned int i = 0; i < dim; ++i)
    for (unsigned int j = 0; j < dim; ++j)
      H[i][j] = 0.3 * i - 0.7 * j + 0.1 * i * j + 0.2;

  double volume = 0;
  unsigned int n_cells = 0;
  for (const auto &block : body.cell_blocks())
  {
    const auto &data = block.data;
    n_cells += block.active_cell_indices.size();
    ASSERT_EQ(data.nodes_per_cell, simplices ? dim + 1 : 1 << dim);
    ASSERT_EQ(data.points_per_cell, simplices ? 1 : 1 << dim);
    ASSERT_EQ(data.weights.size(), block.active_cell_indices.size() * data.points_per_cell);
    for (unsigned int p = 0; p < data.weights.size(); ++p)
    {
      const unsigned int cell = p / data.points_per_cell, q = p % data.points_per_cell;
      const auto gradients = reference_gradients<dim>(data.nodes_per_cell, q);
      Tensor<2, dim> seen;
      for (unsigned int a = 0; a < data.nodes_per_cell; ++a)
      {
        const auto &X = nodes.reference(data.nodes[cell * data.nodes_per_cell + a]);
        const Tensor<1, dim> gradient = gradients[a] * data.inverse_jacobians[p];
        seen += outer_product(H * Tensor<1, dim>(X), gradient);
      }
      EXPECT_LT((seen - H).norm(), 1e-12);
      volume += data.weights[p];
    }
  }
  EXPECT_EQ(n_cells, mesh.triangulation.n_active_cells());
  EXPECT_NEAR(volume, row_sums(mesh, 1.).second, 1e-12);
}

template <int dim>
void
check_vectors(const bool simplices)
{
  const TestMesh<dim> mesh(simplices);
  auto body = mesh.body();
  NodeTable<dim> nodes;
  nodes.add(Point<dim>(), 1.);
  body.add_nodes(nodes);
  std::mt19937 random(7);
  Vector<double> u(mesh.dof_handler.n_dofs()), v(u), u_back(u), v_back(u);
  for (auto *vector : {&u, &v})
    for (double &value : *vector)
      value = std::uniform_real_distribution<>(-1, 1)(random);
  body.set_displacement(nodes, u);
  body.set_velocity(nodes, v);
  body.get_displacement(nodes, u_back);
  body.get_velocity(nodes, v_back);
  u_back -= u;
  v_back -= v;
  EXPECT_EQ(u_back.linfty_norm(), 0.);
  EXPECT_EQ(v_back.linfty_norm(), 0.);
  EXPECT_EQ(nodes.displacement(0).norm(), 0.);

  // Which entry is which: against deal.II's own evaluation of a field.
  Vector<double> x(mesh.dof_handler.n_dofs());
  for (unsigned int n = 1; n < nodes.size(); ++n)
  {
    const auto dofs = body.dofs_of_node(n);
    ASSERT_EQ(dofs.size(), std::size_t(dim));
    for (unsigned int d = 0; d < dim; ++d)
    {
      EXPECT_EQ(body.node_of_dof(dofs[d]), n);
      nodes[n].displacement[d] = (d + 1.) * nodes.reference(n)[d];
    }
  }
  body.get_displacement(nodes, x);
  const bool is_simplex = simplices;
  const Quadrature<dim> centre =
      is_simplex ? Quadrature<dim>(QGaussSimplex<dim>(1)) : Quadrature<dim>(QGauss<dim>(1));
  FEValues<dim> fe_values(*mesh.mapping, *mesh.element, centre,
                          update_values | update_quadrature_points);
  std::vector<Vector<double>> values(1, Vector<double>(dim));
  for (const auto &cell : mesh.dof_handler.active_cell_iterators())
  {
    fe_values.reinit(cell);
    fe_values.get_function_values(x, values);
    for (unsigned int d = 0; d < dim; ++d)
      EXPECT_NEAR(values[0][d], (d + 1.) * fe_values.quadrature_point(0)[d], 1e-12);
  }
}

template <typename Element>
std::string
refusal(const Element &element)
{
  constexpr int dim = Element::dimension;
  Triangulation<dim> triangulation;
  if (element.reference_cell().is_simplex())
    GridGenerator::subdivided_hyper_cube_with_simplices(triangulation, 1);
  else
    GridGenerator::hyper_cube(triangulation);
  DoFHandler<dim> dof_handler(triangulation);
  dof_handler.distribute_dofs(element);
  return message_of(
      [&]
      {
        Body<dim> body(dof_handler,
                       element.reference_cell().template get_default_linear_mapping<dim>(), "wheel",
                       std::make_shared<Ballast<dim>>(1.));
      });
}

std::string
geometry_refusal(const std::function<void(Triangulation<2> &)> &change,
                 const unsigned int mapping_degree = 1)
{
  Triangulation<2> triangulation;
  GridGenerator::subdivided_hyper_cube(triangulation, 4);
  change(triangulation);
  FESystem<2> element(FE_Q<2>(1), 2);
  DoFHandler<2> dof_handler(triangulation);
  dof_handler.distribute_dofs(element);
  return message_of(
      [&]
      {
        Body<2> body(dof_handler, MappingQ<2>(mapping_degree), "wheel",
                     std::make_shared<Ballast<2>>(1.));
      });
}
} // namespace

TEST(Body, masses_are_row_sums_of_the_consistent_mass)
{
  for (const auto shape : {Shape::box, Shape::ball})
    for (const bool simplices : {false, true})
    {
      SCOPED_TRACE(std::string(simplices ? "simplices" : "hypercubes") + " " +
                   std::to_string(int(shape)));
      check_masses<2>(simplices, shape);
      check_masses<3>(simplices, shape);
    }
}

TEST(Body, cell_data_reproduce_linear_fields)
{
  for (const auto shape : {Shape::box, Shape::ball})
    for (const bool simplices : {false, true})
    {
      SCOPED_TRACE(simplices);
      check_linear_field<2>(simplices, shape);
      check_linear_field<3>(simplices, shape);
    }
}

TEST(Body, vectors_go_in_and_out)
{
  for (const bool simplices : {false, true})
  {
    check_vectors<2>(simplices);
    check_vectors<3>(simplices);
  }
}

TEST(Body, scalar_elements_have_nodes_but_no_vectors)
{
  const TestMesh<3> scalar(false, Shape::box, false, true), vector(false);
  auto a = scalar.body(), b = vector.body();
  NodeTable<3> nodes;
  a.add_nodes(nodes);
  b.add_nodes(nodes);
  ASSERT_EQ(b.first_node(), a.n_nodes()); // not glued
  ASSERT_EQ(a.n_nodes(), b.n_nodes());
  for (unsigned int n = 0; n < a.n_nodes(); ++n)
  {
    EXPECT_EQ(nodes.mass(n), nodes.mass(b.first_node() + n));
    EXPECT_EQ(a.dofs_of_node(n).size(), 1u);
  }
  Vector<double> u(scalar.dof_handler.n_dofs());
  EXPECT_TRUE(contains(message_of([&] { a.get_displacement(nodes, u); }), "FESystem"));
  EXPECT_TRUE(contains(message_of([&] { b.set_velocity(nodes, u); }), "DoFs"));
}

TEST(Body, neighbours_in_space_are_neighbours_in_memory)
{
  Triangulation<3> triangulation;
  GridGenerator::subdivided_hyper_cube(triangulation, 16);
  FE_Q<3> element(1);
  DoFHandler<3> dof_handler(triangulation);
  dof_handler.distribute_dofs(element);
  Body<3> body(dof_handler, MappingQ<3>(1), "cube", std::make_shared<Ballast<3>>(1.));
  NodeTable<3> nodes;
  body.add_nodes(nodes);
  // 64 consecutive cells of a Hilbert curve through 16^3 cells are a block of 4^3.
  std::set<unsigned int> seen;
  for (unsigned int c = 0; c < 64; ++c)
    for (const unsigned int node : body.nodes_of_cell(body.cells()[c]))
      seen.insert(node);
  EXPECT_EQ(seen.size(), 125u);
  EXPECT_EQ(*seen.rbegin(), 124u);
  for (const auto &cell : dof_handler.active_cell_iterators())
    EXPECT_EQ(body.cell(cell->active_cell_index()), cell);
}

TEST(Body, materials_go_by_id)
{
  Triangulation<2> triangulation;
  GridGenerator::subdivided_hyper_cube(triangulation, 2);
  for (const auto &cell : triangulation.active_cell_iterators())
    cell->set_material_id(cell->center()[0] > 0.5 ? 7 : 0);
  FE_Q<2> element(1);
  DoFHandler<2> dof_handler(triangulation);
  dof_handler.distribute_dofs(element);
  const MappingQ<2> mapping(1);
  const auto light = std::make_shared<Ballast<2>>(1.), heavy = std::make_shared<Ballast<2>>(9.);

  Body<2> body(dof_handler, mapping, "pair", {{7, heavy}, {numbers::invalid_material_id, light}});
  NodeTable<2> nodes;
  body.add_nodes(nodes);
  double mass = 0;
  for (unsigned int n = 0; n < nodes.size(); ++n)
    mass += nodes.mass(n);
  EXPECT_NEAR(mass, 5., 1e-14);
  const auto blocks = body.cell_blocks();
  ASSERT_EQ(blocks.size(), 2u);
  for (const auto &block : blocks)
    for (const unsigned int c : block.active_cell_indices)
      EXPECT_EQ(body.cell(c)->center()[0] > 0.5, block.material == heavy);

  const auto missing = message_of([&] { Body<2>(dof_handler, mapping, "pair", {{7, heavy}}); });
  EXPECT_TRUE(contains(missing, "'pair'") && contains(missing, "material id 0")) << missing;
  for (const double rho : {0., -1., std::nan("")})
    EXPECT_TRUE(contains(
        message_of([&]
                   { Body<2>(dof_handler, mapping, "pair", std::make_shared<Ballast<2>>(rho)); }),
        "density"));
}

TEST(Body, families_are_in_the_order_of_material_ids)
{
  const auto light = std::make_shared<Ballast<2>>(1.), heavy = std::make_shared<Ballast<2>>(9.);
  for (const bool reversed : {false, true})
  {
    Triangulation<2> triangulation;
    GridGenerator::subdivided_hyper_cube(triangulation, 4);
    for (const auto &cell : triangulation.active_cell_iterators())
      cell->set_material_id((cell->center()[0] > 0.5) != reversed ? 7 : 3);
    FE_Q<2> element(1);
    DoFHandler<2> dof_handler(triangulation);
    dof_handler.distribute_dofs(element);
    const MappingQ<2> mapping(1);
    Body<2> body(dof_handler, mapping, "pair", {{7, heavy}, {3, light}});
    NodeTable<2> nodes;
    body.add_nodes(nodes);
    const auto blocks = body.cell_blocks();
    ASSERT_EQ(blocks.size(), 2u);
    EXPECT_EQ(blocks[0].material, light);
    EXPECT_EQ(blocks[1].material, heavy);
  }
}

TEST(Body, geometry_does_not_depend_on_the_threads_of_deal_ii)
{
  // with one thread FEValues takes over Jacobians of similar cells
  const auto data = [](const unsigned int n_threads)
  {
    MultithreadInfo::set_thread_limit(n_threads);
    const TestMesh<3> mesh(false, Shape::box, true);
    auto body = mesh.body(2.5);
    NodeTable<3> nodes;
    body.add_nodes(nodes);
    auto block = body.cell_blocks().front();
    MultithreadInfo::set_thread_limit(2);
    return block.data;
  };
  const auto one = data(1), two = data(2);
  EXPECT_TRUE(one.inverse_jacobians == two.inverse_jacobians);
  EXPECT_EQ(one.weights, two.weights);
  EXPECT_EQ(one.masses, two.masses);
}

TEST(Body, refuses_other_elements)
{
  for (const auto &message :
       {refusal(FE_Q<2>(2)), refusal(FE_SimplexP<3>(2)), refusal(FESystem<3>(FE_Q<3>(2), 3)),
        refusal(FESystem<3>(FE_Q<3>(1), 2)), refusal(FESystem<2>(FE_Q<2>(1), 1, FE_DGQ<2>(0), 1)),
        refusal(FE_DGQ<2>(1))})
  {
    EXPECT_TRUE(contains(message, "'wheel'")) << message;
    EXPECT_TRUE(contains(message, "FE_Q(1)")) << message;
  }
  EXPECT_TRUE(contains(refusal(FE_Q<2>(2)), "FE_Q<2>(2)"));
  EXPECT_EQ(refusal(FE_Q<2>(1)), "");
  EXPECT_EQ(refusal(FESystem<2>(FE_Q<2>(1), 1, FE_Q<2>(1), 1)), "");
  EXPECT_EQ(refusal(FESystem<3>(FE_SimplexP<3>(1), 3)), "");
}

TEST(Body, refuses_curved_mappings)
{
  EXPECT_EQ(geometry_refusal([](Triangulation<2> &) {}), "");
  const auto ball = [](Triangulation<2> &triangulation)
  {
    triangulation.clear();
    GridGenerator::hyper_ball(triangulation);
  };
  EXPECT_EQ(geometry_refusal(ball, 1), "");
  EXPECT_TRUE(contains(geometry_refusal(ball, 2), "curved"));
  EXPECT_EQ(geometry_refusal([](Triangulation<2> &) {}, 3), ""); // straight all the same
}

TEST(Body, refuses_inverted_cells)
{
  const auto move = [](const Point<2> &from, const Point<2> &to)
  {
    return [=](Triangulation<2> &triangulation)
    {
      GridTools::transform([=](const Point<2> &p) { return p.distance(from) < 1e-10 ? to : p; },
                           triangulation);
    };
  };
  // Turned over, folded at one vertex only, and without volume; then a straight angle, which is
  // fine.
  const auto turned = geometry_refusal([](Triangulation<2> &triangulation)
                                       { GridTools::rotate(numbers::PI, triangulation); });
  EXPECT_EQ(turned, "") << "a half turn is no inversion";
  const auto mirrored = geometry_refusal(
      [](Triangulation<2> &triangulation) {
        GridTools::transform([](const Point<2> &p) { return Point<2>(-p[0], p[1]); },
                             triangulation);
      });
  const auto folded = geometry_refusal(move(Point<2>(0, 0), Point<2>(0.15, 0.15)));
  const auto flat = geometry_refusal(
      [](Triangulation<2> &triangulation) {
        GridTools::transform([](const Point<2> &p) { return Point<2>(p[0], 0); }, triangulation);
      });
  for (const auto &message : {mirrored, folded, flat})
  {
    EXPECT_TRUE(contains(message, "'wheel'")) << message;
    EXPECT_TRUE(contains(message, "inverted")) << message;
    EXPECT_TRUE(contains(message, " with centre (")) << message;
  }
  EXPECT_TRUE(contains(folded, "cell 0 with centre (")) << folded;
  EXPECT_EQ(geometry_refusal(move(Point<2>(0, 0), Point<2>(0.125, 0.125))), "");
  EXPECT_TRUE(
      contains(geometry_refusal(move(Point<2>(0, 0), Point<2>(std::nan(""), 0))), "not finite"));
}

TEST(Body, complains_about_use_in_the_wrong_order)
{
  const TestMesh<2> mesh(false);
  auto body = mesh.body();
  EXPECT_TRUE(contains(message_of([&] { body.cell_blocks(); }), "add_nodes"));
  NodeTable<2> nodes;
  body.add_nodes(nodes);
  EXPECT_TRUE(contains(message_of([&] { body.add_nodes(nodes); }), "already"));
}

template <int dim>
void
check_kicks(const bool simplices, const bool plain)
{
  const TestMesh<dim> mesh(simplices, Shape::box, plain);
  auto body = mesh.body();
  NodeTable<dim> nodes;
  nodes.add(Point<dim>(), 1.);
  body.add_nodes(nodes);
  unsigned int n_kicks = 0;
  for (unsigned int family = 0; family < body.kicks().size(); ++family)
  {
    const auto &kicks = *body.kicks()[family];
    n_kicks += kicks.n_kicks();
    for (unsigned int k = 0; k < kicks.n_kicks(); ++k)
    {
      const unsigned int cell = body.cell_of_kick(family, k);
      EXPECT_EQ(body.kick_of_cell(cell).family, family);
      EXPECT_EQ(body.kick_of_cell(cell).kick, k);
      const auto support = kicks.support(k), expected = body.nodes_of_cell(body.cell(cell));
      EXPECT_EQ(std::set<unsigned int>(support.begin(), support.end()),
                std::set<unsigned int>(expected.begin(), expected.end()));
    }
  }
  EXPECT_EQ(n_kicks, mesh.triangulation.n_active_cells());
}

TEST(Body, knows_nodes_and_no_cells_when_its_mesh_has_gone)
{
  const TestMesh<2> mesh(false);
  auto body = mesh.body();
  NodeTable<2> nodes;
  body.add_nodes(nodes);
  body.forget_mesh();
  EXPECT_THROW(body.cells(), DynamicsExceptions::ExcMeshChanged);
  EXPECT_THROW(body.cell(0), DynamicsExceptions::ExcMeshChanged);
  EXPECT_THROW(body.node_of_dof(0), DynamicsExceptions::ExcMeshChanged);
  EXPECT_THROW(body.boundary_faces(), DynamicsExceptions::ExcMeshChanged);
  EXPECT_EQ(body.n_nodes(), nodes.size());
}

TEST(Body, kicks_and_cells_lead_to_each_other)
{
  for (const bool simplices : {false, true})
    for (const bool plain : {false, true})
    {
      check_kicks<2>(simplices, plain);
      check_kicks<3>(simplices, plain);
    }
}
