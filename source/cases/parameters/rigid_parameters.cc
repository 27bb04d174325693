#include <kickdrift/base/expressions.h>
#include <kickdrift/base/messages.h>
#include <kickdrift/cases/input/amplitude.h>
#include <kickdrift/cases/parameters/case_parameters.h>
#include <kickdrift/nodes/rigid_motion.h>

#include <deal.II/base/exceptions.h>

#include "parameter_parsing.h"

#include <algorithm>
#include <cmath>

namespace KickDrift
{
using namespace dealii;

namespace
{
/// Displacement of a body that is turned and then shifted, both by functions of time.
template <int dim>
class RigidDrive : public Function<dim>
{
public:
  /// About the axis @p axis, a unit vector, through @p centre [length] by @p angle [rad].
  RigidDrive(std::shared_ptr<Function<dim>> displacement, std::shared_ptr<Function<dim>> angle,
             const Point<dim> &centre, const Tensor<1, 3> &axis)
      : Function<dim>(dim),
        displacement(std::move(displacement)),
        angle(std::move(angle)),
        centre(centre),
        axis(axis)
  {
    set_time(0);
  }

  double
  value(const Point<dim> &point, const unsigned int component) const override
  {
    return shift[component] + rotation.change(in_space(point - centre))[component];
  }

  void
  set_time(const double time) override
  {
    Function<dim>::set_time(time);
    if (displacement)
    {
      displacement->set_time(time);
      for (unsigned int d = 0; d < dim; ++d)
        shift[d] = displacement->value(Point<dim>(), d);
    }
    if (angle)
    {
      angle->set_time(time);
      rotation = Rotation::about(angle->value(Point<dim>()) * axis);
    }
  }

private:
  const std::shared_ptr<Function<dim>> displacement, angle; ///< null: none
  const Point<dim> centre;
  const Tensor<1, 3> axis;
  Tensor<1, dim> shift;
  Rotation rotation;
};

/// Entry @p name of the current subsection as a function of time, scaled; null if it is empty.
template <int dim>
std::shared_ptr<Function<dim>>
parse_motion(ParameterHandler &prm, const std::string &section, const std::string &name,
             const Constants &constants, const unsigned int n_components)
{
  const std::string text = prm.get(name);
  if (text.empty())
    return nullptr;
  for (const char *variable : {"x", "y", "z"})
    AssertThrow(!mentions(text, variable),
                ExcMessage("'" + section + "/" + name + "' cannot be '" + text +
                           "'; it may depend on time only, since the body does not deform."));
  return with_amplitude<dim>(prm, section, constants,
                             parse_function<dim>(prm, section, name, constants, n_components));
}
} // namespace

template <int dim>
void
declare_drive(ParameterHandler &prm)
{
  const Subsection subsection(prm, {"Rigid motion"});
  prm.declare_entry("Displacement", "", Patterns::Anything(),
                    "Drives a rigid body: components of its displacement as expressions of time t "
                    "and the constants, separated by semicolons. The body starts where they have "
                    "it, without 'Initial displacement' and 'Initial velocity', and nothing stops "
                    "it; its work is prescribed_work, the force that it takes is in reactions.csv "
                    "under the name of the body. Empty, and 'Angle' as well: the body is free. "
                    "Units: length.");
  declare_amplitude(prm, "Displacement' and 'Angle");
  prm.declare_entry("Angle", "", Patterns::Anything(),
                    std::string("Drives a rigid body: angle by which it has turned about ") +
                        (dim == 2 ? "'Centre'" : "'Axis' through 'Centre'") +
                        ", before it is displaced; an expression of time t and the constants. "
                        "Nodes move on chords of their circles, between points that are exact: "
                        "'Rigid critical step' makes them short. Empty: it does not turn. Units: "
                        "rad.");
  prm.declare_entry(
      "Centre", dim == 2 ? "0, 0" : "0, 0, 0", Patterns::Anything(),
      "A point in the reference state that 'Angle' leaves where it is, expressions of "
      "the constants. Units: length.");
  if (dim == 3)
    prm.declare_entry("Axis", "0, 0, 1", Patterns::Anything(),
                      "Direction about which 'Angle' turns, expressions of the constants; of any "
                      "length but 0. Units: none.");
}

template <int dim>
std::shared_ptr<Function<dim>>
parse_drive(ParameterHandler &prm, const std::string &body, const Constants &constants)
{
  const Subsection subsection(prm, {"Rigid motion"});
  const std::string section = body + "/Rigid motion";
  const auto displacement = parse_motion<dim>(prm, section, "Displacement", constants, dim),
             angle = parse_motion<dim>(prm, section, "Angle", constants, 1);
  const auto centre = evaluate_point<dim>(prm.get("Centre"), section + "/Centre", constants);
  Tensor<1, 3> axis({0, 0, 1});
  if (dim == 3)
    axis = evaluate_point<3>(prm.get("Axis"), section + "/Axis", constants);
  AssertThrow(axis.norm() > 0 && std::isfinite(axis.norm()),
              ExcMessage("'" + section + "/Axis' cannot be '" + prm.get("Axis") +
                         "'; it must be finite and not 0."));
  AssertThrow(
      displacement || angle || (prm.get("Amplitude").empty() && prm.get("Amplitude file").empty()),
      ExcMessage("'" + section + "' has an amplitude but no 'Displacement' or 'Angle' to scale."));
  if (!displacement && !angle)
    return nullptr;
  return std::make_shared<RigidDrive<dim>>(displacement, angle, centre, axis / axis.norm());
}

template void declare_drive<2>(ParameterHandler &);
template void declare_drive<3>(ParameterHandler &);
template std::shared_ptr<Function<2>> parse_drive<2>(ParameterHandler &, const std::string &,
                                                     const Constants &);
template std::shared_ptr<Function<3>> parse_drive<3>(ParameterHandler &, const std::string &,
                                                     const Constants &);

void
RigidBodyParameters::declare_parameters(ParameterHandler &prm)
{
  prm.declare_entry(
      "Rigid", "false", Patterns::Bool(),
      "Does the body not deform? Then it moves as a rigid one, by forces and moments of loads and "
      "contact; 'Material' gives its density. 'Initial displacement' must be a translation and a "
      "rotation, 'Initial velocity' one of a rigid body, such as '-2*y; 2*x; 0' for a spin. "
      "'Rigid motion' drives it instead. There are no restraints of rigid bodies, no damping and "
      "no mass scaling; contact needs "
      "'Contact/Reference/Solver' = sequential, and 'Stepping/Clocks' = per cell does not go with "
      "them.");
  prm.declare_entry("Rigid mass", "0", Patterns::Anything(),
                    "Mass of a rigid body, an expression of the constants. 0: that of mesh and "
                    "density. Units: mass.");
  prm.declare_entry("Rigid centre", "", Patterns::Anything(),
                    "Centre of mass of a rigid body in the reference state, expressions of the "
                    "constants; it may be outside of the body; that of the first one of 'Copies'. "
                    "Needs 'Rigid inertia'. Loads should be the same all over the body then. "
                    "Empty: that of mesh and density. Units: length.");
  prm.declare_entry("Rigid inertia", "", Patterns::Anything(),
                    "Moments of inertia of a rigid body about its centre of mass in the reference "
                    "state, expressions of the constants: in two dimensions one number; in three "
                    "dimensions xx, yy, zz, or these and the products of inertia xy, xz, yz (the "
                    "integrals of -x*y and so on). Empty: those of mesh and density, in proportion "
                    "to 'Rigid mass'. Units: mass*length^2.");
  prm.declare_entry(
      "Rigid critical step", "0", Patterns::Anything(),
      "What stands for the critical step of the cells of a rigid body, an expression "
      "of the constants: times the time step ratio the time for which its nodes fly "
      "straight, between positions that are exact. 0: it follows from what the body "
      "does: in a step at half of it the fastest rigid body comes no farther than a "
      "five-hundredth of the width of this one, from rest under its loads, too; beside "
      "bodies that deform it is between the shortest and the longest of theirs. It "
      "is not above the interval between save times. Units: time.");
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
  centre.clear();
  if (!prm.get("Rigid centre").empty())
  {
    const std::string text = prm.get("Rigid centre"), name = section + "/Rigid centre";
    centre = evaluate_list(text, name, constants);
    AssertThrow(centre.size() == dimension &&
                    std::all_of(centre.begin(), centre.end(),
                                [](const double x) { return std::isfinite(x); }),
                ExcMessage("'" + name + "' cannot be '" + text + "'; allowed are " +
                           std::to_string(dimension) + " finite numbers."));
    AssertThrow(is_rigid, ExcMessage("'" + name + "' is for rigid bodies; set '" + section +
                                     "/Rigid' = true."));
  }
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
  result.is_driven = is_driven;
  if (mass > 0)
    result.mass = mass;
  if (!centre.empty())
  {
    result.centre = Point<3>();
    for (unsigned int d = 0; d < centre.size(); ++d)
      (*result.centre)[d] = centre[d];
  }
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
