#include <kickdrift/stepping/stepper.h>
#include <kickdrift/stepping/steps/critical_steps.h>
#include <kickdrift/stepping/steps/stability_limit.h>

#include <deal.II/lac/lapack_full_matrix.h>

#include <gtest/gtest.h>

#include "linear_network.h"
#include "unit/potentials/cells/cells.h"

using namespace KickDrift;
using namespace KickDriftTests;

namespace
{
template <int dim>
double
limit(const std::shared_ptr<LinearNetwork<dim>> &links, const NodeTable<dim> &nodes)
{
  const StabilityLimit limit = stability_limit<dim>({links}, nodes);
  EXPECT_TRUE(limit.has_converged);
  return limit.step;
}

/// A closed ring of equal masses m and springs k: omega_max = 2 sqrt(k/m) for an even number.
TEST(StabilityLimit, EvenRing)
{
  const double m = 0.7, k = 3.1;
  NodeTable<2> nodes;
  auto ring = std::make_shared<LinearNetwork<2>>();
  const unsigned int n = 4000; // many frequencies close to the largest
  for (unsigned int i = 0; i < n; ++i)
  {
    nodes.add(dealii::Point<2>(i, 0), m);
    ring->add(i, (i + 1) % n, k, 0.5 * m, 0.5 * m);
  }
  const double ratio = limit<2>(ring, nodes) / std::sqrt(m / k);
  EXPECT_GT(ratio, 1 - 1e-9);
  EXPECT_LT(ratio, 1 + 3e-4);
}

/// Two masses: one mode, omega^2 = k (1/m1 + 1/m2). Iteration ends as the space is exhausted.
TEST(StabilityLimit, TwoMasses)
{
  NodeTable<3> nodes;
  auto link = std::make_shared<LinearNetwork<3>>();
  nodes.add({}, 2.);
  nodes.add(dealii::Point<3>(0, 1, 0), 5.);
  link->add(0, 1, 3., 2., 5.);
  EXPECT_NEAR(limit<3>(link, nodes), 2 / std::sqrt(3. * (1 / 2. + 1 / 5.)), 1e-6);
}

/// 2/omega_max by LAPACK, from M^-1/2 K M^-1/2 column by column, by kicks at small displacements.
template <int dim>
double
exact_limit(PotentialsTest::Body<dim> &body)
{
  const double increment = 1e-6;
  const unsigned int n = dim * body.nodes.size();
  for (const auto &family : body.families)
    family->assign_clocks(std::vector<unsigned int>(family->n_kicks(), 0), 1);
  dealii::LAPACKFullMatrix<double> A(n);
  for (unsigned int j = 0; j < n; ++j)
  {
    NodeTable<dim> nodes = body.nodes;
    nodes[j / dim].displacement[j % dim] = increment;
    for (const auto &family : body.families)
      family->kick(nodes, 0, 0., 1.);
    for (unsigned int i = 0; i < n; ++i)
    {
      const double scale = std::sqrt(nodes.mass(i / dim) / nodes.mass(j / dim));
      const double entry = -nodes[i / dim].velocity[i % dim] * scale / increment;
      A(i, j) += 0.5 * entry;
      A(j, i) += 0.5 * entry;
    }
  }
  A.compute_eigenvalues();
  double largest = 0;
  for (unsigned int i = 0; i < n; ++i)
    largest = std::max(largest, A.eigenvalue(i).real());
  return 2 / std::sqrt(largest);
}

template <int dim>
void
compare_with_exact_limit()
{
  std::mt19937 random(7);
  for (const auto shape : PotentialsTest::all_shapes)
    for (const auto &material : PotentialsTest::all_materials<dim>())
    {
      PotentialsTest::Body<dim> body(PotentialsTest::block<dim>(shape, 3, random), material);
      const std::vector<std::shared_ptr<const Kicks<dim>>> families(body.families.begin(),
                                                                    body.families.end());
      const double ratio = stability_limit<dim>(families, body.nodes).step / exact_limit(body);
      EXPECT_GT(ratio, 1 - 1e-4);
      EXPECT_LT(ratio, 1 + 1e-3);
      // exact_limit() has put all kicks on one clock
      EXPECT_NEAR(stability_limit<dim>(families, body.nodes, 1).step / exact_limit(body), ratio,
                  1e-4);
    }
}

TEST(StabilityLimit, BlocksOfCells2d)
{
  compare_with_exact_limit<2>();
}
TEST(StabilityLimit, BlocksOfCells3d)
{
  compare_with_exact_limit<3>();
}

/// Largest speed in a chain of uneven springs after 400 steps of leapfrog with @p factor times its
/// limit.
double
speed_in_the_end(const double factor)
{
  NodeTable<2> nodes;
  auto chain = make_chain<2>(nodes, 40, 20.);
  const double step = factor * limit<2>(chain, nodes);
  for (unsigned int i = 0; i < 400; ++i)
    for (unsigned int k = 0; k < chain->n_kicks(); ++k)
      chain->kick_one(nodes, k, i * step, step);
  double largest = 0;
  for (unsigned int node = 0; node < nodes.size(); ++node)
    largest = std::max(largest, nodes.velocity(node).norm());
  return largest;
}

/// It is above the bound by links, stepping is stable just below it and unstable just above it.
TEST(StabilityLimit, SeparatesStableFromUnstable)
{
  NodeTable<2> nodes;
  auto chain = make_chain<2>(nodes, 40, 20.);
  const auto steps = CriticalSteps<2>({chain}, nodes).reference();
  const double bound = *std::min_element(steps.begin(), steps.end());
  EXPECT_GT(limit<2>(chain, nodes), bound);
  EXPECT_LT(speed_in_the_end(0.99), 3.);
  EXPECT_GT(speed_in_the_end(1.01), 1e6);
}

/// The stepper takes fixed steps up to the limit, and none above it.
TEST(StabilityLimit, BoundsFixedSteps)
{
  for (const double factor : {0.99, 1.01})
  {
    NodeTable<2> nodes;
    auto chain = make_chain<2>(nodes, 40, 20.);
    StepperParameters parameters;
    parameters.clocks = Clocks::one;
    parameters.time_step = factor * limit<2>(chain, nodes);
    Stepper<2> stepper(nodes, parameters);
    stepper.add(chain);
    if (factor < 1)
      EXPECT_NO_THROW(stepper.start());
    else
      EXPECT_THROW(stepper.start(), dealii::ExceptionBase);
  }
}
} // namespace
