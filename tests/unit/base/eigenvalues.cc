// The largest eigenvalue of symmetric matrices with known eigenvalues.

#include <kickdrift/base/eigenvalues.h>

#include <gtest/gtest.h>

#include <cmath>

using KickDrift::largest_eigenvalue;

TEST(LargestEigenvalue, of_a_chain_of_springs)
{
  // diagonal 2, beside it -1: 2 - 2 cos(k pi / (n + 1))
  for (const unsigned int n : {1u, 2u, 5u, 40u})
  {
    const std::vector<double> diagonal(n, 2.), off_diagonal(n - 1, -1.);
    const double exact = 2 - 2 * std::cos(n * M_PI / (n + 1)),
                 found = largest_eigenvalue(diagonal, off_diagonal);
    EXPECT_LE(found, exact * (1 + 1.1e-11)) << n;
    EXPECT_GE(found, exact * (1 - 1e-14)) << n;
    std::vector<double> matrix(n * n, 0.);
    for (unsigned int i = 0; i < n; ++i)
    {
      matrix[i * n + i] = 2;
      if (i + 1 < n)
        matrix[i * n + i + 1] = matrix[(i + 1) * n + i] = -1;
    }
    EXPECT_NEAR(largest_eigenvalue(matrix, n), exact, 1e-10) << n;
  }
}

TEST(LargestEigenvalue, of_a_full_matrix)
{
  // a + b on the diagonal, b beside it: a + n b, and a in all other directions
  constexpr unsigned int n = 7;
  std::vector<double> matrix(n * n, 0.5);
  for (unsigned int i = 0; i < n; ++i)
    matrix[i * n + i] += 3;
  EXPECT_NEAR(largest_eigenvalue(matrix, n), 3 + n * 0.5, 1e-10);
}

TEST(LargestEigenvalue, may_be_negative_or_zero)
{
  EXPECT_NEAR(largest_eigenvalue({-3., -2.}, {0.}), -2, 1e-10);
  EXPECT_EQ(largest_eigenvalue({0., 0., 0.}, {0., 0.}), 0);
  EXPECT_EQ(largest_eigenvalue(std::vector<double>(), std::vector<double>()), 0);
}

// Also where both are the same but for rounding, as those of a cell that has only been turned.
TEST(LargestEigenvalue, of_tensors)
{
  for (unsigned int i = 0; i < 1000; ++i)
  {
    const double angle = 0.37 * i, large = 1 + (i % 3) * 1e-9, small = 1 - (i % 3) * 0.1;
    dealii::Tensor<2, 2> F;
    F[0][0] = large * std::cos(angle);
    F[0][1] = -small * std::sin(angle);
    F[1][0] = large * std::sin(angle);
    F[1][1] = small * std::cos(angle);
    EXPECT_NEAR(largest_eigenvalue(symmetrize(transpose(F) * F)), large * large, 1e-15);
    EXPECT_NEAR(largest_eigenvalue(symmetrize(F * transpose(F))), large * large, 1e-15);
  }
}
