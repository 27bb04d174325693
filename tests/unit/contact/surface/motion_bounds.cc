// Bounds of the motion of bodies, until they are broken.

#include <kickdrift/contact/surface/motion_bounds.h>

#include "unit/contact/spring_boxes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <vector>

using namespace KickDriftTests;

TEST(MotionBounds, grow_when_a_node_leaves_its_ball)
{
  SpringBoxes boxes;
  SpringBoxes::Body body;
  body.map = SpringBoxes::box(Point<3>(), Point<3>(1, 1, 1));
  body.velocity = Vector({3, 0, 0});
  boxes.add(body);
  body.velocity = Vector({0, -1, 0});
  boxes.add(body);
  MotionBounds<3> bounds(boxes.nodes, boxes.surface);
  bounds.start();
  EXPECT_NEAR((bounds.velocity(0) - Vector({3, 0, 0})).norm(), 0, 1e-14);
  EXPECT_NEAR(bounds.rate(0, 1), std::sqrt(10.), 0.02);
  EXPECT_LT(bounds.deviation(0), 0.01);

  const std::vector<unsigned int> node = {5};
  boxes.nodes.set_velocity(5, Vector({3, 0.5, 0}));
  bounds.check(dealii::make_array_view(node), 2.);
  ASSERT_EQ(bounds.broken().size(), 1u);
  EXPECT_EQ(bounds.broken()[0].body, 0u);
  EXPECT_TRUE(bounds.broken()[0].by_far);
  EXPECT_GE(bounds.deviation(0), 0.5);
  EXPECT_GE(bounds.rate(0, 0), 2 * bounds.deviation(0) - 1e-14);
  bounds.forget();
  bounds.check(dealii::make_array_view(node), 2.);
  EXPECT_TRUE(bounds.broken().empty());

  // the path grows with the deviation
  const double path = bounds.path(0, 3.) - bounds.path(0, 2.);
  EXPECT_NEAR(path, bounds.deviation(0), 1e-14);

  // what is far too large becomes smaller
  boxes.nodes.set_velocity(5, Vector({3, 0, 0}));
  bounds.shrink(0, 3.);
  EXPECT_LT(bounds.deviation(0), 0.01);
}

// A ball that becomes smaller wakes nobody; when it grows again it does so the earlier the further
// it has moved.
TEST(MotionBounds, a_smaller_ball_may_grow_less_if_it_has_moved)
{
  for (const double away : {0.2, 2.})
  {
    SpringBoxes boxes;
    SpringBoxes::Body body;
    body.map = SpringBoxes::box(Point<3>(), Point<3>(1, 1, 1));
    boxes.add(body);
    const std::vector<unsigned int> first = {0};
    MotionBounds<3> bounds(boxes.nodes, boxes.surface);
    boxes.nodes.set_velocity(0, Vector({0, 0, 1}));
    bounds.start();
    const double radius = bounds.deviation(0);
    const Vector centre = bounds.velocity(0);
    // almost three times as large, which wakes nobody
    boxes.nodes.set_velocity(0, centre + Vector({0, 0, 2 * radius}));
    bounds.check(dealii::make_array_view(first), 1.);
    ASSERT_EQ(bounds.broken().size(), 1u);
    ASSERT_FALSE(bounds.broken()[0].by_far);
    bounds.forget();
    // all nodes somewhere in it
    const Vector there = centre + Vector({0, 0, away * radius});
    for (unsigned int node = 1; node < boxes.nodes.size(); ++node)
      boxes.nodes.set_velocity(node, there);
    boxes.nodes.set_velocity(0, there + Vector({0, 0, 0.5 * radius}));
    bounds.shrink(0, 2.);
    ASSERT_LT(bounds.deviation(0), radius);
    ASSERT_TRUE(bounds.broken().empty());
    // three radii around the old centre were allowed for
    boxes.nodes.set_velocity(0, bounds.velocity(0) + Vector({0, 0, 0.85 * radius}));
    bounds.check(dealii::make_array_view(first), 3.);
    ASSERT_EQ(bounds.broken().size(), 1u);
    const bool goes_beyond =
        (bounds.velocity(0) - centre).norm() + bounds.deviation(0) > 3 * radius;
    EXPECT_EQ(goes_beyond, away == 2);
    EXPECT_EQ(bounds.broken()[0].by_far, goes_beyond);
  }
}

// Whatever was concluded from sweep_reserve times a ball holds until a ball is said to have grown
// by far, also when balls have become smaller and have moved in between.
TEST(MotionBounds, sweeps_hold_until_a_ball_has_grown_by_far)
{
  SpringBoxes boxes;
  SpringBoxes::Body body;
  body.map = SpringBoxes::box(Point<3>(), Point<3>(1, 1, 1));
  boxes.add(body);
  MotionBounds<3> bounds(boxes.nodes, boxes.surface);
  bounds.start();
  std::vector<unsigned int> all(boxes.nodes.size());
  std::iota(all.begin(), all.end(), 0);

  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  struct Ball
  {
    Vector velocity;
    double radius;
  };
  std::vector<Ball> concluded;
  unsigned int n_moved = 0, n_by_far = 0;
  for (unsigned int step = 1; step <= 3000; ++step)
  {
    const double time = step;
    // from one speed or spread to another within some steps
    const double spread = 0.5 * std::exp(std::sin(0.05 * step) - 1);
    const Vector mean({0.2 * std::sin(0.013 * step), 0.2 * std::cos(0.017 * step), 0});
    for (const unsigned int node : all)
      boxes.nodes.set_velocity(
          node, mean + spread * Vector({uniform(random), uniform(random), uniform(random)}));
    bounds.check(dealii::make_array_view(all), time);
    const Vector before = bounds.velocity(0);
    if (step % 3 == 0)
      bounds.shrink(0, time);
    n_moved += bounds.velocity(0) != before;
    bool by_far = false;
    for (const auto &broken : bounds.broken())
      by_far = by_far || broken.by_far;
    bounds.forget();
    if (by_far)
    {
      ++n_by_far;
      concluded.clear();
    }
    for (const Ball &ball : concluded)
      for (const unsigned int node : all)
        ASSERT_LE((boxes.nodes.velocity(node) - ball.velocity).norm(),
                  MotionBounds<3>::sweep_reserve * ball.radius * (1 + 1e-12))
            << "step " << step;
    concluded.push_back({bounds.velocity(0), bounds.deviation(0)});
  }
  EXPECT_GT(n_moved, 20u);
  EXPECT_GT(n_by_far, 2u);
  EXPECT_LT(n_by_far, n_moved);
}
