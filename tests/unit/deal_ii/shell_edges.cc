// Shells that meet edge on edge, by impulses.

#include "shell_scenes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

using namespace ShellScenes;

namespace
{
/// Two playing cards that stand on each other crosswise, and move towards each other.
struct Cards
{
  /// @p up : of the second card from the first one, 1 or -1
  Cards(const double up, const double speed)
      : first(Point<3>(), vector(1, 0, 0), vector(0, 0, -up)),
        second(Point<3>(0.43, -0.45, 0.06 * up), vector(0, 1, 0), vector(0, 0, up))
  {
    dynamics.add_shell(first.shell("first"));
    const Shell &other = dynamics.add_shell(second.shell("second")).body();
    first_of_second = other.first_node();
    throw_body(dynamics, other, vector(0, 0, -up * speed));
    ContactParameters parameters;
    parameters.response = Response::records;
    dynamics.enable_contact(parameters);
    dynamics.start();
  }

  /// Of the second card's edge over the first one's, where they cross.
  double
  height() const
  {
    // both end the cards in z, where other nodes are further away
    const auto &nodes = dynamics.state();
    double sum = 0;
    const auto add = [&](const unsigned int d, const double place, const unsigned int begin,
                         const unsigned int end, const double sign)
    {
      for (unsigned int n = begin; n < end; ++n)
      {
        const Point<3> &x = nodes.reference(n);
        const double weight = 1 - 3 * std::abs(x[d] - place); // along an edge of three segments
        if (std::abs(x[2]) < 0.1 && weight > 0)
          sum += sign * weight * nodes.position(n)[2];
      }
    };
    add(0, 0.43, 0, first_of_second, -1);
    add(1, 0, first_of_second, nodes.size(), 1);
    return sum;
  }

  const Plate first, second;
  Dynamics<3> dynamics{plain_boundaries()};
  unsigned int first_of_second = 0;
};
} // namespace

TEST(ShellEdges, cards_are_thrown_back_from_either_side)
{
  const double accuracy = 5e-4; // mirror images are solved in another order, to a tolerance
  for (const double speed : {0.05, 0.15})
  {
    std::map<std::array<long, 3>, double> velocities;
    for (const double up : {1., -1.})
    {
      Cards cards(up, speed);
      Dynamics<3> &dynamics = cards.dynamics;
      const auto momentum = momentum_of(dynamics.state()), spin = spin_of(dynamics.state());
      const double energy = dynamics.energy().total();
      double least = 1;
      for (unsigned int i = 1; i <= 60; ++i)
      {
        dynamics.advance_to(0.01 * i / speed);
        least = std::min(least, up * cards.height());
        EXPECT_NEAR(dynamics.energy().total(), energy, 1.5e-2 * energy);
        EXPECT_LT((momentum_of(dynamics.state()) - momentum).norm(), 1e-15);
      }
      // energy is given back along the last normal, where edges were then
      EXPECT_LT((spin_of(dynamics.state()) - spin).norm(), 5e-3 * momentum.norm());
      EXPECT_GT(least, 0);
      EXPECT_GT(up * cards.height(), section.thickness);
      EXPECT_GT(dynamics.contact_statistics().collisions, 0u);
      // nodes of mirror images may be numbered in another way
      const auto &nodes = dynamics.state();
      for (unsigned int n = 0; n < nodes.size(); ++n)
      {
        const Point<3> &x = nodes.reference(n);
        const std::array<long, 3> place{
            {std::lround(1e6 * x[0]), std::lround(1e6 * x[1]), std::lround(1e6 * up * x[2])}};
        const double velocity = up * nodes.velocity(n)[2];
        const auto [original, is_first] = velocities.emplace(place, velocity);
        EXPECT_EQ(is_first, up > 0);
        EXPECT_NEAR(velocity, original->second, accuracy * speed);
      }
    }
  }
}
