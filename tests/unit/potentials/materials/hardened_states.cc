// Plastic materials that have flowed before the start.

#include "unit/potentials/cells/cells.h"

#include <kickdrift/potentials/materials/plasticity.h>

#include <gtest/gtest.h>

using namespace PotentialsTest;

namespace
{
constexpr double before = 0.05; ///< equivalent plastic strain at the start

/// Materials, and those that a strain has hardened, said by their parameters.
template <int dim>
std::vector<std::pair<std::shared_ptr<const PlasticMaterial<dim>>,
                      std::shared_ptr<const PlasticMaterial<dim>>>>
soft_and_hardened()
{
  using J2 = J2Plasticity<dim>;
  using Curve = std::vector<typename J2::Point>;
  JohnsonCookParameters soft;
  soft.a = 0.8;
  soft.b = 1.5;
  soft.c = 0.02;
  soft.reference_rate = 0.1;
  soft.melting_temperature = 1300;
  soft.heat_capacity = 0.005;
  JohnsonCookParameters hardened = soft;
  hardened.a += before * hardened.b;
  return {
      {std::make_shared<J2>(1.3, 200., 0.3, 1., 3.),
       std::make_shared<J2>(1.3, 200., 0.3, 1. + 3. * before, 3.)},
      {std::make_shared<J2>(1.3, 200., 0.3, Curve{{0., 1.}, {0.01, 1.3}, {0.1, 1.6}, {0.4, 1.7}}),
       std::make_shared<J2>(1.3, 200., 0.3,
                            Curve{{0., 1.3 + 0.3 * 4 / 9}, {0.05, 1.6}, {0.35, 1.7}})},
      {std::make_shared<JohnsonCook<dim>>(1.3, 200., 0.3, soft),
       std::make_shared<JohnsonCook<dim>>(1.3, 200., 0.3, hardened)}};
}

template <int dim>
void
check_hardened()
{
  constexpr unsigned int n = dim == 3 ? 6 : 4;
  for (const auto &[soft, hardened] : soft_and_hardened<dim>())
  {
    std::mt19937 random(3);
    std::vector<double> a = soft->hardened_state(before), b = hardened->initial_state();
    EXPECT_NEAR(soft->yield_stress(before), hardened->yield_stress(0), 1e-14);
    EXPECT_EQ(soft->dissipation(a.data()), 0);
    Tensor<2, dim> H;
    EXPECT_EQ(soft->stress(H, a.data()).norm(), 0);
    for (unsigned int i = 1; i <= 100; ++i)
    {
      for (unsigned int d = 0; d < dim; ++d)
        H[d] += random_vector<dim>(random, 0.01);
      std::vector<double> next_a(a.size()), next_b(b.size());
      soft->update(H, 0.01 * i, a.data(), next_a.data());
      hardened->update(H, 0.01 * i, b.data(), next_b.data());
      a = next_a;
      b = next_b;
      ASSERT_NEAR(a[n], b[n] + before, 1e-11);
      for (unsigned int j = 0; j < a.size(); ++j)
        if (j != n)
        {
          ASSERT_NEAR(a[j], b[j], 1e-11) << j;
        }
    }
    EXPECT_GT(b[n], 0.1);
    EXPECT_THROW(soft->hardened_state(-1e-3), dealii::ExceptionBase);
    EXPECT_THROW(soft->hardened_state(std::nan("")), dealii::ExceptionBase);
  }
}
} // namespace

TEST(HardenedStates, AreThoseOfHarderMaterials)
{
  check_hardened<2>();
  check_hardened<3>();
}

// A power of the strain has no such twin.
TEST(HardenedStates, JohnsonAndCooksPower)
{
  JohnsonCookParameters parameters;
  parameters.a = 0.8;
  parameters.b = 1.5;
  parameters.n = 0.4;
  const JohnsonCook<3> material(1.3, 200., 0.3, parameters);
  for (const double strain : {0., 0.1, 2.})
    EXPECT_NEAR(material.yield_stress(strain), 0.8 + 1.5 * std::pow(strain, 0.4), 1e-14);
}
