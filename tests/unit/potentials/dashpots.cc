#include <kickdrift/potentials/dashpots.h>
#include <kickdrift/potentials/springs.h>
#include <kickdrift/stepping/stepper.h>

#include <gtest/gtest.h>

#include <cmath>

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
    stepper->add_synchronised(
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
    double last_loss = 0;
    // the longest step that is stable without it, nearly
    Oscillator oscillator(damping, 0.9 * 2 * std::sqrt(mass / stiffness));
    for (unsigned int i = 1; i <= 500; ++i)
    {
      oscillator.stepper->advance_to(i);
      const auto balance = oscillator.stepper->energy(oscillator.stepper->snapshot(i));
      ASSERT_LE(balance.kinetic + balance.strain, 0.5 * mass);
      // a snapshot takes back no more than there is then; what kicks have taken only grows
      ASSERT_GE(balance.dashpot_loss, last_loss - balance.kinetic);
      ASSERT_GE(oscillator.nodes.dashpot_loss(), last_loss);
      last_loss = oscillator.nodes.dashpot_loss();
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
    stepper->add_synchronised(std::make_shared<Dashpots<2>>(dashpots));
    stepper->start();
  }

  NodeTable<2> nodes;
  std::unique_ptr<Stepper<2>> stepper;
};

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
      EXPECT_NEAR((momenta(nodes) - before).norm(), 0, 1e-13);
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
  stepper.add_synchronised(std::make_shared<Dashpots<2>>(std::vector<Dashpot<2>>{{0, 1, {}, 3.}}));
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
  Stepper<2> stepper(nodes, parameters);
  stepper.add(std::make_shared<Springs<2>>(std::vector<Spring>{{{{0, 1}}, 1e-12, 1.}}));
  stepper.add_synchronised(std::make_shared<Dashpots<2>>(
      std::vector<Dashpot<2>>{{0, {}, {0, 0}, 0.9, Dashpot<2>::Direction::all}}));
  stepper.start();
  stepper.advance_to(2);
  const auto at_end = stepper.snapshot(2);
  EXPECT_NEAR((at_end.velocity(0) - std::exp(-0.9 * 2 / mass) * Vector({0.3, -0.4})).norm(), 0,
              1e-9);
}

TEST(Dashpots, ImpulsesForADurationAreThoseOfKicks)
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
        NodeTable<2> kicked = nodes;
        dashpots.kick(kicked, 0, 0., duration);
        for (const unsigned int node : dashpots.support(0))
        {
          const auto impulse =
              dashpots.impulse_on(nodes, 0, node, nodes.velocity(node), 0., duration);
          const auto change = nodes.mass(node) * (kicked.velocity(node) - nodes.velocity(node));
          EXPECT_NEAR((impulse - change).norm(), 0, 1e-14);
        }
        EXPECT_LT(kicked.velocity(0).norm(), 4);
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
