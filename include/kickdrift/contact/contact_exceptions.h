#ifndef KICKDRIFT_CONTACT_CONTACT_EXCEPTIONS_H
#define KICKDRIFT_CONTACT_CONTACT_EXCEPTIONS_H

#include <deal.II/base/exceptions.h>

#include <string>

namespace KickDrift
{
/// What contact throws when it is misused.
struct ContactExceptions
{
  /// @addtogroup Exceptions
  /// @{

  /// The stepper has been started, contact has not.
  DeclExceptionMsg(ExcNotStarted,
                   "ContactMethod::start() must be called after Stepper::start(), before "
                   "the stepper advances.");

  /// ContactMethod::start() needs the clocks.
  DeclExceptionMsg(ExcStepperNotStarted,
                   "ContactMethod::start() must come after Stepper::start().");

  /// ContactMethod::start() is called once.
  DeclExceptionMsg(ExcStartedTwice, "Contact has been started already.");

  /// There are no faces and no contactors.
  DeclExceptionMsg(ExcEmptySurface, "The surface for contact has neither faces nor contactors: add "
                                    "those of the bodies first.");

  /// A parameter of ContactParameters is outside of its range.
  DeclException3(ExcParameter, std::string, double, std::string, << "ContactParameters::" << arg1
                                                                 << " is " << arg2
                                                                 << "; allowed: " << arg3 << ".");

  /// Bodies are in each other at the start.
  DeclException2(ExcOverlap, unsigned int, std::string,
                 << "Bodies overlap at the start at " << arg1 << " places, deepest by " << arg2
                 << ". Move them apart ('Bodies/NAME/Mesh/Map'; parts of one mesh in its file), or "
                    "set 'Contact/Initial overlap' (ContactParameters::initial_overlap) = resolve, "
                    "which presses nodes of different bodies apart, or = ignore.");

  /// OverlapRule::resolve is for Response::records.
  DeclException1(ExcNoResolve, std::string,
                 << "'Contact/Initial overlap' = resolve needs 'Contact/Response' = records" << arg1
                 << ". Set it to refuse or ignore.");

  /// Shells pass through something at the start.
  DeclException2(ExcShellsCross, unsigned int, std::string,
                 << "Surfaces cross at the start at " << arg1 << " places: " << arg2
                 << ", and contact would keep them so. Move the bodies apart "
                    "('Bodies/NAME/Mesh/Map'), exclude the pair ('Contact/Exclude', "
                    "ContactParameters::exclude), or set 'Contact/Initial overlap' "
                    "(ContactParameters::initial_overlap) = ignore.");

  /// Response::records does not know something.
  DeclException1(ExcNoRecords, std::string,
                 << "'Contact/Response' = records does not know " << arg1 << ".");

  /// The methods of the papers, Response::reflect, do not know something.
  DeclException1(ExcNoReference, std::string,
                 << "'Contact/Response' = reflect, the coupled solver and projection are for solid "
                    "bodies that can deform; they do not know "
                 << arg1 << ": take 'Contact/Response' = records.");

  /// Cells are deleted where the surface cannot follow that.
  DeclExceptionMsg(ExcEroding, "Contact cannot follow cells that are deleted with shells, ties, "
                               "or projection.");
  /// @}
};
} // namespace KickDrift

#endif
