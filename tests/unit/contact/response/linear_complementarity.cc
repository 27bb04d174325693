// SPDX-License-Identifier: LGPL-2.1-or-later
// Linear complementarity problems of dependent contacts, against their own conditions and against
// projected Gauss-Seidel sweeps.

#include <kickdrift/contact/response/linear_complementarity.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

using namespace KickDrift;

namespace
{
/// Rows between neighbours on a line of masses, some of them nearly twice.
struct Problem
{
  unsigned int n;
  std::vector<double> matrix; ///< shape (n, n)
  LinearComplementarity solver;

  Problem(const unsigned int n, const double differ, std::mt19937 &random) : n(n), matrix(n * n, 0.)
  {
    std::uniform_real_distribution<double> number(-1, 1);
    const unsigned int n_masses = n / 2 + 4;
    std::vector<std::vector<double>> rows(n, std::vector<double>(n_masses, 0.));
    CompressedRows<unsigned int> cliques;
    std::vector<unsigned int> first(n);
    for (unsigned int i = 0; i < n; ++i)
    {
      const bool is_copy = i > 0 && i % 3 == 0;
      first[i] = is_copy ? first[i - 1] : random() % (n_masses - 3);
      for (unsigned int k = first[i]; k < first[i] + 4; ++k)
        rows[i][k] = is_copy ? rows[i - 1][k] + differ * number(random) : number(random);
    }
    for (unsigned int m = 0; m < n_masses; ++m)
    {
      for (unsigned int i = 0; i < n; ++i)
        if (first[i] <= m && m < first[i] + 4)
          cliques.push_back(i);
      cliques.finish_row();
    }
    CompressedRows<LinearComplementarity::Entry> entries;
    for (unsigned int i = 0; i < n; ++i)
    {
      for (unsigned int j = 0; j < n; ++j)
      {
        for (unsigned int m = 0; m < n_masses; ++m)
          matrix[i * n + j] += rows[i][m] * rows[j][m];
        if (first[i] < first[j] + 4 && first[j] < first[i] + 4)
          entries.push_back({j, matrix[i * n + j]});
      }
      entries.finish_row();
    }
    solver.set_matrix(std::move(entries), std::move(cliques));
  }

  double
  product(const unsigned int i, const std::vector<double> &x) const
  {
    double sum = 0;
    for (unsigned int j = 0; j < n; ++j)
      sum += matrix[i * n + j] * x[j];
    return sum;
  }

  std::vector<double>
  swept(const std::vector<double> &b, const unsigned int n_sweeps) const
  {
    std::vector<double> x(n, 0.);
    for (unsigned int s = 0; s < n_sweeps; ++s)
      for (unsigned int i = 0; i < n; ++i)
        x[i] = std::max(0., x[i] + (b[i] - product(i, x)) / matrix[i * n + i]);
    return x;
  }
};

std::vector<double>
random_vector(const unsigned int n, std::mt19937 &random)
{
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<double> result(n);
  for (double &value : result)
    value = number(random);
  return result;
}
} // namespace

TEST(LinearComplementarity, IsSolvedWithDependentRows)
{
  std::mt19937 random(1);
  // rows that differ little are what the proximal term takes longest for
  for (const auto &[differ, tolerance] :
       {std::make_pair(0., 1e-9), {1e-8, 1e-9}, {1e-4, 1e-6}, {0.3, 1e-9}})
    for (const unsigned int n : {1, 2, 5, 20, 120})
    {
      Problem problem(n, differ, random);
      // rates that some motion takes away exist for any right-hand side: that of free masses, whose
      // dependent rows do not contradict each other
      const std::vector<double> cause = random_vector(n, random);
      std::vector<double> b(n);
      for (unsigned int i = 0; i < n; ++i)
        b[i] = problem.product(i, cause);
      std::vector<double> x(n, 0.);
      for (unsigned int step = 0; step < 6; ++step)
      {
        // a few other ones at a time, with the same matrix: what has changed is bordered
        for (unsigned int k = 0; k < 1 + n / 40 && step > 0; ++k)
        {
          const unsigned int j = random() % n;
          for (unsigned int i = 0; i < n; ++i)
            b[i] += (step % 2 ? 1. : -1.5) * problem.matrix[i * n + j];
        }
        ASSERT_TRUE(problem.solver.solve(b, tolerance, x)) << n << " " << differ << " " << step;
        double slack = 0;
        for (unsigned int i = 0; i < n; ++i)
        {
          const double rate = problem.product(i, x) - b[i];
          EXPECT_GE(x[i], 0);
          EXPECT_GT(rate, -10 * tolerance) << n << " " << differ << " " << step;
          if (x[i] * problem.matrix[i * n + i] > 10 * tolerance)
            slack = std::max(slack, rate);
        }
        EXPECT_LT(slack, 10 * tolerance) << n << " " << differ << " " << step;
        if (differ == 0. || differ == 0.3)
        {
          const std::vector<double> swept = problem.swept(b, 20000);
          for (unsigned int i = 0; i < n; ++i)
            EXPECT_NEAR(problem.product(i, x), problem.product(i, swept), 1e-4)
                << n << " " << differ << " " << step;
        }
      }
    }
}

TEST(LinearComplementarity, DependentOnesShareAlike)
{
  CompressedRows<LinearComplementarity::Entry> matrix;
  CompressedRows<unsigned int> cliques;
  for (unsigned int i = 0; i < 3; ++i)
  {
    for (unsigned int j = 0; j < 3; ++j)
      matrix.push_back({j, 2.});
    matrix.finish_row();
    cliques.push_back(i);
  }
  cliques.finish_row();
  LinearComplementarity solver;
  solver.set_matrix(std::move(matrix), std::move(cliques));
  std::vector<double> x(3, 0.);
  ASSERT_TRUE(solver.solve({6., 6., 6.}, 1e-10, x));
  for (const double value : x)
    EXPECT_NEAR(value, 1., 1e-6);
  // the one that asks for more bears alone
  ASSERT_TRUE(solver.solve({6., 8., 6.}, 1e-10, x));
  EXPECT_NEAR(x[0], 0., 1e-6);
  EXPECT_NEAR(x[1], 4., 1e-6);
  // and nobody if nothing is asked for
  ASSERT_TRUE(solver.solve({-1., -1., -1.}, 1e-10, x));
  EXPECT_EQ(x, std::vector<double>(3, 0.));
}
