#include "cells.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using namespace PotentialsTest;

namespace
{
template <int dim>
using Check = std::function<void(Body<dim> &, CellKicks<dim> &, std::mt19937 &)>;

/// Run a check for every shape and material, for randomly displaced nodes.
template <int dim>
void
for_all_bodies(const Check<dim> &check, const double displacement = 0.1)
{
  std::mt19937 random(42);
  unsigned int n_checks = 0;
  for (const Shape shape : all_shapes)
    for (const auto &material : all_materials<dim>())
    {
      SCOPED_TRACE("dim " + std::to_string(dim) + " shape " + std::to_string(int(shape)) + " law " +
                   std::to_string(int(material->built_in_law())));
      Body<dim> body(block<dim>(shape, 2, random), material);
      ASSERT_EQ(body.families.size(), 1u);
      body.displace([&](const Point<dim> &) { return random_vector<dim>(random, displacement); });
      check(body, *body.families[0], random);
      ++n_checks;
    }
  EXPECT_EQ(n_checks, 20u);
}

template <int dim>
void
check_force()
{
  for_all_bodies<dim>(
      [](Body<dim> &body, CellKicks<dim> &kicks, std::mt19937 &)
      {
        const double increment = 3e-6;
        std::vector<Tensor<1, dim>> force;
        for (unsigned int k = 0; k < kicks.n_kicks(); ++k)
        {
          kicks.force(body.nodes, k, 0., force);
          const auto support = kicks.support(k);
          for (unsigned int a = 0; a < support.size(); ++a)
            for (unsigned int d = 0; d < dim; ++d)
            {
              double &u = body.nodes[support[a]].displacement[d];
              const double u0 = u;
              u = u0 + increment;
              const double above = kicks.energy(body.nodes, k);
              u = u0 - increment;
              const double below = kicks.energy(body.nodes, k);
              u = u0;
              EXPECT_NEAR(force[a][d], -(above - below) / (2 * increment), 1e-8);
            }
          EXPECT_GT(force[0].norm(), 1e-4);
        }
      });
}

/// Independent of the kernels: the quadrature sum of the material's energy density.
template <int dim>
double
quadrature_energy(const Body<dim> &body, const unsigned int cell, const Material<dim> &material)
{
  const unsigned int n = body.data.nodes_per_cell;
  double energy = 0;
  for (unsigned int q = 0; q < body.data.points_per_cell; ++q)
  {
    const unsigned int point = cell * body.data.points_per_cell + q;
    Tensor<2, dim> H;
    for (unsigned int a = 0; a < n; ++a)
      H += outer_product(body.nodes.displacement(body.data.nodes[cell * n + a]),
                         shape_gradient(n, a, quadrature_point<dim>(n, q)) *
                             body.data.inverse_jacobians[point]);
    energy += body.data.weights[point] * material.energy_density(H);
  }
  return energy;
}

template <int dim>
void
check_energy()
{
  for_all_bodies<dim>(
      [](Body<dim> &body, CellKicks<dim> &kicks, std::mt19937 &)
      {
        double sum = 0;
        for (unsigned int k = 0; k < kicks.n_kicks(); ++k)
        {
          const double expected = quadrature_energy(body, kicks.cell(k), kicks.material());
          EXPECT_NEAR(kicks.energy(body.nodes, k), expected, 1e-13);
          sum += expected;
        }
        EnergyBalance balance;
        kicks.add_energy(body.nodes, balance);
        EXPECT_NEAR(balance.strain, sum, 1e-12);
        EXPECT_GT(sum, 1e-3);
      });
}

template <int dim>
void
check_momentum()
{
  for_all_bodies<dim>(
      [](Body<dim> &body, CellKicks<dim> &kicks, std::mt19937 &)
      {
        std::vector<Tensor<1, dim>> force;
        for (unsigned int k = 0; k < kicks.n_kicks(); ++k)
        {
          kicks.force(body.nodes, k, 0., force);
          Tensor<1, dim> sum;
          Tensor<2, dim> moment;
          const auto support = kicks.support(k);
          for (unsigned int a = 0; a < support.size(); ++a)
          {
            sum += force[a];
            moment += outer_product(Tensor<1, dim>(body.nodes.position(support[a])), force[a]);
          }
          EXPECT_LT(sum.norm(), 1e-14);
          if (!kicks.material().is_linear())
          {
            EXPECT_LT((moment - transpose(moment)).norm(), 1e-13);
          }
        }
      });
}

/// Rotated bodies feel nothing (finite strain), and their stress rotates with them.
template <int dim>
void
check_rotation()
{
  for_all_bodies<dim>(
      [](Body<dim> &body, CellKicks<dim> &kicks, std::mt19937 &)
      {
        if (kicks.material().is_linear())
          return;
        const auto R = rotation<dim>(2.);
        Tensor<2, dim> stretch;
        for (unsigned int d = 0; d < dim; ++d)
          stretch[d][d] = 1. + 0.1 * (d + 1);
        body.displace([&](const Point<dim> &X) { return R * X - X; });
        std::vector<Tensor<1, dim>> force;
        kicks.force(body.nodes, 0, 0., force);
        EXPECT_LT(force[0].norm(), 1e-13);
        EXPECT_LT(kicks.mean_stress(body.nodes, 0).norm(), 1e-13);
        body.displace([&](const Point<dim> &X) { return stretch * X - X; });
        const Tensor<2, dim> stress = kicks.mean_stress(body.nodes, 0);
        body.displace([&](const Point<dim> &X) { return R * (stretch * X) - X; });
        const Tensor<2, dim> rotated = kicks.mean_stress(body.nodes, 0);
        EXPECT_LT((rotated - R * stress * transpose(R)).norm(), 1e-13);
        EXPECT_GT(stress.norm(), 0.1);
      });
}

/// Patch test: a linear displacement gives the same stress everywhere, and inner nodes no force.
template <int dim>
void
check_patch()
{
  for_all_bodies<dim>(
      [](Body<dim> &body, CellKicks<dim> &kicks, std::mt19937 &random)
      {
        Tensor<2, dim> H;
        for (unsigned int d = 0; d < dim; ++d)
          H[d] = random_vector<dim>(random, 0.15);
        body.displace([&](const Point<dim> &X) { return H * X; });
        const auto P = kicks.material().stress(H);
        const Tensor<2, dim> F = H + Tensor<2, dim>(dealii::unit_symmetric_tensor<dim>());
        const Tensor<2, dim> expected =
            kicks.material().is_linear() ? P : P * transpose(F) / determinant(F);
        std::vector<Tensor<1, dim>> total(body.nodes.size()), force;
        for (unsigned int k = 0; k < kicks.n_kicks(); ++k)
        {
          EXPECT_LT((Tensor<2, dim>(kicks.mean_stress(body.nodes, k)) - expected).norm(), 1e-13);
          const double across = dim == 2 ? kicks.material().stress_across(H) : 0.;
          const double found = kicks.mean_stress_across(body.nodes, k);
          EXPECT_TRUE(std::isnan(across) ? std::isnan(found) : std::abs(found - across) < 1e-13);
          kicks.force(body.nodes, k, 0., force);
          const auto support = kicks.support(k);
          for (unsigned int a = 0; a < support.size(); ++a)
            total[support[a]] += force[a];
        }
        EXPECT_GT(expected.norm(), 0.01);
        EXPECT_LT(total[total.size() / 2].norm(), 1e-13); // the node in the middle
        EXPECT_GT(total[0].norm(), 1e-3);
      });
}

/// force() extrapolates to its time; the nodes are not touched.
template <int dim>
void
check_time_of_force()
{
  for_all_bodies<dim>(
      [](Body<dim> &body, CellKicks<dim> &kicks, std::mt19937 &random)
      {
        for (unsigned int i = 0; i < body.nodes.size(); ++i)
        {
          body.nodes.set_velocity(i, random_vector<dim>(random, 0.5));
          body.nodes[i].time = uniform(random, 0., 0.1);
        }
        auto drifted = body.nodes;
        for (unsigned int i = 0; i < body.nodes.size(); ++i)
          drifted[i].drift(0.2);
        std::vector<Tensor<1, dim>> force, expected, unmoved;
        kicks.force(body.nodes, 1, 0.2, force);
        kicks.force(drifted, 1, 0.2, expected);
        kicks.force(body.nodes, 1, 0., unmoved);
        EXPECT_EQ(force[0], expected[0]);
        EXPECT_GT((unmoved[0] - force[0]).norm(), 1e-6);
      });
}

template <int dim>
void
check_user_material()
{
  std::mt19937 random(5);
  for (const Shape shape : all_shapes)
  {
    const auto mesh = block<dim>(shape, 2, random);
    Body<dim> vectorised(mesh, std::make_shared<StVenantKirchhoff<dim>>(1., 2., 0.3));
    Body<dim> by_point(mesh, std::make_shared<UserMaterial<dim>>(1., 2., 0.3));
    const auto &a = vectorised.families[0], &b = by_point.families[0];
    for (unsigned int i = 0; i < mesh.points.size(); ++i)
    {
      const auto u = random_vector<dim>(random, 0.1);
      vectorised.nodes.set_displacement(i, u);
      by_point.nodes.set_displacement(i, u);
    }
    a->kick(vectorised.nodes, 0, 0.1, 0.3);
    b->kick(by_point.nodes, 0, 0.1, 0.3);
    for (unsigned int i = 0; i < mesh.points.size(); ++i)
      EXPECT_LT((vectorised.nodes.velocity(i) - by_point.nodes.velocity(i)).norm(), 1e-14);
    EXPECT_NEAR(a->critical_step(0, vectorised.own_masses(*a, 0)),
                b->critical_step(0, by_point.own_masses(*b, 0)), 1e-8);
    EXPECT_GT(vectorised.nodes.velocity(0).norm(), 1e-4);
  }
}

/// A clock with cells whose force is not finite says so, and no other one. Every second cell has
/// that clock; in a sequence each has its own.
template <int dim>
void
check_undefined_forces()
{
  std::mt19937 random(8);
  unsigned int n_undefined = 0;
  for (const Shape shape : all_shapes)
    for (const auto &material : all_materials<dim>())
      for (const bool one_point : {false, true})
      {
        if (one_point && shape == Shape::simplex)
          continue;
        Body<dim> body(block<dim>(shape, 3, random), material);
        if (one_point)
          body.families = make_one_point_kicks(body.data, material);
        CellKicks<dim> &kicks = *body.families[0];
        body.displace([&](const Point<dim> &) { return random_vector<dim>(random, 0.02); });
        // a corner, through the cells at it, and to the other side of them
        const unsigned int corner = body.data.nodes[0];
        Tensor<1, dim> through;
        for (unsigned int d = 0; d < dim; ++d)
          through[d] = 5;
        body.nodes.set_displacement(corner, through);
        std::vector<char> is_undefined;
        for (unsigned int k = 0; k < kicks.n_kicks(); ++k)
        {
          std::vector<Tensor<1, dim>> force;
          kicks.force(body.nodes, k, 0., force);
          is_undefined.push_back(std::any_of(force.begin(), force.end(),
                                             [](const Tensor<1, dim> &f)
                                             { return !std::isfinite(f.norm_square()); }));
        }

        std::vector<unsigned int> clocks;
        for (unsigned int k = 0; k < kicks.n_kicks(); ++k)
          clocks.push_back(k % 2);
        kicks.assign_clocks(clocks, 2);
        for (const unsigned int clock : {0u, 1u})
        {
          bool any = false;
          for (unsigned int k = clock; k < kicks.n_kicks(); k += 2)
            any = any || is_undefined[k];
          NodeTable<dim> nodes = body.nodes;
          kicks.kick(nodes, clock, 0., 0.1);
          ASSERT_EQ(kicks.undefined_clock().has_value(), any);
          if (any)
          {
            EXPECT_EQ(*kicks.undefined_clock(), clock);
            ++n_undefined;
          }
        }

        std::vector<DueClock> due;
        for (unsigned int k = 0; k < kicks.n_kicks(); ++k)
        {
          clocks[k] = k;
          due.push_back({k, 0., 0.1});
        }
        kicks.assign_clocks(clocks, clocks.size());
        NodeTable<dim> nodes = body.nodes;
        kicks.kick_in_sequence(nodes, {due.data(), due.size()}, {});
        const auto first = std::find(is_undefined.begin(), is_undefined.end(), 1);
        ASSERT_EQ(kicks.undefined_clock().has_value(), first != is_undefined.end());
        if (kicks.undefined_clock())
        {
          EXPECT_EQ(*kicks.undefined_clock(), first - is_undefined.begin());
        }
        // the next kick is looked at anew
        body.displace([](const Point<dim> &) { return Tensor<1, dim>(); });
        kicks.kick(body.nodes, 0, 0., 0.1);
        EXPECT_FALSE(kicks.undefined_clock());
      }
  EXPECT_GE(n_undefined, 8u); // those of a neo-Hookean law
}

/// Geometry kinds are recognised, and the families together hold every cell once.
template <int dim>
void
check_families()
{
  std::mt19937 random(3);
  Mesh<dim> mesh;
  mesh.nodes_per_cell = 1 << dim;
  for (const Shape shape : {Shape::general, Shape::box, Shape::affine, Shape::box})
  {
    const auto part = block<dim>(shape, 1, random);
    for (const unsigned int node : part.nodes)
      mesh.nodes.push_back(mesh.points.size() + node);
    mesh.points.insert(mesh.points.end(), part.points.begin(), part.points.end());
  }
  const Body<dim> body(mesh, std::make_shared<StVenantKirchhoff<dim>>());
  ASSERT_EQ(body.families.size(), 3u);
  EXPECT_EQ(body.families[0]->n_kicks(), 2u);
  EXPECT_EQ(body.families[0]->cell(0), 1u);
  EXPECT_EQ(body.families[0]->cell(1), 3u);
  EXPECT_EQ(body.families[1]->cell(0), 2u);
  EXPECT_EQ(body.families[2]->cell(0), 0u);
  for (const auto &family : body.families)
    for (unsigned int k = 0; k < family->n_kicks(); ++k)
    {
      const auto support = family->support(k);
      const auto first = mesh.nodes.begin() + family->cell(k) * mesh.nodes_per_cell;
      EXPECT_TRUE(std::equal(support.begin(), support.end(), first));
    }
}
} // namespace

TEST(CellKicks, ForceIsDerivativeOfEnergy)
{
  check_force<2>();
  check_force<3>();
}

TEST(CellKicks, EnergyIsQuadratureOfDensity)
{
  check_energy<2>();
  check_energy<3>();
}

TEST(CellKicks, ForcesConserveMomentum)
{
  check_momentum<2>();
  check_momentum<3>();
}

TEST(CellKicks, ForcesThatAreNotFiniteAreNoticed)
{
  check_undefined_forces<2>();
  check_undefined_forces<3>();
}

TEST(CellKicks, RotationsCauseNoStress)
{
  check_rotation<2>();
  check_rotation<3>();
}

TEST(CellKicks, PatchTest)
{
  check_patch<2>();
  check_patch<3>();
}

TEST(CellKicks, ForceAtAnotherTime)
{
  check_time_of_force<2>();
  check_time_of_force<3>();
}

TEST(CellKicks, UserMaterialGivesTheSame)
{
  check_user_material<2>();
  check_user_material<3>();
}

TEST(CellKicks, FamiliesByGeometry)
{
  check_families<2>();
  check_families<3>();
}

TEST(CellKicks, RefusesInvertedCells)
{
  std::mt19937 random(1);
  auto mesh = block<2>(Shape::box, 2, random);
  std::swap(mesh.nodes[4], mesh.nodes[5]);
  std::swap(mesh.nodes[6], mesh.nodes[7]);
  const auto material = std::make_shared<StVenantKirchhoff<2>>();
  auto data = cell_data(mesh, 1.);
  try
  {
    make_cell_kicks<2>(data, material);
    FAIL() << "no exception";
  }
  catch (const dealii::ExceptionBase &error)
  {
    EXPECT_NE(std::string(error.what()).find("Cell 1 is inverted"), std::string::npos)
        << error.what();
  }
}

TEST(CellKicks, InvertedNeoHookeanIsNotANumber)
{
  std::mt19937 random(1);
  Body<3> body(block<3>(Shape::general, 1, random), std::make_shared<NeoHookean<3>>());
  body.displace(
      [](const Point<3> &X)
      {
        Tensor<1, 3> u;
        u[0] = -2.5 * X[0];
        return u;
      });
  EXPECT_TRUE(std::isnan(body.families[0]->energy(body.nodes, 0)));
  std::vector<Tensor<1, 3>> force;
  body.families[0]->force(body.nodes, 0, 0., force);
  EXPECT_TRUE(std::isnan(force[0][0]));
}

/// The logarithm of the kernels over its range: volumes from a thousandth to a thousand times.
TEST(CellKicks, NeoHookeanAtLargeStrain)
{
  std::mt19937 random(1);
  const auto material = std::make_shared<NeoHookean<3>>(1., 2., 0.3);
  Body<3> body(block<3>(Shape::general, 1, random), material);
  const auto &kicks = *body.families[0];
  for (const double stretch : {0.1, 0.3, 0.6, 0.8, 0.9, 1.1, 1.2, 1.5, 3., 10.})
  {
    const auto H = (stretch - 1) * Tensor<2, 3>(dealii::unit_symmetric_tensor<3>());
    body.displace([&](const Point<3> &X) { return H * X; });
    double volume = 0;
    for (const double weight : body.data.weights)
      volume += weight;
    const double expected = volume * material->energy_density(H);
    EXPECT_NEAR(kicks.energy(body.nodes, 0) / expected, 1, 1e-13);

    // The work of a force on the boundary of a homogeneous cell: sum f.X = -volume P:I.
    std::vector<Tensor<1, 3>> force;
    kicks.force(body.nodes, 0, 0., force);
    double virial = 0;
    for (unsigned int a = 0; a < 8; ++a)
      virial -= force[a] * Tensor<1, 3>(body.nodes.reference(kicks.support(0)[a]));
    EXPECT_NEAR(virial / (volume * trace(material->stress(H))), 1, 1e-12);
  }
}
