// Closest points of curved faces against sampling, and where they are known.

#include <kickdrift/contact/geometry/closest_point.h>
#include <kickdrift/contact/geometry/curved_face.h>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace
{
using namespace KickDrift;
using dealii::Point;

template <int spacedim>
std::vector<Point<spacedim>>
random_points(std::mt19937 &engine, const unsigned int degree)
{
  std::uniform_real_distribution<double> random(-0.3, 0.3);
  std::vector<Point<spacedim>> points;
  const unsigned int n = degree + 1;
  for (unsigned int i = 0; i < (spacedim == 2 ? n : n * n); ++i)
  {
    Point<spacedim> x;
    x[0] = double(i % n) / degree;
    if (spacedim == 3)
      x[1] = double(i / n) / degree;
    for (unsigned int d = 0; d < spacedim; ++d)
      x[d] += random(engine);
    points.push_back(x);
  }
  return points;
}

/// Lagrange's formula.
template <int spacedim>
Point<spacedim>
interpolated(const std::vector<Point<spacedim>> &points, const unsigned int degree, const double u,
             const double v)
{
  const auto shape = [degree](const unsigned int i, const double t)
  {
    double product = 1;
    for (unsigned int k = 0; k <= degree; ++k)
      if (k != i)
        product *= (degree * t - k) / (double(i) - k);
    return product;
  };
  Point<spacedim> x;
  for (unsigned int i = 0; i < points.size(); ++i)
    x += shape(i % (degree + 1), u) * (spacedim == 2 ? 1. : shape(i / (degree + 1), v)) * points[i];
  return x;
}

template <int spacedim>
void
check_against_samples(const unsigned int n_faces)
{
  std::mt19937 engine(2);
  std::uniform_real_distribution<double> random(-1, 2);
  for (unsigned int degree = 1; degree <= 3; ++degree)
    for (unsigned int f = 0; f < n_faces; ++f)
    {
      const auto points = random_points<spacedim>(engine, degree);
      const CurvedFace<spacedim> face(points, degree);
      const Box<spacedim> box = face.bounding_box();
      Point<spacedim> y;
      for (unsigned int d = 0; d < spacedim; ++d)
        y[d] = random(engine);
      const auto closest = face.closest_point(y);
      EXPECT_NEAR((closest.point - y).norm(), closest.distance, 1e-14);
      EXPECT_TRUE(face.is_within(y, closest.distance * (1 + 1e-12)));
      EXPECT_FALSE(face.is_within(y, closest.distance * (1 - 1e-5)));
      EXPECT_NEAR((face.at(closest.coordinates) - closest.point).norm(), 0, 1e-14);

      constexpr unsigned int n = 40;
      double smallest = 1e300;
      for (unsigned int i = 0; i <= n; ++i)
        for (unsigned int j = 0; j <= (spacedim == 2 ? 0 : n); ++j)
        {
          Point<spacedim - 1> xi;
          xi[0] = double(i) / n;
          if constexpr (spacedim == 3)
            xi[1] = double(j) / n;
          const auto x = interpolated(points, degree, xi[0], double(j) / n);
          EXPECT_NEAR((face.at(xi) - x).norm(), 0, 1e-13);
          for (unsigned int d = 0; d < spacedim; ++d)
          {
            EXPECT_LE(box.lower[d], x[d] + 1e-14);
            EXPECT_GE(box.upper[d], x[d] - 1e-14);
          }
          smallest = std::min(smallest, (x - y).norm());
        }
      ASSERT_LE(closest.distance, smallest + 1e-12) << degree << " " << f;
      ASSERT_GE(closest.distance, smallest - 4. / n) << degree << " " << f;
      if (degree == 1)
      {
        EXPECT_NEAR(closest.distance,
                    KickDrift::closest_point(points.data(), points.size(), y).distance, 1e-10);
      }
    }
}

TEST(CurvedFace, NoSampleIsCloser)
{
  check_against_samples<2>(200);
  check_against_samples<3>(20);
}

TEST(CurvedFaceSlow, NoSampleIsCloser)
{
  check_against_samples<2>(20000);
  check_against_samples<3>(2000);
}

TEST(CurvedFace, Parabola)
{
  // y = x^2 between -1 and 1; from (0, a) the closest points are at x^2 = a - 1/2
  const CurvedFace<2> face({{-1, 1}, {0, 0}, {1, 1}}, 2);
  for (const double a : {-1., 0., 0.25, 0.5, 0.75, 1.25})
  {
    const double x = std::sqrt(std::max(0., a - 0.5));
    const auto closest = face.closest_point({0, a});
    EXPECT_NEAR(closest.distance, std::hypot(x, a - x * x), 1e-12) << a;
    EXPECT_NEAR(std::abs(closest.point[0]), x, a == 0.5 ? 1e-3 : 1e-6) << a;
  }
  EXPECT_NEAR(face.closest_point({2, 1}).distance, 1, 1e-15);
  EXPECT_NEAR(face.closest_point({0.5, 0.25}).distance, 0, 1e-14);
}

TEST(CurvedFace, Degenerate)
{
  const std::vector<Point<3>> all_equal(9, Point<3>(1, 2, 3));
  EXPECT_NEAR(CurvedFace<3>(all_equal, 2).closest_point({1, 2, 0}).distance, 3, 1e-15);
  EXPECT_ANY_THROW(CurvedFace<3>(all_equal, 3));
  EXPECT_ANY_THROW(CurvedFace<3>(all_equal, 4));
}
} // namespace
