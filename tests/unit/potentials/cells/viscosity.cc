#include <kickdrift/potentials/cells/viscosity.h>
#include <kickdrift/stepping/stepper.h>
#include <kickdrift/stepping/steps/critical_steps.h>

#include <deal.II/physics/transformations.h>

#include <gtest/gtest.h>

#include "cells.h"

using namespace KickDrift;
using namespace PotentialsTest;

namespace
{
constexpr double E = 2.1, nu = 0.3, density = 1.3;
const Viscosity all_kinds{0.3, 0.06, 1.2};

/// Cells, all on one clock, that have been at rest for a while.
template <int dim>
struct ViscousBody : Body<dim>
{
  ViscousBody(const Mesh<dim> &mesh, const std::shared_ptr<const Material<dim>> &material,
              const Viscosity &viscosity,
              const StrainIntegration integration = StrainIntegration::standard)
      : Body<dim>(mesh, material), kicks(this->data, *material, integration, viscosity)
  {
    kicks.assign_clocks(std::vector<unsigned int>(kicks.n_kicks(), 0), 1);
  }

  std::vector<Tensor<1, dim>>
  forces(const double time)
  {
    std::vector<Tensor<1, dim>> result(this->nodes.size()), of_kick;
    for (unsigned int k = 0; k < kicks.n_kicks(); ++k)
    {
      kicks.force(this->nodes, k, time, of_kick);
      const auto support = kicks.support(k);
      for (unsigned int a = 0; a < support.size(); ++a)
        result[support[a]] += of_kick[a];
    }
    return result;
  }

  CellViscosity<dim> kicks;
};

template <int dim>
Tensor<2, dim>
rotation(const double angle)
{
  if constexpr (dim == 2)
    return dealii::Physics::Transformations::Rotations::rotation_matrix_2d(angle);
  else
    return dealii::Physics::Transformations::Rotations::rotation_matrix_3d(
        Tensor<1, 3>({2. / 3, -1. / 3, 2. / 3}), angle);
}

template <int dim>
std::shared_ptr<const Material<dim>>
neo_hookean()
{
  return std::make_shared<NeoHookean<dim>>(density, E, nu);
}

const std::array<StrainIntegration, 3> integrations = {{StrainIntegration::standard,
                                                        StrainIntegration::one_point,
                                                        StrainIntegration::mean_dilatation}};

/// No force against rigid motion by finite angles; forces have neither sum nor moment otherwise.
template <int dim>
void
keep_momenta()
{
  std::mt19937 random(5);
  for (const auto shape : all_shapes)
    for (const auto integration : integrations)
    {
      ViscousBody<dim> body(block<dim>(shape, 2, random), neo_hookean<dim>(), all_kinds,
                            integration);
      std::vector<Tensor<1, dim>> u;
      for (unsigned int i = 0; i < body.nodes.size(); ++i)
      {
        u.push_back(random_vector<dim>(random, 0.05));
        body.nodes.set_displacement(i, u.back());
      }
      body.kicks.begin(body.nodes);
      const Tensor<2, dim> R = rotation<dim>(0.7);
      for (unsigned int i = 0; i < body.nodes.size(); ++i)
      {
        const Point<dim> X = body.nodes.reference(i);
        body.nodes.set_displacement(i, R * (Tensor<1, dim>(X) + u[i]) - X);
      }
      for (const auto &force : body.forces(0.1))
        EXPECT_LT(force.norm(), 1e-12);

      Tensor<1, dim> sum;
      Tensor<2, dim> moment;
      double largest = 0;
      for (unsigned int i = 0; i < body.nodes.size(); ++i)
        body.nodes.set_displacement(i,
                                    body.nodes.displacement(i) + random_vector<dim>(random, 0.05));
      const auto forces = body.forces(0.1);
      for (unsigned int i = 0; i < forces.size(); ++i)
      {
        sum += forces[i];
        moment += outer_product(forces[i], Tensor<1, dim>(body.nodes.position(i)));
        largest = std::max(largest, forces[i].norm());
      }
      EXPECT_GT(largest, 1e-2);
      EXPECT_LT(sum.norm(), 1e-12);
      EXPECT_LT((moment - transpose(moment)).norm(), 1e-12);
    }
}

TEST(Viscosity, KeepsMomenta2d)
{
  keep_momenta<2>();
}
TEST(Viscosity, KeepsMomenta3d)
{
  keep_momenta<3>();
}

/// Small displacements: damping is tau over the interval times what the strain energy does.
template <int dim>
void
damp_as_stiffness()
{
  std::mt19937 random(6);
  for (const auto shape : all_shapes)
    for (const bool mean : {false, true})
    {
      if (mean && shape == Shape::simplex)
        continue;
      const double tau = 0.3, interval = 0.02;
      ViscousBody<dim> body(block<dim>(shape, 2, random), neo_hookean<dim>(), {tau, 0, 0},
                            mean ? StrainIntegration::mean_dilatation
                                 : StrainIntegration::standard);
      const auto families =
          mean ? make_mean_dilatation_kicks(body.data, neo_hookean<dim>()) : body.families;
      body.kicks.begin(body.nodes);
      for (unsigned int i = 0; i < body.nodes.size(); ++i)
        body.nodes.set_displacement(i, random_vector<dim>(random, 1e-6));
      const auto forces = body.forces(interval);
      std::vector<Tensor<1, dim>> elastic(forces.size()), of_kick;
      for (const auto &family : families)
        for (unsigned int k = 0; k < family->n_kicks(); ++k)
        {
          family->force(body.nodes, k, 0, of_kick);
          const auto support = family->support(k);
          for (unsigned int a = 0; a < support.size(); ++a)
            elastic[support[a]] += of_kick[a];
        }
      double largest = 0;
      for (const auto &force : elastic)
        largest = std::max(largest, force.norm());
      for (unsigned int i = 0; i < forces.size(); ++i)
        EXPECT_LT((forces[i] * interval / tau - elastic[i]).norm(), 1e-5 * largest);
    }
}

TEST(Viscosity, DampsAsStiffness2d)
{
  damp_as_stiffness<2>();
}
TEST(Viscosity, DampsAsStiffness3d)
{
  damp_as_stiffness<3>();
}

/// A block of one cell that is squeezed at a rate, or expands: the pressure on its sides.
TEST(Viscosity, BulkPressureOfABox)
{
  Mesh<3> mesh;
  mesh.nodes_per_cell = 8;
  const double sides[3] = {2, 0.5, 3};
  for (unsigned int v = 0; v < 8; ++v)
  {
    mesh.points.emplace_back(v & 1 ? sides[0] : 0, v & 2 ? sides[1] : 0, v & 4 ? sides[2] : 0);
    mesh.nodes.push_back(v);
  }
  const auto material = neo_hookean<3>();
  const double c = material->wave_speed(), interval = 0.01;
  for (const double stretch : {0.9, 1.1})
    for (const auto integration : integrations)
    {
      ViscousBody<3> body(mesh, material, {0, 0.06, 1.2}, integration);
      body.kicks.begin(body.nodes);
      body.displace([&](const Point<3> &X) { return Tensor<1, 3>({0, (stretch - 1) * X[1], 0}); });
      const double rate = std::log(stretch) / interval, length = sides[1] * stretch;
      const double pressure =
          -density / stretch * length * rate * (0.06 * c + (rate < 0 ? 1.44 * length * -rate : 0));
      const auto forces = body.forces(interval);
      for (unsigned int v = 0; v < 8; ++v)
        for (unsigned int d = 0; d < 3; ++d)
        {
          const double area = sides[0] * sides[1] * sides[2] / sides[d] * (d == 1 ? 1 : stretch);
          EXPECT_NEAR(forces[v][d], (v >> d & 1 ? 1 : -1) * pressure * area / 4,
                      1e-10 * std::abs(pressure));
        }
    }
}

/// Damping is not above the damping time times the stiffness, and for some motion it is.
template <int dim>
void
bound_damping()
{
  std::mt19937 random(8);
  for (const auto shape : all_shapes)
    for (const Viscosity &viscosity : {Viscosity{0.3, 0, 0}, Viscosity{0, 0.06, 0}})
    {
      ViscousBody<dim> body(block<dim>(shape, 1, random), neo_hookean<dim>(), viscosity);
      body.kicks.begin(body.nodes);
      const double interval = 1;
      double closest = 0;
      std::vector<Tensor<1, dim>> viscous, elastic;
      for (unsigned int trial = 0; trial < 40; ++trial)
      {
        // the last one is a uniform dilatation
        for (unsigned int i = 0; i < body.nodes.size(); ++i)
          body.nodes.set_displacement(i, trial == 39
                                             ? 1e-6 * Tensor<1, dim>(body.nodes.reference(i))
                                             : random_vector<dim>(random, 1e-6));
        for (const auto &family : body.families)
          for (unsigned int k = 0; k < family->n_kicks(); ++k)
          {
            const unsigned int cell = family->cell(k);
            family->force(body.nodes, k, 0, elastic);
            body.kicks.force(body.nodes, cell, interval, viscous);
            const auto support = family->support(k);
            double work = 0, loss = 0;
            for (unsigned int a = 0; a < support.size(); ++a)
            {
              work -= elastic[a] * body.nodes.displacement(support[a]);
              loss -= viscous[a] * body.nodes.displacement(support[a]) * interval;
            }
            EXPECT_GE(loss, -1e-9 * work);
            EXPECT_LE(loss, body.kicks.damping_time(cell) * work * (1 + 1e-4));
            closest = std::max(closest, loss / (body.kicks.damping_time(cell) * work));
          }
      }
      EXPECT_NEAR(closest, 1, 1e-3);
    }
}

TEST(Viscosity, IsBoundedByStiffness2d)
{
  bound_damping<2>();
}
TEST(Viscosity, IsBoundedByStiffness3d)
{
  bound_damping<3>();
}

/// The largest velocity of a single cell over that of the beginning, after many steps that are
/// @p factor times the damped critical step, or when it has grown a thousandfold.
double
growth(const Viscosity &viscosity, const double factor)
{
  std::mt19937 random(9);
  ViscousBody<2> body(block<2>(Shape::general, 1, random),
                      std::make_shared<LinearElastic<2>>(density, E, 0), viscosity);
  auto &family = *body.families[0];
  family.assign_clocks({0}, 1);
  std::vector<double> masses = body.own_masses(family, 0);
  const double undamped = family.critical_step(0, masses);
  const double step = factor * damped_step(undamped, body.kicks.damping_time(0) / undamped);
  for (unsigned int i = 0; i < body.nodes.size(); ++i)
    body.nodes.set_velocity(i, random_vector<2>(random, 1e-6));
  body.kicks.begin(body.nodes);
  const auto speed = [&]
  {
    double largest = 0;
    for (unsigned int i = 0; i < body.nodes.size(); ++i)
      largest = std::max(largest, body.nodes.velocity(i).norm());
    return largest;
  };
  const double before = speed();
  for (unsigned int n = 1; n < 600 && speed() < 1000 * before; ++n)
  {
    family.kick(body.nodes, 0, n * step, step);
    body.kicks.kick(body.nodes, 0, n * step, step);
    body.kicks.book(body.nodes, 0, n * step);
  }
  return speed() / before;
}

/// Stable up to the step, and with stiffness damping, of which the bound is sharp, not beyond.
TEST(Viscosity, ShortensTheCriticalStepByTheRightFactor)
{
  for (const double tau : {0.01, 0.1, 1., 10.})
  {
    EXPECT_LT(growth({tau, 0, 0}, 0.995), 2) << tau;
    EXPECT_GT(growth({tau, 0, 0}, 1.01), 100) << tau;
  }
  for (const double b1 : {0.06, 1.})
    EXPECT_LT(growth({0, b1, 0}, 0.995), 2) << b1;
  EXPECT_LT(growth({0.1, 0.06, 1.2}, 0.995), 2);
}

/// Largest error of the balance of a vibrating body, and what it has lost, as shares of its energy.
double
error_of_balance(const Viscosity &viscosity, const Clocks clocks, const double ratio, double &loss)
{
  std::mt19937 random(10);
  Body<2> body(block<2>(Shape::general, 3, random), neo_hookean<2>());
  for (unsigned int i = 0; i < body.nodes.size(); ++i)
    body.nodes.set_velocity(i, random_vector<2>(random, 0.1));
  StepperParameters parameters;
  parameters.clocks = clocks;
  parameters.time_step_ratio = ratio;
  Stepper<2> stepper(body.nodes, parameters);
  std::vector<unsigned int> ids;
  const auto viscous = std::make_shared<CellViscosity<2>>(body.data, *neo_hookean<2>(),
                                                          StrainIntegration::standard, viscosity);
  ids.resize(viscous->n_kicks());
  for (const auto &family : body.families)
  {
    const unsigned int first = stepper.add(family);
    for (unsigned int k = 0; k < family->n_kicks(); ++k)
      ids[family->cell(k)] = first + k;
  }
  viscous->begin(body.nodes);
  stepper.add_on_clock_of(viscous, ids);
  stepper.start();
  const double before = stepper.energy(stepper.snapshot(0)).total();
  double error = 0, last = 0;
  for (unsigned int i = 1; i <= 40; ++i)
  {
    stepper.advance_to(0.113 * i);
    const auto balance = stepper.energy(stepper.snapshot(stepper.time()));
    error = std::max(error, std::abs(balance.total() / before - 1));
    EXPECT_GT(balance.viscous_loss, last - 1e-3 * before);
    last = balance.viscous_loss;
  }
  loss = last / before;
  return error;
}

TEST(Viscosity, ClosesTheBalance)
{
  for (const Clocks clocks : {Clocks::one, Clocks::nested, Clocks::per_cell})
  {
    // of second order, as without viscosity
    double none, loss, of_shorter;
    const double elastic = error_of_balance({}, clocks, 0.4, none);
    const double error = error_of_balance({0.05, 0.06, 1.2}, clocks, 0.4, loss);
    const double shorter = error_of_balance({0.05, 0.06, 1.2}, clocks, 0.1, of_shorter);
    EXPECT_EQ(none, 0);
    EXPECT_GT(loss, 0.5);
    EXPECT_NEAR(of_shorter, loss, 0.05);
    EXPECT_LT(error, 1.5 * elastic);
    EXPECT_LT(shorter, 0.1 * error);
  }
}

/// Two kicks at one time are one; what is remembered goes through a checkpoint.
TEST(Viscosity, KicksAddUp)
{
  std::mt19937 random(12);
  ViscousBody<3> body(block<3>(Shape::simplex, 2, random), neo_hookean<3>(), all_kinds);
  body.kicks.begin(body.nodes);
  for (unsigned int i = 0; i < body.nodes.size(); ++i)
  {
    body.nodes.set_velocity(i, random_vector<3>(random, 0.1));
  }
  NodeTable<3> once = body.nodes, twice = body.nodes;
  body.kicks.kick(once, 0, 0.2, 0.3);
  body.kicks.kick(twice, 0, 0.2, 0.4);
  body.kicks.kick(twice, 0, 0.2, -0.1);
  for (unsigned int i = 0; i < once.size(); ++i)
    EXPECT_LT((once.velocity(i) - twice.velocity(i)).norm(), 1e-14);
  // at the time of the last kick its forces hold
  body.kicks.kick(body.nodes, 0, 0.2, 0.);
  body.kicks.book(body.nodes, 0, 0.2);
  const auto now = body.forces(0.2);
  double largest = 0;
  for (unsigned int i = 0; i < once.size(); ++i)
  {
    const auto change = (once.velocity(i) - body.nodes.velocity(i)) * body.nodes.mass(i) / 0.3;
    EXPECT_LT((now[i] - change).norm(), 1e-12);
    largest = std::max(largest, now[i].norm());
  }
  EXPECT_GT(largest, 0.01);
}
} // namespace
