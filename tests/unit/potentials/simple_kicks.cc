// Families that say only support, critical step, force and energy: against the same family with
// everything written by hand, and their forces against differences of their energies.

#include <kickdrift/potentials/simple_kicks.h>
#include <kickdrift/potentials/springs.h>

#include "unit/stepping/chain.h"

#include <gtest/gtest.h>

#include <regex>

using namespace KickDriftTests;

namespace
{
/// The links of a LinearNetwork.
template <int dim>
class SimpleLinks : public SimpleKicks<dim>
{
public:
  using Vector = dealii::Tensor<1, dim>;

  explicit SimpleLinks(const LinearNetwork<dim> &network) : links(network.links) {}

  std::string
  name() const override
  {
    return "links";
  }
  unsigned int
  n_kicks() const override
  {
    return links.size();
  }
  std::vector<unsigned int>
  support(const unsigned int k) const override
  {
    return {links[k].i, links[k].j};
  }
  void
  nodal_stiffness(const unsigned int k, std::vector<double> &stiffness) const override
  {
    stiffness.assign(2, links[k].stiffness);
  }
  void
  force(const NodeTable<dim> &nodes, const unsigned int k, const double time,
        std::vector<Vector> &force) const override
  {
    const Vector f = links[k].stiffness * (nodes.displacement_at(links[k].j, time) -
                                           nodes.displacement_at(links[k].i, time));
    force.assign({f, -f});
  }
  double
  energy(const NodeTable<dim> &nodes, const unsigned int k) const override
  {
    return 0.5 * links[k].stiffness *
           (nodes.displacement(links[k].j) - nodes.displacement(links[k].i)).norm_square();
  }

private:
  const std::vector<typename LinearNetwork<dim>::Link> links;
};
} // namespace

TEST(SimpleKicks, move_nodes_as_those_written_by_hand)
{
  for (const Clocks clocks : {Clocks::one, Clocks::nested, Clocks::per_cell})
  {
    SCOPED_TRACE(static_cast<int>(clocks));
    Chain by_hand(parameters(clocks), 20, 300);
    NodeTable<2> nodes;
    const auto links = make_chain<2>(nodes, 20, 300);
    Stepper<2> stepper(nodes, parameters(clocks));
    stepper.add(std::make_shared<SimpleLinks<2>>(*links));
    stepper.start();
    by_hand.stepper.start();
    for (unsigned int i = 1; i <= 20; ++i)
    {
      if (clocks == Clocks::nested && i % 5 == 0)
        for (Stepper<2> *s : {&stepper, &by_hand.stepper})
          s->promote(i - 5, 0, i + 2.);
      stepper.advance_to(i);
      by_hand.stepper.advance_to(i);
      const auto here = stepper.snapshot(i), there = by_hand.stepper.snapshot(i);
      ASSERT_LT((here.velocity(7) - there.velocity(7)).norm(), 1e-13);
      ASSERT_NEAR(stepper.energy(here).total(), by_hand.stepper.energy(there).total(), 1e-13);
    }
    EXPECT_TRUE(clocks != Clocks::nested || stepper.levels().n_class_changes() > 0);
    const auto counts = stepper.kick_statistics(), others = by_hand.stepper.kick_statistics();
    ASSERT_EQ(counts.size(), others.size());
    for (unsigned int f = 0; f < counts.size(); ++f)
      EXPECT_EQ(counts[f].count, others[f].count) << counts[f].name;
    for (unsigned int i = 0; i < nodes.size(); ++i)
      EXPECT_LT((nodes.displacement(i) - by_hand.nodes.displacement(i)).norm(), 1e-13);
  }
}

TEST(SimpleKicks, drift_and_kick_the_nodes_of_one_clock)
{
  Chain chain(parameters(Clocks::one));
  SimpleLinks<2> links(*chain.links);
  links.assign_clocks(std::vector<unsigned int>(links.n_kicks(), 1), 2);
  NodeTable<2> nodes = chain.nodes;
  links.kick(nodes, 0, 0.3, 0.1); // nothing is on this clock
  EXPECT_TRUE(same_bits(nodes, chain.nodes));
  links.change_clock(2, 0);
  links.kick(nodes, 0, 0.3, 0.1);
  chain.links->kick_one(chain.nodes, 2, 0.3, 0.1);
  for (unsigned int i = 0; i < nodes.size(); ++i)
  {
    EXPECT_EQ(nodes[i].time, i == 2 || i == 3 ? 0.3 : 0);
    EXPECT_LT((nodes.velocity(i) - chain.nodes.velocity(i)).norm(), 1e-15);
  }
}

TEST(SimpleKicks, forces_of_another_length_are_refused)
{
  struct Wrong : SimpleLinks<2>
  {
    using SimpleLinks<2>::SimpleLinks;
    void
    force(const NodeTable<2> &, unsigned int, double, std::vector<Vector> &force) const override
    {
      force.resize(length);
    }
    unsigned int length = 2;
  };
  for (const unsigned int length : {0u, 1u, 3u})
  {
    Chain chain(parameters(Clocks::nested), 12, 30, true);
    const auto wrong = std::make_shared<Wrong>(*chain.links);
    chain.stepper.add(wrong);
    chain.stepper.start();
    chain.stepper.advance_to(1);
    wrong->length = length;
    EXPECT_THROW(chain.stepper.forces_on({0}, 1.), StepperExceptions::ExcForceLength);
    EXPECT_THROW(chain.stepper.velocity_with_kicks(0, 1.1), StepperExceptions::ExcForceLength);
    EXPECT_THROW(chain.stepper.largest_stable_step(chain.nodes), StepperExceptions::ExcForceLength);
    EXPECT_THROW(chain.stepper.snapshot(1), StepperExceptions::ExcForceLength);
    try
    {
      chain.stepper.advance_to(2);
      FAIL() << length;
    }
    catch (const StepperExceptions::ExcForceLength &exception)
    {
      // in one line
      const std::string text = std::regex_replace(exception.what(), std::regex("\\s+"), " ");
      EXPECT_NE(text.find("'links' acts on 2 nodes"), std::string::npos) << text;
      EXPECT_NE(text.find(std::to_string(length) + " vectors"), std::string::npos) << text;
    }
  }
}

TEST(SimpleKicks, forces_of_springs_are_differences_of_their_energies)
{
  NodeTable<3> nodes;
  nodes.add({0, 0, 0}, 1.);
  nodes.add({1, 0.2, 0}, 2.);
  nodes.add({0.3, 1, -0.4}, 3.);
  for (unsigned int i = 0; i < 3; ++i)
  {
    nodes.set_displacement(i, dealii::Tensor<1, 3>({0.1 * i, 0.3 - 0.2 * i, 0.05 * i * i}));
    nodes.set_velocity(i, dealii::Tensor<1, 3>({0.4, 0.1 * i, -0.2}));
  }
  const Springs<3> springs({{{0, 1}, 2., 0.8}, {{1, 2}, 3., 0.}, {{2, 0}, 0.7, 2.}});
  const double time = 0.6;
  std::vector<dealii::Tensor<1, 3>> force;
  for (unsigned int k = 0; k < springs.n_kicks(); ++k)
  {
    springs.force(nodes, k, time, force);
    NodeTable<3> there = nodes;
    for (unsigned int i = 0; i < 3; ++i)
      there[i].drift(time);
    const auto support = springs.support(k);
    for (unsigned int a = 0; a < support.size(); ++a)
      for (unsigned int d = 0; d < 3; ++d)
      {
        const double h = 1e-5;
        NodeTable<3> plus = there, minus = there;
        plus[support[a]].displacement[d] += h;
        minus[support[a]].displacement[d] -= h;
        EXPECT_NEAR(force[a][d], -(springs.energy(plus, k) - springs.energy(minus, k)) / (2 * h),
                    1e-9);
      }
  }
}
