// Motions of supports that are given as functions of time.

#include "chain.h"

#include <gtest/gtest.h>

using namespace KickDriftTests;

namespace
{
using Vector = dealii::Tensor<1, 2>;

/// A slow chain whose node 0 has motions of two restraints.
struct DrivenChain : Chain
{
  DrivenChain(const StepperParameters &parameters, const Vector &a, const Vector &b)
      : Chain(parameters)
  {
    nodes.restraints.add(0, a);
    nodes.restraints.add(0, b);
  }
};

Vector
sway(const unsigned int, const double t)
{
  return Vector({0.1 * (1 - std::cos(t)), 0.3 * std::sin(t)});
}

/// End of an interval of the prescription of node 0, near @p time.
double
end_of_interval(const Stepper<2> &stepper, const double time)
{
  double step = 1e300;
  for (unsigned int id = 0; id < stepper.levels().n_kicks(); ++id)
    if (stepper.supports().nodes_of_kick(id)[0] == 0)
      step = std::min(step, stepper.levels().step(id));
  return step * std::round(time / step);
}
} // namespace

TEST(PrescribedMotions, prescribed_motion_is_exact_at_its_own_steps_and_its_work_balances)
{
  for (const Phase phase : {Phase::centred, Phase::start})
    for (const Clocks clocks : {Clocks::one, Clocks::nested, Clocks::per_cell})
    {
      Chain chain(parameters(clocks, 0.1, phase));
      for (unsigned int i = 0; i < chain.nodes.size(); ++i)
        chain.nodes.set_velocity(i, {});
      chain.nodes.restraints.add(0, Vector({1., 0.}));
      chain.stepper.prescribe({0}, {Vector({1., 0.})}, sway);
      chain.stepper.start();
      double largest = 0;
      for (unsigned int i = 1; i <= 50; ++i)
      {
        const double time = end_of_interval(chain.stepper, 0.3 * i);
        chain.stepper.advance_to(time);
        const auto nodes = chain.stepper.snapshot(time);
        EXPECT_NEAR(nodes.displacement(0)[0], sway(0, time)[0], 1e-12);
        EXPECT_EQ(nodes.displacement(0)[1], 0);
        const auto balance = chain.stepper.energy(nodes);
        largest = std::max(largest, balance.prescribed_work);
        if (phase == Phase::centred)
        {
          EXPECT_NEAR(balance.total(), 0, 0.01 * largest + 1e-5);
        }
      }
      EXPECT_GT(largest, 1e-3);
    }
}

TEST(PrescribedMotions, motions_of_two_restraints_of_a_node_do_not_disturb_each_other)
{
  // orthogonal and skew; the second restraint moves differently, or is fixed
  const Vector a({1., 0.});
  const auto other = [](unsigned int, const double t) { return Vector({-0.05 * t, 0.02 * t * t}); };
  for (const Vector &b : {Vector({0., 1.}), Vector({3., 4.})})
    for (const bool b_moves : {true, false})
      for (const Clocks clocks : {Clocks::one, Clocks::nested, Clocks::per_cell})
      {
        DrivenChain chain(parameters(clocks), a, b);
        chain.nodes.set_velocity(0, {}); // as a model does; the others have initial velocities
        chain.stepper.prescribe({0}, {a}, sway);
        if (b_moves)
          chain.stepper.prescribe({0}, {b}, other);
        chain.stepper.start();
        for (unsigned int i = 1; i <= 20; ++i)
        {
          const double time = end_of_interval(chain.stepper, 0.4 * i);
          chain.stepper.advance_to(time);
          const Vector u = chain.stepper.snapshot(time).displacement(0);
          EXPECT_NEAR(a * u, a * sway(0, time), 1e-12);
          EXPECT_NEAR(b * u, b_moves ? b * other(0, time) : 0, 1e-12);
        }
      }
}

TEST(PrescribedMotions, a_motion_along_a_skew_direction_leaves_the_node_free_across)
{
  const Vector d({3., 4.}), across({-4., 3.});
  Chain chain(parameters(Clocks::nested));
  chain.nodes.restraints.add(0, d);
  const Vector initial = chain.nodes.velocity(0);
  chain.stepper.prescribe({0}, {d}, sway);
  chain.stepper.start();
  EXPECT_NEAR(across * chain.nodes.velocity(0), across * initial, 1e-14);
  for (unsigned int i = 1; i <= 20; ++i)
  {
    const double time = end_of_interval(chain.stepper, 0.4 * i);
    chain.stepper.advance_to(time);
    const Vector u = chain.stepper.snapshot(time).displacement(0);
    EXPECT_NEAR(d * u, d * sway(0, time), 1e-12);
    EXPECT_GT(std::abs(across * u), 1e-3);
  }
}

TEST(PrescribedMotions, a_motion_is_under_way_at_the_start)
{
  const auto motion = [](unsigned int, const double t) { return Vector({0.5 * t, 0.}); };
  Chain chain(parameters(Clocks::nested));
  const Vector initial = chain.nodes.velocity(0);
  chain.nodes.restraints.add(0, Vector({1., 0.}));
  chain.stepper.prescribe({0}, {Vector({1., 0.})}, motion);
  chain.stepper.start();
  const auto nodes = chain.stepper.snapshot(0);
  EXPECT_NEAR(nodes.velocity(0)[0], 0.5, 1e-14);
  EXPECT_EQ(nodes.velocity(0)[1], initial[1]);
  const double energy = chain.stepper.energy(nodes).total();
  chain.stepper.advance_to(0);
  EXPECT_NEAR(chain.stepper.energy(chain.stepper.snapshot(0)).prescribed_work, 0, 1e-16);
  for (unsigned int i = 1; i <= 40; ++i)
  {
    chain.stepper.advance_to(0.4 * i);
    EXPECT_NEAR(chain.stepper.energy(chain.stepper.snapshot(0.4 * i)).total(), energy, 0.02);
  }
}
