// Ties, restraints, loads, probes and mass scaling, and the nodes that they select.

#include <kickdrift/base/enum_names.h>
#include <kickdrift/base/expressions.h>
#include <kickdrift/base/messages.h>
#include <kickdrift/cases/input/amplitude.h>
#include <kickdrift/cases/parameters/case_parameters.h>

#include <deal.II/base/exceptions.h>
#include <deal.II/base/utilities.h>

#include <boost/algorithm/string/join.hpp>

#include <algorithm>
#include <set>

#include "parameter_parsing.h"

namespace KickDrift
{
using namespace dealii;

namespace
{
template <int dim>
const EnumNames<typename LoadParameters<dim>::Type> &
load_types()
{
  using Type = typename LoadParameters<dim>::Type;
  static const EnumNames<Type> names({{Type::body_force, "body force"},
                                      {Type::acceleration, "acceleration"},
                                      {Type::traction, "traction"},
                                      {Type::pressure, "pressure"}});
  return names;
}

const EnumNames<Statistic> &
statistics()
{
  static const EnumNames<Statistic> names(
      {{Statistic::mean, "mean"}, {Statistic::min, "min"}, {Statistic::max, "max"}});
  return names;
}

void
declare_boundary_ids(ParameterHandler &prm, const std::string &if_empty)
{
  prm.declare_entry("Boundary ids", "", Patterns::Anything(),
                    "Boundary ids of the mesh, or names that a mesh file gives to them, separated "
                    "by commas. Empty: " +
                        if_empty + ".");
}

std::vector<std::string>
parse_boundary_ids(ParameterHandler &prm)
{
  return Utilities::split_string_list(prm.get("Boundary ids"), ',');
}

/// Directions given as "all", axes ("x, y") or vectors ("1, 1, 0; 0, 0, 1").
template <int dim>
std::vector<Tensor<1, dim>>
parse_directions(const std::string &text, const std::string &name, const Constants &constants)
{
  std::vector<Tensor<1, dim>> directions;
  const std::string axes = std::string("xyz").substr(0, dim);
  const auto words = Utilities::split_string_list(text, ',');
  const bool are_axes = std::all_of(
      words.begin(), words.end(),
      [&](const auto &word) { return word.size() == 1 && axes.find(word) != std::string::npos; });
  if (text == "all" || are_axes)
    for (unsigned int d = 0; d < dim; ++d)
    {
      if (text == "all" || std::count(words.begin(), words.end(), axes.substr(d, 1)) > 0)
        directions.push_back(Point<dim>::unit_vector(d));
    }
  else
    for (const auto &vector : Utilities::split_string_list(text, ';'))
    {
      directions.push_back(evaluate_point<dim>(vector, name, constants));
      AssertThrow(directions.back().norm() > 0,
                  ExcMessage("'" + name + "': the vector '" + vector +
                             "' has no direction; it must not be zero."));
    }
  AssertThrow(!directions.empty(),
              ExcMessage("'" + name + "' contains no direction; allowed is 'all', axes like " +
                         "'x, y' or vectors like '1, 1, 0; 0, 0, 1'."));
  return directions;
}
} // namespace

void
declare_body(ParameterHandler &prm)
{
  prm.declare_entry("Body", "", Patterns::Anything(),
                    "Names of bodies, separated by commas. The name of a section with copies "
                    "stands for all of them. Empty: all bodies.");
}

template <int dim>
void
NodeSelection<dim>::declare_parameters(ParameterHandler &prm)
{
  declare_boundary_ids(prm, "nodes are not chosen by boundary");
  prm.declare_entry("Material ids", "", Patterns::Anything(),
                    "Material ids of the mesh, or names that a mesh file gives to them, separated "
                    "by commas: the cells with these ids, and their nodes. Empty: not chosen by "
                    "material.");
  prm.declare_entry("Box", "", Patterns::Anything(),
                    "Lower and upper corner of a box, 'x, y, z; x, y, z': the nodes whose "
                    "reference position is in it or on it. Conditions add up: with 'Boundary ids', "
                    "the nodes that satisfy both; without any, all nodes of the body. "
                    "Units: length.");
  prm.declare_entry("Point", "", Patterns::Anything(),
                    "A point 'x, y, z': of the nodes, the one nearest to it. A node further away "
                    "than the largest of its cells is warned of, one further away than the "
                    "diagonal of its body is refused. Units: length.");
}

template <int dim>
void
NodeSelection<dim>::parse_parameters(ParameterHandler &prm, const std::string &section,
                                     const Constants &constants)
{
  boundaries = parse_boundary_ids(prm);
  materials = Utilities::split_string_list(prm.get("Material ids"), ',');
  const std::string box_text = prm.get("Box");
  if (!box_text.empty())
  {
    const std::string name = section + "/Box";
    const auto corners = Utilities::split_string_list(box_text, ';');
    AssertThrow(corners.size() == 2,
                ExcMessage("'" + name + "' cannot be '" + box_text +
                           "'; allowed are two corners, separated by a semicolon."));
    box.emplace(evaluate_point<dim>(corners[0], name, constants),
                evaluate_point<dim>(corners[1], name, constants));
  }
  const std::string point_text = prm.get("Point");
  if (!point_text.empty())
    point = evaluate_point<dim>(point_text, section + "/Point", constants);
}

void
TieParameters::declare_parameters(ParameterHandler &prm)
{
  prm.declare_entry("Followers", "", Patterns::Anything(),
                    "Whose nodes are glued to the masters' faces: 'body:boundary', with a boundary "
                    "id of the mesh or a name of its file, several separated by commas; 'body' for "
                    "its whole boundary. Nodes are moved onto the nearest face before the start, "
                    "and from then on follow the corners of that face: their forces and masses go "
                    "to these. The finer mesh should follow. Bodies that are glued do not touch "
                    "each other elsewhere.");
  prm.declare_entry("Masters", "", Patterns::Anything(),
                    "Whose faces are followed, like 'Followers'. Cells may be of another type.");
  prm.declare_entry("Tolerance", "0.1", Patterns::Double(0, 1),
                    "Nodes of the followers are glued if they are no further from a face than this "
                    "share of its longest edge. Units: none.");
  prm.declare_entry("Allow untied nodes", "false", Patterns::Bool(),
                    "Go on if nodes of the followers find no face. They stay free.");
}

namespace
{
std::vector<TieParameters::Side>
parse_sides(ParameterHandler &prm, const std::string &name, const std::string &parameter,
            const CaseOutline &outline)
{
  const std::string text = prm.get(name);
  std::vector<TieParameters::Side> sides;
  for (const auto &word : Utilities::split_string_list(text, ','))
  {
    const auto parts = Utilities::split_string_list(word, ':');
    AssertThrow(!parts.empty() && parts.size() <= 2 && !parts[0].empty(),
                ExcMessage("'" + parameter + "' cannot be '" + text +
                           "'; allowed are bodies with a part of their boundaries, like "
                           "'left:3, right:top'."));
    sides.push_back({outline.indices_of(parts[0], parameter), parts.size() == 2 ? parts[1] : ""});
    AssertThrow(parts.size() == 1 || !parts[1].empty(),
                ExcMessage("'" + parameter + "' cannot be '" + text +
                           "'; there is no boundary behind a colon."));
  }
  AssertThrow(!sides.empty(), ExcMessage("'" + parameter + "' is empty; it must name a body."));
  return sides;
}
} // namespace

void
TieParameters::parse_parameters(ParameterHandler &prm, const CaseOutline &outline)
{
  const std::string section = "Ties/" + name;
  followers = parse_sides(prm, "Followers", section + "/Followers", outline);
  masters = parse_sides(prm, "Masters", section + "/Masters", outline);
  tolerance = prm.get_double("Tolerance");
  AssertThrow(tolerance > 0 && tolerance < 1,
              ExcMessage("'" + section + "/Tolerance' is " + prm.get("Tolerance") +
                         "; it must be positive and below 1."));
  allow_untied = prm.get_bool("Allow untied nodes");
}

template <int dim>
void
RestraintParameters<dim>::declare_parameters(ParameterHandler &prm)
{
  declare_body(prm);
  NodeSelection<dim>::declare_parameters(prm);
  prm.declare_entry("Directions", "all", Patterns::Anything(),
                    "Directions in which the nodes are held: 'all', axes such as 'x, y', or "
                    "vectors separated by semicolons such as '1, 1, 0; 0, 0, 1'. A node that "
                    "several restraints name is held in the directions of all of them.");
  prm.declare_entry("Displacement", "", Patterns::Anything(),
                    "Prescribed motion: components of the displacement as expressions of x, y, z, "
                    "time t and the constants, separated by semicolons, of which the part along "
                    "the directions counts. Empty: held fast. Units: length.");
  declare_amplitude(prm, "Displacement");
}

template <int dim>
void
RestraintParameters<dim>::parse_parameters(ParameterHandler &prm, const CaseOutline &outline)
{
  const std::string section = "Restraints/" + name;
  motion = section + "/Displacement";
  const Constants &constants = outline.constants;
  bodies = outline.indices_of(prm.get("Body"), section + "/Body");
  selection.parse_parameters(prm, section, constants);
  directions = parse_directions<dim>(prm.get("Directions"), section + "/Directions", constants);
  if (!prm.get("Displacement").empty())
    displacement = with_amplitude(prm, section, constants,
                                  parse_function<dim>(prm, section, "Displacement", constants));
  else
    AssertThrow(prm.get("Amplitude").empty() && prm.get("Amplitude file").empty(),
                ExcMessage("'" + section + "' has an amplitude but no 'Displacement' to scale."));
}

template <int dim>
void
LoadParameters<dim>::declare_parameters(ParameterHandler &prm)
{
  declare_body(prm);
  prm.declare_entry("Type", load_types<dim>().name(Type::body_force),
                    Patterns::Selection(load_types<dim>().pattern()),
                    "'body force': per reference volume. 'acceleration': per mass, such as "
                    "gravity. 'traction': per reference area of the boundary. 'pressure': per "
                    "present area of the boundary, against its present outward normal.");
  declare_boundary_ids(prm, "tractions and pressures act on the whole boundary");
  prm.declare_entry("Value", zeros<dim>(), Patterns::Anything(),
                    "Components as expressions of reference position x, y, z, time t and the "
                    "constants, separated by semicolons; a single one for pressures. Units: "
                    "force/length^dim, length/time^2 or force/length^(dim-1).");
  declare_amplitude(prm, "Value");
}

template <int dim>
void
LoadParameters<dim>::parse_parameters(ParameterHandler &prm, const CaseOutline &outline)
{
  const std::string section = "Loads/" + name;
  const Constants &constants = outline.constants;
  bodies = outline.indices_of(prm.get("Body"), section + "/Body");
  type = load_types<dim>().value(prm.get("Type"));
  boundaries = parse_boundary_ids(prm);
  AssertThrow(boundaries.empty() || acts_on_boundary(),
              ExcMessage("'" + section +
                         "/Boundary ids' is for tractions and pressures; Type is '" +
                         load_types<dim>().name(type) + "'."));
  const auto unscaled =
      parse_function<dim>(prm, section, "Value", constants, type == Type::pressure ? 1 : dim);
  value = with_amplitude<dim>(prm, section, constants, unscaled);
  const bool mentions_time = mentions(prm.get("Value"), "t");
  depends_on_time = value != unscaled || mentions_time;
  if (!mentions_time)
    separated = std::dynamic_pointer_cast<const ScaledFunction<dim>>(value);
}

void
MassScalingParameters::declare_parameters(ParameterHandler &prm)
{
  const Subsection subsection(prm, {"Mass scaling"});
  prm.declare_entry("Critical step", "0", Patterns::Double(0),
                    "Nodes become heavier, as few and as little as it takes, until no critical "
                    "step is below this; the shortest step is 'Stepping/Time step ratio' times as "
                    "long. This changes the model: accelerations, momenta and kinetic energies are "
                    "those of the larger masses. Forces stay what they are, also those of loads of "
                    "type acceleration: what supports carry is the weight of the density, and what "
                    "falls freely falls too slowly where mass was added. The log and summary.json "
                    "say how much that is. 0: no mass is added. Units: time.");
  declare_body(prm);
}

void
MassScalingParameters::parse_parameters(ParameterHandler &prm, const CaseOutline &outline)
{
  const Subsection subsection(prm, {"Mass scaling"});
  critical_step = prm.get_double("Critical step");
  bodies = outline.indices_of(prm.get("Body"), "Mass scaling/Body");
}

template <int dim>
void
ProbeParameters<dim>::declare_parameters(ParameterHandler &prm)
{
  declare_body(prm);
  NodeSelection<dim>::declare_parameters(prm);
  prm.declare_entry(
      "Fields", "", Patterns::Anything(),
      "What is looked at beside displacement and velocity of the nodes, separated by commas: names "
      "of fields of cells as in the pictures, such as stress_xx, von_mises, "
      "equivalent_plastic_strain or temperature, and mean_pressure, of those cells that satisfy "
      "the same conditions: a face on 'Boundary ids', the centre in 'Box' or nearest to 'Point'.");
  prm.declare_entry(
      "Values", "mean", Patterns::MultipleSelection(statistics().pattern()),
      "What of all nodes and cells goes to probes.csv: 'mean', in the columns NAME_FIELD, 'min' "
      "and "
      "'max', in NAME_FIELD_min and NAME_FIELD_max. Means of displacement and velocity are always "
      "there. Means are those over nodes, each with the same weight, and over cells by volume in "
      "the reference state.");
}

template <int dim>
void
ProbeParameters<dim>::parse_parameters(ParameterHandler &prm, const CaseOutline &outline)
{
  const std::string section = "Probes/" + name;
  const Constants &constants = outline.constants;
  bodies = outline.indices_of(prm.get("Body"), section + "/Body");
  selection.parse_parameters(prm, section, constants);
  fields = Utilities::split_string_list(prm.get("Fields"), ',');
  for (const auto &field : fields)
    AssertThrow(std::count(fields.begin(), fields.end(), field) == 1,
                ExcMessage("'Probes/" + name + "/Fields' names '" + field + "' more than once."));
  for (const auto &word : Utilities::split_string_list(prm.get("Values"), ','))
    values.push_back(statistics().value(word));
}

template <int dim>
void
SectionParameters<dim>::declare_parameters(ParameterHandler &prm)
{
  declare_body(prm);
  prm.declare_entry("Point", dim == 2 ? "0, 0" : "0, 0, 0", Patterns::Anything(),
                    "A point 'x, y, z' of the plane that cuts the bodies in the reference state, "
                    "about which moments are taken. Nodes on the plane are behind it. "
                    "Units: length.");
  prm.declare_entry("Normal", dim == 2 ? "1, 0" : "1, 0, 0", Patterns::Anything(),
                    "Vector to the front of the plane, of any length. What sections.csv says is "
                    "what the part behind gets from the part in front: tension is a force along "
                    "the normal. Units: none.");
}

template <int dim>
void
SectionParameters<dim>::parse_parameters(ParameterHandler &prm, const CaseOutline &outline)
{
  const std::string section = "Sections/" + name;
  bodies = outline.indices_of(prm.get("Body"), section + "/Body");
  point = evaluate_point<dim>(prm.get("Point"), section + "/Point", outline.constants);
  normal = evaluate_point<dim>(prm.get("Normal"), section + "/Normal", outline.constants);
  AssertThrow(normal.norm() > 0 && std::isfinite(normal.norm()),
              ExcMessage("'" + section + "/Normal' cannot be '" + prm.get("Normal") +
                         "'; it must have a direction."));
}

template struct NodeSelection<2>;
template struct NodeSelection<3>;
template struct RestraintParameters<2>;
template struct RestraintParameters<3>;
template struct LoadParameters<2>;
template struct LoadParameters<3>;
template struct ProbeParameters<2>;
template struct ProbeParameters<3>;
template struct SectionParameters<2>;
template struct SectionParameters<3>;
} // namespace KickDrift
