#ifndef KICKDRIFT_DEAL_II_DYNAMICS_H
#define KICKDRIFT_DEAL_II_DYNAMICS_H

#include <kickdrift/contact/contact_method.h>
#include <kickdrift/contact/initial_overlap.h>
#include <kickdrift/contact/surface/eroding_surface.h>
#include <kickdrift/deal_ii/dynamic_body.h>
#include <kickdrift/deal_ii/energy_scale.h>
#include <kickdrift/nodes/node_table.h>
#include <kickdrift/stepping/energy_audit.h>
#include <kickdrift/stepping/stepper.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace KickDrift
{

/**
 * Bodies that move, and touch each other if enable_contact() is called: all that a deal.II program
 * needs to hand its elastic bodies over to asynchronous time stepping.
 *
 * @code
 *   Dynamics<3> dynamics;
 *   auto &plate = dynamics.add_body(dof_handler, mapping, material);
 *   plate.set_velocity(velocity);
 *   plate.restrain({0});
 *   plate.load(gravity(Tensor<1, 3>({0, 0, -9.81})));
 *   dynamics.enable_contact(ContactParameters());
 *   dynamics.advance_to(1e-3);
 *   plate.get_displacement(displacement);
 * @endcode
 *
 * Springs and kicks of other kinds are added to stepper(), in front of start().
 */
template <int spacedim>
class Dynamics : public DynamicsExceptions
{
public:
  /// What cells do.
  enum class Strain
  {
    on, ///< they resist deformation
    off ///< they do not: bodies move on, but keep their clocks
  };

  /// When it is checked that bodies are apart at the start.
  enum class OverlapCheck
  {
    at_start, ///< by start()
    later     ///< by who calls check_initial_overlap()
  };

  /// Throws Stepper::ExcParameter.
  explicit Dynamics(const StepperParameters &parameters = StepperParameters(),
                    Strain strain = Strain::on);

#ifdef DEAL_II_WITH_MPI
  /// The same for the processes of a communicator, which are StepperParameters::ranks then, such as
  /// a group that computes the solid while others compute the fluid around it. Collective.
  explicit Dynamics(MPI_Comm communicator,
                    const StepperParameters &parameters = StepperParameters(),
                    Strain strain = Strain::on);
#endif

  Dynamics(const Dynamics &) = delete; // bodies and contact refer to it

  /**
   * Add a body of one material, at rest; see Body for the elements and meshes that it may have, and
   * for what is thrown if it has others. Throws ExcTooLate after start().
   *
   * The mesh may be divided among processes (parallel::distributed, shared, fullydistributed): all
   * of them call the functions of this class and of DynamicBody alike then, and
   * StepperParameters::ranks are these processes. Throws ExcProcesses if they are not.
   * @param name appears in messages and reports; by default "body 1" and so on
   * @return a reference that stays valid
   */
  DynamicBody<spacedim> &add_body(const dealii::DoFHandler<spacedim> &dof_handler,
                                  const dealii::Mapping<spacedim> &mapping,
                                  std::shared_ptr<const Material<spacedim>> material,
                                  const std::string &name = "");

  /// The same with a material for each material id.
  DynamicBody<spacedim> &add_body(const dealii::DoFHandler<spacedim> &dof_handler,
                                  const dealii::Mapping<spacedim> &mapping,
                                  const typename Body<spacedim>::Materials &materials,
                                  const std::string &name = "",
                                  StrainIntegration integration = StrainIntegration::standard,
                                  const HourglassControl &hourglass = HourglassControl());

  /// The same for a body that has been made already, such as one
  /// that tie() has tied to another one, which may be added later. Ties come before add_body().
  DynamicBody<spacedim> &add_body(std::unique_ptr<Body<spacedim>> body);

  /**
   * The same for a body that does not deform: its motion is that of RigidBodies, free, and changed
   * by loads and contact. Its displacement at the start must be a rotation and translation, its
   * velocity that of a rigid body; it must not be restrained. Or it is driven, see
   * RigidParameters: then it takes the place of an obstacle that has a mesh. Throws as add_body(),
   * and RigidMotion::ExcInertia. start() throws RigidBodies::ExcNotRigid, ExcRestrained or ExcSpin.
   */
  DynamicBody<spacedim> &add_rigid_body(std::unique_ptr<Body<spacedim>> body,
                                        const RigidParameters &parameters = RigidParameters());

  /**
   * Add a shell, at rest; see Body<2, 3> for the elements and meshes that it may have, and for what
   * is thrown if it has others. Throws ExcTooLate after start(), ExcShellInPlane.
   * @param name appears in messages and reports; by default "body 1" and so on
   * @return a reference that stays valid
   */
  DynamicBody<2, 3> &add_shell(const dealii::DoFHandler<2, 3> &dof_handler,
                               const dealii::Mapping<2, 3> &mapping, const ShellSection &section,
                               Bending bending = Bending::triangle, const std::string &name = "");

  /// The same for a shell that has been made already.
  DynamicBody<2, 3> &add_shell(std::unique_ptr<Shell> shell);

  /// Let all bodies touch each other, themselves and the obstacles; nothing if
  /// ContactParameters::enabled is false. Throws ExcContactTwice, ExcTooLate, or
  /// ObstacleExceptions::ExcNoShape.
  void enable_contact(const ContactParameters &parameters,
                      std::vector<Obstacle<spacedim>> obstacles = {});

  /**
   * Let time() be this at the start, by default 0 [time]: functions of loads, motions, damping and
   * obstacles, and observers, know this time. The stepper, own kicks and materials count from 0 at
   * the start in any case. Throws ExcStartTime or ExcTooLate.
   */
  void set_start_time(double time);

  /**
   * Let advance_to() stop the run when the energy error (see EnergyAudit) is above @p limit [-] at
   * its end, e.g. 0.1: it is unstable then. Not checked by default. Throws ExcEnergyLimit or
   * ExcTooLate.
   */
  void stop_at_energy_error(double limit);

  /**
   * What advance_to() warns of, once, goes to @p show, in place of standard error: cells of linear
   * materials that turn by more than 0.1 or are strained by more than 0.2, which their law is not
   * for. With several processes the first one warns. An empty function: it does not look for what
   * to warn of.
   */
  void
  on_warning(std::function<void(const std::string &)> show)
  {
    warn = std::move(show);
  }

  /**
   * Choose clocks and look for the first contacts. Called by advance_to() if it has not been
   * called. Throws ExcNoBody, ExcMeshChanged, ExcMasterMissing, ExcTiedNodeHeld,
   * with several processes ExcInstructionSets and ExcModelsDiffer, and what Stepper
   * and Contact throw; and what check_initial_overlap() throws, unless the @p check comes later.
   *
   * Of several processes each throws what goes wrong with it, and the others
   * Ranks::ExcOtherProcess. After that another Dynamics needs other Ranks; but not after
   * ExcInstructionSets and ExcModelsDiffer, or if something is wrong with bodies, ties and meshes
   * on all processes.
   */
  void start(OverlapCheck check = OverlapCheck::at_start);

  /// Where bodies are in each other at the start; empty without contact. Collective, between
  /// start() and the first advance_to().
  InitialOverlap<spacedim> initial_overlap();

  /// Throw, unless it is allowed, if bodies are in each other at the start, or nearer than penalty
  /// layers need: see KickDrift::check_initial_overlap(). When initial_overlap() may be called.
  void check_initial_overlap();

  /// checksum() of nodes, their restraints, kicks, critical steps and the surface: what several
  /// processes must have in common to the last bit. After Stepper::find_critical_steps().
  std::uint64_t fingerprint() const;

  /**
   * Call @p observer with the time at all multiples of an @p interval: the first time from start(),
   * then from advance_to(), in the order of time and of the calls of this function. It may ask for
   * everything, set forces and save(); what it does to look at a run leaves its bits alone. With
   * several processes all of them have to ask for the same things. Throws ExcInterval for intervals
   * that are not positive, and ExcTooLate.
   */
  void call_every(double interval, std::function<void(double time)> observer);

  /**
   * Do everything that is due up to and including @p time [time].
   *
   * Throws ExcNotReady if start() has thrown; but what is wrong with bodies, ties and meshes
   * (ExcNoBody, ExcMasterMissing, ExcMeshChanged, ...) comes before anything is
   * started, and is thrown again until it is mended. Throws ExcNotFinite if a force, displacement
   * or velocity has become infinite or not a number, ExcEnergyError (see stop_at_energy_error()),
   * ExcMeshChanged, ExcCalledByObserver, and what Stepper::advance_to() throws.
   */
  void advance_to(double time);

  /// Time up to which everything has been done; that of the start before start() [time].
  double
  time() const
  {
    return loop.time() == reached_by_loop ? reached : start_time + loop.time();
  }

  /**
   * All that has changed since start(): to go back to this state, or to go on from it later.
   * Collective; all processes get the same. Bits are those of machines of one kind.
   *
   * What functions of a user and kicks without serialize() remember is not in it. Who saves from a
   * function of call_every() should be the last of those that look at that time. Throws ExcNotReady
   * before start(), and StepperExceptions::ExcStopped after an advance_to() that has thrown.
   */
  std::string save() const;

  /**
   * Go to a @p state that save() has returned, of this Dynamics or of another one that was set up
   * and started alike, with any number of processes: what follows has the same bits. Collective.
   * With one process also after an advance_to() that has thrown. Nodes, masses, restraints, kicks,
   * critical steps, surfaces and clocks are compared; loads, laws and parameters of contact are
   * not, and where bodies were at the start does not matter.
   *
   * Throws ExcNotReady as save() does, ExcOtherModel if the state is that of another model, and
   * ExcCellsDeleted if cells have been deleted that the state still has: go back with a new
   * Dynamics then.
   */
  void load(const std::string &state);

  /// save() to a file that is there as a whole or not at all; the first process writes. Throws
  /// dealii::ExceptionBase, naming the file.
  void save_to_file(const std::string &file_name) const;

  /// load() from such a file, which all processes read. Throws dealii::ExceptionBase, naming the
  /// file, if it is not whole.
  void load_from_file(const std::string &file_name);

  /// All nodes at time() with synchronised velocities. Valid until the next advance_to(). With
  /// several processes all have to ask.
  const NodeTable<spacedim> &state() const;

  /// Balance of energies at time(), contact included: its total() should stay what it was. With
  /// several processes all have to ask, and get the same; one that asks alone waits for ever.
  /// @param of_families if not null, gets what each family of kicks has added; on the first process
  /// only
  EnergyBalance energy(FamilyEnergies<spacedim> *of_families = nullptr) const;

  /// Take the balance at time() into energy_audit(); below @p least energies do not matter
  /// [energy]. advance_to() does it if stop_at_energy_error() has been called.
  void audit_energy(const EnergyBalance &now, double least = 0);

  /// Throw ExcEnergyError if the energy error of the last balance says something yet, and is above
  /// @p limit [-].
  void check_energy_error(double limit) const;

  /// Energy errors at the times of audit_energy().
  const EnergyAudit &
  energy_audit() const
  {
    return audit;
  }

  /// To be restored from a checkpoint.
  EnergyAudit &
  energy_audit()
  {
    return audit;
  }

  /// A node whose displacement or velocity is no number; nothing if there is none. advance_to()
  /// throws ExcNotFinite then.
  std::optional<unsigned int> find_not_finite() const;

  /// The bodies in the order of add_body().
  const std::deque<DynamicBody<spacedim>> &
  bodies() const
  {
    return parts;
  }

  /// The shells in the order of add_shell().
  const std::deque<DynamicBody<2, 3>> &
  shells() const
  {
    return shell_parts;
  }

  /// Make the kicks of bodies whose masters have been added, in the order of add_body(): what
  /// start() and stepper() do. After that, it is too late for what changes the cells of these
  /// bodies.
  void make_kicks() const;

  /// Nodes of all bodies, each at a time of its own after start().
  NodeTable<spacedim> &
  nodes()
  {
    synchronised.reset(); // they may be changed
    return table;
  }

  /// The loop that moves the nodes. Makes the kicks of all bodies, which come before others.
  Stepper<spacedim> &
  stepper()
  {
    make_kicks();
    return loop;
  }

  /// The loop that moves the nodes.
  const Stepper<spacedim> &
  stepper() const
  {
    return loop;
  }

  /// Faces and contactors of all bodies, as they are at the start: see present_surface().
  const Surface<spacedim> &
  surface() const
  {
    return faces;
  }

  /// May bodies that contact does not leave out lose cells?
  bool
  has_eroding_surface() const
  {
    return eroding_in_contact != nullptr;
  }

  /// May present_surface() come to differ from surface()?
  bool
  may_lose_faces() const
  {
    return eroding != nullptr;
  }

  /// As it is now: without the faces of deleted cells, with those that these have bared; but bodies
  /// with hanging or tied nodes keep the faces of the start. After start().
  Surface<spacedim>
  present_surface() const
  {
    return eroding ? eroding->now(faces) : faces;
  }

  /// Null without contact and before start().
  ContactMethod<spacedim> *
  contact()
  {
    return contact_method.get();
  }

  /// How contacts are answered: after start() what Response::automatic has become; automatic
  /// without contact.
  Response
  contact_response() const
  {
    return contact_parameters ? contact_parameters->response : Response::automatic;
  }

  /// What contact has done, at time().
  ContactStatistics<spacedim> contact_statistics() const;

  /// Resultants of pairs of bodies and obstacles, of all together, at time(). Throws ExcNoContact
  /// unless there is contact().
  ContactPairs<spacedim> contact_pairs() const;

  /// Throws ExcTooLate, naming @p what, after start().
  void check_not_started(const std::string &what) const;

private:
  DynamicBody<spacedim> &add(std::unique_ptr<Body<spacedim>> body,
                             std::unique_ptr<MeshReplica<spacedim>> replica = nullptr,
                             const std::optional<RigidParameters> &rigid = {});
  template <int, int>
  friend class DynamicBody;
  template <int>
  friend class MeshTransfer;

  /// A tied node that a support is to hold.
  struct HeldFollower
  {
    std::string body;                      ///< name
    dealii::Point<spacedim> reference;     ///< position [length]
    std::vector<Parent> parents;           ///< that must be held
    dealii::Tensor<1, spacedim> direction; ///< in which
  };

  /// Bodies and shells.
  unsigned int
  n_bodies() const
  {
    return parts.size() + shell_parts.size();
  }
  /// Faces of those bodies, in order, whose masters have been added.
  void finish_bodies();
  /// Which bodies are tied, for contact.
  void find_ties();
  void check_ties() const;
  /// Which bodies may lose cells, and which of these are in contact.
  void find_eroding();
  void check_meshes() const;
  /// What start() does first, and each process by itself.
  void check_set_up();
  /// What it does then.
  void begin(OverlapCheck check);
  void choose_overlap_rule(ContactParameters &parameters) const;
  std::optional<std::string> name_of_body(unsigned int node) const;
  /// Motions, loads and damping that have been asked for become kicks.
  void add_loads();
  void advance_loop(double time);
  void call_observers(double until);
  /// Observers look next after the present time, or at it.
  void set_observers(bool after);
  /// With what was before a start that goes on from another run.
  void carry_energy();
  void serialize(Archive &archive);
  /// The part of the fingerprint() that a state has to fit, wherever bodies are.
  std::uint64_t fingerprint_of_set_up() const;
  void check_finite() const;
  void find_wholes();
  void check_energy();
  bool has_other_processes() const;
  /// Do some @p work that knows nothing of other processes. If it throws on some of them, the
  /// others throw Ranks::ExcOtherProcess; if on all, these can go on to communicate.
  void do_on_all(const std::function<void()> &work) const;
  /// Do some @p work. If it throws here, the others hear of it, wherever they are.
  void do_or_tell(const std::function<void()> &work) const;
  std::uint64_t checksum_of_model(OverlapCheck check) const;
  /// Throw if other processes have another model.
  void check_alike(std::uint64_t checksum) const;
  /// The same for prescribed motions, when the stepper has been started.
  void check_motions_alike() const;
  void warn_of_large_strains();

  const Strain strain;
  const StepperParameters stepping;
  const std::shared_ptr<Ranks> ranks; ///< null: this process alone
  NodeTable<spacedim> table;
  Stepper<spacedim> loop;
  Surface<spacedim> faces;
  std::deque<DynamicBody<spacedim>> parts;
  std::deque<DynamicBody<2, 3>> shell_parts; ///< none in two dimensions
  /// What is left to do for bodies that have been added; false if masters are missing.
  std::deque<std::function<bool()>> unfinished;
  mutable std::deque<std::function<void()>> kicks_to_make;       ///< of bodies that have faces
  std::map<const Body<spacedim> *, unsigned int> number_of_body; ///< of the surface
  std::vector<std::function<std::vector<HeldFollower>()>> holds; ///< of tied nodes, until start()
  std::deque<std::function<void()>> given_loads;       ///< motions and damping, too; until start()
  std::vector<std::shared_ptr<Kicks<spacedim>>> loads; ///< since then
  std::vector<BodyAsWhole> wholes;                     ///< all bodies, if energies are checked
  double largest_step = 0;                             ///< critical one that is finite [time]
  bool has_contact_been_set = false;
  std::optional<ContactParameters> contact_parameters;                ///< if it is enabled
  std::vector<Obstacle<spacedim>> obstacles;                          ///< of contact
  std::unique_ptr<const ErodingSurface<spacedim>> eroding;            ///< may be null
  std::shared_ptr<const ErodingSurface<spacedim>> eroding_in_contact; ///< may be null
  std::unique_ptr<ContactMethod<spacedim>> contact_method;            ///< may be null
  mutable std::optional<NodeTable<spacedim>> synchronised;            ///< see state()
  mutable double time_of_synchronised = 0;                            ///< [time]
  EnergyAudit audit;
  double energy_limit = std::numeric_limits<double>::infinity(); ///< of the audit's error [-]
  /// Somebody who looks at the run now and then.
  struct Observer
  {
    double interval; ///< [time]
    std::function<void(double)> look;
    std::int64_t next; ///< number of the interval at whose beginning it looks next

    double
    next_time() const
    {
      return interval * next;
    }
  };
  double start_time = 0;                          ///< time() when that of the loop is 0 [time]
  double reached = 0, reached_by_loop = 0;        ///< see time() [time]
  EnergyBalance carried;                          ///< from a run before, see MeshTransfer
  std::optional<EnergyBalance> balance_before;    ///< at the end of that run, until start()
  std::vector<StoredContactEnergy> stored_before; ///< by contacts then
  double audited_since = 0;                       ///< with the runs before [time]
  std::vector<Observer> observers;
  std::atomic<bool> is_observed{false};   ///< does one of them look now?
  std::uint64_t fingerprint_at_start = 0; ///< fingerprint_of_set_up()
  bool started = false;
  bool has_advanced = false;                     ///< has the loop?
  bool is_ready = false;                         ///< has start() come to its end?
  std::function<void(const std::string &)> warn; ///< see on_warning()
  double next_look = 0;                          ///< for large strains [time]
};

template <int dim, int spacedim>
template <typename VectorType>
dealii::Vector<double>
DynamicBody<dim, spacedim>::to_body(const VectorType &vector) const
{
  check_mesh();
  own_body->check_vector(vector.size());
  if (replica)
    return replica->gather(vector);
  dealii::Vector<double> result(vector.size());
  for (dealii::types::global_dof_index dof = 0; dof < result.size(); ++dof)
    result(dof) = vector(dof);
  return result;
}

template <int dim, int spacedim>
template <typename VectorType>
void
DynamicBody<dim, spacedim>::to_user(const dealii::Vector<double> &of_body, VectorType &vector) const
{
  own_body->check_vector(vector.size());
  if (replica)
    return replica->scatter(of_body, vector);
  for (dealii::types::global_dof_index dof = 0; dof < of_body.size(); ++dof)
    vector(dof) = of_body(dof);
}

template <int dim, int spacedim>
template <typename VectorType>
void
DynamicBody<dim, spacedim>::set_displacement(const VectorType &displacement)
{
  dynamics.check_not_started("set_displacement()");
  own_body->set_displacement(dynamics.nodes(), to_body(displacement));
}

template <int dim, int spacedim>
template <typename VectorType>
void
DynamicBody<dim, spacedim>::set_velocity(const VectorType &velocity)
{
  dynamics.check_not_started("set_velocity()");
  own_body->set_velocity(dynamics.nodes(), to_body(velocity));
  stop_restrained_nodes();
}

template <int dim, int spacedim>
template <typename VectorType>
void
DynamicBody<dim, spacedim>::set_forces(const VectorType &forces)
{
  set_forces_of(to_body(forces));
}

template <int dim, int spacedim>
template <typename VectorType>
void
DynamicBody<dim, spacedim>::get_displacement(VectorType &displacement) const
{
  check_mesh();
  own_body->check_vector(displacement.size());
  dealii::Vector<double> of_body(displacement.size());
  own_body->get_displacement(dynamics.state(), of_body);
  to_user(of_body, displacement);
}

template <int dim, int spacedim>
template <typename VectorType>
void
DynamicBody<dim, spacedim>::get_velocity(VectorType &velocity) const
{
  check_mesh();
  own_body->check_vector(velocity.size());
  dealii::Vector<double> of_body(velocity.size());
  own_body->get_velocity(dynamics.state(), of_body);
  to_user(of_body, velocity);
}

template <int dim, int spacedim>
template <typename VectorType>
void
DynamicBody<dim, spacedim>::get_contact_impulse(VectorType &impulse) const
{
  to_user(contact_impulse(), impulse);
}

template <int dim, int spacedim>
template <typename VectorType>
void
DynamicBody<dim, spacedim>::get_reaction(VectorType &impulse) const
{
  to_user(reaction(), impulse);
}
} // namespace KickDrift

#endif
