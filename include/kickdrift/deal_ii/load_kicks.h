#ifndef KICKDRIFT_DEAL_II_LOAD_KICKS_H
#define KICKDRIFT_DEAL_II_LOAD_KICKS_H

#include <kickdrift/deal_ii/load_shares.h>
#include <kickdrift/deal_ii/rigid_mass.h>
#include <kickdrift/deal_ii/shell.h>
#include <kickdrift/potentials/cells/strain_kicks.h>
#include <kickdrift/potentials/loads/body_load.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

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

/// A family of kicks that sums up its work or losses.
template <int spacedim>
struct KicksWithBooks
{
  std::shared_ptr<Kicks<spacedim>> kicks;        ///< on the clocks of cells
  std::vector<unsigned int> active_cell_indices; ///< of these cells, by kick
  /// Count from where the nodes are now; it has been done once. Asks for the nodes.
  std::function<void()> begin;
};

/**
 * Kicks of a load, evaluated at the nodes.
 * @param name under which they are counted
 * @param nodes must outlive what is returned
 */
template <int spacedim>
KicksWithBooks<spacedim> make_loads(const std::string &name, const BodyLoad<spacedim> &load,
                                    const LoadShares<spacedim> &shares,
                                    const NodeTable<spacedim> &nodes);

/// Kicks of the viscosity of a body: a family for each block of its cells. The body has no nodal
/// integration. @param nodes must outlive what is returned
template <int dim>
std::vector<KicksWithBooks<dim>> make_viscosity(const Body<dim> &body, const Viscosity &viscosity,
                                                const NodeTable<dim> &nodes);
} // namespace KickDrift

#endif
