#include <kickdrift/base/expressions.h>
#include <kickdrift/base/messages.h>
#include <kickdrift/cases/parameters/case_parameters.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
using namespace dealii;

void
RigidBodyParameters::declare_parameters(ParameterHandler &prm)
{
  prm.declare_entry(
      "Rigid", "false", Patterns::Bool(),
      "Does the body not deform? Then it moves as a rigid one, by forces and moments of loads and "
      "contact; 'Material' gives its density. 'Initial displacement' must be a translation and a "
      "rotation, 'Initial velocity' one of a rigid body, such as '-2*y; 2*x; 0' for a spin. There "
      "are no restraints of rigid bodies, no damping and no mass scaling; contact needs "
      "'Contact/Solver' = sequential, and massless nodes and 'Stepping/Clocks' = per cell do not "
      "go with them.");
  prm.declare_entry("Rigid mass", "0", Patterns::Anything(),
                    "Mass of a rigid body, an expression of the constants; its centre is that of "
                    "the mesh. 0: that of mesh and density. Units: mass.");
  prm.declare_entry("Rigid inertia", "", Patterns::Anything(),
                    "Moments of inertia of a rigid body about its centre of mass in the reference "
                    "state, expressions of the constants: in two dimensions one number; in three "
                    "dimensions xx, yy, zz, or these and the products of inertia xy, xz, yz (the "
                    "integrals of -x*y and so on). Empty: those of mesh and density, in proportion "
                    "to 'Rigid mass'. Units: mass*length^2.");
  prm.declare_entry("Rigid critical step", "0", Patterns::Anything(),
                    "What stands for the critical step of the cells of a rigid body, an expression "
                    "of the constants: times the time step ratio the time for which its nodes fly "
                    "straight, between positions that are exact. 0: what it would be if the body "
                    "could deform. Units: time.");
}

void
RigidBodyParameters::parse_parameters(ParameterHandler &prm, const std::string &section,
                                      const unsigned int dimension, const Constants &constants)
{
  is_rigid = prm.get_bool("Rigid");
  const auto number = [&](const std::string &entry)
  {
    const std::string name = section + "/" + entry;
    const double value = evaluate(prm.get(entry), name, constants);
    AssertThrow(value >= 0 && std::isfinite(value),
                ExcMessage("'" + name + "' is " + number_text(value) +
                           "; allowed are finite numbers from 0."));
    AssertThrow(value == 0 || is_rigid, ExcMessage("'" + name + "' is for rigid bodies; set '" +
                                                   section + "/Rigid' = true."));
    return value;
  };
  mass = number("Rigid mass");
  critical_step = number("Rigid critical step");
  inertia.clear();
  const std::string text = prm.get("Rigid inertia"), name = section + "/Rigid inertia";
  if (text.empty())
    return;
  inertia = evaluate_list(text, name, constants);
  const std::size_t n = inertia.size();
  AssertThrow(
      (dimension == 2 ? n == 1 : n == 3 || n == 6) &&
          std::all_of(inertia.begin(), inertia.begin() + std::min<std::size_t>(n, 3),
                      [](const double moment) { return moment > 0 && std::isfinite(moment); }),
      ExcMessage("'" + name + "' cannot be '" + text + "'; allowed " +
                 (dimension == 2 ? "is one number above 0."
                                 : "are three numbers above 0, or three products of inertia "
                                   "after them.")));
  AssertThrow(is_rigid, ExcMessage("'" + name + "' is for rigid bodies; set '" + section +
                                   "/Rigid' = true."));
}

RigidParameters
RigidBodyParameters::parameters() const
{
  RigidParameters result;
  result.critical_step = critical_step;
  if (mass > 0)
    result.mass = mass;
  if (inertia.empty())
    return result;
  SymmetricTensor<2, 3> given;
  if (inertia.size() == 1)
    given[2][2] = inertia[0];
  else
    for (unsigned int d = 0; d < 3; ++d)
      given[d][d] = inertia[d];
  if (inertia.size() == 6)
  {
    given[0][1] = inertia[3];
    given[0][2] = inertia[4];
    given[1][2] = inertia[5];
  }
  result.inertia = given;
  return result;
}
} // namespace KickDrift
