// Crossings of straight flights, against many small steps.

#include <kickdrift/contact/flight/crossings.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

using namespace KickDrift;
using dealii::Point;
using dealii::Tensor;

namespace
{
template <int dim>
class Flying
{
public:
  Point<dim>
  point()
  {
    Point<dim> result;
    for (unsigned int d = 0; d < dim; ++d)
      result[d] = uniform(random);
    return result;
  }

  StraightFlight<dim>
  flight()
  {
    return {point(), point()};
  }

  std::mt19937 random{7};
  std::uniform_real_distribution<double> uniform{-1, 1};
};

template <int dim>
std::array<Point<dim>, dim>
at(const std::array<StraightFlight<dim>, dim> &corners, const double time)
{
  std::array<Point<dim>, dim> result;
  for (unsigned int k = 0; k < dim; ++k)
    result[k] = corners[k].at(time);
  return result;
}

/// In front of the facet's plane, and is the foot on the facet?
template <int dim>
std::pair<double, double>
gap_and_least_weight(const StraightFlight<dim> &point,
                     const std::array<StraightFlight<dim>, dim> &corners, const double time)
{
  const auto places = at<dim>(corners, time);
  const auto weights = facet_weights<dim>(point.at(time), places);
  return {(point.at(time) - places[0]) * facet_normal<dim>(places),
          *std::min_element(weights.begin(), weights.end())};
}

/// The first of many steps in which a point goes from the front of a facet behind it; 2: none. What
/// is so near to an edge that steps cannot tell makes it not a number.
template <int dim>
double
first_step(const StraightFlight<dim> &point, const std::array<StraightFlight<dim>, dim> &corners)
{
  constexpr unsigned int n = 20000;
  auto before = gap_and_least_weight<dim>(point, corners, 0);
  for (unsigned int i = 1; i <= n; ++i)
  {
    const auto now = gap_and_least_weight<dim>(point, corners, double(i) / n);
    if (before.first > 0 && now.first <= 0 && std::abs(now.first - before.first) < 0.1)
    {
      if (std::min(before.second, now.second) > 0)
        return double(i) / n;
      if (std::max(before.second, now.second) > 0)
        return std::numeric_limits<double>::quiet_NaN();
    }
    before = now;
  }
  return 2;
}

template <int dim>
void
compare_with_steps(const unsigned int n_flights)
{
  Flying<dim> flying;
  unsigned int n_crossings = 0;
  for (unsigned int i = 0; i < n_flights; ++i)
  {
    const auto point = flying.flight();
    std::array<StraightFlight<dim>, dim> corners;
    for (auto &corner : corners)
      corner = flying.flight();
    const double expected = first_step<dim>(point, corners);
    if (std::isnan(expected))
      continue;
    const auto crossing = first_crossing<dim>(point, corners, 0);
    ASSERT_EQ(bool(crossing), expected <= 1) << "flight " << i;
    if (!crossing)
      continue;
    ++n_crossings;
    EXPECT_NEAR(crossing->time, expected, 6e-5);
    // there the point is on the facet
    const auto [gap, weight] = gap_and_least_weight<dim>(point, corners, crossing->time);
    EXPECT_NEAR(gap, 0, 1e-12);
    EXPECT_NEAR(*std::min_element(crossing->weights.begin(), crossing->weights.end()), weight,
                1e-10);
    EXPECT_NEAR((crossing->normal - facet_normal<dim>(at<dim>(corners, crossing->time))).norm(), 0,
                1e-12);
  }
  EXPECT_GT(n_crossings, n_flights / 40);
}
} // namespace

TEST(Crossings, OfPointsAndSegmentsAreThoseOfManySteps)
{
  compare_with_steps<2>(400);
}

TEST(Crossings, OfPointsAndTrianglesAreThoseOfManySteps)
{
  compare_with_steps<3>(600);
}

TEST(Crossings, ThereAndBackIsSeen)
{
  // a segment that tilts from one side to the other, its normal upwards
  const std::array<StraightFlight<2>, 2> segment = {
      {{Point<2>(1, 0.3), Point<2>(1, -0.1)}, {Point<2>(-1, -0.1), Point<2>(-1, 0.3)}}};
  // above it at both ends of the flight, and below it in between
  const StraightFlight<2> point{Point<2>(-0.9, 0), Point<2>(0.9, 0)};
  const auto crossing = first_crossing<2>(point, segment, 0);
  ASSERT_TRUE(crossing);
  EXPECT_GT(crossing->time, 0);
  EXPECT_LT(crossing->time, 0.5);
  // coming from below it is not met before it has been above
  const StraightFlight<2> higher{Point<2>(0.9, 0.2), Point<2>(-0.9, 0.2)};
  const auto second = first_crossing<2>(higher, segment, 0);
  ASSERT_TRUE(second);
  EXPECT_GT(second->time, 0.5);
}

TEST(Crossings, WithinTheBandCountsAsInFront)
{
  const std::array<StraightFlight<2>, 2> segment = {
      {{Point<2>(1, 0), Point<2>(1, 0)}, {Point<2>(-1, 0), Point<2>(-1, 0)}}};
  const auto through = [&](const double height, const double band) {
    return first_crossing<2>({Point<2>(0.2, height), Point<2>(0.2, -1)}, segment, band);
  };
  EXPECT_FALSE(through(-1e-12, 0));
  ASSERT_TRUE(through(-1e-12, 1e-11));
  EXPECT_EQ(through(-1e-12, 1e-11)->time, 0);
  EXPECT_FALSE(through(-1e-10, 1e-11));
}

TEST(Crossings, WhatTouchesCrossesIfItEndsBehind)
{
  // a segment that turns about the point that touches it: there and back by twice the rounding
  const double band = 1e-11;
  for (const double start : {-0.5 * band, 0., 0.5 * band})
  {
    const std::array<StraightFlight<2>, 2> segment = {
        {{Point<2>(1, 0), Point<2>(1, 0.4)}, {Point<2>(-1, 0), Point<2>(-1, -0.4)}}};
    const auto to = [&](const double height) {
      return first_crossing<2>({Point<2>(-0.5, start), Point<2>(0.5, height)}, segment, band);
    };
    EXPECT_FALSE(to(0.2 + 2 * band)) << start;
    EXPECT_FALSE(to(0.2 - 0.5 * band)) << start;
    ASSERT_TRUE(to(0.1)) << start;
  }
  // no longer within the band it is there and back
  const std::array<StraightFlight<2>, 2> segment = {
      {{Point<2>(1, 0), Point<2>(1, 0.4)}, {Point<2>(-1, 0), Point<2>(-1, -0.4)}}};
  EXPECT_FALSE(first_crossing<2>({Point<2>(-0.5, 2 * band), Point<2>(0.5, 0.3)}, segment, band));
}

TEST(Crossings, OfEdgesAreThoseOfManySteps)
{
  Flying<3> flying;
  unsigned int n_crossings = 0;
  for (unsigned int i = 0; i < 400; ++i)
  {
    const std::array<StraightFlight<3>, 2> a = {{flying.flight(), flying.flight()}};
    const std::array<StraightFlight<3>, 2> b = {{flying.flight(), flying.flight()}};
    std::array<EdgeCrossing, 4> crossings;
    const unsigned int n = find_crossings(a, b, 0, crossings);
    // signed volume of the four ends, and where the lines are nearest
    struct Look
    {
      double volume, least, most;
    };
    const auto look = [&](const double t)
    {
      const Tensor<1, 3> u = a[1].at(t) - a[0].at(t), v = b[1].at(t) - b[0].at(t);
      const Tensor<1, 3> w = b[0].at(t) - a[0].at(t), across = cross_product_3d(u, v);
      const double s = w * cross_product_3d(v, across) / across.norm_square();
      const double r = w * cross_product_3d(u, across) / across.norm_square();
      return Look{-(w * across), std::min(s, r), std::max(s, r)};
    };
    unsigned int n_expected = 0;
    bool is_clear = true;
    constexpr unsigned int n_steps = 20000;
    Look before = look(0);
    for (unsigned int k = 1; k <= n_steps; ++k)
    {
      const Look now = look(double(k) / n_steps);
      if ((before.volume > 0) != (now.volume > 0))
      {
        const bool first_on = before.least > 0 && before.most < 1;
        const bool then_on = now.least > 0 && now.most < 1;
        is_clear = is_clear && first_on == then_on;
        n_expected += first_on;
      }
      before = now;
    }
    if (!is_clear)
      continue;
    EXPECT_EQ(n, n_expected) << "flight " << i;
    n_crossings += n;
    for (unsigned int c = 0; c < n; ++c)
    {
      const EdgeCrossing &crossing = crossings[c];
      const auto place = [&](const auto &edge, const double along, const double t)
      { return edge[0].at(t) + along * (edge[1].at(t) - edge[0].at(t)); };
      const double t = crossing.time;
      EXPECT_NEAR((place(a, crossing.place[0], t) - place(b, crossing.place[1], t)).norm(), 0,
                  1e-9);
      // just before, the first edge is on the side that the direction says
      const double earlier = t - 1e-6;
      EXPECT_GT((place(a, crossing.place[0], earlier) - place(b, crossing.place[1], earlier)) *
                    crossing.direction,
                0);
    }
  }
  EXPECT_GT(n_crossings, 20u);
}

TEST(Crossings, EdgesThatTouchCrossIfTheyEndApart)
{
  // one edge sinks onto another one, or rests on it, within what contacts leave
  const double band = 1e-11;
  const auto crossings = [&](const double begin, const double end)
  {
    const std::array<StraightFlight<3>, 2> above = {{{Point<3>(-1, 0, begin), Point<3>(-1, 0, end)},
                                                     {Point<3>(1, 0, begin), Point<3>(1, 0, end)}}};
    const std::array<StraightFlight<3>, 2> below = {
        {{Point<3>(0, -1, 0), Point<3>(0, -1, 0)}, {Point<3>(0, 1, 0), Point<3>(0, 1, 0)}}};
    std::array<EdgeCrossing, 4> found;
    const unsigned int n = find_crossings(above, below, band, found);
    return std::vector<EdgeCrossing>(found.begin(), found.begin() + n);
  };
  for (const double begin : {-9 * band, -2 * band, -0.5 * band, 0., 0.5 * band, 9 * band})
  {
    for (const double end : {-9 * band, 0., 9 * band})
      EXPECT_TRUE(crossings(begin, end).empty()) << begin << " " << end;
    // wherever it was left, it is held when it goes on
    const auto found = crossings(begin, -20 * band);
    ASSERT_FALSE(found.empty()) << begin;
    for (const EdgeCrossing &crossing : found)
      EXPECT_GT(crossing.direction[2], 0.99) << begin;
  }
  ASSERT_EQ(crossings(1e-3, -1e-3).size(), 1u);
  EXPECT_NEAR(crossings(1e-3, -1e-3)[0].time, 0.5, 1e-12);
}

TEST(Crossings, RootsOfCubics)
{
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-0.5, 1.5);
  for (unsigned int i = 0; i < 2000; ++i)
  {
    std::array<double, 3> roots = {{uniform(random), uniform(random), uniform(random)}};
    std::sort(roots.begin(), roots.end());
    if (roots[1] - roots[0] < 1e-3 || roots[2] - roots[1] < 1e-3)
      continue;
    const double scale = uniform(random) + 1;
    const std::array<double, 4> cubic = {
        {-scale * roots[0] * roots[1] * roots[2],
         scale * (roots[0] * roots[1] + roots[1] * roots[2] + roots[0] * roots[2]),
         -scale * (roots[0] + roots[1] + roots[2]), scale}};
    std::array<double, 3> found;
    const unsigned int n = find_roots(cubic, found);
    unsigned int k = 0;
    for (const double root : roots)
      if (root > 0 && root < 1)
      {
        ASSERT_LT(k, n);
        EXPECT_NEAR(found[k++], root, 1e-11);
      }
    EXPECT_EQ(k, n);
  }
}
