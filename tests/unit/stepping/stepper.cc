#include <kickdrift/stepping/stepper.h>

#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/lapack_full_matrix.h>

#include "linear_network.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace KickDrift;
using KickDriftTests::LinearNetwork;
using KickDriftTests::make_chain;

namespace
{
struct Chain
{
  Chain(const StepperParameters &parameters, const unsigned int n = 12, const double contrast = 30,
        const bool watch = false)
      : links(make_chain<2>(nodes, n, contrast)), stepper(nodes, parameters)
  {
    stepper.add(links);
    if (watch)
    {
      std::vector<unsigned int> all(n);
      for (unsigned int i = 0; i < n; ++i)
        all[i] = i;
      stepper.watch(all);
    }
  }
  NodeTable<2> nodes;
  std::shared_ptr<LinearNetwork<2>> links;
  Stepper<2> stepper;
};

StepperParameters
parameters(const Clocks clocks, const double beta = 0.5, const Phase phase = Phase::centred)
{
  StepperParameters p;
  p.clocks = clocks;
  p.time_step_ratio = beta;
  p.phase = phase;
  return p;
}

bool
same_bits(const NodeTable<2> &a, const NodeTable<2> &b)
{
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(NodeState)) == 0;
}

/// Exact motion of the linear chain by its eigenmodes.
std::vector<dealii::Tensor<1, 2>>
exact_displacement(const NodeTable<2> &initial, const LinearNetwork<2> &links, const double time)
{
  const unsigned int n = initial.size();
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
  dealii::Vector<double> values(n);
  dealii::FullMatrix<double> modes(n, n);
  matrix.compute_eigenvalues_symmetric(-1., 1e6, 1e-14, values, modes);
  std::vector<dealii::Tensor<1, 2>> u(n);
  for (unsigned int k = 0; k < n; ++k)
  {
    dealii::Tensor<1, 2> amplitude;
    for (unsigned int i = 0; i < n; ++i)
      amplitude += modes(i, k) / scale(i) * initial.velocity(i);
    const double omega = std::sqrt(std::max(values(k), 0.));
    const double factor = omega * time > 1e-6 ? std::sin(omega * time) / omega : time;
    for (unsigned int i = 0; i < n; ++i)
      u[i] += modes(i, k) * scale(i) * factor * amplitude;
  }
  return u;
}

} // namespace

TEST(Stepper, second_order_at_common_times)
{
  for (const Clocks clocks : {Clocks::one, Clocks::nested, Clocks::per_cell})
  {
    SCOPED_TRACE(static_cast<int>(clocks));
    std::vector<double> errors;
    double time = 0;
    for (const double beta : {0.4, 0.2, 0.1})
    {
      Chain chain(parameters(clocks, beta));
      const NodeTable<2> initial = chain.nodes;
      chain.stepper.start();
      if (time == 0) // the end of an interval of all clocks, if there is such a thing
        time = clocks == Clocks::per_cell
                   ? 7.3
                   : 4 * chain.stepper.classes().step(chain.stepper.classes().n_classes - 1);
      const auto exact = exact_displacement(initial, *chain.links, time);
      chain.stepper.advance_to(time);
      const auto nodes = chain.stepper.snapshot(time);
      double error = 0;
      for (unsigned int i = 0; i < nodes.size(); ++i)
        error = std::max(error, (nodes.displacement(i) - exact[i]).norm());
      errors.push_back(error);
    }
    EXPECT_GT(std::log2(errors[0] / errors[2]) / 2, clocks == Clocks::per_cell ? 1.7 : 1.9);
    EXPECT_LT(errors[2], 1e-3);
  }
}

TEST(Stepper, one_clock_is_velocity_verlet)
{
  Chain chain(parameters(Clocks::one));
  NodeTable<2> reference = chain.nodes;
  chain.stepper.start();
  const double h = chain.stepper.classes().base;
  chain.stepper.advance_to(20 * h);
  // drift half a step, kick, drift half a step
  for (unsigned int step = 0; step < 20; ++step)
    for (unsigned int k = 0; k < chain.links->n_kicks(); ++k)
      chain.links->kick_one(reference, k, (step + 0.5) * h, h);
  const auto nodes = chain.stepper.snapshot(20 * h);
  for (unsigned int i = 0; i < nodes.size(); ++i)
  {
    reference[i].drift(20 * h);
    EXPECT_NEAR((nodes.displacement(i) - reference.displacement(i)).norm(), 0, 1e-13);
    EXPECT_NEAR((nodes.velocity(i) - reference.velocity(i)).norm(), 0, 1e-13);
  }
}

TEST(Stepper, a_clock_per_cell_equals_a_plain_queue_bitwise)
{
  for (const Phase phase : {Phase::centred, Phase::start})
  {
    Chain chain(parameters(Clocks::per_cell, 0.5, phase), 30);
    NodeTable<2> reference = chain.nodes;
    chain.stepper.start();
    chain.stepper.advance_to(20);
    std::vector<std::int64_t> counts(chain.links->n_kicks(), 0);
    while (true)
    {
      unsigned int next = 0;
      double earliest = 1e300;
      for (unsigned int k = 0; k < counts.size(); ++k)
      {
        const double half = 0.5 * (0.5 * chain.links->critical_step(k));
        const double time = half * (2 * counts[k] + (phase == Phase::centred ? 1 : 0));
        if (time < earliest)
        {
          earliest = time;
          next = k;
        }
      }
      if (earliest > 20)
        break;
      chain.links->kick_one(reference, next, earliest, 0.5 * chain.links->critical_step(next));
      ++counts[next];
    }
    EXPECT_TRUE(same_bits(chain.nodes, reference));
    std::uint64_t total = 0;
    for (const auto count : counts)
      total += count;
    EXPECT_EQ(chain.stepper.kick_counts()[0].second, total);
  }
}

TEST(Stepper, looking_does_not_touch)
{
  for (const Clocks clocks : {Clocks::one, Clocks::nested, Clocks::per_cell})
  {
    Chain rarely(parameters(clocks)), often(parameters(clocks));
    rarely.stepper.start();
    often.stepper.start();
    rarely.stepper.advance_to(11.7);
    for (unsigned int i = 1; i <= 100; ++i)
    {
      often.stepper.advance_to(11.7 * i / 100);
      often.stepper.snapshot(11.7 * i / 100);
    }
    EXPECT_TRUE(same_bits(rarely.nodes, often.nodes));
  }
}

TEST(Stepper, energy_stays_and_momentum_is_exact)
{
  for (const Clocks clocks : {Clocks::one, Clocks::nested})
  {
    Chain chain(parameters(clocks), 20, 200);
    chain.stepper.start();
    double first = 0, worst = 0;
    dealii::Tensor<1, 2> momentum;
    for (unsigned int i = 0; i <= 400; ++i)
    {
      chain.stepper.advance_to(i * 1.37);
      const auto nodes = chain.stepper.snapshot(i * 1.37);
      const double energy = chain.stepper.energy(nodes).total();
      dealii::Tensor<1, 2> p;
      for (unsigned int n = 0; n < nodes.size(); ++n)
        p += nodes.mass(n) * nodes.velocity(n);
      if (i == 0)
      {
        first = energy;
        momentum = p;
      }
      worst = std::max(worst, std::abs(energy / first - 1));
      EXPECT_NEAR((p - momentum).norm(), 0, 1e-12);
    }
    EXPECT_LT(worst, 0.05);
  }
}

TEST(Stepper, nested_needs_fewer_kicks_by_the_predicted_ratio)
{
  Chain one(parameters(Clocks::one), 20, 1000), nested(parameters(Clocks::nested), 20, 1000);
  for (auto *chain : {&one, &nested})
  {
    chain->stepper.start();
    chain->stepper.advance_to(500);
  }
  const auto [ours, synchronous] = nested.stepper.kick_rates();
  const double measured =
      double(one.stepper.kick_counts()[0].second) / double(nested.stepper.kick_counts()[0].second);
  EXPECT_NEAR(measured, synchronous / ours, 0.01 * measured);
  EXPECT_GT(measured, 2);
}

TEST(Stepper, synchronised_velocity_is_what_look_gives)
{
  for (const Clocks clocks : {Clocks::one, Clocks::nested, Clocks::per_cell})
  {
    Chain chain(parameters(clocks), 12, 30, true);
    chain.stepper.start();
    chain.stepper.advance_to(5.123);
    const auto nodes = chain.stepper.snapshot(5.123);
    bool different = false;
    for (unsigned int i = 0; i < nodes.size(); ++i)
    {
      EXPECT_NEAR((nodes.velocity(i) - chain.stepper.synchronised_velocity(i, 5.123)).norm(), 0,
                  1e-13);
      different |= (nodes.velocity(i) - chain.nodes.velocity(i)).norm() > 1e-6;
    }
    EXPECT_TRUE(different);
  }
}

TEST(Stepper, leases_are_granted_between_intervals_and_run_out)
{
  for (const Phase phase : {Phase::centred, Phase::start})
  {
    SCOPED_TRACE(static_cast<int>(phase));
    Chain chain(parameters(Clocks::nested, 0.5, phase), 20, 3000, true);
    Chain plain(parameters(Clocks::nested, 0.5, phase), 20, 3000, true);
    chain.stepper.start();
    plain.stepper.start();
    auto &stepper = chain.stepper;
    const unsigned int unit = 0; // the softest link: coarsest class
    const unsigned int natural = stepper.natural_step_of_unit(unit) / stepper.classes().base + 0.5;
    ASSERT_GE(natural, 16u);
    double first = 0, worst = 0, worst_plain = 0;
    bool was_leased = false;
    for (unsigned int i = 0; i <= 3000; ++i)
    {
      const double time = 0.05 * i;
      stepper.advance_to(time);
      plain.stepper.advance_to(time);
      if (i % 200 < 50)
        for (const unsigned int u : {0u, 1u, 2u})
          stepper.promote(u, i % 3 == 0 ? 1 : 2, time + 0.1);
      was_leased |= stepper.class_of_unit(unit) <= 2;
      const double energy = stepper.energy(stepper.snapshot(time)).total();
      const double energy_plain = plain.stepper.energy(plain.stepper.snapshot(time)).total();
      if (i == 0)
        first = energy;
      worst = std::max(worst, std::abs(energy / first - 1));
      worst_plain = std::max(worst_plain, std::abs(energy_plain / first - 1));
    }
    EXPECT_TRUE(was_leased);
    EXPECT_GT(stepper.kick_counts()[0].second, plain.stepper.kick_counts()[0].second);
    // symplectic Euler's energy jumps by O(h) when a step changes; leapfrog's does not
    if (phase == Phase::centred)
    {
      EXPECT_LT(worst, 2 * worst_plain + 1e-3);
    }
    // all home again after a while
    stepper.advance_to(200);
    EXPECT_EQ(stepper.n_promoted(), 0u);
    for (unsigned int u = 0; u < stepper.n_units(); ++u)
      EXPECT_EQ(stepper.class_of_unit(u), stepper.classes().of_unit[u]);
  }
}

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
  for (unsigned int unit = 0; unit < stepper.n_units(); ++unit)
    if (stepper.support(unit)[0] == 0)
      step = std::min(step, stepper.step_of_unit(unit));
  return step * std::round(time / step);
}
} // namespace

TEST(Stepper, prescribed_motion_is_exact_at_its_own_steps_and_its_work_balances)
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

TEST(Stepper, motions_of_two_restraints_of_a_node_do_not_disturb_each_other)
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

TEST(Stepper, a_motion_along_a_skew_direction_leaves_the_node_free_across)
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

TEST(Stepper, a_motion_is_under_way_at_the_start)
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

TEST(Stepper, a_lease_is_not_shortened_by_a_finer_one)
{
  Chain chain(parameters(Clocks::nested), 20, 3000);
  chain.stepper.start();
  auto &stepper = chain.stepper;
  const unsigned int natural = stepper.classes().of_unit[0];
  ASSERT_GE(natural, 3u);
  EXPECT_EQ(stepper.n_class_changes(), 0u);
  const double interval = stepper.classes().step(natural);
  stepper.promote(0, 2, 10 * interval);
  stepper.promote(0, 1, 2 * interval);
  stepper.promote(0, 1, 3 * interval);
  stepper.advance_to(8 * interval);
  EXPECT_EQ(stepper.class_of_unit(0), 1u);
  EXPECT_EQ(stepper.n_class_changes(), 1u);
  stepper.advance_to(13 * interval);
  EXPECT_EQ(stepper.class_of_unit(0), natural);
  EXPECT_EQ(stepper.n_class_changes(), 2u);
}

TEST(Stepper, misuse_is_refused)
{
  Chain chain(parameters(Clocks::nested));
  EXPECT_THROW(chain.stepper.advance_to(1), std::exception);
  chain.stepper.start();
  EXPECT_THROW(chain.stepper.add(chain.links), std::exception);
  StepperParameters fixed = parameters(Clocks::one);
  fixed.time_step = 1e3;
  Chain unstable(fixed);
  EXPECT_THROW(unstable.stepper.start(), std::exception);
}
