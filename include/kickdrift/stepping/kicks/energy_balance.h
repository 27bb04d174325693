#ifndef KICKDRIFT_STEPPING_KICKS_ENERGY_BALANCE_H
#define KICKDRIFT_STEPPING_KICKS_ENERGY_BALANCE_H

#include <map>

namespace KickDrift
{
template <int spacedim>
class Kicks;

/// All terms of the energy balance at one time (method: bookkeeping) [energy].
struct EnergyBalance
{
  double kinetic = 0;          ///< of all nodes
  double strain = 0;           ///< of cells, springs and the like
  double hourglass = 0;        ///< of hourglass control, apart from the strain energy
  double external_work = 0;    ///< of body forces and tractions since the start
  double prescribed_work = 0;  ///< of moving supports since the start
  double restitution_loss = 0; ///< in collisions with e < 1
  double friction_loss = 0;    ///< by Coulomb friction
  double damping_loss = 0;     ///< by damping
  double contact_energy = 0;   ///< taken from nodes that contacts have stopped, and given back to
                               ///< them when the contacts open
  double layer_energy = 0;     ///< of penalty layers of contact
  double contact_ripple = 0;   ///< kinetic energy of the motion to and fro within the periods of
                               ///< lasting contacts: that of velocities with all impulses that have
                               ///< been given, less that of synchronised ones
  double plastic_work = 0;     ///< dissipated in cells since the start
  double viscous_loss = 0;     ///< in viscous cells since the start
  double dashpot_loss = 0;     ///< in dashpots since the start
  double eroded_energy = 0;    ///< that cells had stored when they were deleted
  double transfer_loss = 0;    ///< where states went from one mesh to another, see MeshTransfer

  /// Add all terms of a part.
  EnergyBalance &
  operator+=(const EnergyBalance &part)
  {
    kinetic += part.kinetic;
    strain += part.strain;
    hourglass += part.hourglass;
    external_work += part.external_work;
    prescribed_work += part.prescribed_work;
    restitution_loss += part.restitution_loss;
    friction_loss += part.friction_loss;
    damping_loss += part.damping_loss;
    contact_energy += part.contact_energy;
    layer_energy += part.layer_energy;
    contact_ripple += part.contact_ripple;
    plastic_work += part.plastic_work;
    viscous_loss += part.viscous_loss;
    dashpot_loss += part.dashpot_loss;
    eroded_energy += part.eroded_energy;
    transfer_loss += part.transfer_loss;
    return *this;
  }

  /// What would be constant if time integration and contact were exact.
  double
  total() const
  {
    return kinetic + contact_ripple + strain + hourglass + plastic_work + contact_energy +
           layer_energy - external_work - prescribed_work + restitution_loss + friction_loss +
           damping_loss + viscous_loss + dashpot_loss + eroded_energy + transfer_loss;
  }
};

/// What each family of kicks has added to a balance.
template <int spacedim>
using FamilyEnergies = std::map<const Kicks<spacedim> *, EnergyBalance>;
} // namespace KickDrift

#endif
