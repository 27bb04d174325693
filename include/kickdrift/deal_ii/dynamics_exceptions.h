#ifndef KICKDRIFT_DEAL_II_DYNAMICS_EXCEPTIONS_H
#define KICKDRIFT_DEAL_II_DYNAMICS_EXCEPTIONS_H

#include <deal.II/base/exceptions.h>

#include <string>

namespace KickDrift
{
/// What bodies and Dynamics throw when they are misused.
struct DynamicsExceptions
{
  /// @addtogroup Exceptions
  /// @{

  /// DoFHandler::distribute_dofs() has not been called.
  DeclException1(ExcNoDoFs, std::string,
                 << "Body '" << arg1
                 << "': its DoFHandler has no DoFs; call distribute_dofs() first.");

  /// The triangulation has been refined, or changed otherwise.
  DeclException1(ExcMeshChanged, std::string,
                 << "Body '" << arg1 << "': its triangulation has been changed since the body was "
                 << "made. Make a new body instead.");

  /// StepperParameters::ranks are not those of a mesh that is divided among processes.
  DeclException3(ExcProcesses, std::string, unsigned int, unsigned int,
                 << "Body '" << arg1 << "': its mesh is divided among " << arg2
                 << " processes, but the stepper has " << arg3
                 << "; set StepperParameters::ranks = Ranks::of_launcher(), and give the mesh "
                 << "MPI_COMM_WORLD.");

  /// Shells are made of linear triangles.
  DeclException2(ExcTriangles, std::string, std::string,
                 << "Shell '" << arg1 << "' has " << arg2
                 << "; shells are meshes of triangles only, with the element FE_SimplexP<2,3>(1), "
                 << "scalar or as FESystem of three copies.");

  /// A shell whose mesh is divided.
  DeclException1(ExcDividedShell, std::string,
                 << "Shell '" << arg1 << "': its mesh is divided among processes; shells need a "
                 << "mesh that every process has as a whole, such as Triangulation<2,3>.");

  /// A shell in the plane.
  DeclExceptionMsg(ExcShellInPlane, "Shells are bodies in three dimensions.");

  /// Impulses answer the contact of bodies that have an inside.
  DeclException1(ExcShellContact, std::string,
                 << "'Contact/Response' (ContactParameters::response) must be layers, as body '"
                 << arg1
                 << "' is a shell: impulses need bodies that have an inside, and a shell has two "
                    "sides.");

  /// Set-up comes before the start.
  DeclException1(ExcTooLate, std::string,
                 << arg1 << " must come before Dynamics::start() and the first advance_to().");

  /// Nothing to move.
  DeclExceptionMsg(ExcNoBody, "Dynamics has no body: call add_body() before start().");

  /// add_body() without a body.
  DeclExceptionMsg(ExcNullBody, "A null pointer was given to Dynamics::add_body().");

  /// A boundary id that no face has.
  DeclException2(ExcNoSuchBoundary, std::string, unsigned int,
                 << "Body '" << arg1 << "' has no boundary with id " << arg2 << ".");

  /// A component mask of another size.
  DeclException2(ExcComponents, unsigned int, unsigned int, << "The mask of a restraint has "
                                                            << arg1 << " components, but space has "
                                                            << arg2 << " directions.");

  /// Only zero values can be kept.
  DeclException2(ExcConstraint, std::string, unsigned int,
                 << "Body '" << arg1 << "': DoF " << arg2 << " is tied to other DoFs or to a value "
                 << "other than zero; restraints only hold DoFs at zero. "
                 << "Stepper::prescribe() moves nodes.");

  /// Dynamics::enable_contact() is called once.
  DeclExceptionMsg(ExcContactTwice, "Contact has been enabled already.");

  /// The limit of the energy error is not positive.
  DeclException1(ExcEnergyLimit, double,
                 << "The limit of the energy error is " << arg1 << "; it must be positive.");

  /// The balance of energies is off: the run has become unstable.
  DeclException3(ExcEnergyError, double, double, double,
                 << "The energy error is " << arg1 << " at time " << arg2 << ", above the limit of "
                 << arg3 << ". Lower StepperParameters::time_step_ratio, or look for loads that "
                 << "are too sudden.");

  /// A run has become unstable.
  DeclException3(ExcNotFinite, unsigned int, std::string, double,
                 << "Displacement or velocity of node " << arg1 << " (body '" << arg2
                 << "') is not a number at time " << arg3
                 << ". Lower StepperParameters::time_step_ratio, or look for loads that are too "
                 << "sudden.");
  /// @}
};
} // namespace KickDrift

#endif
