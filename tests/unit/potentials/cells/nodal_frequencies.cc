// Eigenvalues of nodal integration: critical steps, and what must not be among the modes.

#include "nodal.h"

#include <deal.II/lac/lapack_full_matrix.h>

using namespace PotentialsTest;

namespace
{
/// Ascending, by LAPACK.
std::vector<double>
eigenvalues(dealii::LAPACKFullMatrix<double> &matrix)
{
  matrix.compute_eigenvalues();
  std::vector<double> values;
  for (unsigned int i = 0; i < matrix.n_rows(); ++i)
    values.push_back(matrix.eigenvalue(i).real());
  std::sort(values.begin(), values.end());
  return values;
}

double
largest_eigenvalue(dealii::LAPACKFullMatrix<double> &matrix)
{
  return eigenvalues(matrix).back();
}

/// M^-1/2 K M^-1/2 from central differences of @p forces with respect to the nodes' displacements.
template <int dim>
dealii::LAPACKFullMatrix<double>
dynamic_matrix(NodeTable<dim> &nodes, const std::vector<unsigned int> &support,
               const std::vector<double> &masses,
               const std::function<std::vector<Tensor<1, dim>>()> &forces)
{
  const unsigned int n = dim * support.size();
  const double increment = 1e-5;
  dealii::LAPACKFullMatrix<double> A(n);
  for (unsigned int j = 0; j < n; ++j)
  {
    double &u = nodes[support[j / dim]].displacement[j % dim];
    const double u0 = u;
    u = u0 + increment;
    const auto above = forces();
    u = u0 - increment;
    const auto below = forces();
    u = u0;
    for (unsigned int i = 0; i < n; ++i)
    {
      const double entry = (below[i / dim][i % dim] - above[i / dim][i % dim]) / (4 * increment) /
                           std::sqrt(masses[i / dim] * masses[j / dim]);
      A(i, j) += entry;
      A(j, i) += entry;
    }
  }
  return A;
}

template <int dim>
dealii::LAPACKFullMatrix<double>
global_matrix(NodalBody<dim> &body, const std::function<std::vector<Tensor<1, dim>>()> &forces)
{
  std::vector<unsigned int> all(body.nodes.size());
  std::vector<double> masses(all.size());
  for (unsigned int i = 0; i < all.size(); ++i)
  {
    all[i] = i;
    masses[i] = body.nodes.mass(i);
  }
  return dynamic_matrix<dim>(body.nodes, all, masses, forces);
}

/// Every kick's step against LAPACK, with the masses that carry it.
template <int dim>
void
check_steps(const double displacement)
{
  for_all_bodies<dim>(
      [&](NodalBody<dim> &body, std::mt19937 &random)
      {
        displace_randomly<dim>(body, random, displacement);
        const NodalKicks<dim> &kicks = *body.kicks.nodal;
        const CriticalSteps<dim> steps(body.shared_families(), body.nodes);
        for (unsigned int k = 0; k < kicks.n_kicks(); ++k)
        {
          std::vector<Tensor<1, dim>> force;
          std::vector<double> masses;
          steps.masses(0, k, masses);
          // Where there is no stiffness there is no mass, and the other way round.
          std::vector<double> positive = masses;
          for (double &mass : positive)
            mass = mass > 0 ? mass : 1.;
          auto A = dynamic_matrix<dim>(body.nodes, kicks.support(k), positive,
                                       [&]
                                       {
                                         kicks.force(body.nodes, k, 0., force);
                                         return force;
                                       });
          const double exact = 2 / std::sqrt(largest_eigenvalue(A));
          const double step = displacement > 0 ? kicks.current_critical_step(body.nodes, k, masses)
                                               : kicks.critical_step(k, masses);
          EXPECT_LE(step, exact * (1 + 1e-8));
          EXPECT_GE(step, exact * (1 - 1e-6));
        }
      });
}

/// All masses are given away, none twice.
template <int dim>
void
check_masses()
{
  for_all_bodies<dim>(
      [](NodalBody<dim> &body, std::mt19937 &)
      {
        const auto families = body.shared_families();
        const CriticalSteps<dim> steps(families, body.nodes);
        std::vector<double> sums(body.nodes.size(), 0.), masses;
        for (unsigned int f = 0; f < families.size(); ++f)
          for (unsigned int k = 0; k < families[f]->n_kicks(); ++k)
          {
            const auto support = families[f]->support(k);
            steps.masses(f, k, masses);
            ASSERT_EQ(masses.size(), support.size());
            for (unsigned int a = 0; a < support.size(); ++a)
              sums[support[a]] += masses[a];
          }
        for (unsigned int i = 0; i < sums.size(); ++i)
          EXPECT_NEAR(sums[i], body.nodes.mass(i), 1e-12 * body.nodes.mass(i));
      });
}

/// No frequency of the whole is above the largest one of a potential.
template <int dim>
void
check_global_frequency(const double displacement)
{
  for_all_bodies<dim>(
      [&](NodalBody<dim> &body, std::mt19937 &random)
      {
        displace_randomly<dim>(body, random, displacement);
        const auto families = body.shared_families();
        const CriticalSteps<dim> steps(families, body.nodes);
        double step = std::numeric_limits<double>::infinity();
        for (unsigned int f = 0; f < families.size(); ++f)
          for (unsigned int k = 0; k < families[f]->n_kicks(); ++k)
            step = std::min(step, steps.current(body.nodes, f, k));
        auto A = global_matrix<dim>(body, [&] { return body.forces(); });
        const double global = 2 / std::sqrt(largest_eigenvalue(A));
        EXPECT_LE(step, global * (1 + 1e-8));
        EXPECT_GE(step, 0.5 * global); // not at the price of tiny steps
      });
}

/**
 * A free body has its rigid motions and no other modes without energy, nor with less than the
 * stabilisation gives them.
 */
template <int dim>
void
check_modes()
{
  for_all_bodies<dim>(
      [&](NodalBody<dim> &body, std::mt19937 &)
      {
        constexpr unsigned int n_rigid = dim * (dim + 1) / 2;
        auto A = global_matrix<dim>(body, [&] { return body.forces(); });
        auto B = global_matrix<dim>(body, [&] { return body.forces(body.families); });
        const auto values = eigenvalues(A), standard = eigenvalues(B);
        EXPECT_LT(values[n_rigid - 1], 1e-8 * values.back());
        // the stabilisation alone has alpha = 0.2 of mu, and of min(lambda, mu), where lambda = 1.5
        // mu
        EXPECT_GT(values[n_rigid], 0.2 / 1.5 * standard[n_rigid]);
      });
}
} // namespace

TEST(NodalFrequencies, CriticalStep)
{
  check_steps<2>(0.);
  check_steps<3>(0.);
}

TEST(NodalFrequencies, CriticalStepInTheCurrentState)
{
  check_steps<2>(0.05);
  check_steps<3>(0.05);
}

TEST(NodalFrequencies, MassesAddUp)
{
  check_masses<2>();
  check_masses<3>();
}

/// Masses of 1e-42, far below what single precision holds.
TEST(NodalFrequencies, AnyUnits)
{
  std::mt19937 random(7);
  auto mesh = block<3>(Shape::general, 2, random);
  const NodalBody<3> body(mesh, std::make_shared<NeoHookean<3>>(1., 1., 0.3));
  for (auto &point : mesh.points)
    point *= 1e-6;
  const NodalBody<3> scaled(mesh, std::make_shared<NeoHookean<3>>(1e-24, 1., 0.3));
  const auto steps = CriticalSteps<3>(body.shared_families(), body.nodes).reference();
  const auto scaled_steps = CriticalSteps<3>(scaled.shared_families(), scaled.nodes).reference();
  for (unsigned int k = 0; k < steps.size(); ++k)
    EXPECT_NEAR(scaled_steps[k], 1e-18 * steps[k], 1e-6 * scaled_steps[k]);
}

TEST(NodalFrequencies, BoundsTheGlobalFrequency)
{
  check_global_frequency<2>(0.);
  check_global_frequency<3>(0.);
  check_global_frequency<2>(0.05);
  check_global_frequency<3>(0.05);
}

TEST(NodalFrequencies, NoSpuriousModes)
{
  check_modes<2>();
  check_modes<3>();
}
