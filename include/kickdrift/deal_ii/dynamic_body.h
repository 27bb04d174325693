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
#include <deal.II/lac/vector.h>

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace KickDrift
{
template <int spacedim>
class Dynamics;
template <int spacedim>
class NodalForces;
template <int spacedim>
struct KicksWithBooks;

/**
 * A body that moves in Dynamics: takes initial values and restraints, returns its motion.
 *
 * Vectors are any of deal.II's that have operator()(index), with one entry per DoF: Vector,
 * BlockVector, LinearAlgebra::distributed::Vector, TrilinosWrappers::MPI::Vector, ... On a mesh
 * that is divided among processes locally owned entries are read and written, by all processes
 * together; what is written has no ghost values then. What takes or returns vectors throws
 * dealii::ExceptionBase for those of another size, for scalar elements, and if the mesh or the
 * numbers of its DoFs have been changed (ExcMeshChanged, ExcDoFsChanged), or the DoFHandler
 * destroyed.
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
   * where its nodes hang; held at zero they may be only with what they hang on, as tied nodes, see
   * above. Throws ExcNoSuchDoF for constraints of another DoFHandler with more DoFs, ExcConstraint
   * for anything else, or ExcTooLate.
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

  /**
   * Nodal forces that act from time() on until others are set, such as those of another solver: a
   * vector of shape (n_dofs), as right-hand sides are assembled [force]. What is on hanging and
   * tied nodes goes to those that they follow, whether or not it has been condensed already. Kicks
   * that have been given stay what they were: see NodalForces.
   *
   * To be called before start() if forces are ever to be set, with zeros if they are not known yet;
   * for a tied body after its masters have been added. On a divided mesh a collective call, for
   * vectors that have been compress()ed. New forces act half a step late at most. Throws
   * ExcForcesTooLate, ExcForceNotFinite.
   */
  template <typename VectorType>
  void set_forces(const VectorType &forces);

  /**
   * Let the cells be viscous, in place of what has been said before. Critical steps h become
   * shorter, much so where stiffness_damping is not far below h: see Kicks::damping_time(). Throws
   * ExcNotForShells, ExcNotForRigid, ExcTooLate; start() what CellViscosity does, for nodal
   * integration.
   */
  void set_viscosity(const Viscosity &viscosity);

  /// Delete cells whose strain reaches @p strain, see Body::set_failure_strain(). Before kicks are
  /// made, which first_ids() and Dynamics::stepper() do. Throws ExcNotForShells, ExcNotForRigid,
  /// ExcTooLate, ExcFailureStrain.
  void set_failure_strain(double strain);

  /// Let the body be under stress at the start [force/area], see Body::set_initial_stress(). Throws
  /// as that does and as set_failure_strain().
  void set_initial_stress(
      std::function<dealii::SymmetricTensor<2, 3>(const dealii::Point<spacedim> &)> stress);

  /// Let points of materials with a history begin in other states, see Body::set_initial_states().
  /// Throws as that does and as set_failure_strain().
  void set_initial_states(std::function<std::vector<double>(const HistoryMaterial<dim> &,
                                                            const dealii::Point<spacedim> &)>
                              state);

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

  /**
   * What contact has given to the nodes since the start, as Dynamics::time() sees it
   * [force*time]: what has come between two calls is the difference, and over the time between
   * them the mean force. Nodes that hang or are tied have none, as it is given to those that they
   * follow. Collective; zero without contact.
   */
  template <typename VectorType>
  void get_contact_impulse(VectorType &impulse) const;

  /// The same of restraints and prescribed motions [force*time].
  template <typename VectorType>
  void get_reaction(VectorType &impulse) const;

  /**
   * Mean stress of each cell at Dynamics::time(): Cauchy's with all three dimensions, of shells the
   * force per thickness [force/area]. Zero for rigid bodies. Collective.
   * @return shape (n_active_cells), by active_cell_index() of the mesh that was given; of a divided
   * one, cells of other processes have zeros
   */
  std::vector<dealii::SymmetricTensor<2, 3>> stress() const;

  /// The same of the number of this name that materials have for pictures, such as
  /// "equivalent_plastic_strain"; cells of other materials have zeros. Throws ExcNoSuchOutput.
  std::vector<double> output(const std::string &name) const;

  /// Names of these numbers.
  std::set<std::string> output_names() const;

  /// Throws ExcMeshChanged if the mesh has been changed since the body was added.
  void check_mesh() const;

  /// stress() of one cell of body(), for nodes that are all at one time. On the process that kicks
  /// it, and on the first one.
  dealii::SymmetricTensor<2, 3> stress_of_cell(const NodeTable<spacedim> &nodes,
                                               unsigned int active_cell_index) const;

  /// output() of one cell of body(); not-a-number where the material has none.
  double output_of_cell(const std::string &name, const NodeTable<spacedim> &nodes,
                        unsigned int active_cell_index) const;

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
  /// all bodies that this or an earlier one is tied to have been added. Makes the kicks.
  const std::vector<unsigned int> &first_ids() const;

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
  template <int>
  friend class MeshTransfer;
  void add_kicks(bool strain);
  /// Make a note of a support that holds tied nodes, to be looked at by start().
  void hold_tied_nodes(const std::set<dealii::types::boundary_id> &boundaries,
                       const dealii::ComponentMask &directions);
  /// The same of one DoF, which hangs otherwise.
  void hold_if_tied(const typename MeshReplica<spacedim>::Constraint &constraint);
  void check_boundaries(const std::set<dealii::types::boundary_id> &boundaries) const;
  void check_function(const dealii::Function<spacedim> *function, const std::string &what,
                      unsigned int n_components) const;
  /// Throw if @p what is not for this body, or too late.
  void check_changeable(const std::string &what) const;
  /// Give the stepper a load, when all bodies have their kicks; returns its kicks.
  std::shared_ptr<Kicks<spacedim>> add_load(const std::string &name, const BodyLoad<spacedim> &load,
                                            const std::set<dealii::types::boundary_id> &boundaries);
  /// Give the stepper kicks on the clocks of cells.
  void add_on_cells(const KicksWithBooks<spacedim> &kicks);
  /// The same for nodal forces, when critical steps are known.
  void add_nodal_forces();
  /// Nodal forces from a vector of body().
  void set_forces_of(const dealii::Vector<double> &forces);
  /// A vector of body() from one of the user's, and back.
  template <typename VectorType>
  dealii::Vector<double> to_body(const VectorType &vector) const;
  template <typename VectorType>
  void to_user(const dealii::Vector<double> &of_body, VectorType &vector) const;
  /// A vector of body() from those of nodes of the table, zero where others are followed.
  dealii::Vector<double> dof_vector(
      const std::function<dealii::Tensor<1, spacedim>(unsigned int node)> &vector_of_node) const;
  dealii::Vector<double> contact_impulse() const;
  dealii::Vector<double> reaction() const;
  /// Numbers of the given cells, from what one process knows about those of body(): @p n of each.
  std::vector<double>
  numbers_of_cells(unsigned int n,
                   const std::function<void(unsigned int cell, double *numbers)> &of_cell) const;
  /// Restraints, or rigid body of the table.
  void make_rigid(const RigidParameters &parameters);
  void add_rigid_kicks(const RigidParameters &parameters);
  /// Leave out of the velocities what restraints forbid.
  void stop_restrained_nodes();

  Dynamics<spacedim> &dynamics;
  std::unique_ptr<MeshReplica<spacedim>> replica; ///< null: the mesh is not divided
  std::unique_ptr<Body<dim, spacedim>> own_body;
  std::vector<unsigned int> ids;               ///< see first_ids()
  bool has_kicks = false;                      ///< have they been made?
  unsigned int number = 0;                     ///< in the surface
  std::optional<unsigned int> rigid_body;      ///< see rigid()
  bool is_driven = false;                      ///< see RigidParameters
  bool is_damped = false;                      ///< see damp()
  std::optional<Viscosity> viscosity_of_cells; ///< see set_viscosity()
  /// See set_forces(): those given before the start, then the kicks, in the order of force_nodes.
  std::optional<std::vector<dealii::Tensor<1, spacedim>>> first_forces;
  std::shared_ptr<NodalForces<spacedim>> nodal_forces;
  std::vector<unsigned int> force_nodes; ///< own nodes, and others that tied ones follow
};
} // namespace KickDrift

#endif
