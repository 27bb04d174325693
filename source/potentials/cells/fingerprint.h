#ifndef KICKDRIFT_SOURCE_POTENTIALS_CELLS_FINGERPRINT_H
#define KICKDRIFT_SOURCE_POTENTIALS_CELLS_FINGERPRINT_H

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace KickDrift
{
/**
 * Fingerprint of everything that the critical step depends on, equal for cells that agree to about
 * 1e-10: more than the round-off in equal cells, far less than the margin of the step. 128 bits, so
 * that different cells never share one.
 *
 * What is mixed in are rounded numbers. Steps are calculated from these, not from those of one of
 * the cells with the fingerprint, so that they do not depend on which of them comes first.
 */
class Fingerprint
{
public:
  /// Round numbers, which are compared with the largest of them, and mix in what they are then.
  template <typename Iterator>
  void
  add(const Iterator begin, const Iterator end)
  {
    double largest = 0;
    for (Iterator i = begin; i != end; ++i)
      largest = std::max(largest, std::abs(*i));
    int exponent;
    std::frexp(1.23 * largest, &exponent); // lengths are often powers of two: do not jump there
    mix(exponent);
    for (Iterator i = begin; i != end; ++i)
    {
      const long long rounded = std::llround(std::ldexp(*i, 34 - exponent));
      mix(rounded);
      *i = std::ldexp(static_cast<double>(rounded), exponent - 34);
    }
  }

  bool
  operator==(const Fingerprint &other) const
  {
    return state == other.state;
  }

  struct Hash
  {
    std::size_t
    operator()(const Fingerprint &f) const
    {
      return f.state[0];
    }
  };

private:
  void
  mix(const std::uint64_t value)
  {
    const std::uint64_t multipliers[2] = {0x9e3779b97f4a7c15, 0xd1b54a32d192ed03};
    for (unsigned int i = 0; i < 2; ++i)
    {
      state[i] = (state[i] ^ value) * multipliers[i];
      state[i] ^= state[i] >> 29;
    }
  }

  std::array<std::uint64_t, 2> state = {{1, 2}};
};
} // namespace KickDrift

#endif
