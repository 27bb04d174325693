// Cells that are under stress in the reference state.

#include "cells.h"

#include <kickdrift/potentials/materials/plasticity.h>
#include <kickdrift/potentials/materials/prestressed.h>
#include <kickdrift/stepping/stepper.h>

#include <gtest/gtest.h>

using namespace PotentialsTest;
using dealii::SymmetricTensor;
using dealii::numbers::PI;

namespace
{
template <int dim>
SymmetricTensor<2, 3>
some_stress()
{
  SymmetricTensor<2, 3> stress;
  stress[0][0] = 0.3;
  stress[1][1] = -0.2;
  stress[2][2] = 0.15;
  stress[0][1] = 0.07;
  if (dim == 3)
  {
    stress[0][2] = -0.11;
    stress[1][2] = 0.05;
  }
  return stress;
}

template <int dim>
using MaterialPointer = std::shared_ptr<const Material<dim>>;

/// With one stress everywhere.
template <int dim>
CellData<dim>
with_stress(CellData<dim> cells, const SymmetricTensor<2, 3> &stress)
{
  const auto state = PrestressedMaterial<dim>::state(stress);
  for (unsigned int i = 0; i < cells.weights.size(); ++i)
    cells.initial_states.insert(cells.initial_states.end(), state.begin(), state.end());
  return cells;
}

template <int dim>
void
check_law()
{
  const double h = 1e-6;
  std::mt19937 random(1);
  const auto state = PrestressedMaterial<dim>::state(some_stress<dim>());
  for (const auto &elastic : all_materials<dim>())
  {
    const PrestressedMaterial<dim> material(elastic, 0.4);
    Tensor<2, dim> H;
    for (unsigned int d = 0; d < dim; ++d)
      H[d] = random_vector<dim>(random, 0.2);
    const auto P = material.stress(H, state.data());
    for (unsigned int i = 0; i < dim; ++i)
      for (unsigned int j = 0; j < dim; ++j)
      {
        auto low = H, high = H;
        low[i][j] -= h;
        high[i][j] += h;
        EXPECT_NEAR(P[i][j],
                    (material.energy_density(high, state.data()) -
                     material.energy_density(low, state.data())) /
                        (2 * h),
                    1e-8);
      }
    const auto at_rest = material.stress({}, state.data());
    for (unsigned int i = 0; i < dim; ++i)
      for (unsigned int j = 0; j < dim; ++j)
        EXPECT_NEAR(at_rest[i][j], some_stress<dim>()[i][j], 1e-15);

    // four at once
    std::vector<double> gradients(4 * dim * dim), states(4 * state.size()), after(states.size()),
        stresses(gradients.size());
    for (unsigned int lane = 0; lane < 4; ++lane)
    {
      for (unsigned int i = 0; i < dim * dim; ++i)
        gradients[4 * i + lane] = (0.5 + 0.1 * lane) * H[i / dim][i % dim];
      for (unsigned int i = 0; i < state.size(); ++i)
        states[4 * i + lane] = (1. - 0.2 * lane) * state[i];
    }
    material.updated_stresses(15, gradients.data(), 0., states.data(), after.data(),
                              stresses.data());
    EXPECT_EQ(states, after);
    for (unsigned int lane = 0; lane < 4; ++lane)
    {
      auto own = state;
      for (double &number : own)
        number *= 1. - 0.2 * lane;
      const auto expected = material.stress((0.5 + 0.1 * lane) * H, own.data());
      for (unsigned int i = 0; i < dim * dim; ++i)
        EXPECT_NEAR(stresses[4 * i + lane], expected[i / dim][i % dim], 1e-14);
    }
  }
}

TEST(Prestress, StressIsTheDerivativeOfEnergy)
{
  check_law<2>();
  check_law<3>();
}

template <int dim>
void
check_rotation()
{
  const auto state = PrestressedMaterial<dim>::state(some_stress<dim>());
  const PrestressedMaterial<dim> material(std::make_shared<NeoHookean<dim>>(1., 2.1, 0.3), 0.4);
  const double c = std::cos(0.7), s = std::sin(0.7);
  Tensor<2, dim> R(dealii::unit_symmetric_tensor<dim>());
  R[0][0] = R[1][1] = c;
  R[0][1] = -s;
  R[1][0] = s;
  const Tensor<2, dim> I(dealii::unit_symmetric_tensor<dim>());
  EXPECT_NEAR(material.energy_density(R - I, state.data()),
              material.energy_density({}, state.data()), 1e-14);
  const auto P = material.stress(R - I, state.data());
  EXPECT_NEAR((P - R * material.stress({}, state.data())).norm(), 0, 1e-14);
}

TEST(Prestress, TurnsWithTheBody)
{
  check_rotation<2>();
  check_rotation<3>();
}

TEST(Prestress, StoredEnergyIsThatOfTheStrainThatReleasesIt)
{
  // uniaxial, without Poisson's ratio: sigma^2/(2 E), and nothing at the strain -sigma/E
  SymmetricTensor<2, 3> stress;
  stress[0][0] = 1e-3;
  const auto state = PrestressedMaterial<3>::state(stress);
  const PrestressedMaterial<3> material(std::make_shared<LinearElastic<3>>(1., 2., 0.), 1e-3);
  EXPECT_NEAR(material.energy_density({}, state.data()), 0.25e-6, 1e-15);
  Tensor<2, 3> H;
  H[0][0] = -0.5e-3;
  EXPECT_NEAR(material.energy_density(H, state.data()), 0, 1e-9 * 0.5);
}

TEST(Prestress, UniformStressBetweenFixedBoundariesRestsToRoundOff)
{
  std::mt19937 random(5);
  for (const Shape shape : all_shapes)
  {
    const auto mesh = block<3>(shape, 3, random);
    const MaterialPointer<3> material =
        std::make_shared<PrestressedMaterial<3>>(std::make_shared<NeoHookean<3>>(1., 1., 0.3), 0.4);
    const auto stress = 0.2 * some_stress<3>(); // more would buckle some of the cells
    const auto data = with_stress(cell_data(mesh, 1.), stress);
    auto nodes = node_table(mesh, data);
    for (unsigned int i = 0; i < nodes.size(); ++i)
    {
      const unsigned int index[3] = {i % 4, i / 4 % 4, i / 16};
      if (std::any_of(index, index + 3, [](const unsigned int n) { return n == 0 || n == 3; }))
        for (unsigned int d = 0; d < 3; ++d)
          nodes.restraints.add(i, Point<3>::unit_vector(d));
    }
    // with several classes forces balance over intervals only, and nodes move to and fro a little
    StepperParameters parameters;
    parameters.clocks = Clocks::one;
    Stepper<3> stepper(nodes, parameters);
    for (const auto &family : make_cell_kicks(data, material))
    {
      stepper.add(family);
      EXPECT_NEAR((family->mean_stress(nodes, 0) - stress).norm(), 0, 1e-14);
    }
    stepper.start();
    stepper.advance_to(20);
    for (unsigned int i = 0; i < nodes.size(); ++i)
      EXPECT_NEAR(nodes.displacement(i).norm(), 0, 1e-13) << int(shape);
  }
}

/// Squares in a row along x; rows of two nodes.
Mesh<2>
row(const unsigned int n, const double length)
{
  Mesh<2> mesh;
  mesh.nodes_per_cell = 4;
  const double h = length / n;
  for (unsigned int i = 0; i <= n; ++i)
    for (const double y : {0., h})
      mesh.points.emplace_back(i * h, y);
  for (unsigned int i = 0; i < n; ++i)
    for (const unsigned int node : {2 * i, 2 * i + 2, 2 * i + 1, 2 * i + 3})
      mesh.nodes.push_back(node);
  return mesh;
}

TEST(Prestress, ReleasedBarVibratesAsTheClosedForm)
{
  // Fixed at x = 0, let go at x = 1: the end moves between 0 and -2 sigma/E, with the period 4 L/c
  // and at constant speed sigma/(rho c).
  const double sigma = 1e-4;
  SymmetricTensor<2, 3> stress;
  stress[0][0] = sigma;
  constexpr unsigned int n = 100;
  const auto mesh = row(n, 1.);
  const MaterialPointer<2> material = std::make_shared<PrestressedMaterial<2>>(
      std::make_shared<LinearElastic<2>>(1., 1., 0.), sigma);
  const auto data = with_stress(cell_data(mesh, 1.), stress);
  auto nodes = node_table(mesh, data);
  for (const unsigned int node : {0u, 1u})
    nodes.restraints.add(node, Point<2>::unit_vector(0));
  Stepper<2> stepper(nodes, StepperParameters());
  stepper.add(make_cell_kicks(data, material)[0]);
  stepper.start();
  const double stored = stepper.energy(stepper.snapshot(0)).total();
  EXPECT_NEAR(stored, 0.5 * sigma * sigma / n, 1e-12 * stored);
  for (unsigned int i = 1; i <= 40; ++i)
  {
    const double time = 0.2 * i, phase = std::fmod(time, 4.);
    stepper.advance_to(time);
    const auto at_time = stepper.snapshot(time);
    const double expected = -sigma * (phase < 2 ? phase : 4 - phase);
    EXPECT_NEAR(at_time.displacement(2 * n)[0], expected, 0.05 * sigma) << time;
    EXPECT_NEAR(stepper.energy(at_time).total(), stored, 0.01 * stored);
  }
}

/// Angular frequency with which the middle of a row of cells moves across, from four quarters of a
/// period.
double
frequency(const double youngs_modulus, const double stress, const unsigned int n,
          const bool only_across)
{
  SymmetricTensor<2, 3> tension;
  tension[0][0] = stress;
  const auto mesh = row(n, 1.);
  const MaterialPointer<2> material = std::make_shared<PrestressedMaterial<2>>(
      std::make_shared<NeoHookean<2>>(1., youngs_modulus, 0.), stress);
  const auto data = with_stress(cell_data(mesh, 1.), tension);
  auto nodes = node_table(mesh, data);
  for (unsigned int i = 0; i < nodes.size(); ++i)
  {
    const bool is_end = i < 2 || i >= 2 * n;
    if (is_end)
      nodes.restraints.add(i, Point<2>::unit_vector(1));
    if (is_end || only_across)
      nodes.restraints.add(i, Point<2>::unit_vector(0));
    nodes.set_velocity(i, is_end ? Point<2>()
                                 : Point<2>(0, 1e-6 * std::sin(PI * nodes.reference(i)[0])));
  }
  Stepper<2> stepper(nodes, StepperParameters());
  stepper.add(make_cell_kicks(data, material)[0]);
  stepper.start();
  const double tick = 1e-3 / std::sqrt(stress);
  double before = 0;
  for (unsigned int i = 1; i < 100000; ++i)
  {
    stepper.advance_to(i * tick);
    const double now = stepper.snapshot(i * tick).displacement(n)[1];
    if (i > 10 && now <= 0)
      return PI / ((i - now / (now - before)) * tick);
    before = now;
  }
  return 0;
}

TEST(Prestress, StringsSwingWithTheirTension)
{
  // in shear only: omega = pi sqrt((mu + S)/rho), of n cells with lumped masses
  constexpr unsigned int n = 40;
  const double lumped = 2. * n / PI * std::sin(PI / (2 * n));
  EXPECT_NEAR(frequency(0.02, 0.01, n, true), PI * std::sqrt(0.01 + 0.01) * lumped, 1e-4);
  EXPECT_NEAR(frequency(2e-4, 0.01, n, true), PI * std::sqrt(1e-4 + 0.01) * lumped, 1e-4);
  // a string, a hundred times as long as thick, whose ends are clamped: as they bend it seems to be
  // shorter by the length sqrt(E I / S) at either end
  const double tension = 0.01, bending = std::sqrt(0.1 * 0.01 * 0.01 / 12 / tension);
  EXPECT_NEAR(frequency(0.1, tension, 100, false), PI * std::sqrt(tension) * (1 + 2 * bending),
              0.01 * PI * std::sqrt(tension));
}

TEST(Prestress, TensionShortensCriticalSteps)
{
  std::mt19937 random(2);
  const auto mesh = block<3>(Shape::general, 2, random);
  const MaterialPointer<3> elastic = std::make_shared<NeoHookean<3>>(1., 1., 0.3);
  const auto plain = make_cell_kicks(cell_data(mesh, 1.), elastic);
  SymmetricTensor<2, 3> stress;
  stress[0][0] = 2;
  const auto data = with_stress(cell_data(mesh, 1.), stress);
  const MaterialPointer<3> stressed = std::make_shared<PrestressedMaterial<3>>(elastic, 2.);
  const auto tense = make_cell_kicks(data, stressed);
  const auto nodes = node_table(mesh, data);
  for (unsigned int k = 0; k < plain[0]->n_kicks(); ++k)
  {
    std::vector<double> masses;
    plain[0]->own_masses(k, masses);
    const double step = tense[0]->critical_step(k, masses);
    EXPECT_LT(step, 0.8 * plain[0]->critical_step(k, masses));
    // that of the stress that is there is not below it
    EXPECT_GE(tense[0]->current_critical_step(nodes, k, masses), 0.99 * step);
  }
}

TEST(Prestress, MisuseIsRefused)
{
  const auto plastic = std::make_shared<J2Plasticity<2>>(1., 1., 0.3, 1., 0.);
  EXPECT_THROW(PrestressedMaterial<2>(plastic, 0.), dealii::ExceptionBase);
  EXPECT_THROW(PrestressedMaterial<2>(nullptr, 0.), dealii::ExceptionBase);
  const MaterialPointer<2> elastic = std::make_shared<NeoHookean<2>>(1., 1., 0.3);
  EXPECT_THROW(PrestressedMaterial<2>(elastic, -1.), dealii::ExceptionBase);
  auto cells = cell_data(row(3, 1.), 1.);
  cells.initial_states.resize(5);
  EXPECT_THROW(make_cell_kicks(cells, elastic), dealii::ExceptionBase);
  const MaterialPointer<2> stressed = std::make_shared<PrestressedMaterial<2>>(elastic, 0.);
  EXPECT_THROW(make_cell_kicks(cells, stressed), dealii::ExceptionBase);
}
} // namespace
