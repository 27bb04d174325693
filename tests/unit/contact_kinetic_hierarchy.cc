// The kinetic hierarchy against a loop over all pairs of faces, and its sleep.

#include <kickdrift/contact/kinetic_hierarchy.h>

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

namespace
{
using namespace KickDrift;
using dealii::Point;
using dealii::Tensor;

constexpr double never = std::numeric_limits<double>::infinity();

/// Bodies of triangles or segments that move on parabolas.
template <int spacedim>
struct Scene
{
  NodeTable<spacedim> nodes; ///< at time zero
  Surface<spacedim> surface;
  std::vector<AccelerationBounds<spacedim>> bounds;
  std::vector<Tensor<1, spacedim>> accelerations; ///< by node

  /// Add a closed body; returns its first node.
  unsigned int
  add(const std::vector<Point<spacedim>> &points,
      const std::vector<std::array<unsigned int, spacedim>> &faces,
      const Tensor<1, spacedim> &velocity)
  {
    const unsigned int first = nodes.size(), body = surface.body_names.size();
    for (const auto &point : points)
    {
      nodes.add(point, 1.);
      nodes.set_velocity(nodes.size() - 1, velocity);
      accelerations.emplace_back();
    }
    for (const auto &corners : faces)
    {
      SurfaceFace<spacedim> face{};
      face.n_nodes = spacedim;
      for (unsigned int c = 0; c < spacedim; ++c)
        face.nodes[c] = first + corners[c];
      face.body = body;
      surface.faces.push_back(face);
    }
    surface.body_names.push_back("body " + std::to_string(body));
    bounds.emplace_back();
    return first;
  }

  NodeTable<spacedim>
  at(const double time) const
  {
    NodeTable<spacedim> result = nodes;
    for (unsigned int node = 0; node < nodes.size(); ++node)
    {
      const auto &v = nodes.velocity(node), &a = accelerations[node];
      result.set_displacement(node, nodes.displacement(node) + time * (v + 0.5 * time * a));
      result.set_velocity(node, v + time * a);
    }
    return result;
  }

  /// Look whenever asked to until the end or the first contact.
  void
  run(KineticHierarchy<spacedim> &hierarchy, const double end) const
  {
    while (hierarchy.next_time() <= end && hierarchy.contacts().empty())
      hierarchy.look(at(hierarchy.next_time()), hierarchy.next_time());
  }

  /// First contact of straight motion by looking at all pairs of faces.
  double
  brute_force() const
  {
    double first = never;
    for (const auto &a : surface.faces)
      for (const auto &b : surface.faces)
        if (a.body < b.body)
          first = std::min(first, impact(a, b));
    return first;
  }

private:
  double
  impact(const SurfaceFace<spacedim> &a, const SurfaceFace<spacedim> &b) const
  {
    std::array<std::array<MovingPoint<spacedim>, spacedim>, 2> points;
    for (unsigned int c = 0; c < spacedim; ++c)
    {
      points[0][c] = {nodes.position(a.nodes[c]), nodes.velocity(a.nodes[c])};
      points[1][c] = {nodes.position(b.nodes[c]), nodes.velocity(b.nodes[c])};
    }
    double time = never;
    for (unsigned int i = 0; i < 2; ++i)
      for (const auto &point : points[1 - i])
        time = std::min(
            time, first_contact<spacedim>(point, {points[i].data(), std::size_t(spacedim)}).time);
    if constexpr (spacedim == 3)
      for (unsigned int e = 0; e < 3; ++e)
        for (unsigned int f = 0; f < 3; ++f)
        {
          const std::array<MovingPoint<3>, 2> first = {{points[0][e], points[0][(e + 1) % 3]}},
                                              second = {{points[1][f], points[1][(f + 1) % 3]}};
          time = std::min(time, first_contact_of_edges({first.data(), 2}, {second.data(), 2}).time);
        }
    return time;
  }
};

/// A polygon or, in 3D, a double pyramid with n corners around its middle.
template <int spacedim>
unsigned int
add_round_body(Scene<spacedim> &scene, const Point<spacedim> &center, const unsigned int n,
               const Tensor<1, spacedim> &velocity)
{
  std::vector<Point<spacedim>> points;
  std::vector<std::array<unsigned int, spacedim>> faces;
  for (unsigned int i = 0; i < n; ++i)
  {
    Tensor<1, spacedim> offset;
    offset[0] = std::cos(2 * M_PI * i / n);
    offset[1] = std::sin(2 * M_PI * i / n);
    points.push_back(center + offset);
    if constexpr (spacedim == 2)
      faces.push_back({{i, (i + 1) % n}});
    else
    {
      faces.push_back({{i, (i + 1) % n, n}});
      faces.push_back({{(i + 1) % n, i, n + 1}});
    }
  }
  if constexpr (spacedim == 3)
  {
    points.push_back(center + Tensor<1, 3>({0., 0., 1.}));
    points.push_back(center - Tensor<1, 3>({0., 0., 1.}));
  }
  return scene.add(points, faces, velocity);
}

template <int spacedim>
Tensor<1, spacedim>
random_vector(std::mt19937 &engine, const double size)
{
  std::uniform_real_distribution<double> component(-size, size);
  Tensor<1, spacedim> vector;
  for (unsigned int d = 0; d < spacedim; ++d)
    vector[d] = component(engine);
  return vector;
}

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
    EXPECT_LE(hierarchy.wake_ups().size(), deforms ? 200 : 25) << i;
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
    hierarchy.look(at(hierarchy.next_time()), hierarchy.next_time());
  ASSERT_EQ(hierarchy.contacts().size(), 1);
  EXPECT_EQ(hierarchy.n_broken_bounds(), 0);
  // corner (3, 0.1), at the angle atan(0.1/3), gets to the corner (1, 2) of the other body, at a
  // distance from the middle less than its own: the side y = 0.1 hits that corner
  const double distance = std::hypot(1, 2);
  const double exact = (std::atan2(2, 1) - std::asin(0.1 / distance)) / turn;
  EXPECT_LE(hierarchy.contacts()[0].time, exact + 1e-12);
  EXPECT_GE(hierarchy.contacts()[0].time, exact - 3e-4);
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
    hierarchy.look(scene.at(hierarchy.next_time()), hierarchy.next_time());
  ASSERT_EQ(hierarchy.contacts().size(), 2);
  for (unsigned int i = 0; i < 2; ++i)
  {
    EXPECT_EQ(hierarchy.contacts()[i].first_body, 0);
    EXPECT_EQ(hierarchy.contacts()[i].second_body, i + 1);
    EXPECT_NEAR(hierarchy.contacts()[i].time, 4. * i + 2, 1e-10 * (4 * i + 2));
  }
}
} // namespace
