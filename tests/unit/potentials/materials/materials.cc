#include "unit/potentials/cells/cells.h"

#include <kickdrift/base/registry.h>
#include <kickdrift/potentials/materials/plasticity.h>
#include <kickdrift/potentials/materials/prestressed.h>

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

/// @p H without strain across the plane.
Tensor<2, 3>
in_space(const Tensor<2, 2> &H)
{
  Tensor<2, 3> H3;
  for (unsigned int i = 0; i < 2; ++i)
    for (unsigned int j = 0; j < 2; ++j)
      H3[i][j] = H[i][j];
  return H3;
}

/// The stress across the plane is that of the solid, whose strain there is held at zero.
void
check_stress_across()
{
  std::mt19937 random(11);
  const auto plane = all_materials<2>();
  const auto solid = all_materials<3>();
  dealii::SymmetricTensor<2, 3> initial;
  initial[0][0] = 0.3;
  initial[2][2] = -0.4;
  initial[0][1] = 0.1;
  unsigned int n_known = 0;
  for (unsigned int m = 0; m < plane.size(); ++m)
    for (const double size : {1e-6, 0.05, 0.45})
    {
      const auto H = random_gradient<2>(random, size);
      const double J =
          plane[m]->is_linear() ? 1 : (1 + H[0][0]) * (1 + H[1][1]) - H[0][1] * H[1][0];
      const double across = plane[m]->stress_across(H);
      const PrestressedMaterial<2> stressed(plane[m], 0.3);
      const PrestressedMaterial<3> stressed_solid(solid[m], 0.3);
      const auto state = stressed.state(initial), state_of_solid = stressed_solid.state(initial);
      const double with_initial = stressed.stress_across(H, state.data());
      if (dynamic_cast<const WrittenOnce<2> *>(plane[m].get()))
      {
        EXPECT_TRUE(std::isnan(across)); // its author does not say
        EXPECT_TRUE(std::isnan(with_initial));
        continue;
      }
      ++n_known;
      EXPECT_NEAR(across, solid[m]->stress(in_space(H))[2][2] / J, 1e-14);
      EXPECT_NEAR(with_initial, stressed_solid.stress(in_space(H), state_of_solid.data())[2][2] / J,
                  1e-14);
    }
  EXPECT_EQ(n_known, 12u);

  // one that flows: from the same strain on each the solid goes the same way
  const J2Plasticity<2> metal(1., 2., 0.3, 0.2, 0.1);
  const J2Plasticity<3> metal_in_space(1., 2., 0.3, 0.2, 0.1);
  Tensor<2, 2> H;
  auto state = metal.initial_state();
  auto state_in_space = metal_in_space.initial_state();
  for (unsigned int step = 1; step <= 20; ++step)
  {
    H += random_gradient<2>(random, 0.03);
    auto next = state;
    metal.update(H, 0, state.data(), next.data());
    state = next;
    next = state_in_space;
    metal_in_space.update(in_space(H), 0, state_in_space.data(), next.data());
    state_in_space = next;
    const double J = 1 + trace(H) + determinant(H);
    EXPECT_NEAR(metal.stress_across(H, state.data()),
                metal_in_space.stress(in_space(H), state_in_space.data())[2][2] / J, 1e-13);
  }
  EXPECT_GT(state[4], 0.01); // it has flowed
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

TEST(Materials, StressAcrossThePlane)
{
  check_stress_across();
}

/// Closed forms of plane strain: of a stretch along x, and of simple shear, which keeps the volume.
TEST(Materials, StressAcrossThePlaneInStretchAndShear)
{
  const double lambda = 3. * 0.3 / (1.3 * 0.4);
  const LinearElastic<2> linear(1., 3., 0.3);
  const StVenantKirchhoff<2> st_venant(1., 3., 0.3);
  const NeoHookean<2> neo_hookean(1., 3., 0.3);
  for (const double stretch : {0.4, 0.8, 1., 1.5, 3.})
  {
    Tensor<2, 2> H, shear;
    H[0][0] = stretch - 1;
    shear[0][1] = stretch;
    EXPECT_NEAR(linear.stress_across(H), lambda * (stretch - 1), 1e-14);
    EXPECT_NEAR(st_venant.stress_across(H), 0.5 * lambda * (stretch * stretch - 1) / stretch,
                1e-14);
    EXPECT_NEAR(neo_hookean.stress_across(H), lambda * std::log(stretch) / stretch, 1e-14);
    EXPECT_EQ(linear.stress_across(shear), 0);
    EXPECT_NEAR(st_venant.stress_across(shear), 0.5 * lambda * stretch * stretch, 1e-14);
    EXPECT_EQ(neo_hookean.stress_across(shear), 0);
  }
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
  EXPECT_TRUE(std::isnan(material.stress_across(H)));
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
