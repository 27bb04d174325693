#ifndef KICKDRIFT_STEPPING_KICKS_DAMPING_KICKS_H
#define KICKDRIFT_STEPPING_KICKS_DAMPING_KICKS_H

#include <kickdrift/stepping/kicks/kicks.h>

#include <algorithm>

namespace KickDrift
{
/**
 * Kicks for Stepper::add_synchronised() that oppose velocities, and let them decay exponentially:
 * over a step that is not short, the impulse is far from the step times the force.
 */
template <int spacedim>
class DampingKicks : public Kicks<spacedim>
{
public:
  /// A vector in space.
  using Vector = typename Kicks<spacedim>::Vector;

  /**
   * Impulse of kick @p k on a @p node of its support over a @p duration, which is negative if it is
   * taken back [mass*length/time].
   * @param velocity of the node; others have that of the table [length/time]
   * @param time at which the nodes are where the kick finds them [time]
   */
  virtual Vector impulse_on(const NodeTable<spacedim> &nodes, unsigned int k, unsigned int node,
                            const Vector &velocity, double time, double duration) const = 0;

  /// Adds nothing: losses are in the table of the nodes, whose copies may be damped further.
  void
  add_energy(const NodeTable<spacedim> &, EnergyBalance &) const override
  {
  }

protected:
  /**
   * Exponent of the factor by which a velocity decays at a @p rate [1/time] within a @p duration.
   * What has been taken beyond the time of a snapshot is taken back. Where that is nearly all, it
   * cannot be known from what is left; the balance is right with less, too.
   * @param most the largest exponent [-]
   */
  static double
  exponent(const double rate, const double duration, const double most = most_taken_back)
  {
    return std::min(-rate * duration, most);
  }

  static constexpr double most_taken_back = 1; ///< exponent of a snapshot [-]
};
} // namespace KickDrift

#endif
