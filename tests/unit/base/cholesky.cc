// A solver for small symmetric systems, against products.

#include <kickdrift/base/cholesky.h>

#include <gtest/gtest.h>

#include <random>

using namespace KickDrift;

TEST(Cholesky, SolvesWhatAProductGave)
{
  std::mt19937 random(5);
  std::uniform_real_distribution<double> number(-1, 1);
  for (unsigned int n = 1; n < 20; ++n)
  {
    std::vector<double> factor(n * n), matrix(n * n, 0.), x(n), b(n, 0.);
    for (double &entry : factor)
      entry = number(random);
    for (double &entry : x)
      entry = number(random);
    for (unsigned int i = 0; i < n; ++i)
      for (unsigned int j = 0; j < n; ++j)
      {
        matrix[i * n + j] = i == j ? 0.1 : 0.;
        for (unsigned int k = 0; k < n; ++k)
          matrix[i * n + j] += factor[i * n + k] * factor[j * n + k];
        b[i] += matrix[i * n + j] * x[j];
      }
    solve_by_cholesky(matrix, b);
    for (unsigned int i = 0; i < n; ++i)
      EXPECT_NEAR(b[i], x[i], 1e-12);
  }
}

TEST(Cholesky, LeavesOutWhatDependsOnOthers)
{
  // the third row is the sum of the first two
  std::vector<double> matrix = {2, 1, 3, 1, 3, 4, 3, 4, 7}, b = {3, 4, 7};
  solve_by_cholesky(matrix, b);
  EXPECT_NEAR(b[0], 1, 1e-14);
  EXPECT_NEAR(b[1], 1, 1e-14);
  EXPECT_EQ(b[2], 0);
}
