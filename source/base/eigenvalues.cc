#include <kickdrift/base/eigenvalues.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
double
largest_eigenvalue(const std::vector<double> &diagonal, const std::vector<double> &off_diagonal)
{
  if (diagonal.empty())
    return 0;
  const unsigned int n = diagonal.size();
  const auto off = [&](const unsigned int i) { return std::abs(off_diagonal[i]); };
  double low = diagonal[0], high = diagonal[0]; // Gershgorin above, Rayleigh below
  for (unsigned int i = 0; i < n; ++i)
  {
    low = std::max(low, diagonal[i]);
    high = std::max(high, diagonal[i] + (i > 0 ? off(i - 1) : 0) + (i + 1 < n ? off(i) : 0));
  }
  // All pivots of T - x are negative iff x is above all eigenvalues.
  const auto is_above_all = [&](const double x)
  {
    double pivot = diagonal[0] - x;
    for (unsigned int i = 1; i < n; ++i)
    {
      if (!(pivot < 0))
        return false;
      pivot = diagonal[i] - x - off_diagonal[i - 1] * off_diagonal[i - 1] / pivot;
    }
    return pivot < 0;
  };
  while (high - low > 1e-11 * std::abs(high))
  {
    const double middle = 0.5 * (low + high);
    (is_above_all(middle) ? high : low) = middle;
  }
  return high;
}

double
largest_eigenvalue(std::vector<double> &A, const unsigned int n)
{
  std::vector<double> off_diagonal(n > 0 ? n - 1 : 0), v(n), p(n);
  for (unsigned int k = 0; k + 2 < n; ++k)
  {
    // Reflect column k below the diagonal onto its first entry.
    double norm_square = 0;
    for (unsigned int i = k + 1; i < n; ++i)
    {
      v[i] = A[k * n + i];
      norm_square += v[i] * v[i];
    }
    const double norm = std::copysign(std::sqrt(norm_square), v[k + 1]);
    off_diagonal[k] = -norm;
    const double half_square = norm * (norm + v[k + 1]); // v.v / 2 after the next line
    v[k + 1] += norm;
    if (!(half_square > 0))
      continue;
    double v_dot_p = 0;
    for (unsigned int i = k + 1; i < n; ++i)
    {
      double sum = 0;
      for (unsigned int j = k + 1; j < n; ++j)
        sum += A[i * n + j] * v[j];
      p[i] = sum / half_square;
      v_dot_p += v[i] * p[i];
    }
    for (unsigned int i = k + 1; i < n; ++i)
      p[i] -= 0.5 * v_dot_p / half_square * v[i];
    for (unsigned int i = k + 1; i < n; ++i)
      for (unsigned int j = k + 1; j < n; ++j)
        A[i * n + j] -= v[i] * p[j] + p[i] * v[j];
  }
  if (n > 1)
    off_diagonal[n - 2] = A[(n - 2) * n + n - 1];
  std::vector<double> diagonal(n);
  for (unsigned int i = 0; i < n; ++i)
    diagonal[i] = A[i * n + i];
  return largest_eigenvalue(diagonal, off_diagonal);
}
} // namespace KickDrift
