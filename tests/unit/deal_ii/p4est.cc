// Bodies on p4est's triangulations: the same as on deal.II's own.
#include "refined_mesh.h"

#include <deal.II/base/mpi.h>
#include <deal.II/distributed/tria.h>

#include <gtest/gtest.h>

using namespace KickDrift;
using namespace KickDriftTests;

namespace
{
/// A bar of 8 x 2 (x 2) cells, refined in its middle, twice.
template <int dim>
void
make_bar(Triangulation<dim> &triangulation)
{
  Point<dim> end;
  std::vector<unsigned int> n(dim, 2);
  for (unsigned int d = 0; d < dim; ++d)
    end[d] = 1;
  end[0] = 4;
  n[0] = 8;
  GridGenerator::subdivided_hyper_rectangle(triangulation, n, Point<dim>(), end, true);
  for (unsigned int pass = 0; pass < 2; ++pass)
  {
    for (const auto &cell : triangulation.active_cell_iterators())
      if (std::abs(cell->center()[0] - 2) < 1 - 0.5 * pass && cell->center()[1] < 0.75)
        cell->set_refine_flag();
    triangulation.execute_coarsening_and_refinement();
  }
}

/// Run a bar that vibrates; returns the nodes at the end.
template <int dim>
NodeTable<dim>
run(const Triangulation<dim> &triangulation)
{
  RefinedBody<dim> bar(triangulation, std::make_shared<NeoHookean<dim>>(1., 1., 0.3));
  EXPECT_GT(bar.body->n_hanging_nodes(), 0u);
  for (unsigned int n = 0; n < bar.nodes.size(); ++n)
  {
    Tensor<1, dim> v;
    v[0] = 0.1 * std::cos(bar.nodes.reference(n)[0]);
    v[1] = 0.1 * bar.nodes.reference(n)[0];
    bar.nodes.set_velocity(n, v);
  }
  Stepper<dim> stepper(bar.nodes, {});
  for (const auto &family : bar.body->strain_kicks())
    stepper.add(family);
  stepper.start();
  stepper.advance_to(4.);
  return stepper.snapshot(4.);
}

template <int dim>
void
check()
{
  // as p4est does it
  Triangulation<dim> serial(Triangulation<dim>::limit_level_difference_at_vertices);
  parallel::distributed::Triangulation<dim> distributed(MPI_COMM_WORLD);
  make_bar<dim>(serial);
  make_bar<dim>(distributed);
  ASSERT_EQ(serial.n_active_cells(), distributed.n_active_cells());
  const auto expected = run<dim>(serial), seen = run<dim>(distributed);
  ASSERT_EQ(seen.size(), expected.size());
  double moved = 0;
  for (unsigned int n = 0; n < seen.size(); ++n)
  {
    EXPECT_EQ(seen.reference(n), expected.reference(n));
    EXPECT_EQ(seen.displacement(n), expected.displacement(n));
    EXPECT_EQ(seen.velocity(n), expected.velocity(n));
    moved = std::max(moved, seen.displacement(n).norm());
  }
  EXPECT_GT(moved, 0.1);
}
} // namespace

TEST(P4est, gives_the_same_bits)
{
  check<2>();
  check<3>();
}

int
main(int argc, char **argv)
{
  const Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
