#ifndef KICKDRIFT_CONTACT_MASSLESS_EQUILIBRIUM_H
#define KICKDRIFT_CONTACT_MASSLESS_EQUILIBRIUM_H

#include <kickdrift/contact/massless/layer.h>
#include <kickdrift/contact/massless/parameters.h>
#include <kickdrift/contact/massless/sweeps.h>

#include <cstdint>
#include <vector>

namespace KickDrift
{
/**
 * The equilibrium of massless nodes: s where
 * @f[ \hat V(q) = \min_s V(q, s) \quad\text{subject to}\quad g_c(q, s) \ge 0 @f]
 * is attained, and the contact forces, the multipliers of the gaps.
 *
 * Newton's method around MasslessSweeps with the blocks that the layer has; it starts from the
 * present positions and forces.
 *
 * Contacts may have a compliance: a gap is @f$g_c = -\epsilon C_c \lambda_c@f$ where there is a
 * force, with @f$C_c@f$ the mean diagonal entry of @f$D_s^{-1}@f$ for the contactor s. While blocks
 * are kept, that does not depend on positions, and @f$\hat V@f$ is still a potential, with
 * @f$\frac{1}{2} \epsilon C_c \lambda_c^2@f$ for each contact (Moreau-Yosida). Contacts with
 * obstacles have none: only one side is tested there.
 *
 * With friction a node has an anchor on its target, and a force t across the normal that keeps it
 * there, up to the compliance, as far as @f$|t| \le \mu\lambda@f$ (Coulomb's law). The reaction is
 * at the anchor. While nodes stick, that is a constraint of the potential like any other.
 */
template <int spacedim>
class MasslessEquilibrium
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;
  /// What is remembered of the pairs of the targets.
  using Memories = typename MasslessTargets<spacedim>::Memories;

  /// What a solution took.
  struct Effort
  {
    unsigned int iterations = 0; ///< of Newton's method
    unsigned int sweeps = 0;     ///< of all iterations
    bool has_converged = false;  ///< within the tolerance
    double penetration = 0;      ///< deepest at the end, compliance included [length]
    double energy = 0;           ///< of the compliance of contacts [energy]
  };

  /// @p layer and @p targets must outlive the object. @param length of the cells [length]
  MasslessEquilibrium(const MasslessLayer<spacedim> &layer,
                      const MasslessTargets<spacedim> &targets,
                      const MasslessParameters &parameters, double length);

  /**
   * Move the massless nodes of @p nodes, which are all at @p time, to the equilibrium, and set the
   * contact forces in @p memories.
   */
  Effort solve(NodeTable<spacedim> &nodes, double time, Memories &memories) const;

  /// Slip that the compliance of a contact of the last solve() takes, by its number [length].
  Vector
  elastic_slip(const unsigned int contact, const Memories &memories) const
  {
    return -sweeps.compliance(contact) * memories[found[contact].pair].friction;
  }

  /// Does a contact of the last solve() slip?
  bool
  slips(const unsigned int contact, const Memories &memories) const
  {
    const auto &memory = memories[found[contact].pair];
    return memory.friction.norm() >= (1 - 1e-9) * found[contact].friction * memory.force;
  }

  /// Gaps of the last solve().
  const std::vector<MasslessContact<spacedim>> &
  contacts() const
  {
    return found;
  }

private:
  using Contact = MasslessContact<spacedim>;
  using Memory = MasslessContactMemory<spacedim>;

  unsigned int sweep_until(double small) const;
  double largest_motion() const;
  void read_forces(Memories &memories) const;
  /// The deepest, with this share of the motions.
  double penetration(double share) const;
  double energy(const Memories &memories) const;

  const MasslessLayer<spacedim> &layer;
  const MasslessTargets<spacedim> &targets;
  const MasslessParameters parameters;
  const double length;

  // What a solution writes down for itself.
  mutable std::vector<MasslessContact<spacedim>> found;
  mutable MasslessSweeps<spacedim> sweeps;
  mutable std::vector<Vector> forces; ///< by member, without those of contact [force]
  mutable std::vector<char> is_found; ///< by pair
};
} // namespace KickDrift

#endif
