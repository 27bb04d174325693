// Random numbers that are the same on each platform: only operations that IEEE rounds exactly.
#ifndef KICKDRIFT_TESTS_SCENES_RANDOM_H
#define KICKDRIFT_TESTS_SCENES_RANDOM_H

#include "scenes/vectors.h"

#include <cstdint>
#include <random>

namespace Scenes
{
/// Columns of a rotation.
template <int dim>
struct Frame
{
  Vec<dim> columns[dim];

  Vec<dim> &
  operator[](const unsigned int d)
  {
    return columns[d];
  }
  const Vec<dim> &
  operator[](const unsigned int d) const
  {
    return columns[d];
  }
};

template <int dim>
Vec<dim>
rotate(const Frame<dim> &frame, const Vec<dim> &x)
{
  Vec<dim> sum;
  for (int d = 0; d < dim; ++d)
    sum = sum + x[d] * frame[d];
  return sum;
}

template <int dim>
Frame<dim>
no_rotation()
{
  Frame<dim> frame;
  for (int d = 0; d < dim; ++d)
    frame[d][d] = 1;
  return frame;
}

/// The standard fixes the engine, but not its distributions.
class Random
{
public:
  explicit Random(const std::uint64_t seed) : engine(seed) {}

  /// In [0, 1): the upper 53 bits.
  double
  unit()
  {
    return static_cast<double>(engine() >> 11) * 0x1p-53;
  }

  double
  uniform(const double from, const double to)
  {
    return from + unit() * (to - from);
  }

  /// In [0, n).
  unsigned int
  below(const unsigned int n)
  {
    return static_cast<unsigned int>(unit() * n);
  }

  /// In [from, to].
  unsigned int
  between(const unsigned int from, const unsigned int to)
  {
    return from + below(to - from + 1);
  }

  bool
  chance(const double probability)
  {
    return unit() < probability;
  }

  /// Spread over decades, without exp(), whose last bit is the library's: a power of two times what
  /// is uniform between it and the next one, drawn again until it is between the two.
  double
  log_uniform(const double from, const double to)
  {
    const int lowest = std::ilogb(from), highest = std::ilogb(to);
    for (;;)
    {
      const int exponent = lowest + static_cast<int>(below(highest - lowest + 1));
      const double value = std::ldexp(1 + unit(), exponent);
      if (value >= from && value <= to)
        return value;
    }
  }

  /// Uniform in the ball of radius one, not near its centre.
  template <int n>
  Vec<n>
  in_ball()
  {
    for (;;)
    {
      Vec<n> x;
      for (int d = 0; d < n; ++d)
        x[d] = uniform(-1, 1);
      if (dot(x, x) <= 1 && dot(x, x) > 1e-2)
        return x;
    }
  }

  template <int n>
  Vec<n>
  direction()
  {
    const Vec<n> x = in_ball<n>();
    return (1 / norm(x)) * x;
  }

  /// All rotations alike.
  template <int dim>
  Frame<dim>
  rotation()
  {
    if constexpr (dim == 2)
    {
      const Vec<2> x = direction<2>();
      return {{x, {{-x[1], x[0]}}}};
    }
    else
      return of_quaternion(direction<4>());
  }

  /// By an angle up to about @p largest, which is below one.
  template <int dim>
  Frame<dim>
  small_rotation(const double largest)
  {
    const double half = largest / 2;
    Vec<4> q{{1, 0, 0, 0}};
    for (unsigned int d = dim == 2 ? 3 : 1; d < 4; ++d)
      q[d] = uniform(-half, half);
    q = (1 / norm(q)) * q;
    const Frame<3> space = of_quaternion(q);
    Frame<dim> frame;
    for (int d = 0; d < dim; ++d)
      for (int e = 0; e < dim; ++e)
        frame[d][e] = space[d][e];
    return frame;
  }

  /// A spin about any axis, in the plane about the third one [1/time].
  template <int dim>
  Vec<3>
  spin(const double largest)
  {
    if constexpr (dim == 2)
      return {{0, 0, uniform(-largest, largest)}};
    else
      return largest * in_ball<3>();
  }

private:
  static Frame<3>
  of_quaternion(const Vec<4> &q)
  {
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    return {{{{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)}},
             {{2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)}},
             {{2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}}}};
  }

  std::mt19937_64 engine;
};
} // namespace Scenes

#endif
