// Steps of rigid bodies that follow what the bodies do.

#include "chain.h"

#include <kickdrift/potentials/loads/rigid_flight.h>
#include <kickdrift/potentials/springs.h>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

using namespace KickDriftTests;

namespace
{
/// A force along y on all nodes together, the same on each.
template <int dim>
struct ForceInTime : SimpleKicks<dim>
{
  using Vector = dealii::Tensor<1, dim>;

  ForceInTime(const std::vector<unsigned int> &on, std::function<double(double)> force_at,
              const unsigned int n_missing = 0)
      : on(on), force_at(std::move(force_at)), n_missing(n_missing)
  {
  }
  std::string
  name() const override
  {
    return "force in time";
  }
  unsigned int
  n_kicks() const override
  {
    return 1;
  }
  std::vector<unsigned int>
  support(unsigned int) const override
  {
    return on;
  }
  void
  nodal_stiffness(unsigned int, std::vector<double> &stiffness) const override
  {
    stiffness.assign(on.size(), 0.);
  }
  void
  force(const NodeTable<dim> &, unsigned int, const double time,
        std::vector<Vector> &forces) const override
  {
    Vector each;
    each[1] = force_at(time) / on.size();
    forces.assign(on.size() - n_missing, each);
  }
  double
  energy(const NodeTable<dim> &, unsigned int) const override
  {
    return 0;
  }

  const std::vector<unsigned int> on;
  const std::function<double(double)> force_at;
  const unsigned int n_missing;
};

/// Springs that count as cells.
struct CellsOfSprings : Springs<3>
{
  using Springs<3>::Springs;
  KickKind
  kind() const override
  {
    return KickKind::strain;
  }
};

/// A rigid box of mass 1 whose steps follow, with its corners as nodes.
template <int dim>
struct FollowedBox
{
  FollowedBox(const std::array<double, dim> &sides, const double resolution,
              const bool is_driven = false,
              const StepperParameters &of_stepper = parameters(Clocks::nested))
      : stepper(nodes, of_stepper)
  {
    std::vector<Spring> edges;
    RigidMass mass;
    mass.mass = 1;
    for (unsigned int corner = 0; corner < (1u << dim); ++corner)
    {
      dealii::Point<dim> x;
      for (unsigned int d = 0; d < dim; ++d)
      {
        x[d] = (corner >> d & 1) * sides[d];
        if ((corner >> d & 1) == 0)
          edges.push_back({{{corner, corner | 1u << d}}, 1, sides[d]});
      }
      corners.push_back(nodes.add(x, 1. / (1u << dim)));
    }
    for (unsigned int e = 0; e < dim; ++e)
    {
      mass.centre[e] = sides[e] / 2;
      for (unsigned int d = 0; d < 3; ++d)
        if (e != d)
          mass.inertia[d][d] += sides[e] * sides[e] / 12;
    }
    n_edges = edges.size();
    const unsigned int first = stepper.add(std::make_shared<RigidFlight<dim>>(
        std::make_shared<Springs<dim>>(edges), std::numeric_limits<double>::infinity()));
    std::vector<unsigned int> ids;
    for (unsigned int k = 0; k < n_edges; ++k)
      ids.push_back(first + k);
    if (is_driven)
      for (const unsigned int node : corners)
        for (unsigned int d = 0; d < dim; ++d)
          nodes.restraints.add(node, dealii::Point<dim>::unit_vector(d));
    else
    {
      nodes.rigid_bodies.add(nodes, "box", corners, mass);
      stepper.add_rigid_body(0, ids);
    }
    stepper.follow_rigid_body(corners, ids, resolution);
  }

  void
  load(std::function<double(double)> force, const unsigned int n_missing = 0)
  {
    stepper.add_on_clock_of(
        std::make_shared<ForceInTime<dim>>(corners, std::move(force), n_missing), {0});
  }

  /// All corners get these velocities.
  void
  move_with(const dealii::Tensor<1, dim> &velocity, const dealii::Tensor<1, 3> &spin = {})
  {
    for (const unsigned int node : corners)
    {
      dealii::Tensor<1, 3> arm;
      for (unsigned int d = 0; d < dim; ++d)
        arm[d] = nodes.reference(node)[d] - nodes.reference(corners.back())[d] / 2;
      nodes.set_velocity(node, velocity + from_space<dim>(dealii::cross_product_3d(spin, arm)));
    }
  }

  double
  step() const
  {
    return stepper.levels().step(0);
  }

  std::uint64_t
  n_steps() const
  {
    return stepper.kick_statistics()[0].count / n_edges;
  }

  NodeTable<dim> nodes;
  Stepper<dim> stepper;
  std::vector<unsigned int> corners;
  unsigned int n_edges = 0;
};

dealii::Tensor<1, 2>
along_y(const double y)
{
  dealii::Tensor<1, 2> result;
  result[1] = y;
  return result;
}
} // namespace

TEST(RigidSteps, follow_the_speed)
{
  FollowedBox<2> box({{1, 0.6}}, 0.1);
  box.move_with(along_y(3));
  box.stepper.start();
  EXPECT_NEAR(box.step(), 0.6 / 500 / 3, 1e-12);
  box.stepper.advance_to(0.1);
  EXPECT_NEAR(box.step(), 0.6 / 500 / 3, 1e-12);
  for (const unsigned int node : box.corners)
  {
    box.nodes.drift(node, 0.1);
    box.nodes.apply_impulse(node, along_y(7. / 4));
  }
  box.stepper.advance_to(0.11);
  EXPECT_NEAR(box.nodes.rigid_bodies.motion(0).velocity()[1], 10, 1e-12);
  EXPECT_NEAR(box.step(), 0.6 / 500 / 3 / 4, 1e-12); // a class
  for (const unsigned int node : box.corners)
  {
    box.nodes.drift(node, 0.11);
    box.nodes.apply_impulse(node, along_y(-9.9 / 4));
  }
  box.stepper.advance_to(0.2);
  EXPECT_NEAR(box.step(), 0.6 / 500 / 3, 1e-12); // the longest there is
}

/// Beside cells whose steps are much longer, a long rod about its own axis: no node is fast.
TEST(RigidSteps, follow_the_spin)
{
  constexpr double spin = 10;
  FollowedBox<3> rod({{1, 0.02, 0.02}}, 1);
  dealii::Tensor<1, 3> about_x;
  about_x[0] = spin;
  rod.move_with({}, about_x);
  const unsigned int one = rod.nodes.add(dealii::Point<3>(9, 9, 9), 1),
                     other = rod.nodes.add(dealii::Point<3>(9, 9, 10), 1);
  rod.stepper.add(std::make_shared<CellsOfSprings>(std::vector<Spring>{{{{one, other}}, 1, 1}}));
  rod.stepper.start();
  EXPECT_GT(rod.stepper.levels().step(rod.n_edges), 0.1);
  for (const double time : {0., 1., 5.})
  {
    rod.stepper.advance_to(time);
    EXPECT_LE(rod.step() * spin, 0.125 * (1 + 1e-6)); // rounded to 24 bits
    EXPECT_GT(rod.step() * spin, 0.06);
  }
}

TEST(RigidSteps, see_a_load_that_begins_later)
{
  for (const double begin : {0.2, 0.2222, 0.5})
  {
    FollowedBox<2> box({{1, 0.6}}, 0.1);
    box.load([begin](const double t) { return t > begin && t < begin + 0.01 ? 1 : 0; });
    box.stepper.start();
    EXPECT_NEAR(box.step(), 0.05, 1e-6);
    box.stepper.advance_to(0.9);
    // a step at either end of it counts or does not
    EXPECT_NEAR(box.nodes.rigid_bodies.motion(0).velocity()[1], 0.01, 1.2e-3);
    EXPECT_GT(box.step(), 0.0249);
    EXPECT_LT(box.n_steps(), 300);
  }
}

TEST(RigidSteps, see_a_drive_that_begins_later)
{
  constexpr double speed = 10, begin = 0.5, allowed = 0.6 / 500;
  FollowedBox<2> box({{1, 0.6}}, 0.1, true);
  const auto way = [=](const double t) { return t < begin ? 0 : speed * (t - begin); };
  box.stepper.prescribe(box.corners,
                        {dealii::Point<2>::unit_vector(0), dealii::Point<2>::unit_vector(1)},
                        [way](unsigned int, const double t) { return along_y(way(t)); });
  box.stepper.start();
  EXPECT_NEAR(box.step(), 0.05, 1e-6);
  box.stepper.advance_to(0.3);
  EXPECT_NEAR(box.step(), 0.05, 1e-6);
  for (double time = 0.4; time < 0.6; time += 0.7e-3)
  {
    box.stepper.advance_to(time);
    const double at = box.stepper.snapshot(time).displacement(0)[1];
    EXPECT_NEAR(at, way(time), allowed);
    if (time > begin + 1e-3)
    {
      EXPECT_LE(box.step() * speed, allowed * (1 + 1e-9));
    }
  }
  EXPECT_GT(box.step() * speed, allowed / 4);
}

TEST(RigidSteps, are_the_same_in_other_units)
{
  const auto count = [](const double unit_of_time, const double unit_of_length)
  {
    FollowedBox<2> box({{unit_of_length, 0.6 * unit_of_length}}, 0.1 * unit_of_time);
    box.load(
        [=](const double t)
        {
          const double size = 3 * unit_of_length / (unit_of_time * unit_of_time);
          return t < 0.3 * unit_of_time ? 0 : size * std::sin(50 * t / unit_of_time);
        });
    box.stepper.start();
    box.stepper.advance_to(unit_of_time);
    return box.n_steps();
  };
  const auto n = count(1, 1);
  EXPECT_GT(n, 50);
  EXPECT_EQ(count(1e-3, 1), n);
  EXPECT_EQ(count(1e3, 1), n);
  EXPECT_EQ(count(1, 1e-3), n);
}

TEST(RigidSteps, go_on_from_a_checkpoint)
{
  const auto make = []
  {
    auto box = std::make_unique<FollowedBox<2>>(std::array<double, 2>{{1, 0.6}}, 0.1);
    box->load([](const double t) { return t > 0.3 && t < 0.4 ? std::sin(50 * t) : 1e-3; });
    box->stepper.start();
    return box;
  };
  auto first = make(), second = make();
  first->stepper.advance_to(0.351);
  Archive writer;
  writer(first->nodes, first->stepper);
  Archive reader(writer.bytes());
  reader(second->nodes, second->stepper);
  first->stepper.advance_to(1);
  second->stepper.advance_to(1);
  EXPECT_EQ(first->n_steps(), second->n_steps());
  EXPECT_TRUE(same_bits(first->stepper.snapshot(1), second->stepper.snapshot(1)));
}

TEST(RigidSteps, refuse_what_they_cannot_follow)
{
  dealii::Tensor<1, 3> spin;
  spin[2] = 10;
  {
    StepperParameters fixed = parameters(Clocks::one);
    fixed.time_step = 0.3;
    FollowedBox<2> box({{1, 0.6}}, 0.1, false, fixed);
    box.move_with({}, spin);
    EXPECT_THROW(box.stepper.start(), RigidBodies<2>::ExcSpin);
    fixed.time_step = 0.01;
    FollowedBox<2> slow({{1, 0.6}}, 0.1, false, fixed);
    slow.move_with({}, spin);
    slow.stepper.start();
    slow.stepper.advance_to(1);
    EXPECT_EQ(slow.step(), 0.01);
  }
  {
    FollowedBox<2> box({{1, 0.6}}, 0.1);
    box.stepper.start();
    box.stepper.advance_to(0.2);
    box.nodes.drift(1, 0.2);
    box.nodes.apply_impulse(1, along_y(1e6)); // turns more than once in the finest step
    EXPECT_THROW(box.stepper.advance_to(0.4), StepperExceptions::ExcRigidTurn);
  }
  {
    FollowedBox<2> box({{1, 0.6}}, 0.1);
    box.load([](double) { return 1; }, 1);
    EXPECT_THROW(box.stepper.start(), StepperExceptions::ExcForceLength);
  }
}

TEST(RigidSteps, share_the_reserve_of_cells)
{
  StepClasses classes;
  classes.base = 1;
  classes.n_classes = 4; // 1, 2, 4, 8
  EXPECT_EQ(followed_class(2, 3.9, classes), 1u);
  EXPECT_EQ(followed_class(2, 4., classes), 2u);
  EXPECT_EQ(followed_class(2, 9.5, classes), 2u);
  EXPECT_EQ(followed_class(2, 9.7, classes), 3u);
  EXPECT_EQ(followed_class(3, 1e3, classes), 3u);
  EXPECT_EQ(followed_class(3, 1e-3, classes), 0u);
}
