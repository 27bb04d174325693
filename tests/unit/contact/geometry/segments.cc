// Closest points of two segments.

#include <kickdrift/contact/geometry/segments.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

using namespace KickDrift;
using dealii::Point;

TEST(Segments, closest_points_are_those_of_brute_force)
{
  std::mt19937 random(42);
  std::uniform_real_distribution<double> number(-1, 1);
  const auto point = [&]() { return Point<3>(number(random), number(random), number(random)); };
  unsigned int n_inside = 0;
  for (unsigned int run = 0; run < 3000; ++run)
  {
    SCOPED_TRACE(run);
    Segment a{{point(), point()}}, b{{point(), point()}};
    const double tiny = std::pow(10., -4. * (run % 5));
    switch (run % 7)
    {
    case 1: // parallel, or nearly so
      b[1] = b[0] + 0.7 * (a[1] - a[0]) + tiny * 1e-8 * (b[1] - b[0]);
      break;
    case 2: // on one line
      b = {{a[0] + number(random) * (a[1] - a[0]), a[0] + 2 * number(random) * (a[1] - a[0])}};
      break;
    case 3: // no length
      b[1] = b[0];
      break;
    case 4:
      a[1] = a[0];
      break;
    case 5:
      a[1] = a[0];
      b[1] = b[0];
      break;
    case 6: // very different lengths
      b[1] = b[0] + tiny * (b[1] - b[0]);
    }
    const auto closest = closest_points(a, b);
    ASSERT_GE(std::min(closest.s, closest.t), 0);
    ASSERT_LE(std::max(closest.s, closest.t), 1);
    EXPECT_NEAR(closest.distance, point_on(a, closest.s).distance(point_on(b, closest.t)), 1e-14);
    n_inside += closest.s > 0 && closest.s < 1 && closest.t > 0 && closest.t < 1;
    constexpr unsigned int n = 100;
    for (unsigned int i = 0; i <= n; ++i)
      for (unsigned int j = 0; j <= n; ++j)
        ASSERT_LE(closest.distance,
                  point_on(a, double(i) / n).distance(point_on(b, double(j) / n)) + 1e-13);
  }
  EXPECT_GT(n_inside, 100u);
}
