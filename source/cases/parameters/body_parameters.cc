#include <kickdrift/base/expressions.h>
#include <kickdrift/base/messages.h>
#include <kickdrift/base/parameter_table.h>
#include <kickdrift/base/registry.h>
#include <kickdrift/cases/parameters/case_parameters.h>
#include <kickdrift/potentials/materials/built_in_materials.h>
#include <kickdrift/potentials/materials/plasticity.h>

#include <deal.II/base/exceptions.h>
#include <deal.II/base/utilities.h>

#include <algorithm>
#include <cmath>

#include "parameter_parsing.h"

namespace KickDrift
{
using namespace dealii;

namespace
{
const EnumNames<StrainIntegration>
    strain_integrations({{StrainIntegration::standard, "standard"},
                         {StrainIntegration::nodal, "nodal"},
                         {StrainIntegration::one_point, "one-point"},
                         {StrainIntegration::mean_dilatation, "mean dilatation"}});
const EnumNames<HourglassControl::Form>
    hourglass_forms({{HourglassControl::Form::physical, "physical"},
                     {HourglassControl::Form::flanagan_belytschko, "Flanagan-Belytschko"}});
const EnumNames<Bending> bendings({{Bending::triangle, "triangle"},
                                   {Bending::hinge, "hinge"},
                                   {Bending::loop, "Loop"},
                                   {Bending::none, "none"}});
constexpr const char *variables = "expressions of x, y, z and the constants";

/// Rate of damping; empty if it is always zero.
std::function<double(double)>
parse_damping(ParameterHandler &prm, const std::string &section, const Constants &constants)
{
  const std::string text = prm.get("Damping");
  const std::string name = section + "/Damping";
  const std::shared_ptr<Function<1>> function = make_function<1>(text, 1, name, constants);
  AssertThrow(!mentions(text, "x"),
              ExcMessage("'" + name + "' cannot be '" + text + "'; it may depend on time only."));
  if (!mentions(text, "t") && function->value(Point<1>()) == 0)
    return {};
  const auto rate_at = [function, name](const double time)
  {
    function->set_time(time);
    const double rate = function->value(Point<1>());
    AssertThrow(std::isfinite(rate) && rate >= 0,
                ExcMessage("Parameter '" + name + "' has the value " + number_text(rate) +
                           " at time " + number_text(time) +
                           "; allowed are finite numbers from 0."));
    return rate;
  };
  rate_at(0);
  return rate_at;
}

/// Where and how strain energy is integrated.
template <int dim>
void
list(BodyParameters<dim> &body, ParameterTable table)
{
  table.add(
      "Strain integration", body.strain_integration, strain_integrations,
      "Where strain energy is integrated. 'standard': in the cells, 2-point Gauss in every "
      "direction; locks in bending, and if Poisson's ratio is near 0.5. 'nodal': at the nodes, "
      "with strains averaged over the cells around them, and a stabilisation in the cells (Puso & "
      "Solberg 2006); for triangles and tetrahedra, which then do not lock, though a kick costs "
      "several times as much; quadrilaterals and hexahedra still do if Poisson's ratio is near "
      "0.5. 'one-point': in the cells, with the mean gradient and hourglass control; does not "
      "lock, and a kick costs less. Quadrilaterals and hexahedra only. 'mean dilatation': "
      "as standard, with the change of volume averaged over the cell (Simo, Taylor & Pister 1985); "
      "does not lock where deformations keep the volume, as plastic flow does. Quadrilaterals and "
      "hexahedra only. Materials with a history go with 'standard' and 'mean dilatation'.");
  table.add(
      "Hourglass control", body.hourglass.form, hourglass_forms,
      "With one-point integration: what resists the deformations that the mean gradient does not "
      "see. 'physical': the strains that they stand for, without those that make cells lock; bends "
      "and twists like a beam even with one cell across. 'Flanagan-Belytschko': the same stiffness "
      "for all of them, the coefficient times twice the shear modulus times the square of the mean "
      "gradients. Its energy is the column hourglass_energy of statistics.csv.");
  table.add("Hourglass coefficient", body.hourglass.coefficient, Patterns::Double(0),
            "Factor of the hourglass stiffness. 0: the usual one, 1 for physical control, "
            "0.05 for Flanagan-Belytschko.");
}

/// What opposes the rate of deformation.
template <int dim>
void
list_viscosity(BodyParameters<dim> &body, ParameterTable table)
{
  table.add("Stiffness damping", body.viscosity.stiffness_damping, Patterns::Double(0),
            "Time tau of stiffness-proportional damping: stresses tau times the elasticity times "
            "the rate of strain. A mode of frequency omega has the damping ratio tau*omega/2, so "
            "high ones die out first, and rigid motion is left alone. Critical steps h become "
            "shorter, about by tau. Units: time.");
  table.add("Linear bulk viscosity", body.viscosity.linear_bulk, Patterns::Double(0),
            "Coefficient of a pressure against the rate at which cells change their volume, in "
            "proportion to their length: damps what rings behind shocks and in the finest waves. "
            "Usually 0.06. Units: none.");
  table.add("Quadratic bulk viscosity", body.viscosity.quadratic_bulk, Patterns::Double(0),
            "Coefficient of a pressure that grows with the square of the rate at which cells "
            "become smaller, so that strong shocks are smeared over a few cells. Usually 1.2. What "
            "all three take is the column viscous_loss of statistics.csv. Units: none.");
}

/// When cells are deleted.
template <int dim>
void
list_failure(BodyParameters<dim> &body, ParameterTable table)
{
  table.add("Failure strain", body.failure_strain, Patterns::Double(0),
            "Strain at which a cell is deleted: the equivalent plastic strain of plastic "
            "materials, averaged over the cell as in pictures, otherwise the largest principal "
            "logarithmic strain of its mean deformation. From then on it exerts no force and "
            "limits no step. Its mass stays with its nodes, loads go on acting on them, and what "
            "it had stored is the column eroded_energy of statistics.csv. Contact follows: what "
            "cells have bared is surface, and nodes without cells touch nothing any more. That is "
            "for contacts that impulses answer, without shells, ties, hanging nodes and "
            "'Contact/Reference/Projection'; else the body must be excluded from contact with "
            "itself and all "
            "others ('Contact/Exclude' = plate:plate, plate:floor). 0: no cell is ever deleted. "
            "Units: none.");
}

/// Components of the initial stress.
template <int dim>
constexpr unsigned int n_stresses = dim == 3 ? 6 : 4;

/// How a shell bends.
template <int dim>
void
list_shell(BodyParameters<dim> &body, ParameterTable table)
{
  table.add("Bending", body.bending, bendings,
            "With 'Mesh/Cell type' = shell: what resists bending. 'triangle': the curvature of "
            "every triangle, from the angles at its edges; best with triangles that are nearly "
            "equilateral or halves of squares cut along parallel diagonals. 'hinge': a hinge at "
            "every edge (Grinspun et al. 2003, Vouga et al. 2012); cheap, for cloth, but the "
            "stiffness depends on the pattern of the mesh. 'Loop': the limit surface of Loop's "
            "subdivision (Cirak & Ortiz 2001), which is smooth; the nodes are its control points. "
            "'none': a membrane.");
}

std::string
material_subsection(const std::string &id)
{
  return "Id " + id;
}

template <int dim>
void
declare_material(ParameterHandler &prm)
{
  prm.declare_entry("Model", "neo-Hookean", Patterns::Selection(Registry<Material<dim>>::names()),
                    Registry<Material<dim>>::help());
  Registry<Material<dim>>::declare_parameters(prm);
}

template <int dim>
std::shared_ptr<const Material<dim>>
parse_material(ParameterHandler &prm, const std::string &section)
{
  try
  {
    return Registry<Material<dim>>::create(prm.get("Model"), prm);
  }
  catch (const ExceptionBase &exception)
  {
    AssertThrow(false, ExcMessage("'" + section + "': " + message_of(exception)));
  }
  return nullptr;
}
} // namespace

void
declare_material_ids(ParameterHandler &prm)
{
  prm.declare_entry("Ids", "", Patterns::Anything(),
                    "Material ids of the mesh, or names that a mesh file gives to them, separated "
                    "by commas, whose cells are of another material: each has a subsection 'Id "
                    "NUMBER' or 'Id NAME' with entries as here. Cells with other ids have the "
                    "material described here. In Abaqus' and LS-DYNA's files 0 is what belongs to "
                    "no set or part.");
}

std::vector<std::string>
parse_material_ids(const std::string &list, const std::string &name)
{
  const auto ids = Utilities::split_string_list(list, ',');
  for (const auto &id : ids)
  {
    const std::string complaint = "'" + name + "' cannot be '" + list + "': ";
    AssertThrow(std::count(ids.begin(), ids.end(), id) == 1,
                ExcMessage(complaint + id + " is in it twice."));
    AssertThrow(!id.empty() && id.find_first_of("/=\"") == std::string::npos,
                ExcMessage(complaint + "'" + id +
                           "' is no id or name; these must not be empty or contain / = \"."));
  }
  return ids;
}

template <int dim>
void
BodyParameters<dim>::declare_parameters(ParameterHandler &prm, const std::vector<std::string> &ids)
{
  declare_copies(prm);
  prm.declare_entry("Spacing", dim == 2 ? "0, 0" : "0, 0, 0", Patterns::Anything(),
                    "From one copy to the next along x, y, z, expressions of the constants. "
                    "Expressions of other parameters see a copy where it is; only the mesh is "
                    "described for the first one. Units: length.");
  {
    const Subsection subsection(prm, {"Mesh"});
    MeshParameters<dim>::declare_parameters(prm);
  }
  {
    const Subsection subsection(prm, {"Material"});
    register_built_in_materials();
    declare_material<dim>(prm);
    declare_material_ids(prm);
    for (const auto &id : ids)
    {
      const Subsection of_id(prm, {material_subsection(id)});
      declare_material<dim>(prm);
    }
  }
  RigidBodyParameters::declare_parameters(prm);
  declare_drive<dim>(prm);
  BodyParameters<dim> defaults;
  list(defaults, {prm, ParameterTable::Task::declare});
  list_viscosity(defaults, {prm, ParameterTable::Task::declare});
  list_failure(defaults, {prm, ParameterTable::Task::declare});
  if (dim == 3)
  {
    prm.declare_entry("Thickness", "0", Patterns::Anything(),
                      "Thickness of a shell ('Mesh/Cell type' = shell), an expression of the "
                      "constants. Its material is in plane stress; 'Material/Model' must be "
                      "St. Venant-Kirchhoff. Units: length.");
    list_shell(defaults, {prm, ParameterTable::Task::declare});
    prm.declare_entry(
        "Clamped boundary ids", "", Patterns::Anything(),
        "Boundary ids of a shell, or names that a mesh file gives to them, separated by commas: "
        "at these edges the normal of the shell keeps its direction, as if it went on beyond them "
        "as its mirror image. Together with a restraint that holds all directions there, it is a "
        "clamped edge; with one of the same 'Boundary ids' that holds the direction across the "
        "edge, "
        "in the plane of the shell, and leaves others free, it is in a plane of symmetry, which is "
        "square to that direction. With 'Bending' = Loop clamped edges are too soft on coarse "
        "meshes, by 11 % with 12 squares along a plate. Edges that are not named turn freely: held "
        "by a restraint they are simply supported. Empty: none.");
  }
  prm.declare_entry("Initial displacement", zeros<dim>(), Patterns::Anything(),
                    std::string("Components of the displacement at the start, ") + variables +
                        ", separated by semicolons. Units: length.");
  prm.declare_entry("Initial velocity", zeros<dim>(), Patterns::Anything(),
                    std::string("Components of the velocity at the start, ") + variables +
                        ", separated by semicolons. What restraints forbid is taken away. "
                        "Units: length/time.");
  prm.declare_entry(
      "Initial stress", "", Patterns::Anything(),
      std::string(
          "Stress in the reference state, where nothing is displaced: components xx; yy; ") +
          (dim == 3 ? "zz; xy; xz; yz" : "zz; xy") +
          ", expressions of x, y, z and the constants, separated by semicolons; tension is "
          "positive. What it is not in equilibrium with begins to move. For elastic materials with "
          "'Strain integration' = standard or mean dilatation. Empty: none. Units: force/area.");
  prm.declare_entry("Initial plastic strain", "", Patterns::Anything(),
                    std::string("Equivalent plastic strain that plastic materials have at the "
                                "start, from 0, one of the ") +
                        variables +
                        ": of a part that has been formed, say. It has hardened them, counts for "
                        "'Failure strain' and for pictures, and leaves neither stress nor heat; "
                        "plastic work counts from the start. With 'Strain integration' = standard "
                        "or mean dilatation. Empty: none. Units: none.");
  prm.declare_entry(
      "Damping", "0", Patterns::Anything(),
      "Rate of mass-proportional damping, an expression of time t and the constants: "
      "velocities die out like exp(-rate*t), whatever the deformation, except for "
      "what restraints prescribe. 't < 5 ? 2 : 0' brings a loaded body to rest until "
      "time 5 and then sets it free. A mode of period T comes to rest soonest with 4*pi/T. "
      "Units: 1/time.");
}

template <int dim>
void
BodyParameters<dim>::parse_parameters(ParameterHandler &prm, const std::vector<std::string> &ids,
                                      const Constants &constants)
{
  const std::string section = "Bodies/" + name;
  {
    const Subsection subsection(prm, {"Mesh"});
    mesh.parse_parameters(prm, constants, section + "/Mesh");
  }
  list(*this, {prm, ParameterTable::Task::read});
  list_viscosity(*this, {prm, ParameterTable::Task::read});
  list_failure(*this, {prm, ParameterTable::Task::read});
  initial_displacement = parse_function<dim>(prm, section, "Initial displacement", constants);
  initial_velocity = parse_function<dim>(prm, section, "Initial velocity", constants);
  if (!prm.get("Initial stress").empty())
    initial_stress =
        parse_function<dim>(prm, section, "Initial stress", constants, n_stresses<dim>);
  if (!prm.get("Initial plastic strain").empty())
    initial_plastic_strain =
        parse_function<dim>(prm, section, "Initial plastic strain", constants, 1);
  damping = parse_damping(prm, section, constants);
  rigid.parse_parameters(prm, section, dim, constants);
  drive = parse_drive<dim>(prm, section, constants);
  rigid.is_driven = drive != nullptr;
  if (dim == 3)
    parse_shell(prm, constants);
  const Subsection subsection(prm, {"Material"});
  materials[""] = parse_material<dim>(prm, section + "/Material");
  for (const auto &id : ids)
  {
    const Subsection of_id(prm, {material_subsection(id)});
    materials[id] = parse_material<dim>(prm, section + "/Material/" + material_subsection(id));
  }
  check_body(*this);
}

template <int dim>
void
BodyParameters<dim>::parse_shell(ParameterHandler &prm, const Constants &constants)
{
  list_shell(*this, {prm, ParameterTable::Task::read});
  clamped_boundaries = Utilities::split_string_list(prm.get("Clamped boundary ids"), ',');
  thickness = evaluate(prm.get("Thickness"), "Bodies/" + name + "/Thickness", constants);
}

template <int dim>
ShellSection
BodyParameters<dim>::section_of_shell() const
{
  const Material<dim> &material = *materials.at("");
  const auto [lambda, mu] = material.lame();
  return {mu * (3 * lambda + 2 * mu) / (lambda + mu), 0.5 * lambda / (lambda + mu),
          material.density(), thickness};
}

template struct BodyParameters<2>;
template struct BodyParameters<3>;
} // namespace KickDrift
