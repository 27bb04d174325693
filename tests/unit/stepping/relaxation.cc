// Static equilibrium by relaxation, against what can be calculated directly.

#include <kickdrift/potentials/loads/loads.h>
#include <kickdrift/potentials/springs.h>
#include <kickdrift/stepping/relaxation.h>
#include <kickdrift/stepping/stepper.h>

#include <gtest/gtest.h>

#include "linear_network.h"

#include <numeric>

using namespace KickDrift;
using namespace KickDriftTests;
using dealii::Point;
using dealii::Tensor;

namespace
{
using Vector = Tensor<1, 2>;

/// Strain energy of links, as cells have it.
class Cells : public LinearNetwork<2>
{
public:
  KickKind
  kind() const override
  {
    return KickKind::strain;
  }
};

/// A chain along x whose first node is held; every node has a force.
struct HeldChain
{
  explicit HeldChain(const unsigned int n, const double contrast, const double at_x = 0)
      : first(0), n(n), cells(std::make_shared<Cells>())
  {
    for (unsigned int i = 0; i < n; ++i)
      nodes.add(Point<2>(at_x + i, 0), 1 + i % 3);
    for (unsigned int i = 0; i + 1 < n; ++i)
      cells->add(i, i + 1, std::pow(contrast, std::sin(1.7 * i)), 0.5, 0.5);
    for (unsigned int i = 0; i < n; ++i)
      forces.push_back(Vector({1e-3 * std::cos(1. * i), -2e-3}));
  }

  void
  hold(const unsigned int node, const Vector &displacement = Vector())
  {
    nodes.restraints.add(node, Vector({1, 0}));
    nodes.restraints.add(node, Vector({0, 1}));
    nodes.set_displacement(node, displacement);
  }

  RelaxationReport
  relax(const double tolerance = 1e-11)
  {
    std::vector<unsigned int> loaded(n);
    std::iota(loaded.begin(), loaded.end(), 0u);
    RelaxationParameters parameters;
    parameters.tolerance = tolerance;
    return Relaxation<2>({cells}, {std::make_shared<ConstantLoads<2>>("load", 1, loaded, forces)},
                         nodes, parameters)
        .run();
  }

  unsigned int first, n;
  NodeTable<2> nodes;
  std::shared_ptr<Cells> cells;
  std::vector<Vector> forces;
};

std::string
message_of(const std::function<void()> &action)
{
  try
  {
    action();
  }
  catch (const dealii::ExceptionBase &error)
  {
    std::ostringstream stream;
    error.print_info(stream);
    return stream.str();
  }
  return "";
}
} // namespace

// Statically determinate: every link carries what hangs on it.
TEST(Relaxation, chain_that_hangs)
{
  HeldChain chain(60, 30);
  chain.hold(0);
  chain.nodes.set_velocity(7, Vector({1, 2}));
  const auto report = chain.relax();
  EXPECT_LE(report.residual, 1e-11);
  EXPECT_GT(report.n_iterations, 60u); // news goes one link at a time

  Vector carried, u;
  for (const auto &force : chain.forces)
    carried += force;
  double largest = 0;
  for (unsigned int i = 1; i < chain.n; ++i)
  {
    carried -= chain.forces[i - 1];
    u += carried / chain.cells->links[i - 1].stiffness;
    EXPECT_NEAR((chain.nodes.displacement(i) - u).norm(), 0, 1e-7 * u.norm()) << i;
    largest = std::max(largest, u.norm());
  }
  EXPECT_NEAR(report.largest_displacement, largest, 1e-7 * largest);

  // nothing else has changed
  EXPECT_EQ(chain.nodes.velocity(7)[1], 2);
  EXPECT_EQ(chain.nodes.velocity(8).norm(), 0);
  EXPECT_EQ(chain.nodes[59].time, 0);
  EXPECT_EQ(chain.nodes.mass(1), 2);
  EXPECT_EQ(chain.nodes.restraints.reaction(0).norm(), 0);
  EXPECT_EQ(chain.nodes.displacement(0).norm(), 0);
}

// Without loads: both ends are held, one of them elsewhere, and each link takes its share.
TEST(Relaxation, ends_that_are_apart)
{
  HeldChain chain(20, 10);
  chain.forces.assign(20, Vector());
  chain.hold(0);
  chain.hold(19, Vector({0.5, -0.2}));
  chain.relax();
  double compliance = 0;
  for (const auto &link : chain.cells->links)
    compliance += 1 / link.stiffness;
  double share = 0;
  for (unsigned int i = 0; i < 20; ++i)
  {
    EXPECT_NEAR((chain.nodes.displacement(i) - share * Vector({0.5, -0.2})).norm(), 0, 1e-9) << i;
    if (i < 19)
      share += 1 / (chain.cells->links[i].stiffness * compliance);
  }
}

// A skew support, and a chain that is free along it: only what drives it there matters.
TEST(Relaxation, free_but_for_one_direction)
{
  HeldChain chain(10, 3);
  const Vector normal({0.6, 0.8}), along({0.8, -0.6});
  chain.nodes.restraints.add(4, normal);
  for (auto &force : chain.forces)
    force = -2e-3 * normal;
  chain.relax();
  for (unsigned int i = 0; i < 10; ++i)
    EXPECT_NEAR(chain.nodes.displacement(i) * along, 0, 1e-12);
  EXPECT_LT(chain.nodes.displacement(9) * normal, -1e-3);
  chain.forces[3] += 1e-5 * along;
  EXPECT_NE(message_of([&] { chain.relax(); }).find("no restraint holds it"), std::string::npos);
}

TEST(Relaxation, free_in_balance_and_out_of_it)
{
  HeldChain chain(10, 3);
  chain.forces.assign(10, Vector());
  EXPECT_EQ(chain.relax().n_iterations, 1u); // there is nothing to do
  EXPECT_EQ(chain.relax().residual, 0);
  chain.nodes.set_displacement(4, Vector({0.2, 0.1})); // a pull that nothing balances dies out
  EXPECT_EQ(chain.relax().residual, 0);
  for (unsigned int i = 0; i < 10; ++i)
    EXPECT_NEAR((chain.nodes.displacement(i) - chain.nodes.displacement(4)).norm(), 0, 1e-13);
  for (unsigned int i = 0; i < 10; ++i)
    chain.nodes.set_displacement(i, Vector());
  chain.forces[0] = Vector({-1e-2, 0});
  chain.forces[9] = Vector({1e-2, 0});
  chain.relax();
  for (unsigned int i = 0; i < 9; ++i)
    EXPECT_NEAR(chain.nodes.displacement(i + 1)[0] - chain.nodes.displacement(i)[0],
                1e-2 / chain.cells->links[i].stiffness, 1e-11);
  chain.forces[9][0] = 0.9e-2;
  EXPECT_NE(message_of([&] { chain.relax(); }).find("what node 0 belongs to"), std::string::npos);
}

// Far from where it begins: a pendulum let go from the horizontal hangs, as long as its weight
// makes it.
TEST(Relaxation, pendulum)
{
  NodeTable<2> nodes;
  nodes.add(Point<2>(0, 0), 1);
  nodes.add(Point<2>(2, 0), 3);
  nodes.restraints.add(0, Vector({1, 0}));
  nodes.restraints.add(0, Vector({0, 1}));
  const auto spring = std::make_shared<Springs<2>>(std::vector<Spring>{{{{0, 1}}, 50, 2}});
  const auto weight = std::make_shared<ConstantLoads<2>>("weight", 1, std::vector<unsigned int>{1},
                                                         std::vector<Vector>{Vector({0, -5})});
  RelaxationParameters parameters;
  parameters.tolerance = 1e-12;
  Relaxation<2>({spring}, {weight}, nodes, parameters).run();
  EXPECT_NEAR(nodes.position(1)[0], 0, 1e-9);
  EXPECT_NEAR(nodes.position(1)[1], -2.1, 1e-9);
  Stepper<2> stepper(nodes, StepperParameters());
  stepper.add(spring);
  stepper.add_on_clock_of(weight, {0});
  stepper.start();
  stepper.advance_to(1.);
  EXPECT_LT(stepper.snapshot(1.).velocity(1).norm(), 1e-9);
}
