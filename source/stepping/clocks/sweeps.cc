#include <kickdrift/stepping/clocks/sweeps.h>

#include <cmath>

namespace KickDrift
{
unsigned int
sweeps_needed(const double contraction)
{
  constexpr double improvement = 200;
  unsigned int sweeps = fewest_sweeps;
  while (sweeps < most_sweeps && contraction > 0 &&
         !(std::cosh(sweeps * std::acosh(1 / contraction)) >= improvement))
    ++sweeps;
  return sweeps;
}

double
weight_of_sweep(const unsigned int n, const double contraction, const double last)
{
  if (n == 0)
    return 1;
  const double square = contraction * contraction;
  return n == 1 ? 2 / (2 - square) : 1 / (1 - 0.25 * square * last);
}

unsigned int
expected_sweeps(const double beta)
{
  return sweeps_needed(beta * beta / (4 + beta * beta));
}
} // namespace KickDrift
