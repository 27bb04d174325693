// A cylinder of copper hits a rigid wall (Taylor 1948), without a contact search: the nodes at the
// wall slide on it.

#include "cells.h"

#include <kickdrift/potentials/materials/plasticity.h>
#include <kickdrift/stepping/stepper.h>

#include <gtest/gtest.h>

#include <iostream>

using namespace PotentialsTest;

namespace
{
/// A quarter of a cylinder along z that moves against its direction. Units: mm, us, GPa, mg.
struct Bar
{
  double length, radius, speed, end_time;
  unsigned int n = 2, n_ring = 2, n_layers = 36;
};

Mesh<3>
quarter_cylinder(const Bar &bar)
{
  Mesh<3> mesh;
  mesh.nodes_per_cell = 8;
  const unsigned int n = bar.n, n_arc = 2 * n + 1;
  const auto core = [&](const double s, const double t)
  {
    const double edge = 0.55, corner = 0.45;
    return Point<2>(edge * s * (1 - t) + corner * s * t, edge * t * (1 - s) + corner * s * t);
  };
  std::vector<Point<2>> disc;
  for (unsigned int j = 0; j <= n; ++j)
    for (unsigned int i = 0; i <= n; ++i)
      disc.push_back(core(double(i) / n, double(j) / n));
  const auto on_core = [&](const unsigned int i)
  { return i <= n ? i * (n + 1) + n : n * (n + 1) + 2 * n - i; };
  for (unsigned int r = 1; r <= bar.n_ring; ++r)
    for (unsigned int i = 0; i < n_arc; ++i)
    {
      const double angle = M_PI / 2 * i / (2 * n), share = double(r) / bar.n_ring;
      const Point<2> arc(i == n_arc - 1 ? 0 : std::cos(angle), i == 0 ? 0 : std::sin(angle));
      disc.push_back((1 - share) * disc[on_core(i)] + share * arc);
    }
  const auto on_ring = [&](const unsigned int r, const unsigned int i)
  { return r == 0 ? on_core(i) : (n + 1) * (n + 1) + (r - 1) * n_arc + i; };
  std::vector<std::array<unsigned int, 4>> quads;
  for (unsigned int j = 0; j < n; ++j)
    for (unsigned int i = 0; i < n; ++i)
      quads.push_back({{j * (n + 1) + i, j * (n + 1) + i + 1, (j + 1) * (n + 1) + i,
                        (j + 1) * (n + 1) + i + 1}});
  for (unsigned int r = 0; r < bar.n_ring; ++r)
    for (unsigned int i = 0; i + 1 < n_arc; ++i)
      quads.push_back(
          {{on_ring(r, i), on_ring(r + 1, i), on_ring(r, i + 1), on_ring(r + 1, i + 1)}});
  for (unsigned int k = 0; k <= bar.n_layers; ++k)
    for (const auto &p : disc)
      mesh.points.emplace_back(bar.radius * p[0], bar.radius * p[1], bar.length * k / bar.n_layers);
  for (unsigned int k = 0; k < bar.n_layers; ++k)
    for (const auto &quad : quads)
      for (unsigned int layer = k; layer < k + 2; ++layer)
        for (const unsigned int node : quad)
          mesh.nodes.push_back(layer * disc.size() + node);
  return mesh;
}

struct Outcome
{
  double length, radius, plastic_strain, kinetic_share, energy_error;
  unsigned long long kicks;
};

Outcome
impact(const Bar &bar, const std::shared_ptr<const Material<3>> &material,
       const bool mean_dilatation = true)
{
  Body<3> body(quarter_cylinder(bar), material);
  if (mean_dilatation)
    body.families = make_mean_dilatation_kicks(body.data, material);
  StepperParameters parameters;
  parameters.time_step_ratio = 0.6;
  Stepper<3> stepper(body.nodes, parameters);
  for (const auto &family : body.families)
    stepper.add(family);
  for (unsigned int node = 0; node < body.nodes.size(); ++node)
  {
    const auto &x = body.nodes.reference(node);
    Tensor<1, 3> v;
    if (x[2] > 0)
      v[2] = -bar.speed;
    for (unsigned int d = 0; d < 3; ++d)
      if (x[d] == 0)
        body.nodes.restraints.add(node, Point<3>::unit_vector(d));
    body.nodes.set_velocity(node, v);
  }
  stepper.start();
  const auto start = stepper.energy(stepper.snapshot(0));
  Outcome result{0, 0, 0, 0, 0, 0};
  for (unsigned int i = 1; i <= 20; ++i)
  {
    stepper.advance_to(bar.end_time * i / 20);
    const auto balance = stepper.energy(stepper.snapshot(stepper.time()));
    result.energy_error =
        std::max(result.energy_error, std::abs(balance.total() / start.kinetic - 1));
    result.kinetic_share = balance.kinetic / start.kinetic;
  }
  const auto nodes = stepper.snapshot(stepper.time());
  for (unsigned int node = 0; node < nodes.size(); ++node)
  {
    const auto x = nodes.reference(node) + nodes.displacement(node);
    if (nodes.reference(node)[2] == bar.length)
      result.length = std::max(result.length, x[2]);
    result.radius = std::max(result.radius, std::hypot(x[0], x[1]));
  }
  for (const auto &family : body.families)
    for (unsigned int k = 0; k < family->n_kicks(); ++k)
      result.plastic_strain = std::max(result.plastic_strain, family->mean_outputs(nodes, k).at(0));
  for (const auto &family : stepper.kick_statistics())
    result.kicks += family.count;
  return result;
}

void
print(const std::string &name, const Bar &bar, const Outcome &outcome)
{
  std::cout << name << ": length " << outcome.length << " (ratio " << outcome.length / bar.length
            << "), radius " << outcome.radius << " (ratio " << outcome.radius / bar.radius
            << "), plastic strain " << outcome.plastic_strain << ", kinetic share "
            << outcome.kinetic_share << ", energy error " << outcome.energy_error << ", kicks "
            << outcome.kicks << std::endl;
}

TEST(TaylorBar, CopperWithLinearHardening)
{
  const Bar bar{32.4, 3.2, 0.227, 80};
  const auto outcome = impact(bar, std::make_shared<J2Plasticity<3>>(8.93, 117., 0.35, 0.4, 0.1));
  print("J2", bar, outcome);
  EXPECT_NEAR(outcome.length, 21.5, 0.2);
  EXPECT_NEAR(outcome.radius, 7., 0.2);
  EXPECT_NEAR(outcome.plastic_strain, 2.9, 0.4);
  EXPECT_LT(outcome.kinetic_share, 0.05);
  EXPECT_LT(outcome.energy_error, 0.01);
}

/// Johnson & Cook 1983: OFHC copper, temperatures in K.
std::shared_ptr<const Material<3>>
copper_of_johnson_and_cook()
{
  JohnsonCookParameters p;
  p.a = 0.090;
  p.b = 0.292;
  p.n = 0.31;
  p.c = 0.025;
  p.m = 1.09;
  p.reference_rate = 1e-6; // 1/s
  p.room_temperature = p.initial_temperature = 298;
  p.melting_temperature = 1356;
  p.heat_capacity = 383e-6; // J/(kg K) = 1e-6 mm^2/(us^2 K)
  p.heat_fraction = 0.9;
  return std::make_shared<JohnsonCook<3>>(8.96, 124., 0.34, p);
}

TEST(TaylorBar, CopperOfJohnsonAndCook)
{
  const Bar bar{23.47, 3.81, 0.210, 70, 2, 2, 24};
  const auto outcome = impact(bar, copper_of_johnson_and_cook());
  print("Johnson-Cook", bar, outcome);
  EXPECT_NEAR(outcome.length / bar.length, 0.630, 0.03 * 0.63);
  EXPECT_NEAR(outcome.radius / bar.radius, 2.204, 0.08 * 2.204);
  EXPECT_LT(outcome.energy_error, 0.01);
}
} // namespace
