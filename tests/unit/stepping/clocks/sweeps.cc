// How many sweeps solve a linear equation to the tolerance, against the iteration itself.

#include <kickdrift/stepping/clocks/sweeps.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using namespace KickDrift;

namespace
{
/// What accelerated sweeps leave of an error at most, if one alone multiplies its components by
/// numbers between -@p contraction and @p contraction.
double
left_by(const unsigned int sweeps, const double contraction)
{
  double largest = 0;
  for (double factor = -1; factor <= 1; factor += 1. / 512)
  {
    double before = 1, now = 1, weight = 1;
    for (unsigned int i = 0; i < sweeps; ++i)
    {
      weight = weight_of_sweep(i, contraction, weight);
      const double next = before + weight * (factor * contraction * now - before);
      before = now;
      now = next;
    }
    largest = std::max(largest, std::abs(now));
  }
  return largest;
}
} // namespace

TEST(Sweeps, are_as_many_as_needed)
{
  unsigned int n_of_three = 0;
  for (double contraction = 0.002; contraction < 1; contraction += 0.004)
  {
    const unsigned int sweeps = sweeps_needed(contraction);
    n_of_three += sweeps == 3;
    for (unsigned int s = 1; s <= most_sweeps; ++s) // 1/T_s(1/contraction)
      EXPECT_NEAR(left_by(s, contraction) * std::cosh(s * std::acosh(1 / contraction)), 1, 1e-9);
    if (sweeps < most_sweeps)
    {
      EXPECT_LE(left_by(sweeps, contraction), 1. / 200) << contraction;
    }
    if (sweeps > fewest_sweeps)
    {
      EXPECT_GT(left_by(sweeps - 1, contraction), 1. / 200) << contraction;
    }
  }
  EXPECT_GT(n_of_three, 30u); // between 0.1 and 0.27
  EXPECT_EQ(sweeps_needed(0.), fewest_sweeps);
  EXPECT_EQ(sweeps_needed(1.5), most_sweeps);
  EXPECT_EQ(sweeps_needed(std::nan("")), fewest_sweeps);
}

// The bound that is expected: for any spectrum between 1 and 1 + beta^2/2, relaxed for its middle.
TEST(Sweeps, are_expected)
{
  for (const double beta : {1e-200, 0.1, 0.5, 0.75, 0.9, 1.})
  {
    const double largest = 0.5 * beta * beta, middle = 1 + 0.5 * largest;
    const double contraction = std::max(1 - 1 / middle, (1 + largest) / middle - 1);
    EXPECT_EQ(expected_sweeps(beta), sweeps_needed(contraction)) << beta;
  }
  EXPECT_EQ(expected_sweeps(0.5), 2u);
  EXPECT_EQ(expected_sweeps(0.9), 3u);
}
