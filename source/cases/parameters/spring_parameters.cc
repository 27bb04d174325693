// Springs and point masses.

#include <kickdrift/base/expressions.h>
#include <kickdrift/base/messages.h>
#include <kickdrift/cases/parameters/case_parameters.h>

#include <deal.II/base/exceptions.h>

#include <cmath>

#include "parameter_parsing.h"

namespace KickDrift
{
using namespace dealii;

namespace
{
/// The one body that an end of a spring is on.
unsigned int
single_body(const std::string &body, const CaseOutline &outline, const std::string &parameter)
{
  const auto bodies = outline.indices_of(body, parameter);
  AssertThrow(bodies.size() == 1, ExcMessage("'" + parameter + "' cannot be '" + body +
                                             "': a spring has one body at each end."));
  return bodies[0];
}
} // namespace

template <int dim>
void
SpringParameters<dim>::declare_parameters(ParameterHandler &prm)
{
  const std::string zero = dim == 2 ? "0, 0" : "0, 0, 0";
  prm.declare_entry("Body", "", Patterns::Anything(),
                    "Name of the body at the first end. Empty: the only one that there is.");
  prm.declare_entry(
      "Point", zero, Patterns::Anything(),
      "The first end: of the nodes of 'Body', the one nearest to this point 'x, y, z' "
      "in the reference state; see 'Point' of restraints. Units: length.");
  prm.declare_entry("Other body", "", Patterns::Anything(),
                    "Name of the body at the second end. Empty: a point that does not move.");
  prm.declare_entry("Other point", zero, Patterns::Anything(),
                    "The second end: of the nodes of 'Other body', the one nearest to this point "
                    "in the reference state; or this point in space. Units: length.");
  prm.declare_entry("Stiffness", "0", Patterns::Double(0),
                    "Force over elongation, in the direction in which the spring is at the time. "
                    "Its critical step is counted with those of the cells, its energy in "
                    "strain_energy. 0: there is a dashpot only. Units: force/length.");
  prm.declare_entry(
      "Damping coefficient", "0", Patterns::Double(0),
      "Of a dashpot beside the spring: force over the velocity with which its ends "
      "move apart. Sets no critical step, but cells at both ends take the steps of the finest of "
      "them; what it takes is the column dashpot_loss of statistics.csv. Needs clocks with "
      "synchronised times ('Stepping/Clocks' = "
      "one or nested, 'Stepping/Phase' = centred), and one process. Units: force time/length.");
  prm.declare_entry(
      "Boundary", "", Patterns::Anything(),
      "In place of two ends: all nodes of 'Body' on the part of its boundary with "
      "this id, or name that a mesh file gives to it, are pulled to where they are "
      "in the reference state, in all directions; 'Stiffness' and 'Damping "
      "coefficient' are those of all together, which nodes share by area (of the edges of "
      "shells, equally). A coefficient of density times wave speed times area lets "
      "plane waves of that speed out that come straight. Empty: two ends.");
  prm.declare_entry("Rest length", "", Patterns::Anything(),
                    "Length without force, an expression of the constants. Empty: the length in "
                    "the reference state. Units: length.");
}

template <int dim>
void
SpringParameters<dim>::parse_parameters(ParameterHandler &prm, const CaseOutline &outline)
{
  const std::string section = "Springs/" + name;
  first.body = single_body(prm.get("Body"), outline, section + "/Body");
  first.point = evaluate_point<dim>(prm.get("Point"), section + "/Point", outline.constants);
  if (!prm.get("Other body").empty())
    second.body = single_body(prm.get("Other body"), outline, section + "/Other body");
  second.point =
      evaluate_point<dim>(prm.get("Other point"), section + "/Other point", outline.constants);
  stiffness = prm.get_double("Stiffness");
  damping = prm.get_double("Damping coefficient");
  boundary = prm.get("Boundary");
  AssertThrow(stiffness >= 0 && std::isfinite(stiffness) && damping >= 0 &&
                  std::isfinite(damping) && stiffness + damping > 0,
              ExcMessage("'" + section + "/Stiffness' is " + number_text(stiffness) +
                         " and 'Damping coefficient' is " + number_text(damping) +
                         ", but one of them must be above 0."));
  const auto is_zero = [](const Point<dim> &point) { return point.square() == 0; };
  AssertThrow(boundary.empty() ||
                  (prm.get("Other body").empty() && prm.get("Rest length").empty() &&
                   is_zero(first.point) && is_zero(second.point)),
              ExcMessage("'" + section + "/Boundary' = " + boundary +
                         " does not go with 'Point', 'Other body', 'Other point' and 'Rest "
                         "length': the nodes there are held where they are."));
  if (!prm.get("Rest length").empty())
    rest_length = evaluate(prm.get("Rest length"), section + "/Rest length", outline.constants);
  AssertThrow(!rest_length || *rest_length >= 0,
              ExcMessage("'" + section + "/Rest length' cannot be '" + prm.get("Rest length") +
                         "'; allowed are numbers from 0."));
}

template <int dim>
void
PointMassParameters<dim>::declare_parameters(ParameterHandler &prm)
{
  declare_body(prm);
  NodeSelection<dim>::declare_parameters(prm);
  prm.declare_entry("Mass", "0", Patterns::Double(0),
                    "Mass that the chosen nodes have besides that of their cells, in equal parts: "
                    "with 'Point', of one node. It has weight: loads of type acceleration act on "
                    "it. Units: mass.");
}

template <int dim>
void
PointMassParameters<dim>::parse_parameters(ParameterHandler &prm, const CaseOutline &outline)
{
  const std::string section = "Point masses/" + name;
  bodies = outline.indices_of(prm.get("Body"), section + "/Body");
  selection.parse_parameters(prm, section, outline.constants);
  mass = prm.get_double("Mass");
  AssertThrow(
      mass > 0 && std::isfinite(mass),
      ExcMessage("'" + section + "/Mass' is " + number_text(mass) + ", but must be above 0."));
}

template struct SpringParameters<2>;
template struct SpringParameters<3>;
template struct PointMassParameters<2>;
template struct PointMassParameters<3>;
} // namespace KickDrift
