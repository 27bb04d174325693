#include <kickdrift/contact/contact.h>

#include "step_setter.h"

#include <gtest/gtest.h>

#include <random>

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
    contact = std::make_unique<Contact<2>>(
        nodes, stepper, surface, parameters,
        std::vector<Obstacle<2>>{
            {"wall", std::make_shared<HalfSpace<2>>(Point<2>(), Tensor<1, 2>({0., 1.})),
             [height](const double t) {
               return Tensor<1, 2>({0., height(t)});
             }}});
    stepper.start();
    contact->start();
  }

  NodeTable<2> nodes;
  Stepper<2> stepper;
  std::unique_ptr<Contact<2>> contact;
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
    ContactParameters parameters;
    parameters.restitution = e;
    parameters.maximum_step = 1e-3;
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

TEST(Obstacles, friction_acts_on_the_velocity_relative_to_the_wall)
{
  ContactParameters parameters;
  parameters.friction = 0.1;
  parameters.maximum_step = 1e-3;
  MovingWall run(parameters);
  run.stepper.advance_to(2);
  // slips: tangential impulse = 0.1 times the normal one, 2.5 per mass
  EXPECT_NEAR(run.nodes.velocity(0)[0], 0.5 - 0.1 * 2.5, 1e-6);
  EXPECT_GT(run.contact->statistics().friction_loss, 0);
}

TEST(Obstacles, a_piston_wakes_what_sleeps)
{
  ContactParameters parameters;
  parameters.maximum_step = 1e-3;
  parameters.response = Response::reflect; // at once
  MovingWall run(parameters, Tensor<1, 2>({0., -1e-3}), [](const double t) { return 5 * t - 1; });
  run.stepper.advance_to(0.39);
  EXPECT_EQ(run.contact->statistics().collisions, 0u);
  run.stepper.advance_to(0.41);
  EXPECT_EQ(run.contact->statistics().collisions, 1u);
  EXPECT_NEAR(run.nodes.velocity(0)[1], 10 + 1e-3, 1e-5);
  EXPECT_LT(run.contact->statistics().max_penetration, 0.05);
}

TEST(Obstacles, the_velocity_of_a_wall_that_swings_is_that_at_the_hit)
{
  ContactParameters parameters;
  parameters.maximum_step = 1e-3;
  parameters.response = Response::reflect; // at once
  const auto height = [](const double t) { return 0.1 * std::sin(20 * t); };
  MovingWall run(parameters, Tensor<1, 2>({0., -1.}), height);
  double hit = 0;
  while (run.contact->statistics().collisions == 0 && hit < 2)
    run.stepper.advance_to(hit += 1e-4);
  EXPECT_NEAR(height(hit), 1 - hit, 0.03);
  EXPECT_NEAR(run.nodes.velocity(0)[1], 1 + 2 * 2 * std::cos(20 * hit), 0.2);
}

TEST(Obstacles, may_be_excluded)
{
  ContactParameters parameters;
  parameters.exclude = {{"mass", "wall"}};
  MovingWall run(parameters);
  run.stepper.advance_to(2);
  EXPECT_EQ(run.contact->statistics().collisions, 0u);
  parameters.exclude = {{"wall", "3"}};
  EXPECT_THROW(MovingWall{parameters}, std::exception);
}
