#include <kickdrift/contact/detection/face_detector.h>

#include "unit/contact/spring_boxes.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace KickDriftTests;

namespace
{
/// Bodies at one instant.
struct Still : SpringBoxes
{
  explicit Still(const std::vector<Body> &bodies)
  {
    for (const Body &body : bodies)
      add(body);
    detector = std::make_unique<FaceDetector<3>>(nodes, surface, exclusions, search, bounds);
    bounds.start();
    search.build(0, 0);
  }

  /// What find() finds; touches() must agree, and neither may change nodes.
  std::vector<ContactPoint<3>>
  touches(const bool last = false) const
  {
    std::vector<ContactPoint<3>> result;
    const std::vector<NodeState> before(nodes.data(), nodes.data() + nodes.size());
    for (unsigned int c = 0; c < detector->n_contactors(); ++c)
    {
      const auto touch = detector->find({c, 0., 0.5, last});
      for (unsigned int b = 0; b < surface.body_names.size(); ++b)
        EXPECT_EQ(detector->touches({c, 0., 0.5, last}, b), touch.touches && touch.target == b)
            << "contactor " << c << ", body " << b;
      if (touch.touches)
        result.push_back(touch);
    }
    EXPECT_EQ(std::memcmp(before.data(), nodes.data(), before.size() * sizeof(NodeState)), 0);
    return result;
  }

  Exclusions exclusions;
  MotionBounds<3> bounds{nodes, surface};
  FaceSearch<3> search{nodes, surface, bounds, BroadPhaseType::hierarchy};
  std::unique_ptr<FaceDetector<3>> detector;
};

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
} // namespace

TEST(FacePoints, are_the_middles_of_equal_parts)
{
  Surface<3> surface;
  surface.faces = {{{{0, 1, 2, 3}}, 4, 0, 0}, {{{1, 4, 3, 0}}, 3, 0, 0}, {{{5, 4, 3, 0}}, 3, 0, 0}};
  for (unsigned int n = 0; n < 5; ++n) // node 5 is none
    surface.contactors.push_back({n, 0, 1. + n});
  add_face_points(surface, 3);
  ASSERT_EQ(surface.contactors.size(), 5 + 9 + 9u);
  const std::array<Point<3>, 5> nodes = {Point<3>(0, 0, 0), Point<3>(3, 0, 0), Point<3>(0, 6, 0),
                                         Point<3>(3, 6, 0), Point<3>(9, 0, 0)};
  std::array<Vector, 2> sum;
  double nearest = 1e300;
  std::vector<Vector> points;
  for (unsigned int c = 5; c < surface.contactors.size(); ++c)
  {
    const Contactor &contactor = surface.contactors[c];
    const auto &face = surface.faces[contactor.face];
    EXPECT_EQ(contactor.n_nodes, face.n_nodes);
    EXPECT_EQ(contactor.length, contactor.face == 0 ? 1 : 2);
    double weights = 0;
    Vector x;
    for (unsigned int i = 0; i < contactor.n_nodes; ++i)
    {
      EXPECT_GT(contactor.weights[i], 0);
      weights += contactor.weights[i];
      x += contactor.weights[i] * nodes[contactor.nodes[i]];
    }
    EXPECT_NEAR(weights, 1, 1e-15);
    sum[contactor.face] += x / 9;
    for (const Vector &other : points)
      nearest = std::min(nearest, (x - other).norm());
    points.push_back(x);
  }
  EXPECT_NEAR((sum[0] - Vector({1.5, 3, 0})).norm(), 0, 1e-14);
  EXPECT_NEAR((sum[1] - Vector({5, 2, 0})).norm(), 0, 1e-14);
  EXPECT_GT(nearest, 0.9);

  Surface<2> segments;
  segments.faces = {{{{0, 1}}, 2, 0, 0}};
  segments.contactors = {{0, 0, 1.}, {1, 0, 2.}};
  add_face_points(segments, 2);
  ASSERT_EQ(segments.contactors.size(), 4u);
  EXPECT_EQ(segments.contactors[2].weights[0], 0.75);
  EXPECT_EQ(segments.contactors[3].weights[0], 0.25);
}

TEST(GeneralContact, far_sides_of_thin_bodies_are_not_seen)
{
  const double thickness = 0.01;
  for (const unsigned int n : {1u, 4u})
    for (const double height : {0.005, -0.001, -0.004, -0.006, -0.009, -0.02, -0.25})
    {
      SCOPED_TRACE(height);
      // from above, and from below
      const Still above({plate(Point<3>(0, 0, -thickness), Point<3>(1, 1, 0), {{n, n, 1}}),
                         cube(Point<3>(0.28, 0.27, height), 0.2)});
      const Still below({plate(Point<3>(0, 0, 0), Point<3>(1, 1, thickness), {{n, n, 1}}),
                         cube(Point<3>(0.28, 0.27, -height - 0.2), 0.2)});
      const bool inside = height < 0 && height > -thickness;
      EXPECT_EQ(above.touches().size(), inside ? 4u : 0u);
      EXPECT_EQ(below.touches().size(), inside ? 4u : 0u);
      for (const auto &touch : above.touches())
        EXPECT_NEAR((touch.stencil.normal - up).norm() + std::abs(touch.depth + height), 0, 1e-12);
      for (const auto &touch : below.touches())
        EXPECT_NEAR((touch.stencil.normal + up).norm() + std::abs(touch.depth + height), 0, 1e-12);
    }
}

// Where two bodies overlap, the one whose face is nearer is touched.
TEST(GeneralContact, the_nearer_of_two_bodies_is_touched)
{
  for (const bool first_is_nearer : {false, true})
  {
    const auto lower = plate(Point<3>(0, 0, -0.2), Point<3>(1, 1, 0)),
               higher = plate(Point<3>(-0.1, -0.1, -0.15), Point<3>(1.1, 1.1, 0.02));
    const Still scene({cube(Point<3>(0.4, 0.4, -0.01), 0.2), first_is_nearer ? lower : higher,
                       first_is_nearer ? higher : lower});
    unsigned int n_of_cube = 0;
    for (const ContactPoint<3> &touch : scene.touches())
      if (touch.body == 0)
      {
        ++n_of_cube;
        EXPECT_EQ(touch.target, first_is_nearer ? 1 : 2);
        EXPECT_NEAR(touch.depth, 0.01, 1e-14);
      }
    EXPECT_EQ(n_of_cube, 4);
  }
}

TEST(GeneralContact, a_node_slides_from_face_to_face)
{
  // over hills and valleys of bilinear faces, along mesh lines and across them
  const double depth = 0.01;
  auto hilly = plate(Point<3>(), Point<3>(4, 4, 1), {{5, 4, 1}});
  const auto height = [](const double x, const double y)
  { return 0.08 * std::sin(2 * x) + 0.05 * std::cos(1.5 * y + x); };
  const auto box = hilly.map;
  hilly.map = [=](const Point<3> &p)
  {
    const auto x = box(p);
    return x + x[2] * height(x[0], x[1]) * up - up;
  };
  for (unsigned int i = 1; i < 100; ++i)
  {
    SCOPED_TRACE(i);
    const double x = 0.04 * i, y = 1 + 0.01 * i;
    // the surface between the nodes
    const unsigned int cx = std::min(4u, static_cast<unsigned int>(x / 0.8)),
                       cy = std::min(3u, static_cast<unsigned int>(y));
    const double r = x / 0.8 - cx, s = y - cy;
    const double z =
        (1 - r) * (1 - s) * height(0.8 * cx, cy) + r * (1 - s) * height(0.8 * cx + 0.8, cy) +
        (1 - r) * s * height(0.8 * cx, cy + 1) + r * s * height(0.8 * cx + 0.8, cy + 1);
    auto pyramid = cube(Point<3>(), 1); // the first node is its tip
    pyramid.map = [=](const Point<3> &p)
    {
      const Vector along = p - Point<3>(0.5, 0.5, 0.5);
      return Point<3>(x, y, z - depth) +
             (p[0] + p[1] + p[2] > 0 ? 0.1 * (along + 1.2 * up) : Vector());
    };
    const Still scene({hilly, pyramid});
    const unsigned int tip = 6 * 5 * 2;
    for (const bool lasts : {false, true})
    {
      const auto touch = scene.detector->find({tip, 0., 0.2, lasts});
      ASSERT_TRUE(touch.touches);
      EXPECT_NEAR(touch.depth, depth, 0.05 * depth);
      EXPECT_GT(touch.stencil.normal * up, 0.95);
    }
  }
}

TEST(GeneralContact, rims_of_neighbouring_bodies_do_not_hold_what_slides_across)
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
      EXPECT_EQ(boxes.contact->statistics().lost, 0u);
    }
}

TEST(GeneralContact, bodies_of_very_different_cell_sizes_and_warped_faces_bounce)
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
      boxes.start(ContactParameters());
      const auto energy = [&]()
      { return boxes.stepper->energy(boxes.stepper->snapshot(boxes.stepper->time())).total(); };
      const double before = energy();
      boxes.stepper->advance_to(1.5);
      const auto &statistics = boxes.contact->statistics();
      EXPECT_GT(statistics.collisions, 4u);
      EXPECT_EQ(statistics.lost, 0u);
      EXPECT_LT(statistics.max_penetration, 0.05);
      // what contacts still keep is lost by the response, not by detection
      EXPECT_NEAR(energy() + statistics.contact_energy, before, 0.01 * before);
      const auto upper = boxes.velocity(first, boxes.nodes.size()),
                 lower = boxes.velocity(0, first);
      EXPECT_GT(upper[2] - lower[2], 0.05);
      EXPECT_NEAR((2 * upper + 5 * lower + 1. * up).norm(), 0, 1e-12);
    }
}

TEST(GeneralContact, a_node_deep_inside_is_counted_and_not_pushed)
{
  // the lower nodes of a cube that nothing can stop, moving into a block
  SpringBoxes boxes;
  auto block = plate(Point<3>(-2.5, -2.5, -5), Point<3>(2.5, 2.5, 0), {{5, 5, 5}});
  block.is_held = true;
  auto intruder = cube(Point<3>(-0.1, -0.1, 0.05), 0.2);
  intruder.velocity = -1. * up;
  intruder.is_held = true;
  boxes.add(block);
  const unsigned int first = boxes.add(intruder);
  boxes.start(ContactParameters());
  boxes.stepper->advance_to(1.3);
  EXPECT_EQ(boxes.contact->statistics().lost, 0u);
  boxes.stepper->advance_to(1.8);
  EXPECT_EQ(boxes.contact->statistics().lost, 4u);
  EXPECT_NEAR(boxes.contact->statistics().max_penetration, std::sqrt(2.), 0.1);

  // one that is free but starts there stays where it is
  SpringBoxes free;
  free.add(block);
  free.add(cube(Point<3>(-0.1, -0.1, -2), 0.2));
  free.start(ContactParameters());
  free.stepper->advance_to(1);
  EXPECT_EQ(free.contact->statistics().collisions, 0u);
  EXPECT_EQ(free.displacement(first, free.nodes.size()).norm(), 0);
}

TEST(GeneralContact, filters_keep_bodies_and_boundaries_apart)
{
  const auto collisions = [](const std::vector<std::pair<std::string, std::string>> &exclude)
  {
    SpringBoxes boxes;
    boxes.add(plate(Point<3>(-2, -0.5, -1), Point<3>(2, 0.5, 0)));
    auto across = plate(Point<3>(-0.5, -2, 0.01), Point<3>(0.5, 2, 1.01));
    across.velocity = -1. * up;
    boxes.add(across);
    ContactParameters parameters;
    parameters.points_per_face = 1;
    parameters.exclude = exclude;
    boxes.start(parameters);
    boxes.stepper->advance_to(0.5);
    return boxes.contact->statistics().collisions;
  };
  EXPECT_GT(collisions({}), 0u);
  EXPECT_GT(collisions({{"", ""}}), 0u);
  EXPECT_GT(collisions({{"body1", "5"}, {"body0", "0"}}), 0u); // faces that are not hit
  EXPECT_EQ(collisions({{"body1", "body0"}}), 0u);
  EXPECT_EQ(collisions({{"body0", "5"}, {"body1", "4"}}), 0u);
}
