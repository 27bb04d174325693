#include <kickdrift/potentials/loads/damping.h>
#include <kickdrift/potentials/loads/loads.h>
#include <kickdrift/stepping/stepper.h>

#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/lapack_full_matrix.h>

#include "unit/stepping/linear_network.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>

using namespace KickDrift;
using KickDriftTests::LinearNetwork;
using KickDriftTests::make_chain;
using Vector = dealii::Tensor<1, 2>;

namespace
{
constexpr unsigned int n = 12;

StepperParameters
parameters(const Clocks clocks, const double beta = 0.5, const Phase phase = Phase::centred)
{
  StepperParameters result;
  result.clocks = clocks;
  result.phase = phase;
  result.time_step_ratio = beta;
  return result;
}

/// The same with plain class boundaries: snapshots see filtered ones elsewhere than single nodes.
StepperParameters
plain(StepperParameters result)
{
  result.class_boundary = ClassBoundary::plain;
  return result;
}

/// A chain of masses of which all are damped.
struct DampedChain
{
  DampedChain(const StepperParameters &parameters, std::function<double(double)> rate)
      : links(make_chain<2>(nodes, n, 30)), stepper(nodes, parameters)
  {
    stepper.add(links);
    std::vector<unsigned int> all(n);
    std::iota(all.begin(), all.end(), 0u);
    stepper.watch(all);
    stepper.add_damping(std::make_shared<Damping<2>>(all, std::move(rate)));
  }
  NodeTable<2> nodes;
  std::shared_ptr<LinearNetwork<2>> links;
  Stepper<2> stepper;
};

std::function<double(double)>
constant(const double rate)
{
  return [rate](double) { return rate; };
}

/// Displacement by modes that each obey q" + rate q' + omega^2 q = 0, from q(0) = 0.
std::vector<Vector>
exact_displacement(const NodeTable<2> &initial, const LinearNetwork<2> &links, const double rate,
                   const double time)
{
  dealii::LAPACKFullMatrix<double> matrix(n, n);
  matrix = 0;
  const auto scale = [&](unsigned int i) { return std::sqrt(initial[i].inverse_mass); };
  for (const auto &link : links.links)
  {
    matrix(link.i, link.i) += link.stiffness * initial[link.i].inverse_mass;
    matrix(link.j, link.j) += link.stiffness * initial[link.j].inverse_mass;
    matrix(link.i, link.j) -= link.stiffness * scale(link.i) * scale(link.j);
    matrix(link.j, link.i) -= link.stiffness * scale(link.i) * scale(link.j);
  }
  dealii::Vector<double> squares(n);
  dealii::FullMatrix<double> modes(n, n);
  matrix.compute_eigenvalues_symmetric(-1., 1e6, 1e-14, squares, modes);
  std::vector<Vector> u(n);
  for (unsigned int k = 0; k < n; ++k)
  {
    Vector amplitude;
    for (unsigned int i = 0; i < n; ++i)
      amplitude += modes(i, k) / scale(i) * initial.velocity(i);
    const double square = squares(k) - rate * rate / 4; // of the damped frequency
    const double omega = std::sqrt(std::abs(square));
    const double factor =
        square > 0 ? std::sin(omega * time) / omega : std::sinh(omega * time) / omega;
    for (unsigned int i = 0; i < n; ++i)
      u[i] += modes(i, k) * scale(i) * std::exp(-rate * time / 2) * factor * amplitude;
  }
  return u;
}

double
kinetic_energy(const NodeTable<2> &nodes)
{
  double energy = 0;
  for (unsigned int i = 0; i < nodes.size(); ++i)
    energy += 0.5 * nodes.mass(i) * nodes.velocity(i).norm_square();
  return energy;
}
TEST(Damping, AnyRateIsBorneAndSingleNodesAgreeWithSnapshots)
{
  for (const Clocks clocks : {Clocks::one, Clocks::nested})
    for (const double rate : {0.3, 5., 1e6})
    {
      DampedChain chain(plain(parameters(clocks)), constant(rate));
      for (unsigned int node = 0; node < n; ++node)
        chain.nodes.set_velocity(node, Vector({0.1 * std::cos(3. * node), 0.2}));
      chain.stepper.start();
      const auto energy = [&]
      {
        const auto balance = chain.stepper.energy(chain.stepper.snapshot(chain.stepper.time()));
        return balance.kinetic + balance.strain;
      };
      const double before = energy();
      for (unsigned int i = 1; i <= 20; ++i)
      {
        const double time = 0.0171 * i;
        chain.stepper.advance_to(time);
        const auto nodes = chain.stepper.snapshot(time);
        for (unsigned int node = 0; node < n; ++node)
          EXPECT_NEAR((chain.stepper.velocity_with_kicks(node, time) - nodes.velocity(node)).norm(),
                      0, 1e-13);
        EXPECT_LE(energy(), before * (1 + 1e-2));
      }
    }
}
} // namespace

TEST(Damping, free_flight_decays_at_any_time)
{
  const double rate = 0.7;
  for (const Clocks clocks : {Clocks::one, Clocks::nested})
  {
    std::vector<double> errors;
    for (const double beta : {0.4, 0.2, 0.1})
    {
      DampedChain chain(parameters(clocks, beta), constant(rate));
      for (unsigned int i = 0; i < n; ++i)
        chain.nodes.set_velocity(i, Vector({3., -1.}));
      const double energy = kinetic_energy(chain.nodes);
      chain.stepper.start();
      errors.push_back(0);
      for (unsigned int j = 0; j <= 50; ++j)
      {
        const double time = 0.0613 * j;
        chain.stepper.advance_to(time);
        const auto nodes = chain.stepper.snapshot(time);
        for (unsigned int i = 0; i < n; ++i)
          errors.back() =
              std::max(errors.back(),
                       (nodes.velocity(i) - std::exp(-rate * time) * Vector({3., -1.})).norm());
        if (clocks == Clocks::one)
        {
          EXPECT_NEAR(chain.stepper.energy(nodes).damping_loss, energy - kinetic_energy(nodes),
                      1e-12 * energy);
        }
      }
    }
    EXPECT_GT(std::log2(errors[0] / errors[2]) / 2, 1.8) << errors[0] << " " << errors[2];
    EXPECT_LT(errors[0], 0.1);
  }
}

/// A free mass, from the velocity 1: what is left is not negative, and no more than before.
TEST(Damping, alone_it_reverses_nothing)
{
  for (const double x : {0.1, 1., 1.9, 2., 2.1, 30., 1e6, 1e300})
  {
    NodeTable<2> nodes;
    nodes.add({0, 0}, 2.);
    nodes.set_velocity(0, Vector({1., -0.5}));
    Damping<2> damping({0}, constant(x));
    damping.assign_clocks({0}, 1);
    for (unsigned int i = 0; i < 5; ++i)
    {
      const Vector before = nodes.velocity(0);
      nodes.drift(0, i);
      damping.damp(nodes, {before}, 0, i, 1.);
      const Vector after = nodes.velocity(0);
      EXPECT_GE(after[0], -1e-15) << x;
      // velocities are differences of displacements of order one
      EXPECT_LE(after[0], before[0] * (1 - std::min(1., x / (1 + 0.5 * x))) + 1e-15) << x;
      EXPECT_NEAR(after[1], -0.5 * after[0], 1e-16);
    }
    EXPECT_NEAR(nodes.damping_loss(), 1.25 - nodes.velocity(0).norm_square(), 1e-14);
  }
}

/// A chain falls with the velocity of weight over damping, whatever the rate times the interval,
/// and velocities are those with which it moves.
TEST(Damping, terminal_velocity_at_any_rate)
{
  for (const Clocks clocks : {Clocks::one, Clocks::nested})
    for (const double beta : {0.5, 0.9})
      for (const double x : {0.05, 1., 1.9, 2.1, 8., 1e3, 1e9})
      {
        // velocities between kicks of several classes: what the start leaves takes x intervals to
        // fade
        if (clocks == Clocks::nested && x > 100)
          continue;
        DampedChain probe(parameters(clocks, beta), constant(1));
        probe.stepper.start();
        const auto &classes = probe.stepper.levels().classes();
        const double interval =
            classes.step(*std::max_element(classes.of_kick.begin(), classes.of_kick.end()));
        ASSERT_EQ(classes.n_classes > 2, clocks == Clocks::nested);
        const double rate = x / interval;

        NodeTable<2> nodes;
        const auto links = make_chain<2>(nodes, n, 30);
        LoadPoints<2> points;
        points.nodes_per_kick = 2;
        points.points_per_kick = 1;
        std::vector<unsigned int> ids(links->n_kicks()), all(n);
        std::iota(ids.begin(), ids.end(), 0u);
        std::iota(all.begin(), all.end(), 0u);
        double mass = 0;
        for (const auto &link : links->links)
        {
          points.nodes.insert(points.nodes.end(), {link.i, link.j});
          points.points.push_back(nodes.reference(link.i));
          points.weights.insert(points.weights.end(), link.masses.begin(), link.masses.end());
          mass += link.masses[0] + link.masses[1];
        }
        const auto weight = std::make_shared<ScaledLoads<2>>(
            "weight", points,
            [](const dealii::Point<2> &) {
              return Vector({0., -1.});
            },
            [](double) { return 1.; });
        weight->begin(nodes);
        for (unsigned int i = 0; i < n; ++i)
          nodes.set_velocity(i, Vector({0., -1 / rate}));
        Stepper<2> stepper(nodes, parameters(clocks, beta));
        const unsigned int first = stepper.add(links);
        ASSERT_EQ(first, 0u);
        stepper.add_on_clock_of(weight, ids);
        stepper.add_damping(std::make_shared<Damping<2>>(all, constant(rate)));
        stepper.start();
        double start = 0, worst = 0;
        const auto mean = [&](const auto &what)
        {
          double sum = 0;
          for (unsigned int i = 0; i < n; ++i)
            sum += nodes.mass(i) * what(i)[1];
          return sum / mass;
        };
        for (unsigned int i = 0; i <= 60; ++i)
        {
          const double time = (20 + i) * interval;
          stepper.advance_to(time);
          const auto now = stepper.snapshot(time);
          const double u = mean([&](const unsigned int node) { return now.displacement(node); });
          if (i == 0)
            start = u;
          else
            worst = std::max(worst, std::abs((u - start) / (i * interval) * rate + 1));
          const double v = mean([&](const unsigned int node) { return now.velocity(node); });
          EXPECT_NEAR(v * rate, -1, 5e-3) << x << " " << i;
        }
        // displacements of order one are rounded, steady velocities are 1 / rate
        EXPECT_LT(worst, clocks == Clocks::one ? 1e-9 + 1e-16 * rate : 5e-3) << x << " " << beta;
      }
}

TEST(Damping, second_order_at_common_times)
{
  const double rate = 0.9;
  for (const Clocks clocks : {Clocks::one, Clocks::nested})
  {
    std::vector<double> errors;
    double time = 0;
    for (const double beta : {0.4, 0.2, 0.1})
    {
      DampedChain chain(parameters(clocks, beta), constant(rate));
      const NodeTable<2> initial = chain.nodes;
      chain.stepper.start();
      if (time == 0)
        time = 4 * chain.stepper.levels().classes().step(
                       chain.stepper.levels().classes().n_classes - 1);
      const auto exact = exact_displacement(initial, *chain.links, rate, time);
      chain.stepper.advance_to(time);
      const auto nodes = chain.stepper.snapshot(time);
      double error = 0;
      for (unsigned int i = 0; i < n; ++i)
        error = std::max(error, (nodes.displacement(i) - exact[i]).norm());
      errors.push_back(error);
    }
    EXPECT_GT(std::log2(errors[0] / errors[2]) / 2, 1.9) << errors[0] << " " << errors[2];
    EXPECT_LT(errors[2], 1e-3);
  }
}

/// With its loss the balance closes as well as without damping, until the chain is at rest: to the
/// second order in the step.
TEST(Damping, the_balance_closes)
{
  for (const Clocks clocks : {Clocks::one, Clocks::nested})
    for (const double rate : {0., 0.05, 1.})
    {
      std::vector<double> worst;
      for (const double beta : {0.5, 0.25, 0.125})
      {
        DampedChain chain(parameters(clocks, beta), constant(rate));
        chain.stepper.start();
        const double first = chain.stepper.energy(chain.stepper.snapshot(0)).total();
        worst.push_back(0);
        for (unsigned int i = 1; i <= 400; ++i)
        {
          chain.stepper.advance_to(0.37 * i);
          const auto balance = chain.stepper.energy(chain.stepper.snapshot(0.37 * i));
          worst.back() = std::max(worst.back(), std::abs(balance.total() / first - 1));
          if (rate == 1 && i == 400)
          {
            EXPECT_GT(balance.damping_loss, 0.1 * first);
          }
        }
      }
      EXPECT_LT(worst[0], 0.03);
      EXPECT_LT(worst[2], worst[0] / 12) << rate;
    }
}

TEST(Damping, velocities_of_supports_are_not_damped)
{
  DampedChain chain(parameters(Clocks::nested, 0.05), constant(2.));
  for (unsigned int i = 0; i < n; ++i)
  {
    chain.nodes.restraints.add(i, Vector({1., 1.}));
    chain.nodes.set_velocity(i, Vector({0., 0.}));
  }
  std::vector<unsigned int> all(n);
  std::iota(all.begin(), all.end(), 0u);
  chain.stepper.prescribe(all, {Vector({1., 1.})},
                          [](unsigned int, const double t) {
                            return t * Vector({1., 1.});
                          });
  for (unsigned int i = 0; i < n; ++i)
    chain.nodes.set_velocity(i, Vector({1., -1.}));
  chain.stepper.start();
  chain.stepper.advance_to(3.);
  const auto nodes = chain.stepper.snapshot(3.);
  for (unsigned int i = 0; i < n; ++i)
  {
    EXPECT_NEAR(nodes.velocity(i) * Vector({1., 1.}), 2, 1e-12);
    EXPECT_NEAR(nodes.velocity(i) * Vector({1., -1.}), 2 * std::exp(-6.), 1e-4);
    EXPECT_NEAR(nodes.restraints.reaction(i).norm(), 0, 1e-12);
  }
  EXPECT_NEAR(nodes.restraints.prescribed_work(), 0, 1e-12);
}

TEST(Damping, without_a_rate_nothing_changes)
{
  DampedChain damped(parameters(Clocks::nested), constant(0));
  NodeTable<2> nodes;
  Stepper<2> stepper(nodes, parameters(Clocks::nested));
  stepper.add(make_chain<2>(nodes, n, 30));
  for (auto *s : {&damped.stepper, &stepper})
  {
    s->start();
    s->advance_to(20.);
  }
  EXPECT_EQ(std::memcmp(nodes.data(), damped.nodes.data(), n * sizeof(NodeState)), 0);
}

TEST(Damping, looking_does_not_touch)
{
  DampedChain rarely(parameters(Clocks::nested), constant(0.3));
  DampedChain often(parameters(Clocks::nested), constant(0.3));
  rarely.stepper.start();
  often.stepper.start();
  rarely.stepper.advance_to(11.7);
  for (unsigned int i = 1; i <= 100; ++i)
  {
    often.stepper.advance_to(11.7 * i / 100);
    often.stepper.snapshot(11.7 * i / 100);
  }
  EXPECT_EQ(std::memcmp(rarely.nodes.data(), often.nodes.data(), n * sizeof(NodeState)), 0);
  EXPECT_EQ(rarely.nodes.damping_loss(), often.nodes.damping_loss());
}

/// The velocity of a single node is synchronised to first order in what damping has pending.
TEST(Damping, synchronised_velocity)
{
  for (const double rate : {0.01, 0.02})
  {
    DampedChain chain(plain(parameters(Clocks::nested)), constant(rate));
    chain.stepper.start();
    chain.stepper.advance_to(5.123);
    const auto nodes = chain.stepper.snapshot(5.123);
    const double pending = rate * chain.stepper.levels().classes().step(
                                      chain.stepper.levels().classes().n_classes - 1);
    for (unsigned int i = 0; i < n; ++i)
    {
      // the rate acts on the velocity as it is, without what is pending
      const double missing = (nodes.velocity(i) - chain.nodes.velocity(i)).norm();
      EXPECT_LT((nodes.velocity(i) - chain.stepper.synchronised_velocity(i, 5.123)).norm(),
                pending * missing + pending * pending * nodes.velocity(i).norm());
    }
  }
}

TEST(Damping, needs_times_between_kicks)
{
  EXPECT_THROW(DampedChain(parameters(Clocks::per_cell), constant(1)), dealii::ExceptionBase);
  EXPECT_THROW(DampedChain(parameters(Clocks::nested, 0.5, Phase::start), constant(1)),
               dealii::ExceptionBase);
}
