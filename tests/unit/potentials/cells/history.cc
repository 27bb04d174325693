// Cells whose material has a history, and the mean dilatation.

#include "cells.h"

#include <kickdrift/base/archive.h>
#include <kickdrift/potentials/cells/nodal_kicks.h>
#include <kickdrift/potentials/materials/plasticity.h>
#include <kickdrift/potentials/materials/template_history_material.h>
#include <kickdrift/stepping/stepper.h>
#include <kickdrift/stepping/threads.h>

#include <gtest/gtest.h>

#include <cstring>

using namespace PotentialsTest;

namespace
{
/// Linear hardening once more, in small strains, as a user writes it: E = 2.1, nu = 0.3. State:
/// plastic strain (by row), dissipation.
template <int dim>
class SmallStrainPlastic
    : public TemplateHistoryMaterial<dim, SmallStrainPlastic<dim>, dim * dim + 1>
{
public:
  template <typename Number>
  using State = std::array<Number, dim * dim + 1>;

  template <typename Number>
  void
  update_law(const Tensor<2, dim, Number> &H, double, const State<Number> &old_state,
             State<Number> &state) const
  {
    using std::max;
    using std::sqrt;
    const Tensor<2, dim, Number> s = deviator(elastic(H, old_state));
    const Number norm = sqrt(scalar_product(s, s) + 1e-30);
    // of the norm of the elastic deviator
    const Number excess = max(norm - Number(limit), Number(0.));
    for (unsigned int i = 0; i < dim * dim; ++i)
      state[i] = old_state[i] + excess / norm * s[i / dim][i % dim];
    state[dim * dim] = old_state[dim * dim] + 2 * mu * limit * excess;
  }
  template <typename Number>
  Number
  energy_law(const Tensor<2, dim, Number> &H, const State<Number> &state) const
  {
    const Tensor<2, dim, Number> e = elastic(H, state);
    return 0.5 * lambda * trace(e) * trace(e) + mu * scalar_product(e, e);
  }
  template <typename Number>
  Tensor<2, dim, Number>
  stress_law(const Tensor<2, dim, Number> &H, const State<Number> &state) const
  {
    const Tensor<2, dim, Number> e = elastic(H, state);
    Tensor<2, dim, Number> P = Number(2 * mu) * e;
    for (unsigned int d = 0; d < dim; ++d)
      P[d][d] += lambda * trace(e);
    return P;
  }
  std::vector<double>
  initial_state() const override
  {
    return std::vector<double>(dim * dim + 1, 0.);
  }
  double
  dissipation(const double *state) const override
  {
    return state[dim * dim];
  }
  double
  density() const override
  {
    return 1.3;
  }
  double
  wave_speed() const override
  {
    return std::sqrt((lambda + 2 * mu) / density());
  }

private:
  template <typename Number>
  static Tensor<2, dim, Number>
  elastic(const Tensor<2, dim, Number> &H, const State<Number> &state)
  {
    Tensor<2, dim, Number> e;
    for (unsigned int i = 0; i < dim; ++i)
      for (unsigned int j = 0; j < dim; ++j)
        e[i][j] = 0.5 * (H[i][j] + H[j][i]) - state[dim * i + j];
    return e;
  }
  template <typename Number>
  static Tensor<2, dim, Number>
  deviator(Tensor<2, dim, Number> e)
  {
    const Number mean = trace(e) / Number(double(dim));
    for (unsigned int d = 0; d < dim; ++d)
      e[d][d] -= mean;
    return e;
  }
  static constexpr double lambda = 2.1 * 0.3 / (1.3 * 0.4), mu = 2.1 / 2.6, limit = 0.01;
};

template <int dim>
std::vector<std::shared_ptr<const HistoryMaterial<dim>>>
history_materials()
{
  using Curve = std::vector<typename J2Plasticity<dim>::Point>;
  JohnsonCookParameters p;
  p.a = 0.02;
  p.b = 0.03;
  p.n = 0.4;
  p.c = 0.05;
  p.melting_temperature = 500;
  p.heat_capacity = 1e-4;
  return {std::make_shared<J2Plasticity<dim>>(1.3, 2.1, 0.3, 0.02, 0.05),
          std::make_shared<J2Plasticity<dim>>(1.3, 2.1, 0.3, Curve{{0., 0.02}, {0.02, 0.03}}),
          std::make_shared<JohnsonCook<dim>>(1.3, 2.1, 0.3, p),
          std::make_shared<SmallStrainPlastic<dim>>()};
}

template <int dim>
struct HistoryBody : Body<dim>
{
  HistoryBody(const Mesh<dim> &mesh, const std::shared_ptr<const Material<dim>> &material,
              const bool mean_dilatation)
      : Body<dim>(mesh, material)
  {
    if (mean_dilatation)
      this->families = make_mean_dilatation_kicks(this->data, material);
  }
};

template <int dim>
bool
same_bits(const NodeTable<dim> &a, const NodeTable<dim> &b)
{
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(NodeState)) == 0;
}

/// Cells one by one, as the materials' classes see them.
template <int dim>
class Reference
{
public:
  Reference(const HistoryBody<dim> &body, const HistoryMaterial<dim> &material,
            const bool mean_dilatation)
      : body(body),
        material(material),
        mean_dilatation(mean_dilatation),
        states(body.mesh.n_cells() * body.data.points_per_cell, material.initial_state())
  {
  }

  /// Go on to the present displacements, and sum up energies.
  void
  update(const NodeTable<dim> &nodes, const double time)
  {
    const Tensor<2, dim> identity(dealii::unit_symmetric_tensor<dim>());
    const unsigned int n = body.data.nodes_per_cell, n_points = body.data.points_per_cell;
    strain = dissipation = 0;
    forces.assign(body.mesh.n_cells() * n, Tensor<1, dim>());
    for (unsigned int c = 0; c < body.mesh.n_cells(); ++c)
    {
      std::vector<Tensor<2, dim>> F(n_points);
      std::vector<std::vector<Tensor<1, dim>>> gradients(n_points);
      double volume = 0, current = 0;
      for (unsigned int q = 0; q < n_points; ++q)
      {
        F[q] = identity;
        for (unsigned int a = 0; a < n; ++a)
        {
          gradients[q].push_back(shape_gradient<dim>(n, a, quadrature_point<dim>(n, q)) *
                                 body.data.inverse_jacobians[c * n_points + q]);
          F[q] += outer_product(nodes.displacement(body.mesh.nodes[c * n + a]), gradients[q][a]);
        }
        volume += body.data.weights[c * n_points + q];
        current += body.data.weights[c * n_points + q] * determinant(F[q]);
      }
      std::vector<Tensor<2, dim>> P(n_points);
      double pressure = 0;
      for (unsigned int q = 0; q < n_points; ++q)
      {
        const double ratio =
            mean_dilatation ? std::pow(current / volume / determinant(F[q]), 1. / dim) : 1;
        const double weight = body.data.weights[c * n_points + q];
        const Tensor<2, dim> H = ratio * F[q] - identity;
        auto &state = states[c * n_points + q];
        const auto before = state;
        material.update(H, time, before.data(), state.data());
        strain += weight * material.energy_density(H, state.data());
        dissipation += weight * material.dissipation(state.data());
        P[q] = material.stress(H, state.data());
        if (!mean_dilatation)
          continue;
        const double p = scalar_product(P[q], ratio * F[q]) / dim;
        pressure += weight * p / current;
        P[q] = ratio * P[q] - p * transpose(invert(F[q]));
      }
      for (unsigned int q = 0; q < n_points; ++q)
      {
        P[q] += pressure * determinant(F[q]) * transpose(invert(F[q]));
        for (unsigned int a = 0; a < n; ++a)
          forces[c * n + a] -= body.data.weights[c * n_points + q] * P[q] * gradients[q][a];
      }
    }
  }

  const HistoryBody<dim> &body;
  const HistoryMaterial<dim> &material;
  bool mean_dilatation;
  std::vector<std::vector<double>> states;
  std::vector<Tensor<1, dim>> forces;
  double strain = 0, dissipation = 0;
};

template <int dim>
void
set_random(NodeTable<dim> &nodes, std::mt19937 &random, const double size, const double time)
{
  for (unsigned int i = 0; i < nodes.size(); ++i)
  {
    nodes.set_displacement(i, random_vector<dim>(random, size));
    nodes.set_velocity(i, {});
    nodes[i].time = time;
  }
}

template <int dim>
void
check_against_classes()
{
  std::mt19937 random(1);
  for (const Shape shape : all_shapes)
    for (const bool mean : {false, true})
      for (const auto &material : history_materials<dim>())
      {
        if (mean && shape == Shape::simplex)
          continue;
        SCOPED_TRACE("dim " + std::to_string(dim) + " shape " + std::to_string(int(shape)) +
                     (mean ? " mean" : ""));
        HistoryBody<dim> body(block<dim>(shape, 2, random), material, mean);
        ASSERT_EQ(body.families.size(), 1u);
        CellKicks<dim> &kicks = *body.families[0];
        kicks.assign_clocks(std::vector<unsigned int>(kicks.n_kicks(), 0), 1);
        Reference<dim> reference(body, *material, mean);
        for (unsigned int i = 1; i <= 4; ++i)
        {
          const double time = 0.1 * i;
          set_random(body.nodes, random, 0.08, time);
          const auto synchronised = body.nodes;
          kicks.kick(body.nodes, 0, time, 0.01);
          reference.update(synchronised, time);
          EnergyBalance balance;
          kicks.add_energy(synchronised, balance);
          EXPECT_NEAR(balance.strain, reference.strain, 1e-12);
          EXPECT_NEAR(balance.plastic_work, reference.dissipation, 1e-12);
          std::vector<Tensor<1, dim>> forces;
          std::vector<Tensor<1, dim>> momenta(body.nodes.size());
          for (unsigned int k = 0; k < kicks.n_kicks(); ++k)
          {
            kicks.force(synchronised, k, time, forces);
            const unsigned int n = body.data.nodes_per_cell, c = kicks.cell(k);
            for (unsigned int a = 0; a < n; ++a)
            {
              EXPECT_NEAR((forces[a] - reference.forces[c * n + a]).norm(), 0, 1e-12);
              momenta[body.mesh.nodes[c * n + a]] += 0.01 * reference.forces[c * n + a];
            }
          }
          for (unsigned int i = 0; i < body.nodes.size(); ++i)
            EXPECT_NEAR((body.nodes.mass(i) * body.nodes.velocity(i) - momenta[i]).norm(), 0,
                        1e-13);
          kicks.book(body.nodes, 0, time);
        }
        EXPECT_GT(reference.dissipation, 0);
      }
}

TEST(CellHistory, KernelsDoWhatTheClassesDo)
{
  check_against_classes<2>();
  check_against_classes<3>();
}

/// Kicks with two clocks whose members change; @p extra : evaluate more, which must not matter.
template <int dim>
NodeTable<dim>
after_some_kicks(HistoryBody<dim> body, const unsigned int n_threads, const bool is_ordered,
                 const bool extra)
{
  std::mt19937 random(7), more(8);
  for (unsigned int i = 0; i < body.nodes.size(); ++i)
    body.nodes.set_velocity(i, random_vector<dim>(random, 0.5));
  CellKicks<dim> &kicks = *body.families[0];
  const unsigned int n = kicks.n_kicks();
  std::vector<unsigned int> clocks(n);
  for (unsigned int k = 0; k < n; ++k)
    clocks[k] = is_ordered ? k / (n / 2 + 1) : random() % 2;
  if (n_threads > 0)
    kicks.use_threads(std::make_shared<Threads>(n_threads), body.nodes);
  kicks.assign_clocks(clocks, 3);
  for (unsigned int i = 1; i <= 6; ++i)
  {
    for (unsigned int c = 0; c < 3; ++c)
      if (i % (c + 1) == 0)
      {
        kicks.kick(body.nodes, c, 0.02 * i, 0.02 * (c + 1));
        kicks.book(body.nodes, c, 0.02 * i);
      }
    if (extra)
    {
      auto copy = body.nodes;
      for (unsigned int c = 0; c < 3; ++c)
        kicks.kick(copy, c, 0.02 * i + 0.007, uniform(more, -0.01, 0.01));
      for (unsigned int node = 0; node < copy.size(); ++node)
        copy[node].drift(0.02 * i + 0.01);
      EnergyBalance balance;
      kicks.add_energy(copy, balance);
      std::vector<Tensor<1, dim>> forces;
      kicks.force(body.nodes, 0, 0.02 * i, forces);
      kicks.current_critical_step(copy, 1, std::vector<double>(body.data.nodes_per_cell, 1.));
    }
    for (unsigned int j = 0; j < 20; ++j)
    {
      const unsigned int k = random() % n;
      kicks.change_clock(k, i < 4 ? random() % 3 : clocks[k]);
    }
  }
  EnergyBalance balance;
  kicks.add_energy(body.nodes, balance);
  EXPECT_GT(balance.plastic_work, 0);
  return body.nodes;
}

template <int dim>
void
check_bits()
{
  std::mt19937 random(4);
  const auto materials = history_materials<dim>();
  unsigned int m = 0;
  for (const Shape shape : all_shapes)
    for (const bool is_ordered : {true, false})
    {
      const auto material = materials[m++ % materials.size()];
      const unsigned int size = shape == Shape::simplex ? (dim == 2 ? 21 : 5) : dim == 2 ? 29 : 9;
      const HistoryBody<dim> body(block<dim>(shape, size, random), material,
                                  shape != Shape::simplex);
      const auto fresh = [&]
      { return HistoryBody<dim>(body.mesh, material, shape != Shape::simplex); };
      const auto alone = after_some_kicks(fresh(), 0, is_ordered, false);
      EXPECT_TRUE(same_bits(alone, after_some_kicks(fresh(), 0, is_ordered, true)));
      for (const unsigned int n_threads : {2u, 3u})
        EXPECT_TRUE(same_bits(alone, after_some_kicks(fresh(), n_threads, is_ordered, false)));
    }
}

TEST(CellHistory, LookingChangesNothingAndThreadsGiveTheSameBits)
{
  check_bits<2>();
  check_bits<3>();
}

template <int dim>
void
check_elastic_bits()
{
  std::mt19937 random(3);
  const auto plastic = std::make_shared<J2Plasticity<dim>>(1.3, 2.1, 0.3, 1e300);
  const auto elastic = std::make_shared<NeoHookean<dim>>(1.3, 2.1, 0.3);
  for (const Shape shape : {Shape::box, Shape::general, Shape::simplex})
  {
    const auto mesh = block<dim>(shape, 3, random);
    HistoryBody<dim> a(mesh, plastic, false), b(mesh, elastic, false);
    for (unsigned int i = 1; i <= 5; ++i)
      for (auto *body : {&a, &b})
      {
        std::mt19937 same(5 + i);
        set_random(body->nodes, same, 0.1, 0.1 * i);
        body->families[0]->kick(body->nodes, 0, 0.1 * i, 0.01);
        body->families[0]->book(body->nodes, 0, 0.1 * i);
      }
    // the same but for what compilers contract to one rounding
    for (unsigned int node = 0; node < a.nodes.size(); ++node)
      EXPECT_NEAR((a.nodes.velocity(node) - b.nodes.velocity(node)).norm(), 0, 1e-17)
          << "dim " << dim << " shape " << int(shape);
    for (const bool mean : {false, true})
      if (shape != Shape::simplex || !mean)
      {
        HistoryBody<dim> c(mesh, plastic, mean), d(mesh, elastic, mean);
        EnergyBalance of_c, of_d;
        c.families[0]->add_energy(a.nodes, of_c);
        d.families[0]->add_energy(a.nodes, of_d);
        EXPECT_NEAR(of_c.strain, of_d.strain, 1e-13 * of_d.strain);
        EXPECT_EQ(of_c.plastic_work, 0);
      }
  }
}

TEST(CellHistory, WithoutYieldingKicksAreThoseOfNeoHookean)
{
  check_elastic_bits<2>();
  check_elastic_bits<3>();
}

template <int dim>
void
check_mean_dilatation()
{
  std::mt19937 random(12);
  for (const Shape shape : {Shape::box, Shape::affine, Shape::general})
  {
    HistoryBody<dim> body(block<dim>(shape, 1, random),
                          std::make_shared<NeoHookean<dim>>(1.3, 2.1, 0.45), true);
    CellKicks<dim> &kicks = *body.families[0];
    const auto energy = [&]
    {
      EnergyBalance balance;
      kicks.add_energy(body.nodes, balance);
      return balance.strain;
    };
    EXPECT_EQ(energy(), 0);
    set_random(body.nodes, random, 0.15, 0.);
    std::vector<Tensor<1, dim>> forces;
    kicks.force(body.nodes, 0, 0., forces);
    const auto support = kicks.support(0);
    for (unsigned int a = 0; a < support.size(); ++a)
      for (unsigned int d = 0; d < dim; ++d)
      {
        const auto u = body.nodes.displacement(support[a]);
        Tensor<1, dim> step;
        step[d] = 1e-6;
        body.nodes.set_displacement(support[a], u + step);
        const double above = energy();
        body.nodes.set_displacement(support[a], u - step);
        EXPECT_NEAR(forces[a][d], -(above - energy()) / 2e-6, 1e-8);
        body.nodes.set_displacement(support[a], u);
      }
    // of a homogeneous deformation the standard energy
    HistoryBody<dim> standard(body.mesh, std::make_shared<NeoHookean<dim>>(1.3, 2.1, 0.45), false);
    Tensor<2, dim> H;
    for (unsigned int d = 0; d < dim; ++d)
      H[d] = random_vector<dim>(random, 0.2);
    for (auto *one : {&body, &standard})
      one->displace([&](const Point<dim> &x) { return H * x; });
    EnergyBalance expected;
    standard.families[0]->add_energy(standard.nodes, expected);
    EXPECT_NEAR(energy(), expected.strain, 1e-13);
  }
}

TEST(CellHistory, MeanDilatationHasForcesThatAreDerivativesOfItsEnergy)
{
  check_mean_dilatation<2>();
  check_mean_dilatation<3>();
}

TEST(CellHistory, WhatDoesNotGoWithAHistoryIsRefused)
{
  std::mt19937 random(1);
  const auto mesh = block<2>(Shape::box, 2, random),
             simplices = block<2>(Shape::simplex, 2, random);
  const auto plastic = history_materials<2>()[0];
  const auto data = cell_data(mesh, 1.);
  EXPECT_THROW(make_one_point_kicks<2>(data, plastic), ExcHistory);
  EXPECT_THROW(make_nodal_integration<2>(data, plastic), ExcHistory);
  EXPECT_THROW(make_mean_dilatation_kicks<2>(cell_data(simplices, 1.), plastic),
               dealii::ExceptionBase);
  EXPECT_THROW(
      make_mean_dilatation_kicks<2>(data, std::make_shared<const LinearElastic<2>>(1., 1., 0.)),
      dealii::ExceptionBase);
}

/// A block of cells of two sizes, thrown at a wall that holds its lower nodes.
struct ThrownBlock
{
  ThrownBlock(const Clocks clocks, const double beta)
      : body(mesh(), std::make_shared<J2Plasticity<2>>(1., 100., 0.3, 0.3, 1.), true),
        stepper(body.nodes, parameters(clocks, beta))
  {
    stepper.add(body.families[0]);
    for (unsigned int node = 0; node < body.nodes.size(); ++node)
    {
      Tensor<1, 2> v;
      if (body.nodes.reference(node)[1] == 0)
        body.nodes.restraints.add(node, Point<2>::unit_vector(1));
      else
        v[1] = -0.3;
      body.nodes.set_velocity(node, v);
    }
    stepper.start();
  }

  static StepperParameters
  parameters(const Clocks clocks, const double beta)
  {
    StepperParameters result;
    result.clocks = clocks;
    result.time_step_ratio = beta;
    return result;
  }

  static Mesh<2>
  mesh()
  {
    constexpr unsigned int n = 5, m = 12;
    Mesh<2> result;
    result.nodes_per_cell = 4;
    for (unsigned int j = 0; j <= m; ++j)
      for (unsigned int i = 0; i <= n; ++i)
        result.points.emplace_back(0.2 * i, 0.1 * j * (1 + 0.15 * j));
    for (unsigned int j = 0; j < m; ++j)
      for (unsigned int i = 0; i < n; ++i)
        for (const unsigned int corner : {0u, 1u, n + 1, n + 2})
          result.nodes.push_back(j * (n + 1) + i + corner);
    return result;
  }

  EnergyBalance
  balance() const
  {
    return stepper.energy(stepper.snapshot(stepper.time()));
  }

  HistoryBody<2> body;
  Stepper<2> stepper;
};

TEST(CellHistory, EnergyOfAThrownBlockIsKept)
{
  for (const Clocks clocks : {Clocks::one, Clocks::nested, Clocks::per_cell})
  {
    SCOPED_TRACE(int(clocks));
    double errors[2];
    for (unsigned int i = 0; i < 2; ++i)
    {
      ThrownBlock thrown(clocks, i == 0 ? 0.5 : 0.125);
      const auto start = thrown.balance();
      errors[i] = 0;
      for (unsigned int j = 1; j <= 20; ++j)
      {
        thrown.stepper.advance_to(0.05 * j);
        errors[i] = std::max(errors[i], std::abs(thrown.balance().total() / start.kinetic - 1));
      }
      const auto end = thrown.balance();
      EXPECT_GT(end.plastic_work, 0.4 * start.kinetic);
      EXPECT_EQ(start.plastic_work, 0);
    }
    EXPECT_LT(errors[0], 0.02);
    EXPECT_LT(errors[1], 0.4 * errors[0]);
  }
}

/// A cell is pressed to 0.03 of its height, slowly; it becomes as much wider.
TEST(CellHistory, StepsOfCellsThatBecomeFlatAreFollowed)
{
  Mesh<2> mesh;
  mesh.nodes_per_cell = 4;
  mesh.points = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
  mesh.nodes = {0, 1, 2, 3};
  HistoryBody<2> body(mesh, std::make_shared<J2Plasticity<2>>(1., 100., 0.3, 0.3, 0.), true);
  Stepper<2> stepper(body.nodes, StepperParameters());
  stepper.add(body.families[0]);
  constexpr double speed = 1e-3;
  for (const unsigned int node : {0u, 1u, 2u, 3u})
    body.nodes.restraints.add(node, Point<2>::unit_vector(1));
  for (const unsigned int node : {0u, 2u})
    body.nodes.restraints.add(node, Point<2>::unit_vector(0));
  stepper.prescribe({2, 3}, {Point<2>::unit_vector(1)},
                    [](unsigned int, const double time) { return Point<2>(0, -speed * time); });
  stepper.start();
  const double first = stepper.levels().natural_step(0);
  for (unsigned int i = 1; i <= 97; ++i)
  {
    stepper.advance_to(0.01 * i / speed);
    ASSERT_LE(stepper.follower().largest_ratio(), 0.7) << i;
  }
  EXPECT_LT(stepper.levels().natural_step(0), first / 20);
  EXPECT_NEAR(1 + body.nodes.displacement(3)[0], 1 / 0.03, 0.7); // inertia presses, too
  const auto balance = stepper.energy(stepper.snapshot(stepper.time()));
  EXPECT_NEAR(balance.total(), 0, 0.01 * balance.plastic_work);
}

TEST(CellHistory, CheckpointsHoldIt)
{
  for (const Clocks clocks : {Clocks::nested, Clocks::per_cell})
  {
    ThrownBlock through(clocks, 0.5), first(clocks, 0.5), second(clocks, 0.5);
    through.stepper.advance_to(0.4);
    first.stepper.advance_to(0.23);
    Archive written;
    written(first.body.nodes, first.stepper);
    Archive read(written.bytes());
    read(second.body.nodes, second.stepper);
    second.stepper.advance_to(0.4);
    EXPECT_TRUE(same_bits(through.body.nodes, second.body.nodes));
    EXPECT_GT(second.balance().plastic_work, 0);
    EXPECT_EQ(through.balance().plastic_work, second.balance().plastic_work);
  }
}
} // namespace
