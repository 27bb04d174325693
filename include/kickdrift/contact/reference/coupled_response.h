#ifndef KICKDRIFT_CONTACT_REFERENCE_COUPLED_RESPONSE_H
#define KICKDRIFT_CONTACT_REFERENCE_COUPLED_RESPONSE_H

#include <kickdrift/contact/response/collision_response.h>
#include <kickdrift/contact/response/linear_complementarity.h>

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
 * Nodes against faces in both directions and matching meshes make A singular. Velocities are unique
 * all the same; how dependent contacts share what they bear LinearComplementarity says.
 */
template <int spacedim>
class CoupledResponse
{
public:
  /// Assemble A for @p stencils, none of which is held by restraints on both sides.
  void assemble(const NodeTable<spacedim> &nodes,
                const std::vector<ContactStencil<spacedim>> &stencils);

  /// Multipliers lambda, by contact. Throws dealii::ExceptionBase if they are not found.
  std::vector<double> solve(const std::vector<double> &rates);

  /// A applied to @p multipliers.
  std::vector<double> apply(const std::vector<double> &multipliers) const;

private:
  LinearComplementarity problem;
};
} // namespace KickDrift

#endif
