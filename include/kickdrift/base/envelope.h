// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef KICKDRIFT_BASE_ENVELOPE_H
#define KICKDRIFT_BASE_ENVELOPE_H

#include <kickdrift/base/compressed_rows.h>

#include <cstddef>
#include <vector>

namespace KickDrift
{
/**
 * Where a square matrix of few entries, at places that are symmetric, has its entries, and an order
 * of its unknowns that keeps them near the diagonal (Cuthill & McKee 1969, reversed as by George
 * 1971): from the first one of a row to the diagonal, which is where triangular factors have
 * theirs.
 *
 * For the small and changing systems of contacts and dashpots, whose solutions must have the same
 * bits on any number of threads, which BLAS does not promise.
 */
class Envelope
{
public:
  /// Find an order for @p n unknowns, of which those of one row of @p cliques may have entries with
  /// each other.
  void set_pattern(unsigned int n, CompressedRows<unsigned int> cliques);

  /// Number of unknowns that take part.
  unsigned int
  n_rows() const
  {
    return rows.size();
  }

protected:
  /// One of the matrix, from its first entry to the diagonal.
  struct Row
  {
    unsigned int first;   ///< place of the first entry
    unsigned int unknown; ///< whose it is
    std::size_t diagonal; ///< in entries
  };

  /// Only unknowns for which @p takes_part [i] is not zero belong to the matrix; shape (n). Returns
  /// the number of entries up to the diagonal.
  std::size_t begin_rows(const std::vector<char> &takes_part);

  /// Number of unknowns of the pattern.
  unsigned int
  n_unknowns() const
  {
    return order.size();
  }

  std::vector<unsigned int> places; ///< of unknowns that take part, among these in order
  std::vector<Row> rows;            ///< by place

private:
  unsigned int furthest_from(unsigned int unknown);
  void number_from(unsigned int unknown);

  CompressedRows<unsigned int> cliques;
  CompressedRows<unsigned int> cliques_of; ///< by unknown
  std::vector<unsigned int> order;         ///< unknowns
  // of set_pattern()
  std::vector<unsigned int> n_neighbours, found;
  std::vector<char> is_found, is_clique_done;
};
} // namespace KickDrift

#endif
