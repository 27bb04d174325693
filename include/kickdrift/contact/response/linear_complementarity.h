// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef KICKDRIFT_CONTACT_RESPONSE_LINEAR_COMPLEMENTARITY_H
#define KICKDRIFT_CONTACT_RESPONSE_LINEAR_COMPLEMENTARITY_H

#include <kickdrift/base/compressed_rows.h>
#include <kickdrift/base/envelope_cholesky.h>

#include <map>
#include <vector>

namespace KickDrift
{
/**
 * x >= 0, A x >= b, and of each unknown one of the two with equality; A is symmetric, positive
 * semidefinite and has few entries. So are the impulses of contacts without friction found.
 *
 * Contacts are often nearly dependent on each other: a node lies on a face, and nodes of that face
 * on the node's own faces. So a proximal term is added to the diagonal, and solutions approach one
 * of the original problem (Rockafellar 1976); dependent contacts share what they bear. For each of
 * these problems the unknowns that are not zero are searched for: all that are wrong change at
 * once, and where that goes round in circles one by one, always downhill (Lawson & Hanson 1974,
 * chapter 23). Their matrix is not factorised for each change, but bordered by what has changed
 * (Gill, Murray, Saunders & Wright 1990) until another factor is cheaper.
 */
class LinearComplementarity
{
public:
  /// One entry of the matrix.
  struct Entry
  {
    unsigned int column; ///< its column
    double value;        ///< its value
  };

  /// @param matrix with positive diagonal entries
  /// @param cliques unknowns of which any two may have an entry with each other
  void set_matrix(CompressedRows<Entry> matrix, CompressedRows<unsigned int> cliques);

  /// Add A @p x to @p result.
  void add_product(const std::vector<double> &x, std::vector<double> &result) const;

  /**
   * Solve. With the same matrix again, the search begins with what the last one has found.
   * @param b right-hand side
   * @param tolerance by which A x may be less than @p b, and from where on x counts as zero where
   * it is divided by the diagonal of A
   * @param x where to begin, and the solution, no entry of which is negative
   * @return whether it was found; otherwise x is as it was
   */
  bool solve(const std::vector<double> &b, double tolerance, std::vector<double> &x);

private:
  using Vector = std::vector<double>;

  double residual(const Vector &b, const Vector &x, unsigned int row) const;
  /// The solution for the present center: is it found?
  bool search(const Vector &b, double tolerance, Vector &x);
  bool descend(const Vector &b, const Vector &right_side, double tolerance, Vector &x);
  void solve_active(Vector &x);
  void factorise();
  const Vector &column(unsigned int unknown);

  CompressedRows<Entry> matrix;
  Vector diagonal;
  std::vector<char> is_active; ///< by unknown; empty: there is no first guess
  std::vector<char> is_in_factor;
  EnvelopeCholesky factor;
  unsigned int most_changes = 0; ///< for which bordering is cheaper than another factor
  /// Of unknowns that have changed, solved for by the factor: their columns of the matrix if they
  /// are not in it, unit vectors if they are.
  std::map<unsigned int, Vector> columns;
};
} // namespace KickDrift

#endif
