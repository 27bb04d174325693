// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef KICKDRIFT_BASE_ENVELOPE_CHOLESKY_H
#define KICKDRIFT_BASE_ENVELOPE_CHOLESKY_H

#include <kickdrift/base/envelope.h>

namespace KickDrift
{
/**
 * Solves A x = b with a symmetric positive definite matrix of few entries by Cholesky's method.
 * Unknowns that rounding makes dependent on those before them are zero: these do for them.
 */
class EnvelopeCholesky : public Envelope
{
public:
  /// Begin with a matrix of zeros. Only unknowns for which @p takes_part [i] is not zero belong to
  /// it; shape (n).
  void begin(const std::vector<char> &takes_part);

  /// Begin with a matrix of zeros for all unknowns.
  void begin();

  /// Add to the entries (@p i, @p j) and (@p j, @p i), which are one. Both must take part and have
  /// a row of cliques in common.
  void
  add(const unsigned int i, const unsigned int j, const double value)
  {
    const unsigned int a = places[i], b = places[j];
    const Row &row = rows[a > b ? a : b];
    entries[row.diagonal - (a > b ? a - b : b - a)] += value;
  }

  /// Number of entries of the factor.
  std::size_t
  n_entries() const
  {
    return entries.size();
  }

  /// When all has been added: the matrix becomes its factor.
  void factorise();

  /// Solve for @p b, which becomes x; shape (n). What does not take part is neither read nor
  /// changed. As often as wanted, after factorise().
  void solve(std::vector<double> &b);

private:
  std::vector<double> entries, reordered;
};
} // namespace KickDrift

#endif
