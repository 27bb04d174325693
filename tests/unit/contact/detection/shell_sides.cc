// Contactors that move round a shell: the side that they touch is the one on which they have been,
// and the surface is round at free edges.

#include <kickdrift/contact/detection/face_detector.h>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <vector>

using namespace KickDrift;
using dealii::Point;
using Vector = dealii::Tensor<1, 3>;

namespace
{
constexpr double thickness = 0.1;

/// A flat square shell in the plane z = 0, with a corner in the origin, perhaps another one below
/// it, or with the other sides of a cube above it, and something that moves: a particle, or a
/// triangle of a shell, which looks along z.
struct Scene
{
  enum class Kind
  {
    plate,
    box
  };

  Scene(const bool flip, const double thickness_of_other, const Kind kind)
      : Scene(flip, thickness_of_other, 0., kind)
  {
  }

  Scene(const bool flip, const double thickness_of_other, const double gap = 0,
        const Kind kind = Kind::plate)
      : half_thicknesses(0.5 * (thickness + thickness_of_other))
  {
    surface.body_names = {"plate", "other"};
    surface.thicknesses = {thickness, thickness_of_other};
    if (kind == Kind::box)
      add_box(0, flip);
    else
      add_plate(0, 0, flip);
    if (gap > 0)
    {
      surface.body_names.push_back("lower");
      surface.thicknesses.push_back(thickness);
      add_plate(2, -gap, flip);
    }
    other = nodes.add(Point<3>(), 1);
    if (thickness_of_other > 0)
      add_face(1, other, nodes.add(Point<3>(5, 0, 0), 1), nodes.add(Point<3>(0, 5, 0), 1), false);
    surface.contactors.emplace_back(other, 1, 0.3);
    add_other_sides(surface);
    bounds.start();
    search.build(0, 0);
    detector = std::make_unique<FaceDetector<3>>(nodes, surface, exclusions, search, bounds);
    place(Point<3>(0.5, 0.45, 3));
  }

  void
  add_plate(const unsigned int body, const double height, const bool flip)
  {
    const unsigned int first = nodes.size();
    for (unsigned int j = 0; j <= n; ++j)
      for (unsigned int i = 0; i <= n; ++i)
        nodes.add(Point<3>(double(i) / n, double(j) / n, height), 1);
    for (unsigned int j = 0; j < n; ++j)
      for (unsigned int i = 0; i < n; ++i)
      {
        const unsigned int a = first + j * (n + 1) + i;
        add_face(body, a, a + 1, a + n + 2, flip);
        add_face(body, a, a + n + 2, a + n + 1, flip);
      }
  }

  /// The surface of the unit cube.
  void
  add_box(const unsigned int body, const bool flip)
  {
    std::map<std::array<unsigned int, 3>, unsigned int> numbers;
    const auto node = [&](const std::array<unsigned int, 3> &p)
    {
      const auto [place, is_new] = numbers.emplace(p, nodes.size());
      if (is_new)
        nodes.add(Point<3>(double(p[0]) / n, double(p[1]) / n, double(p[2]) / n), 1);
      return place->second;
    };
    for (unsigned int d = 0; d < 3; ++d)
      for (const unsigned int side : {0u, n})
        for (unsigned int j = 0; j < n; ++j)
          for (unsigned int i = 0; i < n; ++i)
          {
            const auto at = [&, d = d, side = side](const unsigned int x, const unsigned int y)
            {
              std::array<unsigned int, 3> p;
              p[d] = side;
              p[(d + 1) % 3] = x;
              p[(d + 2) % 3] = y;
              return node(p);
            };
            const unsigned int a = at(i, j), b = at(i + 1, j), c = at(i + 1, j + 1),
                               e = at(i, j + 1);
            add_face(body, a, b, c, flip != (side == 0));
            add_face(body, a, c, e, flip != (side == 0));
          }
  }

  void
  add_face(const unsigned int body, const unsigned int a, const unsigned int b,
           const unsigned int c, const bool flip)
  {
    SurfaceFace<3> face{};
    face.nodes = {{a, flip ? c : b, flip ? b : c, 0}};
    face.n_nodes = 3;
    face.body = body;
    surface.faces.push_back(face);
  }

  void
  place(const Point<3> &point)
  {
    for (unsigned int node = other; node < nodes.size(); ++node)
      nodes.set_displacement(node, point - Point<3>());
  }

  /// What touches at a point, to which it comes straight in one step; there may be one contact.
  ContactPoint<3>
  move_to(const Point<3> &point)
  {
    place(point);
    detector->enter_instant(0.);
    ContactPoint<3> found;
    for (unsigned int c = 0; c < surface.contactors.size(); ++c)
    {
      const auto one = detector->find({c, 0., 0.3, false});
      if (!one.touches)
        continue;
      EXPECT_FALSE(found.touches);
      found = one;
    }
    return found;
  }

  void
  expect_touch(const Point<3> &point, const double depth, const Vector &normal)
  {
    const auto found = move_to(point);
    ASSERT_TRUE(found.touches) << point;
    EXPECT_NEAR(found.depth, depth, 1e-14) << point;
    EXPECT_LT((found.stencil.normal - normal).norm(), 1e-13) << point;
    EXPECT_EQ(found.target, 0u);
  }

  static constexpr unsigned int n = 4;
  const double half_thicknesses;
  unsigned int other = 0;
  NodeTable<3> nodes;
  Surface<3> surface;
  Exclusions exclusions;
  MotionBounds<3> bounds{nodes, surface};
  FaceSearch<3> search{nodes, surface, bounds, BroadPhaseType::hierarchy};
  std::unique_ptr<FaceDetector<3>> detector;
};

const Vector up = Point<3>(0, 0, 1);

template <typename Test>
void
for_all_scenes(const Test &test)
{
  for (const bool flip : {false, true})
    for (const double thickness_of_other : {0., 0.04})
    {
      Scene scene(flip, thickness_of_other);
      test(scene);
    }
}
} // namespace

TEST(ShellSides, nothing_sticks_to_the_side_where_it_has_not_been)
{
  for_all_scenes(
      [](Scene &scene)
      {
        const double t = scene.half_thicknesses;
        for (const double side : {1., -1.})
        {
          const auto at = [side](const double x, const double height)
          { return Point<3>(x, 0.45, side * height); };
          EXPECT_FALSE(scene.move_to(at(0.5, t + 1e-6)).touches);
          scene.expect_touch(at(0.5, t - 0.01), 0.01, side * up);
          // through it, and further
          scene.expect_touch(at(0.52, -0.02), t + 0.02, side * up);
          scene.expect_touch(at(0.52, -0.1), t + 0.1, side * up);
          scene.expect_touch(at(0.5, 0.02), t - 0.02, side * up);
          EXPECT_FALSE(scene.move_to(at(0.5, t + 0.01)).touches);
          // past the plate in one step
          scene.expect_touch(at(0.51, -t - 0.01), 2 * t + 0.01, side * up);
          EXPECT_FALSE(scene.move_to(at(0.5, t + 0.01)).touches);
          // round the free edge, to the other side
          for (const auto &[x, height] : {std::pair(0.9, 0.2),
                                          {1.2, 0.2},
                                          {1.2, 0.05},
                                          {1.2, -0.05},
                                          {1.2, -0.2},
                                          {0.9, -0.2}})
            EXPECT_FALSE(scene.move_to(at(x, height)).touches);
          EXPECT_FALSE(scene.move_to(at(0.5, -t - 1e-6)).touches);
          scene.expect_touch(at(0.5, 0.01 - t), 0.01, -side * up);
          scene.expect_touch(at(0.5, 0.03), t + 0.03, -side * up);
          EXPECT_FALSE(scene.move_to(at(0.5, -t - 0.01)).touches);
        }
      });
}

TEST(ShellSides, free_edges_are_round)
{
  for_all_scenes(
      [](Scene &scene)
      {
        const double t = scene.half_thicknesses;
        for (const auto &[x, z] :
             {std::pair(0., 1.), {0.6, 0.8}, {0.8, 0.6}, {0.8, -0.6}, {0.6, -0.8}})
        {
          const Vector normal = Point<3>(x, 0, z);
          const auto at = [&](const double distance)
          { return Point<3>(1, 0.45, 0) + distance * normal; };
          EXPECT_FALSE(scene.move_to(at(2 * t)).touches);
          EXPECT_FALSE(scene.move_to(at(1.001 * t)).touches);
          scene.expect_touch(at(0.9 * t), 0.1 * t, normal);
          EXPECT_FALSE(scene.move_to(at(2 * t)).touches);
        }
      });
}

// The plane of the shell divides nothing there, and rounding must not turn the normal to it.
TEST(ShellSides, free_edges_meet_head_on)
{
  for_all_scenes(
      [](Scene &scene)
      {
        const double t = scene.half_thicknesses;
        EXPECT_FALSE(scene.move_to(Point<3>(1 + 2 * t, 0.45, 0)).touches);
        for (const double z : {1e-17, -1e-17, 1e-6, -1e-6, 1e-3, -1e-3, 0., 0.2 * t, -0.2 * t})
        {
          const Vector away = Point<3>(0.8 * t, 0, z);
          scene.expect_touch(Point<3>(1, 0.45, 0) + away, t - away.norm(), away / away.norm());
        }
        // from either side it is on top of the shell afterwards
        for (const double side : {1., -1.})
        {
          scene.expect_touch(Point<3>(1 + 0.5 * t, 0.45, -side * 0.1 * t),
                             t * (1 - std::sqrt(0.26)),
                             Point<3>(0.5, 0, -side * 0.1) / std::sqrt(0.26));
          scene.expect_touch(Point<3>(0.95, 0.45, side * 0.9 * t), 0.1 * t, side * up);
          EXPECT_FALSE(scene.move_to(Point<3>(1 + 2 * t, 0.45, side * 2 * t)).touches);
        }
      });
}

// Of a stack of sheets that something has come through, the first one is what it touches.
TEST(ShellSides, the_sheet_that_was_passed_is_not_forgotten)
{
  for (const bool flip : {false, true})
    for (const double thickness_of_other : {0., 0.04})
      for (const double gap : {0.101, 0.15})
      {
        Scene scene(flip, thickness_of_other, gap);
        const double t = scene.half_thicknesses;
        const auto at = [](const double x, const double z) { return Point<3>(x, 0.45, z); };
        EXPECT_FALSE(scene.move_to(at(0.5, t + 0.01)).touches);
        for (const double z : {t - 0.01, -0.02, -gap + 0.01, -gap - 0.01, -gap + 0.02})
          scene.expect_touch(at(0.52, z), t - z, up);
        EXPECT_FALSE(scene.move_to(at(0.5, t + 0.01)).touches);
      }
}

// Who stands beside a corner of a box is in front of the plane of its floor, but not within it; and
// who has climbed on its roof has not come through its wall.
TEST(ShellSides, the_outside_of_a_box_is_not_in_front_of_its_insides)
{
  for (const bool flip : {false, true})
    for (const double thickness_of_other : {0., 0.04})
    {
      Scene scene(flip, thickness_of_other, Scene::Kind::box);
      const double t = scene.half_thicknesses;
      EXPECT_FALSE(scene.move_to(Point<3>(-0.09, -0.11, 0.2)).touches);
      EXPECT_FALSE(scene.move_to(Point<3>(0.1, 0.1, -0.2)).touches);
      scene.expect_touch(Point<3>(0.1, 0.1, 0.01 - t), 0.01, -up);
      scene.expect_touch(Point<3>(0.1, 0.1, 0.01), t + 0.01, -up);
      EXPECT_FALSE(scene.move_to(Point<3>(0.1, 0.1, -0.2)).touches);

      EXPECT_FALSE(scene.move_to(Point<3>(-0.1, 0.45, 0.9)).touches);
      EXPECT_FALSE(scene.move_to(Point<3>(0.2, 0.45, 1.1)).touches);
      scene.expect_touch(Point<3>(0.2, 0.45, 1.01), t - 0.01, up);
    }
}
