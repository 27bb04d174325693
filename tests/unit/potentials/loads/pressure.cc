// Pressure on the deformed boundary against the derivative of the volume that it encloses.
#include "unit/deal_ii/test_body.h"

#include <kickdrift/deal_ii/load_shares.h>
#include <kickdrift/potentials/loads/pressure_loads.h>

#include <gtest/gtest.h>

#include <random>

using namespace KickDrift;
using namespace KickDriftTests;

namespace
{
template <int dim>
struct Inflated
{
  Inflated(const bool simplices, typename PressureLoads<dim>::Pressure pressure,
           const Shape shape = Shape::box)
      : mesh(simplices, shape), body(mesh.body())
  {
    body.add_nodes(nodes);
    const auto shares = boundary_load_shares<dim, dim>(body, {});
    loads = std::make_unique<PressureLoads<dim>>("pressure", shares.nodes_per_piece, shares.nodes,
                                                 std::move(pressure));
  }

  /// Move all nodes at random, by a few hundredths of the size of a cell.
  void
  deform()
  {
    std::mt19937 random(42);
    std::uniform_real_distribution<double> amount(-0.03, 0.03);
    for (unsigned int i = 0; i < nodes.size(); ++i)
      for (unsigned int d = 0; d < dim; ++d)
        nodes[i].displacement[d] += amount(random);
  }

  std::vector<Tensor<1, dim>>
  forces(const double time = 0) const
  {
    std::vector<Tensor<1, dim>> result(nodes.size()), force;
    for (unsigned int k = 0; k < loads->n_kicks(); ++k)
    {
      loads->force(nodes, k, time, force);
      const auto support = loads->support(k);
      for (unsigned int a = 0; a < support.size(); ++a)
        result[support[a]] += force[a];
    }
    return result;
  }

  /// Volume of the deformed cells, by deal.II.
  double
  volume() const
  {
    double result = 0;
    for (const auto &cell : body.cells())
    {
      const auto cell_nodes = body.nodes_of_cell(cell);
      for (unsigned int v = 0; v < cell_nodes.size(); ++v)
        cell->vertex(v) = nodes.position(cell_nodes[v]);
    }
    for (const auto &cell : body.cells())
      result += cell->measure();
    return result;
  }

  TestMesh<dim> mesh;
  Body<dim> body;
  NodeTable<dim> nodes;
  std::unique_ptr<PressureLoads<dim>> loads;
};

/// Calls Check<dim>()(simplices) for all types of faces.
template <template <int> class Check>
void
for_all_faces()
{
  for (const bool simplices : {false, true})
  {
    SCOPED_TRACE(simplices);
    Check<2>()(simplices);
    Check<3>()(simplices);
  }
}

template <int dim>
struct IsDerivativeOfVolume
{
  void
  operator()(const bool simplices) const
  {
    const double p = 1.7, step = 1e-5;
    Inflated<dim> inflated(simplices, [p](const Point<dim> &, double) { return p; });
    inflated.deform();
    const auto forces = inflated.forces();
    for (unsigned int i = 0; i < inflated.nodes.size(); ++i)
      for (unsigned int d = 0; d < dim; ++d)
      {
        double &u = inflated.nodes[i].displacement[d];
        u += step;
        const double above = inflated.volume();
        u -= 2 * step;
        const double below = inflated.volume();
        u += step;
        EXPECT_NEAR(forces[i][d], -p * (above - below) / (2 * step), 1e-8);
      }
  }
};

template <int dim>
struct IsInEquilibrium
{
  void
  operator()(const bool simplices) const
  {
    Inflated<dim> inflated(
        simplices, [](const Point<dim> &, double) { return 3.; }, Shape::ball);
    inflated.deform();
    const auto forces = inflated.forces();
    Tensor<1, dim> sum;
    Tensor<2, dim> moment;
    double size = 0;
    for (unsigned int i = 0; i < forces.size(); ++i)
    {
      const Tensor<1, dim> x = inflated.nodes.position(i);
      sum += forces[i];
      moment += outer_product(x, forces[i]) - outer_product(forces[i], x);
      size += forces[i].norm() * x.norm();
    }
    EXPECT_GT(size, 10);
    EXPECT_LT(sum.norm(), 1e-14 * size);
    EXPECT_LT(moment.norm(), 1e-14 * size);
  }
};

/// The force turns with the body, also if positions have to be extrapolated.
template <int dim>
struct Follows
{
  void
  operator()(const bool simplices) const
  {
    const auto pressure = [](const Point<dim> &x, const double t) { return 1 + x[0] + t; };
    Inflated<dim> before(simplices, pressure), after(simplices, pressure);
    Tensor<2, dim> turn = unit_symmetric_tensor<dim>();
    turn[0][0] = turn[1][1] = 0;
    turn[0][1] = -1;
    turn[1][0] = 1;
    for (unsigned int i = 0; i < after.nodes.size(); ++i)
    {
      const Tensor<1, dim> x = after.nodes.reference(i);
      after.nodes.set_velocity(i, (turn * x - x) / 2.);
    }
    const auto original = before.forces(2), turned = after.forces(2);
    for (unsigned int i = 0; i < original.size(); ++i)
      EXPECT_NEAR((turned[i] - turn * original[i]).norm(), 0, 1e-12);
  }
};
} // namespace

TEST(PressureLoads, force_is_pressure_times_derivative_of_volume)
{
  for_all_faces<IsDerivativeOfVolume>();
}

TEST(PressureLoads, a_closed_surface_has_neither_net_force_nor_moment)
{
  for_all_faces<IsInEquilibrium>();
}

TEST(PressureLoads, turns_with_the_body)
{
  for_all_faces<Follows>();
}

/// Work against the integral of p dV, in closed form: p(t) = 1 + t while V grows like (1 + t)^3.
TEST(PressureLoads, work_is_the_integral_of_pressure_and_volume)
{
  double last_error = 0;
  for (const unsigned int n : {25, 50, 100})
  {
    Inflated<3> inflated(false, [](const Point<3> &, const double t) { return 1 + t; });
    auto &nodes = inflated.nodes;
    auto &loads = *inflated.loads;
    const double volume = inflated.volume();
    for (unsigned int i = 0; i < nodes.size(); ++i)
      nodes.set_velocity(i, nodes.reference(i));
    loads.begin(nodes);
    for (unsigned int j = 0; j < n; ++j)
    {
      for (unsigned int i = 0; i < nodes.size(); ++i)
        nodes[i].drift((j + 0.5) / n);
      loads.book(nodes, 0, (j + 0.5) / n);
    }
    for (unsigned int i = 0; i < nodes.size(); ++i)
      nodes[i].drift(1);
    EnergyBalance balance;
    loads.add_energy(nodes, balance);
    const double exact = -volume * 3. / 4 * (16 - 1); // -int (1+t) 3 V0 (1+t)^2 dt
    const double error = std::abs(balance.external_work / exact - 1);
    EXPECT_LT(error, 1e-3);
    if (last_error > 0)
    {
      EXPECT_NEAR(error, last_error / 4, 0.02 * last_error);
    }
    last_error = error;
  }
}

TEST(PressureLoads, refuses_faces_of_other_shapes)
{
  const auto pressure = [](const Point<3> &, double) { return 1.; };
  EXPECT_THROW(PressureLoads<3>("p", 2, {0, 1}, pressure), ExceptionBase);
  EXPECT_THROW(PressureLoads<3>("p", 5, {0, 1, 2, 3, 4}, pressure), ExceptionBase);
  EXPECT_THROW(PressureLoads<3>("p", 4, {0, 1, 2}, pressure), ExceptionBase);
}
