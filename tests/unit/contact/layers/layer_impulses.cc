// Books of restitution in penalty layers, kick by kick: a mass in front of a wall.
#include <kickdrift/contact/layers/layer_impulses.h>

#include <gtest/gtest.h>

using namespace KickDrift;

namespace
{
constexpr double step = 0.01, mass = 2, stiffness = 3, thickness = 0.5;
constexpr unsigned int level = 3;

struct MassAtWall
{
  explicit MassAtWall(const double restitution)
      : pairs({"mass", "wall"}, parameters(restitution)), impulses(nodes, profile, pairs)
  {
    nodes.add(dealii::Point<2>(), mass);
    pair.primitives = {LayerPairKind::node_obstacle, 0, 0};
    pair.thickness = thickness;
    pair.stiffness = stiffness;
    impulses.start();
  }

  static ResponseParameters
  parameters(const double restitution)
  {
    ResponseParameters result;
    result.restitution = restitution;
    return result;
  }

  /// A kick of the level at a share of its thickness, with this gap rate.
  void
  kick(const double share, const double rate)
  {
    nodes[0].velocity[0] = rate;
    PrimitiveGap<2> gap;
    gap.distance = share * end();
    gap.stencil.add(0, 1.);
    gap.stencil.normal[0] = 1;
    impulses.give(pair, gap, level, nodes[0].time, step, {0, 1});
  }

  /// Where the level ends.
  double
  end() const
  {
    return profile.thickness(level) * thickness;
  }

  /// What the level has at a share of its thickness.
  double
  energy(const double share) const
  {
    return stiffness * thickness * thickness *
           profile.energy(level, share * profile.thickness(level));
  }

  double
  loss() const
  {
    return impulses.stats.restitution_loss;
  }

  NodeTable<2> nodes;
  LayerProfile profile{LayerShape::cubic, 6};
  ContactPairs<2> pairs;
  LayerImpulses<2> impulses;
  LayerPair pair;
};
} // namespace

/// What was never stored is not lost: the way of a level begins where its layers do.
TEST(LayerImpulses, ALevelThatBeginsWhileThePairSeparatesLosesNothing)
{
  MassAtWall scene(0);
  scene.kick(0.8, 1.);
  scene.impulses.leave(scene.pair, thickness);
  EXPECT_NEAR(scene.loss(), 0, 0.01 * scene.energy(0.8));
}

/// Down in small steps, and up again with what restitution leaves.
TEST(LayerImpulses, WhatIsLostIsAShareOfTheEnergyOfTheLevel)
{
  for (const double e : {0.9, 0.5, 0.})
  {
    MassAtWall scene(e);
    constexpr unsigned int n = 400;
    for (unsigned int i = 1; i <= n; ++i)
      scene.kick(1 - 0.6 * i / n, -1.);
    for (unsigned int i = 1; i <= n; ++i)
      scene.kick(0.4 + 0.6 * i / n, 1.);
    scene.impulses.leave(scene.pair, thickness);
    EXPECT_NEAR(scene.loss(), (1 - e * e) * scene.energy(0.4), 0.01 * scene.energy(0.4)) << e;
  }
}

/// A level that fell asleep has closed its books: the next bounce costs what the first one did.
TEST(LayerImpulses, LevelsThatFallAsleepBeginAnew)
{
  MassAtWall scene(0.5);
  double before = 0, first = 0;
  for (unsigned int bounce = 0; bounce < 3; ++bounce)
  {
    for (const double share : {0.7, 0.4, 0.3})
      scene.kick(share, -1.);
    for (const double share : {0.35, 0.6, 0.8})
      scene.kick(share, 1.);
    scene.impulses.leave(scene.pair, 1.2 * scene.end(), level); // but within the first layer
    if (bounce == 0)
      first = scene.loss();
    EXPECT_NEAR(scene.loss() - before, first, 1e-12 * first) << bounce;
    before = scene.loss();
  }
  EXPECT_GT(first, 0.1 * scene.energy(0.3));
  // of shallower levels nothing is booked by that
  EXPECT_EQ(scene.impulses.loss_until(scene.pair, thickness), 0);
}
