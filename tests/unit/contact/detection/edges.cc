#include <kickdrift/contact/detection/edge_detector.h>
#include <kickdrift/contact/detection/overlap.h>

#include <deal.II/physics/transformations.h>

#include "unit/contact/spring_boxes.h"

#include <gtest/gtest.h>

#include <random>

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

/// Detectors for bodies at one instant.
struct Still : SpringBoxes
{
  Still(const std::vector<Body> &bodies, const double smallest_angle)
  {
    for (const Body &body : bodies)
      add(body);
    faces = std::make_unique<FaceDetector<3>>(nodes, surface, exclusions, search, bounds);
    edges = std::make_unique<EdgeDetector>(nodes, surface, exclusions, search, *faces, bounds,
                                           smallest_angle);
    bounds.start();
    search.build(0, 0);
  }

  std::vector<ContactPoint<3>>
  touches() const
  {
    std::vector<ContactPoint<3>> result;
    for (unsigned int c = 0; c < edges->n_contactors(); ++c)
    {
      const auto touch = edges->find({c, 0., 0.5, false});
      if (touch.touches)
        result.push_back(touch);
    }
    return result;
  }

  Exclusions exclusions;
  MotionBounds<3> bounds{nodes, surface};
  FaceSearch<3> search{nodes, surface, bounds, BroadPhaseType::hierarchy};
  std::unique_ptr<FaceDetector<3>> faces;
  std::unique_ptr<EdgeDetector> edges;
};

constexpr double thirty_degrees = dealii::numbers::PI / 6;
constexpr double all_edges = -dealii::numbers::PI;

const Vector x_axis({1, 0, 0}), y_axis({0, 1, 0}), z_axis({0, 0, 1});
const double half_height = std::sqrt(0.5);

/// A bar 4 x 1 x 1, times @p scale, along x with edges up and down, then turned.
SpringBoxes::Body
bar(const Point<3> &center, const dealii::Tensor<2, 3> &turn, const double scale = 1)
{
  SpringBoxes::Body body;
  const auto all = scale * turn * rotation(x_axis, dealii::numbers::PI / 4);
  body.map = [=](const Point<3> &p) {
    return center + all * Vector({4 * p[0] - 2, p[1] - 0.5, p[2] - 0.5});
  };
  return body;
}

/// The same, turned about the vertical.
SpringBoxes::Body
bar(const Point<3> &center, const double direction)
{
  return bar(center, rotation(z_axis, direction));
}
} // namespace

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

TEST(Edges, of_a_box_are_found_once)
{
  SpringBoxes boxes;
  SpringBoxes::Body body;
  body.map = SpringBoxes::box(Point<3>(), Point<3>(1, 1, 1));
  boxes.add(body);
  EXPECT_EQ(find_edges(boxes.surface).size(), 12u);
  body.cells = {{2, 3, 4}};
  SpringBoxes fine;
  fine.add(body);
  // every quadrilateral has four edges, every edge two faces
  EXPECT_EQ(find_edges(fine.surface).size(), 2 * fine.surface.faces.size());
  for (const auto &edge : find_edges(fine.surface))
    for (const unsigned int f : edge.faces)
      for (const unsigned int node : edge.nodes)
      {
        const auto &nodes = fine.surface.faces[f].nodes;
        EXPECT_NE(std::find(nodes.begin(), nodes.end(), node), nodes.end());
      }
}

TEST(Edges, features_are_convex)
{
  SpringBoxes::Body corner; // L-shaped: eight edges around either side, six across, one concave
  corner.cells = {{2, 2, 1}};
  corner.map = SpringBoxes::box(Point<3>(), Point<3>(1, 1, 1));
  corner.keep = [](unsigned int i, unsigned int j, unsigned int) { return i + j < 2; };
  const Still features({corner}, thirty_degrees), all({corner}, all_edges);
  EXPECT_EQ(features.edges->n_contactors(), 2 * 21u);
  EXPECT_EQ(all.edges->n_contactors(), 2 * find_edges(all.surface).size());
  EXPECT_EQ(find_edges(all.surface).size(), 28u);
  const Still sharp({corner}, 0.6 * dealii::numbers::PI);
  EXPECT_EQ(sharp.edges->n_contactors(), 0u);
}

TEST(Edges, that_cross_touch_with_the_right_normal_and_depth)
{
  const double depth = 0.02;
  const auto scene = [](const double height)
  {
    return Still({bar(Point<3>(), 0.), bar(Point<3>(0.3, 0.2, 2 * half_height + height), 1.1)},
                 thirty_degrees);
  };
  const Still behind = scene(-depth), apart = scene(depth);
  const auto touches = behind.touches();
  ASSERT_EQ(touches.size(), 1u); // once, not from both sides
  const auto &touch = touches[0];
  EXPECT_NEAR((touch.stencil.normal - (touch.body == 0 ? -1. : 1.) * z_axis).norm(), 0, 1e-14);
  EXPECT_NEAR(touch.depth, depth, 1e-14);
  EXPECT_EQ(touch.body + touch.target, 1u);
  EXPECT_EQ(touch.stencil.n_nodes, 4u);
  // the two points differ along the normal only
  const Vector between =
      touch.stencil.difference([&](const unsigned int n) { return behind.nodes.position(n); });
  EXPECT_NEAR((between + depth * touch.stencil.normal).norm(), 0, 1e-14);
  EXPECT_EQ(apart.touches().size(), 0u);
}

TEST(Edges, that_are_parallel_or_degenerate_do_not_touch)
{
  for (const double direction : {0., 0.04, dealii::numbers::PI})
  {
    const Still scene(
        {bar(Point<3>(), 0.), bar(Point<3>(0.3, 0, 2 * half_height - 0.02), direction)},
        thirty_degrees);
    EXPECT_EQ(scene.touches().size(), 0u);
  }
  SpringBoxes::Body flat; // no height: four edges without length
  flat.map = SpringBoxes::box(Point<3>(), Point<3>(1, 1, 0));
  const Still scene({bar(Point<3>(0.5, 0.5, 0.69), 0.), flat}, all_edges);
  EXPECT_EQ(scene.edges->n_contactors(), 2 * (12u + 8u));
  for (const auto &touch : scene.touches())
    EXPECT_TRUE(std::isfinite(touch.stencil.normal.norm()));
}

TEST(Edges, of_the_far_side_are_not_hit)
{
  // an edge that leans over the rim of a plate, at its height above the rim
  SpringBoxes::Body plate;
  plate.map = SpringBoxes::box(Point<3>(-5, 0, -0.05), Point<3>(5, 10, 0));
  const auto turn = rotation(x_axis, 0.3) * rotation(z_axis, dealii::numbers::PI / 2);
  const auto n_touching = [&](const double height)
  {
    const auto center = Point<3>((half_height + height) * (turn * z_axis));
    return Still({plate, bar(center, turn)}, thirty_degrees).touches().size();
  };
  EXPECT_EQ(n_touching(0.01), 0u);
  EXPECT_EQ(n_touching(-0.02), 1u);
  EXPECT_EQ(n_touching(-0.2), 0u); // deeper than the plate is thick
}

TEST(Edges, that_get_too_deep_while_they_touch_are_lost)
{
  const auto find = [](const double depth, const bool lasts)
  {
    const Still scene({bar(Point<3>(), 0.), bar(Point<3>(0.3, 0.2, 2 * half_height - depth), 1.1)},
                      thirty_degrees);
    ContactPoint<3> lost;
    for (unsigned int c = 0; c < scene.edges->n_contactors(); ++c)
    {
      const auto touch = scene.edges->find({c, 0., 2., lasts});
      if (touch.is_lost)
        lost = touch;
    }
    return lost;
  };
  EXPECT_FALSE(find(0.9, true).is_lost);
  EXPECT_TRUE(find(1.1, true).is_lost);
  EXPECT_FALSE(find(1.1, true).touches);
  EXPECT_FALSE(find(1.1, false).is_lost);
}

TEST(Edges, that_cross_several_answer_the_one_that_closes)
{
  for (const unsigned int closing : {1u, 2u})
  {
    // one part of the first bar's edge lies across two others, deeper behind the first of them
    Still scene({bar(Point<3>(0, 0, 2 * half_height), 0.),
                 bar(Point<3>(0.1, 0, 0.02), dealii::numbers::PI / 2),
                 bar(Point<3>(1.7, 0, 0.01), dealii::numbers::PI / 2)},
                thirty_degrees);
    for (unsigned int n = 8; n < 24; ++n)
      scene.nodes.set_velocity(n, (n / 8 == closing ? 1. : -1.) * z_axis);
    const auto touches = scene.touches();
    ASSERT_EQ(touches.size(), 1u);
    EXPECT_EQ(touches[0].body, 0u);
    EXPECT_EQ(touches[0].target, closing);
  }
}

TEST(Edges, that_are_concave_are_not_hit)
{
  // an edge across the inner edge of a step
  SpringBoxes::Body step;
  step.cells = {{2, 1, 2}};
  step.map = SpringBoxes::box(Point<3>(-1, -0.5, -2), Point<3>(1, 0.5, 0));
  step.keep = [](unsigned int i, unsigned int, unsigned int k) { return i + k < 2; };
  const auto turn = rotation(y_axis, 0.25 * dealii::numbers::PI);
  const Point<3> center = Point<3>(0, 0, -1) + 0.1 * (half_height - 0.1) * (turn * z_axis);
  EXPECT_EQ(Still({step, bar(center, turn, 0.1)}, all_edges).touches().size(), 0u);
}

TEST(CrossedBars, pass_through_each_other_without_edges)
{
  Frame frame;
  frame.edges = Edges::none;
  CrossedBars bars(frame);
  bars.stepper->advance_to(1);
  EXPECT_EQ(bars.contact->statistics().collisions, 0u);
  EXPECT_NEAR(bars.gap(), -1, 1e-12);
}

TEST(CrossedBars, bounce_exactly)
{
  for (const Frame &frame : frames())
  {
    SCOPED_TRACE(frame.scale);
    SCOPED_TRACE(frame.swapped);
    CrossedBars bars(frame);
    const double mass = bars.nodes.mass(bars.first_upper);
    const Vector momentum = frame.scale * 8 * mass * (frame.turn * Vector({0, 0, -1}));
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

    double smallest = 1;
    for (; time < 2; time += 0.01)
    {
      bars.stepper->advance_to(time);
      smallest = std::min(smallest, bars.gap());
    }
    EXPECT_GT(smallest, -0.2); // bars bend
    EXPECT_GT(bars.closing_speed(), 0.3);
    Vector now;
    const auto nodes = bars.stepper->snapshot(bars.stepper->time());
    for (unsigned int n = 0; n < 16; ++n)
      now += nodes.mass(n) * nodes.velocity(n);
    EXPECT_NEAR((now - momentum).norm() / momentum.norm(), 0, 1e-12);
  }
}

TEST(CrossedBars, meet_flat_and_do_not_pass_through)
{
  Frame frame;
  frame.is_flat = true;
  frame.edges = Edges::none;
  {
    CrossedBars bars(frame);
    bars.stepper->advance_to(1);
    EXPECT_NEAR(bars.gap(), -1, 1e-12);
  }
  for (const unsigned int points : {0u, 1u, 2u})
    for (const Response response : {Response::reflect, Response::look_ahead})
    {
      frame.response = response;
      frame.points_per_face = points;
      frame.edges = points > 0 ? Edges::none : Edges::feature;
      SCOPED_TRACE(points);
      CrossedBars bars(frame);
      double smallest = 1;
      for (double time = 0; time < 2; time += 0.01)
      {
        bars.stepper->advance_to(time);
        smallest = std::min(smallest, bars.gap());
      }
      EXPECT_GT(smallest, -0.2);
      EXPECT_GT(bars.closing_speed(), 0.1); // the rest vibrates
    }
}

TEST(Edges, do_not_disturb_what_is_flat_on_flat)
{
  const auto run = [](const Edges edges, const Response response, const Point<3> &corner)
  {
    auto boxes = std::make_unique<SpringBoxes>();
    SpringBoxes::Body plate, cube;
    plate.cells = {{3, 3, 1}};
    plate.map = SpringBoxes::box(Point<3>(0, 0, -1), Point<3>(3, 3, 0));
    cube.cells = {{3, 2, 2}};
    cube.map = SpringBoxes::box(corner, corner + Vector({1.5, 1, 1}));
    cube.velocity = Vector({0, 0, -0.3});
    plate.stiffness = cube.stiffness = 1e4;
    boxes->add(plate);
    boxes->add(cube);
    ContactParameters parameters;
    parameters.edges = edges;
    parameters.response = response;
    boxes->start(parameters);
    boxes->stepper->advance_to(0.0354); // when they part, edges may cross by what they bend
    return boxes;
  };
  // across the rim, and with rims on rims
  for (const auto &corner : {Point<3>(1.7, 1.8, 0.01), Point<3>(0, 2, 0.01)})
    for (const Response response : {Response::reflect, Response::look_ahead})
    {
      const auto without = run(Edges::none, response, corner);
      EXPECT_GT(without->contact->statistics().collisions, 20u);
      for (const Edges edges : {Edges::feature, Edges::all})
      {
        const auto with = run(edges, response, corner);
        EXPECT_GT(with->contact->statistics().tests, without->contact->statistics().tests);
        // what looks ahead stops at the surface, where nodes and edges are hardly told apart
        const bool is_same = response == Response::reflect;
        if (is_same)
        {
          EXPECT_EQ(with->contact->statistics().collisions,
                    without->contact->statistics().collisions);
        }
        for (unsigned int n = 0; n < with->nodes.size(); ++n)
          EXPECT_NEAR((with->nodes.displacement(n) - without->nodes.displacement(n)).norm(), 0,
                      is_same ? 1e-13 : 1e-5);
      }
    }
}

namespace
{
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
    plate.velocity = -side * speed * x_axis;
    plate.stiffness = 300;
    boxes.add(plate);
  }
  ContactParameters parameters;
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
} // namespace

TEST(Edges, keep_cubes_and_plates_thrown_at_each_other_apart)
{
  unsigned int n_met = 0, n_through = 0;
  for (const double thickness : {1., 0.2, 0.05})
    for (unsigned int seed = 110; seed < 140; ++seed)
    {
      SCOPED_TRACE(thickness);
      const auto [depth, met] = throw_plates(seed, thickness, Edges::feature);
      EXPECT_LT(depth, 0.02) << seed; // of the way between two tests
      n_met += met;
      n_through += throw_plates(seed, thickness, Edges::none).first > 0.02;
    }
  EXPECT_GT(n_met, 60u);
  EXPECT_GT(n_through, 10u);
}
