#include <kickdrift/contact/surface/motion_bounds.h>

#include "spring_boxes.h"
#include "unit/stepping/linear_network.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

using namespace KickDriftTests;

namespace
{
dealii::Tensor<2, 3>
random_rotation(std::mt19937 &random)
{
  std::normal_distribution<double> normal;
  const auto vector = [&] { return Vector({normal(random), normal(random), normal(random)}); };
  Vector a = vector(), b = vector();
  a /= a.norm();
  b -= (a * b) * a;
  b /= b.norm();
  const Vector c = cross_product_3d(a, b);
  dealii::Tensor<2, 3> rotation;
  for (unsigned int d = 0; d < 3; ++d)
  {
    rotation[d][0] = a[d];
    rotation[d][1] = b[d];
    rotation[d][2] = c[d];
  }
  return rotation;
}

/// A thin held plate, and pairs of particles on soft springs that fly towards it.
struct Shots : SpringBoxes
{
  explicit Shots(const unsigned int seed) : random(seed)
  {
    turn = random_rotation(random);
    thickness = std::pow(10., -2 + 1.5 * uniform());
    Body plate;
    plate.cells = {{4, 4, 1}};
    plate.is_held = true;
    plate.map = [this](const Point<3> &p) {
      return Point<3>(turn * Vector({4 * p[0], 4 * p[1], thickness * (p[2] - 0.5)}));
    };
    add(plate);
    springs.clear(); // nothing pulls at the plate
    for (unsigned int i = 0; i < 20; ++i)
      shoot();
  }

  double
  uniform()
  {
    return std::uniform_real_distribution<double>()(random);
  }

  /// From either side, at up to a thousand cells per step; every second one misses.
  void
  shoot()
  {
    const double side = uniform() < 0.5 ? -1 : 1;
    const bool hits = surface.body_names.size() % 2 == 0;
    const Vector target({hits ? 0.2 + 3.6 * uniform() : 6 + uniform(), 0.2 + 3.6 * uniform(), 0});
    Vector from = target;
    from[2] = side * (0.5 * thickness + 0.1 + 10 * uniform());
    for (unsigned int d = 0; d < 2; ++d)
      from[d] += 0.02 * (uniform() - 0.5);
    // in cells per step of about 0.1
    const double speed = 10 * std::pow(10., 3 * uniform());
    const unsigned int body = surface.body_names.size();
    for (const double share : {1., 1.5})
    {
      const unsigned int node = nodes.add(Point<3>(turn * (target + share * (from - target))), 1.);
      nodes.set_velocity(node, turn * (-speed / from.norm() * (from - target)));
      shots.push_back({node, side, hits});
      surface.contactors.push_back({node, body, 0.1});
    }
    flying_pairs.push_back({{shots.back().node - 1, shots.back().node}});
    surface.body_names.push_back("shot" + std::to_string(body));
  }

  double
  height(const unsigned int node) const
  {
    return (transpose(turn) * (nodes.position(node) - Point<3>()))[2];
  }

  struct Shot
  {
    unsigned int node;
    double side;
    bool hits;
  };

  std::mt19937 random;
  dealii::Tensor<2, 3> turn;
  double thickness;
  std::vector<Shot> shots;
};

ContactParameters
predicted()
{
  ContactParameters parameters;
  parameters.schedule = Schedule::predicted;
  parameters.response = Response::reflect;
  return parameters;
}
} // namespace

TEST(Predicted, no_bullet_crosses_a_thin_plate)
{
  unsigned int n_hits = 0, n_missed = 0;
  for (unsigned int seed = 0; seed < 40; ++seed)
  {
    SCOPED_TRACE(seed);
    Shots shots(seed);
    shots.start(predicted());
    shots.stepper->advance_to(4);
    shots.nodes = shots.stepper->snapshot(4);
    for (const auto &shot : shots.shots)
    {
      n_hits += shot.hits;
      // all have had the time to arrive
      const bool is_back = shot.side * shots.height(shot.node) > 0;
      n_missed += shot.hits && !is_back;
      EXPECT_EQ(is_back, shot.hits) << shot.node << " thickness " << shots.thickness;
    }
  }
  EXPECT_GT(n_hits, 700u);
  EXPECT_EQ(n_missed, 0u);
}

TEST(Predicted, who_flies_freely_is_not_tested)
{
  std::vector<std::uint64_t> tests;
  for (const auto schedule : {Schedule::synchronous, Schedule::adaptive, Schedule::predicted})
  {
    SpringBoxes boxes;
    for (const double side : {-1., 1.})
    {
      SpringBoxes::Body body;
      body.cells = {{3, 3, 3}};
      body.map = SpringBoxes::box(Point<3>(side, 0, 0), Point<3>(side + 0.9, 0.9, 0.9));
      body.velocity = side * Vector({1, 0.2, 0});
      boxes.add(body);
    }
    ContactParameters parameters = predicted();
    parameters.schedule = schedule;
    boxes.start(parameters);
    boxes.stepper->advance_to(20);
    tests.push_back(boxes.contact->statistics().tests);
    EXPECT_EQ(boxes.contact->statistics().collisions, 0u);
  }
  EXPECT_LT(tests[1], 0.01 * tests[0]);
  EXPECT_LT(tests[2], 0.01 * tests[0]);
}

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
  // nobody is faster than this
  EXPECT_GE(bounds.longest_way(4.) - bounds.longest_way(3.), std::sqrt(9.25));
  EXPECT_LE(bounds.longest_way(4.) - bounds.longest_way(3.), 4);

  // the path grows with the deviation, and knows when it will be where
  const double path = bounds.path(0, 3.) - bounds.path(0, 2.);
  EXPECT_NEAR(path, bounds.deviation(0), 1e-14);
  EXPECT_NEAR(bounds.time_of_path(0, bounds.path(0, 3.)), 3, 1e-13);

  // what is far too large becomes smaller
  boxes.nodes.set_velocity(5, Vector({3, 0, 0}));
  bounds.shrink(0, 3.);
  EXPECT_LT(bounds.deviation(0), 0.01);
}

TEST(MotionBounds, largest_rates_are_bounds_of_all_rates)
{
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const unsigned int n : {1, 2, 3, 20})
  {
    SpringBoxes boxes;
    SpringBoxes::Body body;
    for (unsigned int b = 0; b < n; ++b)
    {
      const double x = 2. * b;
      body.map = SpringBoxes::box(Point<3>(x, 0, 0), Point<3>(x + 1, 1, 1));
      body.velocity = Vector({uniform(random), uniform(random), uniform(random)});
      boxes.add(body);
    }
    for (unsigned int node = 0; node < boxes.nodes.size(); ++node)
      boxes.nodes.set_velocity(node, boxes.nodes.velocity(node) +
                                         0.1 * Vector({uniform(random), 0, uniform(random)}));
    MotionBounds<3> bounds(boxes.nodes, boxes.surface);
    bounds.start();
    const std::vector<double> largest = bounds.largest_rates();
    ASSERT_EQ(largest.size(), n);
    double furthest = 0, deviation = 0;
    for (unsigned int a = 0; a < n; ++a)
      for (unsigned int b = 0; b < n; ++b)
      {
        EXPECT_GE(largest[a], bounds.rate(a, b) - 1e-14);
        furthest = std::max(furthest, (bounds.velocity(a) - bounds.velocity(b)).norm());
        deviation = std::max(deviation, bounds.deviation(a));
      }
    // the diagonal of the box around all velocities
    for (const double rate : largest)
      EXPECT_LE(rate, std::sqrt(3.) * furthest + 2 * deviation + 1e-14);
  }
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
