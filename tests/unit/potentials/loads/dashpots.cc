#include <kickdrift/potentials/loads/dashpots.h>
#include <kickdrift/potentials/springs.h>
#include <kickdrift/stepping/stepper.h>

#include "unit/stepping/linear_network.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

using namespace KickDrift;
using Vector = dealii::Tensor<1, 2>;

namespace
{
constexpr double mass = 1.7, stiffness = 3.1;

/// A mass on a spring with a dashpot, of which the anchor is far away: they stay on the line.
struct Oscillator
{
  Oscillator(const double damping, const double step)
  {
    nodes.add({2, 0}, mass);
    nodes.set_velocity(0, Vector({1., 0.}));
    StepperParameters parameters;
    parameters.clocks = Clocks::one;
    parameters.time_step = step;
    stepper = std::make_unique<Stepper<2>>(nodes, parameters);
    stepper->add(std::make_shared<AnchoredSprings<2>>(
        std::vector<AnchoredSpring<2>>{{0, {0, 0}, stiffness, 2.}}));
    stepper->add_damping(
        std::make_shared<Dashpots<2>>(std::vector<Dashpot<2>>{{0, {}, {0, 0}, damping}}));
    stepper->start();
  }

  NodeTable<2> nodes;
  std::unique_ptr<Stepper<2>> stepper;
};

/// Of m q" + c q' + k q = 0 from q = 0 with the velocity 1.
double
exact(const double damping, const double time)
{
  const double rate = damping / (2 * mass), square = stiffness / mass - rate * rate;
  const double omega = std::sqrt(std::abs(square));
  const double factor = square > 0   ? std::sin(omega * time) / omega
                        : square < 0 ? std::sinh(omega * time) / omega
                                     : time;
  return std::exp(-rate * time) * factor;
}

TEST(Dashpots, OscillatorsAreThoseOfTheClosedFormToSecondOrder)
{
  const double critical = 2 * std::sqrt(stiffness * mass);
  for (const double damping : {0.1 * critical, critical, 3 * critical})
  {
    double before = 0;
    for (const double step : {0.01, 0.005, 0.0025})
    {
      Oscillator oscillator(damping, step);
      double error = 0, last_loss = 0;
      for (unsigned int i = 1; i <= 40; ++i)
      {
        const double time = 0.12 * i; // at one phase of all steps
        oscillator.stepper->advance_to(time);
        const auto nodes = oscillator.stepper->snapshot(time);
        error = std::max(error, std::abs(nodes.displacement(0)[0] - exact(damping, time)));
        const auto balance = oscillator.stepper->energy(nodes);
        EXPECT_GE(balance.dashpot_loss, last_loss - 1e-3 * step);
        last_loss = balance.dashpot_loss;
        EXPECT_NEAR(balance.total(), 0.5 * mass, 3 * step * step);
        EXPECT_EQ(balance.damping_loss, 0);
      }
      EXPECT_LT(error, 10 * step * step);
      if (before > 0)
      {
        EXPECT_NEAR(before / error, 4, 0.4) << damping << " " << step;
      }
      before = error;
    }
  }
}

TEST(Dashpots, AnyCoefficientIsStable)
{
  for (const double damping : {1e3, 1e12})
  {
    // the longest step that is stable without it, nearly
    Oscillator oscillator(damping, 0.9 * 2 * std::sqrt(mass / stiffness));
    for (unsigned int i = 1; i <= 500; ++i)
    {
      oscillator.stepper->advance_to(i);
      const auto balance = oscillator.stepper->energy(oscillator.stepper->snapshot(i));
      ASSERT_LE(balance.kinetic + balance.strain, 0.5 * mass);
    }
  }
}

/// A chain in which all ends are damped, in the plane.
struct Chain
{
  explicit Chain(const Clocks clocks, const double step = 0, const double ratio = 0.5)
  {
    for (unsigned int i = 0; i < 5; ++i)
    {
      nodes.add({i + 0.1 * (i % 2), 0.3 * (i % 3)}, 1. + i);
      nodes.set_velocity(i, Vector({0.3 * std::cos(2. * i), 0.2 * std::sin(3. * i)}));
    }
    StepperParameters parameters;
    parameters.clocks = clocks;
    parameters.time_step = step;
    parameters.time_step_ratio = ratio;
    stepper = std::make_unique<Stepper<2>>(nodes, parameters);
    std::vector<Spring> springs;
    std::vector<Dashpot<2>> dashpots;
    for (unsigned int i = 0; i + 1 < 5; ++i)
    {
      springs.push_back({{{i, i + 1}}, 2. + i, 1.});
      dashpots.push_back({i, i + 1, {}, 1. + 0.5 * i});
    }
    stepper->add(std::make_shared<Springs<2>>(springs));
    stepper->add_damping(std::make_shared<Dashpots<2>>(dashpots));
    stepper->start();
  }

  NodeTable<2> nodes;
  std::unique_ptr<Stepper<2>> stepper;
};

// The slow one is kicked when the fast one may have gone round since the last time.
TEST(Dashpots, BetweenOscillatorsOfUnlikeFrequenciesTakeEnergy)
{
  std::mt19937 random(5);
  std::uniform_real_distribution<double> exponent(0., 1.);
  for (unsigned int i = 0; i < 200; ++i)
  {
    StepperParameters parameters;
    parameters.time_step_ratio = 0.5 + 0.4 * exponent(random);
    const double frequency = std::pow(0.05, exponent(random)); // of the second one
    const double other_mass = std::pow(100, exponent(random)); // that of the first is 1
    const double damping = 0.01 * std::pow(1e5, exponent(random));
    NodeTable<2> nodes;
    nodes.add({0, 0}, 1.);
    nodes.add({1, 0}, other_mass);
    nodes.set_velocity(0, Vector({1e-3, 0.}));
    Stepper<2> stepper(nodes, parameters);
    stepper.add(std::make_shared<AnchoredSprings<2>>(std::vector<AnchoredSpring<2>>{
        {0, {-1, 0}, 1., 1.}, {1, {2, 0}, other_mass * frequency * frequency, 1.}}));
    stepper.add_damping(
        std::make_shared<Dashpots<2>>(std::vector<Dashpot<2>>{{0, 1, {0, 0}, damping}}));
    stepper.start();
    const auto energy = [&](const double time)
    {
      stepper.advance_to(time);
      const auto balance = stepper.energy(stepper.snapshot(time));
      return balance.kinetic + balance.strain;
    };
    const double first = energy(0.);
    EXPECT_LT(energy(600.), first)
        << parameters.time_step_ratio << " " << frequency << " " << other_mass << " " << damping;
  }
}

TEST(Dashpots, MomentaStayAndTheBooksClose)
{
  const auto momenta = [](const NodeTable<2> &nodes)
  {
    dealii::Tensor<1, 3> sum;
    for (unsigned int i = 0; i < nodes.size(); ++i)
    {
      const auto x = nodes.position(i);
      const auto p = nodes.mass(i) * nodes.velocity(i);
      sum += dealii::Tensor<1, 3>({p[0], p[1], x[0] * p[1] - x[1] * p[0]});
    }
    return sum;
  };
  for (const Clocks clocks : {Clocks::one, Clocks::nested})
  {
    Chain chain(clocks, 0, 0.05);
    const auto before = momenta(chain.nodes);
    const double energy = chain.stepper->energy(chain.stepper->snapshot(0)).total();
    for (unsigned int i = 1; i <= 20; ++i)
    {
      chain.stepper->advance_to(0.531 * i);
      const auto nodes = chain.stepper->snapshot(0.531 * i);
      // of the nodes at their own times, which free flight does not change
      EXPECT_NEAR((momenta(chain.nodes) - before).norm(), 0, 1e-13);
      EXPECT_NEAR((momenta(nodes) - before).norm(), 0, 1e-4); // a share of the last kick is turned
      EXPECT_NEAR(chain.stepper->energy(nodes).total(), energy, 0.02 * energy);
    }
    EXPECT_GT(chain.stepper->energy(chain.stepper->snapshot(10)).dashpot_loss, 0.3 * energy);
  }
}

TEST(Dashpots, OrderIsTheSecondForThoseThatShareNodes)
{
  const auto ends = [](const double step)
  {
    Chain chain(Clocks::one, step);
    chain.stepper->advance_to(2);
    return chain.stepper->snapshot(2);
  };
  const auto reference = ends(0.0005);
  const auto error = [&](const double step)
  {
    const auto nodes = ends(step);
    double sum = 0;
    for (unsigned int i = 0; i < nodes.size(); ++i)
      sum += (nodes.displacement(i) - reference.displacement(i)).norm();
    return sum;
  };
  EXPECT_NEAR(error(0.04) / error(0.02), 4, 0.4);
}

TEST(Dashpots, OfHeldNodesPullAtTheOthersOnly)
{
  // node 1 moves with 1: node 0 follows, and what the support does is work
  NodeTable<2> nodes;
  nodes.add({0, 0}, 2.);
  nodes.add({1, 0}, 1.);
  for (unsigned int d = 0; d < 2; ++d)
    nodes.restraints.add(1, dealii::Point<2>::unit_vector(d));
  nodes.set_velocity(1, Vector({1., 0.}));
  StepperParameters parameters;
  parameters.clocks = Clocks::one;
  parameters.time_step = 0.01;
  Stepper<2> stepper(nodes, parameters);
  stepper.add(
      std::make_shared<Springs<2>>(std::vector<Spring>{{{{0, 1}}, 0.01, 1.}})); // for a clock
  stepper.prescribe({1}, {dealii::Point<2>::unit_vector(0)},
                    [](unsigned int, const double time) {
                      return Vector({time, 0.});
                    });
  stepper.add_damping(std::make_shared<Dashpots<2>>(std::vector<Dashpot<2>>{{0, 1, {}, 3.}}));
  stepper.start();
  const double before = stepper.energy(stepper.snapshot(0)).total();
  stepper.advance_to(1);
  const auto at_end = stepper.snapshot(1);
  EXPECT_NEAR(at_end.velocity(0)[0], 1 - std::exp(-3. / 2), 3e-3);
  const auto balance = stepper.energy(at_end);
  EXPECT_NEAR(balance.dashpot_loss, 0.5 * 2 * (1 - std::exp(-3.)), 1e-2);
  EXPECT_NEAR(balance.total(), before, 1e-3);
}

TEST(Dashpots, AllDirectionsAreThoseOfAFreeNode)
{
  NodeTable<2> nodes;
  nodes.add({0, 0}, mass);
  nodes.set_velocity(0, Vector({0.3, -0.4}));
  nodes.add({1, 0}, 1.);
  StepperParameters parameters;
  parameters.clocks = Clocks::one;
  parameters.time_step = 1e-3;
  Stepper<2> stepper(nodes, parameters);
  stepper.add(std::make_shared<Springs<2>>(std::vector<Spring>{{{{0, 1}}, 1e-12, 1.}}));
  stepper.add_damping(std::make_shared<Dashpots<2>>(
      std::vector<Dashpot<2>>{{0, {}, {0, 0}, 0.9, Dashpot<2>::Direction::all}}));
  stepper.start();
  stepper.advance_to(2);
  const auto at_end = stepper.snapshot(2);
  EXPECT_NEAR((at_end.velocity(0) - std::exp(-0.9 * 2 / mass) * Vector({0.3, -0.4})).norm(), 0,
              1e-7);
}

TEST(Dashpots, ImpulsesForADurationAreThoseOfSnapshots)
{
  NodeTable<2> nodes;
  nodes.add({0, 0}, 2.);
  nodes.add({1, 0.5}, 3.);
  nodes.set_velocity(0, Vector({0.3, -0.4}));
  nodes.set_velocity(1, Vector({-0.2, 0.7}));
  for (const Dashpot<2> &dashpot : {Dashpot<2>{0, {}, {5, 1}, 1.}, Dashpot<2>{0, 1, {}, 1.},
                                    Dashpot<2>{0, {}, {0, 0}, 1., Dashpot<2>::Direction::all}})
    for (const double coefficient : {0.1, 1., 1e12})
      for (const double duration : {0.3, 20., -0.3, -20.})
      {
        Dashpot<2> one = dashpot;
        one.coefficient = coefficient;
        Dashpots<2> dashpots({one});
        dashpots.assign_clocks({0}, 1);
        NodeTable<2> damped = nodes;
        dashpots.damp(damped, dashpots.velocities(nodes, 0), 0, 0., 40.);
        NodeTable<2> shared = damped;
        dashpots.damp_share(shared, dashpots.velocities(damped, 0), 0, 0., duration);
        for (const unsigned int node : dashpots.support(0))
        {
          const auto impulse =
              dashpots.impulse_on(damped, 0, node, damped.velocity(node), 0., duration);
          const auto change = nodes.mass(node) * (shared.velocity(node) - damped.velocity(node));
          EXPECT_NEAR((impulse - change).norm(), 0, 1e-14);
        }
        EXPECT_LT(shared.velocity(0).norm(), 1);
      }
}

/// Two that share nodes are one with the sum of the coefficients, as long as none reverses a
/// velocity; and mass-proportional damping of a node in one direction is a dashpot.
TEST(Dashpots, ThoseOfANodeAreSolvedTogether)
{
  using Many = std::vector<Dashpot<2>>;
  const double step = 0.5 * 2 * std::sqrt(mass / stiffness);
  const auto end = [&](const Many &dashpots, const double rate)
  {
    NodeTable<2> nodes;
    nodes.add({2, 0}, mass);
    nodes.set_velocity(0, Vector({1., 0.}));
    StepperParameters parameters;
    parameters.clocks = Clocks::one;
    parameters.time_step = step;
    Stepper<2> stepper(nodes, parameters);
    stepper.add(std::make_shared<AnchoredSprings<2>>(
        std::vector<AnchoredSpring<2>>{{0, {0, 0}, stiffness, 2.}}));
    const auto damping =
        std::make_shared<Damping<2>>(std::vector<unsigned int>{0}, [&](double) { return rate; });
    stepper.add_damping(std::make_shared<Dashpots<2>>(
        dashpots, std::vector<std::shared_ptr<const Damping<2>>>{damping}));
    stepper.add_damping(damping);
    stepper.start();
    stepper.advance_to(7.3);
    const auto now = stepper.snapshot(7.3);
    const auto energy = stepper.energy(now);
    return std::array<double, 3>{
        {now.displacement(0)[0], now.velocity(0)[0], energy.dashpot_loss + energy.damping_loss}};
  };
  for (const double x : {0.2, 1., 1.99})
  {
    const double c = x * mass / step;
    const auto exact = end({{0, {}, {0, 0}, c}}, 0);
    const auto two = end({{0, {}, {0, 0}, 0.3 * c}, {0, {}, {0, 0}, 0.7 * c}}, 0);
    const auto all = Dashpot<2>::Direction::all;
    const auto mixed = end({{0, {}, {0, 0}, 0.3 * c}, {0, {}, {0, 0}, 0.7 * c, all}}, 0);
    const auto with_rate = end({{0, {}, {0, 0}, 0.3 * c}}, 0.7 * c / mass);
    for (unsigned int i = 0; i < 3; ++i)
    {
      EXPECT_NEAR(two[i], exact[i], 1e-13);
      EXPECT_NEAR(mixed[i], exact[i], 1e-13);
      EXPECT_NEAR(with_rate[i], exact[i], 1e-13) << x << " " << i;
    }
  }
  // whatever the coefficients: no more than there is
  for (const double c : {10., 1e12, 1e200})
    for (const auto &some : {Many{{0, {}, {0, 0}, c}, {0, {}, {0, 0}, c}},
                             Many{{0, {}, {0, 0}, c}, {0, {}, {0, 1}, 2 * c}}})
      for (const double rate : {0., c})
      {
        const auto result = end(some, rate);
        EXPECT_LT(std::abs(result[0]), 0.51 * step);
        EXPECT_LT(std::abs(result[1]), 1);
      }
}

/// An elastic bar of links whose end has the dashpot c = rho c
/// A: a pulse comes back as far as the mesh reflects it by itself, and as the square of its
/// spacing.
TEST(Dashpots, AnEndAbsorbsWaves)
{
  const auto reflected = [](const unsigned int n, const double ratio)
  {
    NodeTable<2> nodes;
    auto links = std::make_shared<KickDriftTests::LinearNetwork<2>>();
    const double h = 10. / n;
    std::vector<double> x = {0};
    while (x.size() <= n)
      x.push_back(x.back() + h);
    for (unsigned int i = 0; i <= n; ++i)
    {
      const double left = i > 0 ? x[i] - x[i - 1] : 0, right = i < n ? x[i + 1] - x[i] : 0;
      nodes.add({x[i], 0}, 0.5 * (left + right));
      const double s = (x[i] - 4) / 0.6;
      nodes.set_displacement(i, Vector({std::exp(-s * s), 0.}));
      nodes.set_velocity(i, Vector({2 * s / 0.6 * std::exp(-s * s), 0.}));
      if (i < n)
        links->add(i, i + 1, 1 / right, 0.5 * right, 0.5 * right);
    }
    StepperParameters parameters;
    parameters.clocks = Clocks::one;
    parameters.time_step_ratio = ratio;
    Stepper<2> stepper(nodes, parameters);
    stepper.add(links);
    stepper.add_damping(std::make_shared<Dashpots<2>>(
        std::vector<Dashpot<2>>{{n, {}, nodes.reference(n), 1., Dashpot<2>::Direction::all}}));
    stepper.start();
    const double time = x.back() - 4 + 4;
    stepper.advance_to(time);
    const auto now = stepper.snapshot(time);
    double largest = 0;
    for (unsigned int i = 0; i <= n; ++i)
      largest = std::max(largest, std::abs(now.displacement(i)[0]));
    return largest;
  };
  const double own = reflected(100, 0.01);
  for (const double ratio : {0.25, 0.5, 0.75, 0.9})
  {
    const double coarse = reflected(100, ratio), fine = reflected(200, ratio);
    EXPECT_LT(coarse, 1.2 * own) << ratio;
    EXPECT_LT(fine, 0.3 * coarse) << ratio;
  }
}

TEST(Dashpots, MisuseIsRefused)
{
  using Many = std::vector<Dashpot<2>>;
  EXPECT_THROW(Dashpots<2>(Many{{0, 0, {}, 1.}}), dealii::ExceptionBase);
  EXPECT_THROW(Dashpots<2>(Many{{0, 1, {}, -1.}}), dealii::ExceptionBase);
  EXPECT_THROW(Dashpots<2>(Many{{0, 1, {}, 1., Dashpot<2>::Direction::all}}),
               dealii::ExceptionBase);
}
} // namespace
