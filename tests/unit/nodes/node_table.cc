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

TEST(NodeTable, lends_masses_and_keeps_momentum)
{
  NodeTable<2> nodes;
  nodes.add({}, 1.);
  nodes.add({1., 0.}, 3.);
  nodes.set_velocity(0, dealii::Tensor<1, 2>({4., 0.}));
  nodes.set_velocity(1, dealii::Tensor<1, 2>({0., 8.}));
  nodes.lend_mass(0, 1);
  EXPECT_TRUE(nodes.is_massless(0));
  EXPECT_FALSE(nodes.is_massless(1));
  EXPECT_EQ(nodes.mass(0), 0.);
  EXPECT_EQ(nodes.mass(1), 4.);
  for (const unsigned int node : {0u, 1u})
    EXPECT_LT((nodes.velocity(node) - dealii::Tensor<1, 2>({1., 6.})).norm(), 1e-15);
  EXPECT_EQ(nodes.loans.carrier(0), 1u);
  EXPECT_EQ(nodes.loans.carrier(1), 1u);
  // an impulse on it is one on what carries it, and moves all that this carries
  nodes.add({2., 0.}, 4.);
  nodes.lend_mass(2, 1);
  for (const unsigned int node : {0u, 1u, 2u})
  {
    const dealii::Tensor<1, 2> before = nodes.velocity(1);
    nodes.apply_impulse(node, dealii::Tensor<1, 2>({8., 16.}));
    for (const unsigned int other : {0u, 1u, 2u})
      EXPECT_LT((nodes.velocity(other) - before - dealii::Tensor<1, 2>({1., 2.})).norm(), 1e-15);
  }
}

TEST(NodeTable, what_lends_its_mass_stays_on_its_support)
{
  NodeTable<2> nodes;
  nodes.add({}, 1.);
  nodes.add({1., 0.}, 3.);
  nodes.restraints.add(0, dealii::Tensor<1, 2>({1., 0.}));
  nodes.set_velocity(1, dealii::Tensor<1, 2>({4., 8.}));
  nodes.lend_mass(0, 1);
  EXPECT_EQ(nodes.velocity(0)[0], 0);
  EXPECT_EQ(nodes.velocity(0)[1], nodes.velocity(1)[1]);
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
