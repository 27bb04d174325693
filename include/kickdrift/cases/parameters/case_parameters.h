#ifndef KICKDRIFT_CASES_PARAMETERS_CASE_PARAMETERS_H
#define KICKDRIFT_CASES_PARAMETERS_CASE_PARAMETERS_H

#include <kickdrift/base/expressions.h>
#include <kickdrift/cases/input/amplitude.h>
#include <kickdrift/cases/input/parameter_file.h>
#include <kickdrift/cases/parameters/kick_maker.h>
#include <kickdrift/cases/parameters/obstacle_parameters.h>
#include <kickdrift/contact/parameters.h>
#include <kickdrift/deal_ii/rigid_mass.h>
#include <kickdrift/meshes/mesh.h>
#include <kickdrift/output/histories.h>
#include <kickdrift/potentials/cells/strain_kicks.h>
#include <kickdrift/potentials/loads/body_load.h>
#include <kickdrift/potentials/shells/shell_section.h>
#include <kickdrift/stepping/stepper.h>

#include <deal.II/base/function.h>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace KickDrift
{
/// A subsection of Bodies, which describes one body or a grid of copies.
struct BodyGrid
{
  std::string section;                                ///< name of the subsection
  std::array<unsigned int, 3> n_copies = {{1, 1, 1}}; ///< along x, y, z
  /// Material ids, or names of them, that have a material of their own.
  std::vector<std::string> material_ids;

  /// One copy has the name of the subsection; several have NAME_1, NAME_2, ..., x fastest.
  std::vector<std::string> bodies() const;

  /// How many these are.
  unsigned int
  n_bodies() const
  {
    return n_copies[0] * n_copies[1] * n_copies[2];
  }
};

/// What has to be known before the other parameters can be declared.
struct CaseOutline
{
  unsigned int dimension = 3;          ///< 2 or 3
  Constants constants;                 ///< known in all expressions
  std::vector<BodyGrid> grids;         ///< Bodies/Names, and the copies of each
  std::vector<std::string> bodies;     ///< of all grids
  std::vector<std::string> ties;       ///< Ties/Names
  std::vector<std::string> obstacles;  ///< Obstacles/Names
  std::vector<std::string> restraints; ///< Restraints/Names
  std::vector<std::string> loads;      ///< Loads/Names
  std::vector<std::string> kicks;      ///< Kicks/Names
  std::vector<std::string> probes;     ///< Probes/Names
  std::vector<std::string> sections;   ///< Sections/Names
  std::vector<std::string> springs;    ///< Springs/Names
  std::vector<std::string> masses;     ///< Point masses/Names

  /// Declare the parameters in the current subsection.
  static void declare_parameters(dealii::ParameterHandler &prm);
  /// Read the parameters from the current subsection.
  void parse_parameters(dealii::ParameterHandler &prm);

  /**
   * Indices of the bodies in @p list: names of bodies, and of subsections of Bodies for all their
   * copies, separated by commas; empty: all. Ascending. Throws dealii::ExceptionBase, naming the
   * @p parameter, for unknown names.
   */
  std::vector<unsigned int> indices_of(const std::string &list, const std::string &parameter) const;

  /// What subsections of Bodies say about copies and materials, after parse_parameters().
  void parse_bodies(const std::vector<Assignment> &assignments);

private:
  void find_bodies();
};

/// Nodes of a body: those that satisfy all conditions that are given; all nodes if there are none.
template <int dim>
struct NodeSelection
{
  std::vector<std::string> boundaries; ///< ids, or names that the mesh has
  std::vector<std::string> materials;  ///< of the cells around; ids, or names that the mesh has
  std::optional<std::pair<dealii::Point<dim>, dealii::Point<dim>>> box; ///< corners [length]
  std::optional<dealii::Point<dim>> point; ///< the node nearest to it [length]

  /// Declare the parameters in the current subsection.
  static void declare_parameters(dealii::ParameterHandler &prm);
  /// Read the parameters from the current subsection.
  void parse_parameters(dealii::ParameterHandler &prm, const std::string &section,
                        const Constants &constants);
};

/// What Bodies/NAME says of a body that does not deform.
struct RigidBodyParameters
{
  bool is_rigid = false;       ///< does it not deform?
  double mass = 0;             ///< 0: that of mesh and density [mass]
  std::vector<double> centre;  ///< of mass; empty: that of mesh and density [length]
  std::vector<double> inertia; ///< one number in the plane, three or six in space; empty: that of
                               ///< mesh and density [mass*length^2]
  double critical_step = 0;    ///< 0: it follows from what the body does [time]
  bool is_driven = false;      ///< is its motion given? See BodyParameters::drive

  /// Declare the parameters in the current subsection.
  static void declare_parameters(dealii::ParameterHandler &prm);
  /// Read the parameters from the current subsection of the body @p section.
  void parse_parameters(dealii::ParameterHandler &prm, const std::string &section,
                        unsigned int dimension, const Constants &constants);

  /// As Dynamics::add_rigid_body() wants them.
  RigidParameters parameters() const;
};

/// Subsection Bodies/NAME.
template <int dim>
struct BodyParameters
{
  std::string name;         ///< of the body
  std::string section;      ///< NAME of the section, which copies share
  MeshParameters<dim> mesh; ///< subsection Mesh
  /// By material id or name; empty: of all cells with other ids.
  std::map<std::string, std::shared_ptr<const Material<dim>>> materials;
  StrainIntegration strain_integration =
      StrainIntegration::standard;     ///< where strain energy is integrated
  HourglassControl hourglass;          ///< of one-point integration
  double thickness = 0;                ///< of a shell [length]
  Bending bending = Bending::triangle; ///< of a shell
  /// Boundary ids, or names, of a shell's edges at which the normal keeps its direction.
  std::vector<std::string> clamped_boundaries;
  /// A restraint that leaves directions free at boundaries of the body: some may be in planes of
  /// symmetry.
  struct Guide
  {
    std::string restraint;                          ///< its name
    std::vector<std::string> boundaries;            ///< boundary ids, or names
    std::vector<dealii::Tensor<1, dim>> directions; ///< in which it holds
  };
  std::vector<Guide> guides;                                   ///< of a shell
  std::shared_ptr<dealii::Function<dim>> initial_displacement; ///< of x, y, z [length]
  std::shared_ptr<dealii::Function<dim>> initial_velocity;     ///< of x, y, z [length/time]
  std::shared_ptr<dealii::Function<dim>> initial_stress; ///< of x, y, z; null: none [force/area]
  /// Equivalent plastic strain at the start, of x, y, z; null: none [-].
  std::shared_ptr<dealii::Function<dim>> initial_plastic_strain;
  std::function<double(double time)> damping; ///< rate; empty: none [1/time]
  double failure_strain = 0;                  ///< of its cells; 0: none [-]
  Viscosity viscosity;                        ///< of the cells
  RigidBodyParameters rigid;                  ///< of a body that is
  /// Displacement of a rigid body whose motion is given, of x, y, z, t; null: it is free [length]
  std::shared_ptr<dealii::Function<dim>> drive;

  /// @param ids material ids, or names of them, that have a material of their own
  static void declare_parameters(dealii::ParameterHandler &prm,
                                 const std::vector<std::string> &ids);
  /// Read the parameters from the current subsection.
  void parse_parameters(dealii::ParameterHandler &prm, const std::vector<std::string> &ids,
                        const Constants &constants);

  /// Section of the shell that the body is. @pre mesh.is_shell()
  ShellSection section_of_shell() const;

  /// All bodies of a subsection, for which @p prm has been entered.
  static std::vector<BodyParameters> parse_grid(dealii::ParameterHandler &prm, const BodyGrid &grid,
                                                const Constants &constants);

private:
  void parse_shell(dealii::ParameterHandler &prm, const Constants &constants);
};

/// Subsection Ties/NAME.
struct TieParameters
{
  /// Some bodies, and a part of their boundaries.
  struct Side
  {
    std::vector<unsigned int> bodies; ///< indices into CaseParameters::bodies
    std::string boundary;             ///< id, or name that the mesh has; empty: all of it
  };

  std::string name;            ///< NAME of the section
  std::vector<Side> followers; ///< whose nodes are tied
  std::vector<Side> masters;   ///< whose faces they follow
  double tolerance = 0.1;      ///< how far nodes may be from a face, of its longest edge [-]
  bool allow_untied = false;   ///< may nodes find no face?

  /// Declare the parameters in the current subsection.
  static void declare_parameters(dealii::ParameterHandler &prm);
  /// Read the parameters from the current subsection.
  void parse_parameters(dealii::ParameterHandler &prm, const CaseOutline &outline);
};

/// Subsection Restraints/NAME, or what holds and moves a driven rigid body.
template <int dim>
struct RestraintParameters
{
  std::string name;                                    ///< NAME of the section, or a driven body
  std::string motion;                                  ///< parameter of the displacement
  std::vector<unsigned int> bodies;                    ///< indices into CaseParameters::bodies
  NodeSelection<dim> selection;                        ///< nodes that are held
  std::vector<dealii::Tensor<1, dim>> directions;      ///< not empty, none is zero
  std::shared_ptr<dealii::Function<dim>> displacement; ///< of x, y, z, t; null: fixed [length]

  /// Declare the parameters in the current subsection.
  static void declare_parameters(dealii::ParameterHandler &prm);
  /// Read the parameters from the current subsection.
  void parse_parameters(dealii::ParameterHandler &prm, const CaseOutline &outline);
};

/// Subsection Loads/NAME.
template <int dim>
struct LoadParameters
{
  using Type = typename BodyLoad<dim>::Type; ///< what a load is counted per

  std::string name;                 ///< NAME of the section
  std::vector<unsigned int> bodies; ///< indices into CaseParameters::bodies
  Type type = Type::body_force;     ///< what the value is counted per
  /// Ids or names, of tractions and pressures; empty: the whole boundary.
  std::vector<std::string> boundaries;
  std::shared_ptr<dealii::Function<dim>> value; ///< of x, y, z, t; one component for pressures
  bool depends_on_time = false;                 ///< does the value change with time?
  /// The same value, if it is an expression without time, times an amplitude; otherwise null.
  std::shared_ptr<const ScaledFunction<dim>> separated;

  /// Is it a traction or a pressure?
  bool
  acts_on_boundary() const
  {
    return type == Type::traction || type == Type::pressure;
  }

  /// Declare the parameters in the current subsection.
  static void declare_parameters(dealii::ParameterHandler &prm);
  /// Read the parameters from the current subsection.
  void parse_parameters(dealii::ParameterHandler &prm, const CaseOutline &outline);
};

/// Subsection Mass scaling.
struct MassScalingParameters
{
  double critical_step = 0; ///< that all critical steps of these bodies reach; 0: off [time]
  std::vector<unsigned int> bodies; ///< indices into CaseParameters::bodies

  /// Declare the parameters in the current subsection.
  static void declare_parameters(dealii::ParameterHandler &prm);
  /// Read the parameters from the current subsection.
  void parse_parameters(dealii::ParameterHandler &prm, const CaseOutline &outline);
};

/// Subsection Probes/NAME.
template <int dim>
struct ProbeParameters
{
  std::string name;                 ///< NAME of the section
  std::vector<unsigned int> bodies; ///< indices into CaseParameters::bodies
  NodeSelection<dim> selection;     ///< nodes that are averaged, and cells
  std::vector<std::string> fields;  ///< beside displacement and velocity, of the cells
  std::vector<Statistic> values;    ///< of these fields, and beside means of the others

  /// Declare the parameters in the current subsection.
  static void declare_parameters(dealii::ParameterHandler &prm);
  /// Read the parameters from the current subsection.
  void parse_parameters(dealii::ParameterHandler &prm, const CaseOutline &outline);
};

/// Subsection Sections/NAME.
template <int dim>
struct SectionParameters
{
  std::string name;                 ///< NAME of the section
  std::vector<unsigned int> bodies; ///< indices into CaseParameters::bodies
  dealii::Point<dim> point;         ///< of the plane; moments are about it [length]
  dealii::Tensor<1, dim> normal;    ///< points to the front, of any length

  /// Declare the parameters in the current subsection.
  static void declare_parameters(dealii::ParameterHandler &prm);
  /// Read the parameters from the current subsection.
  void parse_parameters(dealii::ParameterHandler &prm, const CaseOutline &outline);
};

/// Subsection Springs/NAME.
template <int dim>
struct SpringParameters
{
  /// Where an end is: at the node nearest to a point of a body, or at a point in space.
  struct End
  {
    std::optional<unsigned int> body; ///< index into CaseParameters::bodies; none: in space
    dealii::Point<dim> point;         ///< [length]
  };

  std::string name;     ///< NAME of the section
  End first;            ///< has a body
  End second;           ///< the other end
  double stiffness = 0; ///< [force/length]
  double damping = 0;   ///< of a dashpot beside it [force time/length]
  std::string boundary; ///< id or name: its nodes are held where they are; empty: two ends
  std::optional<double> rest_length; ///< none: the length at the start [length]

  /// Declare the parameters in the current subsection.
  static void declare_parameters(dealii::ParameterHandler &prm);
  /// Read the parameters from the current subsection.
  void parse_parameters(dealii::ParameterHandler &prm, const CaseOutline &outline);
};

/// Subsection Point masses/NAME.
template <int dim>
struct PointMassParameters
{
  std::string name;                 ///< NAME of the section
  std::vector<unsigned int> bodies; ///< indices into CaseParameters::bodies
  NodeSelection<dim> selection;     ///< nodes that share the mass
  double mass = 0;                  ///< of all together [mass]

  /// Declare the parameters in the current subsection.
  static void declare_parameters(dealii::ParameterHandler &prm);
  /// Read the parameters from the current subsection.
  void parse_parameters(dealii::ParameterHandler &prm, const CaseOutline &outline);
};

/// Subsection Stepping.
struct SteppingParameters
{
  StepperParameters stepper; ///< clocks, time step ratio and threads
  bool strain = true;        ///< false: bodies fly rigidly
  double end_time = 1;       ///< [time]
  double energy_limit = 0.1; ///< relative energy error at which the run stops
  double quiet_start = 0;    ///< forces left by the search for equilibrium; 0: none [-]
  bool divides_again = true; ///< are kicks divided among processes anew?

  /// Declare the parameters in the current subsection.
  static void declare_parameters(dealii::ParameterHandler &prm);
  /// Read the parameters from the current subsection.
  void parse_parameters(dealii::ParameterHandler &prm);
};

/// Throw dealii::ExceptionBase, naming the parameter, if steps of @p smallest_step until @p
/// end_time are too many to be counted exactly.
void check_n_steps(double end_time, double smallest_step);

/// Subsection Detection.
struct DetectionParameters
{
  bool enabled = false;            ///< is the section used?
  double resolution = 0;           ///< positive if enabled [time]
  double largest_acceleration = 0; ///< beside constant loads [length/time^2]
  bool self_contact = false;       ///< of bodies with themselves, too?

  /// Declare the parameters in the current subsection.
  static void declare_parameters(dealii::ParameterHandler &prm);

  /// After @p stepping.
  void parse_parameters(dealii::ParameterHandler &prm, const SteppingParameters &stepping);
};

/// Subsection Output.
struct OutputParameters
{
  std::string folder;                ///< empty: output/NAME for the parameter file NAME.prm
  unsigned int save_intervals = 100; ///< number of intervals between save times
  unsigned int vtu_every = 0;        ///< save times between volume files; 0: none
  unsigned int surface_every = 0;    ///< save times between surface files; 0: none
  bool vtu_pieces = false;           ///< does each process write a piece of the volume files?

  /// Declare the parameters in the current subsection.
  static void declare_parameters(dealii::ParameterHandler &prm);
  /// Read the parameters from the current subsection.
  void parse_parameters(dealii::ParameterHandler &prm);
};

/// Subsection Checkpoint.
struct CheckpointParameters
{
  double wall_time_interval = 600; ///< 0: none [s]
  double time_interval = 0;        ///< 0: none [time]

  static void declare_parameters(dealii::ParameterHandler &prm); ///< In the current subsection.
  void parse_parameters(dealii::ParameterHandler &prm);          ///< From the current subsection.
};

/// Everything that describes a case.
template <int dim>
struct CaseParameters
{
  Constants constants;                              ///< usable in all expressions
  std::vector<BodyParameters<dim>> bodies;          ///< sections Bodies/NAME
  std::vector<TieParameters> ties;                  ///< sections Ties/NAME
  std::vector<ObstacleParameters<dim>> obstacles;   ///< sections Obstacles/NAME
  std::vector<RestraintParameters<dim>> restraints; ///< sections Restraints/NAME
  std::vector<LoadParameters<dim>> loads;           ///< sections Loads/NAME
  std::vector<KickParameters<dim>> kicks;           ///< sections Kicks/NAME
  std::vector<ProbeParameters<dim>> probes;         ///< sections Probes/NAME
  std::vector<SectionParameters<dim>> sections;     ///< sections Sections/NAME
  std::vector<SpringParameters<dim>> springs;       ///< sections Springs/NAME
  std::vector<PointMassParameters<dim>> masses;     ///< sections Point masses/NAME
  SteppingParameters stepping;                      ///< section Stepping
  MassScalingParameters mass_scaling;               ///< section Mass scaling
  ContactParameters contact;                        ///< section Contact
  DetectionParameters detection;                    ///< section Detection
  OutputParameters output;                          ///< section Output
  CheckpointParameters checkpoint;                  ///< section Checkpoint

  /// Declare all parameters in the current subsection, but for those of sections of bodies: see
  /// CaseInput.
  static void declare_parameters(dealii::ParameterHandler &prm, const CaseOutline &outline);

  /// Read these; the bodies are there already. Throws dealii::ExceptionBase naming the parameter if
  /// something does not fit.
  void parse_parameters(dealii::ParameterHandler &prm, const CaseOutline &outline);

private:
  void drive_bodies();
  /// Tell shells which restraints may put their edges into planes of symmetry.
  void find_guides();
};

/// The outline as the @p assignments give it. Throws dealii::ExceptionBase for values that do not
/// fit.
CaseOutline read_outline(const std::vector<Assignment> &assignments);
} // namespace KickDrift

#endif
