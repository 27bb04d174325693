// Times of first contact against conservative advancement: from the distance now and the largest
// speed follows until when there cannot be contact. That never misses one, and needs nothing but
// distances, which have tests of their own.

#include <kickdrift/contact/ccd/impact_time.h>
#include <kickdrift/contact/geometry/closest_point.h>
#include <kickdrift/contact/geometry/segments.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace
{
using namespace KickDrift;
using dealii::make_array_view;
using dealii::Point;
using dealii::Tensor;

constexpr double never = std::numeric_limits<double>::infinity();

/// What approaches: a distance as a function of time, and how fast it can change.
template <typename Distance>
struct Reference
{
  Distance distance;
  double speed; ///< that the distance cannot change faster than
  double size;  ///< of distances, for round-off
};

template <typename Distance>
Reference(Distance, double, double) -> Reference<Distance>;

/// Compare an impact with the reference in units in which positions and times are of order one.
template <typename Distance>
void
check(const Impact &impact, const Reference<Distance> &reference, const double horizon,
      const std::string &what)
{
  const double round_off = 1e-12 * reference.size, near = 10 * round_off;
  // it is a contact
  if (impact.time < never && impact.is_exact)
  {
    EXPECT_LE(reference.distance(impact.time), round_off) << what;
  }
  // that no other comes before
  double time = 0, distance = reference.distance(0);
  for (unsigned int i = 0; i < 300 && distance > near && time < horizon; ++i)
  {
    time += reference.speed > 0 ? distance / reference.speed : never;
    if (time <= horizon)
      distance = reference.distance(time);
  }
  const double latest = std::min(impact.time, horizon);
  EXPECT_GE(latest, std::min(time, horizon) - 1e-10 * (1 + time)) << what;
  // and it is not late: until then they are apart
  if (time <= horizon && distance <= near)
  {
    const double late = impact.time - time;
    if (late > 1e-10 * (1 + time))
    {
      EXPECT_LE(reference.distance(time + 0.5 * std::min(late, 1e-9)), 10 * near) << what;
    }
    EXPECT_LE(impact.time, horizon * (1 + 1e-12)) << what;
  }
}

class Random
{
public:
  double
  operator()(const double lower, const double upper)
  {
    return std::uniform_real_distribution<double>(lower, upper)(engine);
  }

  /// Whole numbers, such that many things are parallel, coincide or have no size.
  int
  whole(const int lower, const int upper)
  {
    return std::uniform_int_distribution<int>(lower, upper)(engine);
  }

  template <int spacedim>
  MovingPoint<spacedim>
  point()
  {
    MovingPoint<spacedim> p;
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      p.position[d] = (*this)(-1, 1);
      p.velocity[d] = (*this)(-1, 1);
    }
    return p;
  }

  template <int spacedim>
  MovingPoint<spacedim>
  lattice_point()
  {
    MovingPoint<spacedim> p;
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      p.position[d] = whole(-2, 2);
      p.velocity[d] = whole(-1, 1);
    }
    return p;
  }

private:
  std::mt19937 engine{7};
};

template <int spacedim>
MovingPoint<spacedim>
scaled(MovingPoint<spacedim> p, const double length, const double time)
{
  p.position = Point<spacedim>(length * p.position);
  p.velocity *= length / time;
  return p;
}

template <int spacedim>
double
largest_relative_speed(const std::vector<MovingPoint<spacedim>> &a,
                       const std::vector<MovingPoint<spacedim>> &b)
{
  double largest = 0;
  for (const auto &p : a)
    for (const auto &q : b)
      largest = std::max(largest, (p.velocity - q.velocity).norm());
  return largest;
}

/// The times are scaled as well: any unit must do.
template <int spacedim>
void
check_face(const MovingPoint<spacedim> &point, const std::vector<MovingPoint<spacedim>> &corners,
           const double horizon, const double length, const double time, const std::string &what)
{
  const auto distance = [&](const double t)
  {
    std::array<Point<spacedim>, 4> x;
    for (unsigned int i = 0; i < corners.size(); ++i)
      x[i] = corners[i].at(t);
    if (spacedim == 3 && corners.size() == 2)
      x[2] = x[1];
    const unsigned int n = spacedim == 3 ? std::max<unsigned int>(3, corners.size()) : 2;
    return closest_point(x.data(), n, point.at(t)).distance;
  };
  std::vector<MovingPoint<spacedim>> scaled_corners;
  for (const auto &corner : corners)
    scaled_corners.push_back(scaled(corner, length, time));
  Impact impact = first_contact(
      scaled(point, length, time),
      dealii::ArrayView<const MovingPoint<spacedim>>(scaled_corners.data(), scaled_corners.size()),
      horizon * time);
  impact.time /= time;
  const double speed = largest_relative_speed<spacedim>({point}, corners);
  // where the tangents of a warped face are parallel, distances are precise to 1e-11 only
  const double size = (corners.size() == 4 ? 10. : 1.) * (8 + horizon * speed);
  check(impact, Reference{distance, speed, size}, horizon, what);
}

void
check_edges(const std::vector<MovingPoint<3>> &a, const std::vector<MovingPoint<3>> &b,
            const double horizon, const std::string &what)
{
  const auto distance = [&](const double t) {
    return closest_points({a[0].at(t), a[1].at(t)}, {b[0].at(t), b[1].at(t)}).distance;
  };
  const Impact impact =
      first_contact_of_edges(dealii::ArrayView<const MovingPoint<3>>(a.data(), 2),
                             dealii::ArrayView<const MovingPoint<3>>(b.data(), 2), horizon);
  const double speed = largest_relative_speed(a, b);
  check(impact, Reference{distance, speed, 8 + horizon * speed}, horizon, what);
}

/// Make @p point hit the face at a place and time that are chosen at random.
template <int spacedim>
void
aim(MovingPoint<spacedim> &point, const std::vector<MovingPoint<spacedim>> &corners, Random &random)
{
  const double time = random(0.1, 1);
  Tensor<1, spacedim> target;
  double rest = 1;
  for (unsigned int i = 0; i < corners.size(); ++i)
  {
    const double weight = i + 1 < corners.size() ? random(0, rest) : rest;
    target += weight * corners[i].at(time);
    rest -= weight;
  }
  point.velocity = (target - point.position) / time;
}

template <int spacedim>
void
check_random_faces(const unsigned int n_corners, const unsigned int n)
{
  Random random;
  for (unsigned int i = 0; i < n; ++i)
  {
    std::vector<MovingPoint<spacedim>> corners;
    for (unsigned int c = 0; c < n_corners; ++c)
      corners.push_back(random.point<spacedim>());
    auto point = random.point<spacedim>();
    if (i % 4 != 0)
      aim(point, corners, random);
    const double length = std::pow(10., random.whole(-12, 12)),
                 time = std::pow(10., random.whole(-12, 12));
    check_face(point, corners, 2., length, time, "random face " + std::to_string(i));
    if (testing::Test::HasFailure())
      return;
  }
}

template <int spacedim>
void
check_degenerate_faces(const unsigned int n_corners, const unsigned int n)
{
  Random random;
  for (unsigned int i = 0; i < n; ++i)
  {
    std::vector<MovingPoint<spacedim>> corners;
    for (unsigned int c = 0; c < n_corners; ++c)
      corners.push_back(c > 0 && random.whole(0, 4) == 0 ? corners[0]
                                                         : random.lattice_point<spacedim>());
    check_face(random.lattice_point<spacedim>(), corners, 4., 1., 1.,
               "face on lattice " + std::to_string(i));
    if (testing::Test::HasFailure())
      return;
  }
}

void
check_random_edges(const unsigned int n, const bool degenerate)
{
  Random random;
  for (unsigned int i = 0; i < n; ++i)
  {
    std::vector<MovingPoint<3>> points;
    for (unsigned int c = 0; c < 4; ++c)
      points.push_back(degenerate ? random.lattice_point<3>() : random.point<3>());
    if (degenerate && i % 5 == 0)
      points[1] = points[0];
    std::vector<MovingPoint<3>> a = {points[0], points[1]}, b = {points[2], points[3]};
    if (!degenerate && i % 4 != 0)
    {
      // both points of b get the velocity that makes the middle of b hit a
      MovingPoint<3> middle{b[0].position + 0.5 * (b[1].position - b[0].position),
                            0.5 * (b[0].velocity + b[1].velocity)};
      const Tensor<1, 3> before = middle.velocity;
      aim(middle, a, random);
      for (auto &p : b)
        p.velocity += middle.velocity - before;
    }
    check_edges(a, b, 2., "edges " + std::to_string(i));
    if (testing::Test::HasFailure())
      return;
  }
}

/// The gap of two spheres in extended precision, advanced as long as it cannot close.
template <int spacedim>
void
check_spheres(const MovingSphere<spacedim> &a, const MovingSphere<spacedim> &b,
              const double horizon, const std::string &what)
{
  const auto state = [&](const long double t)
  {
    long double square = 0;
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      const long double x = (long double)b.center[d] - a.center[d] +
                            t * ((long double)b.velocity[d] - a.velocity[d] +
                                 0.5L * t * ((long double)b.acceleration[d] - a.acceleration[d]));
      square += x * x;
    }
    const long double radius = (long double)a.radius + b.radius +
                               t * ((long double)a.growth + b.growth +
                                    0.5L * t * ((long double)a.growth_rate + b.growth_rate));
    return std::sqrt(square) - radius;
  };
  const long double bend =
      (b.acceleration - a.acceleration).norm() + (long double)a.growth_rate + b.growth_rate;
  const double time = first_contact(a, b, horizon);
  const long double size = 10 + (b.center - a.center).norm() + a.radius + b.radius;
  if (time < never)
  {
    EXPECT_LE(std::abs(time == 0 ? std::max(state(0), 0.L) : state(time)), 1e-13L * size) << what;
  }
  long double t = 0, gap = state(0);
  for (unsigned int i = 0; i < 20000 && t < horizon && gap > 1e-14L * size; ++i)
  {
    const long double speed =
        (b.velocity - a.velocity).norm() + t * bend + (long double)a.growth + b.growth;
    // gap - speed s - bend s^2/2 = 0
    t += speed > 0 || bend > 0
             ? 2 * gap / (speed + std::sqrt(speed * speed + 2 * bend * gap)) * 0.999999L
             : (long double)never;
    gap = t < horizon ? state(t) : gap;
  }
  EXPECT_GE(std::min(time, horizon),
            double(std::min(t, (long double)horizon)) - 1e-10 * (1 + double(t)))
      << what;
  if (t < horizon && gap <= 1e-14L * size)
  {
    EXPECT_LE(time, horizon) << what;
    // slowly closing gaps: apart by no more than round-off in between
    if (time - t > 1e-10 * (1 + t))
    {
      EXPECT_LE(state(0.5L * (t + time)), 1e-12L * size) << what;
    }
  }
}

template <int spacedim>
void
check_random_spheres(const unsigned int n, const bool degenerate)
{
  Random random;
  for (unsigned int i = 0; i < n; ++i)
  {
    std::array<MovingSphere<spacedim>, 2> spheres;
    const bool accelerates = i % 2 == 1, grows = i % 3 == 1;
    for (auto &sphere : spheres)
    {
      const auto p = degenerate ? random.lattice_point<spacedim>() : random.point<spacedim>();
      const auto q = degenerate ? random.lattice_point<spacedim>() : random.point<spacedim>();
      sphere.center = p.position;
      sphere.velocity = p.velocity;
      if (accelerates)
        sphere.acceleration = q.velocity;
      sphere.radius = degenerate ? random.whole(0, 2) : random(0, 0.3);
      if (grows)
      {
        sphere.growth = degenerate ? random.whole(0, 1) : random(0, 0.3);
        sphere.growth_rate = degenerate ? random.whole(0, 1) : random(0, 0.3);
      }
    }
    check_spheres(spheres[0], spheres[1], i % 5 == 0 ? 3. : 20., "spheres " + std::to_string(i));
    if (testing::Test::HasFailure())
      return;
  }
}

/// Boxes: the time at which the last of the directions closes, by looking at all times at which
/// one opens or closes.
template <int spacedim>
void
check_random_boxes(const unsigned int n, const bool degenerate)
{
  Random random;
  for (unsigned int i = 0; i < n; ++i)
  {
    std::array<Box<spacedim>, 2> boxes;
    std::array<Tensor<1, spacedim>, 2> velocities;
    for (unsigned int k = 0; k < 2; ++k)
    {
      const auto p = degenerate ? random.lattice_point<spacedim>() : random.point<spacedim>();
      const auto q = degenerate ? random.lattice_point<spacedim>() : random.point<spacedim>();
      velocities[k] = p.velocity;
      boxes[k].lower = p.position;
      for (unsigned int d = 0; d < spacedim; ++d)
        boxes[k].upper[d] = p.position[d] + (degenerate ? 1. : 0.5) * std::abs(q.position[d]);
    }
    std::vector<double> times = {0.};
    for (unsigned int d = 0; d < spacedim; ++d)
      for (const double gap :
           {boxes[1].lower[d] - boxes[0].upper[d], boxes[1].upper[d] - boxes[0].lower[d]})
      {
        const double time = -gap / (velocities[1][d] - velocities[0][d]);
        if (time >= 0 && time <= 5)
          times.push_back(time);
      }
    std::sort(times.begin(), times.end());
    double expected = never;
    for (const double time : times)
    {
      bool touch = true;
      for (unsigned int d = 0; d < spacedim; ++d)
        for (const unsigned int k : {0, 1})
          touch = touch && boxes[k].lower[d] + time * velocities[k][d] <=
                               boxes[1 - k].upper[d] + time * velocities[1 - k][d] + 1e-14;
      if (touch)
      {
        expected = time;
        break;
      }
    }
    const double found = first_contact(boxes[0], velocities[0], boxes[1], velocities[1], 5.);
    if (expected == never)
      EXPECT_EQ(found, never) << i;
    else
      EXPECT_NEAR(found, expected, 1e-12) << i;
  }
}

constexpr unsigned int few = 10000, many = 1000000;

TEST(ImpactTime, Faces)
{
  check_random_faces<2>(2, few);
  for (const unsigned int n_corners : {2, 3, 4})
    check_random_faces<3>(n_corners, few / 4);
}

TEST(ImpactTime, DegenerateFaces)
{
  check_degenerate_faces<2>(2, few);
  for (const unsigned int n_corners : {2, 3, 4})
    check_degenerate_faces<3>(n_corners, few / 4);
}

TEST(ImpactTime, Edges)
{
  check_random_edges(few / 4, false);
  check_random_edges(few / 4, true);
}

TEST(ImpactTime, Spheres)
{
  check_random_spheres<2>(few, false);
  check_random_spheres<3>(few, false);
  check_random_spheres<2>(few, true);
  check_random_spheres<3>(few, true);
}

TEST(ImpactTime, Boxes)
{
  check_random_boxes<2>(few, false);
  check_random_boxes<3>(few, false);
  check_random_boxes<2>(few, true);
  check_random_boxes<3>(few, true);
}

TEST(ImpactTimeSlow, Segments)
{
  check_random_faces<2>(2, many);
}
TEST(ImpactTimeSlow, PointAndSegment)
{
  check_random_faces<3>(2, many);
}
TEST(ImpactTimeSlow, PointAndTriangle)
{
  check_random_faces<3>(3, many);
}
TEST(ImpactTimeSlow, PointAndQuadrilateral)
{
  check_random_faces<3>(4, many);
}
TEST(ImpactTimeSlow, Edges)
{
  check_random_edges(many, false);
}
TEST(ImpactTimeSlow, Spheres)
{
  check_random_spheres<2>(many, false);
  check_random_spheres<3>(many, false);
}
TEST(ImpactTimeSlow, Boxes)
{
  check_random_boxes<2>(many, false);
  check_random_boxes<3>(many, false);
}
TEST(ImpactTimeSlow, Degenerate)
{
  check_degenerate_faces<2>(2, 10 * few);
  for (const unsigned int n_corners : {2, 3, 4})
    check_degenerate_faces<3>(n_corners, 2 * few);
  check_random_edges(2 * few, true);
}

/// Two spheres of Aragon & Molinari 2014, section 5.1.
TEST(ImpactTime, SpheresOfThePaper)
{
  MovingSphere<3> left, right;
  left.radius = right.radius = 1;
  right.center[0] = 1500;
  left.velocity = Tensor<1, 3>({50., 0., 50 * std::sqrt(3.)});
  right.velocity = Tensor<1, 3>({-50., 0., 50 * std::sqrt(3.)});
  left.acceleration[2] = right.acceleration[2] = -9.81;
  EXPECT_NEAR(first_contact(left, right), 14.98, 1e-12);
  // the same with a third body that falls faster: |d| = 2 at the root of a quartic
  right.acceleration[2] = -10;
  const double time = first_contact(left, right);
  EXPECT_EQ(time, never);
  right.radius = 30;
  const double later = first_contact(left, right);
  EXPECT_NEAR(std::hypot(1500 - 100 * later, 0.095 * later * later), 31, 1e-11);
}

/// From far away, and passing by a hair.
TEST(ImpactTime, SpheresThatNearlyMiss)
{
  for (const double distance : {1e3, 1e6, 1e9})
    for (const double offset : {0., 1 - 1e-6, 1 - 1e-12})
    {
      MovingSphere<3> still, flies;
      still.radius = flies.radius = 0.5;
      flies.center = Point<3>(distance, offset, 0);
      flies.velocity[0] = -1;
      const double time = first_contact(still, flies);
      const double half_chord = std::sqrt((1 - offset) * (1 + offset));
      EXPECT_NEAR(time, distance - half_chord, 1e-15 * distance / std::max(half_chord, 1e-6))
          << distance << " " << offset;
      flies.center[1] = 1 + 1e-5;
      EXPECT_EQ(first_contact(still, flies), never) << distance;
    }
}

/// A turning triangle whose plane is hit where it moves much slower than its corners.
TEST(ImpactTime, FastTurnAndLittleApproach)
{
  std::array<MovingPoint<3>, 3> corners;
  corners[0] = {{-1, -1, 0}, Tensor<1, 3>({0., 0., -1000.})};
  corners[1] = {{1, -1, 0}, Tensor<1, 3>({0., 0., 1000.})};
  corners[2] = {{0, 2, 0}, Tensor<1, 3>()};
  const MovingPoint<3> point{{0, 0, 1e-3}, Tensor<1, 3>({0., 0., -0.125})};
  const Impact impact = first_contact(point, {corners.data(), 3});
  EXPECT_TRUE(impact.is_exact);
  EXPECT_NEAR(impact.time, 0.008, 5e-12);
}

TEST(ImpactTime, Reach)
{
  const std::array<MovingPoint<3>, 3> corners = {
      {{{0, 0, 0}, {}}, {{1, 0, 0}, {}}, {{0, 1, 0}, {}}}};
  const MovingPoint<3> point{{0.2, 0.2, 3}, Tensor<1, 3>({0., 0., -1.})};
  const dealii::ArrayView<const MovingPoint<3>> cone(corners.data(), 3);
  EXPECT_NEAR(first_contact(point, cone).time, 3, 3e-10);
  EXPECT_NEAR(first_contact(point, cone, never, 0.5).time, 2.5, 2.5e-10);
  EXPECT_EQ(first_contact(point, cone, 2., 0.5).time, never);
  EXPECT_NEAR(first_contact(point, cone, 2.5 + 1e-9, 0.5).time, 2.5, 2.5e-10);
}
} // namespace
