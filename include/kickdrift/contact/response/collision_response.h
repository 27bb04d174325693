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
  double restitution_loss = 0;            ///< what e < 1 asks to lose, >= 0 [energy]
  double account_change = 0;              ///< what it puts into the account of its pair [energy]

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

/**
 * Impulse of a persistent contact that slips or sticks: @p normal_impulse along the normal as if
 * there were no friction, and friction that stops the mean tangential rate over the coming period,
 * kicks of that period included, as far as Coulomb's bound allows.
 *
 * While the contact slips, friction_loss is the friction times the slip it acts on. While it sticks
 * the law asks for no loss; what the impulse takes out then is for the account to keep, and
 * friction never returns more than @p balance, less the work of the normal impulse.
 *
 * @param kick_increment what the kicks of one period add to the relative velocity [length/time]
 * @param balance what the account holds before this contact [energy]
 */
template <int spacedim>
FrictionalImpulse<spacedim>
looking_ahead_friction(const FrictionalContact<spacedim> &contact,
                       const dealii::Tensor<1, spacedim> &kick_increment, double normal_impulse,
                       double balance);

/// Work of an impulse on the nodes: p . rate + p . C p / 2 [energy].
template <int spacedim>
double
work_of_impulse(const FrictionalImpulse<spacedim> &impulse,
                const FrictionalContact<spacedim> &contact)
{
  const dealii::Tensor<1, spacedim> p = impulse.total(contact.normal);
  return p * (contact.rate + 0.5 * (contact.inverse_mass * p));
}

/// What a looking-ahead impulse needs to know.
struct LookAhead
{
  double gap;            ///< g < 0, penetrating [length]
  double gap_rate;       ///< of the actual velocities [length/time]
  double kick_increment; ///< what the kicks of one period add to the gap rate [length/time]
  double inverse_mass;   ///< a > 0 [1/mass]
  double period;         ///< time between two answers to this contact [time]
  double balance;        ///< energy taken out by earlier impulses and not yet given back, >= 0
  double push_out;       ///< gamma: share of the penetration to be removed per period [-]
  double give_back;      ///< share of the balance that an opening contact returns per period [-]
};

/**
 * Normal impulse after which the gap grows at the wanted mean rate over the coming period, kicks of
 * that period included, but no larger than the account allows: p rate + a p^2/2 <= balance. A
 * contact that opens fast enough by itself gets a share of the balance instead: what stopping the
 * nodes has taken returns to the bodies while it cannot disturb the contact. (Not in the papers;
 * see the theory pages.)
 */
double looking_ahead_impulse(const LookAhead &contact);

/// Impulse, not negative, that does @p work >= 0 on nodes that separate at @p gap_rate or approach
/// at minus that: the larger root of p rate + a p^2/2 = work.
inline double
impulse_of_work(const double work, const double gap_rate, const double inverse_mass)
{
  return (-gap_rate + std::sqrt(gap_rate * gap_rate + 2 * inverse_mass * work)) / inverse_mass;
}

/// Work of an impulse @p p on the nodes: p rate + a p^2/2 [energy].
inline double
work_of_impulse(const double p, const double gap_rate, const double inverse_mass)
{
  return p * (gap_rate + 0.5 * inverse_mass * p);
}
} // namespace KickDrift

#endif
