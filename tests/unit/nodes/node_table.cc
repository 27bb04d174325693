// Nodes: what a table refuses, and where nodes are in free flight.

#include <kickdrift/nodes/node_table.h>

#include <gtest/gtest.h>

#include <limits>

using namespace KickDrift;

TEST(NodeTable, refuses_masses_that_are_not_positive)
{
  NodeTable<2> nodes;
  for (const double mass : {0., -1., std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(nodes.add({}, mass), NodeTable<2>::ExcMass) << mass;
  EXPECT_EQ(nodes.size(), 0u);
  EXPECT_EQ(nodes.add({}, 0.5), 0u);
  EXPECT_EQ(nodes.mass(0), 0.5);
}

TEST(NodeTable, predicts_to_the_bit_where_drifting_takes_a_node)
{
  NodeTable<3> nodes;
  nodes.add({0.1, 0.2, 0.3}, 1.);
  nodes.set_displacement(0, dealii::Tensor<1, 3>({0.7, -0.3, 1e-9}));
  nodes.set_velocity(0, dealii::Tensor<1, 3>({1. / 3, 2. / 7, -5.}));
  nodes[0].time = 0.1;
  const auto position = nodes.position_at(0, 0.37);
  const auto displacement = nodes.displacement_at(0, 0.37);
  nodes[0].drift(0.37);
  EXPECT_EQ(position, nodes.position(0));
  EXPECT_EQ(displacement, nodes.displacement(0));
  EXPECT_EQ(displacement, nodes.displacement_at(0, 0.37)); // no time passes
}

TEST(NodeTable, tells_when_it_is_gone)
{
  Lifetime::Watch watch;
  EXPECT_TRUE(watch.has_ended());
  {
    NodeTable<2> nodes, other;
    watch = nodes.lifetime.watch();
    other = nodes;
    const Lifetime::Watch of_other = other.lifetime.watch();
    nodes = NodeTable<2>();
    EXPECT_FALSE(watch.has_ended()); // assigned to, but the same object
    EXPECT_FALSE(of_other.has_ended());
  }
  EXPECT_TRUE(watch.has_ended());
}
