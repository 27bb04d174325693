// Normals of contacts near the ridge of a roof: they turn from one side to the other without a
// jump.

#include <kickdrift/contact/detection/face_detector.h>

#include "unit/contact/spring_boxes.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace KickDriftTests;

namespace
{
constexpr double slope = 0.3, depth = 0.01;

/// A roof whose ridge is above the line x = 0, at a height of 1, and a cube with a corner in it.
struct Roof : SpringBoxes
{
  /// The corner is at @p x, by depth below the roof; @p columns cells on each side of the ridge.
  explicit Roof(const double x, const unsigned int columns = 1)
  {
    Body roof;
    roof.cells = {{2 * columns, 2, 1}};
    roof.map = [](const Point<3> &p)
    {
      const double at = 2 * p[0] - 1;
      return Point<3>(at, 2 * p[1] - 1, p[2] * (1 - slope * std::abs(at)));
    };
    add(roof);
    Body cube;
    const Point<3> corner(x, 0.3, 1 - slope * std::abs(x) - depth);
    cube.map = box(corner, corner + Vector({0.1, 0.1, 0.1}));
    first_of_cube = add(cube);
    detector = std::make_unique<FaceDetector<3>>(nodes, surface, exclusions, search, bounds);
    bounds.start();
    search.build(0, 0);
  }

  /// What is found for the corner.
  ContactPoint<3>
  find()
  {
    for (unsigned int c = 0; c < detector->n_contactors(); ++c)
      if (detector->nodes_of(c)[0] == first_of_cube)
        return detector->find({c, 0., 0.5, true});
    return {};
  }

  unsigned int first_of_cube = 0;
  Exclusions exclusions;
  MotionBounds<3> bounds{nodes, surface};
  FaceSearch<3> search{nodes, surface, bounds, BroadPhaseType::hierarchy};
  std::unique_ptr<FaceDetector<3>> detector;
};

Vector
normal_of_side(const double side)
{
  Vector normal({side * slope, 0, 1});
  return normal / normal.norm();
}
} // namespace

TEST(BlendedNormals, are_those_of_the_faces_away_from_edges)
{
  for (const double x : {-0.7, -0.3, 0.3, 0.7})
  {
    const auto touch = Roof(x).find();
    ASSERT_TRUE(touch.touches) << x;
    EXPECT_LT((touch.stencil.normal - normal_of_side(x > 0 ? 1 : -1)).norm(), 1e-14) << x;
  }
}

TEST(BlendedNormals, keep_mirror_symmetry)
{
  for (const unsigned int columns : {1u, 3u})
  {
    const auto on_ridge = Roof(0, columns).find();
    ASSERT_TRUE(on_ridge.touches);
    EXPECT_LT((on_ridge.stencil.normal - Vector({0, 0, 1})).norm(), 1e-14);
    EXPECT_NEAR(on_ridge.depth, depth, 1e-14);
    for (const double x : {1e-6, 1e-3, 3e-3, 1e-2, 3e-2})
    {
      const auto right = Roof(x, columns).find(), left = Roof(-x, columns).find();
      ASSERT_TRUE(right.touches && left.touches) << x;
      EXPECT_NEAR(right.depth, left.depth, 1e-14) << x;
      for (unsigned int d = 0; d < 3; ++d)
        EXPECT_NEAR(right.stencil.normal[d], (d == 0 ? -1 : 1) * left.stencil.normal[d], 1e-13)
            << x;
    }
  }
}

TEST(BlendedNormals, do_not_jump_and_lie_between_the_points_of_the_contact)
{
  Vector before = normal_of_side(-1);
  unsigned int n_blended = 0;
  for (int i = -300; i <= 300; ++i)
  {
    Roof roof(i * 5e-4);
    const auto touch = roof.find();
    ASSERT_TRUE(touch.touches) << i;
    const Vector &normal = touch.stencil.normal;
    EXPECT_LT((normal - before).norm(), 0.02) << i; // the sides differ by 0.57
    before = normal;
    const double share = normal[0] / normal_of_side(1)[0];
    n_blended += std::abs(share) < 0.99;
    // along the normal, by the depth: impulses have no moment, and push out the shortest way there
    const Vector between = touch.stencil.difference([&](const unsigned int node)
                                                    { return roof.nodes.position(node); });
    EXPECT_LT((between + touch.depth * normal).norm(), 1e-13) << i;
    double sum = 0;
    for (unsigned int k = 0; k < touch.stencil.n_nodes; ++k)
      sum += touch.stencil.coefficients[k];
    EXPECT_NEAR(sum, 0, 1e-14);
  }
  EXPECT_LT((before - normal_of_side(1)).norm(), 1e-14);
  EXPECT_GT(n_blended, 10u);
}
