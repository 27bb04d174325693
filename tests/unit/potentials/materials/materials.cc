#include "unit/potentials/cells/cells.h"

#include <kickdrift/base/registry.h>

#include <gtest/gtest.h>

using namespace PotentialsTest;

namespace
{
template <int dim>
Tensor<2, dim>
random_gradient(std::mt19937 &random, const double size)
{
  Tensor<2, dim> H;
  for (unsigned int d = 0; d < dim; ++d)
    H[d] = random_vector<dim>(random, size);
  return H;
}

template <int dim>
void
check_stress()
{
  std::mt19937 random(42);
  for (const auto &material : all_materials<dim>())
    for (unsigned int run = 0; run < 100; ++run)
    {
      const auto H = random_gradient<dim>(random, 0.25);
      const auto P = material->stress(H);
      const double increment = 1e-6;
      for (unsigned int i = 0; i < dim; ++i)
        for (unsigned int j = 0; j < dim; ++j)
        {
          Tensor<2, dim> step;
          step[i][j] = increment;
          const double slope =
              (material->energy_density(H + step) - material->energy_density(H - step)) /
              (2 * increment);
          EXPECT_NEAR(P[i][j], slope, 2e-8);
        }
    }
}

/// Four cells at once get what each gets alone; lanes that are not wanted are left alone.
template <int dim>
void
check_batches()
{
  constexpr unsigned int n = PackedNumber::size;
  std::mt19937 random(7);
  for (const auto &material : all_materials<dim>())
    for (const unsigned int lanes : {15u, 10u})
    {
      std::array<Tensor<2, dim>, n> H;
      std::array<double, n * dim * dim> gradients, stresses{};
      std::array<double, n> energies{};
      for (unsigned int lane = 0; lane < n; ++lane)
      {
        H[lane] = random_gradient<dim>(random, 0.25);
        for (unsigned int i = 0; i < dim * dim; ++i)
          gradients[n * i + lane] = H[lane][i / dim][i % dim];
      }
      material->stresses(lanes, gradients.data(), stresses.data());
      material->energy_densities(lanes, gradients.data(), energies.data());
      for (unsigned int lane = 0; lane < n; ++lane)
        if (!(lanes >> lane & 1))
        {
          EXPECT_EQ(stresses[lane], 0.);
          EXPECT_EQ(energies[lane], 0.);
        }
        else
        {
          const auto P = material->stress(H[lane]);
          for (unsigned int i = 0; i < dim * dim; ++i)
            EXPECT_NEAR(stresses[n * i + lane], P[i / dim][i % dim], 1e-13);
          EXPECT_NEAR(energies[lane], material->energy_density(H[lane]), 1e-13);
        }
    }
}

/// All laws are Hooke's law at small strains, in two dimensions with no strain across the plane.
template <int dim>
void
check_small_strain()
{
  const double E = 2.1, nu = 0.3;
  for (const auto &material : all_materials<dim>())
  {
    // Uniaxial stress in three dimensions; in plane strain the modulus is E/(1-nu^2).
    const double stretch = 1e-7;
    const double lateral = dim == 3 ? nu : nu / (1 - nu);
    Tensor<2, dim> H;
    H[0][0] = stretch;
    for (unsigned int d = 1; d < dim; ++d)
      H[d][d] = -lateral * stretch;
    const auto P = material->stress(H);
    EXPECT_NEAR(P[0][0] / stretch, dim == 3 ? E : E / (1 - nu * nu), 1e-5);
    EXPECT_NEAR(P[1][1] / stretch, 0., 1e-5);
    Tensor<2, dim> shear;
    shear[0][1] = shear[1][0] = 0.5 * stretch;
    EXPECT_NEAR(material->stress(shear)[0][1] / stretch, E / (2 * (1 + nu)), 1e-5);
    EXPECT_NEAR(material->energy_density(H) / (stretch * stretch), 0.5 * P[0][0] / stretch, 1e-5);
  }
}

/// In plane strain the two-dimensional laws are the three-dimensional ones.
void
check_plane_strain()
{
  std::mt19937 random(3);
  const auto plane = all_materials<2>();
  const auto solid = all_materials<3>();
  for (unsigned int m = 0; m < plane.size(); ++m)
  {
    const auto H = random_gradient<2>(random, 0.3);
    Tensor<2, 3> H3;
    for (unsigned int i = 0; i < 2; ++i)
      for (unsigned int j = 0; j < 2; ++j)
        H3[i][j] = H[i][j];
    EXPECT_NEAR(plane[m]->energy_density(H), solid[m]->energy_density(H3), 1e-14);
    EXPECT_NEAR(plane[m]->stress(H)[0][1], solid[m]->stress(H3)[0][1], 1e-14);
    EXPECT_NEAR(plane[m]->stress(H)[1][1], solid[m]->stress(H3)[1][1], 1e-14);
    EXPECT_DOUBLE_EQ(plane[m]->wave_speed(), solid[m]->wave_speed());
  }
}

std::string
message_of(const std::function<void()> &action)
{
  try
  {
    action();
  }
  catch (const dealii::ExceptionBase &error)
  {
    return error.what();
  }
  return "no exception";
}

void
expect_mention(const std::function<void()> &action, const std::string &text)
{
  const std::string message = message_of(action);
  EXPECT_NE(message.find(text), std::string::npos) << message;
}
} // namespace

TEST(Materials, StressIsDerivativeOfEnergy)
{
  check_stress<2>();
  check_stress<3>();
}

TEST(Materials, FourCellsAtOnce)
{
  check_batches<2>();
  check_batches<3>();
}

TEST(Materials, HookesLawAtSmallStrains)
{
  check_small_strain<2>();
  check_small_strain<3>();
}

TEST(Materials, PlaneStrain)
{
  check_plane_strain();
}

/// Uniform compression has a closed form: tau = mu (l^2 - 1) + lambda ln J.
TEST(Materials, NeoHookeanDilation)
{
  const NeoHookean<3> material(1., 2., 0.25);
  const auto lame = material.lame();
  for (const double stretch : {0.2, 0.7, 1.5, 4.})
  {
    Tensor<2, 3> H;
    for (unsigned int d = 0; d < 3; ++d)
      H[d][d] = stretch - 1;
    const double kirchhoff =
        lame.second * (stretch * stretch - 1) + lame.first * 3 * std::log(stretch);
    EXPECT_NEAR(material.stress(H)[1][1] * stretch, kirchhoff, 1e-13);
  }
}

TEST(Materials, InvertedNeoHookeanIsNotANumber)
{
  const NeoHookean<2> material;
  Tensor<2, 2> H;
  H[0][0] = -2;
  EXPECT_TRUE(std::isnan(material.energy_density(H)));
  EXPECT_TRUE(std::isnan(material.stress(H)[0][0]));
  H[0][0] = -1;
  EXPECT_TRUE(std::isnan(material.energy_density(H)));
}

TEST(Materials, WaveSpeed)
{
  // Steel: E = 210 GPa, nu = 0.3, 7850 kg/m^3: 6001 m/s.
  EXPECT_NEAR(LinearElastic<3>(7850., 210e9, 0.3).wave_speed(), 6001., 1.);
}

TEST(Materials, RefusesImpossibleProperties)
{
  expect_mention([] { StVenantKirchhoff<3>(0., 1., 0.); }, "Density");
  expect_mention([] { StVenantKirchhoff<3>(1., -1., 0.); }, "Young's modulus");
  expect_mention([] { StVenantKirchhoff<3>(1., 1., 0.5); }, "Poisson's ratio");
  expect_mention([] { StVenantKirchhoff<3>(1., 1., -1.); }, "Poisson's ratio");
}

TEST(Materials, ByName)
{
  register_built_in_materials();
  register_built_in_materials();
  using Materials = Registry<Material<3>>;
  dealii::ParameterHandler prm;
  Materials::declare_parameters(prm);
  prm.set("Density", "2");
  prm.set("Young's modulus", "5");
  prm.set("Poisson's ratio", "0.25");
  for (const std::string name : {"linear elastic", "St. Venant-Kirchhoff", "neo-Hookean"})
  {
    const auto material = Materials::create(name, prm);
    EXPECT_EQ(material->density(), 2.);
    EXPECT_NEAR(material->lame().first, 2., 1e-14);
    EXPECT_NEAR(material->lame().second, 2., 1e-14);
  }
  prm.set("Density", "0");
  expect_mention([&] { Materials::create("neo-Hookean", prm); }, "Density");
}
