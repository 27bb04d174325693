#include <kickdrift/base/expressions.h>
#include <kickdrift/base/messages.h>
#include <kickdrift/cases/input/amplitude.h>
#include <kickdrift/cases/input/declared_parameters.h>
#include <kickdrift/cases/parameters/case_parameters.h>

#include <deal.II/base/exceptions.h>
#include <deal.II/base/utilities.h>

#include <boost/algorithm/string/join.hpp>

#include <algorithm>
#include <map>
#include <set>

#include "parameter_parsing.h"

namespace KickDrift
{
using namespace dealii;

namespace
{
std::vector<std::string>
parse_names(ParameterHandler &prm, const std::string &section)
{
  const Subsection subsection(prm, {section});
  const std::string list = prm.get("Names");
  const auto names = Utilities::split_string_list(list, ',');
  for (const auto &name : names)
  {
    AssertThrow(std::count(names.begin(), names.end(), name) == 1,
                ExcMessage("'" + section + "/Names' cannot be '" + list + "': '" + name +
                           "' is in it twice."));
    AssertThrow(!name.empty() && name.find_first_of("/=\"") == std::string::npos,
                ExcMessage("'" + section + "/Names': '" + name +
                           "' is no name; it must not be empty or contain / = \"."));
  }
  return names;
}

void
declare_names(ParameterHandler &prm, const std::string &section, const std::string &what)
{
  const Subsection subsection(prm, {section});
  prm.declare_entry("Names", "", Patterns::Anything(),
                    "Names of the " + what + ", separated by commas. Each has a subsection '" +
                        section + "/NAME'.");
}

} // namespace

void
CaseOutline::declare_parameters(ParameterHandler &prm)
{
  prm.declare_entry("Dimension", "3", Patterns::Integer(2, 3), "2 (plane strain) or 3.");
  prm.declare_entry("Constants", "", Patterns::Anything(),
                    "Numbers with a name, 'n = 4, L = 10, h = L/n', for use in all expressions of "
                    "this file and wherever it asks for a number. On the command line --set "
                    "\"Constants=...\" is another list in place of this one, --constant n=8 "
                    "changes one of it.");
  prm.declare_entry(
      "Additional shared libraries", "",
      Patterns::List(Patterns::FileName(Patterns::FileName::input)),
      "Files of plugins to load, separated by commas: libraries that bring materials, "
      "kicks, obstacles or meshes of one's own, to be used by their names "
      "(doc/extending.md).");
  declare_names(prm, "Bodies", "bodies");
  declare_names(prm, "Ties", "pairs of surfaces that are glued to each other");
  declare_names(prm, "Obstacles", "rigid obstacles");
  declare_names(prm, "Restraints", "restraints");
  declare_names(prm, "Loads", "loads");
  declare_names(prm, "Kicks", "families of kicks that the program has besides its own");
  declare_names(prm, "Probes", "probes");
  declare_names(prm, "Sections", "sections through bodies");
  declare_names(prm, "Springs", "springs");
  declare_names(prm, "Point masses", "point masses");
}

void
CaseOutline::parse_parameters(ParameterHandler &prm)
{
  dimension = prm.get_integer("Dimension");
  constants = parse_constants(prm.get("Constants"), "Constants");
  grids.clear();
  for (const auto &name : parse_names(prm, "Bodies"))
    grids.push_back({name, {{1, 1, 1}}, {}});
  find_bodies();
  ties = parse_names(prm, "Ties");
  obstacles = parse_names(prm, "Obstacles");
  restraints = parse_names(prm, "Restraints");
  loads = parse_names(prm, "Loads");
  kicks = parse_names(prm, "Kicks");
  probes = parse_names(prm, "Probes");
  sections = parse_names(prm, "Sections");
  springs = parse_names(prm, "Springs");
  masses = parse_names(prm, "Point masses");
}

void
CaseOutline::parse_bodies(const std::vector<Assignment> &assignments)
{
  std::map<std::string, const std::string *> values;
  for (const Assignment &assignment : assignments)
    values[assignment.parameter] = &assignment.value;
  const auto value = [&](const std::string &parameter, const std::string &otherwise)
  {
    const auto found = values.find(parameter);
    return found != values.end() ? *found->second : otherwise;
  };
  for (auto &grid : grids)
  {
    const std::string section = "Bodies/" + grid.section;
    grid.n_copies =
        parse_copies(value(section + "/Copies", "1"), section + "/Copies", dimension, constants);
    grid.material_ids =
        parse_material_ids(value(section + "/Material/Ids", ""), section + "/Material/Ids");
  }
  find_bodies();
  std::set<std::string> names;
  for (const auto &name : bodies)
    AssertThrow(names.insert(name).second,
                ExcMessage("Two bodies have the name '" + name + "'; see 'Bodies/.../Copies'."));
  for (const BodyGrid &grid : grids)
    names.insert(grid.section);
  for (const auto &name : obstacles)
    AssertThrow(names.count(name) == 0,
                ExcMessage("'Obstacles/Names': '" + name + "' is the name of a body already."));
}

void
CaseOutline::find_bodies()
{
  bodies.clear();
  for (const auto &grid : grids)
    for (const auto &name : grid.bodies())
      bodies.push_back(name);
}

std::vector<unsigned int>
CaseOutline::indices_of(const std::string &list, const std::string &parameter) const
{
  std::vector<unsigned int> indices;
  for (const auto &name : Utilities::split_string_list(list, ','))
  {
    const auto body = std::find(bodies.begin(), bodies.end(), name);
    if (body != bodies.end())
    {
      indices.push_back(body - bodies.begin());
      continue;
    }
    unsigned int first = 0;
    bool is_known = false;
    for (const BodyGrid &grid : grids)
    {
      const unsigned int n = grid.n_bodies();
      for (unsigned int i = 0; i < n && grid.section == name; ++i)
        indices.push_back(first + i);
      is_known = is_known || grid.section == name;
      first += n;
    }
    std::vector<std::string> known;
    for (const BodyGrid &grid : grids)
      known.push_back(grid.section);
    AssertThrow(is_known,
                ExcMessage("'" + parameter + "' cannot be '" + list + "': there is no body '" +
                           name + "'. Known are " + boost::algorithm::join(known, ", ") +
                           ", and their copies (NAME_1, NAME_2, ...)."));
  }
  if (indices.empty())
    for (unsigned int body = 0; body < bodies.size(); ++body)
      indices.push_back(body);
  std::sort(indices.begin(), indices.end());
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  return indices;
}

template <int dim>
void
CaseParameters<dim>::declare_parameters(ParameterHandler &prm, const CaseOutline &outline)
{
  CaseOutline::declare_parameters(prm);
  for (const auto &name : outline.ties)
  {
    const Subsection subsection(prm, {"Ties", name});
    TieParameters::declare_parameters(prm);
  }
  for (const auto &name : outline.obstacles)
  {
    const Subsection subsection(prm, {"Obstacles", name});
    ObstacleParameters<dim>::declare_parameters(prm);
  }
  for (const auto &name : outline.restraints)
  {
    const Subsection subsection(prm, {"Restraints", name});
    RestraintParameters<dim>::declare_parameters(prm);
  }
  for (const auto &name : outline.loads)
  {
    const Subsection subsection(prm, {"Loads", name});
    LoadParameters<dim>::declare_parameters(prm);
  }
  for (const auto &name : outline.kicks)
  {
    const Subsection subsection(prm, {"Kicks", name});
    KickParameters<dim>::declare_parameters(prm);
  }
  for (const auto &name : outline.probes)
  {
    const Subsection subsection(prm, {"Probes", name});
    ProbeParameters<dim>::declare_parameters(prm);
  }
  for (const auto &name : outline.sections)
  {
    const Subsection subsection(prm, {"Sections", name});
    SectionParameters<dim>::declare_parameters(prm);
  }
  for (const auto &name : outline.springs)
  {
    const Subsection subsection(prm, {"Springs", name});
    SpringParameters<dim>::declare_parameters(prm);
  }
  for (const auto &name : outline.masses)
  {
    const Subsection subsection(prm, {"Point masses", name});
    PointMassParameters<dim>::declare_parameters(prm);
  }
  SteppingParameters::declare_parameters(prm);
  MassScalingParameters::declare_parameters(prm);
  ContactParameters::declare_parameters(prm);
  DetectionParameters::declare_parameters(prm);
  OutputParameters::declare_parameters(prm);
  CheckpointParameters::declare_parameters(prm);
}

/// What is driven is moved by a restraint of its own.
template <int dim>
void
CaseParameters<dim>::drive_bodies()
{
  for (unsigned int b = 0; b < bodies.size(); ++b)
  {
    const BodyParameters<dim> &body = bodies[b];
    if (!body.drive)
      continue;
    for (const auto &other : restraints)
      AssertThrow(other.name != body.name,
                  ExcMessage("'Restraints/Names' has '" + body.name +
                             "', the name of a rigid body that is driven: its forces have this "
                             "name in reactions.csv. Rename the restraint."));
    restraints.emplace_back().name = body.name;
    auto &restraint = restraints.back();
    restraint.motion = "Bodies/" + body.section + "/Rigid motion";
    restraint.bodies = {b};
    for (unsigned int d = 0; d < dim; ++d)
      restraint.directions.push_back(Point<dim>::unit_vector(d));
    restraint.displacement = body.drive;
  }
}

template <int dim>
void
CaseParameters<dim>::find_guides()
{
  for (const auto &restraint : restraints)
    if (restraint.directions.size() < dim && !restraint.selection.boundaries.empty())
      for (const unsigned int b : restraint.bodies)
        bodies[b].guides.push_back(
            {restraint.name, restraint.selection.boundaries, restraint.directions});
}

template <int dim>
void
CaseParameters<dim>::parse_parameters(ParameterHandler &prm, const CaseOutline &outline)
{
  AssertThrow(!outline.bodies.empty(),
              ExcMessage("'Bodies/Names' is empty; a case needs at least one body."));
  constants = outline.constants;
  for (const auto &name : outline.ties)
  {
    const Subsection subsection(prm, {"Ties", name});
    ties.emplace_back().name = name;
    ties.back().parse_parameters(prm, outline);
  }
  for (const auto &name : outline.obstacles)
  {
    const Subsection subsection(prm, {"Obstacles", name});
    obstacles.emplace_back().obstacle.name = name;
    obstacles.back().parse_parameters(prm, constants);
  }
  for (const auto &name : outline.restraints)
  {
    const Subsection subsection(prm, {"Restraints", name});
    restraints.emplace_back().name = name;
    restraints.back().parse_parameters(prm, outline);
  }
  find_guides();
  drive_bodies();
  for (const auto &name : outline.loads)
  {
    const Subsection subsection(prm, {"Loads", name});
    loads.emplace_back().name = name;
    loads.back().parse_parameters(prm, outline);
  }
  for (const auto &name : outline.kicks)
  {
    const Subsection subsection(prm, {"Kicks", name});
    kicks.emplace_back().name = name;
    kicks.back().parse_parameters(prm);
  }
  for (const auto &name : outline.probes)
  {
    const Subsection subsection(prm, {"Probes", name});
    probes.emplace_back().name = name;
    probes.back().parse_parameters(prm, outline);
  }
  for (const auto &name : outline.sections)
  {
    const Subsection subsection(prm, {"Sections", name});
    sections.emplace_back().name = name;
    sections.back().parse_parameters(prm, outline);
  }
  for (const auto &name : outline.springs)
  {
    const Subsection subsection(prm, {"Springs", name});
    springs.emplace_back().name = name;
    springs.back().parse_parameters(prm, outline);
  }
  for (const auto &name : outline.masses)
  {
    const Subsection subsection(prm, {"Point masses", name});
    masses.emplace_back().name = name;
    masses.back().parse_parameters(prm, outline);
  }
  stepping.parse_parameters(prm);
  mass_scaling.parse_parameters(prm, outline);
  contact.parse_parameters(prm, constants);
  detection.parse_parameters(prm, stepping);
  output.parse_parameters(prm);
  checkpoint.parse_parameters(prm);
  AssertThrow(!contact.projection || stepping.stepper.phase == Phase::centred,
              ExcMessage("'Contact/Reference/Projection' needs 'Stepping/Phase' = centred."));
  for (const auto &body : bodies)
    AssertThrow(body.failure_strain == 0 || stepping.strain,
                ExcMessage("'Bodies/" + body.name +
                           "/Failure strain' is of strains that 'Stepping/Strain' = off leaves "
                           "out."));
  for (const auto &body : bodies)
    AssertThrow(!body.damping || (stepping.stepper.clocks != Clocks::per_cell &&
                                  stepping.stepper.phase == Phase::centred),
                ExcMessage("'Bodies/" + body.name +
                           "/Damping' needs 'Stepping/Clocks' = one or nested and "
                           "'Stepping/Phase' = centred: otherwise cells around a node have no "
                           "common times at which velocities are known."));
}

CaseOutline
read_outline(const std::vector<Assignment> &assignments)
{
  DeclaredParameters declared(&CaseOutline::declare_parameters);
  // all numbers may use the constants, even those of the outline
  const Constants constants = parse_constants(last_value(assignments, "Constants"), "Constants");
  for (const Assignment &assignment : assignments)
    if (declared.has(assignment.parameter))
      declared.set(assignment.parameter, assignment, constants);
  CaseOutline outline;
  outline.parse_parameters(declared.handler());
  outline.parse_bodies(assignments);
  return outline;
}

template struct CaseParameters<2>;
template struct CaseParameters<3>;
} // namespace KickDrift
