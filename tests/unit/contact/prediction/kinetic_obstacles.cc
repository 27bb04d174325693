// The kinetic hierarchy with obstacles, against closed forms.

#include "kinetic_shapes.h"

#include <kickdrift/base/archive.h>

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

namespace
{
using namespace KickDriftTests;

/// Look whenever asked to until the end.
template <int dim>
void
run(const Scene<dim> &scene, KineticHierarchy<dim> &hierarchy, const double end)
{
  while (hierarchy.next_time() <= end)
    hierarchy.update(scene.at(hierarchy.next_time()), hierarchy.next_time());
}

/// Bodies whose nodes fly straight, each with a velocity of its own, and all kinds of obstacles: of
/// every body with every obstacle the first contact is found, in order of time.
template <int dim>
void
check_straight_motion()
{
  std::mt19937 engine(7);
  const auto shapes = windowed_shapes<dim>();
  unsigned int n_contacts = 0, n_later = 0;
  for (unsigned int i = 0; i < 60; ++i)
  {
    Scene<dim> scene;
    KineticScope<dim> scope;
    for (unsigned int s = 0; s < shapes.size(); ++s)
    {
      scope.obstacles.emplace_back();
      scope.obstacles.back().name = "obstacle " + std::to_string(s);
      scope.obstacles.back().shape = shapes[s].shape;
    }
    for (unsigned int b = 0; b < 2; ++b)
    {
      Point<dim> center(random_vector<dim>(engine, 2));
      center[0] += b == 0 ? 6 : -6;
      center[dim - 1] += 6;
      add_round_body(scene, center, 7,
                     -center / 6. + random_vector<dim>(engine, 0.2)); // roughly at all of them
    }
    for (unsigned int node = 0; node < scene.nodes.size(); ++node)
      scene.nodes.set_velocity(node, scene.nodes.velocity(node) + random_vector<dim>(engine, 0.1));
    std::map<std::pair<unsigned int, unsigned int>, double> expected;
    for (const auto &face : scene.surface.faces)
      for (unsigned int c = 0; c < face.n_nodes; ++c)
        for (unsigned int s = 0; s < shapes.size(); ++s)
        {
          const unsigned int node = face.nodes[c];
          const auto window =
              shapes[s].window(scene.nodes.position(node), scene.nodes.velocity(node));
          double &first = expected.emplace(std::pair{face.body, s + 2}, never).first->second;
          if (window.first <= window.second)
            first = std::min(first, window.first);
        }

    KineticHierarchy<dim> hierarchy(scene.surface, scene.bounds, 1e-3, scope);
    run(scene, hierarchy, 1000);
    double last = 0;
    for (const auto &contact : hierarchy.contacts())
    {
      EXPECT_GE(contact.time, last);
      last = contact.time;
      if (contact.second_body < 2)
        continue;
      ASSERT_EQ(expected.count({contact.first_body, contact.second_body}), 1) << i;
      const double exact = expected[{contact.first_body, contact.second_body}];
      EXPECT_NEAR(contact.time, exact, 1e-10 * (1 + exact)) << i;
      EXPECT_EQ(scene.surface.faces[contact.first_face].body, contact.first_body);
      EXPECT_EQ(contact.second_face, FirstContact::no_face);
      expected.erase({contact.first_body, contact.second_body});
      ++n_contacts;
      n_later += contact.time > 0.1;
    }
    for (const auto &[pair, time] : expected)
      EXPECT_GT(time, 1000) << i << ": " << pair.first << " " << pair.second;
    EXPECT_EQ(hierarchy.n_broken_bounds(), 0);
    EXPECT_LE(hierarchy.wake_ups().size(), 300) << i;
  }
  EXPECT_GE(n_contacts, 200);
  EXPECT_GE(n_later, 150);
}

TEST(KineticHierarchyObstacles, StraightMotion)
{
  check_straight_motion<2>();
  check_straight_motion<3>();
}

/// A projectile falls under gravity on a slope: first contact of its lowest corner, and nothing is
/// done before it is near.
TEST(KineticHierarchyObstacles, ThrownUnderGravity)
{
  Scene<3> scene;
  const Tensor<1, 3> velocity({30., 0., 40.}), gravity({0., 0., -10.});
  add_round_body(scene, Point<3>(0, 0, 5), 12, velocity);
  scene.bounds[0].acceleration = gravity;
  std::fill(scene.accelerations.begin(), scene.accelerations.end(), gravity);
  const Tensor<1, 3> normal({0.6, 0., 0.8});
  KineticScope<3> scope;
  scope.obstacles.push_back({"slope", std::make_shared<HalfSpace<3>>(Point<3>(), normal), {}, {}});
  double exact = never;
  for (unsigned int node = 0; node < scene.nodes.size(); ++node)
  {
    const double p = normal * scene.nodes.position(node), v = normal * velocity,
                 a = normal * gravity;
    exact = std::min(exact, (v + std::sqrt(v * v - 2 * a * p)) / -a);
  }
  KineticHierarchy<3> hierarchy(scene.surface, scene.bounds, 1e-3, scope);
  run(scene, hierarchy, 100);
  ASSERT_EQ(hierarchy.contacts().size(), 1);
  EXPECT_NEAR(hierarchy.contacts()[0].time, exact, 1e-10 * exact);
  EXPECT_EQ(hierarchy.contacts()[0].second_body, 1);
  EXPECT_LE(hierarchy.wake_ups().size(), 5);
  EXPECT_EQ(hierarchy.wake_ups()[0].primitive_tests, 0);
  EXPECT_GT(hierarchy.wake_ups()[1].time, exact - 0.2);
  EXPECT_EQ(hierarchy.n_broken_bounds(), 0);
}

/// A plate of n faces along a direction.
Scene<2>
plate(const unsigned int n, const Tensor<1, 2> &along, const Tensor<1, 2> &velocity)
{
  std::vector<Point<2>> points;
  std::vector<std::array<unsigned int, 2>> faces;
  for (unsigned int i = 0; i <= n; ++i)
    points.push_back(Point<2>(10. / n * i * along));
  for (unsigned int i = 0; i < n; ++i)
    faces.push_back({{i, i + 1}});
  Scene<2> scene;
  scene.add(points, faces, velocity);
  return scene;
}

/// A plate of many faces in front of a wall parallel to it: planes exclude it as a whole.
TEST(KineticHierarchyObstacles, PlateParallelToAWall)
{
  const Tensor<1, 2> along({0.6, 0.8}), normal({0.8, -0.6});
  const auto scene = plate(1000, along, normal + 0.3 * along);
  KineticScope<2> scope;
  scope.obstacles.push_back(
      {"wall", std::make_shared<HalfSpace<2>>(Point<2>(2. * normal), -normal), {}, {}});
  KineticHierarchy<2> hierarchy(scene.surface, scene.bounds, 1e-3, scope);
  run(scene, hierarchy, 100);
  ASSERT_EQ(hierarchy.contacts().size(), 1);
  EXPECT_NEAR(hierarchy.contacts()[0].time, 2, 1e-10);
  ASSERT_EQ(hierarchy.wake_ups().size(), 2);
  EXPECT_EQ(hierarchy.wake_ups()[0].box_tests, 1);
  EXPECT_NEAR(hierarchy.wake_ups()[0].distance, 0, 1e-12);
}

/// A plate at rest that is accelerated to a wall, as declared or within declared bounds: against
/// planes, and, as a wall of a room, against its nodes.
TEST(KineticHierarchyObstacles, AcceleratedPlate)
{
  const Tensor<1, 2> along({0.6, 0.8}), normal({0.8, -0.6});
  const auto room = std::make_shared<Outside<2>>(
      std::make_shared<Cuboid<2>>(Point<2>(5. * along), std::array<double, 2>{{20., 2.}},
                                  std::array<Tensor<1, 2>, 2>{{along, normal}}));
  const auto wall = std::make_shared<HalfSpace<2>>(Point<2>(2. * normal), -normal);
  for (const bool in_a_room : {false, true})
    for (const bool is_declared : {false, true})
    {
      auto scene = plate(50, along, Tensor<1, 2>());
      std::fill(scene.accelerations.begin(), scene.accelerations.end(), normal);
      if (is_declared)
        scene.bounds[0].acceleration = normal;
      else
        scene.bounds[0].deviation = 1;
      KineticScope<2> scope;
      scope.obstacles.emplace_back();
      if (in_a_room)
        scope.obstacles[0].shape = room;
      else
        scope.obstacles[0].shape = wall;
      const double resolution = is_declared ? 10 : 1e-3;
      KineticHierarchy<2> hierarchy(scene.surface, scene.bounds, resolution, scope);
      run(scene, hierarchy, 100);
      ASSERT_EQ(hierarchy.contacts().size(), 1);
      EXPECT_LE(hierarchy.contacts()[0].time, 2 + 1e-10);
      EXPECT_GE(hierarchy.contacts()[0].time, 2 - (is_declared ? 1e-10 : 2e-3));
      EXPECT_LE(hierarchy.wake_ups().size(), 40);
    }
}

TEST(KineticHierarchyObstacles, InsideAndReceding)
{
  Scene<2> scene;
  add_round_body(scene, Point<2>(0, 0.5), 8, Tensor<1, 2>({0., 1.}));
  add_round_body(scene, Point<2>(5, 3), 8, Tensor<1, 2>({0., 1.}));
  KineticScope<2> scope;
  scope.obstacles.push_back(
      {"floor", std::make_shared<HalfSpace<2>>(Point<2>(), Tensor<1, 2>({0., 1.})), {}, {}});
  KineticHierarchy<2> hierarchy(scene.surface, scene.bounds, 1e-3, scope);
  run(scene, hierarchy, 100);
  ASSERT_EQ(hierarchy.contacts().size(), 1);
  EXPECT_EQ(hierarchy.contacts()[0].time, 0);
  EXPECT_EQ(hierarchy.contacts()[0].first_body, 0);
  EXPECT_EQ(hierarchy.contacts()[0].second_body, 2);
  EXPECT_EQ(hierarchy.wake_ups().size(), 1);
}

TEST(KineticHierarchyObstacles, ExcludedPairs)
{
  Scene<2> scene;
  add_round_body(scene, Point<2>(0, 3), 8, Tensor<1, 2>({0., -1.}));
  add_round_body(scene, Point<2>(5, 4), 8, Tensor<1, 2>({0., -1.}));
  KineticScope<2> scope;
  for (const std::string name : {"upper", "lower"})
    scope.obstacles.push_back({name,
                               std::make_shared<HalfSpace<2>>(
                                   Point<2>(0, name == "upper" ? 0. : -1.), Tensor<1, 2>({0., 1.})),
                               {},
                               {}});
  scope.exclusions =
      Exclusions({{"body 0", "upper"}}, {"body 0", "body 1", "upper", "lower"}, scene.surface);
  KineticHierarchy<2> hierarchy(scene.surface, scene.bounds, 1e-3, scope);
  run(scene, hierarchy, 100);
  ASSERT_EQ(hierarchy.contacts().size(), 3);
  const double times[3] = {3, 3, 4};
  const std::set<std::pair<unsigned int, unsigned int>> expected = {{0, 3}, {1, 2}, {1, 3}};
  std::set<std::pair<unsigned int, unsigned int>> found;
  for (unsigned int i = 0; i < 3; ++i)
  {
    EXPECT_NEAR(hierarchy.contacts()[i].time, times[i], 1e-10);
    found.emplace(hierarchy.contacts()[i].first_body, hierarchy.contacts()[i].second_body);
  }
  EXPECT_EQ(found, expected);
}

/// A body at rest above a floor that rises.
struct RisingFloor
{
  RisingFloor(const std::function<double(double)> &height, const double largest_acceleration,
              const double resolution)
  {
    add_round_body(scene, Point<2>(0, 2), 8, Tensor<1, 2>()); // its lowest corner is at 1
    KineticScope<2> scope;
    scope.obstacles.push_back({"floor",
                               std::make_shared<HalfSpace<2>>(Point<2>(), Tensor<1, 2>({0., 1.})),
                               [height](const double t) {
                                 return Tensor<1, 2>({0., height(t)});
                               },
                               largest_acceleration});
    hierarchy =
        std::make_unique<KineticHierarchy<2>>(scene.surface, scene.bounds, resolution, scope);
    run(scene, *hierarchy, 100);
  }

  Scene<2> scene;
  std::unique_ptr<KineticHierarchy<2>> hierarchy;
};

TEST(KineticHierarchyObstacles, MovingAtConstantSpeed)
{
  for (const double resolution : {1e-2, 1e-6})
  {
    const RisingFloor floor([](const double t) { return 0.3 * t - 2; }, 0, resolution);
    ASSERT_EQ(floor.hierarchy->contacts().size(), 1);
    EXPECT_NEAR(floor.hierarchy->contacts()[0].time, 10, 1e-10 * 10);
    EXPECT_LE(floor.hierarchy->wake_ups().size(), 5);
    EXPECT_EQ(floor.hierarchy->n_broken_motions()[0], 0);
  }
}

TEST(KineticHierarchyObstacles, AcceleratedMotion)
{
  // early, never late, and the less so the finer the resolution
  const std::vector<std::tuple<std::function<double(double)>, double, double>> motions = {
      {[](const double t) { return 0.1 * t * t - 3; }, 0.2, std::sqrt(40.)},
      {[](const double t) { return 1.25 * std::sin(2 * t); }, 5., std::asin(0.8) / 2},
      {[](const double t) { return 0.5 - 1.5 * std::cos(t); }, 1.5, std::acos(-1. / 3)}};
  for (const auto &[height, largest_acceleration, exact] : motions)
    for (const double resolution : {1e-2, 1e-3})
    {
      const RisingFloor floor(height, largest_acceleration, resolution);
      ASSERT_GE(floor.hierarchy->contacts().size(), 1);
      EXPECT_LE(floor.hierarchy->contacts()[0].time, exact + 1e-12);
      EXPECT_GE(floor.hierarchy->contacts()[0].time, exact - 2 * resolution);
      EXPECT_EQ(floor.hierarchy->n_broken_motions()[0], 0);
      EXPECT_LE(floor.hierarchy->wake_ups().size(), 40);
    }
  // with the bound of the acceleration too small that is seen
  const RisingFloor floor([](const double t) { return 0.4 * t + 0.1 * std::sin(20 * t); }, 0.1,
                          1e-3);
  EXPECT_GT(floor.hierarchy->n_broken_motions()[0], 0);
}

TEST(KineticHierarchyObstacles, MotionMustBeBounded)
{
  Scene<2> scene;
  add_round_body(scene, Point<2>(0, 2), 8, Tensor<1, 2>());
  KineticScope<2> scope;
  scope.obstacles.push_back({"floor",
                             std::make_shared<HalfSpace<2>>(Point<2>(), Tensor<1, 2>({0., 1.})),
                             [](double) { return Tensor<1, 2>(); },
                             {}});
  const auto make = [&](const double resolution)
  { KineticHierarchy<2> hierarchy(scene.surface, scene.bounds, resolution, scope); };
  EXPECT_THROW(make(1e-3), dealii::ExceptionBase);
  scope.obstacles[0].largest_acceleration = -1;
  EXPECT_THROW(make(1e-3), dealii::ExceptionBase);
  scope.obstacles[0].largest_acceleration = 0;
  EXPECT_NO_THROW(make(1e-3));
  EXPECT_THROW(make(never), dealii::ExceptionBase);
}

TEST(KineticHierarchyObstacles, BoundedDeviation)
{
  // a body that is known to accelerate by up to 2, and does, towards the floor
  for (const double resolution : {1e-2, 1e-3})
  {
    Scene<3> scene;
    add_round_body(scene, Point<3>(0, 0, 4), 8, Tensor<1, 3>());
    scene.bounds[0].deviation = 2;
    for (auto &acceleration : scene.accelerations)
      acceleration[2] = -2;
    KineticScope<3> scope;
    scope.obstacles.push_back(
        {"floor", std::make_shared<HalfSpace<3>>(Point<3>(), Tensor<1, 3>({0., 0., 1.})), {}, {}});
    KineticHierarchy<3> hierarchy(scene.surface, scene.bounds, resolution, scope);
    run(scene, hierarchy, 20);
    ASSERT_EQ(hierarchy.contacts().size(), 1);
    EXPECT_LE(hierarchy.contacts()[0].time, std::sqrt(3.) + 1e-12);
    EXPECT_GE(hierarchy.contacts()[0].time, std::sqrt(3.) - 2 * resolution);
    EXPECT_EQ(hierarchy.n_broken_bounds(), 0);
    EXPECT_LE(hierarchy.wake_ups().size(), 60);
  }
}

TEST(KineticHierarchyObstacles, InARoom)
{
  Scene<2> scene;
  add_round_body(scene, Point<2>(), 8, Tensor<1, 2>({0.5, 1.}));
  const std::array<Tensor<1, 2>, 2> directions = {{Tensor<1, 2>({1., 0.}), Tensor<1, 2>({0., 1.})}};
  KineticScope<2> scope;
  scope.obstacles.push_back({"room",
                             std::make_shared<Outside<2>>(std::make_shared<Cuboid<2>>(
                                 Point<2>(), std::array<double, 2>{{3., 4.}}, directions)),
                             {},
                             {}});
  KineticHierarchy<2> hierarchy(scene.surface, scene.bounds, 1e-3, scope);
  run(scene, hierarchy, 100);
  ASSERT_EQ(hierarchy.contacts().size(), 1);
  EXPECT_NEAR(hierarchy.contacts()[0].time, 3, 1e-10);
  EXPECT_LE(hierarchy.wake_ups().size(), 10);
}

// All stages must take a distance that only rounding makes positive for a contact.
TEST(KineticHierarchyObstacles, SlidingOnASlope)
{
  for (unsigned int i = 0; i < 50; ++i)
  {
    const double angle = 0.07 * i;
    SCOPED_TRACE(angle);
    const Tensor<1, 2> along({std::cos(angle), std::sin(angle)}),
        normal({-std::sin(angle), std::cos(angle)});
    const Point<2> on_slope(0.7, 1.3), corner = on_slope + 0.3 * along;
    Scene<2> scene;
    scene.add({corner, corner + along, corner + along + normal, corner + normal},
              {{{0, 1}}, {{1, 2}}, {{2, 3}}, {{3, 0}}}, along);
    KineticScope<2> scope;
    scope.obstacles.push_back({"slope", std::make_shared<HalfSpace<2>>(on_slope, normal), {}, {}});
    KineticHierarchy<2> hierarchy(scene.surface, scene.bounds, 1e-3, scope);
    run(scene, hierarchy, 1);
    ASSERT_EQ(hierarchy.contacts().size(), 1);
    EXPECT_EQ(hierarchy.contacts()[0].time, 0);
  }
}

// Where nothing is to be looked at any more nobody would notice.
TEST(KineticHierarchyObstacles, UnexpectedMotionIsSeenAtTheEnd)
{
  Scene<2> scene;
  add_round_body(scene, Point<2>(0, 3), 8, Tensor<1, 2>());
  KineticScope<2> scope;
  scope.obstacles.push_back(
      {"floor", std::make_shared<HalfSpace<2>>(Point<2>(), Tensor<1, 2>({0., 1.})), {}, {}});
  const auto n_broken = [&](const double velocity, const double at_end)
  {
    for (unsigned int node = 0; node < scene.nodes.size(); ++node)
      scene.nodes.set_velocity(node, Tensor<1, 2>({0., velocity}));
    KineticHierarchy<2> hierarchy(scene.surface, scene.bounds, 1e-3, scope);
    run(scene, hierarchy, 10);
    NodeTable<2> nodes = scene.at(10);
    for (unsigned int node = 0; node < nodes.size(); ++node)
      nodes.set_velocity(node, Tensor<1, 2>({0., at_end}));
    hierarchy.finish(nodes, 10);
    return hierarchy.n_broken_bounds();
  };
  EXPECT_EQ(n_broken(0, 0), 0);
  EXPECT_EQ(n_broken(0, -0.5), 8);
  EXPECT_EQ(n_broken(-1, 5), 0); // it has touched the floor, and what comes then is not asked for
}

TEST(KineticHierarchyObstacles, ContinuesFromACheckpoint)
{
  const auto motion = [](const double t) { return Tensor<1, 2>({0., 0.2 * std::sin(3 * t)}); };
  Scene<2> scene;
  add_round_body(scene, Point<2>(0, 6), 8, Tensor<1, 2>({0., -1.}));
  add_round_body(scene, Point<2>(4, 9), 8, Tensor<1, 2>({0., -1.}));
  KineticScope<2> scope;
  scope.self_contact = true;
  scope.obstacles.push_back(
      {"floor", std::make_shared<HalfSpace<2>>(Point<2>(), Tensor<1, 2>({0., 1.})), motion, 1.8});
  KineticHierarchy<2> straight(scene.surface, scene.bounds, 1e-2, scope),
      before(scene.surface, scene.bounds, 1e-2, scope),
      after(scene.surface, scene.bounds, 1e-2, scope);
  run(scene, straight, 100);
  run(scene, before, straight.contacts()[0].time);
  ASSERT_EQ(before.contacts().size(), 1);
  Archive written;
  before.serialize(written);
  Archive read(written.bytes());
  after.serialize(read);
  EXPECT_TRUE(read.is_at_end());
  run(scene, after, 100);
  ASSERT_EQ(after.contacts().size(), 2);
  for (unsigned int i = 0; i < 2; ++i)
    EXPECT_EQ(after.contacts()[i].time, straight.contacts()[i].time);
  EXPECT_EQ(after.wake_ups().size(), straight.wake_ups().size());
  EXPECT_EQ(after.n_broken_motions()[0], 0);
}
} // namespace
