#ifndef KICKDRIFT_POTENTIALS_MATERIALS_PACKED_NUMBER_H
#define KICKDRIFT_POTENTIALS_MATERIALS_PACKED_NUMBER_H

#include <deal.II/base/template_constraints.h>

#include <cmath>

namespace KickDrift
{
/**
 * A number for each of four cells: `double` for laws that are evaluated for four cells at once.
 * Works as the number type of dealii::Tensor. There are no comparisons, since the cells may differ:
 * branches are written with max(), min(), abs() and if_positive(). It has the many operators that a
 * number has.
 */
class PackedNumber
{
public:
  static constexpr unsigned int size = 4; ///< how many numbers it holds

  PackedNumber() = default;

  /// The same number for all.
  PackedNumber(const double x) : values{x, x, x, x} {}

  /// The number of one cell.
  double &
  operator[](const unsigned int lane)
  {
    return values[lane];
  }
  /// The number of one cell.
  double
  operator[](const unsigned int lane) const
  {
    return values[lane];
  }

  /**
   * @name Operators and functions
   * Cell by cell.
   */
  ///@{

  /// Add the numbers of each cell.
  PackedNumber &
  operator+=(const PackedNumber &other)
  {
    for (unsigned int i = 0; i < size; ++i)
      values[i] += other.values[i];
    return *this;
  }
  PackedNumber &
  operator-=(const PackedNumber &other)
  {
    for (unsigned int i = 0; i < size; ++i)
      values[i] -= other.values[i];
    return *this;
  }
  PackedNumber &
  operator*=(const PackedNumber &other)
  {
    for (unsigned int i = 0; i < size; ++i)
      values[i] *= other.values[i];
    return *this;
  }
  PackedNumber &
  operator/=(const PackedNumber &other)
  {
    for (unsigned int i = 0; i < size; ++i)
      values[i] /= other.values[i];
    return *this;
  }

  friend PackedNumber
  operator+(PackedNumber a, const PackedNumber &b)
  {
    return a += b;
  }
  friend PackedNumber
  operator-(PackedNumber a, const PackedNumber &b)
  {
    return a -= b;
  }
  friend PackedNumber
  operator*(PackedNumber a, const PackedNumber &b)
  {
    return a *= b;
  }
  friend PackedNumber
  operator/(PackedNumber a, const PackedNumber &b)
  {
    return a /= b;
  }
  friend PackedNumber
  operator-(const PackedNumber &a)
  {
    return a.map([](const double x) { return -x; });
  }

  friend PackedNumber
  sqrt(const PackedNumber &a)
  {
    return a.map([](const double x) { return std::sqrt(x); });
  }
  friend PackedNumber
  exp(const PackedNumber &a)
  {
    return a.map([](const double x) { return std::exp(x); });
  }
  friend PackedNumber
  log(const PackedNumber &a)
  {
    return a.map([](const double x) { return std::log(x); });
  }
  friend PackedNumber
  log1p(const PackedNumber &a)
  {
    return a.map([](const double x) { return std::log1p(x); });
  }
  friend PackedNumber
  pow(const PackedNumber &a, const double exponent)
  {
    return a.map([exponent](const double x) { return std::pow(x, exponent); });
  }
  friend PackedNumber
  abs(const PackedNumber &a)
  {
    return a.map([](const double x) { return std::abs(x); });
  }
  friend PackedNumber
  max(const PackedNumber &a, const PackedNumber &b)
  {
    PackedNumber result;
    for (unsigned int i = 0; i < size; ++i)
      result.values[i] = a.values[i] < b.values[i] ? b.values[i] : a.values[i];
    return result;
  }
  friend PackedNumber
  min(const PackedNumber &a, const PackedNumber &b)
  {
    PackedNumber result;
    for (unsigned int i = 0; i < size; ++i)
      result.values[i] = b.values[i] < a.values[i] ? b.values[i] : a.values[i];
    return result;
  }

  /// a where x is positive, else b.
  friend PackedNumber
  if_positive(const PackedNumber &x, const PackedNumber &a, const PackedNumber &b)
  {
    PackedNumber result;
    for (unsigned int i = 0; i < size; ++i)
      result.values[i] = x.values[i] > 0 ? a.values[i] : b.values[i];
    return result;
  }
  ///@}

private:
  template <typename Function>
  PackedNumber
  map(const Function &function) const
  {
    PackedNumber result;
    for (unsigned int i = 0; i < size; ++i)
      result.values[i] = function(values[i]);
    return result;
  }

  alignas(32) double values[size];
};

/// a where x is positive, else b.
inline double
if_positive(const double x, const double a, const double b)
{
  return x > 0 ? a : b;
}
} // namespace KickDrift

namespace dealii
{
/// Tensors may be multiplied with packed numbers.
template <>
struct EnableIfScalar<KickDrift::PackedNumber>
{
  /// Result of a product.
  using type = KickDrift::PackedNumber;
};
} // namespace dealii

#endif
