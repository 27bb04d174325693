// The kinetic hierarchy against a loop over all pairs of faces, and its sleep.

#include "kinetic_scene.h"

#include <gtest/gtest.h>

namespace
{
using namespace KickDriftTests;

/// Every pair of bodies that meets in straight motion is found, at the right time.
template <int spacedim>
void
check_straight_motion(const bool deforms)
{
  std::mt19937 engine(3);
  unsigned int n_contacts = 0;
  for (unsigned int i = 0; i < 60; ++i)
  {
    Scene<spacedim> scene;
    Point<spacedim> center;
    add_round_body(scene, center, 7, random_vector<spacedim>(engine, 0.3));
    center[0] = 5;
    const unsigned int second =
        add_round_body(scene, center, 8, random_vector<spacedim>(engine, 0.3));
    for (unsigned int node = second; node < scene.nodes.size(); ++node)
    {
      auto velocity = scene.nodes.velocity(node) - (i % 3 > 0 ? 1. : 0.) * center / 5.;
      if (deforms)
        velocity += random_vector<spacedim>(engine, 0.2);
      scene.nodes.set_velocity(node, velocity);
    }
    const double expected = scene.brute_force();
    KineticHierarchy<spacedim> hierarchy(scene.surface, scene.bounds, 1e-3);
    scene.run(hierarchy, 1000);
    ASSERT_EQ(hierarchy.contacts().size(), expected < never ? 1 : 0) << i;
    EXPECT_EQ(hierarchy.n_broken_bounds(), 0);
    if (expected < never)
    {
      ++n_contacts;
      EXPECT_NEAR(hierarchy.contacts()[0].time, expected, 1e-10 * (1 + expected)) << i;
    }
    EXPECT_LE(hierarchy.wake_ups().size(), deforms ? 200 : 30) << i;
  }
  EXPECT_GE(n_contacts, 20);
}

TEST(KineticHierarchy, StraightMotion)
{
  check_straight_motion<2>(false);
  check_straight_motion<3>(false);
}

TEST(KineticHierarchy, DeformingBodies)
{
  check_straight_motion<2>(true);
  check_straight_motion<3>(true);
}

/// Aragon & Molinari 2014, section 5.1, with bodies of few faces: gravity that both feel does not
/// matter, and nothing is done before they are near.
TEST(KineticHierarchy, TwoProjectiles)
{
  Scene<3> scene;
  const double v = 50;
  add_round_body(scene, Point<3>(), 8, Tensor<1, 3>({v, 0., std::sqrt(3.) * v}));
  add_round_body(scene, Point<3>(1500, 0, 0), 8, Tensor<1, 3>({-v, 0., std::sqrt(3.) * v}));
  for (auto &bound : scene.bounds)
    bound.acceleration[2] = -9.81;
  for (auto &acceleration : scene.accelerations)
    acceleration[2] = -9.81;
  KineticHierarchy<3> hierarchy(scene.surface, scene.bounds, 1e-3);
  scene.run(hierarchy, 20);
  ASSERT_EQ(hierarchy.contacts().size(), 1);
  EXPECT_NEAR(hierarchy.contacts()[0].time, 14.98, 1e-10);
  ASSERT_GE(hierarchy.wake_ups().size(), 2);
  EXPECT_EQ(hierarchy.wake_ups()[0].primitive_tests, 0);
  EXPECT_NEAR(hierarchy.wake_ups()[1].time, 14.98, 1e-9);
  EXPECT_LE(hierarchy.wake_ups().size(), 3);
  EXPECT_EQ(hierarchy.n_broken_bounds(), 0);
}

/// Bodies whose accelerations are known only as a bound: contact is found early, never late, and
/// the less early the finer the resolution.
TEST(KineticHierarchy, BoundedDeviation)
{
  for (const double resolution : {1e-2, 1e-3})
  {
    Scene<3> scene;
    add_round_body(scene, Point<3>(), 8, Tensor<1, 3>());
    add_round_body(scene, Point<3>(5, 0, 0), 8, Tensor<1, 3>());
    scene.bounds[1].deviation = 2;
    for (unsigned int node = 10; node < 20; ++node)
      scene.accelerations[node][0] = -2;
    KineticHierarchy<3> hierarchy(scene.surface, scene.bounds, resolution);
    scene.run(hierarchy, 20);
    ASSERT_EQ(hierarchy.contacts().size(), 1);
    const double exact = std::sqrt(3.); // 3 = 2 t^2/2
    EXPECT_LE(hierarchy.contacts()[0].time, exact + 1e-12);
    EXPECT_GE(hierarchy.contacts()[0].time, exact - 2 * resolution);
    EXPECT_EQ(hierarchy.n_broken_bounds(), 0);
    EXPECT_LE(hierarchy.wake_ups().size(), 60);
  }
}

TEST(KineticHierarchy, SpinningBody)
{
  // a long body turns about its middle and strikes another one with its end
  const double turn = 1;
  Scene<2> scene;
  scene.add({{-3, -0.1}, {3, -0.1}, {3, 0.1}, {-3, 0.1}}, {{{0, 1}}, {{1, 2}}, {{2, 3}}, {{3, 0}}},
            Tensor<1, 2>());
  scene.add({{-1, 2}, {1, 2}, {1, 4}, {-1, 4}}, {{{0, 1}}, {{1, 2}}, {{2, 3}}, {{3, 0}}},
            Tensor<1, 2>());
  const double radius = std::hypot(3, 0.1);
  scene.bounds[0].deviation = turn * turn * radius * (1 + 1e-9);
  const auto at = [&](const double time)
  {
    NodeTable<2> result = scene.nodes;
    for (unsigned int node = 0; node < 4; ++node)
    {
      const Point<2> &x = scene.nodes.reference(node);
      const double c = std::cos(turn * time), s = std::sin(turn * time);
      const Tensor<1, 2> rotated({c * x[0] - s * x[1], s * x[0] + c * x[1]});
      result.set_displacement(node, rotated - x);
      result.set_velocity(node, Tensor<1, 2>({-turn * rotated[1], turn * rotated[0]}));
    }
    return result;
  };
  KineticHierarchy<2> hierarchy(scene.surface, scene.bounds, 1e-4);
  while (hierarchy.next_time() < 2 && hierarchy.contacts().empty())
    hierarchy.update(at(hierarchy.next_time()), hierarchy.next_time());
  ASSERT_EQ(hierarchy.contacts().size(), 1);
  EXPECT_EQ(hierarchy.n_broken_bounds(), 0);
  // corner (3, 0.1), at the angle atan(0.1/3), gets to the corner (1, 2) of the other body, at a
  // distance from the middle less than its own: the side y = 0.1 hits that corner
  const double distance = std::hypot(1, 2);
  const double exact = (std::atan2(2, 1) - std::asin(0.1 / distance)) / turn;
  EXPECT_LE(hierarchy.contacts()[0].time, exact + 1e-12);
  EXPECT_GE(hierarchy.contacts()[0].time, exact - 3e-4);
}

/// Two plates of n x n squares cut in triangles, one above the other by a gap, turned as a whole;
/// the upper one moves.
Scene<3>
tilted_plates(const unsigned int n, const double gap, const Tensor<1, 3> &velocity)
{
  // a turn by 30 degrees about (1, 1, 1)
  const double c = std::cos(M_PI / 6), s = std::sin(M_PI / 6) / std::sqrt(3.);
  const auto turned = [&](const Tensor<1, 3> &x)
  {
    const Tensor<1, 3> axis({1., 1., 1.});
    return Tensor<1, 3>(c * x + s * cross_product_3d(axis, x) + (1 - c) / 3 * (axis * x) * axis);
  };
  Scene<3> scene;
  for (unsigned int plate = 0; plate < 2; ++plate)
  {
    std::vector<Point<3>> points;
    std::vector<std::array<unsigned int, 3>> faces;
    for (unsigned int j = 0; j <= n; ++j)
      for (unsigned int i = 0; i <= n; ++i)
        points.emplace_back(turned(Tensor<1, 3>({double(i) / n, double(j) / n, plate * gap})));
    for (unsigned int j = 0; j < n; ++j)
      for (unsigned int i = 0; i < n; ++i)
      {
        const unsigned int k = j * (n + 1) + i;
        faces.push_back({{k, k + 1, k + n + 1}});
        faces.push_back({{k + 1, k + n + 2, k + n + 1}});
      }
    scene.add(points, faces, plate == 0 ? Tensor<1, 3>() : turned(velocity));
  }
  return scene;
}

/// Boxes along the axes overlap while tilted plates are apart.
TEST(KineticHierarchy, TiltedPlates)
{
  const auto sliding = tilted_plates(20, 0.01, Tensor<1, 3>({1., 0.3, 0.}));
  KineticHierarchy<3> never_touch(sliding.surface, sliding.bounds, 1e-3);
  sliding.run(never_touch, 100);
  EXPECT_EQ(never_touch.contacts().size(), 0);
  ASSERT_EQ(never_touch.wake_ups().size(), 1);
  EXPECT_EQ(never_touch.wake_ups()[0].oriented_tests, 1);

  const auto approaching = tilted_plates(20, 0.02, Tensor<1, 3>({1., 0.3, -0.03}));
  KineticHierarchy<3> touch(approaching.surface, approaching.bounds, 1e-3);
  approaching.run(touch, 100);
  ASSERT_EQ(touch.contacts().size(), 1);
  EXPECT_NEAR(touch.contacts()[0].time, 2. / 3, 1e-10);
  EXPECT_LE(touch.wake_ups().size(), 3);
  EXPECT_EQ(touch.wake_ups()[0].primitive_tests, 0);

  // at rest, and accelerated within bounds: early, never late
  auto accelerated = tilted_plates(10, 0.5, Tensor<1, 3>({0., 0., -1.}));
  for (unsigned int node = 0; node < accelerated.nodes.size(); ++node)
  {
    accelerated.accelerations[node] = accelerated.nodes.velocity(node);
    accelerated.nodes.set_velocity(node, Tensor<1, 3>());
  }
  accelerated.bounds[1].deviation = 1;
  KineticHierarchy<3> early(accelerated.surface, accelerated.bounds, 1e-3);
  accelerated.run(early, 100);
  ASSERT_EQ(early.contacts().size(), 1);
  EXPECT_LE(early.contacts()[0].time, 1 + 1e-12);
  EXPECT_GE(early.contacts()[0].time, 1 - 2e-3);
  EXPECT_EQ(early.n_broken_bounds(), 0);
}

TEST(KineticHierarchy, BrokenBoundsAreSeen)
{
  Scene<3> scene;
  add_round_body(scene, Point<3>(), 8, Tensor<1, 3>());
  add_round_body(scene, Point<3>(5, 0, 0), 8, Tensor<1, 3>({-1., 0., 0.}));
  scene.accelerations[3][0] = -0.1; // not declared
  KineticHierarchy<3> hierarchy(scene.surface, scene.bounds, 1e-3);
  scene.run(hierarchy, 20);
  EXPECT_EQ(hierarchy.n_broken_bounds(), hierarchy.wake_ups().size() - 1);
  EXPECT_GT(hierarchy.n_broken_bounds(), 0);
}

TEST(KineticHierarchy, SeveralBodies)
{
  // a row of bodies of which the last flies away: contacts of neighbours, in order of time
  Scene<2> scene;
  for (unsigned int i = 0; i < 4; ++i)
    add_round_body(scene, Point<2>(4. * i, 0), 8,
                   Tensor<1, 2>({i == 0 ? 1. : (i == 3 ? 2. : 0.), 0.}));
  KineticHierarchy<2> hierarchy(scene.surface, scene.bounds, 0.1);
  while (hierarchy.next_time() < 100)
    hierarchy.update(scene.at(hierarchy.next_time()), hierarchy.next_time());
  ASSERT_EQ(hierarchy.contacts().size(), 2);
  for (unsigned int i = 0; i < 2; ++i)
  {
    EXPECT_EQ(hierarchy.contacts()[i].first_body, 0);
    EXPECT_EQ(hierarchy.contacts()[i].second_body, i + 1);
    EXPECT_NEAR(hierarchy.contacts()[i].time, 4. * i + 2, 1e-10 * (4 * i + 2));
  }
}
} // namespace
