#ifndef KICKDRIFT_DEAL_II_LOAD_KICKS_H
#define KICKDRIFT_DEAL_II_LOAD_KICKS_H

#include <kickdrift/deal_ii/load_shares.h>
#include <kickdrift/deal_ii/rigid_mass.h>
#include <kickdrift/deal_ii/shell.h>
#include <kickdrift/potentials/loads/body_load.h>
#include <kickdrift/potentials/loads/loads.h>

#include <memory>
#include <set>
#include <string>

namespace KickDrift
{
/// Shares of a load on a body, or on those parts of its boundary (all of it, if there are none).
/// Throws if the body has no such face.
template <int spacedim>
LoadShares<spacedim> load_shares(const BodyLoad<spacedim> &load, const Body<spacedim> &body,
                                 const std::set<dealii::types::boundary_id> &boundaries);

/// Shares of a load on a shell, on whose whole surface tractions and pressures act.
LoadShares<3> load_shares(const BodyLoad<3> &load, const Shell &shell);

/// The same shares of another mass, whose resultant passes through its centre wherever the body
/// turns: they are multiplied by a linear function of position.
template <int spacedim>
void give_mass_to(LoadShares<spacedim> &shares, const RigidMass &mass);

/// Kicks of a load, evaluated at the nodes. Where shares have points they have to be added as
/// KicksAtPoints.
/// @param name under which they are counted
template <int spacedim>
std::shared_ptr<Loads<spacedim>> make_loads(const std::string &name, const BodyLoad<spacedim> &load,
                                            const LoadShares<spacedim> &shares);
} // namespace KickDrift

#endif
