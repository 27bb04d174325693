// Classes follow critical steps that change by deformation.

#include "cells.h"

#include <kickdrift/base/archive.h>
#include <kickdrift/stepping/stepper.h>

#include <gtest/gtest.h>

using namespace PotentialsTest;

namespace
{
/// A bar of squares that is pressed together between its ends, which move towards each other and
/// stop.
struct PressedBar
{
  static constexpr unsigned int n = 12;
  static constexpr double pressing_time = 20;

  explicit PressedBar(const StepperParameters &parameters, const double final_length = 1. / 3)
      : body(mesh(), std::make_shared<NeoHookean<2>>(1., 1., 0.2)), stepper(body.nodes, parameters)
  {
    for (const auto &family : body.families)
      stepper.add(family);
    const double speed = 0.5 * n * (1 - final_length) / pressing_time;
    for (unsigned int node = 0; node < body.nodes.size(); ++node)
    {
      const double x = body.nodes.reference(node)[0];
      body.nodes.restraints.add(node, Point<2>::unit_vector(1));
      if (x == 0 || x == n)
      {
        body.nodes.restraints.add(node, Point<2>::unit_vector(0));
        ends.push_back(node);
      }
      // all of it moves as in slow compression, so that no wave disturbs
      Tensor<1, 2> v;
      v[0] = speed * (1 - 2 * x / n);
      body.nodes.set_velocity(node, v);
    }
    stepper.prescribe(ends, {Point<2>::unit_vector(0)},
                      [this, speed](const unsigned int node, const double time)
                      {
                        const double way = speed * std::min(time, pressing_time);
                        Tensor<1, 2> u;
                        u[0] = body.nodes.reference(node)[0] == 0 ? way : -way;
                        return u;
                      });
    stepper.start();
  }

  static Mesh<2>
  mesh()
  {
    Mesh<2> result;
    result.nodes_per_cell = 4;
    for (unsigned int i = 0; i <= n; ++i)
      for (unsigned int j = 0; j < 2; ++j)
        result.points.emplace_back(i, j);
    for (unsigned int c = 0; c < n; ++c)
      for (const unsigned int corner : {0u, 2u, 1u, 3u})
        result.nodes.push_back(2 * c + corner);
    return result;
  }

  double
  energy() const
  {
    const auto balance = stepper.energy(stepper.snapshot(stepper.time()));
    return balance.kinetic + balance.strain - balance.prescribed_work;
  }

  /// The largest ratio of a step to the critical one at present.
  double
  largest_ratio() const
  {
    const NodeTable<2> now = stepper.snapshot(stepper.time());
    const CriticalSteps<2> steps({body.families.begin(), body.families.end()}, body.nodes);
    double largest = 0;
    unsigned int id = 0;
    for (unsigned int f = 0; f < body.families.size(); ++f)
      for (unsigned int k = 0; k < body.families[f]->n_kicks(); ++k, ++id)
        largest = std::max(largest, stepper.levels().step(id) / steps.current(now, f, k));
    return largest;
  }

  Body<2> body;
  Stepper<2> stepper;
  std::vector<unsigned int> ends;
};

StepperParameters
parameters_for(const Clocks clocks, const double beta)
{
  StepperParameters parameters;
  parameters.clocks = clocks;
  parameters.time_step_ratio = beta;
  return parameters;
}
} // namespace

TEST(StepFollower, keeps_a_pressed_body_stable)
{
  for (const Clocks clocks : {Clocks::nested, Clocks::one})
    for (const double beta : {0.5, 0.9})
    {
      SCOPED_TRACE("clocks " + std::to_string(int(clocks)) + ", beta " + std::to_string(beta));
      PressedBar bar(parameters_for(clocks, beta));
      const double start = bar.energy();
      const double first_step = bar.stepper.levels().step(0);
      for (double time = 1; time < 60; time += 1)
      {
        bar.stepper.advance_to(time);
        EXPECT_LE(bar.largest_ratio(), 1) << time;
        EXPECT_LE(bar.stepper.follower().largest_ratio(), 1) << time;
      }
      EXPECT_LE(bar.stepper.levels().step(0), 0.25 * first_step);
      EXPECT_GT(bar.stepper.levels().n_class_changes(), 10u);
      EXPECT_NEAR(bar.energy(), start, 0.02 * bar.stepper.energy(bar.stepper.snapshot(59)).strain);
    }
}

TEST(StepFollower, says_so_if_classes_cannot_follow)
{
  StepperParameters fixed = parameters_for(Clocks::one, 0.5);
  fixed.time_step = 0.5;
  const StepperParameters per_cell = parameters_for(Clocks::per_cell, 0.5);
  for (const StepperParameters &parameters : {fixed, per_cell})
  {
    PressedBar bar(parameters);
    const double first_step = bar.stepper.levels().step(0);
    bar.stepper.advance_to(PressedBar::pressing_time);
    EXPECT_EQ(bar.stepper.levels().step(0), first_step);
    EXPECT_GT(bar.stepper.follower().largest_ratio(), 1);
    EXPECT_LT(bar.stepper.follower().id_of_largest_ratio(), PressedBar::n);
  }
}

TEST(StepFollower, has_nothing_to_do_with_linear_materials)
{
  Body<2> body(PressedBar::mesh(), std::make_shared<LinearElastic<2>>(1., 1., 0.2));
  Stepper<2> stepper(body.nodes, parameters_for(Clocks::nested, 0.5));
  for (const auto &family : body.families)
    stepper.add(family);
  stepper.start();
  EXPECT_TRUE(stepper.follower().is_constant());
  EXPECT_EQ(stepper.follower().next_time(), TournamentTree::never);
  EXPECT_EQ(stepper.levels().classes().n_classes, 1u); // no spare ones
}

/// The bits do not depend on who looks at the run, nor on whether it was interrupted.
TEST(StepFollower, goes_on_from_a_checkpoint)
{
  const auto parameters = parameters_for(Clocks::nested, 0.7);
  PressedBar through(parameters), first(parameters), second(parameters);
  through.stepper.advance_to(40);
  first.stepper.advance_to(13.7);
  ASSERT_GT(first.stepper.levels().n_class_changes(), 0u);
  Archive written;
  written(first.body.nodes, first.stepper);
  Archive read(written.bytes());
  read(second.body.nodes, second.stepper);
  second.stepper.advance_to(40);
  EXPECT_EQ(std::memcmp(through.body.nodes.data(), second.body.nodes.data(),
                        through.body.nodes.size() * sizeof(NodeState)),
            0);
  EXPECT_EQ(through.stepper.levels().n_class_changes(), second.stepper.levels().n_class_changes());
}
