// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef KICKDRIFT_BASE_ENVELOPE_LU_H
#define KICKDRIFT_BASE_ENVELOPE_LU_H

#include <kickdrift/base/envelope.h>

namespace KickDrift
{
/**
 * Solves A x = b with a matrix of few entries, at symmetric places, by Gauss' elimination along the
 * diagonal. Without another choice of pivots it is for matrices that are not far from symmetric and
 * positive definite, and for those who see what a solution is worth. Unknowns that rounding makes
 * dependent on those before them are zero.
 */
class EnvelopeLu : public Envelope
{
public:
  /// Begin with a matrix of zeros for all unknowns.
  void begin();

  /// Add to the entry (@p i, @p j). Both must have a row of cliques in common.
  void
  add(const unsigned int i, const unsigned int j, const double value)
  {
    const unsigned int a = places[i], b = places[j];
    if (a > b)
      lower[rows[a].diagonal - (a - b)] += value;
    else
      upper[rows[b].diagonal - (b - a)] += value;
  }

  /// When all has been added: the matrix becomes its factors.
  void factorise();

  /// Solve for @p b, which becomes x; shape (n). As often as wanted, after factorise().
  void solve(std::vector<double> &b);

private:
  /// By rows, without the diagonal of ones, whose places are unused; by columns.
  std::vector<double> lower, upper;
  std::vector<double> reordered;
};
} // namespace KickDrift

#endif
