#ifndef KICKDRIFT_CONTACT_REFERENCE_COUPLED_RESPONSE_H
#define KICKDRIFT_CONTACT_REFERENCE_COUPLED_RESPONSE_H

#include <kickdrift/base/compressed_rows.h>
#include <kickdrift/contact/response/collision_response.h>

#include <utility>
#include <vector>

namespace KickDrift
{
/**
 * All contacts of an instant at once: @f$A = \nabla g^T W \nabla g@f$ over their constraints, with
 * the effective inverse masses W of the nodes (Cirak & West 2005, section 4, for many constraints).
 *
 * solve() finds @f$\lambda \ge 0@f$ with @f$A\lambda + r \ge 0@f$ and
 * @f$\lambda^T (A\lambda + r) = 0@f$. For rates r of the gaps these are the impulses that project
 * the velocities on those that let nothing approach, in the metric of kinetic energy (Moreau's
 * law of impacts); for negative depths the shifts to the nearest positions without penetration.
 *
 * Method: block principal pivoting (Portugal, Judice & Vicente 1994) with Cholesky factors in
 * envelopes, for each group of contacts that share nodes. Nodes against faces in both directions
 * and matching meshes make A singular, though velocities remain unique. So the diagonal is enlarged
 * by a share of 1e-10, which gives the impulses of (nearly) smallest norm among all that do the
 * same; constraints with a pivot that is only that large depend on the others, and the rest is
 * the rank.
 */
template <int spacedim>
class CoupledResponse
{
public:
  /// What solve() has found.
  struct Solution
  {
    std::vector<double> multipliers;   ///< lambda, by contact
    unsigned int n_active = 0;         ///< contacts in the last factorisations of all groups
    unsigned int rank = 0;             ///< of A over these
    unsigned int n_factorisations = 0; ///< of systems of groups
  };

  /// Assemble A for @p stencils, none of which is held by restraints on both sides.
  void assemble(const NodeTable<spacedim> &nodes,
                const std::vector<ContactStencil<spacedim>> &stencils);

  /// Throws dealii::ExceptionBase if pivoting does not come to an end.
  Solution solve(const std::vector<double> &rates) const;

  /// A applied to @p multipliers.
  std::vector<double> apply(const std::vector<double> &multipliers) const;

private:
  struct Entry
  {
    unsigned int column;
    double value;
  };

  class Group;

  void find_groups();

  CompressedRows<Entry> rows; ///< of A
  std::vector<double> diagonal;
  /// Contacts, those of a group one after the other, neighbours near each other.
  std::vector<unsigned int> order;
  std::vector<std::pair<unsigned int, unsigned int>> groups; ///< first and end, in order
};
} // namespace KickDrift

#endif
