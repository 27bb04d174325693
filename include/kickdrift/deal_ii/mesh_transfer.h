#ifndef KICKDRIFT_DEAL_II_MESH_TRANSFER_H
#define KICKDRIFT_DEAL_II_MESH_TRANSFER_H

#include <kickdrift/deal_ii/dynamics.h>
#include <kickdrift/nodes/motion_sums.h>

#include <deal.II/grid/cell_id.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace KickDrift
{
/// What has come of bodies on their way to other meshes, see MeshTransfer.
struct TransferReport
{
  double kinetic_change = 0; ///< of kinetic energy [energy]
  /// Largest velocity that a node has been given so that momenta stay what they were, as a share of
  /// the largest one of its body [-].
  double largest_correction = 0;
};

/**
 * Takes bodies from their meshes to finer or coarser ones while they move.
 *
 * @code
 *   MeshTransfer<2> transfer(*dynamics); // before the mesh changes
 *   triangulation.execute_coarsening_and_refinement();
 *   dof_handler.distribute_dofs(element);
 *   dynamics = set_up();                 // a new Dynamics with bodies, supports, loads, contact
 *   transfer.to(*dynamics);
 *   dynamics->advance_to(...);           // goes on at the time that has been reached
 * @endcode
 *
 * Displacements and velocities are interpolated, as dealii::SolutionTransfer does; where a manifold
 * has put a new vertex beside the old cell they are continued linearly. Then velocities get the
 * smallest change, in the norm of the masses, that leaves each body, or bodies that are tied
 * together, their linear and angular momentum. Points of materials with a history take the state of
 * the nearest point of the cell that they were in. Energies go on from what they were; what the
 * transfer costs is EnergyBalance::transfer_loss. What contacts have stored
 * (EnergyBalance::contact_energy) is given back by those of the same partners that are found on the
 * new meshes. A lumped mesh that is halved loses the part (k h)^2/8 of the kinetic energy of a wave
 * of the wave number k, where h is the size of the old cells.
 *
 * Surfaces that touch may overlap a little on the new meshes. That is not refused, whatever
 * ContactParameters::initial_overlap says, and with Response::records they are pushed apart within
 * ContactParameters::overlap_time.
 *
 * For quadrilaterals and hexahedra, on plain and on divided meshes; bodies of other cells must keep
 * their meshes. Bodies are told apart by their names. Impulses of contact and supports are counted
 * anew. States of Dynamics::save() from after a transfer fit a Dynamics that is set up on the new
 * meshes.
 */
template <int spacedim>
class MeshTransfer : public DynamicsExceptions
{
public:
  /// Keep all that moves, of all bodies. Collective, with started dynamics, before meshes change.
  /// Throws ExcNotReady, ExcEqualNames, ExcTransferDeleted, ExcOtherMesh for cells that are refined
  /// along some directions only, and what Dynamics::energy() throws.
  explicit MeshTransfer(const Dynamics<spacedim> &from);

  /**
   * Give it to the bodies of the same names of another Dynamics, which has not been started. After
   * its restraints have been set, and before its kicks are made (by Dynamics::stepper() among
   * others); what it has been given for displacements, velocities and states at the start does not
   * count. Collective. Throws ExcNoBodyToTransfer, ExcEqualNames, ExcOtherMesh, ExcKicksMade,
   * ExcTooLate.
   */
  TransferReport to(Dynamics<spacedim> &dynamics) const;

private:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  /// What is known of a cell.
  struct OldCell
  {
    std::vector<dealii::Point<spacedim>> vertices; ///< reference configuration [length]
    std::vector<Vector> displacement, velocity;    ///< at the vertices
    std::vector<double> states; ///< of the points, one after the other; empty without a history
  };

  /// All cells of a body.
  using OldCells = std::map<dealii::CellId, OldCell>;

  /// What is known of a body.
  struct OldBody
  {
    std::shared_ptr<const OldCells> cells;
    MotionSums<spacedim> motion; ///< angular momentum about the origin
  };

  /// Nodes of a body.
  struct Range
  {
    unsigned int begin, end;
  };

  template <int dim>
  OldBody keep(const Dynamics<spacedim> &from, DynamicBody<dim, spacedim> &body) const;
  template <int dim>
  void give(const OldBody &old, DynamicBody<dim, spacedim> &body,
            Dynamics<spacedim> &dynamics) const;
  static double keep_momenta(const MotionSums<spacedim> &old, NodeTable<spacedim> &nodes,
                             const std::vector<Range> &ranges);

  double time;                             ///< [time]
  double time_of_loop;                     ///< of the stepper [time]
  EnergyBalance balance;                   ///< at that time
  EnergyAudit audit;                       ///< until then
  double audited_since;                    ///< [time]
  std::vector<StoredContactEnergy> stored; ///< by contacts
  std::map<std::string, OldBody> bodies;   ///< by name
};
} // namespace KickDrift

#endif
