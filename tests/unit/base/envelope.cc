// SPDX-License-Identifier: LGPL-2.1-or-later
// Solvers for small systems, against products.

#include <kickdrift/base/envelope_cholesky.h>
#include <kickdrift/base/envelope_lu.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

using namespace KickDrift;

namespace
{
/// A random matrix with entries within cliques.
struct System
{
  unsigned int n;
  CompressedRows<unsigned int> cliques;
  std::vector<double> matrix; ///< shape (n, n)

  System(const unsigned int n, const unsigned int n_cliques, const unsigned int size,
         std::mt19937 &random)
      : n(n), matrix(n * n, 0.)
  {
    std::uniform_real_distribution<double> number(-1, 1);
    for (unsigned int i = 0; i < n; ++i)
      matrix[i * n + i] = 0.1;
    for (unsigned int c = 0; c < n_cliques; ++c)
    {
      std::set<unsigned int> clique;
      for (unsigned int k = 0; k < size; ++k)
        clique.insert(random() % n);
      std::vector<double> share;
      for (const unsigned int i : clique)
      {
        cliques.push_back(i);
        share.push_back(number(random));
      }
      cliques.finish_row();
      const std::vector<unsigned int> members(clique.begin(), clique.end());
      for (unsigned int i = 0; i < members.size(); ++i)
        for (unsigned int j = 0; j < members.size(); ++j)
          matrix[members[i] * n + members[j]] += share[i] * share[j];
    }
  }

  void
  give(EnvelopeCholesky &to, const std::vector<char> &takes_part) const
  {
    to.begin(takes_part);
    for (unsigned int i = 0; i < n; ++i)
      for (unsigned int j = 0; j <= i; ++j)
        if (takes_part[i] && takes_part[j] && matrix[i * n + j] != 0)
          (i + j) % 2 ? to.add(i, j, matrix[i * n + j]) : to.add(j, i, matrix[i * n + j]);
  }
};

/// Rows of three unknowns of which the last is the sum of the others: any of them may be left out.
template <typename Factor>
void
expect_one_left_out(const std::vector<double> &matrix, const std::vector<double> &given,
                    const bool adds_both_halves)
{
  Factor factor;
  CompressedRows<unsigned int> all;
  for (unsigned int i = 0; i < 3; ++i)
    all.push_back(i);
  all.finish_row();
  factor.set_pattern(3, all);
  factor.begin();
  for (unsigned int i = 0; i < 3; ++i)
    for (unsigned int j = 0; j < (adds_both_halves ? 3 : i + 1); ++j)
      factor.add(i, j, matrix[i * 3 + j]);
  factor.factorise();
  std::vector<double> x = given;
  factor.solve(x);
  for (unsigned int i = 0; i < 3; ++i)
    EXPECT_NEAR(matrix[i * 3] * x[0] + matrix[i * 3 + 1] * x[1] + matrix[i * 3 + 2] * x[2],
                given[i], 1e-14);
  EXPECT_EQ(std::count(x.begin(), x.end(), 0.), 1);
}
} // namespace

TEST(EnvelopeCholesky, SolvesWhatAProductGave)
{
  std::mt19937 random(5);
  std::uniform_real_distribution<double> number(-1, 1);
  EnvelopeCholesky cholesky;
  for (unsigned int k = 0; k < 200; ++k)
  {
    const unsigned int n = 1 + random() % 60;
    const System system(n, random() % 80, 1 + random() % (k % 10 == 0 ? n : 5), random);
    cholesky.set_pattern(n, system.cliques);
    for (unsigned int other = 0; other < 3; ++other) // some of the unknowns, of one pattern
    {
      std::vector<char> takes_part(n);
      for (char &one : takes_part)
        one = other == 0 || random() % 3 > 0;
      std::vector<double> x(n), b(n, 0.);
      for (unsigned int i = 0; i < n; ++i)
        x[i] = number(random);
      for (unsigned int i = 0; i < n; ++i)
        for (unsigned int j = 0; j < n && takes_part[i]; ++j)
          b[i] += takes_part[j] ? system.matrix[i * n + j] * x[j] : 0.;
      system.give(cholesky, takes_part);
      for (unsigned int i = 0; i < n; ++i)
        if (!takes_part[i])
          b[i] = x[i]; // stays
      cholesky.factorise();
      cholesky.solve(b);
      for (unsigned int i = 0; i < n; ++i)
        EXPECT_NEAR(b[i], x[i], 1e-11);
    }
  }
}

TEST(EnvelopeLu, SolvesWhatAProductGave)
{
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-1, 1);
  EnvelopeLu lu;
  for (unsigned int k = 0; k < 200; ++k)
  {
    const unsigned int n = 1 + random() % 60;
    System system(n, random() % 80, 1 + random() % (k % 10 == 0 ? n : 5), random);
    for (unsigned int i = 0; i < n; ++i) // its symmetric part stays
      for (unsigned int j = 0; j < i; ++j)
        if (system.matrix[i * n + j] != 0)
        {
          const double skew = number(random);
          system.matrix[i * n + j] += skew;
          system.matrix[j * n + i] -= skew;
        }
    lu.set_pattern(n, system.cliques);
    std::vector<double> x(n), b(n, 0.);
    for (double &one : x)
      one = number(random);
    lu.begin();
    for (unsigned int i = 0; i < n; ++i)
      for (unsigned int j = 0; j < n; ++j)
      {
        b[i] += system.matrix[i * n + j] * x[j];
        if (system.matrix[i * n + j] != 0)
          lu.add(i, j, system.matrix[i * n + j]);
      }
    lu.factorise();
    for (const double scale : {1., 3.}) // as often as wanted
    {
      std::vector<double> result = b;
      for (double &one : result)
        one *= scale;
      lu.solve(result);
      for (unsigned int i = 0; i < n; ++i)
        EXPECT_NEAR(result[i], scale * x[i], 1e-10);
    }
  }
}

TEST(Envelope, LeavesOutWhatDependsOnOthers)
{
  expect_one_left_out<EnvelopeCholesky>({2, 1, 3, 1, 3, 4, 3, 4, 7}, {3, 4, 7}, false);
  expect_one_left_out<EnvelopeLu>({2, 1, 3, -1, 3, 2, 1, 4, 5}, {4, 5, 9}, true);
}
