#ifndef KICKDRIFT_CONTACT_RESPONSE_COLLISION_RESPONSE_H
#define KICKDRIFT_CONTACT_RESPONSE_COLLISION_RESPONSE_H

#include <kickdrift/contact/surface/contact_point.h>

#include <deal.II/base/symmetric_tensor.h>

#include <cmath>

namespace KickDrift
{
/**
 * Normal impulse that turns the gap rate into -e times itself: p = -(1+e) rate / a (Cirak & West
 * 2005; Wolff & Bucher 2013, with restraints as effective inverse mass). Loses (1-e^2) rate^2/(2a),
 * conserves momentum, and for e = 1 kinetic energy.
 *
 * @param gap_rate negative [length/time]
 * @param inverse_mass a > 0 [1/mass]
 * @param restitution e in [0,1]
 */
inline double
reflecting_impulse(const double gap_rate, const double inverse_mass, const double restitution)
{
  return -(1 + restitution) * gap_rate / inverse_mass;
}

/// What an impulse at a contact point with friction meets.
template <int spacedim>
struct FrictionalContact
{
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  dealii::SymmetricTensor<2, spacedim> inverse_mass; ///< C = sum_B c_B^2 W_B [1/mass]
  Vector normal;                                     ///< outward unit normal of the target [-]
  Vector rate;     ///< relative velocity of the actual velocities [length/time]
  double friction; ///< Coulomb's coefficient mu >= 0 [-]
};

/// An impulse at a contact point and what the laws of contact ask it to lose.
template <int spacedim>
struct FrictionalImpulse
{
  double normal = 0;                      ///< on the contactor, along the normal [mass*length/time]
  dealii::Tensor<1, spacedim> tangential; ///< on the contactor [mass*length/time]
  bool sticks = false;                    ///< Coulomb's bound was not reached
  double friction_loss = 0;               ///< >= 0 [energy]
  /// What e < 1 asks to lose; below 0 only where a penetration is pushed out [energy].
  double restitution_loss = 0;

  /// The whole impulse on the contactor [mass*length/time].
  dealii::Tensor<1, spacedim>
  total(const dealii::Tensor<1, spacedim> &direction) const
  {
    return normal * direction + tangential;
  }
};

/**
 * Impulse of restitution and Coulomb's law: the normal rate becomes -e times itself, friction stops
 * the tangential rate at maximal compression as far as mu times the normal impulse allows (Cirak &
 * West 2005, equations 35-44; with restraints, which couple normal and tangent, and impulses at the
 * contact point instead of nodal ones: see the theory pages).
 *
 * Changes the kinetic energy by -(1-e^2) (rate . n)^2 / (2a) - friction_loss, never exceeds
 * Coulomb's bound and conserves momentum. Without friction it is reflecting_impulse().
 *
 * @pre approaching, n . C n > 0
 */
template <int spacedim>
FrictionalImpulse<spacedim> frictional_impulse(const FrictionalContact<spacedim> &contact,
                                               double restitution);

/**
 * The part of friction alone, for a contact at maximal compression: @p contact.rate is that of the
 * velocities there, @p normal_impulse that of the whole contact without friction. The normal part
 * of the result keeps the normal rate what it is.
 */
template <int spacedim>
FrictionalImpulse<spacedim> friction_at_compression(const FrictionalContact<spacedim> &contact,
                                                    double normal_impulse);

} // namespace KickDrift

#endif
