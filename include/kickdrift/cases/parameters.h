#ifndef KICKDRIFT_CASES_PARAMETERS_H
#define KICKDRIFT_CASES_PARAMETERS_H

#include <kickdrift/cases/expressions.h>
#include <kickdrift/cases/mesh.h>
#include <kickdrift/cases/obstacle_parameters.h>
#include <kickdrift/cases/parameter_file.h>
#include <kickdrift/contact/parameters.h>
#include <kickdrift/potentials/strain_kicks.h>
#include <kickdrift/stepping/stepper.h>

#include <deal.II/base/function.h>
#include <deal.II/base/types.h>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace KickDrift
{
/// A subsection of Bodies, which describes one body or a grid of copies.
struct BodyGrid
{
  std::string section;                                ///< name of the subsection
  std::array<unsigned int, 3> n_copies = {{1, 1, 1}}; ///< along x, y, z
  /// Material ids that have a material of their own.
  std::set<dealii::types::material_id> material_ids;

  /// One copy has the name of the subsection; several have NAME_1, NAME_2, ..., x fastest.
  std::vector<std::string> bodies() const;
};

/// What has to be known before the other parameters can be declared.
struct CaseOutline
{
  unsigned int dimension = 3;
  std::vector<BodyGrid> grids;
  std::vector<std::string> bodies; ///< of all grids
  std::vector<std::string> obstacles, restraints, loads, probes;

  static void declare_parameters(dealii::ParameterHandler &prm);
  void parse_parameters(dealii::ParameterHandler &prm);

  /// What subsections of Bodies say about copies and materials, after parse_parameters().
  void parse_bodies(dealii::ParameterHandler &prm);

private:
  void find_bodies();
};

/// Nodes of a body: those that satisfy all conditions that are given; all nodes if there are none.
template <int dim>
struct NodeSelection
{
  std::set<dealii::types::boundary_id> boundary_ids;
  std::optional<std::pair<dealii::Point<dim>, dealii::Point<dim>>> box; ///< corners [length]
  std::optional<dealii::Point<dim>> point; ///< the node nearest to it [length]

  static void declare_parameters(dealii::ParameterHandler &prm);
  void parse_parameters(dealii::ParameterHandler &prm, const std::string &section,
                        const Constants &constants);
};

/// Subsection Bodies/NAME.
template <int dim>
struct BodyParameters
{
  std::string name;
  MeshParameters<dim> mesh;
  /// By material id; dealii::numbers::invalid_material_id: of all cells with other ids.
  std::map<dealii::types::material_id, std::shared_ptr<const Material<dim>>> materials;
  StrainIntegration strain_integration = StrainIntegration::standard;
  HourglassControl hourglass;
  std::shared_ptr<dealii::Function<dim>> initial_displacement; ///< of x, y, z [length]
  std::shared_ptr<dealii::Function<dim>> initial_velocity;     ///< of x, y, z [length/time]
  std::function<double(double time)> damping;                  ///< rate; empty: none [1/time]

  /// @param ids material ids that have a material of their own
  static void declare_parameters(dealii::ParameterHandler &prm,
                                 const std::set<dealii::types::material_id> &ids);
  void parse_parameters(dealii::ParameterHandler &prm,
                        const std::set<dealii::types::material_id> &ids,
                        const Constants &constants);

  /// All bodies of a subsection, for which @p prm has been entered.
  static std::vector<BodyParameters> parse_grid(dealii::ParameterHandler &prm, const BodyGrid &grid,
                                                const Constants &constants);
};

/// Subsection Restraints/NAME.
template <int dim>
struct RestraintParameters
{
  std::string name;
  unsigned int body = 0; ///< index into CaseParameters::bodies
  NodeSelection<dim> selection;
  std::vector<dealii::Tensor<1, dim>> directions;      ///< not empty, none is zero
  std::shared_ptr<dealii::Function<dim>> displacement; ///< of x, y, z, t; null: fixed [length]

  static void declare_parameters(dealii::ParameterHandler &prm,
                                 const std::vector<std::string> &bodies);
  void parse_parameters(dealii::ParameterHandler &prm, const std::vector<std::string> &bodies,
                        const Constants &constants);
};

/// Subsection Loads/NAME.
template <int dim>
struct LoadParameters
{
  enum class Type
  {
    body_force,   ///< force per reference volume
    acceleration, ///< force per mass
    traction,     ///< force per reference area
    pressure      ///< force per present area, against the outward normal
  };

  std::string name;
  unsigned int body = 0; ///< index into CaseParameters::bodies
  Type type = Type::body_force;
  /// Of tractions and pressures; empty: the whole boundary.
  std::set<dealii::types::boundary_id> boundary_ids;
  std::shared_ptr<dealii::Function<dim>> value; ///< of x, y, z, t; one component for pressures
  bool depends_on_time = false;

  bool
  acts_on_boundary() const
  {
    return type == Type::traction || type == Type::pressure;
  }

  static void declare_parameters(dealii::ParameterHandler &prm,
                                 const std::vector<std::string> &bodies);
  void parse_parameters(dealii::ParameterHandler &prm, const std::vector<std::string> &bodies,
                        const Constants &constants);
};

/// Subsection Probes/NAME.
template <int dim>
struct ProbeParameters
{
  std::string name;
  unsigned int body = 0; ///< index into CaseParameters::bodies
  NodeSelection<dim> selection;

  static void declare_parameters(dealii::ParameterHandler &prm,
                                 const std::vector<std::string> &bodies);
  void parse_parameters(dealii::ParameterHandler &prm, const std::vector<std::string> &bodies,
                        const Constants &constants);
};

/// Subsection Stepping.
struct SteppingParameters
{
  StepperParameters stepper;
  bool strain = true;        ///< false: bodies fly rigidly
  double end_time = 0;       ///< [time]
  double energy_limit = 0.1; ///< relative energy error at which the run stops

  static void declare_parameters(dealii::ParameterHandler &prm);
  void parse_parameters(dealii::ParameterHandler &prm);
};

/// Throw dealii::ExceptionBase, naming the parameter, if steps of @p smallest_step until @p
/// end_time are too many to be counted exactly.
void check_n_steps(double end_time, double smallest_step);

/// Subsection Detection.
struct DetectionParameters
{
  bool enabled = false;
  double resolution = 0;           ///< positive if enabled [time]
  double largest_acceleration = 0; ///< beside constant loads [length/time^2]

  static void declare_parameters(dealii::ParameterHandler &prm);

  /// After @p stepping.
  void parse_parameters(dealii::ParameterHandler &prm, const SteppingParameters &stepping);
};

/// Subsection Output.
struct OutputParameters
{
  std::string folder; ///< empty: output/NAME for the parameter file NAME.prm
  unsigned int save_intervals = 100;
  unsigned int vtu_every = 0;     ///< save times between volume files; 0: none
  unsigned int surface_every = 0; ///< save times between surface files; 0: none

  static void declare_parameters(dealii::ParameterHandler &prm);
  void parse_parameters(dealii::ParameterHandler &prm);
};

/// Everything that describes a case.
template <int dim>
struct CaseParameters
{
  Constants constants; ///< usable in all expressions
  std::vector<BodyParameters<dim>> bodies;
  std::vector<ObstacleParameters<dim>> obstacles;
  std::vector<RestraintParameters<dim>> restraints;
  std::vector<LoadParameters<dim>> loads;
  std::vector<ProbeParameters<dim>> probes;
  SteppingParameters stepping;
  ContactParameters contact;
  DetectionParameters detection;
  OutputParameters output;

  static void declare_parameters(dealii::ParameterHandler &prm, const CaseOutline &outline);

  /// Throws dealii::ExceptionBase naming the parameter if something does not fit.
  void parse_parameters(dealii::ParameterHandler &prm, const CaseOutline &outline);
};

/// The outline as the @p assignments give it. Throws dealii::ExceptionBase for values that do not
/// fit.
CaseOutline read_outline(const std::vector<Assignment> &assignments);
} // namespace KickDrift

#endif
