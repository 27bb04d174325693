#ifndef KICKDRIFT_STEPPING_CLOCKS_STEPPER_EXCEPTIONS_H
#define KICKDRIFT_STEPPING_CLOCKS_STEPPER_EXCEPTIONS_H

#include <deal.II/base/exceptions.h>

#include <ostream>
#include <string>
#include <utility>

namespace KickDrift
{
/// What a stepper and its parts throw when they are misused.
struct StepperExceptions
{
  /// @addtogroup Exceptions
  /// @{

  /// A family is added, or anything else set up, after Stepper::start().
  DeclException1(ExcAlreadyStarted, std::string,
                 << arg1 << " must come before Stepper::start(), which must be called once only.");

  /// A run is continued or looked at before Stepper::start().
  DeclException1(ExcNotStarted, std::string, << arg1 << " needs Stepper::start() first.");

  /// A run is continued or looked at by what it has called, or by two threads at once.
  DeclException1(
      ExcAtWork, std::string,
      << arg1
      << " was called while the run was at work already: by a force, material, motion or "
         "shape of yours, which can only look at what it is given, or by another "
         "thread.");

  /// A run that an exception has stopped is continued or looked at.
  DeclException1(ExcStopped, double,
                 << "An exception has stopped the run after time " << arg1
                 << ", in the midst of a step: some nodes have been kicked and others have not. It "
                    "cannot go on; begin anew, or from a checkpoint.");

  /// A force is not one per node.
  DeclException4(ExcForceLength, std::string, unsigned int, unsigned int, unsigned int,
                 << "Kick " << arg2 << " of the family '" << arg1 << "' acts on " << arg4
                 << " nodes, but its force has " << arg3
                 << " vectors: there must be one for each.");

  /// Stiffnesses of a kick are not one per node.
  DeclException4(ExcStiffnessLength, std::string, unsigned int, unsigned int, unsigned int,
                 << "Kick " << arg2 << " of the family '" << arg1 << "' acts on " << arg4
                 << " nodes, but has " << arg3
                 << " nodal stiffnesses: there must be one for each, or none.");

  /// A stiffness is negative, infinite or not a number.
  DeclException2(ExcStiffness, std::string, unsigned int,
                 << "Kick " << arg2 << " of the family '" << arg1
                 << "' has a nodal stiffness in the reference state that is negative or not "
                    "finite. If it is a cell, its material may have no finite stress, or state, "
                    "there.");

  /// Stepper::add() without a family.
  DeclExceptionMsg(ExcNoFamily, "A null pointer was added to the stepper as a family of kicks.");

  /// Two families of the stepper are the same object.
  DeclException1(ExcFamilyAddedTwice, std::string,
                 << "The family '" << arg1
                 << "' was added to the stepper already: its kicks would be given twice.");

  /// Two steppers have the same family.
  DeclException1(ExcFamilyElsewhere, std::string,
                 << "The family '" << arg1
                 << "' belongs to another stepper that has been started, and its kicks are on the "
                    "clocks of that one: make a family for each.");

  /// A follower's kicks and the clocks for them do not match.
  DeclException2(ExcClocksOfFollower, unsigned int, unsigned int,
                 << "A family of " << arg1 << " kicks was added with clocks for " << arg2
                 << " kicks: every kick needs one.");

  /// Every kick takes the place of a group of others.
  DeclException2(ExcReplacement, unsigned int, unsigned int,
                 << "A family of " << arg1 << " kicks was added in place of " << arg2
                 << " groups of kicks: there must be one for each.");

  /// A kick cannot be given by another family from now on.
  DeclException1(ExcReplacementNow, unsigned int,
                 << "The kick with id " << arg1 << " cannot be given by another family from now "
                 << "on: its interval has not ended, or it begins with the kick (Phase::start).");

  /// Kicks share a class, but there are none.
  DeclExceptionMsg(ExcNoClasses, "Kicks that are given by another family in their place need step "
                                 "classes (Clocks::one or Clocks::nested).");

  /// There is no kick of this id.
  DeclException2(ExcNoSuchKick, unsigned int, unsigned int,
                 << "There is no kick with id " << arg1 << ": ids are below " << arg2 << ".");

  /// There is no node of this number.
  DeclException3(ExcNoSuchNode, std::string, unsigned int, unsigned int,
                 << arg1 << " node " << arg2 << ", but the table has only " << arg3 << " nodes.");

  /// Only what was announced by Stepper::watch() is indexed.
  DeclException1(ExcNodeNotWatched, unsigned int,
                 << "Node " << arg1 << " must be announced by Stepper::watch() before "
                 << "Stepper::start() for its forces, kicks and synchronised velocity.");

  /// Nodes were added to the table after Stepper::start().
  DeclException2(ExcNodesChanged, unsigned int, unsigned int,
                 << "The stepper was started with " << arg1 << " nodes, now the table has " << arg2
                 << ": all nodes must be added before Stepper::start().");

  /// Nodes were restrained after Stepper::start().
  DeclException2(ExcRestraintsChanged, unsigned int, unsigned int,
                 << "The stepper was started with " << arg1 << " restrained nodes, now there are "
                 << arg2 << ": nodes must be restrained before Stepper::start().");

  /// Positions or velocities at the start are infinite or not numbers.
  DeclException2(ExcNodeNotFinite, unsigned int, std::string,
                 << "The " << arg2 << " of node " << arg1 << " is not finite at the start.");

  /// A run goes to times that are finite and not behind it.
  DeclException2(ExcTargetTime, double, double, << "The stepper is at time " << arg2
                                                << " and cannot advance to " << arg1
                                                << ": times must be finite and must not decrease.");

  /// The run has not come so far.
  DeclException2(ExcFutureTime, double, double,
                 << "The stepper is at time " << arg2 << ": the state at time " << arg1
                 << " is not known; call Stepper::advance_to() first.");

  /// A parameter of StepperParameters is outside of its range.
  DeclException3(ExcParameter, std::string, double, std::string, << "StepperParameters::" << arg1
                                                                 << " is " << arg2
                                                                 << "; allowed: " << arg3 << ".");

  /// No kick has a finite positive critical step.
  DeclExceptionMsg(ExcNoCriticalStep, "There is no kick that limits the time step.");

  /// Kicks with clocks of their own are added, or masses scaled, after the critical steps were
  /// calculated.
  DeclExceptionMsg(ExcStepsKnown,
                   "Kicks with clocks of their own must be added, and masses scaled, before "
                   "Stepper::find_critical_steps(): nodal masses are shared among all kicks.");

  /// Critical steps from own masses are asked for, but a family has none.
  DeclException1(ExcNoOwnMasses, std::string,
                 << "The kicks of the family '" << arg1
                 << "' have no masses of their own: MassForSteps::shared is needed.");

  /// Masses are to be scaled, which own masses of kicks do not know of.
  DeclExceptionMsg(ExcMassScaling, "Stepper::scale_masses() needs MassForSteps::shared.");

  /// A fixed step is unstable.
  DeclException2(ExcUnstableStep, double, double, << "The fixed time step " << arg1
                                                  << " is above the largest stable step " << arg2
                                                  << ".");

  /// Nodes whose motion is prescribed belong to no kick.
  DeclExceptionMsg(ExcNoKickOnPrescribedNodes, "No kick acts on nodes whose motion is prescribed.");

  /// There are no times at which velocities around a node are synchronised.
  DeclExceptionMsg(ExcNoSynchronisedTimes,
                   "Damping needs step classes with kicks in the middle of intervals (Clocks::one "
                   "or Clocks::nested, Phase::centred): with others there are no times at which "
                   "all kicks around a node have given what they should until then.");

  /// Others would give kicks of a family that remembers what has happened to it.
  DeclException1(ExcReplacesHistory, std::string,
                 << "Kicks of the family '" << arg1
                 << "' depend on earlier ones; no others can be given in their place.");

  /// A process was asked about a kick that others give.
  DeclException1(ExcGivenElsewhere, unsigned int,
                 << "Other processes give kick " << arg1
                 << " of a family of cells, and this one knows its nodes only. The first process "
                    "knows all kicks.");

  /// Not all processes can be asked for the forces on a node.
  DeclException1(ExcForcesDivided, unsigned int,
                 << "Not all processes give the kicks on node " << arg1
                 << ": for its forces it must be announced by Stepper::watch() with "
                    "WatchedKicks::by_all.");

  /// A kick has met a force that is not finite, for which its cell may be turned inside out. The
  /// run cannot go on.
  class ExcUndefinedForce : public dealii::ExceptionBase
  {
  public:
    /// @param id that of the kick, or of the one whose clock it shares
    ExcUndefinedForce(std::string family, const unsigned int id, const double time)
        : family(std::move(family)), id(id), time(time)
    {
    }
    ~ExcUndefinedForce() noexcept override = default;
    /// Family, id and time.
    void
    print_info(std::ostream &out) const override
    {
      out << "The force of a kick of the family '" << family << "', with id " << id
          << ", is not finite at time " << time
          << ": its cell may be turned inside out, where its material has no stress.\n";
    }

    const std::string family; ///< name
    const unsigned int id;    ///< of the kick
    const double time;        ///< of the kick [time]
  };

  /// Something was asked for that several processes cannot share.
  DeclException1(ExcOneProcess, std::string,
                 << "With several processes there can be no " << arg1 << ".");

  /// Owners of nodes do not fit the model.
  DeclException1(ExcOwners, std::string,
                 << "StepperParameters::owners are not those of this model: " << arg1 << ".");

  /// Kicks of a rigid body need a common clock.
  DeclExceptionMsg(ExcRigidClocks, "Rigid bodies need step classes (Clocks::one or "
                                   "Clocks::nested), as all of a body moves at once.");

  /// Nothing says when a rigid body sets its course.
  DeclException1(ExcRigidWithoutKicks, std::string,
                 << "The rigid body '" << arg1
                 << "' has no kicks: its nodes move on a clock of kicks, see "
                    "Stepper::add_rigid_body().");

  /// Steps of a rigid body cannot follow it.
  DeclException2(ExcRigidTurn, std::string, double,
                 << "The rigid body '" << arg1 << "' turns by an angle of " << arg2
                 << " in the shortest step that there can be in this run, for which its nodes fly "
                    "straight; 0.5 are allowed. Steps are chosen for what bodies do at the start: "
                    "give it a 'Rigid critical step' for what it does later.");

  /// Damping of single nodes is none of a body that moves as one.
  DeclException2(ExcRigidDamping, std::string, std::string,
                 << "Kicks of the family '" << arg1
                 << "', which are given with those of other families, act on the rigid body '"
                 << arg2 << "'; there is no damping of rigid bodies.");

  /// Stepper::attach() was called twice.
  DeclExceptionMsg(ExcTwoEventSources, "Only one event source can be attached to a stepper.");

  /// An object that the stepper needs was destroyed.
  DeclException1(ExcDestroyed, std::string,
                 << "The " << arg1
                 << " of the stepper was destroyed; it must exist as long as the stepper runs.");
  /// @}
};
} // namespace KickDrift

#endif
