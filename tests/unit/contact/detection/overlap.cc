#include <kickdrift/contact/detection/interior.h>
#include <kickdrift/contact/detection/overlap.h>
#include <kickdrift/potentials/loads/rigid_flight.h>

#include "unit/stepping/linear_network.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

using namespace KickDrift;
using dealii::Point;
using dealii::Tensor;

namespace
{
using Corners = std::array<unsigned int, 4>;

struct Bodies
{
  NodeTable<3> nodes;
  Surface<3> surface;

  /// The boundary of a box of n^3 cells, in quadrilaterals or triangles.
  void
  add_box(const Point<3> &lower, const Point<3> &upper, const unsigned int n,
          const bool triangles = false)
  {
    const unsigned int body = surface.body_names.size();
    surface.body_names.push_back(std::to_string(body));
    for (unsigned int d = 0; d < 3; ++d)
      for (const bool top : {false, true})
      {
        const unsigned int first = nodes.size(), u = (d + 1) % 3, v = (d + 2) % 3;
        for (unsigned int j = 0; j <= n; ++j)
          for (unsigned int i = 0; i <= n; ++i)
          {
            Point<3> x = lower;
            x[u] += (upper[u] - lower[u]) * i / n;
            x[v] += (upper[v] - lower[v]) * j / n;
            if (top)
              x[d] = upper[d];
            surface.contactors.push_back({nodes.add(x, 1.), body, 1.});
          }
        for (unsigned int j = 0; j < n; ++j)
          for (unsigned int i = 0; i < n; ++i)
          {
            const unsigned int a = first + j * (n + 1) + i, b = a + 1, c = a + n + 1, e = c + 1;
            if (!triangles)
              surface.faces.push_back(
                  {top ? Corners{{a, b, c, e}} : Corners{{a, c, b, e}}, 4, body, 0});
            else
              for (const auto &t : {Corners{{a, b, c, 0}}, Corners{{b, e, c, 0}}})
                surface.faces.push_back({top ? t : Corners{{t[0], t[2], t[1], 0}}, 3, body, 0});
          }
      }
  }

  /// All boxes are one body.
  void
  unite()
  {
    surface.body_names.resize(1);
    for (auto &face : surface.faces)
      face.body = 0;
    for (auto &contactor : surface.contactors)
      contactor.body = 0;
  }

  std::vector<Overlap<3>>
  overlaps() const
  {
    return find_overlaps<3>(nodes, surface, 1e-6, [](unsigned int, unsigned int) { return false; });
  }
};
} // namespace

TEST(Overlap, a_box_contains_what_its_bounds_say)
{
  std::mt19937 engine(1);
  std::uniform_real_distribution<double> uniform(-0.3, 1.3);
  for (const bool triangles : {false, true})
  {
    Bodies bodies;
    bodies.add_box(Point<3>(0, 0, 0), Point<3>(1, 1, 1), 4, triangles);
    std::vector<unsigned int> faces(bodies.surface.faces.size());
    std::iota(faces.begin(), faces.end(), 0u);
    const Interior<3> box(bodies.nodes, bodies.surface, faces);
    for (unsigned int run = 0; run < 2000; ++run)
    {
      Point<3> p(uniform(engine), uniform(engine), uniform(engine));
      // half of them on the planes of the grid, where rays meet edges and corners
      if (run % 2)
        for (unsigned int d = 0; d < 3; ++d)
          p[d] = (std::floor(p[d] * 8) + 0.5 * (d == 0)) / 8;
      double depth = 1e300;
      for (unsigned int d = 0; d < 3; ++d)
        depth = std::min({depth, p[d], 1 - p[d]});
      if (std::abs(depth) < 1e-9)
        continue;
      ASSERT_EQ(box.contains(p), depth > 0) << p;
      if (depth > 0)
      {
        EXPECT_NEAR(box.nearest_face(p).second, depth, 1e-12);
      }
    }
  }
}

TEST(Overlap, touching_bodies_do_not_overlap)
{
  Bodies bodies;
  bodies.add_box(Point<3>(0, 0, 0), Point<3>(1, 1, 1), 4);
  bodies.add_box(Point<3>(1, 0.2, -1), Point<3>(2, 1.2, 2), 3, true);
  bodies.add_box(Point<3>(0, 1, 0), Point<3>(1, 2, 1), 4);
  EXPECT_TRUE(bodies.overlaps().empty());
}

TEST(Overlap, deep_ones_are_found_with_their_depth)
{
  for (const bool triangles : {false, true})
  {
    const auto deepest = [&](const Point<3> &lower, const Point<3> &upper)
    {
      Bodies bodies;
      bodies.add_box(Point<3>(0, 0, 0), Point<3>(1, 1, 1), 4, triangles);
      bodies.add_box(lower, upper, 2, triangles);
      const auto found = bodies.overlaps();
      return found.empty() ? 0. : found.front().depth;
    };
    EXPECT_NEAR(deepest(Point<3>(0.4, 0.4, 0.4), Point<3>(0.7, 0.7, 0.7)), 0.45, 0.1); // within
    EXPECT_GT(deepest(Point<3>(0.5, 0, 0), Point<3>(1.5, 1, 1)), 0.2);                 // half
    EXPECT_GT(deepest(Point<3>(0, 0, 0), Point<3>(1, 1, 1)), 0.05);                    // the same
    EXPECT_GT(deepest(Point<3>(-1, 0.4, 0.4), Point<3>(2, 0.6, 0.6)), 0.09);           // crossing
    EXPECT_EQ(deepest(Point<3>(1.1, 0, 0), Point<3>(2, 1, 1)), 0);                     // apart
  }
}

TEST(Overlap, parts_of_one_body_may_not_overlap)
{
  // two boxes as one body: apart, flush, and in each other; and one around a cavity
  for (const bool triangles : {false, true})
    for (const auto &[shift, expected] :
         {std::make_pair(1.2, 0.), {1., 0.}, {0.7, 0.02}, {0.3, 0.1}})
    {
      Bodies bodies;
      bodies.add_box(Point<3>(0, 0, 0), Point<3>(1, 1, 1), 4, triangles);
      bodies.add_box(Point<3>(shift, 0.1, 0.2), Point<3>(1 + shift, 0.9, 0.8), 3, triangles);
      bodies.unite();
      const auto found = bodies.overlaps();
      EXPECT_EQ(found.empty(), expected == 0) << shift;
      if (!found.empty())
      {
        EXPECT_GT(found.front().depth, expected);
      }
    }
  Bodies hollow;
  hollow.add_box(Point<3>(0, 0, 0), Point<3>(1, 1, 1), 4);
  const unsigned int n_outside = hollow.surface.faces.size();
  hollow.add_box(Point<3>(0.2, 0.2, 0.2), Point<3>(0.8, 0.8, 0.8), 3);
  hollow.unite();
  for (unsigned int f = n_outside; f < hollow.surface.faces.size(); ++f)
    std::swap(hollow.surface.faces[f].nodes[1], hollow.surface.faces[f].nodes[2]);
  EXPECT_TRUE(hollow.overlaps().empty());
}

TEST(Overlap, obstacles_in_bodies_are_found_without_nodes_in_them)
{
  const auto deepest = [](std::shared_ptr<const Shape<3>> shape, const double shift = 0.)
  {
    Bodies bodies;
    bodies.add_box(Point<3>(0, 0, 0), Point<3>(1, 1, 1), 4);
    Obstacle<3> obstacle{"obstacle", std::move(shape), {}};
    obstacle.displacement = [&](const double time) {
      return time * shift * Tensor<1, 3>({1, 0, 0});
    };
    const auto found =
        find_obstacles_in_bodies<3>(bodies.nodes, bodies.surface, {obstacle}, 2., 1e-6,
                                    [](unsigned int, unsigned int) { return false; });
    EXPECT_LE(found.size(), 1u);
    return found.empty() ? 0. : found.front().depth;
  };
  const auto ball = [](const Point<3> &centre, const double radius)
  { return std::make_shared<Ball<3>>(centre, radius); };
  EXPECT_NEAR(deepest(ball(Point<3>(0.5, 0.5, 0.5), 0.1)), 0.45, 0.05); // within
  EXPECT_GT(deepest(ball(Point<3>(0.36, 0.4, 1.02), 0.07)), 0.04);      // through a face
  EXPECT_EQ(deepest(ball(Point<3>(0.36, 0.4, 1.07), 0.07)), 0);         // touching it
  EXPECT_EQ(deepest(ball(Point<3>(0.36, 0.4, 1.2), 0.07)), 0);          // outside
  EXPECT_EQ(deepest(ball(Point<3>(0.5, 0.5, 0.5), 0.1), 0.5), 0);       // moved out
  EXPECT_GT(deepest(ball(Point<3>(-0.5, 0.5, 0.5), 0.1), 0.5), 0.3);    // and in
  const auto plane = [](const double height) {
    return std::make_shared<HalfSpace<3>>(Point<3>(0, 0, height), Tensor<1, 3>({0.6, 0, 0.8}));
  };
  EXPECT_EQ(deepest(plane(0.)), 0);
  EXPECT_GT(deepest(plane(0.1)), 0.01);
}

TEST(Overlap, many_faces_take_little_time)
{
  Bodies bodies;
  bodies.add_box(Point<3>(0, 0, 0), Point<3>(1, 1, 1), 90);
  bodies.add_box(Point<3>(0.1, 0.1, 1), Point<3>(0.9, 0.9, 2), 90);
  bodies.add_box(Point<3>(-1, -1, -0.2), Point<3>(2, 2, 0), 90); // 1.5e5 faces
  EXPECT_TRUE(bodies.overlaps().empty()); // to look at all pairs would outlast CTest's limit
}

TEST(RigidFlight, drifts_its_nodes_and_leaves_velocities)
{
  NodeTable<2> nodes;
  const auto links = KickDriftTests::make_chain<2>(nodes, 4, 5.);
  RigidFlight<2> flight(links);
  flight.assign_clocks({0, 1, 0}, 2);
  const auto before = nodes;
  flight.kick(nodes, 1, 2.5, 1.);
  for (const unsigned int node : {1, 2})
  {
    EXPECT_EQ(nodes[node].time, 2.5);
    EXPECT_EQ(nodes.velocity(node), before.velocity(node));
    EXPECT_NEAR((nodes.displacement(node) - 2.5 * before.velocity(node)).norm(), 0, 1e-15);
  }
  EXPECT_EQ(nodes[0].time, 0);
  EXPECT_EQ(nodes[3].time, 0);
}
