#include <kickdrift/base/cholesky.h>

#include <cmath>
#include <cstddef>
#include <limits>

namespace KickDrift
{
void
solve_by_cholesky(std::vector<double> &a, std::vector<double> &b)
{
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i)
  {
    const double least = n * std::numeric_limits<double>::epsilon() * a[i * n + i];
    for (std::size_t j = 0; j <= i; ++j)
    {
      double sum = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k)
        sum -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = i != j        ? sum / a[j * n + j]
                     : sum > least ? std::sqrt(sum)
                                   : std::numeric_limits<double>::infinity();
    }
    for (std::size_t k = 0; k < i; ++k)
      b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;)
  {
    for (std::size_t k = i + 1; k < n; ++k)
      b[i] -= a[k * n + i] * b[k];
    b[i] /= a[i * n + i];
  }
}
} // namespace KickDrift
