#include <kickdrift/stepping/stepper.h>
#include <kickdrift/stepping/steps/critical_steps.h>
#include <kickdrift/stepping/steps/mass_scaling.h>
#include <kickdrift/stepping/steps/stability_limit.h>

#include <gtest/gtest.h>

#include "linear_network.h"
#include "unit/potentials/cells/cells.h"

using namespace KickDrift;
using namespace KickDriftTests;

namespace
{
template <int dim>
using Families = std::vector<std::shared_ptr<const Kicks<dim>>>;

template <int dim>
std::vector<double>
scaled(const Families<dim> &families, const NodeTable<dim> &nodes, const double step)
{
  unsigned int n_kicks = 0;
  for (const auto &family : families)
    n_kicks += family->n_kicks();
  return masses_for_steps<dim>(families, nodes, std::vector<double>(n_kicks, step),
                               std::vector<char>(nodes.size(), 1));
}

template <int dim>
double
smallest_step(const Families<dim> &families, const NodeTable<dim> &nodes)
{
  const auto steps = CriticalSteps<dim>(families, nodes).reference();
  return *std::min_element(steps.begin(), steps.end());
}

template <int dim>
double
total(const NodeTable<dim> &nodes)
{
  double mass = 0;
  for (unsigned int node = 0; node < nodes.size(); ++node)
    mass += nodes.mass(node);
  return mass;
}

/// The light one of two masses: omega^2 = k (1/m1 + 1/m2), solved for m1.
TEST(MassScaling, LightMassAtASpring)
{
  NodeTable<2> nodes;
  auto link = std::make_shared<LinearNetwork<2>>();
  nodes.add({}, 0.1);
  nodes.add(dealii::Point<2>(1, 0), 5.);
  link->add(0, 1, 3., 0.1, 5.);
  for (const double step : {0.6, 1., 1.5})
  {
    const auto masses = scaled<2>({link}, nodes, step);
    EXPECT_NEAR(masses[0] * (4 / (3. * step * step) - 1 / 5.), 1, 5e-3);
    EXPECT_EQ(masses[1], nodes.mass(1));
  }
  // 2 sqrt(m/(2k)) of the heavy one alone
  EXPECT_GT(scaled<2>({link}, nodes, 3.)[1], 5.);
  EXPECT_EQ(scaled<2>({link}, nodes, 0.2)[0], nodes.mass(0)); // long enough
}

/// A ring of equal masses and springs has one step: all become heavier by the square of the factor.
TEST(MassScaling, RingOfEqualCells)
{
  NodeTable<2> nodes;
  auto ring = std::make_shared<LinearNetwork<2>>();
  const unsigned int n = 40;
  for (unsigned int i = 0; i < n; ++i)
  {
    nodes.add(dealii::Point<2>(i, 0), 0.7);
    ring->add(i, (i + 1) % n, 3.1, 0.35, 0.35);
  }
  const double factor = 1.7;
  for (const double mass : scaled<2>({ring}, nodes, factor * smallest_step<2>({ring}, nodes)))
    EXPECT_NEAR(mass / (0.7 * factor * factor), 1, 3e-3);
}

/// Meshes of random cells: steps are reached, also by the exact limit of the whole, and with a
/// per cent less of what was added they are not.
template <int dim>
void
reach_steps()
{
  std::mt19937 random(11);
  for (const auto shape : PotentialsTest::all_shapes)
    for (const double factor : {1.05, 1.5, 4.})
    {
      PotentialsTest::Body<dim> body(PotentialsTest::block<dim>(shape, 3, random),
                                     PotentialsTest::all_materials<dim>().front());
      const Families<dim> families(body.families.begin(), body.families.end());
      NodeTable<dim> nodes = body.nodes, lighter = body.nodes;
      const double step = factor * smallest_step<dim>(families, nodes);
      const auto masses = scaled<dim>(families, nodes, step);
      for (unsigned int node = 0; node < nodes.size(); ++node)
      {
        const double before = nodes.mass(node);
        EXPECT_GE(masses[node], before);
        nodes.set_mass(node, masses[node]);
        lighter.set_mass(node, before + 0.97 * (masses[node] - before));
      }
      EXPECT_GE(smallest_step<dim>(families, nodes), step);
      EXPECT_GE(stability_limit<dim>(families, nodes).step, step);
      EXPECT_LT(smallest_step<dim>(families, lighter), step);
      // as good as with the same factor for all, which serves, too
      EXPECT_LE(total(nodes), factor * factor * total(body.nodes) * 1.003);
    }
}

TEST(MassScaling, ReachesStepsIn2d)
{
  reach_steps<2>();
}
TEST(MassScaling, ReachesStepsIn3d)
{
  reach_steps<3>();
}

/// A sliver between equal cells: what is added is near what the stiffest spring alone needs.
TEST(MassScaling, OnlyAtTheSliver)
{
  NodeTable<2> nodes;
  auto chain = std::make_shared<LinearNetwork<2>>();
  const unsigned int n = 20;
  for (unsigned int i = 0; i <= n; ++i)
    nodes.add(dealii::Point<2>(i, 0), 1.);
  for (unsigned int i = 0; i < n; ++i)
    chain->add(i, i + 1, i == 8 ? 100. : 1., 0.5, 0.5);
  const double step = 0.95; // the others have 1
  const auto masses = scaled<2>({chain}, nodes, step);
  for (unsigned int i = 0; i <= n; ++i)
    if (i != 8 && i != 9)
    {
      EXPECT_EQ(masses[i], 1.) << i;
    }
  EXPECT_EQ(masses[8], masses[9]);
  // omega^2 = 2 k/m, and the neighbours take their shares
  EXPECT_GE(masses[8], 50. * step * step);
  EXPECT_LE(masses[8], 51. * step * step);
}

/// Neither the order of kicks nor that of nodes matters.
TEST(MassScaling, IsSymmetric)
{
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(0.2, 5);
  const unsigned int n = 30;
  std::vector<double> masses, stiffnesses;
  for (unsigned int i = 0; i < n; ++i)
  {
    masses.push_back(number(random));
    stiffnesses.push_back(number(random));
  }
  NodeTable<2> nodes, mirrored;
  auto chain = std::make_shared<LinearNetwork<2>>(), mirror = std::make_shared<LinearNetwork<2>>();
  for (unsigned int i = 0; i < n; ++i)
  {
    nodes.add(dealii::Point<2>(i, 0), masses[i]);
    mirrored.add(dealii::Point<2>(i, 0), masses[n - 1 - i]);
    if (i > 0)
    {
      chain->add(i - 1, i, stiffnesses[i], 1, 1);
      mirror->add(n - i - 1, n - i, stiffnesses[i], 1, 1);
    }
  }
  const auto one = scaled<2>({chain}, nodes, 1.2), other = scaled<2>({mirror}, mirrored, 1.2);
  for (unsigned int i = 0; i < n; ++i)
    EXPECT_NEAR(one[i] / other[n - 1 - i], 1, 1e-12);
}

/// The stepper scales what it is told to, once, and before it knows the steps.
TEST(MassScaling, ByTheStepper)
{
  const auto make = [](NodeTable<2> &nodes)
  {
    auto link = std::make_shared<LinearNetwork<2>>();
    for (unsigned int i = 0; i < 4; ++i)
      nodes.add(dealii::Point<2>(i, 0), 1.);
    link->add(0, 1, 3., 1, 1);
    link->add(2, 3, 3., 1, 1);
    return link;
  };
  NodeTable<2> nodes;
  Stepper<2> stepper(nodes, StepperParameters());
  stepper.add(make(nodes));
  EXPECT_THROW(stepper.scale_masses(0), Stepper<2>::ExcParameter);
  EXPECT_THROW(stepper.scale_masses(std::nan("")), Stepper<2>::ExcParameter);
  EXPECT_THROW(stepper.scale_masses(2, {4}), Stepper<2>::ExcNoSuchNode);
  stepper.scale_masses(2, {2, 3, 0}); // the kick on 0 and 1 cannot be served
  EXPECT_EQ(nodes.mass(0), 1);
  EXPECT_EQ(nodes.mass(1), 1);
  EXPECT_NEAR(nodes.mass(2), 6, 0.01);
  stepper.find_critical_steps();
  EXPECT_NEAR(stepper.levels().critical_step(0), 2 / std::sqrt(6.), 1e-9);
  EXPECT_NEAR(stepper.levels().critical_step(1), 2, 2e-3);
  EXPECT_GE(stepper.levels().critical_step(1), 2);
  EXPECT_THROW(stepper.scale_masses(2), Stepper<2>::ExcStepsKnown);

  NodeTable<2> others;
  StepperParameters own;
  own.mass_for_steps = MassForSteps::own;
  Stepper<2> with_own_masses(others, own);
  with_own_masses.add(make(others));
  EXPECT_THROW(with_own_masses.scale_masses(2), Stepper<2>::ExcMassScaling);
}
} // namespace
