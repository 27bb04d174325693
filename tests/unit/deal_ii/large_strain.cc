// Cells of linear materials that turn or are strained too much: they are found, and no others.
#include "refined_mesh.h"

#include <kickdrift/deal_ii/large_strain.h>

#include <gtest/gtest.h>

#include <optional>

using namespace KickDrift;
using namespace KickDriftTests;

namespace
{
template <int dim>
std::shared_ptr<const Material<dim>>
linear()
{
  return std::make_shared<LinearElastic<dim>>(1., 1., 0.3);
}

/// What is found where the whole body has this displacement gradient.
template <int dim>
std::optional<LargeStrain>
found_with(const Body<dim> &body, NodeTable<dim> &nodes, const Tensor<2, dim> &gradient)
{
  for (unsigned int node = 0; node < nodes.size(); ++node)
    nodes.set_displacement(node, gradient * nodes.reference(node));
  return find_large_strain(body, nodes, 0.);
}

/// The first cell is found beyond the limits, and none of all cells within them.
template <int dim>
void
expect_limits(const Body<dim> &body, NodeTable<dim> &nodes)
{
  Tensor<2, dim> turn, stretch;
  turn[0][dim - 1] = -1;
  turn[dim - 1][0] = 1;
  stretch[dim - 1][dim - 1] = 1;
  EXPECT_FALSE(found_with(body, nodes, 0.0999 * turn).has_value());
  EXPECT_FALSE(found_with(body, nodes, 0.1999 * stretch).has_value());
  const auto turned = found_with(body, nodes, 0.12 * turn),
             strained = found_with(body, nodes, 0.24 * stretch);
  ASSERT_TRUE(turned.has_value() && strained.has_value());
  EXPECT_TRUE(turned->turns);
  EXPECT_FALSE(strained->turns);
  EXPECT_NEAR(turned->amount, 0.12, 1e-12);
  EXPECT_NEAR(strained->amount, 0.24, 1e-12);
  const unsigned int first = body.cells().front()->active_cell_index();
  EXPECT_EQ(turned->active_cell_index, first);
  EXPECT_EQ(strained->active_cell_index, first);
}

template <int dim>
void
check_cells(const bool simplices)
{
  const TestMesh<dim> mesh(simplices);
  Body<dim> body(mesh.dof_handler, *mesh.mapping, "test", linear<dim>());
  NodeTable<dim> nodes;
  body.add_nodes(nodes);
  expect_limits(body, nodes);
}

template <int dim>
void
check_hanging_vertices()
{
  Triangulation<dim> mesh;
  refine_by_lot(mesh, 3);
  RefinedBody<dim> refined(mesh, linear<dim>());
  EXPECT_GT(refined.body->n_hanging_nodes(), 0u);
  expect_limits(*refined.body, refined.nodes);
}
} // namespace

TEST(LargeStrains, of_quadrilaterals_and_triangles)
{
  check_cells<2>(false);
  check_cells<2>(true);
}

TEST(LargeStrains, of_hexahedra_and_tetrahedra)
{
  check_cells<3>(false);
  check_cells<3>(true);
}

TEST(LargeStrains, of_cells_with_hanging_vertices)
{
  check_hanging_vertices<2>();
  check_hanging_vertices<3>();
}

// Nodes fly straight from where they are to the time that is asked for.
TEST(LargeStrains, at_a_time)
{
  const TestMesh<2> mesh(false);
  Body<2> body(mesh.dof_handler, *mesh.mapping, "test", linear<2>());
  NodeTable<2> nodes;
  body.add_nodes(nodes);
  for (unsigned int node = 0; node < nodes.size(); ++node)
    nodes.set_velocity(node, Tensor<1, 2>({0.1 * nodes.reference(node)[0], 0.}));
  EXPECT_FALSE(find_large_strain(body, nodes, 1.9).has_value());
  EXPECT_TRUE(find_large_strain(body, nodes, 2.1).has_value());
}

// Every other cell is of the linear material, by its id or because it has no entry of its own.
TEST(LargeStrains, of_some_materials)
{
  TestMesh<2> mesh(false);
  for (const auto &cell : mesh.triangulation.active_cell_iterators())
    cell->set_material_id(cell->active_cell_index() % 2 == 0 ? 4 : 7);
  const auto other = std::make_shared<NeoHookean<2>>(1., 1., 0.3);
  Tensor<2, 2> stretch;
  stretch[0][0] = 0.3;
  const auto id_of_found = [&](const Body<2>::Materials &materials)
  {
    Body<2> body(mesh.dof_handler, *mesh.mapping, "test", materials);
    NodeTable<2> nodes;
    body.add_nodes(nodes);
    const auto found = found_with(body, nodes, stretch);
    for (const auto &cell : body.cells())
      if (found && cell->material_id() == body.cell(found->active_cell_index)->material_id())
      {
        EXPECT_EQ(found->active_cell_index, cell->active_cell_index()) << "the first of them";
        return cell->material_id();
      }
    return numbers::invalid_material_id;
  };
  EXPECT_EQ(id_of_found({{4, other}, {7, linear<2>()}}), 7u);
  EXPECT_EQ(id_of_found({{4, linear<2>()}, {7, other}}), 4u);
  EXPECT_EQ(id_of_found({{4, other}, {numbers::invalid_material_id, linear<2>()}}), 7u);
  EXPECT_EQ(id_of_found({{numbers::invalid_material_id, other}}), numbers::invalid_material_id);
}
