#include <kickdrift/contact/contact_method.h>
#include <kickdrift/potentials/springs.h>

#include "step_setter.h"
#include "unit/stepping/linear_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <vector>

using namespace KickDrift;
using dealii::Point;
using dealii::Tensor;

namespace
{
template <int dim>
std::vector<std::shared_ptr<Shape<dim>>>
shapes()
{
  std::vector<std::shared_ptr<Shape<dim>>> result;
  Point<dim> centre;
  centre[0] = 0.3;
  Tensor<1, dim> slanted;
  std::array<double, dim> half_lengths;
  std::array<Tensor<1, dim>, dim> directions;
  for (unsigned int d = 0; d < dim; ++d)
  {
    slanted[d] = 1. + d;
    half_lengths[d] = 0.5 + 0.2 * d;
  }
  for (unsigned int d = 0; d < dim; ++d)
    directions[d] = Point<dim>::unit_vector(d);
  directions[0][0] = directions[1][1] = std::cos(0.4);
  directions[0][1] = std::sin(0.4);
  directions[1][0] = -directions[0][1];
  result.push_back(std::make_shared<HalfSpace<dim>>(centre, slanted));
  result.push_back(std::make_shared<Ball<dim>>(centre, 0.7));
  result.push_back(std::make_shared<Cuboid<dim>>(centre, half_lengths, directions));
  if constexpr (dim == 3)
  {
    result.push_back(std::make_shared<Cylinder>(centre, slanted, 0.5, 1.2));
    result.push_back(
        std::make_shared<Cylinder>(centre, slanted, 0.5, std::numeric_limits<double>::infinity()));
  }
  result.push_back(std::make_shared<Outside<dim>>(result[2]));
  return result;
}

/// A signed distance goes down by what one walks against its normal, until the surface is reached.
template <int dim>
void
check_shapes()
{
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1.5, 1.5);
  for (unsigned int s = 0; s < shapes<dim>().size(); ++s)
  {
    SCOPED_TRACE(s);
    const auto shape = shapes<dim>()[s];
    unsigned int n_inside = 0;
    for (unsigned int i = 0; i < 2000; ++i)
    {
      Point<dim> point;
      for (unsigned int d = 0; d < dim; ++d)
        point[d] = uniform(random);
      const double distance = shape->distance(point);
      const auto normal = shape->normal(point);
      const bool is_deep = -distance > shape->depth_limit();
      n_inside += distance < 0;
      EXPECT_NEAR(normal.norm(), 1, 1e-12);
      if (is_deep)
        continue;
      EXPECT_NEAR(shape->distance(Point<dim>(point - distance * normal)), 0, 1e-13);
      EXPECT_NEAR(shape->distance(Point<dim>(point - 0.5 * distance * normal)), 0.5 * distance,
                  1e-13);
      // no other point of the surface is closer
      Point<dim> other;
      for (unsigned int d = 0; d < dim; ++d)
        other[d] = uniform(random);
      EXPECT_GE(point.distance(other) + 1e-12, std::abs(distance - shape->distance(other)));
    }
    EXPECT_GT(n_inside, 50u);
    EXPECT_LT(n_inside, 1950u);
  }
}

double
kinetic_energy(const NodeTable<2> &nodes)
{
  double energy = 0;
  for (unsigned int node = 0; node < nodes.size(); ++node)
    energy += 0.5 * nodes.mass(node) * nodes.velocity(node).norm_square();
  return energy;
}

ContactParameters
with(const Response response)
{
  ContactParameters parameters;
  parameters.response = response;
  parameters.maximum_step = 1e-3;
  return parameters;
}

std::vector<Obstacle<2>>
wall(const std::function<double(double)> &height)
{
  return {{"wall", std::make_shared<HalfSpace<2>>(Point<2>(), Tensor<1, 2>({0., 1.})),
           [height](const double t) {
             return Tensor<1, 2>({0., height(t)});
           }}};
}

/// A mass that meets a wall that moves towards it.
struct MovingWall
{
  explicit MovingWall(
      const ContactParameters &parameters, const Tensor<1, 2> &velocity = Tensor<1, 2>({0.5, -1.}),
      const std::function<double(double)> &height = [](const double t) { return t / 4; })
      : stepper(nodes, StepperParameters())
  {
    nodes.add(Point<2>(0, 1), 2.);
    nodes.add(Point<2>(10, 10), 1.);
    nodes.set_velocity(0, velocity);
    nodes.set_velocity(1, velocity);
    stepper.add(std::make_shared<KickDriftTests::StepSetter<2>>(
        std::vector<std::array<unsigned int, 2>>{{{0, 1}}}, 3.3e4));
    Surface<2> surface;
    surface.body_names = {"mass"};
    surface.contactors = {{0, 0, 0.1}};
    contact = make_contact_method<2>(nodes, stepper, surface, parameters, wall(height), nullptr);
    stepper.start();
    contact->start();
  }

  NodeTable<2> nodes;
  Stepper<2> stepper;
  std::unique_ptr<ContactMethod<2>> contact;
};
} // namespace

TEST(Obstacles, shapes_are_signed_distances)
{
  check_shapes<2>();
  check_shapes<3>();
}

TEST(Obstacles, a_wall_that_moves_reflects_in_its_own_frame)
{
  for (const double e : {1., 0.5, 0.})
  {
    SCOPED_TRACE(e);
    ContactParameters parameters = with(Response::reflect);
    parameters.restitution = e;
    MovingWall run(parameters);
    const double before = kinetic_energy(run.nodes);
    run.stepper.advance_to(2);
    const auto &statistics = run.contact->statistics();
    ASSERT_GE(statistics.collisions, 1u);
    EXPECT_NEAR(run.nodes.velocity(0)[0], 0.5, 1e-6);
    EXPECT_NEAR(run.nodes.velocity(0)[1], 0.25 + e * 1.25, 1e-6);
    // what the wall has done, less what was lost, is in the mass
    EXPECT_NEAR(kinetic_energy(run.nodes) - before,
                statistics.obstacle_work - statistics.restitution_loss, 1e-6);
    EXPECT_NEAR(run.contact->pairs()(0, 1).impulse[1], 2. * (1 + e) * 1.25, 1e-6);
  }
}

// Two masses on a spring meet the wall one after the other: what they have got from it, and its
// work.
TEST(Obstacles, a_wall_that_moves_throws_a_spring_back)
{
  const double speed = 0.25;
  for (const double e : {1., 0.5, 0.})
  {
    SCOPED_TRACE(e);
    NodeTable<2> nodes;
    for (const double y : {1., 2.})
      nodes.set_velocity(nodes.add(Point<2>(0, y), 1.), Tensor<1, 2>({0., -1.}));
    StepperParameters stepping;
    stepping.time_step_ratio = 0.02;
    Stepper<2> stepper(nodes, stepping);
    const auto spring = std::make_shared<KickDriftTests::LinearNetwork<2>>();
    spring->add(0, 1, 1., 1., 1.);
    stepper.add(spring);
    Surface<2> surface;
    surface.body_names = {"spring"};
    surface.contactors = {{0, 0, 0.5}, {1, 0, 0.5}};
    ContactParameters parameters;
    parameters.response = Response::records;
    parameters.restitution = e;
    const auto contact =
        make_contact_method<2>(nodes, stepper, surface, parameters,
                               wall([=](const double t) { return speed * t; }), nullptr);
    stepper.start();
    contact->start();
    const auto total = [&]
    {
      EnergyBalance balance = stepper.energy(stepper.snapshot(stepper.time()));
      contact->add_energy(balance);
      return balance.total();
    };
    const double first = total();
    for (unsigned int i = 1; i <= 60; ++i)
    {
      const double time = 0.1 * i;
      stepper.advance_to(time);
      EXPECT_NEAR(total(), first, 0.01 * first) << time;
      EXPECT_GT(stepper.snapshot(time).position(0)[1] - speed * time, -1e-6) << time;
    }
    const auto now = stepper.snapshot(6);
    const double mean = 0.5 * (now.velocity(0)[1] + now.velocity(1)[1]);
    const auto statistics = contact->synchronised_statistics();
    const double impulse = statistics.impulse[0][1] + statistics.impulse[1][1];
    EXPECT_GT(impulse, 2.);
    EXPECT_NEAR(impulse, 2 * (mean + 1), 1e-11);
    EXPECT_NEAR(statistics.obstacle_work, speed * impulse, 1e-6);
  }
}

TEST(Obstacles, friction_acts_on_the_velocity_relative_to_the_wall)
{
  ContactParameters parameters = with(Response::reflect);
  parameters.friction = 0.1;
  MovingWall run(parameters);
  run.stepper.advance_to(2);
  // slips: tangential impulse = 0.1 times the normal one, 2.5 per mass
  EXPECT_NEAR(run.nodes.velocity(0)[0], 0.5 - 0.1 * 2.5, 1e-6);
  EXPECT_GT(run.contact->statistics().friction_loss, 0);
}

TEST(Obstacles, a_piston_wakes_what_sleeps)
{
  // what reflects does so at once
  MovingWall run(with(Response::reflect), Tensor<1, 2>({0., -1e-3}),
                 [](const double t) { return 5 * t - 1; });
  run.stepper.advance_to(0.39);
  EXPECT_EQ(run.contact->statistics().collisions, 0u);
  run.stepper.advance_to(0.41);
  EXPECT_EQ(run.contact->statistics().collisions, 1u);
  EXPECT_NEAR(run.nodes.velocity(0)[1], 10 + 1e-3, 1e-5);
  EXPECT_LT(run.contact->statistics().max_penetration, 0.05);
}

TEST(Obstacles, the_velocity_of_a_wall_that_swings_is_that_at_the_hit)
{
  const auto height = [](const double t) { return 0.1 * std::sin(20 * t); };
  MovingWall run(with(Response::reflect), Tensor<1, 2>({0., -1.}), height);
  double hit = 0;
  while (run.contact->statistics().collisions == 0 && hit < 2)
    run.stepper.advance_to(hit += 1e-4);
  EXPECT_NEAR(height(hit), 1 - hit, 0.03);
  EXPECT_NEAR(run.nodes.velocity(0)[1], 1 + 2 * 2 * std::cos(20 * hit), 0.2);
}

TEST(Obstacles, may_be_excluded)
{
  for (const Response response : {Response::reflect, Response::records})
  {
    ContactParameters parameters = with(response);
    parameters.exclude = {{"mass", "wall"}};
    MovingWall run(parameters);
    run.stepper.advance_to(2);
    EXPECT_EQ(run.contact->statistics().collisions, 0u);
    parameters.exclude = {{"wall", "3"}};
    EXPECT_THROW(MovingWall{parameters}, std::exception);
  }
}

TEST(Obstacles, what_is_in_them_at_the_start_is_found)
{
  for (const Response response : {Response::reflect, Response::records})
  {
    NodeTable<3> nodes;
    const unsigned int deep = nodes.add(Point<3>(0.5, 0.4, -0.02), 1.),
                       above = nodes.add(Point<3>(0.5, 0.5, 0.02), 1.);
    Stepper<3> stepper(nodes, StepperParameters());
    stepper.add(std::make_shared<Springs<3>>(std::vector<Spring>{{{{deep, above}}, 1., 0.04}}));
    Surface<3> surface;
    surface.body_names = {"points"};
    surface.contactors = {{deep, 0, 0.3}, {above, 0, 0.3}};
    const std::vector<Obstacle<3>> floor = {
        {"floor", std::make_shared<HalfSpace<3>>(Point<3>(), Point<3>(0, 0, 1)), {}, {}}};
    const auto contact =
        make_contact_method<3>(nodes, stepper, surface, with(response), floor, nullptr);
    stepper.start();
    contact->start();
    const auto found = contact->penetrations();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].body, 0u);
    EXPECT_EQ(found[0].target, 1u);
    EXPECT_NEAR(found[0].depth, 0.02, 1e-14);
    EXPECT_NEAR(found[0].relative_depth, 0.02 / 0.3, 1e-14);
    EXPECT_EQ(found[0].point, nodes.position(deep));
  }
}
