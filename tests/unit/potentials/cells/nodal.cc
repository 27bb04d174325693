#include "nodal.h"

#include <kickdrift/stepping/stepper.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using namespace PotentialsTest;

namespace
{
template <int dim>
void
check_derivative()
{
  for_all_bodies<dim>(
      [](NodalBody<dim> &body, std::mt19937 &random)
      {
        displace_randomly<dim>(body, random, 0.05);
        const NodalKicks<dim> &kicks = *body.kicks.nodal;
        std::vector<Tensor<1, dim>> force;
        for (unsigned int k = 0; k < kicks.n_kicks(); ++k)
        {
          kicks.force(body.nodes, k, 0., force);
          const auto support = kicks.support(k);
          for (unsigned int i = 0; i < dim * support.size(); ++i)
          {
            double &u = body.nodes[support[i / dim]].displacement[i % dim];
            const double u0 = u, increment = 1e-5;
            u = u0 + increment;
            const double above = kicks.energy(body.nodes, k);
            u = u0 - increment;
            const double below = kicks.energy(body.nodes, k);
            u = u0;
            EXPECT_NEAR(force[i / dim][i % dim], (below - above) / (2 * increment), 2e-9);
          }
        }
      });
}

/// Homogeneous deformation: the energy is that of the material, forces vanish in the interior.
template <int dim>
void
check_patch()
{
  for_all_bodies<dim>(
      [](NodalBody<dim> &body, std::mt19937 &random)
      {
        Tensor<2, dim> H;
        for (unsigned int d = 0; d < dim; ++d)
          H[d] = random_vector<dim>(random, 0.1);
        body.displace([&](const Point<dim> &x) { return H * x; });
        double volume = 0, largest = 0;
        for (const double weight : body.data.weights)
          volume += weight;
        const double energy = volume * body.whole->energy_density(H);
        EXPECT_NEAR(body.energy(), energy, 1e-12 * energy);
        const auto forces = body.forces();
        for (const auto &force : forces)
          largest = std::max(largest, force.norm());
        const unsigned int centre = (forces.size() - 1) / 2; // of 3^dim nodes
        EXPECT_LT(forces[centre].norm(), 1e-13 * largest);
        // stresses at nodes and in cells add up to the material's
        const auto &nodal = *body.kicks.nodal;
        const auto &cells = *body.kicks.stabilisation[0];
        const Tensor<2, dim> F = H + Tensor<2, dim>(dealii::unit_symmetric_tensor<dim>());
        Tensor<2, dim> stress = body.whole->stress(H);
        if (!body.whole->is_linear())
          stress = stress * transpose(F) / determinant(F);
        for (unsigned int k = 0; k < nodal.n_kicks(); ++k)
        {
          EXPECT_NEAR((nodal.gradient(body.nodes, k) - H).norm(), 0., 1e-14);
          EXPECT_NEAR((nodal.cauchy_stress(body.nodes, k) + cells.mean_stress(body.nodes, 0) -
                       symmetrize(stress))
                          .norm(),
                      0., 1e-14);
          const double across = dim == 2 ? body.whole->stress_across(H) : 0.;
          const double sum =
              nodal.stress_across(body.nodes, k) + cells.mean_stress_across(body.nodes, 0);
          EXPECT_TRUE(std::isnan(across) ? std::isnan(sum) : std::abs(sum - across) < 1e-14);
        }
      });
}

/// A node around which cells are turned inside out has no force, and says so.
template <int dim>
void
check_undefined_forces()
{
  unsigned int n_undefined = 0;
  for_all_bodies<dim>(
      [&n_undefined](NodalBody<dim> &body, std::mt19937 &)
      {
        NodalKicks<dim> &kicks = *body.kicks.nodal;
        kicks.kick(body.nodes, 0, 0., 0.1);
        EXPECT_FALSE(kicks.undefined_clock());
        Point<dim> through;
        for (unsigned int d = 0; d < dim; ++d)
          through[d] = 5;
        body.nodes.set_displacement(0, through);
        bool any = false;
        std::vector<Tensor<1, dim>> forces;
        for (unsigned int k = 0; k < kicks.n_kicks(); ++k)
        {
          kicks.force(body.nodes, k, 0., forces);
          any = any || std::any_of(forces.begin(), forces.end(),
                                   [](const Tensor<1, dim> &force)
                                   { return !std::isfinite(force.norm_square()); });
        }
        kicks.kick(body.nodes, 0, 0., 0.1);
        EXPECT_EQ(kicks.undefined_clock().has_value(), any);
        n_undefined += any;
      });
  EXPECT_GE(n_undefined, 4u);
}

template <int dim>
void
check_momenta()
{
  for_all_bodies<dim>(
      [](NodalBody<dim> &body, std::mt19937 &random)
      {
        displace_randomly<dim>(body, random, 0.1);
        const auto forces = body.forces();
        Tensor<1, dim> sum;
        Tensor<2, dim> moment;
        double size = 0;
        for (unsigned int i = 0; i < forces.size(); ++i)
        {
          sum += forces[i];
          moment += outer_product(Tensor<1, dim>(body.nodes.position(i)), forces[i]);
          size += forces[i].norm();
        }
        EXPECT_LT(sum.norm(), 1e-14 * size);
        // small strains know no moment about the deformed position
        if (!body.whole->is_linear())
        {
          EXPECT_LT((moment - transpose(moment)).norm(), 1e-13 * size);
        }
      });
}

/// Kicks on clocks of their own do together what force() says, at another time than the nodes'.
template <int dim>
void
check_kicks()
{
  for_all_bodies<dim>(
      [](NodalBody<dim> &body, std::mt19937 &random)
      {
        NodalKicks<dim> &kicks = *body.kicks.nodal;
        displace_randomly<dim>(body, random, 0.05);
        for (unsigned int i = 0; i < body.nodes.size(); ++i)
        {
          body.nodes.set_velocity(i, random_vector<dim>(random, 0.1));
          body.nodes[i].time = uniform(random, 0., 0.1);
        }
        const double time = 0.3, step = 0.02;
        auto expected = body.nodes;
        std::vector<Tensor<1, dim>> force;
        for (unsigned int k = 0; k < kicks.n_kicks(); ++k)
        {
          const auto support = kicks.support(k);
          kicks.force(body.nodes, k, time, force);
          for (unsigned int a = 0; a < support.size(); ++a)
            expected.apply_impulse(support[a], step * force[a]);
        }
        std::vector<unsigned int> clocks(kicks.n_kicks());
        for (unsigned int &clock : clocks)
          clock = random() % 3;
        kicks.assign_clocks(clocks, 4);
        kicks.change_clock(1, 3);
        // kicks at one time do not feel each other: nodes drift before the first of them
        for (unsigned int clock = 0; clock < 4; ++clock)
          kicks.kick(body.nodes, clock, time, step);
        for (unsigned int i = 0; i < body.nodes.size(); ++i)
          EXPECT_NEAR((body.nodes.velocity(i) - expected.velocity(i)).norm(), 0., 1e-15);
      });
}

/// A spinning, vibrating block for many steps.
template <int dim>
void
check_flight(const Clocks clocks, const double ratio)
{
  std::mt19937 random(3);
  for (const Shape shape : {Shape::general, Shape::simplex})
  {
    SCOPED_TRACE("dim " + std::to_string(dim) + " shape " + std::to_string(int(shape)));
    const auto material = std::make_shared<NeoHookean<dim>>(1.3, 2.1, 0.4);
    NodalBody<dim> body(block<dim>(shape, 2, random), material);
    NodeTable<dim> &nodes = body.nodes;
    for (unsigned int i = 0; i < nodes.size(); ++i)
    {
      const auto &x = nodes.reference(i);
      Tensor<1, dim> spin;
      spin[0] = -0.1 * x[1];
      spin[1] = 0.1 * x[0];
      nodes.set_velocity(i, spin + random_vector<dim>(random, 0.02));
    }
    Stepper<dim> stepper(nodes, {clocks, Phase::centred, ratio, 0.});
    double step = std::numeric_limits<double>::infinity();
    stepper.add(body.kicks.nodal);
    for (const auto &family : body.kicks.stabilisation)
      stepper.add(family);
    stepper.start();
    for (unsigned int id = 0; id < stepper.levels().n_kicks(); ++id)
      step = std::min(step, stepper.levels().step(id));

    const auto momenta = [](const NodeTable<dim> &at)
    {
      std::array<double, dim + dim * dim> sums{};
      for (unsigned int i = 0; i < at.size(); ++i)
        for (unsigned int d = 0; d < dim; ++d)
        {
          sums[d] += at.mass(i) * at.velocity(i)[d];
          for (unsigned int e = 0; e < dim; ++e)
            sums[dim + dim * d + e] += at.mass(i) * (at.position(i)[d] * at.velocity(i)[e] -
                                                     at.position(i)[e] * at.velocity(i)[d]);
        }
      return sums;
    };
    const auto start = stepper.snapshot(0);
    const double energy = stepper.energy(start).total();
    double error = 0;
    for (unsigned int i = 1; i <= 100; ++i)
    {
      stepper.advance_to(100 * i * step);
      const auto now = stepper.snapshot(100 * i * step);
      error = std::max(error, std::abs(stepper.energy(now).total() / energy - 1));
      const auto before = momenta(start), after = momenta(now);
      for (unsigned int m = 0; m < before.size(); ++m)
        ASSERT_NEAR(after[m], before[m], 1e-11); // 10 000 steps with round-off
    }
    EXPECT_LT(error, 0.02);
  }
}
} // namespace

TEST(NodalKicks, ForceIsDerivativeOfEnergy)
{
  check_derivative<2>();
  check_derivative<3>();
}

TEST(NodalKicks, PatchTest)
{
  check_patch<2>();
  check_patch<3>();
}

TEST(NodalKicks, ForcesThatAreNotFiniteAreNoticed)
{
  check_undefined_forces<2>();
  check_undefined_forces<3>();
}

TEST(NodalKicks, ForcesConserveMomentum)
{
  check_momenta<2>();
  check_momenta<3>();
}

TEST(NodalKicks, KickAgreesWithForce)
{
  check_kicks<2>();
  check_kicks<3>();
}

TEST(NodalKicks, LongFlight)
{
  for (const Clocks clocks : {Clocks::one, Clocks::nested})
  {
    check_flight<2>(clocks, 0.9);
    check_flight<3>(clocks, 0.9);
  }
  check_flight<3>(Clocks::per_cell, 0.2);
}
