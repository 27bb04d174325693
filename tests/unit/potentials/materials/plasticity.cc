// Plastic materials, point by point.

#include "unit/potentials/cells/cells.h"

#include <kickdrift/base/registry.h>
#include <kickdrift/potentials/materials/plasticity.h>

#include <deal.II/physics/transformations.h>

#include <gtest/gtest.h>

using namespace PotentialsTest;

namespace
{
template <int dim>
using State = std::vector<double>;

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
Tensor<2, dim>
identity()
{
  return Tensor<2, dim>(dealii::unit_symmetric_tensor<dim>());
}

/// b_e in three dimensions.
template <int dim>
Tensor<2, 3>
elastic_strain(const Tensor<2, dim> &H, const std::vector<double> &state)
{
  Tensor<2, 3> F = identity<3>(), C = identity<3>();
  for (unsigned int i = 0; i < dim; ++i)
    for (unsigned int j = 0; j < dim; ++j)
      F[i][j] += H[i][j];
  for (unsigned int i = 0; i < 3; ++i)
    C[i][i] += state[i];
  C[0][1] = C[1][0] = state[3];
  if (dim == 3)
  {
    C[0][2] = C[2][0] = state[4];
    C[1][2] = C[2][1] = state[5];
  }
  return F * C * transpose(F);
}

double
equivalent_stress(const Tensor<2, 3> &b, const double mu)
{
  return mu * std::sqrt(1.5) * (b - trace(b) / 3 * identity<3>()).norm();
}

template <int dim>
std::vector<double>
updated(const HistoryMaterial<dim> &material, const Tensor<2, dim> &H, const double time,
        const std::vector<double> &state)
{
  std::vector<double> result(state.size());
  material.update(H, time, state.data(), result.data());
  return result;
}

/// E = 200, nu = 0.3.
template <int dim>
std::vector<std::shared_ptr<const PlasticMaterial<dim>>>
plastic_materials()
{
  JohnsonCookParameters hot;
  hot.a = 0.8;
  hot.b = 1.5;
  hot.n = 0.4;
  hot.c = 0.02;
  hot.m = 1.1;
  hot.reference_rate = 0.1;
  hot.melting_temperature = 1300;
  hot.heat_capacity = 0.005;
  using Point = typename J2Plasticity<dim>::Point;
  return {std::make_shared<J2Plasticity<dim>>(1.3, 200., 0.3, 1., 3.),
          std::make_shared<J2Plasticity<dim>>(
              1.3, 200., 0.3, std::vector<Point>{{0., 1.}, {0.01, 1.3}, {0.1, 1.5}, {0.4, 1.5}}),
          std::make_shared<JohnsonCook<dim>>(1.3, 200., 0.3, hot)};
}

/// Calls f (H, old state, new state, time) along a random path with large strains.
template <int dim, typename Function>
void
walk(const HistoryMaterial<dim> &material, const unsigned int seed, const Function &f)
{
  std::mt19937 random(seed);
  auto state = material.initial_state();
  Tensor<2, dim> F = identity<dim>();
  for (unsigned int i = 1; i <= 200; ++i)
  {
    F = (identity<dim>() + random_gradient<dim>(random, i % 3 == 0 ? 0.02 : 0.004)) * F;
    // metals are nearly incompressible
    F /= std::pow(determinant(F), 0.98 / dim);
    const auto before = state;
    state = updated<dim>(material, F - identity<dim>(), 0.01 * i, before);
    f(F - identity<dim>(), before, state, 0.01 * i);
  }
}

template <int dim>
void
check_surface()
{
  for (const auto &material : plastic_materials<dim>())
  {
    unsigned int n_yielding = 0;
    double work = 0;
    const unsigned int n = dim == 3 ? 6 : 4;
    const double mu = material->lame().second;
    walk<dim>(*material, 3,
              [&](const Tensor<2, dim> &H, const std::vector<double> &before,
                  const std::vector<double> &after, const double time)
              {
                const auto b = elastic_strain<dim>(H, after);
                const auto trial = elastic_strain<dim>(H, before);
                const double J = determinant(H + identity<dim>());
                EXPECT_NEAR(determinant(b), J * J, 1e-12);
                EXPECT_GE(after[n + 1], work);
                work = after[n + 1];
                const double increment = after[n] - before[n];
                EXPECT_GE(increment, 0);
                if (increment == 0)
                  return;
                ++n_yielding;
                const double q = equivalent_stress(b, mu);
                // but for the elastic strain that is scaled back
                EXPECT_NEAR(after[n + 1] - before[n + 1], q * increment,
                            (trial - trace(trial) / 3 * identity<3>()).norm() * q * increment);
                // of one direction with the trial stress
                const auto s = b - trace(b) / 3 * identity<3>(),
                           s_trial = trial - trace(trial) / 3 * identity<3>();
                EXPECT_NEAR((s / s.norm() - s_trial / s_trial.norm()).norm(), 0, 1e-9);
                // that in the state once more changes nothing
                const auto again = updated<dim>(*material, H, time, after);
                for (unsigned int i = 0; i < after.size(); ++i)
                  EXPECT_NEAR(again[i], after[i], 1e-12);
              });
    EXPECT_GT(n_yielding, 100u);
  }
}

TEST(Plasticity, StressStaysOnTheYieldSurfaceAndFlowKeepsTheVolume)
{
  check_surface<2>();
  check_surface<3>();
}

template <int dim>
void
check_hardening()
{
  const auto materials = plastic_materials<dim>();
  const unsigned int n = dim == 3 ? 6 : 4;
  const double mu = materials[0]->lame().second;
  const auto curve = [](const double strain)
  {
    return strain < 0.01  ? 1 + 30 * strain
           : strain < 0.1 ? 1.3 + 0.2 / 0.09 * (strain - 0.01)
                          : 1.5;
  };
  double largest = 0;
  for (unsigned int m = 0; m < 3; ++m)
    walk<dim>(*materials[m], 5,
              [&](const Tensor<2, dim> &H, const std::vector<double> &before,
                  const std::vector<double> &after, double)
              {
                if (after[n] == before[n])
                  return;
                double expected = m == 0 ? 1 + 3 * after[n] : curve(after[n]);
                if (m == 2)
                {
                  const double temperature = 293 + 0.9 * before[n + 1] / (1.3 * 0.005);
                  const double relative = std::min(1., (temperature - 293) / (1300 - 293));
                  const double rate = (after[n] - before[n]) / (0.01 * 0.1);
                  expected = (0.8 + 1.5 * std::pow(after[n], 0.4)) *
                             (1 + 0.02 * std::log(std::max(1., rate))) *
                             (1 - std::pow(relative, 1.1));
                }
                largest = std::max(largest, after[n]);
                EXPECT_NEAR(equivalent_stress(elastic_strain<dim>(H, after), mu), expected, 1e-11);
              });
  EXPECT_GT(largest, 0.4); // the whole curve has been seen
}

TEST(Plasticity, FlowStressesAreThoseOfTheLaws)
{
  check_hardening<2>();
  check_hardening<3>();
}

template <int dim>
void
check_derivative()
{
  for (const auto &material : plastic_materials<dim>())
    walk<dim>(*material, 8,
              [&](const Tensor<2, dim> &H, const std::vector<double> &,
                  const std::vector<double> &state, double)
              {
                const auto P = material->stress(H, state.data());
                for (unsigned int i = 0; i < dim; ++i)
                  for (unsigned int j = 0; j < dim; ++j)
                  {
                    Tensor<2, dim> step;
                    step[i][j] = 1e-6;
                    const double slope = (material->energy_density(H + step, state.data()) -
                                          material->energy_density(H - step, state.data())) /
                                         2e-6;
                    EXPECT_NEAR(P[i][j], slope, 1e-6);
                  }
              });
}

TEST(Plasticity, StressIsTheDerivativeOfTheEnergyWithTheStateHeld)
{
  check_derivative<2>();
  check_derivative<3>();
}

TEST(Plasticity, RotationsTurnTheStressAndNothingElse)
{
  std::mt19937 random(6);
  for (const auto &material : plastic_materials<3>())
    walk<3>(*material, 9,
            [&](const Tensor<2, 3> &H, const std::vector<double> &before,
                const std::vector<double> &after, const double time)
            {
              const Tensor<1, 3> axis = random_vector<3>(random, 1.);
              const Tensor<2, 3> Q =
                  dealii::Physics::Transformations::Rotations::rotation_matrix_3d(
                      dealii::Point<3>(axis / axis.norm()), uniform(random, 0, 6));
              const Tensor<2, 3> turned = Q * (H + identity<3>()) - identity<3>();
              const auto state = updated<3>(*material, turned, time, before);
              for (unsigned int i = 0; i < state.size(); ++i)
                EXPECT_NEAR(state[i], after[i], 1e-12);
              const auto P = material->stress(turned, state.data());
              EXPECT_NEAR((P - Q * material->stress(H, after.data())).norm(), 0, 1e-10);
            });
}

template <int dim>
void
check_elastic_limit()
{
  const J2Plasticity<dim> plastic(1.3, 200., 0.3, 1e300);
  const NeoHookean<dim> elastic(1.3, 200., 0.3);
  const auto initial = plastic.initial_state();
  std::mt19937 random(2);
  for (unsigned int i = 0; i < 100; ++i)
  {
    const auto H = random_gradient<dim>(random, 0.2);
    const auto state = updated<dim>(plastic, H, 1., initial);
    EXPECT_EQ(state, initial);
    EXPECT_EQ(plastic.stress(H, state.data()), elastic.stress(H));
    EXPECT_EQ(plastic.energy_density(H, state.data()), elastic.energy_density(H));
  }
}

TEST(Plasticity, WithoutYieldingItIsNeoHookeanToTheBit)
{
  check_elastic_limit<2>();
  check_elastic_limit<3>();
}

/// Stretch a bar, with free sides; returns its state.
std::vector<double>
stretch_bar(const PlasticMaterial<3> &material, const double stretch, const unsigned int n_steps,
            const double duration, double &stress)
{
  auto state = material.initial_state();
  double side = 1;
  for (unsigned int i = 1; i <= n_steps; ++i)
  {
    Tensor<2, 3> H;
    H[0][0] = std::pow(stretch, double(i) / n_steps) - 1;
    std::vector<double> next;
    // the sides for which the stress across them vanishes, by the secant method
    double a = side, b = side * 0.999, f_a = 0, f_b = 0;
    const auto across = [&](const double s)
    {
      H[1][1] = H[2][2] = s - 1;
      next = updated<3>(material, H, duration * i / n_steps, state);
      const auto P = material.stress(H, next.data());
      stress = P[0][0] * (1 + H[0][0]);
      return P[1][1];
    };
    f_a = across(a);
    for (unsigned int j = 0; j < 50 && std::abs(a - b) > 1e-15; ++j)
    {
      f_b = across(b);
      const double c = f_b == f_a ? b : b - f_b * (b - a) / (f_b - f_a);
      a = b;
      f_a = f_b;
      b = c;
    }
    EXPECT_NEAR(across(b), 0, 1e-9);
    side = b;
    state = next;
  }
  return state;
}

TEST(Plasticity, BarsInTensionAndCompressionFollowTheClosedForm)
{
  const J2Plasticity<3> material(1.3, 200., 0.3, 1., 3.);
  for (const double stretch : {1.5, 1 / 1.5})
  {
    double stress = 0;
    const auto state = stretch_bar(material, stretch, 1600, 1, stress);
    const double strain = state[6];
    // Kirchhoff stress on the surface, logarithmic strain = elastic + plastic
    EXPECT_NEAR(std::abs(stress), 1 + 3 * strain, 1e-9);
    EXPECT_NEAR(strain, std::abs(std::log(stretch)) - std::abs(stress) / 200, 2e-4);
    // work is the area below the hardening curve, up to half the hardening per step
    EXPECT_NEAR(state[7], strain + 1.5 * strain * strain, 1e-3);
  }
}

TEST(Plasticity, BarsOfJohnsonAndCookHeatUp)
{
  JohnsonCookParameters p;
  p.a = 0.8;
  p.b = 1.5;
  p.n = 0.4;
  p.c = 0.02;
  p.reference_rate = 0.01;
  p.melting_temperature = 1300;
  p.heat_capacity = 0.003;
  const JohnsonCook<3> material(1.3, 200., 0.3, p);
  double stress = 0;
  const auto state = stretch_bar(material, 1.4, 1000, 1, stress);
  double values[2];
  material.outputs(state.data(), values);
  EXPECT_EQ(values[0], state[6]);
  EXPECT_NEAR(values[1], 293 + 0.9 * state[7] / (1.3 * 0.003), 1e-9);
  EXPECT_GT(values[1], 350);
  const double rate = std::log(1.4); // per time 1, nearly all of it plastic
  const double expected = (0.8 + 1.5 * std::pow(values[0], 0.4)) *
                          (1 + 0.02 * std::log(rate / 0.01)) *
                          (1 - (values[1] - 293) / (1300 - 293));
  EXPECT_NEAR(stress, expected, 2e-3 * expected);
}

/// Difference of the work of the stress along a path, and what became of it.
double
lost_energy(const HistoryMaterial<3> &material, const unsigned int n_steps)
{
  auto state = material.initial_state();
  Tensor<2, 3> H, P;
  double work = 0;
  for (unsigned int i = 1; i <= n_steps; ++i)
  {
    const double t = double(i) / n_steps;
    Tensor<2, 3> next;
    next[0][0] = 0.3 * std::sin(4 * t);
    next[0][1] = 0.4 * t;
    next[1][1] = -0.2 * t;
    next[2][1] = 0.1 * std::sin(7 * t);
    next[2][2] = 1 / ((1 + next[0][0]) * (1 + next[1][1])) - 1;
    state = updated<3>(material, next, t, state);
    const auto P_next = material.stress(next, state.data());
    work += 0.5 * scalar_product(P + P_next, next - H);
    H = next;
    P = P_next;
  }
  return (work - material.energy_density(H, state.data()) - material.dissipation(state.data())) /
         work;
}

TEST(Plasticity, WorkOfTheStressIsElasticEnergyAndPlasticWork)
{
  for (const auto &material : plastic_materials<3>())
  {
    const double coarse = lost_energy(*material, 1000), fine = lost_energy(*material, 4000);
    EXPECT_LT(std::abs(fine), 1e-3);
    EXPECT_LT(std::abs(fine), 0.4 * std::abs(coarse));
  }
}

TEST(Plasticity, StraightCurvesAndCoolSlowMetalsAreLinear)
{
  using Point = J2Plasticity<3>::Point;
  const J2Plasticity<3> linear(1.3, 200., 0.3, 1., 3.);
  const J2Plasticity<3> curve(1.3, 200., 0.3,
                              std::vector<Point>{{0., 1.}, {0.05, 1.15}, {10., 31.}});
  JohnsonCookParameters cool;
  cool.b = 3;
  const JohnsonCook<3> slow(1.3, 200., 0.3, cool);
  for (const PlasticMaterial<3> *other : {static_cast<const PlasticMaterial<3> *>(&curve),
                                          static_cast<const PlasticMaterial<3> *>(&slow)})
  {
    auto state = other->initial_state();
    walk<3>(linear, 4,
            [&](const Tensor<2, 3> &H, const std::vector<double> &,
                const std::vector<double> &expected, const double time)
            {
              state = updated<3>(*other, H, time, state);
              for (unsigned int i = 0; i < expected.size(); ++i)
                EXPECT_NEAR(state[i], expected[i], 1e-10);
            });
  }
}

TEST(Plasticity, ParametersThatMakeNoSenseAreRefused)
{
  using Curve = std::vector<J2Plasticity<2>::Point>;
  const auto table = [](const Curve &curve) { J2Plasticity<2>(1, 1, 0, curve); };
  EXPECT_THROW(J2Plasticity<2>(1, 1, 0, 0.), dealii::ExceptionBase);
  EXPECT_THROW(J2Plasticity<2>(1, 1, 0, 1., -1.), dealii::ExceptionBase);
  EXPECT_THROW(table({}), dealii::ExceptionBase);
  EXPECT_THROW(table({{0.1, 1.}}), dealii::ExceptionBase);
  EXPECT_THROW(table({{0., 1.}, {0., 2.}}), dealii::ExceptionBase);
  EXPECT_THROW(table({{0., 1.}, {0.1, 0.5}}), dealii::ExceptionBase);
  for (double JohnsonCookParameters::*value :
       {&JohnsonCookParameters::a, &JohnsonCookParameters::n, &JohnsonCookParameters::m,
        &JohnsonCookParameters::reference_rate, &JohnsonCookParameters::melting_temperature,
        &JohnsonCookParameters::heat_capacity})
  {
    JohnsonCookParameters wrong;
    wrong.*value = 0;
    EXPECT_THROW(JohnsonCook<3>(1, 1, 0, wrong), dealii::ExceptionBase);
  }
}

TEST(Plasticity, ParameterFilesHaveBoth)
{
  register_plastic_materials();
  dealii::ParameterHandler prm;
  Registry<Material<2>>::declare_parameters(prm);
  prm.set("Young's modulus", 200.);
  prm.set("Yield stress", 2.);
  prm.set("Hardening modulus", 5.);
  const auto linear = Registry<Material<2>>::create("J2 plasticity", prm);
  const auto &j2 = dynamic_cast<const J2Plasticity<2> &>(*linear);
  EXPECT_EQ(j2.linear_hardening()->first, 2);
  EXPECT_EQ(j2.linear_hardening()->second, 5);
  prm.set("Hardening curve", std::string("0: 3, 0.5: 4"));
  const auto curve = Registry<Material<2>>::create("J2 plasticity", prm);
  EXPECT_EQ(dynamic_cast<const J2Plasticity<2> &>(*curve).yield_stress(0), 3);
  EXPECT_THROW(prm.set("Hardening curve", std::string("0: 3, half: 4")), dealii::ExceptionBase);
  prm.set("Hardening curve", std::string("0: 3, 0.5: 2"));
  EXPECT_THROW(Registry<Material<2>>::create("J2 plasticity", prm), dealii::ExceptionBase);
  prm.set("Johnson-Cook A", 7.);
  const auto cook = Registry<Material<2>>::create("Johnson-Cook", prm);
  EXPECT_EQ(dynamic_cast<const JohnsonCook<2> &>(*cook).yield_stress(0), 7);
}
} // namespace
