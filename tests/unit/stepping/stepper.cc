#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/lapack_full_matrix.h>

#include "chain.h"

#include <gtest/gtest.h>

using namespace KickDriftTests;

namespace
{
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
        time = clocks == Clocks::per_cell ? 7.3
                                          : 4 * chain.stepper.levels().classes().step(
                                                    chain.stepper.levels().classes().n_classes - 1);
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
  const double h = chain.stepper.levels().classes().base;
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
        const double half = 0.5 * (0.5 * chain.stepper.levels().critical_step(k));
        const double time = half * (2 * counts[k] + (phase == Phase::centred ? 1 : 0));
        if (time < earliest)
        {
          earliest = time;
          next = k;
        }
      }
      if (earliest > 20)
        break;
      chain.links->kick_one(reference, next, earliest,
                            0.5 * chain.stepper.levels().critical_step(next));
      ++counts[next];
    }
    EXPECT_TRUE(same_bits(chain.nodes, reference));
    std::uint64_t total = 0;
    for (const auto count : counts)
      total += count;
    EXPECT_EQ(chain.stepper.kick_statistics()[0].count, total);
  }
}

TEST(Stepper, snapshots_do_not_change_the_run)
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
  const auto [ours, synchronous] = nested.stepper.levels().kick_rates();
  const double measured = double(one.stepper.kick_statistics()[0].count) /
                          double(nested.stepper.kick_statistics()[0].count);
  EXPECT_NEAR(measured, synchronous / ours, 0.01 * measured);
  EXPECT_GT(measured, 2);
}

TEST(Stepper, synchronised_velocity_is_that_of_the_snapshot)
{
  for (const Clocks clocks : {Clocks::one, Clocks::nested, Clocks::per_cell})
  {
    Chain chain(plain(parameters(clocks)), 12, 30, true);
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

namespace
{
/// Presses on a node: an impulse of force times period at the ends of all intervals.
class Pressing : public EventSource<2>
{
public:
  Pressing(NodeTable<2> &nodes, const double force, const double period)
      : nodes(nodes), force(force), period(period)
  {
  }
  double
  next_time() const override
  {
    return period * n;
  }
  void
  process(const double time) override
  {
    nodes[0].drift(time);
    nodes.apply_impulse(0, Vector({force * period, 0}));
    ++n;
  }
  void
  nodes_kicked(dealii::ArrayView<const unsigned int>, double) override
  {
  }
  void
  pending_impulses(const double time, const OnImpulse &on_impulse) const override
  {
    on_impulse(0, Vector({force * (time - period * (n - 0.5)), 0}));
  }

private:
  using Vector = dealii::Tensor<1, 2>;
  NodeTable<2> &nodes;
  const double force, period;
  unsigned int n = 0;
};
} // namespace

// A mass on a spring that is pressed together: it moves to and fro between impulses and kicks, but
// it is at rest.
TEST(Stepper, what_events_have_pending_is_part_of_synchronised_velocities)
{
  const double force = 3, mass = 2, stiffness = 5;
  NodeTable<2> nodes;
  nodes.add({0, 0}, mass);
  nodes.add({1, 0}, 1);
  for (const unsigned int d : {0u, 1u})
    nodes.restraints.add(1, dealii::Point<2>::unit_vector(d));
  auto spring = std::make_shared<LinearNetwork<2>>();
  spring->add(0, 1, stiffness, mass, 1);
  Stepper<2> stepper(nodes, parameters(Clocks::one));
  stepper.add(spring);
  stepper.watch({0});
  const double h = 0.5 * spring->critical_step(0, std::vector<double>{mass, 1.}), p = force * h;
  Pressing pressing(nodes, force, h);
  stepper.attach(pressing);
  // at kicks, half a period after the impulse, the spring's force is that of the impulses
  const double at_kicks = force / stiffness;
  nodes.set_displacement(0, dealii::Point<2>(at_kicks - 0.25 * p * h / mass, 0));
  nodes.set_velocity(0, dealii::Point<2>(-0.5 * p / mass, 0));
  stepper.start();
  for (unsigned int i = 0; i < 40; ++i)
  {
    const double time = 0.25 * i * h;
    stepper.advance_to(time);
    const auto now = stepper.snapshot(time);
    // halfway to a kick the spring is not where the kick will find it
    const double tolerance = i % 2 == 0 ? 1e-13 : 0.03 * p / (2 * mass);
    EXPECT_NEAR(now.velocity(0).norm(), 0, tolerance) << i;
    EXPECT_NEAR((stepper.synchronised_velocity(0, time) - now.velocity(0)).norm(), 0, 1e-13);
    const EnergyBalance balance = stepper.energy(now);
    EXPECT_NEAR(balance.kinetic, 0, 0.5 * mass * tolerance * tolerance);
    if (i % 4 == 0)
    {
      EXPECT_NEAR(nodes.velocity(0)[0], 0.5 * p / mass, 1e-13); // as it really is
      EXPECT_NEAR(balance.contact_ripple, p * p / (8 * mass), 1e-13);
    }
  }
}

// Two links of a chain are given by another family: the same motion as with all links in one class.
TEST(Stepper, kicks_are_given_by_another_family_in_their_place)
{
  /// Kicks two links as if they were one kick.
  struct TwoLinks : LinearNetwork<2>
  {
    unsigned int
    n_kicks() const override
    {
      return 1;
    }
    std::vector<unsigned int>
    support(unsigned int) const override
    {
      return {3, 4, 5};
    }
    void
    assign_clocks(const std::vector<unsigned int> &clocks, unsigned int) override
    {
      clock = clocks[0];
    }
    void
    kick(NodeTable<2> &nodes, const unsigned int c, const double time,
         const double step) const override
    {
      for (unsigned int k = 0; k < links.size() && c == clock; ++k)
        kick_one(nodes, k, time, step);
    }
    void
    add_energy(const NodeTable<2> &, EnergyBalance &) const override
    {
    }
    unsigned int clock = 0;
  };

  // kicks in place of others take no part in filtered boundaries
  const StepperParameters nested = plain(parameters(Clocks::nested));
  Chain replaced(nested), whole(nested);
  auto pair = std::make_shared<TwoLinks>();
  pair->links = {whole.links->links[3], whole.links->links[4]};
  replaced.stepper.add_in_place_of(pair, {{3, 4}});
  for (Chain *chain : {&replaced, &whole})
  {
    chain->stepper.start();
    chain->stepper.advance_to(7.3);
  }
  ASSERT_EQ(whole.stepper.levels().clock_of_kick(3), whole.stepper.levels().clock_of_kick(4));
  ASSERT_EQ(replaced.stepper.levels().clock_of_kick(3), whole.stepper.levels().clock_of_kick(3));
  const auto a = replaced.stepper.snapshot(7.3), b = whole.stepper.snapshot(7.3);
  for (unsigned int node = 0; node < a.size(); ++node)
  {
    EXPECT_LT((a.displacement(node) - b.displacement(node)).norm(), 1e-13);
    EXPECT_LT((a.velocity(node) - b.velocity(node)).norm(), 1e-13);
  }
  EXPECT_NEAR(replaced.stepper.energy(a).total(), whole.stepper.energy(b).total(), 1e-13);
  std::vector<const Kicks<2> *> kicks;
  replaced.stepper.for_each_kick(3, [&](const Kicks<2> &family, unsigned int)
                                 { kicks.push_back(&family); });
  EXPECT_EQ(kicks, std::vector<const Kicks<2> *>{replaced.links.get()});
  // two kicks of the links' family for one of the other
  std::uint64_t n_links = 0;
  for (const auto &family : whole.stepper.kick_statistics())
    n_links += family.count;
  std::uint64_t n_replaced = 0;
  for (const auto &family : replaced.stepper.kick_statistics())
    n_replaced += family.count;
  EXPECT_LT(n_replaced, n_links);
}
