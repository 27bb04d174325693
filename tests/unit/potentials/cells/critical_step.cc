#include "cells.h"

#include <gtest/gtest.h>

using namespace PotentialsTest;

namespace
{
using Matrix = std::vector<std::vector<double>>;

/// Largest eigenvalue of a symmetric matrix by Jacobi's rotations.
double
largest_eigenvalue(Matrix A)
{
  const unsigned int n = A.size();
  for (unsigned int sweep = 0; sweep < 30; ++sweep)
    for (unsigned int p = 0; p < n; ++p)
      for (unsigned int q = p + 1; q < n; ++q)
      {
        if (std::abs(A[p][q]) < 1e-300)
          continue;
        const double angle = 0.5 * std::atan2(2 * A[p][q], A[q][q] - A[p][p]);
        const double c = std::cos(angle), s = std::sin(angle);
        for (unsigned int k = 0; k < n; ++k)
        {
          const double x = A[k][p], y = A[k][q];
          A[k][p] = c * x - s * y;
          A[k][q] = s * x + c * y;
        }
        for (unsigned int k = 0; k < n; ++k)
        {
          const double x = A[p][k], y = A[q][k];
          A[p][k] = c * x - s * y;
          A[q][k] = s * x + c * y;
        }
      }
  double largest = A[0][0];
  for (unsigned int i = 0; i < n; ++i)
    largest = std::max(largest, A[i][i]);
  return largest;
}

/// 2/omega_max of kick k in the current state, from differences of force().
template <int dim>
double
exact_step(Body<dim> &body, const CellKicks<dim> &kicks, const unsigned int k)
{
  const auto support = kicks.support(k);
  const unsigned int n = dim * support.size();
  const double *mass = &body.data.masses[kicks.cell(k) * support.size()];
  const double increment = 1e-5;
  Matrix A(n, std::vector<double>(n));
  std::vector<Tensor<1, dim>> above, below;
  for (unsigned int j = 0; j < n; ++j)
  {
    double &u = body.nodes[support[j / dim]].displacement[j % dim];
    const double u0 = u;
    u = u0 + increment;
    kicks.force(body.nodes, k, 0., above);
    u = u0 - increment;
    kicks.force(body.nodes, k, 0., below);
    u = u0;
    for (unsigned int i = 0; i < n; ++i)
      A[i][j] = (below[i / dim][i % dim] - above[i / dim][i % dim]) / (2 * increment) /
                std::sqrt(mass[i / dim] * mass[j / dim]);
  }
  for (unsigned int i = 0; i < n; ++i)
    for (unsigned int j = 0; j < i; ++j)
      A[i][j] = A[j][i] = 0.5 * (A[i][j] + A[j][i]);
  return 2 / std::sqrt(largest_eigenvalue(A));
}

/// Random cells of all shapes and materials.
template <int dim>
void
for_all_cells(const std::function<void(Body<dim> &, CellKicks<dim> &, std::mt19937 &)> &check)
{
  std::mt19937 random(11);
  for (unsigned int run = 0; run < 5; ++run)
    for (const Shape shape : all_shapes)
      for (const auto &material : all_materials<dim>())
      {
        SCOPED_TRACE("dim " + std::to_string(dim) + " shape " + std::to_string(int(shape)) +
                     " law " + std::to_string(int(material->built_in_law())));
        Body<dim> body(block<dim>(shape, 2, random), material);
        check(body, *body.families[0], random);
      }
}

template <int dim>
void
check_reference_state()
{
  for_all_cells<dim>(
      [](Body<dim> &body, CellKicks<dim> &kicks, std::mt19937 &)
      {
        for (unsigned int k = 0; k < kicks.n_kicks(); ++k)
        {
          const double exact = exact_step(body, kicks, k),
                       step = kicks.critical_step(k, body.own_masses(kicks, k));
          // The differences that the exact one comes from are good to 1e-9.
          EXPECT_LE(step, exact * (1 + 1e-9));
          EXPECT_GE(step, exact * (1 - 1e-6));
        }
      });
}

template <int dim>
void
check_current_state()
{
  for_all_cells<dim>(
      [](Body<dim> &body, CellKicks<dim> &kicks, std::mt19937 &random)
      {
        body.displace([&](const Point<dim> &) { return random_vector<dim>(random, 0.08); });
        for (unsigned int k = 0; k < kicks.n_kicks(); ++k)
        {
          const double exact = exact_step(body, kicks, k);
          const auto masses = body.own_masses(kicks, k);
          const double step = kicks.current_critical_step(body.nodes, k, masses);
          EXPECT_LE(step, exact * (1 + 1e-6));
          EXPECT_GE(step, exact * 0.98);
          if (kicks.material().is_linear())
          {
            EXPECT_EQ(step, kicks.critical_step(k, masses));
          }
        }
      });
}
} // namespace

TEST(CriticalStep, NeverAboveTheExactOne)
{
  check_reference_state<2>();
  check_reference_state<3>();
}

TEST(CriticalStep, InTheCurrentState)
{
  check_current_state<2>();
  check_current_state<3>();
}

/// A box without lateral contraction vibrates along its shortest edge: h = edge / wave speed.
TEST(CriticalStep, OfABox)
{
  Mesh<3> mesh;
  mesh.nodes_per_cell = 8;
  for (unsigned int i = 0; i < 8; ++i)
  {
    mesh.points.emplace_back(i & 1 ? 0.2 : 0., i & 2 ? 3. : 0., i & 4 ? 5. : 0.);
    mesh.nodes.push_back(i);
  }
  const auto material = std::make_shared<StVenantKirchhoff<3>>(1.7, 2.3, 0.);
  const Body<3> body(mesh, material);
  // The bar's element frequency is 2 c / edge; shear of the long edges adds a little.
  const double bar = 0.2 / material->wave_speed();
  const auto &kicks = *body.families[0];
  const double step = kicks.critical_step(0, body.own_masses(kicks, 0));
  EXPECT_LE(step, bar);
  EXPECT_GE(step, 0.99 * bar);
}

/// Cells of one shape share one calculation, cells of almost one shape do not.
TEST(CriticalStep, CongruentCells)
{
  Mesh<2> mesh;
  mesh.nodes_per_cell = 4;
  for (unsigned int c = 0; c < 3; ++c)
    for (unsigned int i = 0; i < 4; ++i)
    {
      const double width = c == 2 ? 1 + 1e-9 : 1;
      mesh.points.emplace_back(100. * c + (i & 1 ? width : 0.), i & 2 ? 2. : 0.);
      mesh.nodes.push_back(4 * c + i);
    }
  const Body<2> body(mesh, std::make_shared<LinearElastic<2>>(1., 1., 0.3));
  const auto &kicks = *body.families[0];
  const auto steps = kicks.critical_steps([&](const unsigned int k, std::vector<double> &masses)
                                          { masses = body.own_masses(kicks, k); });
  EXPECT_EQ(steps[0], steps[1]);
  EXPECT_GT(steps[2], steps[0]);
}
