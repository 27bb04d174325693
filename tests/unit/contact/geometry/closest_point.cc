// Closest points. For a convex face (segment, triangle) a point p of it is the closest one to y if
// and only if (y-p).(x-p) <= 0 for all its corners x: that proves every result, with no second
// implementation. A bilinear quadrilateral is not convex: there the same must hold for the
// tangents, and no sampled point may be closer.

#include <kickdrift/contact/geometry/closest_point.h>

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace
{
using dealii::Point;
using dealii::Tensor;
using KickDrift::closest_point;
using KickDrift::ClosestPoint;

class Random
{
public:
  double
  operator()(const double lower, const double upper)
  {
    return std::uniform_real_distribution<double>(lower, upper)(engine);
  }

  template <int spacedim>
  Point<spacedim>
  point(const double size)
  {
    Point<spacedim> x;
    for (unsigned int d = 0; d < spacedim; ++d)
      x[d] = (*this)(-size, size);
    return x;
  }

private:
  std::mt19937 engine{42};
};

template <int spacedim>
double
largest_coordinate(const std::vector<Point<spacedim>> &corners, const Point<spacedim> &y)
{
  double size = 0;
  for (const auto &x : corners)
    size = std::max(size, x.norm());
  return std::max(size, y.norm());
}

template <int spacedim>
double
diameter(const std::vector<Point<spacedim>> &corners)
{
  double size = 0;
  for (const auto &x : corners)
    size = std::max(size, x.distance(corners[0]));
  return size;
}

/// All that must hold for any face; returns the result.
template <int spacedim>
ClosestPoint<spacedim>
checked_closest_point(const std::vector<Point<spacedim>> &corners, const Point<spacedim> &y)
{
  const auto result = closest_point<spacedim>(corners.data(), corners.size(), y);
  const double round_off = 1e-14 * largest_coordinate(corners, y);
  double sum = 0;
  Point<spacedim> point;
  for (unsigned int i = 0; i < result.weights.size(); ++i)
  {
    EXPECT_GE(result.weights[i], -1e-15);
    sum += result.weights[i];
    if (i < corners.size())
      point += result.weights[i] * corners[i];
    else
      EXPECT_EQ(result.weights[i], 0);
  }
  EXPECT_NEAR(sum, 1, 1e-14);
  EXPECT_LE(point.distance(result.point), round_off);
  EXPECT_NEAR(result.distance, y.distance(result.point), round_off);
  const double length = result.normal.norm();
  EXPECT_TRUE(length == 0 || std::abs(length - 1) < 1e-14) << length;
  return result;
}

template <int spacedim>
void
expect_optimal_on_convex_face(const std::vector<Point<spacedim>> &corners, const Point<spacedim> &y)
{
  const auto result = checked_closest_point(corners, y);
  const double size = diameter(corners), round_off = largest_coordinate(corners, y);
  for (const auto &x : corners)
    EXPECT_LE((y - result.point) * (x - result.point),
              1e-13 * (result.distance + size) * (size + 1e-2 * round_off))
        << y << " from " << result.point;
}

/// Random faces of all sizes, near to and far from the origin; y near and far, with many clamped.
template <int spacedim>
void
test_random_convex_faces()
{
  Random random;
  for (unsigned int n = 0; n < 100000 && !testing::Test::HasFailure(); ++n)
  {
    const double size = std::pow(10., random(-6, 6));
    const Point<spacedim> centre = random.point<spacedim>(n % 3 == 0 ? 1e3 * size : size);
    std::vector<Point<spacedim>> corners;
    for (unsigned int i = 0; i < spacedim; ++i)
      corners.push_back(centre + random.point<spacedim>(size));
    expect_optimal_on_convex_face<spacedim>(
        corners, centre + random.point<spacedim>(size * std::pow(10., random(-2, 2))));
  }
}

TEST(ClosestPointOnSegment, IsOptimal)
{
  test_random_convex_faces<2>();
}
TEST(ClosestPointOnTriangle, IsOptimal)
{
  test_random_convex_faces<3>();
}

TEST(ClosestPointOnSegment, KnownResults)
{
  const std::vector<Point<2>> corners = {{1, 2}, {5, 2}};
  auto result = checked_closest_point(corners, Point<2>(2, 5));
  EXPECT_DOUBLE_EQ(result.weights[1], 0.25);
  EXPECT_DOUBLE_EQ(result.distance, 3);
  EXPECT_EQ(result.normal, (Tensor<1, 2>({0, -1}))); // (4,0) turned by -90 degrees
  result = checked_closest_point(corners, Point<2>(-2, -2));
  EXPECT_EQ(result.point, corners[0]);
  EXPECT_DOUBLE_EQ(result.distance, 5);
  EXPECT_EQ(checked_closest_point(corners, Point<2>(6, 2)).point, corners[1]);
}

TEST(ClosestPointOnSegment, Degenerate)
{
  const std::vector<Point<2>> corners = {{1, 2}, {1, 2}};
  const auto result = checked_closest_point(corners, Point<2>(4, 6));
  EXPECT_EQ(result.point, corners[0]);
  EXPECT_DOUBLE_EQ(result.distance, 5);
  EXPECT_EQ(result.normal.norm(), 0);
}

struct Region
{
  const char *name;
  Point<3> y;
  std::array<double, 3> weights;
};

TEST(ClosestPointOnTriangle, EachRegion)
{
  const std::vector<Point<3>> corners = {{0, 0, 0}, {4, 0, 0}, {0, 2, 0}};
  for (const auto &region :
       {Region{"corner 0", {-1, -2, 3}, {{1, 0, 0}}}, Region{"corner 1", {6, 1, -1}, {{0, 1, 0}}},
        Region{"corner 2", {-1, 5, 1}, {{0, 0, 1}}},
        Region{"edge 01", {1, -3, 2}, {{0.75, 0.25, 0}}},
        Region{"edge 02", {-3, 0.5, 2}, {{0.75, 0, 0.25}}},
        Region{"edge 12", {2 + 1, 1 + 2, 5}, {{0, 0.5, 0.5}}}, // (1,2) is normal to (-4,2)
        Region{"inside", {1, 0.5, -7}, {{0.5, 0.25, 0.25}}}})
  {
    SCOPED_TRACE(region.name);
    const auto result = checked_closest_point(corners, region.y);
    for (unsigned int i = 0; i < 3; ++i)
      EXPECT_NEAR(result.weights[i], region.weights[i], 1e-15);
    EXPECT_EQ(result.normal, (Tensor<1, 3>({0, 0, 1})));
  }
}

// From needles to triangles of no area at all: no not-a-number, and still optimal.
TEST(ClosestPointOnTriangle, Degenerate)
{
  Random random;
  for (unsigned int n = 0; n < 100000 && !HasFailure(); ++n)
  {
    const Point<3> a = random.point<3>(1), b = random.point<3>(1);
    const double height = n % 2 == 0 ? 0 : std::pow(10., random(-16, -1));
    const Point<3> c = a + random(-1, 2) * (b - a) + height * random.point<3>(1);
    const Point<3> y = random.point<3>(2);
    expect_optimal_on_convex_face<3>({a, b, c}, y);
    expect_optimal_on_convex_face<3>({c, a, b}, y);
    expect_optimal_on_convex_face<3>({a, a, b}, y);
    expect_optimal_on_convex_face<3>({b, a, a + height * (b - a)}, y);
    EXPECT_EQ(checked_closest_point<3>({a, a, b}, y).normal.norm(), 0);
    EXPECT_EQ(checked_closest_point<3>({a, a, a}, y).distance, a.distance(y));
  }
}

// ---- bilinear quadrilaterals

/// Position and tangents, from the corners.
struct Bilinear
{
  std::vector<Point<3>> corners;

  Point<3>
  position(const double xi, const double eta) const
  {
    Point<3> x = (1 - xi) * (1 - eta) * corners[0];
    return x + xi * (1 - eta) * corners[1] + (1 - xi) * eta * corners[2] + xi * eta * corners[3];
  }

  Tensor<1, 3>
  xi_tangent(const double eta) const
  {
    return (1 - eta) * (corners[1] - corners[0]) + eta * (corners[3] - corners[2]);
  }

  Tensor<1, 3>
  eta_tangent(const double xi) const
  {
    return (1 - xi) * (corners[2] - corners[0]) + xi * (corners[3] - corners[1]);
  }
};

/// Smallest distance over a grid, improved by minimising exactly over one coordinate at a time.
double
sampled_distance(const Bilinear &face, const Point<3> &y, const unsigned int n)
{
  double best = std::numeric_limits<double>::infinity(), xi = 0, eta = 0;
  for (unsigned int i = 0; i <= n; ++i)
    for (unsigned int j = 0; j <= n; ++j)
    {
      const double square = (y - face.position(i / double(n), j / double(n))).norm_square();
      if (square < best)
      {
        best = square;
        xi = i / double(n);
        eta = j / double(n);
      }
    }
  for (unsigned int i = 0; i < 50; ++i)
  {
    const auto u = face.xi_tangent(eta);
    if (u.norm() > 0)
      xi = std::min(1., std::max(0., (y - face.position(0, eta)) * u / u.norm_square()));
    const auto v = face.eta_tangent(xi);
    if (v.norm() > 0)
      eta = std::min(1., std::max(0., (y - face.position(xi, 0)) * v / v.norm_square()));
  }
  return std::min(std::sqrt(best), y.distance(face.position(xi, eta)));
}

/// First order optimality: the gradient vanishes, or points outwards at a bound.
void
expect_stationary(const double derivative, const double coordinate, const double tolerance)
{
  if (coordinate > 1e-12)
  {
    EXPECT_LE(derivative, tolerance);
  }
  if (coordinate < 1 - 1e-12)
  {
    EXPECT_GE(derivative, -tolerance);
  }
}

void
expect_optimal_on_quadrilateral(const Bilinear &face, const Point<3> &y, const unsigned int n)
{
  const auto result = checked_closest_point(face.corners, y);
  const double xi = result.weights[1] + result.weights[3];
  const double eta = result.weights[2] + result.weights[3];
  const auto u = face.xi_tangent(eta), v = face.eta_tangent(xi), gap = result.point - y;
  const double size = diameter(face.corners);
  const double round_off = size + 1e-2 * largest_coordinate(face.corners, y);
  const double tolerance = 2e-13 * (size + result.distance) * round_off;
  expect_stationary(gap * u, xi, tolerance);
  expect_stationary(gap * v, eta, tolerance);
  EXPECT_LE(result.distance,
            sampled_distance(face, y, n) + 2e-15 * (size + largest_coordinate(face.corners, y)));

  const auto area = cross_product_3d(u, v);
  if (area.norm() > 1e-6 * size * size)
  {
    EXPECT_LE((area / area.norm() - result.normal).norm(), 1e-9);
  }
}

/// A square whose corners are moved by up to @p warp of its edge.
Bilinear
warped_square(Random &random, const double size, const double warp, const Point<3> &centre)
{
  Bilinear face;
  for (unsigned int i = 0; i < 4; ++i)
    face.corners.push_back(centre + size * Point<3>(i % 2, i / 2, 0) +
                           random.point<3>(warp * size));
  return face;
}

// From flat to so strongly warped that many local minima exist; y from close by to far away.
TEST(ClosestPointOnQuadrilateral, IsOptimal)
{
  Random random;
  for (unsigned int n = 0; n < 100000 && !HasFailure(); ++n)
  {
    const double size = std::pow(10., random(-6, 6));
    const Point<3> centre = random.point<3>(n % 3 == 0 ? 1e3 * size : 0);
    const auto face = warped_square(random, size, std::pow(10., random(-4, 0.3)), centre);
    const Point<3> y = centre + random.point<3>(size * std::pow(10., random(-1, 1)));
    SCOPED_TRACE("face " + std::to_string(n));
    expect_optimal_on_quadrilateral(face, y, 12);
  }
}

// y on the axis of a saddle, far beyond the centres of curvature: two minima of equal distance.
TEST(ClosestPointOnQuadrilateral, Saddle)
{
  const Bilinear face{{{0, 0, 1}, {1, 0, -1}, {0, 1, -1}, {1, 1, 1}}};
  for (const double height : {-20., -3., -1., -0.3, 0., 0.3, 1., 3., 20.})
    for (const double shift : {-1e-3, 0., 1e-3})
      expect_optimal_on_quadrilateral(face, Point<3>(0.5 + shift, 0.5, height), 60);
}

TEST(ClosestPointOnQuadrilateral, RectangleIsClamped)
{
  Random random;
  const Bilinear face{{{1, 2, 3}, {5, 2, 3}, {1, 4, 3}, {5, 4, 3}}};
  for (unsigned int n = 0; n < 100000 && !HasFailure(); ++n)
  {
    const Point<3> y = Point<3>(3, 3, 3) + random.point<3>(4);
    const auto result = checked_closest_point(face.corners, y);
    const Point<3> expected(std::min(5., std::max(1., y[0])), std::min(4., std::max(2., y[1])), 3);
    EXPECT_LE(result.point.distance(expected), 1e-14);
    EXPECT_EQ(result.normal, (Tensor<1, 3>({0, 0, 1}))); // the side from which 0,1,3,2 turns left
  }
}

// A flat convex quadrilateral is two triangles; one with two equal corners is a triangle.
TEST(ClosestPointOnQuadrilateral, AgreesWithTriangles)
{
  Random random;
  for (unsigned int n = 0; n < 100000 && !HasFailure(); ++n)
  {
    auto face = warped_square(random, 1, 0.2, Point<3>());
    for (auto &x : face.corners)
      x[2] = 0.3 * x[0] - 0.7 * x[1];
    const auto &x = face.corners;
    const Point<3> y = random.point<3>(2);
    const double d1 = checked_closest_point<3>({x[0], x[1], x[2]}, y).distance;
    const double d2 = checked_closest_point<3>({x[3], x[1], x[2]}, y).distance;
    EXPECT_NEAR(checked_closest_point(x, y).distance, std::min(d1, d2), 1e-13);

    for (const auto &collapsed : {std::vector<Point<3>>{x[0], x[1], x[2], x[2]},
                                  std::vector<Point<3>>{x[0], x[1], x[2], x[1]},
                                  std::vector<Point<3>>{x[0], x[0], x[2], x[1]},
                                  std::vector<Point<3>>{x[0], x[1], x[0], x[2]}})
    {
      const auto result = checked_closest_point(collapsed, y);
      EXPECT_NEAR(result.distance, d1, 1e-13);
      // also where two corners coincide
      EXPECT_NEAR(result.normal.norm(), 1, 1e-14);
    }
  }
}

TEST(ClosestPointOnQuadrilateral, Degenerate)
{
  Random random;
  for (unsigned int n = 0; n < 20000 && !HasFailure(); ++n)
  {
    const Point<3> a = random.point<3>(1), b = random.point<3>(1), c = random.point<3>(1),
                   y = random.point<3>(2);
    const Point<3> m = a + random(-1, 2) * (b - a);
    const double segment =
        sampled_distance({{a, b, a, b}}, y, 1); // exact: linear along the segment, constant across
    for (const auto &corners :
         {std::vector<Point<3>>{a, b, a, b}, std::vector<Point<3>>{a, a, b, b},
          std::vector<Point<3>>{a, a, a, b}, std::vector<Point<3>>{a, b, b, a}})
    {
      const auto result = checked_closest_point(corners, y);
      EXPECT_NEAR(result.distance, segment, 1e-13);
      EXPECT_EQ(result.normal.norm(), 0);
    }
    EXPECT_NEAR(checked_closest_point<3>({a, a, a, a}, y).distance, a.distance(y), 1e-14);
    expect_optimal_on_quadrilateral({{a, b, m, c}}, y, 20); // three corners in line
    expect_optimal_on_quadrilateral({{a, b, c, m}}, y, 20); // folded over itself
  }
}

// Points of the face itself are found again, with their weights.
TEST(ClosestPointOnQuadrilateral, PointsOfTheFace)
{
  Random random;
  for (unsigned int n = 0; n < 100000 && !HasFailure(); ++n)
  {
    const auto face = warped_square(random, 1, 0.2, Point<3>());
    const double xi = random(0, 1), eta = random(0, 1);
    const auto result = checked_closest_point(face.corners, face.position(xi, eta));
    EXPECT_LE(result.distance, 1e-14);
    EXPECT_NEAR(result.weights[1] + result.weights[3], xi, 1e-12);
    EXPECT_NEAR(result.weights[2] + result.weights[3], eta, 1e-12);
  }
}

// A simulation that has blown up must get an answer, whatever it is.
TEST(ClosestPoint, ReturnsForNotANumber)
{
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Point<3>> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, nan}, {1, 1, 1}};
  EXPECT_TRUE(std::isnan(closest_point<3>(corners.data(), 4, Point<3>()).distance));
  EXPECT_TRUE(std::isnan(closest_point<3>(corners.data(), 3, Point<3>(2, 2, nan)).distance));
}
} // namespace
