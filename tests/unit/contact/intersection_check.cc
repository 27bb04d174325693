// What passes through what is found, at the right time, and nothing else.

#include <kickdrift/contact/intersection_check.h>
#include <kickdrift/potentials/simple_kicks.h>

#include "step_setter.h"

#include <deal.II/base/numbers.h>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace KickDrift;
using dealii::Point;
using dealii::Tensor;

namespace
{
/// Nodes that fly freely, but for a pull that is a function of time.
template <int dim>
class Pulls : public SimpleKicks<dim>
{
public:
  using Vector = Tensor<1, dim>;
  Pulls(const unsigned int node, std::function<double(double)> size)
      : node(node), size(std::move(size))
  {
  }
  std::string
  name() const override
  {
    return "pull";
  }
  unsigned int
  n_kicks() const override
  {
    return 1;
  }
  std::vector<unsigned int>
  support(unsigned int) const override
  {
    return {node};
  }
  void
  nodal_stiffness(unsigned int, std::vector<double> &stiffness) const override
  {
    stiffness.assign(1, 1.);
  }
  void
  force(const NodeTable<dim> &, unsigned int, const double time,
        std::vector<Vector> &force) const override
  {
    force.assign(1, Vector());
    force[0][dim - 1] = size(time);
  }
  double
  energy(const NodeTable<dim> &, unsigned int) const override
  {
    return 0;
  }

private:
  const unsigned int node;
  const std::function<double(double)> size;
};

/// A triangle in the plane z = 0, a node above it and, if wanted, an edge.
struct Scene
{
  Scene()
  {
    const Point<3> corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    SurfaceFace<3> face{{}, 3, 0, 0};
    for (unsigned int i = 0; i < 3; ++i)
      face.nodes[i] = nodes.add(corners[i], 1.);
    surface.faces.push_back(face);
    for (const unsigned int node : {0, 1, 2})
      surface.contactors.push_back({node, 0, 1.});
    surface.body_names = {"plate", "thing"};
  }

  unsigned int
  add_node(const Point<3> &x, const Tensor<1, 3> &velocity)
  {
    const unsigned int node = nodes.add(x, 1.);
    nodes.set_velocity(node, velocity);
    surface.contactors.push_back({node, 1, 1.});
    return node;
  }

  void
  start(const std::vector<Obstacle<3>> &some_obstacles = {})
  {
    obstacles = some_obstacles;
    stepper = std::make_unique<Stepper<3>>(nodes, StepperParameters());
    std::vector<std::array<unsigned int, 2>> pairs;
    for (unsigned int node = 0; node < nodes.size(); ++node)
      pairs.push_back({{node, (node + 1) % nodes.size()}});
    stepper->add(std::make_shared<KickDriftTests::StepSetter<3>>(pairs, 400.));
    if (pull)
      stepper->add(std::make_shared<Pulls<3>>(3, pull));
    stepper->start();
    check = std::make_unique<IntersectionCheck<3>>(nodes, *stepper, surface, ContactParameters(),
                                                   obstacles);
  }

  NodeTable<3> nodes;
  Surface<3> surface;
  std::function<double(double)> pull;
  std::vector<Obstacle<3>> obstacles;
  std::unique_ptr<Stepper<3>> stepper;
  std::unique_ptr<IntersectionCheck<3>> check;
};

Tensor<1, 3>
vector(const double x, const double y, const double z)
{
  return Point<3>(x, y, z);
}
} // namespace

TEST(IntersectionCheck, NodeThroughFace)
{
  Scene scene;
  scene.add_node(Point<3>(0.2, 0.3, 1.), vector(0, 0, -2));
  scene.start();
  scene.check->advance_to(0.499);
  EXPECT_TRUE(scene.check->found().empty());
  scene.check->advance_to(2.);
  ASSERT_EQ(scene.check->found().size(), 1u);
  EXPECT_NEAR(scene.check->found()[0].time, 0.5, 1e-9);
  EXPECT_EQ(scene.check->text(scene.check->found()[0]),
            "Node 3 of 'thing' passes through the face of nodes 0, 1, 2 of 'plate' at time 0.5.");
}

TEST(IntersectionCheck, NodePastFaceIsNoIntersection)
{
  for (const auto &x : {Point<3>(0.7, 0.5, 1.), Point<3>(-0.01, 0.5, 1.)})
  {
    Scene scene;
    scene.add_node(x, vector(0, 0, -2));
    scene.start();
    scene.check->advance_to(2.);
    EXPECT_TRUE(scene.check->found().empty());
    EXPECT_EQ(scene.check->n_flights(), 0u);
  }
}

TEST(IntersectionCheck, KicksTurnTheNodeRoundOrNot)
{
  // pulled up by a from t = 0 on, from height 1 with speed -v: the lowest point is 1 - v^2/(2a)
  for (const bool passes : {false, true})
  {
    Scene scene;
    const double v = 2, a = passes ? 1.9 : 2.1;
    scene.add_node(Point<3>(0.2, 0.3, 1.), vector(0, 0, -v));
    scene.pull = [a](double) { return a; };
    scene.start();
    scene.check->advance_to(3.);
    // down through the face and up again
    EXPECT_EQ(scene.check->found().size(), passes ? 2u : 0u);
    EXPECT_GT(scene.check->n_flights(), 20u);
    if (passes)
    {
      const double root = std::sqrt(v * v - 2 * a);
      EXPECT_NEAR(scene.check->found()[0].time, (v - root) / a, 0.02);
      EXPECT_NEAR(scene.check->found()[1].time, (v + root) / a, 0.02);
    }
  }
}

TEST(IntersectionCheck, EdgeThroughEdge)
{
  for (const bool passes : {false, true})
  {
    Scene scene;
    // across the edge from (0,0,0) to (1,0,0), with both nodes beside the face
    const double y = passes ? -0.3 : -1.3;
    const unsigned int a = scene.add_node(Point<3>(0.4, y, 0.5), vector(0, 0, -1));
    const unsigned int b = scene.add_node(Point<3>(0.4, y + 0.8, 1.5), vector(0, 0, -1));
    const unsigned int c = scene.add_node(Point<3>(0.4, y - 0.2, 2.5), vector(0, 0, -1));
    scene.surface.faces.push_back({{{a, b, c, 0}}, 3, 1, 0});
    scene.start();
    scene.check->advance_to(0.9);
    unsigned int n_edges = 0;
    for (const auto &found : scene.check->found())
      n_edges += found.primitives.kind == LayerPairKind::edges;
    // the edge is at height 0.5 + 0.3/0.8 over y = 0
    EXPECT_EQ(n_edges, passes ? 1u : 0u);
    if (passes)
    {
      EXPECT_NEAR(scene.check->found()[0].time, 0.875, 1e-9);
    }
  }
}

TEST(IntersectionCheck, NodeIntoObstacle)
{
  Obstacle<3> floor{
      "floor", std::make_shared<HalfSpace<3>>(Point<3>(0, 0, 0), vector(0, 0, 1)), {}};
  Scene scene;
  for (unsigned int i = 0; i < 3; ++i) // out of the way
    scene.nodes.set_displacement(i, vector(50, 0, 10));
  scene.add_node(Point<3>(0.2, 0.3, 1.), vector(0, 0, -2));
  // it comes up with speed 1 from t = 0.1 on
  floor.displacement = [](const double t) { return vector(0, 0, std::max(0., t - 0.1)); };
  scene.start({floor});
  scene.check->advance_to(0.36);
  EXPECT_TRUE(scene.check->found().empty());
  scene.check->advance_to(0.37); // 1 - 2t = t - 0.1 at t = 0.3667
  ASSERT_FALSE(scene.check->found().empty());
  EXPECT_NE(scene.check->text(scene.check->found()[0]).find("enters obstacle 'floor'"),
            std::string::npos);
}

TEST(IntersectionCheck, ObstacleThatComesAndGoesBetweenTwoInstants)
{
  for (const bool is_bound_known : {false, true})
    for (const double height : {0.29, 0.31})
    {
      Obstacle<3> floor{
          "floor", std::make_shared<HalfSpace<3>>(Point<3>(0, 0, 0), vector(0, 0, 1)), {}};
      Scene scene;
      for (unsigned int i = 0; i < 3; ++i) // out of the way
        scene.nodes.set_displacement(i, vector(50, 0, 10));
      scene.add_node(Point<3>(0.2, 0.3, height), vector(0, 0, 0));
      double step = std::numeric_limits<double>::infinity();
      // it is down whenever something is kicked, and at 0.3 in the middle of flights
      floor.displacement = [&step](const double t)
      { return vector(0, 0, 0.3 * std::pow(std::cos(dealii::numbers::PI * t / step), 2)); };
      if (is_bound_known)
        floor.largest_acceleration = 1e4;
      scene.start({floor});
      step = scene.stepper->levels().natural_step(0);
      EXPECT_LT(0.6 * std::pow(dealii::numbers::PI / step, 2), 1e4);
      scene.check->advance_to(0.5 * step); // the first interval is half a flight
      scene.check = std::make_unique<IntersectionCheck<3>>(
          scene.nodes, *scene.stepper, scene.surface, ContactParameters(), scene.obstacles);
      scene.check->advance_to(3 * step);
      EXPECT_EQ(scene.check->found().empty(), height > 0.3) << is_bound_known;
    }
}

TEST(IntersectionCheck, ThinObstacleBetweenTwoInstants)
{
  // much thinner than the way between two kicks
  Obstacle<3> ball{"ball", std::make_shared<Ball<3>>(Point<3>(0.2, 0.3, 0.5), 1e-3), {}};
  for (const double offset : {0., 0.0009, 0.0011})
  {
    Scene scene;
    for (unsigned int i = 0; i < 3; ++i)
      scene.nodes.set_displacement(i, vector(50, 0, 10));
    scene.add_node(Point<3>(0.2 + offset, 0.3, 1.), vector(0, 0, -20));
    scene.start({ball});
    scene.check->advance_to(0.2);
    EXPECT_EQ(scene.check->found().empty(), offset > 1e-3);
  }
}

TEST(IntersectionCheck, ItDoesNotMatterWhereAndHowFastAllFly)
{
  const auto drift = vector(3e3, -2e3, 1e3);
  Scene scene;
  scene.add_node(Point<3>(0.2, 0.3, 1.), vector(0, 0, -2));
  for (unsigned int node = 0; node < 4; ++node)
  {
    scene.nodes.set_displacement(node, vector(1e5, 2e5, -1e5));
    scene.nodes.set_velocity(node, scene.nodes.velocity(node) + drift);
  }
  scene.start();
  scene.check->advance_to(0.6);
  ASSERT_EQ(scene.check->found().size(), 1u);
  EXPECT_NEAR(scene.check->found()[0].time, 0.5, 1e-6);
}

TEST(IntersectionCheck, PlaneNodesThroughSegments)
{
  NodeTable<2> nodes;
  Surface<2> surface;
  surface.body_names = {"wall", "ball"};
  SurfaceFace<2> face{{{nodes.add(Point<2>(0, 0), 1.), nodes.add(Point<2>(1, 0), 1.)}}, 2, 0, 0};
  surface.faces.push_back(face);
  for (const double x : {0.5, 1.2})
  {
    const unsigned int node = nodes.add(Point<2>(x, 1.), 1.);
    nodes.set_velocity(node, Point<2>(0., -1.));
    surface.contactors.push_back({node, 1, 1.});
  }
  Stepper<2> stepper(nodes, StepperParameters());
  stepper.add(std::make_shared<KickDriftTests::StepSetter<2>>(
      std::vector<std::array<unsigned int, 2>>{{{0, 1}}, {{2, 3}}}, 100.));
  stepper.start();
  const std::vector<Obstacle<2>> none;
  IntersectionCheck<2> check(nodes, stepper, surface, ContactParameters(), none);
  check.advance_to(1.5);
  ASSERT_EQ(check.found().size(), 1u);
  EXPECT_NEAR(check.found()[0].time, 1., 1e-9);
}
