// Contactors that rest are compared with a look at every pair of a contactor and a face.

#include "scene.h"

using namespace KickDriftTests;

namespace
{
/// Blocks, bars and plates come from all sides, and fly through each other.
template <int dim>
void
fly_to_each_other(const unsigned int seed, const unsigned int n_bodies, const unsigned int n_steps)
{
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  Scene<dim> scene;
  scene.slack = 0.05;
  for (unsigned int b = 0; b < n_bodies; ++b)
  {
    Vector<dim> from = random_vector<dim>(random);
    from *= (1 + uniform(random)) / from.norm();
    const Point<dim> center(from);
    scene.add_body(flying<dim>(random, center, 2 * uniform(random), 0.002 * uniform(random)));
    Vector<dim> size;
    std::array<unsigned int, dim> n;
    for (unsigned int d = 0; d < dim; ++d)
    {
      n[d] = 1 + random() % 6;
      size[d] = 0.1 * n[d];
    }
    size[0] = random() % 3 == 0 ? 0.03 : size[0]; // a plate
    scene.add_block(center - 0.5 * size, size, n);
  }
  scene.run(random, n_steps);
  EXPECT_GT(scene.n_seen, 0u);
  EXPECT_GT(scene.n_rests, scene.n_checks / 20);
}

/// Two arms of a body fold about an axis through the origin until they meet.
template <int dim>
void
fold(const unsigned int seed)
{
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  Scene<dim> scene;
  scene.slack = 0.1;
  Vector<dim> axis;
  if (dim == 3)
    axis[1] = 1;
  scene.add_body(
      [=](const Point<dim> &point, const double time)
      {
        const double angle = (dim == 3 ? 1 : -1) * 1.2 * std::min(time, 2.55);
        return point[0] > 0 ? point : turned(point - Point<dim>(), axis, angle);
      });
  Point<dim> right, left;
  Vector<dim> size;
  std::array<unsigned int, dim> n;
  for (unsigned int d = 0; d < dim; ++d)
  {
    n[d] = d == 0 ? 8 : 3;
    size[d] = 0.1 * n[d];
    left[d] = right[d] = d + 1 == dim ? -0.305 : 0;
  }
  right[0] = 0.05;
  left[0] = -0.05 - size[0];
  scene.add_block(right, size, n);
  scene.add_block(left, size, n);
  scene.run(random, 270);
  EXPECT_GT(scene.n_seen, 0u);
  EXPECT_TRUE(dim == 2 || scene.n_edges_seen > 0);
  EXPECT_GT(scene.n_rests, scene.n_checks / 50);
}
} // namespace

TEST(PatchPairs, nobody_rests_who_sees_something)
{
  fly_to_each_other<2>(1, 5, 200);
  fly_to_each_other<2>(2, 5, 200);
  fly_to_each_other<3>(3, 3, 150);
}

TEST(SlowPatchPairs, nobody_rests_who_sees_something)
{
  for (unsigned int seed = 10; seed < 18; ++seed)
  {
    fly_to_each_other<2>(seed, 8, 250);
    fly_to_each_other<3>(seed, 4, 220);
  }
}

// The normals in the middle of its faces do not turn; only those in the corners do.
TEST(PatchPairs, a_plate_that_warps_wakes)
{
  std::mt19937 random(5);
  Scene<3> scene;
  scene.slack = 0.4; // it turns by a third of that between two fits of its boxes
  scene.add_body(
      [](const Point<3> &point, const double time)
      {
        const bool is_even = (std::lround(10 * point[0]) + std::lround(10 * point[1])) % 2 == 0;
        const double height = 0.08 * std::min(time, 1.);
        return Point<3>(point[0], point[1], point[2] + (is_even ? height : -height));
      });
  scene.add_block(Point<3>(), Vector<3>({0.6, 0.6, 0.1}), {{6, 6, 1}});
  scene.keep_side(Vector<3>({0, 0, 1}));
  scene.add_body([](const Point<3> &point, double) { return point; });
  scene.add_block(Point<3>(0.58, 0.1, -0.3), Vector<3>({0.4, 0.4, 0.8}), {{4, 4, 8}});
  scene.keep_side(Vector<3>({-1, 0, 0}));
  scene.run(random, 150);
  EXPECT_GT(scene.n_seen, 0u);
}

namespace
{
/// A wall, one cell thick, that spins and bends, and is squeezed to a share of its thickness.
void
squeeze(const double share, Scene<3> &scene)
{
  std::mt19937 random(7);
  scene.slack = 0.1;
  const Vector<3> axis({0.6, 0, 0.8});
  scene.add_body(
      [=](const Point<3> &point, const double time)
      {
        const double progress = std::min(time, 1.);
        const Vector<3> arm(
            {point[0] + 0.02 * progress * std::sin(9 * time + 3 * point[1]), point[1],
             point[2] * (1 - (1 - share) * progress) + 0.1 * progress * point[0] * point[0]});
        return turned(arm, axis, 1.5 * time) + time * Vector<3>({1, 2, 3});
      });
  scene.add_block(Point<3>(-0.6, -0.3, -0.03), Vector<3>({1.2, 0.6, 0.06}), {{12, 6, 1}});
  scene.run(random, 110);
}
} // namespace

TEST(PatchPairs, both_sides_of_a_wall_that_spins_and_bends_rest)
{
  Scene<3> scene;
  squeeze(1, scene);
  EXPECT_EQ(scene.n_seen, 0u);
  EXPECT_EQ(scene.n_rests, scene.n_checks);
}

TEST(PatchPairs, both_sides_of_a_wall_that_is_squeezed_wake)
{
  Scene<3> scene;
  squeeze(0.3, scene);
  EXPECT_GT(scene.n_seen, 0u);
}

// Faces with directions of their own lie all over this block.
TEST(PatchPairs, patches_do_not_reach_across_bodies)
{
  std::mt19937 random(1);
  Scene<3> scene;
  scene.add_body([](const Point<3> &point, double) { return point; });
  scene.add_block(Point<3>(), Vector<3>({1, 1, 1}), {{10, 10, 10}});
  for (unsigned int i = 0; i < 8; ++i)
  {
    const Point<3> corner(i % 2, i / 2 % 2, i / 4);
    for (unsigned int node = 0; node < scene.table.size(); ++node)
      if (scene.table.reference(node).distance(corner) < 0.01)
        scene.table[node].displacement[i % 3] += i / 4 ? 0.08 : -0.08;
  }
  scene.start(random);
  const auto &patches = scene.bounds->patches;
  for (unsigned int p = 0; p < patches.size(); ++p)
    for (const unsigned int a : patches.nodes_of(p))
      for (const unsigned int b : patches.nodes_of(p))
        ASSERT_LT(scene.table.reference(a).distance(scene.table.reference(b)), 1.2);
}

TEST(PatchPairs, arms_that_fold_wake)
{
  fold<2>(1);
  fold<3>(2);
}
