// Accelerated iterations against the fixed point of an affine map.

#include <kickdrift/base/fixed_point_acceleration.h>

#include <gtest/gtest.h>

#include <cmath>

using namespace KickDrift;

namespace
{
/// The Jacobi iteration for (2 + shift) x_i - x_{i-1} - x_{i+1} = 1, which converges slowly.
std::vector<double>
image_of(const std::vector<double> &x, const double shift)
{
  std::vector<double> image(x.size());
  for (unsigned int i = 0; i < x.size(); ++i)
    image[i] = (1 + (i > 0 ? x[i - 1] : 0) + (i + 1 < x.size() ? x[i + 1] : 0)) / (2 + shift);
  return image;
}

double
change(const std::vector<double> &a, const std::vector<double> &b)
{
  double largest = 0;
  for (unsigned int i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

/// How many images it takes; x is the fixed point afterwards.
unsigned int
iterations(std::vector<double> &x, const unsigned int depth)
{
  FixedPointAcceleration acceleration(depth);
  for (unsigned int n = 1; n < 10000; ++n)
  {
    auto image = image_of(x, 0);
    const bool is_last = change(image, x) < 1e-12;
    if (depth > 0)
      acceleration.extrapolate(x, image);
    x = image;
    if (is_last)
      return n;
  }
  return 10000;
}
} // namespace

TEST(FixedPointAcceleration, finds_the_fixed_point_in_fewer_steps)
{
  constexpr unsigned int n = 15;
  std::vector<double> plain(n, 0), accelerated(n, 0);
  const unsigned int n_plain = iterations(plain, 0), n_accelerated = iterations(accelerated, 5);
  EXPECT_LT(5 * n_accelerated, n_plain);
  for (unsigned int i = 0; i < n; ++i)
    EXPECT_NEAR(accelerated[i], 0.5 * (i + 1) * (n - i), 1e-9); // x'' = -1 between zeros
}

// An affine map of m dimensions is known after m + 1 points.
TEST(FixedPointAcceleration, is_exact_once_all_directions_are_known)
{
  FixedPointAcceleration acceleration(4);
  std::vector<double> x{1, -2, 0.5};
  for (unsigned int k = 0; k < 4; ++k)
  {
    auto image = image_of(x, 0.3);
    acceleration.extrapolate(x, image);
    x = image;
  }
  EXPECT_LT(change(image_of(x, 0.3), x), 1e-10);
}

TEST(FixedPointAcceleration, stays_at_a_fixed_point_and_forgets_what_grows)
{
  FixedPointAcceleration acceleration(3);
  const std::vector<double> fixed{1, 2};
  for (unsigned int k = 0; k < 3; ++k)
  {
    auto image = fixed;
    acceleration.extrapolate(fixed, image);
    EXPECT_EQ(image, fixed);
  }
  std::vector<double> far{10, 20}; // a change that is not like any before
  acceleration.extrapolate(fixed, far);
  EXPECT_EQ(far, (std::vector<double>{10, 20}));
}
