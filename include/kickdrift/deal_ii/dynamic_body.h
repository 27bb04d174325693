#ifndef KICKDRIFT_DEAL_II_DYNAMIC_BODY_H
#define KICKDRIFT_DEAL_II_DYNAMIC_BODY_H

#include <kickdrift/deal_ii/body.h>
#include <kickdrift/deal_ii/dynamics_exceptions.h>
#include <kickdrift/deal_ii/mesh_replica.h>
#include <kickdrift/deal_ii/rigid_mass.h>
#include <kickdrift/deal_ii/shell.h>
#include <kickdrift/potentials/loads/body_load.h>

#include <deal.II/fe/component_mask.h>
#include <deal.II/lac/affine_constraints.h>

#include <functional>
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

  /**
   * Move the nodes on these parts of the boundary (all of it, if there are none) along the chosen
   * directions: they are restrained, and have the displacement that the function gives for their
   * places in the reference configuration and the time. Where the motion begins has to be their
   * displacement at the start, or start() throws ExcMotionAtStart.
   *
   * Throws ExcNoSuchBoundary, ExcComponents, ExcNoFunction, ExcFunctionComponents or ExcTooLate.
   * @param displacement spacedim components [length]; asked as DynamicBody::load() asks
   */
  void move(const std::set<dealii::types::boundary_id> &boundaries,
            std::shared_ptr<dealii::Function<spacedim>> displacement,
            const dealii::ComponentMask &directions = dealii::ComponentMask());

  /**
   * Add a load: accelerations and body forces on the whole body, tractions and pressures on these
   * parts of its boundary (all of it, if there are none). On a rigid body of given mass,
   * accelerations act on that.
   *
   * Functions are asked from start() on, for values at nodes, after their time has been set; by one
   * thread at a time, on all processes. Throws ExcNoFunction, ExcFunctionComponents,
   * ExcNotOnBoundary, ExcNoSuchBoundary or ExcTooLate.
   */
  void load(const BodyLoad<spacedim> &load,
            const std::set<dealii::types::boundary_id> &boundaries = {});

  /// Damp the body's velocity v by the force - alpha m v on every node; alpha is a function of
  /// time, not negative [1/time]. See Damping; start() throws what Stepper::add_damping() throws.
  /// Throws ExcNoFunction, ExcDampedTwice or ExcTooLate.
  void damp(std::function<double(double)> rate);

  /// The same at a constant rate [1/time], or ExcDamping.
  void damp(double rate);

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

  /// Id in the stepper of the kick of a cell, by its active_cell_index() (on a divided mesh: that
  /// of body()); as first_ids().
  unsigned int id_of_cell(unsigned int active_cell_index) const;

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
  void check_boundaries(const std::set<dealii::types::boundary_id> &boundaries) const;
  void check_function(const dealii::Function<spacedim> *function, const std::string &what,
                      unsigned int n_components) const;
  /// Give the stepper a load, when all bodies have their kicks; returns its kicks.
  std::shared_ptr<Kicks<spacedim>> add_load(const std::string &name, const BodyLoad<spacedim> &load,
                                            const std::set<dealii::types::boundary_id> &boundaries);
  void add_rigid_kicks(const RigidParameters &parameters);
  /// Leave out of the velocities what restraints forbid.
  void stop_restrained_nodes();

  Dynamics<spacedim> &dynamics;
  std::unique_ptr<MeshReplica<spacedim>> replica; ///< null: the mesh is not divided
  std::unique_ptr<Body<dim, spacedim>> own_body;
  std::vector<unsigned int> ids;
  unsigned int number = 0;                ///< in the surface
  std::optional<unsigned int> rigid_body; ///< see rigid()
  bool is_driven = false;                 ///< see RigidParameters
  bool is_damped = false;                 ///< see damp()
};
} // namespace KickDrift

#endif
