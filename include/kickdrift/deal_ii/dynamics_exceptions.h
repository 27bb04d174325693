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

  /// The DoFHandler has other DoFs, or numbers them otherwise.
  DeclException1(
      ExcDoFsChanged, std::string,
      << "Body '" << arg1
      << "': the DoFs of its DoFHandler have been renumbered, or distributed anew, since "
         "the body was made. Renumber them before, or make a new body.");

  /// Somebody has moved vertices.
  DeclException2(ExcVerticesMoved, std::string, std::string,
                 << "Body '" << arg1 << "': the vertex at " << arg2
                 << " has been moved since the body was made. Move vertices before, or make a new "
                    "body.");

  /// There are no kicks of cells yet.
  DeclException1(ExcNoKicks, std::string,
                 << "Body '" << arg1
                 << "' has no kicks yet: Body::kicks(), Dynamics::make_kicks() or "
                    "Dynamics::start() make them.");

  /// What a body refers to does not exist any more.
  DeclException2(ExcDestroyed, std::string, std::string,
                 << "Body '" << arg1 << "': its " << arg2
                 << " was destroyed; it must exist as long as the body.");

  /// StepperParameters::ranks are not those of a mesh that is divided among processes.
  DeclException3(ExcProcesses, std::string, unsigned int, unsigned int,
                 << "Body '" << arg1 << "': its mesh is divided among " << arg2
                 << " processes, but the stepper has " << arg3
                 << "; give Dynamics the communicator of the mesh, or set "
                 << "StepperParameters::ranks = Ranks::of(communicator).");

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

  /// Set-up comes before the start.
  DeclException1(ExcTooLate, std::string,
                 << arg1 << " must come before Dynamics::start() and the first advance_to().");

  /// Nothing goes on after a start that has failed.
  DeclExceptionMsg(ExcNotReady,
                   "Dynamics::start() has not come to its end: it has thrown an exception, or what "
                   "it calls wants to advance the run. Make a new Dynamics.");

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

  /// A function of another number of components.
  DeclException4(ExcFunctionComponents, std::string, std::string, unsigned int, unsigned int,
                 << "Body '" << arg1 << "': the function of its " << arg2 << " has " << arg3
                 << " components; " << arg4 << " are needed.");

  /// There is no function.
  DeclException2(ExcNoFunction, std::string, std::string,
                 << "Body '" << arg1 << "': the function of its " << arg2 << " is a null pointer.");

  /// A load on part of a boundary that acts everywhere.
  DeclException1(ExcNotOnBoundary, std::string,
                 << "Body '" << arg1
                 << "': body forces and accelerations act on the whole body, tractions and "
                    "pressures on the whole surface of a shell; give no boundary ids.");

  /// A motion that does not begin where the body is.
  DeclException4(ExcMotionAtStart, std::string, std::string, std::string, std::string,
                 << "Body '" << arg1 << "': the motion of its node at " << arg2 << " begins at "
                 << arg3 << ", but the node has the displacement " << arg4 << ".");

  /// Forces come too late.
  DeclException1(ExcForcesTooLate, std::string,
                 << "Body '" << arg1
                 << "' gets forces for the first time after Dynamics::start(); call set_forces() "
                    "before it, with zeros if they are not known yet.");

  /// A force that is not finite.
  DeclException2(ExcForceNotFinite, std::string, std::string, << "Body '" << arg1
                                                              << "': the force on its node at "
                                                              << arg2 << " is not finite.");

  /// Something that shells have not.
  DeclException2(ExcNotForShells, std::string, std::string,
                 << "Body '" << arg2 << "' is a shell: " << arg1 << " is for solids only.");

  /// Something that rigid bodies have not.
  DeclException2(ExcNotForRigid, std::string, std::string, << "Body '" << arg2
                                                           << "' is rigid: " << arg1
                                                           << " is for bodies that deform only.");

  /// What cells are comes before their kicks.
  DeclException2(ExcKicksMade, std::string, std::string,
                 << arg1 << " comes too late for body '" << arg2
                 << "': its kicks have been made already, by Dynamics::stepper(), make_kicks() or "
                    "start(), or by asking for their ids.");

  /// A number that materials do not have.
  DeclException3(ExcNoSuchOutput, std::string, std::string, std::string,
                 << "No material of body '" << arg1 << "' has the output '" << arg2
                 << "'; there are: " << arg3 << ".");

  /// A time that is not finite.
  DeclException1(ExcStartTime, double,
                 << "The time at which Dynamics starts is " << arg1 << "; it must be finite.");

  /// A body whose state should go to another mesh, but there is none.
  DeclException1(ExcNoBodyToTransfer, std::string,
                 << "Body '" << arg1
                 << "' has been given to MeshTransfer, but Dynamics has none of this name on the "
                    "new mesh.");

  /// Bodies of equal names cannot be told apart.
  DeclException1(ExcEqualNames, std::string,
                 << "Several bodies are called '" << arg1
                 << "': to go to other meshes they need names of their own.");

  /// A new mesh that has not come from the old one.
  DeclException2(ExcOtherMesh, std::string, std::string,
                 << "The mesh of body '" << arg1 << "' has not come from the one before by "
                 << "refinement and coarsening: " << arg2 << ".");

  /// Deleted cells do not go from one mesh to another.
  DeclException1(ExcTransferDeleted, std::string,
                 << "Cells of body '" << arg1
                 << "' have been deleted, and cannot go to another mesh.");

  /// An interval that cannot be, or nothing to call.
  DeclException1(ExcInterval, double,
                 << "Dynamics::call_every() has the interval " << arg1
                 << " and a function; the interval must be positive and finite, the function not "
                    "empty.");

  /// The run is advanced from within itself.
  DeclExceptionMsg(ExcCalledByObserver,
                   "A function of Dynamics::call_every() must not advance, start or load the run "
                   "that it looks at.");

  /// A state of another model.
  DeclExceptionMsg(ExcOtherModel,
                   "The state that Dynamics is to go on from is that of another model, or of "
                   "another version, or from a machine of another kind: nodes, kicks, critical "
                   "steps, restraints and surfaces must be those that it was saved with.");

  /// Cells do not come back.
  DeclExceptionMsg(ExcCellsDeleted,
                   "Dynamics cannot go back: cells have been deleted since the state was saved. "
                   "Load it into a new Dynamics.");

  /// A coefficient of damping that is negative or not finite.
  DeclException2(ExcDamping, std::string, double, << "Body '" << arg1
                                                  << "': the rate of its damping is " << arg2
                                                  << "; it must not be negative.");

  /// Rates of damping do not add up.
  DeclException1(ExcDampedTwice, std::string, << "Body '" << arg1 << "' is damped already.");

  /// Body::follow() comes before Body::add_nodes() and Dynamics::add_body().
  DeclException2(ExcTieTooLate, std::string, std::string,
                 << "A node of body '" << arg1 << "' cannot be tied any more: the nodes of body '"
                 << arg2 << "' have been added already.");

  /// A node would follow itself.
  DeclException2(ExcTieCircle, std::string, std::string,
                 << "The node of body '" << arg1 << "' at " << arg2
                 << " would follow itself: what it is to be tied to is tied to it already. Tie "
                    "two surfaces in one direction only.");

  /// A node can follow one face only.
  DeclException2(ExcTiedTwice, std::string, std::string, << "The node of body '" << arg1 << "' at "
                                                         << arg2 << " is tied, or hangs, already.");

  /// Nodal integration needs nodes.
  DeclException1(ExcTieNodal, std::string,
                 << "Body '" << arg1
                 << "' has nodal integration, so that its nodes cannot be tied to others; others "
                    "can be tied to them, or take standard or one-point integration.");

  /// Nodes of a tied surface have no face near them.
  DeclException4(ExcUntied, unsigned int, std::string, std::string, double,
                 << arg1 << " nodes that are to be tied find no face within the tolerance, the "
                 << "first of them in body '" << arg2 << "' at " << arg3 << "; the nearest face is "
                 << arg4
                 << " away. Raise the tolerance, name another part of the boundary, or allow "
                    "untied nodes.");

  /// A node of a tied surface is near a face, but not on it.
  DeclException3(
      ExcTieGap, std::string, std::string, double,
      << "The node of body '" << arg1 << "' at " << arg2 << " is " << arg3
      << " away from the face that it is to be tied to. Call close_gaps() for the meshes "
         "before bodies are made of them, so that momenta are kept.");

  /// Closing a gap would flatten cells.
  DeclException3(ExcTieFlattens, std::string, double, double,
                 << "The gap between tied bodies cannot be closed: the edge at " << arg1
                 << " of a cell would change its length from " << arg2 << " to " << arg3
                 << ". Name the boundary ids that are to be tied, lower the tolerance, or mesh "
                    "the bodies such that they fit.");

  /// A tie has no faces on one of its sides.
  DeclException2(ExcTieEmpty, std::string, std::string,
                 << "Body '" << arg1 << "' has no boundary face with the boundary ids " << arg2
                 << " that is to be tied.");

  /// The two sides of a tie have faces in common.
  DeclException1(ExcTieToItself, std::string,
                 << "A boundary of body '" << arg1 << "' cannot be tied to itself.");

  /// Tolerances of ties.
  DeclException1(ExcTieTolerance, double,
                 << "The tolerance of a tie is " << arg1
                 << " of the size of a face; it must be positive and below 1.");

  /// A body has no node of its own.
  DeclException1(ExcAllTied, std::string,
                 << "All nodes of body '" << arg1
                 << "' are tied to others, but it needs a node of its own; refine it.");

  /// A body was added, but not what it is tied to.
  DeclException2(ExcMasterMissing, std::string, std::string,
                 << "Body '" << arg1 << "' is tied to body '" << arg2
                 << "', which has not been added: call Dynamics::add_body() for both.");

  /// A support holds a tied or hanging node, but not what that follows.
  DeclException3(
      ExcTiedNodeHeld, std::string, std::string, std::string,
      << arg1 << "' holds the node of body '" << arg2 << "' at " << arg3
      << ", which is tied and follows nodes that are not held in the same direction, "
         "or hangs on such nodes. Hold these, too, or only nodes that follow no others.");

  /// A rigid body that is tied.
  DeclException1(ExcTieRigid, std::string,
                 << "Body '" << arg1 << "' is rigid, and must not be tied to another one.");

  /// A centre of mass that cannot be, or without moments of inertia about it.
  DeclException1(ExcRigidCentre, std::string,
                 << "The rigid body '" << arg1
                 << "' has a centre of mass that is given; it must be finite, in two dimensions "
                    "with z = 0, and moments of inertia about it have to be given as well.");

  /// States of points at the start are for cells that are integrated with all their points.
  DeclException1(
      ExcInitialState, std::string,
      << "Body '" << arg1
      << "': states of points at the start, such as initial stress and plastic strain, go "
         "with standard integration and mean dilatation only; they are set once, before "
         "kicks are made, each of the length that its material wants, with finite "
         "numbers.");

  /// A failure strain that cannot be.
  DeclException2(ExcFailureStrain, std::string, double,
                 << "Body '" << arg1 << "' has the failure strain " << arg2
                 << "; it must be a positive number, and there can be none with nodal "
                    "integration.");

  /// The surface of contact cannot follow cells that are deleted.
  DeclException3(ExcDeletionInContact, std::string, std::string, std::string,
                 << "Body '" << arg1
                 << "' has a failure strain, and takes part in contact: its surface cannot follow "
                    "cells that are deleted "
                 << arg2 << ". Exclude the body from all contact ('Contact/Exclude' = " << arg3
                 << ", ContactParameters::exclude), or give it no failure strain.");

  /// The surface of contact cannot follow cells that are deleted where nodes follow others.
  DeclException1(ExcErodingSurface, std::string,
                 << "Body '" << arg1
                 << "' has a failure strain, and takes part in contact: its surface cannot follow "
                    "cells that are deleted where nodes hang or are tied. Refine it globally, or "
                    "exclude it from all contact ('Contact/Exclude', ContactParameters::exclude).");

  /// Constraints of another DoFHandler.
  DeclException3(ExcNoSuchDoF, std::string, unsigned int, unsigned int,
                 << "Body '" << arg1 << "': there is a constraint of DoF " << arg2
                 << ", but its DoFHandler has only " << arg3
                 << " DoFs; constraints must be made for the DoFHandler of the body.");

  /// Only zero values can be kept.
  DeclException2(ExcConstraint, std::string, unsigned int,
                 << "Body '" << arg1 << "': DoF " << arg2 << " is tied to other DoFs or to a value "
                 << "other than zero; restraints only hold DoFs at zero. "
                 << "Stepper::prescribe() moves nodes.");

  /// Dynamics::enable_contact() is called once.
  DeclExceptionMsg(ExcContactTwice, "Contact has been enabled already.");

  /// Contact is asked for that there is not.
  DeclException1(ExcNoContact, std::string,
                 << arg1 << " needs contact: call Dynamics::enable_contact(), with "
                 << "ContactParameters::enabled = true, and start() first.");

  /// Processes would round differently.
  DeclExceptionMsg(ExcInstructionSets,
                   "The processes run on processors with different instruction sets, which round "
                   "differently: set KICKDRIFT_ISA to one that all have.");

  /// Processes are not about to do the same.
  DeclExceptionMsg(ExcModelsDiffer,
                   "The processes have built different models: nodes, kicks, critical steps, "
                   "restraints, prescribed motions, contact or parameters. Are files or libraries "
                   "different where they run, or "
                   "does a program not do the same on all of them?");

  /// The limit of the energy error is not positive.
  DeclException1(ExcEnergyLimit, double,
                 << "The limit of the energy error is " << arg1 << "; it must be positive.");

  /// The balance of energies is off: the run has become unstable.
  DeclException3(ExcEnergyError, double, double, double,
                 << "The energy error is " << arg1 << " at time " << arg2 << ", above the limit of "
                 << arg3 << ". Lower StepperParameters::time_step_ratio, or look for loads that "
                 << "are too sudden.");

  /// A run has become unstable, or a cell has been turned inside out.
  DeclException3(ExcNotFinite, unsigned int, std::string, double,
                 << "A force, the displacement or the velocity of node " << arg1 << " (body '"
                 << arg2 << "') is not a number at time " << arg3
                 << ": a cell may be turned inside out. Lower StepperParameters::time_step_ratio, "
                    "or look for loads that are too "
                 << "sudden.");
  /// @}
};
} // namespace KickDrift

#endif
