// First contacts of bodies with themselves, against closed forms and a loop over all pairs of
// faces.

#include "kinetic_scene.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace
{
using namespace KickDriftTests;

template <int spacedim>
KineticScope<spacedim>
with_self_contact()
{
  KineticScope<spacedim> scope;
  scope.self_contact = true;
  return scope;
}

/// A U of segments, in 3D of triangles along z: arms from y = 0.2 to 3, the gap from x = 1 to 2.
/// What is above y = 1 moves inwards with 0.5.
template <int spacedim>
Scene<spacedim>
closing_u(const unsigned int n)
{
  std::vector<Point<2>> outline;
  const auto line_to = [&](const Point<2> &end)
  {
    const Point<2> begin = outline.back();
    for (unsigned int i = 1; i <= n; ++i)
      outline.push_back(begin + double(i) / n * (end - begin));
  };
  outline.push_back(Point<2>(0, 0));
  for (const Point<2> &corner : {Point<2>(3, 0), Point<2>(3, 3), Point<2>(2, 3), Point<2>(2, 0.2),
                                 Point<2>(1, 0.2), Point<2>(1, 3), Point<2>(0, 3), Point<2>(0, 0)})
    line_to(corner);
  outline.pop_back();

  std::vector<Point<spacedim>> points;
  std::vector<std::array<unsigned int, spacedim>> faces;
  const unsigned int size = outline.size();
  for (unsigned int layer = 0; layer < (spacedim == 2 ? 1 : 2); ++layer)
    for (const auto &x : outline)
    {
      Point<spacedim> point;
      point[0] = x[0];
      point[1] = x[1];
      if (spacedim == 3)
        point[2] = layer;
      points.push_back(point);
    }
  for (unsigned int i = 0; i < size; ++i)
  {
    const unsigned int next = (i + 1) % size;
    if constexpr (spacedim == 2)
      faces.push_back({{i, next}});
    else
    {
      faces.push_back({{i, next, i + size}});
      faces.push_back({{next, next + size, i + size}});
    }
  }
  Scene<spacedim> scene;
  scene.add(points, faces, Tensor<1, spacedim>());
  for (unsigned int node = 0; node < scene.nodes.size(); ++node)
  {
    const auto x = scene.nodes.position(node);
    Tensor<1, spacedim> velocity;
    if (x[1] > 1)
      velocity[0] = x[0] < 1.5 ? 0.5 : -0.5;
    scene.nodes.set_velocity(node, velocity);
  }
  return scene;
}

template <int spacedim>
void
check_closing_u()
{
  const auto scene = closing_u<spacedim>(20);
  KineticHierarchy<spacedim> hierarchy(scene.surface, scene.bounds, 1e-3,
                                       with_self_contact<spacedim>());
  scene.run(hierarchy, 20);
  ASSERT_EQ(hierarchy.contacts().size(), 1);
  const FirstContact &contact = hierarchy.contacts()[0];
  EXPECT_NEAR(contact.time, 1, 1e-10);
  EXPECT_EQ(contact.first_body, 0);
  EXPECT_EQ(contact.second_body, 0);
  EXPECT_LE(hierarchy.wake_ups().size(), 100);
  if (spacedim == 2) // neighbours that have a node in common are not even tested
  {
    EXPECT_EQ(hierarchy.wake_ups()[0].primitive_tests, 0);
  }
  EXPECT_EQ(hierarchy.n_broken_bounds(), 0);

  KineticHierarchy<spacedim> without(scene.surface, scene.bounds, 1e-3);
  scene.run(without, 20);
  EXPECT_EQ(without.contacts().size(), 0);
  EXPECT_EQ(without.wake_ups().size(), 1);
}

TEST(KineticHierarchySelfContact, ClosingU)
{
  check_closing_u<2>();
  check_closing_u<3>();
}

TEST(KineticHierarchySelfContact, ExcludedBody)
{
  auto scene = closing_u<2>(5);
  auto scope = with_self_contact<2>();
  scope.exclusions = Exclusions({{"no self", ""}}, scene.surface.body_names, scene.surface);
  KineticHierarchy<2> hierarchy(scene.surface, scene.bounds, 1e-3, scope);
  scene.run(hierarchy, 20);
  EXPECT_EQ(hierarchy.contacts().size(), 0);
}

TEST(KineticHierarchySelfContact, RigidFlight)
{
  // a body that does not deform is not looked at again
  auto scene = closing_u<3>(10);
  for (unsigned int node = 0; node < scene.nodes.size(); ++node)
    scene.nodes.set_velocity(node, Tensor<1, 3>({0.1, 0.7, -0.3}));
  KineticHierarchy<3> hierarchy(scene.surface, scene.bounds, 1e-3, with_self_contact<3>());
  scene.run(hierarchy, 20);
  EXPECT_EQ(hierarchy.contacts().size(), 0);
  ASSERT_EQ(hierarchy.wake_ups().size(), 1);
  EXPECT_EQ(hierarchy.wake_ups()[0].volumes, 1);
}

TEST(KineticHierarchySelfContact, KnownDeviation)
{
  // the arms are accelerated by 1 instead of thrown: early, never late
  for (const double resolution : {1e-2, 1e-3})
  {
    auto scene = closing_u<2>(4);
    for (unsigned int node = 0; node < scene.nodes.size(); ++node)
    {
      scene.accelerations[node] = 2. * scene.nodes.velocity(node);
      scene.nodes.set_velocity(node, Tensor<1, 2>());
    }
    scene.bounds[0].deviation = 1;
    KineticHierarchy<2> hierarchy(scene.surface, scene.bounds, resolution, with_self_contact<2>());
    scene.run(hierarchy, 20);
    ASSERT_EQ(hierarchy.contacts().size(), 1);
    EXPECT_LE(hierarchy.contacts()[0].time, 1 + 1e-12);
    EXPECT_GE(hierarchy.contacts()[0].time, 1 - 2 * resolution);
    EXPECT_EQ(hierarchy.n_broken_bounds(), 0);
  }
}

/// Both sides of a crack touch at the start, perhaps but for their last digits, which does not
/// count, also if they are pressed on each other; what touches elsewhere later does.
TEST(KineticHierarchySelfContact, SidesOfACrack)
{
  for (const double opening_speed : {-0.1, 0., 0.1})
    for (const auto &[deviation, gap] :
         {std::pair<double, double>{0, 0}, {1e-6, 0}, {0, 1e-9}, {1e-6, 1e-9}})
    {
      Scene<2> scene;
      // two blocks [0,1] x [0,1] and [0,1] x [1,2] with a common node (0,1), the crack between
      // them, and a flap above
      const unsigned int first = scene.add({{0, 0},
                                            {1, 0},
                                            {1, 1},
                                            {0.5, 1},
                                            {0, 1},
                                            {0.5, 1 + gap},
                                            {1, 1 + gap},
                                            {1, 2},
                                            {0, 2},
                                            {0, 5},
                                            {1, 5}},
                                           {{{0, 1}},
                                            {{1, 2}},
                                            {{2, 3}},
                                            {{3, 4}},
                                            {{4, 5}},
                                            {{5, 6}},
                                            {{6, 7}},
                                            {{7, 8}},
                                            {{9, 10}}},
                                           Tensor<1, 2>());
      for (const unsigned int upper : {5, 6})
        scene.nodes.set_velocity(first + upper, Tensor<1, 2>({0., opening_speed}));
      for (const unsigned int flap : {9, 10})
        scene.nodes.set_velocity(first + flap, Tensor<1, 2>({0., -1.5}));
      scene.bounds[0].deviation = deviation;
      KineticHierarchy<2> hierarchy(scene.surface, scene.bounds, 1e-3, with_self_contact<2>());
      scene.run(hierarchy, 20);
      ASSERT_EQ(hierarchy.contacts().size(), 1);
      EXPECT_NEAR(hierarchy.contacts()[0].time, 2, 1e-5 * (deviation > 0) + 1e-10) << opening_speed;
    }
}

/// Rings whose nodes move at random, against a loop over all pairs of faces that share no node.
template <int spacedim>
void
check_random_motion()
{
  std::mt19937 engine(11);
  unsigned int n_contacts = 0;
  for (unsigned int i = 0; i < 60; ++i)
  {
    Scene<spacedim> scene;
    add_round_body(scene, Point<spacedim>(), 12, random_vector<spacedim>(engine, 1));
    for (unsigned int node = 0; node < scene.nodes.size(); ++node)
    {
      const auto x = scene.nodes.position(node);
      scene.nodes.set_velocity(node, scene.nodes.velocity(node) + (i % 3) * 0.1 * x +
                                         random_vector<spacedim>(engine, 0.1));
    }
    double expected = never;
    const auto &faces = scene.surface.faces;
    for (unsigned int a = 0; a < faces.size(); ++a)
      for (unsigned int b = a + 1; b < faces.size(); ++b)
      {
        std::set<unsigned int> corners(faces[a].nodes.begin(), faces[a].nodes.begin() + spacedim);
        corners.insert(faces[b].nodes.begin(), faces[b].nodes.begin() + spacedim);
        if (corners.size() == 2 * spacedim)
          expected = std::min(expected, scene.impact(faces[a], faces[b]));
      }
    KineticHierarchy<spacedim> hierarchy(scene.surface, scene.bounds, 1e-3,
                                         with_self_contact<spacedim>());
    scene.run(hierarchy, 1e4);
    ASSERT_EQ(hierarchy.contacts().size(), expected < 1e4 ? 1 : 0) << i << " " << expected;
    if (expected < 1e4)
    {
      ++n_contacts;
      EXPECT_NEAR(hierarchy.contacts()[0].time, expected, 1e-10 * (1 + expected)) << i;
    }
    EXPECT_LE(hierarchy.wake_ups().size(), 1000) << i;
  }
  EXPECT_GE(n_contacts, 20);
}

TEST(KineticHierarchySelfContact, RandomMotion)
{
  check_random_motion<2>();
  check_random_motion<3>();
}
} // namespace
