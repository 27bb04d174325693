#ifndef KICKDRIFT_SOURCE_CONTACT_CCD_POLYNOMIAL_H
#define KICKDRIFT_SOURCE_CONTACT_CCD_POLYNOMIAL_H

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace KickDrift
{
/// Polynomial c[0] + c[1] t + ... of a degree up to @p degree for t >= 0.
template <int degree>
class Polynomial
{
public:
  using Coefficients = std::array<double, degree + 1>;

  explicit Polynomial(const Coefficients &c) : c(c) {}

  /**
   * The first t in [0, @p end] at which the polynomial is not positive; infinity if there is none.
   * Where it comes as near to zero as its round-off, it counts as zero.
   */
  double
  first_not_positive(const double end) const
  {
    if (!(c[0] > 0))
      return 0;
    const double last = std::min(end, bound_of_roots());
    std::array<double, degree + 1> ends{};
    const unsigned int n_extrema = sign_changes_of_derivative(last, ends);
    ends[n_extrema] = last;
    double left = 0;
    for (unsigned int i = 0; i <= n_extrema; ++i)
    {
      const double value = evaluate(c, degree, ends[i]);
      if (value <= 0)
        return sign_change(c, degree, left, ends[i]);
      if (std::isfinite(value) && value <= round_off(ends[i]))
        return ends[i];
      left = ends[i];
    }
    return std::numeric_limits<double>::infinity();
  }

private:
  static double
  evaluate(const Coefficients &c, const unsigned int n, const double t)
  {
    double value = c[n];
    for (unsigned int i = n; i-- > 0;)
      value = value * t + c[i];
    return value;
  }

  double
  round_off(const double t) const
  {
    double sum = std::abs(c[degree]);
    for (unsigned int i = degree; i-- > 0;)
      sum = sum * t + std::abs(c[i]);
    return 8 * std::numeric_limits<double>::epsilon() * sum;
  }

  /// All roots are smaller than this (Fujiwara's bound); zero if there is none.
  double
  bound_of_roots() const
  {
    unsigned int n = degree;
    while (n > 0 && c[n] == 0)
      --n;
    double bound = 0;
    for (unsigned int i = 0; i < n; ++i)
      bound = std::max(bound, std::pow(std::abs(c[i] / c[n]), 1. / (n - i)));
    return std::min(2 * bound, std::numeric_limits<double>::max());
  }

  /// Where a polynomial of degree n changes sign between two points at which its signs differ.
  static double
  sign_change(const Coefficients &c, const unsigned int n, double left, double right)
  {
    const bool left_sign = evaluate(c, n, left) > 0;
    double t = 0.5 * (left + right);
    for (unsigned int i = 0; i < 200; ++i)
    {
      double value = c[n], derivative = 0;
      for (unsigned int k = n; k-- > 0;)
      {
        derivative = derivative * t + value;
        value = value * t + c[k];
      }
      ((value > 0) == left_sign ? left : right) = t;
      double next = t - value / derivative;
      // bisection, in the exponent where the interval spans many orders of magnitude
      if (!(next > left && next < right))
        next = left > 0 && right > 16 * left ? std::sqrt(left) * std::sqrt(right)
                                             : left + 0.5 * (right - left);
      const double change = std::abs(next - t);
      t = next;
      if (change <= 2e-16 * t)
        break;
    }
    return t;
  }

  /// Points in [0, last] at which the derivative changes sign: all derivatives are gone through
  /// from the linear one up, each being monotone between the sign changes of the next.
  unsigned int
  sign_changes_of_derivative(const double last, std::array<double, degree + 1> &points) const
  {
    unsigned int n_points = 0;
    for (unsigned int n = 1; n < degree; ++n)
    {
      Coefficients d{};
      for (unsigned int i = 0; i <= n; ++i)
      {
        d[i] = c[i + degree - n];
        for (unsigned int k = 1; k <= degree - n; ++k)
          d[i] *= i + k;
      }
      auto ends = points;
      ends[n_points] = last;
      const unsigned int n_intervals = n_points + 1;
      n_points = 0;
      double left = 0;
      for (unsigned int i = 0; i < n_intervals; ++i)
      {
        if ((evaluate(d, n, left) > 0) != (evaluate(d, n, ends[i]) > 0))
          points[n_points++] = sign_change(d, n, left, ends[i]);
        left = ends[i];
      }
    }
    return n_points;
  }

  const Coefficients c;
};
} // namespace KickDrift

#endif
