// Times at which points and spheres touch shapes, against closed forms and against many distances.

#include "unit/contact/prediction/kinetic_shapes.h"

#include <kickdrift/contact/ccd/impact_time.h>

#include <gtest/gtest.h>

namespace
{
using namespace KickDriftTests;

/// A point in straight flight from a place and with a velocity at random.
template <int dim>
MovingSphere<dim>
random_point(std::mt19937 &engine)
{
  MovingSphere<dim> point;
  point.center = Point<dim>(random_vector<dim>(engine, 4));
  point.velocity = random_vector<dim>(engine, 1);
  return point;
}

/// Straight flight against a shape, from outside and, with what is outside of it, from inside.
template <int dim>
void
check_straight_flight(const WindowedShape<dim> &windowed)
{
  std::mt19937 engine(5);
  const Outside<dim> outside(windowed.shape);
  const UnknownShape<dim> unknown(windowed.shape);
  unsigned int n_hits = 0, n_inside = 0, n_given_up = 0;
  for (unsigned int i = 0; i < 3000; ++i)
  {
    auto point = random_point<dim>(engine);
    if (i % 2 == 0) // so that enough of them hit
      point.velocity = windowed.middle - point.center + random_vector<dim>(engine, 0.7);
    const auto window = windowed.window(point.center, point.velocity);
    const bool hits = window.first <= window.second;
    const bool starts_inside = hits && window.first == 0;
    const double entry = hits ? window.first : never;
    const Impact impact = first_contact(point, *windowed.shape);
    EXPECT_TRUE(impact.is_exact);
    n_hits += hits && !starts_inside;
    n_inside += starts_inside;
    if (entry == never)
      EXPECT_EQ(impact.time, never) << i;
    else // those that graze are found less precisely: the gap is round-off for longer
      EXPECT_NEAR(impact.time, entry, 1e-10 * entry + 1e-13 / (window.second - window.first)) << i;
    const Impact from_inside = first_contact(point, outside);
    const double exit = starts_inside ? window.second : 0.;
    EXPECT_TRUE(from_inside.is_exact);
    if (exit == never)
      EXPECT_EQ(from_inside.time, never);
    else
      EXPECT_NEAR(from_inside.time, exit, 1e-10 * exit + 1e-14) << i;
    if (entry < never && window.second - window.first > 0.1)
    {
      const Impact found = first_contact(point, unknown);
      EXPECT_LE(found.time, entry + 1e-10 * entry + 1e-14) << i;
      EXPECT_GE(found.time, found.is_exact ? entry - 1e-10 * entry - 1e-14 : 0.) << i;
      n_given_up += !found.is_exact;
    }
  }
  EXPECT_GT(n_hits, 300);
  EXPECT_GT(n_inside, 20);
  EXPECT_LT(n_given_up, 5);
}

TEST(ImpactOnShape, StraightFlight)
{
  for (const auto &shape : windowed_shapes<2>())
    check_straight_flight<2>(shape);
  for (const auto &shape : windowed_shapes<3>())
    check_straight_flight<3>(shape);
}

/// Parabolic flight of a growing sphere: the gap is open until the time that is found, and closed
/// there.
template <int dim>
void
check_parabolic_flight(const Shape<dim> &shape, const Convexity expected)
{
  EXPECT_EQ(shape.convexity(), expected);
  std::mt19937 engine(6);
  unsigned int n_hits = 0;
  for (unsigned int i = 0; i < 400; ++i)
  {
    auto sphere = random_point<dim>(engine);
    if (expected == Convexity::concave) // so that enough of them start on the right side
      sphere.center = Point<dim>(0.2 * sphere.center);
    else if (i % 2 == 0) // so that enough of them hit
      sphere.velocity = -sphere.center / 3.;
    sphere.acceleration = random_vector<dim>(engine, 0.5);
    sphere.radius = i % 3 == 0 ? 0.2 : 0.;
    sphere.growth = i % 5 == 0 ? 0.1 : 0.;
    sphere.growth_rate = i % 7 == 0 ? 0.1 : 0.;
    const auto gap = [&](const double t)
    {
      return shape.distance(sphere.center + t * (sphere.velocity + 0.5 * t * sphere.acceleration)) -
             sphere.radius - t * (sphere.growth + 0.5 * t * sphere.growth_rate);
    };
    const auto [time, is_exact] = first_contact(sphere, shape);
    const double end = std::min(time, 20.);
    EXPECT_TRUE(is_exact || expected == Convexity::unknown);
    for (unsigned int k = 0; k < 1000; ++k)
      if (gap(end * k / 1000) <= 0)
      {
        EXPECT_EQ(time, 0) << i;
        break;
      }
    if (time < never && is_exact)
    {
      EXPECT_LE(gap(time), 1e-13 * (1 + time * time)) << i;
      n_hits += time > 0;
    }
  }
  EXPECT_GT(n_hits, 20);
}

TEST(ImpactOnShape, ParabolicFlight)
{
  const auto check = [](const auto &shapes)
  {
    for (const auto &windowed : shapes)
    {
      using Type = typename std::decay_t<decltype(windowed)>;
      constexpr int dim = Type::dimension;
      check_parabolic_flight<dim>(*windowed.shape, Convexity::convex);
      check_parabolic_flight<dim>(Outside<dim>(windowed.shape), Convexity::concave);
      check_parabolic_flight<dim>(UnknownShape<dim>(windowed.shape), Convexity::unknown);
    }
  };
  check(windowed_shapes<2>());
  check(windowed_shapes<3>());
}

TEST(ImpactOnShape, ThrownUpwardsUnderTheCeiling)
{
  // it turns back just below, or touches at the top, or sooner
  const HalfSpace<2> ceiling(Point<2>(0, 5), Tensor<1, 2>({0., -1.}));
  MovingSphere<2> stone;
  stone.acceleration[1] = -10;
  for (const double speed : {9.9999999, 10.0000001, 12., 100.})
  {
    stone.velocity = Tensor<1, 2>({3., speed});
    const double time = first_contact(stone, ceiling).time;
    if (speed < 10)
      EXPECT_EQ(time, never);
    else // p = v - sqrt(v^2 - 2 a h), without cancellation
      EXPECT_NEAR(time, 10 / (speed + std::sqrt(speed * speed - 100)), 1e-10);
  }
}

TEST(ImpactOnShape, GrazingFlight)
{
  const Ball<3> ball(Point<3>(0, 0, 0), 1);
  for (const double gap : {-1e-3, -1e-6, 1e-12, 1e-6, 1e-3})
  {
    MovingSphere<3> point;
    point.center = Point<3>(-10, 1 + gap, 0);
    point.velocity[0] = 2;
    const double time = first_contact(point, ball).time;
    if (gap > 0)
      EXPECT_EQ(time, never) << gap;
    else
      EXPECT_NEAR(time, (10 - std::sqrt(1 - (1 + gap) * (1 + gap))) / 2, 1e-9) << gap;
  }
  // along a plane at any distance, for ever
  const HalfSpace<3> floor(Point<3>(), Tensor<1, 3>({0., 0., 1.}));
  MovingSphere<3> point;
  point.center[2] = 1e-9;
  point.velocity[0] = 1e3;
  EXPECT_EQ(first_contact(point, floor).time, never);
  const Outside<3> ceiling(
      std::make_shared<HalfSpace<3>>(Point<3>(0, 0, 1), Tensor<1, 3>({0., 0., 1.})));
  EXPECT_GT(first_contact(point, ceiling).time, 1e9); // until the way has no digits below 1
}

TEST(ImpactOnShape, UnknownShapesAreGivenUp)
{
  // nearly parallel to the plane: nothing is known but that it is not nearer than its distance
  const UnknownShape<2> floor(std::make_shared<HalfSpace<2>>(Point<2>(), Tensor<1, 2>({0., 1.})));
  MovingSphere<2> point;
  point.center[1] = 1e-3;
  point.velocity = Tensor<1, 2>({1., -1e-9});
  const Impact impact = first_contact(point, floor);
  EXPECT_FALSE(impact.is_exact);
  EXPECT_GT(impact.time, 1);
  EXPECT_LT(impact.time, 1e6);
}
} // namespace
