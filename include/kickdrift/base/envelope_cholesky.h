// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef KICKDRIFT_BASE_ENVELOPE_CHOLESKY_H
#define KICKDRIFT_BASE_ENVELOPE_CHOLESKY_H

#include <kickdrift/base/compressed_rows.h>

#include <cstddef>
#include <vector>

namespace KickDrift
{
/**
 * Solves A x = b with a symmetric positive definite matrix of few entries by Cholesky's method.
 * Entries are kept from the first one of a row to its diagonal, which is where the factor has
 * its own; an order of the unknowns keeps that narrow (Cuthill & McKee 1969, reversed as by George
 * 1971). Unknowns that rounding makes dependent on those before them in that order are zero: these
 * do for them.
 *
 * For the small and changing systems of contacts and dashpots, whose solutions must have the same
 * bits on any number of threads, which BLAS does not promise.
 */
class EnvelopeCholesky
{
public:
  /// Find an order for @p n unknowns, of which those of one row of @p cliques may have entries with
  /// each other.
  void set_pattern(unsigned int n, CompressedRows<unsigned int> cliques);

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

  /// Number of unknowns that take part.
  unsigned int
  n_rows() const
  {
    return rows.size();
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
  /// One of the matrix, from its first entry to the diagonal.
  struct Row
  {
    unsigned int first;   ///< place of the first entry
    unsigned int unknown; ///< whose it is
    std::size_t diagonal; ///< in entries
  };

  unsigned int furthest_from(unsigned int unknown);
  void number_from(unsigned int unknown);

  CompressedRows<unsigned int> cliques;
  CompressedRows<unsigned int> cliques_of; ///< by unknown
  std::vector<unsigned int> order;         ///< unknowns
  std::vector<unsigned int> places;        ///< of unknowns that take part, among these in order
  std::vector<Row> rows;                   ///< by place
  std::vector<double> entries, reordered;
  // of set_pattern()
  std::vector<unsigned int> n_neighbours, found;
  std::vector<char> is_found, is_clique_done;
};
} // namespace KickDrift

#endif
