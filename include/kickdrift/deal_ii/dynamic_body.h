#ifndef KICKDRIFT_DEAL_II_DYNAMIC_BODY_H
#define KICKDRIFT_DEAL_II_DYNAMIC_BODY_H

#include <kickdrift/deal_ii/body.h>
#include <kickdrift/deal_ii/dynamics_exceptions.h>
#include <kickdrift/deal_ii/mesh_replica.h>
#include <kickdrift/deal_ii/rigid_mass.h>
#include <kickdrift/deal_ii/shell.h>

#include <deal.II/fe/component_mask.h>
#include <deal.II/lac/affine_constraints.h>

#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace KickDrift
{
template <int spacedim>
class Dynamics;

/**
 * A body that moves in Dynamics: takes initial values and restraints, returns its motion.
 *
 * Vectors are any of deal.II's that have operator()(index), with one entry per DoF: Vector,
 * BlockVector, LinearAlgebra::distributed::Vector, TrilinosWrappers::MPI::Vector, ... On a mesh
 * that is divided among processes locally owned entries are read and written, by all processes
 * together; what is written has no ghost values then. What takes or returns vectors throws
 * dealii::ExceptionBase for those of another size, for scalar elements, and if the mesh has been
 * changed.
 */
template <int dim, int spacedim = dim>
class DynamicBody : public DynamicsExceptions
{
public:
  /// Made by Dynamics::add_body().
  DynamicBody(Dynamics<spacedim> &dynamics, std::unique_ptr<Body<dim, spacedim>> body,
              std::unique_ptr<MeshReplica<spacedim>> replica = nullptr);

  /// Displacement at the start [length].
  template <typename VectorType>
  void set_displacement(const VectorType &displacement);

  /// Velocity at the start [length/time]; what restraints forbid is left out.
  template <typename VectorType>
  void set_velocity(const VectorType &velocity);

  /**
   * Hold the nodes on these parts of the boundary (all of it, if there are none) along the chosen
   * directions. Throws ExcNoSuchBoundary, ExcComponents or ExcTooLate. Tied nodes among them are
   * held by those that they follow, or start() throws ExcTiedNodeHeld.
   * @param directions shape (spacedim); by default all
   */
  void restrain(const std::set<dealii::types::boundary_id> &boundaries,
                const dealii::ComponentMask &directions = dealii::ComponentMask());

  /**
   * Hold what @p constraints set to zero. Those of hanging nodes are skipped, since the body knows
   * where its nodes hang; for tied nodes see above. Throws ExcNoSuchDoF for constraints of another
   * DoFHandler with more DoFs, ExcConstraint for anything else, or ExcTooLate.
   */
  void restrain(const dealii::AffineConstraints<double> &constraints);

  /// Displacement at Dynamics::time() [length].
  template <typename VectorType>
  void get_displacement(VectorType &displacement) const;

  /// Velocity at Dynamics::time() [length/time].
  template <typename VectorType>
  void get_velocity(VectorType &velocity) const;

  /// Throws ExcMeshChanged if the mesh has been changed since the body was added.
  void check_mesh() const;

  /// Nodes, cells and kicks. If the mesh is divided among processes, with DoFs and cells of a
  /// MeshReplica.
  Body<dim, spacedim> &
  body()
  {
    return *own_body;
  }

  /// Nodes, cells and kicks, as above.
  const Body<dim, spacedim> &
  body() const
  {
    return *own_body;
  }

  /// Ids of the first kicks of the families of body().strain_kicks() in the stepper; none before
  /// all bodies that this or an earlier one is tied to have been added.
  const std::vector<unsigned int> &
  first_ids() const
  {
    return ids;
  }

  /// Does it not deform?
  bool
  is_rigid() const
  {
    return is_driven || rigid_body;
  }

  /// Number of the body in NodeTable::rigid_bodies, if it is rigid and not driven.
  std::optional<unsigned int>
  rigid() const
  {
    return rigid_body;
  }

private:
  friend class Dynamics<spacedim>;
  void add_kicks(bool strain);
  /// Make a note of a support that holds tied nodes, to be looked at by start().
  void hold_tied_nodes(const std::set<dealii::types::boundary_id> &boundaries,
                       const dealii::ComponentMask &directions);
  /// The same of one DoF, which hangs otherwise.
  void hold_if_tied(const typename MeshReplica<spacedim>::Constraint &constraint);
  void add_rigid_kicks(const RigidParameters &parameters);
  /// Leave out of the velocities what restraints forbid.
  void stop_restrained_nodes();

  Dynamics<spacedim> &dynamics;
  std::unique_ptr<MeshReplica<spacedim>> replica; ///< null: the mesh is not divided
  std::unique_ptr<Body<dim, spacedim>> own_body;
  std::vector<unsigned int> ids;
  std::optional<unsigned int> rigid_body; ///< see rigid()
  bool is_driven = false;                 ///< see RigidParameters
};
} // namespace KickDrift

#endif
