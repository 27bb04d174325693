// Distances and overlaps of primitives and bounding volumes against other ways to find them, in
// extended precision: random configurations, and degenerate ones on a lattice of few points, where
// things touch, are parallel, coincide or have no size.

#include <kickdrift/contact/geometry/bounding_volumes.h>
#include <kickdrift/contact/geometry/closest_point.h>
#include <kickdrift/contact/geometry/segments.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace
{
using namespace KickDrift;
using dealii::Point;
using dealii::Tensor;

using Real = long double;

struct Vector
{
  Real x = 0, y = 0, z = 0;
};

Vector
operator+(const Vector &a, const Vector &b)
{
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
Vector
operator-(const Vector &a, const Vector &b)
{
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
Vector
operator*(const Real s, const Vector &a)
{
  return {s * a.x, s * a.y, s * a.z};
}
Real
operator*(const Vector &a, const Vector &b)
{
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
Real
norm(const Vector &a)
{
  return std::sqrt(a * a);
}

Vector
cross(const Vector &a, const Vector &b)
{
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

template <int spacedim>
Vector
vector(const Point<spacedim> &p)
{
  Vector v{p[0], p[1], 0};
  if constexpr (spacedim == 3)
    v.z = p[2];
  return v;
}

Real
clamped_ratio(const Real dividend, const Real divisor)
{
  return divisor > 0 ? std::min(Real(1), std::max(Real(0), dividend / divisor)) : Real(0);
}

Real
distance_to_segment(const Vector &y, const Vector &a, const Vector &b)
{
  return norm(a + clamped_ratio((y - a) * (b - a), (b - a) * (b - a)) * (b - a) - y);
}

/// The distance to the plane if the foot is within, else that to the nearest edge.
Real
distance_to_triangle(const Vector &y, const std::array<Vector, 4> &x)
{
  Real distance = std::min({distance_to_segment(y, x[0], x[1]), distance_to_segment(y, x[1], x[2]),
                            distance_to_segment(y, x[2], x[0])});
  const Vector n = cross(x[1] - x[0], x[2] - x[0]);
  const Real square = n * n;
  bool inside = square > 0;
  for (unsigned int i = 0; i < 3; ++i)
    inside = inside && cross(x[(i + 1) % 3] - x[i], y - x[i]) * n >= 0;
  if (inside)
    distance = std::min(distance, std::abs((y - x[0]) * n) / std::sqrt(square));
  return distance;
}

/// Lines of one coordinate are straight: the distance to them is known, and their other coordinate
/// is searched on a grid, then by cutting intervals down around the best places.
Real
distance_to_quadrilateral(const Vector &y, const std::array<Vector, 4> &x)
{
  const auto to_line = [&](const Real s)
  { return distance_to_segment(y, x[0] + s * (x[2] - x[0]), x[1] + s * (x[3] - x[1])); };
  constexpr int n = 24;
  std::array<Real, n + 1> value;
  for (int i = 0; i <= n; ++i)
    value[i] = to_line(Real(i) / n);
  Real best = *std::min_element(value.begin(), value.end());
  for (int i = 0; i <= n; ++i)
    if ((i == 0 || value[i] <= value[i - 1]) && (i == n || value[i] <= value[i + 1]))
    {
      const Real golden = (std::sqrt(Real(5)) - 1) / 2;
      Real left = Real(std::max(i - 1, 0)) / n, right = Real(std::min(i + 1, n)) / n;
      for (unsigned int k = 0; k < 70; ++k)
      {
        const Real a = right - golden * (right - left), b = left + golden * (right - left);
        (to_line(a) <= to_line(b) ? right : left) = to_line(a) <= to_line(b) ? b : a;
      }
      best = std::min(best, to_line((left + right) / 2));
    }
  return best;
}

/// Both lines' common perpendicular if its feet are within, else an end of one of the segments.
Real
distance_of_segments(const Vector &a, const Vector &b, const Vector &c, const Vector &d)
{
  Real distance = std::min({distance_to_segment(a, c, d), distance_to_segment(b, c, d),
                            distance_to_segment(c, a, b), distance_to_segment(d, a, b)});
  const Vector u = b - a, v = d - c, r = c - a, n = cross(u, v);
  const Real square = n * n;
  if (square > 0)
  {
    const Real s = cross(r, v) * n / square, t = cross(r, u) * n / square;
    if (s >= 0 && s <= 1 && t >= 0 && t <= 1)
      distance = std::min(distance, norm(a + s * u - (c + t * v)));
  }
  return distance;
}

enum class Kind
{
  random,
  lattice
};

class Points
{
public:
  explicit Points(const Kind kind) : kind(kind) {}

  template <int spacedim>
  Point<spacedim>
  next()
  {
    Point<spacedim> p;
    for (unsigned int d = 0; d < spacedim; ++d)
      p[d] = kind == Kind::random ? std::uniform_real_distribution<double>(-1, 1)(engine)
                                  : std::uniform_int_distribution<int>(-1, 2)(engine);
    return p;
  }

  /// A length of any order of magnitude.
  double
  scale()
  {
    return std::pow(10., std::uniform_int_distribution<int>(-40, 40)(engine));
  }

private:
  const Kind kind;
  std::mt19937 engine{11};
};

template <int spacedim>
void
check_faces(const unsigned int n_corners, const unsigned int n, const Kind kind)
{
  Points points(kind);
  for (unsigned int i = 0; i < n; ++i)
  {
    const double scale = points.scale();
    const Point<spacedim> y = points.next<spacedim>();
    std::array<Point<spacedim>, 4> corners, scaled;
    std::array<Vector, 4> x;
    for (unsigned int c = 0; c < n_corners; ++c)
    {
      corners[c] = points.next<spacedim>();
      scaled[c] = Point<spacedim>(scale * corners[c]);
      x[c] = vector(corners[c]);
    }
    const double expected = n_corners == 2   ? distance_to_segment(vector(y), x[0], x[1])
                            : n_corners == 3 ? distance_to_triangle(vector(y), x)
                                             : distance_to_quadrilateral(vector(y), x);
    const auto found = closest_point(corners.data(), n_corners, y);
    // not larger than what is known, and the distance of a point that is on the face
    ASSERT_LE(found.distance, expected + 2e-12) << i;
    Vector on_face;
    Real sum = 0;
    for (unsigned int c = 0; c < n_corners; ++c)
    {
      ASSERT_GE(found.weights[c], -1e-15) << i;
      sum += found.weights[c];
      on_face = on_face + found.weights[c] * x[c];
    }
    ASSERT_NEAR(sum, 1, 1e-15) << i;
    if (n_corners == 4)
    {
      ASSERT_NEAR(found.weights[0] * found.weights[3], found.weights[1] * found.weights[2], 1e-15)
          << i;
    }
    ASSERT_NEAR(norm(on_face - vector(y)), found.distance, 1e-14) << i;
    ASSERT_NEAR(norm(on_face - vector(found.point)), 0, 1e-14) << i;
    ASSERT_NEAR(closest_point(scaled.data(), n_corners, Point<spacedim>(scale * y)).distance /
                    scale,
                found.distance, 1e-12)
        << i << " " << scale;
  }
}

void
check_segments(const unsigned int n, const Kind kind)
{
  Points points(kind);
  for (unsigned int i = 0; i < n; ++i)
  {
    std::array<Point<3>, 4> p;
    std::array<Vector, 4> x;
    for (unsigned int c = 0; c < 4; ++c)
    {
      p[c] = points.next<3>();
      x[c] = vector(p[c]);
    }
    const auto found = closest_points({p[0], p[1]}, {p[2], p[3]});
    ASSERT_NEAR(found.distance, double(distance_of_segments(x[0], x[1], x[2], x[3])), 1e-12) << i;
  }
}

/// Two clouds of points and volumes around them: none may be told apart that are not, nor may a
/// bound be larger than the distance of what is inside; points of the hulls stand for that.
template <int spacedim>
class Clouds
{
public:
  explicit Clouds(const Kind kind) : points(kind), kind(kind) {}

  void
  next()
  {
    Tensor<1, spacedim> offset = points.template next<spacedim>();
    offset *= kind == Kind::random ? 1.5 : 1.;
    for (auto *cloud : {&first, &second})
    {
      cloud->clear();
      for (unsigned int i = 0; i < 4; ++i)
        cloud->push_back(points.template next<spacedim>() +
                         (cloud == &first ? Tensor<1, spacedim>() : offset));
    }
    distance = 1e300;
    for (const auto &p : samples(first))
      for (const auto &q : samples(second))
        distance = std::min(distance, (p - q).norm());
  }

  template <typename Enclose>
  void
  check(const Enclose &enclose, const Tensor<1, spacedim> &by) const
  {
    const auto a = enclose(cone(first)), b = enclose(cone(second));
    const double bound = distance_bound(a, b);
    ASSERT_LE(bound, distance + 1e-14);
    ASSERT_EQ(overlap(a, b), overlap(b, a));
    ASSERT_EQ(overlap(a, b), bound == 0);
    // moved halfway, it must still touch what the swept volume is made from
    std::vector<Point<spacedim>> moved;
    for (const auto &p : first)
      moved.push_back(p + 0.4 * by);
    const auto s = swept(a, by);
    for (const auto &p : moved)
    {
      const std::vector<Point<spacedim>> point = {p};
      ASSERT_TRUE(overlap(s, enclose(cone(point))));
    }
  }

  Tensor<1, spacedim>
  displacement()
  {
    return points.template next<spacedim>();
  }

private:
  static dealii::ArrayView<const Point<spacedim>>
  cone(const std::vector<Point<spacedim>> &cloud)
  {
    return {cloud.data(), cloud.size()};
  }

  static std::vector<Point<spacedim>>
  samples(const std::vector<Point<spacedim>> &cloud)
  {
    std::vector<Point<spacedim>> result = cloud;
    for (unsigned int i = 0; i < cloud.size(); ++i)
      for (unsigned int j = 0; j < i; ++j)
        for (const double s : {0.25, 0.5})
          result.push_back(cloud[i] + s * (cloud[j] - cloud[i]));
    return result;
  }

  Points points;
  const Kind kind;
  std::vector<Point<spacedim>> first, second;
  double distance;
};

template <int spacedim>
void
check_volumes(const unsigned int n, const Kind kind)
{
  using NormalCone = dealii::ArrayView<const Point<spacedim>>;
  Clouds<spacedim> clouds(kind);
  for (unsigned int i = 0; i < n; ++i)
  {
    clouds.next();
    const auto by = clouds.displacement();
    clouds.check([](const NormalCone &p) { return enclosing_sphere(p); }, by);
    clouds.check([](const NormalCone &p) { return enclosing_box(p); }, by);
    clouds.check([](const NormalCone &p) { return enclosing_oriented_box(p); }, by);
    if constexpr (spacedim == 2)
      clouds.check([](const NormalCone &p) { return enclosing_polytope<2, 8>(p); }, by);
    else
    {
      clouds.check([](const NormalCone &p) { return enclosing_polytope<3, 6>(p); }, by);
      clouds.check([](const NormalCone &p) { return enclosing_polytope<3, 14>(p); }, by);
      clouds.check([](const NormalCone &p) { return enclosing_polytope<3, 18>(p); }, by);
      clouds.check([](const NormalCone &p) { return enclosing_polytope<3, 26>(p); }, by);
    }
    if (testing::Test::HasFatalFailure())
      FAIL() << "clouds " << i;
  }
}

constexpr unsigned int few = 10000, many = 1000000;

void
check_all_faces(const unsigned int n, const Kind kind)
{
  check_faces<2>(2, n, kind);
  check_faces<3>(3, n, kind);
}

TEST(Primitives, Faces)
{
  check_all_faces(few, Kind::random);
}
TEST(Primitives, DegenerateFaces)
{
  check_all_faces(few, Kind::lattice);
}
TEST(Primitives, Quadrilaterals)
{
  check_faces<3>(4, few / 5, Kind::random);
}
TEST(Primitives, DegenerateQuadrilaterals)
{
  check_faces<3>(4, few / 5, Kind::lattice);
}
TEST(Primitives, Segments)
{
  check_segments(few, Kind::random);
  check_segments(few, Kind::lattice);
}
TEST(Primitives, Volumes)
{
  for (const Kind kind : {Kind::random, Kind::lattice})
  {
    check_volumes<2>(few / 10, kind);
    check_volumes<3>(few / 10, kind);
  }
}

TEST(PrimitivesSlow, Faces)
{
  check_all_faces(many, Kind::random);
  check_all_faces(many, Kind::lattice);
}
TEST(PrimitivesSlow, Quadrilaterals)
{
  check_faces<3>(4, many, Kind::random);
  check_faces<3>(4, 2 * few, Kind::lattice);
}
TEST(PrimitivesSlow, Segments)
{
  check_segments(many, Kind::random);
  check_segments(many, Kind::lattice);
}
TEST(PrimitivesSlow, Volumes)
{
  for (const Kind kind : {Kind::random, Kind::lattice})
  {
    check_volumes<2>(many, kind);
    check_volumes<3>(many, kind);
  }
}

/// Volumes get tighter in the order in which they are tried.
TEST(Primitives, PolytopesAreTighterThanBoxes)
{
  const std::vector<Point<3>> a = {{0, 0, 0}, {1, 1, 1}}, b = {{0.7, 0, 0}, {0.9, 0.2, 0.2}};
  const dealii::ArrayView<const Point<3>> first(a.data(), 2), second(b.data(), 2);
  EXPECT_TRUE(overlap(enclosing_sphere(first), enclosing_sphere(second)));
  EXPECT_TRUE(overlap(enclosing_box(first), enclosing_box(second)));
  EXPECT_FALSE((overlap(enclosing_polytope<3, 14>(first), enclosing_polytope<3, 14>(second))));
  EXPECT_FALSE((overlap(enclosing_polytope<3, 18>(first), enclosing_polytope<3, 18>(second))));
  EXPECT_FALSE(overlap(enclosing_oriented_box(first), enclosing_oriented_box(second)));
  EXPECT_NEAR(distance_bound(enclosing_oriented_box(first), enclosing_oriented_box(second)),
              0.7 * std::sqrt(0.5), 0.11);
}
} // namespace
