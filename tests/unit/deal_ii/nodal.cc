// Bodies with nodal integration.

#include "test_body.h"

#include <gtest/gtest.h>

using namespace KickDriftTests;
using namespace KickDrift;

namespace
{
/// Half of the cells are of one material, half of another: energies and supports of the kicks.
template <int dim>
void
check_two_materials(const bool simplices)
{
  const TestMesh<dim> mesh(simplices);
  for (const auto &cell : mesh.triangulation.active_cell_iterators())
    cell->set_material_id(cell->active_cell_index() % 2);
  const auto light = std::make_shared<Ballast<dim>>(1.), heavy = std::make_shared<Ballast<dim>>(9.);
  Body<dim> body(mesh.dof_handler, *mesh.mapping, "pair", {{0, light}, {1, heavy}},
                 StrainIntegration::nodal);
  NodeTable<dim> nodes;
  nodes.add(Point<dim>(), 1.);
  body.add_nodes(nodes);
  Tensor<2, dim> H;
  for (unsigned int i = 0; i < dim; ++i)
    for (unsigned int j = 0; j < dim; ++j)
      H[i][j] = 0.01 * (1 + i) * (2. - j);
  for (unsigned int n = 0; n < nodes.size(); ++n)
    nodes.set_displacement(n, H * nodes.reference(n));

  ASSERT_EQ(body.nodal_kicks().size(), 2u);
  EXPECT_EQ(body.strain_kicks().size(), body.kicks().size() + 2);
  EnergyBalance balance;
  for (const auto &family : body.strain_kicks())
    family->add_energy(nodes, balance);
  // both materials have the same energy density
  double volume = 0;
  for (const auto &block : body.cell_blocks())
    for (const double weight : block.data.weights)
      volume += weight;
  EXPECT_NEAR(balance.strain, volume * light->energy_density(H), 1e-12 * balance.strain);

  const auto blocks = body.cell_blocks();
  for (unsigned int b = 0; b < 2; ++b)
  {
    const auto &kicks = *body.nodal_kicks()[b];
    double volume_of_cells = 0, volume_of_nodes = 0;
    for (const double weight : blocks[b].data.weights)
      volume_of_cells += weight;
    for (unsigned int k = 0; k < kicks.n_kicks(); ++k)
      volume_of_nodes += kicks.volume(k);
    EXPECT_NEAR(volume_of_nodes, volume_of_cells, 1e-12 * volume_of_cells);
    EXPECT_EQ(kicks.material().density(), blocks[b].material->density());
    for (const unsigned int cell : blocks[b].active_cell_indices)
    {
      EXPECT_EQ(body.nodal_family_of_cell(cell), b);
      for (const unsigned int node : body.nodes_of_cell(body.cell(cell)))
        EXPECT_EQ(kicks.node(kicks.kick_of_node(node)), node);
    }
  }
}
} // namespace

TEST(NodalBody, HasAKickPerNodeAndMaterial)
{
  for (const bool simplices : {false, true})
  {
    check_two_materials<2>(simplices);
    check_two_materials<3>(simplices);
  }
}

TEST(NodalBody, StandardHasNone)
{
  const TestMesh<2> mesh(false);
  auto body = mesh.body();
  NodeTable<2> nodes;
  body.add_nodes(nodes);
  EXPECT_TRUE(body.nodal_kicks().empty());
  EXPECT_EQ(body.strain_kicks().size(), body.kicks().size());
}
