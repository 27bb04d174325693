// Boxes whose corners are joined by springs meet: what does not pass through what, momentum,
// energy.

#include "spring_boxes.h"

#include <kickdrift/contact/detection/overlap.h>

#include <deal.II/base/numbers.h>
#include <deal.II/physics/transformations.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace KickDriftTests;

namespace
{
dealii::Tensor<2, 3>
rotation(const Vector &axis, const double angle)
{
  return dealii::Physics::Transformations::Rotations::rotation_matrix_3d(Vector(axis / axis.norm()),
                                                                         angle);
}

/// Where two bars meet.
struct Frame
{
  dealii::Tensor<2, 3> turn = rotation(Vector({0, 0, 1}), 0);
  Vector shift;
  double scale = 1; ///< of lengths
  bool swapped = false;
  bool is_flat = false; ///< the bars meet with faces instead of edges
  Edges edges = Edges::feature;
  unsigned int points_per_face = 0;
  Response response = Response::reflect;
};

/**
 * Two bars of one cell, 4 x 1 x 1, the lower one along x, the upper one across it and falling onto
 * it. They cross at 0.4 and 0.3 of the length of their edges.
 */
struct CrossedBars : SpringBoxes
{
  explicit CrossedBars(const Frame &frame, const double skew = 0.3) : frame(frame)
  {
    ContactParameters parameters;
    parameters.edges = frame.edges;
    parameters.points_per_face = frame.points_per_face;
    parameters.response = frame.response;
    parameters.maximum_step = 0.1;

    const double tilt = frame.is_flat ? 0 : dealii::numbers::PI / 4;
    const double height = 0.5 / std::cos(tilt);
    const auto about_x = rotation(Vector({1, 0, 0}), tilt);
    const auto across = rotation(Vector({0, 0, 1}), dealii::numbers::PI / 2 + skew);
    const auto place = [frame](const Vector &x)
    { return Point<3>(frame.scale * (frame.turn * x + frame.shift)); };
    Body lower, upper;
    lower.map = [=](const Point<3> &p)
    {
      const Vector x({4 * (p[0] - 0.4), p[1] - 0.5, p[2] - 0.5});
      return place(about_x * x - Vector({0, 0, height}));
    };
    upper.map = [=](const Point<3> &p)
    {
      const Vector x({4 * (p[0] - 0.3), p[1] - 0.5, p[2] - 0.5});
      return place(across * (about_x * x) + Vector({0, 0, height + 0.01}));
    };
    lower.mass = 2;
    upper.velocity = frame.scale * (frame.turn * Vector({0, 0, -1}));
    if (frame.swapped)
    {
      first_upper = add(upper);
      first_lower = add(lower);
    }
    else
    {
      first_lower = add(lower);
      first_upper = add(upper);
    }
    start(parameters);
  }

  Vector
  up() const
  {
    return frame.turn * Vector({0, 0, 1});
  }

  /// Of the upper bar's middle, above where it was beside the lower one's [first length].
  double
  gap() const
  {
    return up() *
           (displacement(first_upper, first_upper + 8) -
            displacement(first_lower, first_lower + 8)) /
           frame.scale;
  }

  double
  closing_speed() const
  {
    return up() *
           (velocity(first_upper, first_upper + 8) - velocity(first_lower, first_lower + 8)) /
           frame.scale;
  }

  const Frame frame;
  unsigned int first_lower, first_upper;
};

std::vector<Frame>
frames()
{
  std::vector<Frame> result(1);
  Frame frame;
  frame.swapped = true;
  result.push_back(frame);
  frame.turn = rotation(Vector({1, 2, 3}), 0.7);
  frame.shift = Vector({20, -30, 50});
  result.push_back(frame);
  for (const double scale : {1e-6, 1e6})
  {
    frame.scale = scale;
    result.push_back(frame);
  }
  return result;
}

SpringBoxes::Body
cube(const Point<3> &corner, const double side, const unsigned int n = 1)
{
  SpringBoxes::Body body;
  body.cells = {{n, n, n}};
  body.map = SpringBoxes::box(corner, corner + side * Vector({1, 1, 1}));
  return body;
}

SpringBoxes::Body
plate(const Point<3> &lower, const Point<3> &upper, const SpringBoxes::Cells &cells = {{1, 1, 1}})
{
  SpringBoxes::Body body;
  body.cells = cells;
  body.map = SpringBoxes::box(lower, upper);
  return body;
}

const Vector up({0, 0, 1});

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

/// A thin held plate, and pairs of particles that fly towards it.
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

/// Two square plates of one cell in random positions thrown at each other: the deepest overlap that
/// their closed surfaces ever have, and whether they have met at all.
std::pair<double, bool>
throw_plates(const unsigned int seed, const double thickness, const Edges edges)
{
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  const auto vector = [&]() { return Vector({number(random), number(random), number(random)}); };
  const double speed = 0.5;
  SpringBoxes boxes;
  for (const double side : {-1., 1.})
  {
    SpringBoxes::Body plate;
    const auto turn = rotation(vector(), 3 * number(random));
    const Vector center = side * Vector({1.1, 0, 0}) + 0.3 * vector();
    plate.map = [=](const Point<3> &p) {
      return Point<3>(center + turn * Vector({p[0] - 0.5, p[1] - 0.5, thickness * (p[2] - 0.5)}));
    };
    plate.velocity = Vector({-side * speed, 0, 0});
    plate.stiffness = 300;
    boxes.add(plate);
  }
  ContactParameters parameters;
  parameters.response = Response::records;
  parameters.edges = edges;
  boxes.start(parameters);
  double deepest = 0;
  for (double time = 0; time < 2.8; time += 0.04)
  {
    boxes.stepper->advance_to(time);
    const auto overlaps = find_overlaps<3>(boxes.stepper->snapshot(time), boxes.surface, 0,
                                           [](unsigned int, unsigned int) { return false; });
    if (!overlaps.empty())
      deepest = std::max(deepest, overlaps[0].depth);
  }
  return {deepest, boxes.contact->statistics().collisions > 0};
}

/// From the time @p begin on until they are apart again.
void
expect_rebound(CrossedBars &bars, const double begin, const double least_speed)
{
  const double mass = bars.nodes.mass(bars.first_upper);
  const Vector momentum = bars.frame.scale * 8 * mass * (bars.frame.turn * Vector({0, 0, -1}));
  double smallest = 1;
  for (double time = begin; time < 2; time += 0.01)
  {
    bars.stepper->advance_to(time);
    smallest = std::min(smallest, bars.gap());
  }
  EXPECT_GT(smallest, -0.2); // bars bend
  EXPECT_GT(bars.closing_speed(), least_speed);
  Vector now;
  const auto nodes = bars.stepper->snapshot(bars.stepper->time());
  for (unsigned int n = 0; n < 16; ++n)
    now += nodes.mass(n) * nodes.velocity(n);
  EXPECT_NEAR((now - momentum).norm() / momentum.norm(), 0, 1e-12);
}
} // namespace

TEST(CrossedBars, pass_through_each_other_without_edges)
{
  for (const Response response : {Response::reflect, Response::records})
  {
    Frame frame;
    frame.response = response;
    frame.edges = Edges::none;
    CrossedBars bars(frame);
    bars.stepper->advance_to(1);
    EXPECT_EQ(bars.contact->statistics().collisions, 0u);
    EXPECT_NEAR(bars.gap(), -1, 1e-12);
  }
}

TEST(CrossedBars, reflect_exactly)
{
  for (const Frame &frame : frames())
  {
    SCOPED_TRACE(frame.scale);
    SCOPED_TRACE(frame.swapped);
    CrossedBars bars(frame);
    const double mass = bars.nodes.mass(bars.first_upper);
    double time = 0;
    while (bars.contact->statistics().collisions == 0 && time < 0.1)
      bars.stepper->advance_to(time += 1e-4);
    ASSERT_EQ(bars.contact->statistics().collisions, 1u);

    // the upper bar's lowest edge at 0.3 of its length, the lower one's highest at 0.4
    const double inverse_mass =
        (0.3 * 0.3 + 0.7 * 0.7) / mass + (0.4 * 0.4 + 0.6 * 0.6) / (2 * mass);
    const double impulse = 2 * frame.scale / inverse_mass;
    std::array<double, 16> expected{};
    for (unsigned int c = 0; c < 2; ++c)
    {
      expected[bars.first_upper + c] = impulse * (c == 0 ? 0.7 : 0.3);
      expected[bars.first_lower + 6 + c] = -impulse * (c == 0 ? 0.6 : 0.4);
    }
    const auto &impulses = bars.contact->statistics().impulse;
    for (unsigned int n = 0; n < 16; ++n)
      EXPECT_NEAR((impulses[n] - expected[n] * bars.up()).norm() / impulse, 0, 1e-12) << n;
    expect_rebound(bars, time, 0.3);
  }
}

TEST(CrossedBars, are_thrown_back_by_records)
{
  for (Frame frame : frames())
  {
    SCOPED_TRACE(frame.scale);
    SCOPED_TRACE(frame.swapped);
    frame.response = Response::records;
    CrossedBars bars(frame);
    expect_rebound(bars, 0, 0.1); // the rest vibrates
    EXPECT_GT(bars.contact->statistics().collisions, 0u);
  }
}

TEST(CrossedBars, meet_flat_and_do_not_pass_through)
{
  Frame frame;
  frame.is_flat = true;
  for (const Response response : {Response::reflect, Response::records})
  {
    frame.response = response;
    frame.points_per_face = 0;
    frame.edges = Edges::none;
    {
      CrossedBars bars(frame);
      bars.stepper->advance_to(1);
      EXPECT_NEAR(bars.gap(), -1, 1e-12);
    }
    for (const unsigned int points : {0u, 1u, 2u})
    {
      frame.points_per_face = points;
      frame.edges = points > 0 ? Edges::none : Edges::feature;
      SCOPED_TRACE(static_cast<int>(response));
      SCOPED_TRACE(points);
      CrossedBars bars(frame);
      expect_rebound(bars, 0, 0.1); // the rest vibrates
    }
  }
}

TEST(Boxes, edges_keep_cubes_and_plates_thrown_at_each_other_apart)
{
  unsigned int n_met = 0, n_through = 0;
  for (const double thickness : {1., 0.2, 0.05})
    for (unsigned int seed = 110; seed < 140; ++seed)
    {
      SCOPED_TRACE(thickness);
      const auto [depth, met] = throw_plates(seed, thickness, Edges::feature);
      EXPECT_LT(depth, 0.02) << seed;
      n_met += met;
      n_through += throw_plates(seed, thickness, Edges::none).first > 0.02;
    }
  EXPECT_GT(n_met, 60u);
  EXPECT_GT(n_through, 10u);
}

TEST(Boxes, no_bullet_crosses_a_thin_plate)
{
  unsigned int n_hits = 0;
  for (unsigned int seed = 0; seed < 40; ++seed)
  {
    SCOPED_TRACE(seed);
    Shots shots(seed);
    ContactParameters parameters;
    parameters.response = Response::records;
    shots.start(parameters);
    shots.stepper->advance_to(4);
    shots.nodes = shots.stepper->snapshot(4);
    for (const auto &shot : shots.shots)
    {
      n_hits += shot.hits;
      // all have had the time to arrive; what misses the plate is beyond it
      EXPECT_EQ(shot.side * shots.height(shot.node) > 0, shot.hits)
          << shot.node << " thickness " << shots.thickness;
    }
  }
  EXPECT_GT(n_hits, 700u);
}

TEST(Boxes, rims_of_neighbouring_bodies_do_not_hold_what_slides_across)
{
  for (const Edges edges : {Edges::none, Edges::feature})
    for (const double offset : {0., 0.0005})
    {
      SCOPED_TRACE(static_cast<int>(edges));
      SCOPED_TRACE(offset);
      SpringBoxes boxes;
      auto coarse = plate(Point<3>(0, 0, -1), Point<3>(2, 2, 0));
      auto fine = plate(Point<3>(2, 0, -1), Point<3>(4, 2, -offset), {{7, 7, 1}});
      coarse.is_held = fine.is_held = true;
      boxes.add(coarse);
      boxes.add(fine);
      auto slider = cube(Point<3>(1.2, 0.7, 0), 0.5, 2);
      slider.velocity = Vector({1, 0, 0});
      slider.stiffness = 300;
      const unsigned int first = boxes.add(slider);
      ContactParameters parameters;
      parameters.response = Response::records;
      parameters.edges = edges;
      boxes.start(parameters, -1. * up);
      for (double time = 0.05; time < 1.5; time += 0.05)
      {
        boxes.stepper->advance_to(time);
        const auto velocity = boxes.velocity(first, boxes.nodes.size());
        EXPECT_NEAR(velocity[0], 1, 1e-3) << time;
        EXPECT_NEAR(velocity[1], 0, 1e-3) << time;
        EXPECT_NEAR(boxes.displacement(first, boxes.nodes.size())[2], 0, 0.01) << time;
      }
      EXPECT_GT(boxes.contact->statistics().collisions, 100u);
      EXPECT_EQ(boxes.contact->statistics().unsolved, 0u);
    }
}

TEST(Boxes, bodies_of_very_different_cell_sizes_and_warped_faces_bounce)
{
  for (const bool fine_falls : {true, false})
    for (const double warp : {0., 0.15})
    {
      SCOPED_TRACE(fine_falls);
      SCOPED_TRACE(warp);
      SpringBoxes boxes;
      auto below =
          plate(Point<3>(0, 0, -1), Point<3>(2, 2, 0),
                fine_falls ? SpringBoxes::Cells{{1, 1, 1}} : SpringBoxes::Cells{{6, 6, 3}});
      const auto box = below.map;
      below.map = [=](const Point<3> &p)
      {
        const auto x = box(p);
        return Point<3>(x + warp * (x[0] - 1) * (x[1] - 1) * p[2] * up);
      };
      const unsigned int n = fine_falls ? 5 : 1;
      auto above = cube(Point<3>(0.6, 0.5, 0.1), 1, n);
      above.velocity = -0.5 * up;
      below.stiffness = fine_falls ? 1e3 : 1e2;
      above.stiffness = fine_falls ? 1e2 : 1e3;
      above.mass = 2;
      below.mass = 5;
      boxes.add(below);
      const unsigned int first = boxes.add(above);
      ContactParameters parameters;
      parameters.response = Response::records;
      boxes.start(parameters);
      const auto energy = [&]()
      { return boxes.stepper->energy(boxes.stepper->snapshot(boxes.stepper->time())).total(); };
      const double before = energy();
      boxes.stepper->advance_to(1.5);
      const auto &statistics = boxes.contact->statistics();
      EXPECT_GT(statistics.collisions, 4u);
      EXPECT_EQ(statistics.unsolved, 0u);
      EXPECT_NEAR(energy() + statistics.contact_energy, before, 0.01 * before);
      const auto upper = boxes.velocity(first, boxes.nodes.size()),
                 lower = boxes.velocity(0, first);
      EXPECT_GT(upper[2] - lower[2], 0.05);
      EXPECT_NEAR((2 * upper + 5 * lower + 1. * up).norm(), 0, 1e-12);
    }
}

TEST(Boxes, filters_keep_bodies_and_boundaries_apart)
{
  for (const Response response : {Response::reflect, Response::records})
  {
    const auto collisions = [&](const std::vector<std::pair<std::string, std::string>> &exclude)
    {
      SpringBoxes boxes;
      boxes.add(plate(Point<3>(-2, -0.5, -1), Point<3>(2, 0.5, 0)));
      auto across = plate(Point<3>(-0.5, -2, 0.01), Point<3>(0.5, 2, 1.01));
      across.velocity = -1. * up;
      boxes.add(across);
      ContactParameters parameters;
      parameters.response = response;
      parameters.edges = Edges::none; // those of faces that are not excluded would meet
      parameters.points_per_face = 1;
      parameters.exclude = exclude;
      boxes.start(parameters);
      boxes.stepper->advance_to(0.5);
      return boxes.contact->statistics().collisions;
    };
    SCOPED_TRACE(static_cast<int>(response));
    EXPECT_GT(collisions({}), 0u);
    EXPECT_GT(collisions({{"", ""}}), 0u);
    EXPECT_GT(collisions({{"body1", "5"}, {"body0", "0"}}), 0u); // faces that are not hit
    EXPECT_EQ(collisions({{"body1", "body0"}}), 0u);
    EXPECT_EQ(collisions({{"body0", "5"}, {"body1", "4"}}), 0u);
  }
}
