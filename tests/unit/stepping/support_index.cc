// Which kicks act on which nodes.

#include <kickdrift/potentials/loads/dashpots.h>

#include "chain.h"

#include <gtest/gtest.h>

using namespace KickDriftTests;

namespace
{
using Indices = std::vector<unsigned int>;

Indices
indices(const dealii::ArrayView<const unsigned int> &view)
{
  return Indices(view.begin(), view.end());
}

/// Six nodes in a row, links 0 to 4 between them, a follower of link 1 on nodes 4 and 5, and
/// perhaps a dashpot between nodes 1 and 4. Nodes 1 and 4 are watched, 4 is restrained.
struct Network
{
  explicit Network(const bool has_dashpot)
      : links(make_chain<2>(nodes, 6, 1000.)), stepper(nodes, plain(parameters(Clocks::nested)))
  {
    const auto link = [](const unsigned int i, const unsigned int j)
    {
      auto result = std::make_shared<LinearNetwork<2>>();
      result->add(i, j, 0., 1., 1.);
      return result;
    };
    nodes.restraints.add(4, dealii::Tensor<1, 2>({1., 0.}));
    stepper.add(links);
    stepper.add_on_clock_of(link(4, 5), {1});
    if (has_dashpot)
      stepper.add_damping(std::make_shared<Dashpots<2>>(std::vector<Dashpot<2>>{{1, 4, {}, 1.}}));
    stepper.watch({1, 4});
    stepper.start();
  }
  NodeTable<2> nodes;
  std::shared_ptr<LinearNetwork<2>> links;
  Stepper<2> stepper;
};
} // namespace

TEST(SupportIndex, knows_the_kicks_of_watched_nodes)
{
  const Network network(true);
  const auto &supports = network.stepper.supports();
  EXPECT_TRUE(supports.is_watched(1));
  EXPECT_FALSE(supports.is_watched(0));
  EXPECT_EQ(indices(supports.kicks_of_node(1)), (Indices{0, 1}));
  EXPECT_EQ(indices(supports.kicks_of_node(4)), (Indices{1, 3, 4})); // 1 by its follower
  EXPECT_EQ(supports.nodes_of_kick(3), (Indices{3, 4}));
  EXPECT_THROW(supports.nodes_of_kick(5), Stepper<2>::ExcNoSuchKick);
  EXPECT_THROW(supports.kicks_of_node(0), Stepper<2>::ExcNodeNotWatched);
  ASSERT_EQ(supports.damping_of_node(1).size(), 1u);
  EXPECT_EQ(supports.damping_of_node(1)[0].family, 2u);
  EXPECT_EQ(supports.damping_of_node(4).size(), 1u);
}

TEST(SupportIndex, lists_watched_and_restrained_nodes_by_clock)
{
  for (const bool has_dashpot : {false, true})
  {
    const Network network(has_dashpot);
    const auto &supports = network.stepper.supports();
    const auto &of_kick = network.stepper.levels().classes().of_kick;
    // stiffer links have shorter steps, but the dashpot unites those at its ends
    ASSERT_EQ(of_kick[0] == of_kick[1], has_dashpot);
    ASSERT_EQ(of_kick[1] == of_kick[3], has_dashpot);
    EXPECT_EQ(indices(supports.watched_on_clock(of_kick[0])),
              has_dashpot ? (Indices{1, 4}) : Indices{1});
    EXPECT_EQ(indices(supports.watched_on_clock(of_kick[1])), (Indices{1, 4}));
    EXPECT_EQ(indices(supports.restrained_on_clock(of_kick[1])), (Indices{4}));
    EXPECT_EQ(indices(supports.restrained_on_clock(of_kick[3])), (Indices{4}));
  }
}

TEST(SupportIndex, follows_promotions)
{
  Network network(false);
  const auto &supports = network.stepper.supports();
  EXPECT_TRUE(supports.watched_promoted_to(0).empty());
  network.stepper.promote(1, 0, 1e3);
  network.stepper.advance_to(2 * network.stepper.levels().natural_step(1));
  EXPECT_EQ(supports.watched_promoted_to(0), Indices{1});
  EXPECT_TRUE(supports.restrained_promoted_to(0).empty());
  network.stepper.promote(3, 0, 1e3);
  network.stepper.advance_to(4 * network.stepper.levels().natural_step(1));
  EXPECT_EQ(supports.watched_promoted_to(0), (Indices{1, 4}));
  EXPECT_EQ(supports.restrained_promoted_to(0), Indices{4});
}
