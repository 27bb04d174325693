#ifndef KICKDRIFT_DEAL_II_RIGID_MASS_H
#define KICKDRIFT_DEAL_II_RIGID_MASS_H

#include <kickdrift/deal_ii/body.h>
#include <kickdrift/nodes/rigid_motion.h>

#include <limits>
#include <optional>

namespace KickDrift
{
/// How a body moves as a rigid one.
struct RigidParameters
{
  /// In place of that of mesh and density [mass].
  std::optional<double> mass;
  /// Centre of mass in the reference state, in place of that of mesh and density, in two dimensions
  /// with z = 0; needs the inertia [length].
  std::optional<dealii::Point<3>> centre;
  /// Moments of inertia about the centre of mass, in place of those of mesh and density, which are
  /// in proportion to the mass [mass*length^2].
  std::optional<dealii::SymmetricTensor<2, 3>> inertia;
  /// Critical step of its cells: with the time step ratio the time for which nodes fly straight;
  /// 0: it follows from what the body does, see RigidSteps [time].
  double critical_step = 0;
  /// Where that is 0 it is not above this: a time in which one looks at the body. A model of
  /// nothing but rigid bodies that are at rest at the start, without loads, needs one [time].
  double resolution = std::numeric_limits<double>::infinity();
  /// Is its motion given? Then all of its nodes are restrained in all directions, mass and inertia
  /// are those of the mesh, and Stepper::prescribe() moves the nodes; else they stay.
  bool is_driven = false;
};

/// Mass, centre and moments of inertia of a body that fills its mesh, integrated over the cells,
/// or what the parameters say. Throws ExcRigidCentre.
template <int dim>
RigidMass rigid_mass(const Body<dim> &body, const RigidParameters &parameters = RigidParameters());
} // namespace KickDrift

#endif
