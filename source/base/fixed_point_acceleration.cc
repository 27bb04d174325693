#include <kickdrift/base/fixed_point_acceleration.h>

#include <cmath>
#include <cstddef>

namespace KickDrift
{
namespace
{
/// Four sums at once, so that additions need not wait for each other.
double
product(const std::vector<double> &a, const std::vector<double> &b)
{
  double sums[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= a.size(); i += 4)
    for (unsigned int lane = 0; lane < 4; ++lane)
      sums[lane] += a[i + lane] * b[i + lane];
  for (; i < a.size(); ++i)
    sums[0] += a[i] * b[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// Write a - b to the result.
void
subtract(const std::vector<double> &a, const std::vector<double> &b, std::vector<double> &result)
{
  result.resize(a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    result[i] = a[i] - b[i];
}
} // namespace

FixedPointAcceleration::FixedPointAcceleration(const unsigned int depth)
    : depth(depth),
      differences(depth),
      products(depth * depth),
      factor(depth * depth),
      coefficients(depth)
{
}

void
FixedPointAcceleration::restart()
{
  n_differences = next = 0;
  has_last = false;
}

void
FixedPointAcceleration::extrapolate(const std::vector<double> &point, std::vector<double> &image)
{
  constexpr double largest_growth = 3;
  subtract(image, point, change);
  if (has_last &&
      product(change, change) > largest_growth * largest_growth * product(last_change, last_change))
    restart();
  if (has_last)
    add_difference(image);
  has_last = true;
  last_image = image;
  last_change.swap(change);
  if (n_differences == 0 || !solve())
    return;
  for (unsigned int j = 0; j < n_differences; ++j)
    for (std::size_t i = 0; i < image.size(); ++i)
      image[i] -= coefficients[j] * differences[j].image[i];
}

void
FixedPointAcceleration::add_difference(const std::vector<double> &image)
{
  Difference &newest = differences[next];
  subtract(image, last_image, newest.image);
  subtract(change, last_change, newest.change);
  if (n_differences < depth)
    ++n_differences;
  for (unsigned int j = 0; j < n_differences; ++j)
    products[j * depth + next] = products[next * depth + j] =
        product(differences[j].change, newest.change);
  next = (next + 1) % depth;
}

/// By Cholesky's method.
bool
FixedPointAcceleration::solve()
{
  // of the normal equations, beyond which differences are not independent
  constexpr double smallest_pivot = 1e-10;
  for (unsigned int j = 0; j < n_differences; ++j)
  {
    for (unsigned int i = j; i < n_differences; ++i)
    {
      double sum = products[i * depth + j];
      for (unsigned int k = 0; k < j; ++k)
        sum -= factor[i * depth + k] * factor[j * depth + k];
      if (i == j && !(sum > smallest_pivot * products[j * depth + j]))
      {
        n_differences = next = 0;
        return false;
      }
      factor[i * depth + j] = i == j ? std::sqrt(sum) : sum / factor[j * depth + j];
    }
  }
  for (unsigned int j = 0; j < n_differences; ++j)
  {
    double sum = product(differences[j].change, last_change);
    for (unsigned int k = 0; k < j; ++k)
      sum -= factor[j * depth + k] * coefficients[k];
    coefficients[j] = sum / factor[j * depth + j];
  }
  for (unsigned int j = n_differences; j-- > 0;)
  {
    for (unsigned int k = j + 1; k < n_differences; ++k)
      coefficients[j] -= factor[k * depth + j] * coefficients[k];
    coefficients[j] /= factor[j * depth + j];
  }
  return true;
}
} // namespace KickDrift
