#ifndef KICKDRIFT_CONTACT_MASSLESS_EXCEPTIONS_H
#define KICKDRIFT_CONTACT_MASSLESS_EXCEPTIONS_H

#include <deal.II/base/exceptions.h>

#include <string>

namespace KickDrift
{
/// What contact with massless nodes throws.
struct MasslessExceptions
{
  /// @addtogroup Exceptions
  /// @{

  /// There is nothing that could be in contact.
  DeclExceptionMsg(ExcNoMasslessNodes,
                   "Contact with massless nodes needs nodes: name surfaces in 'Contact/Massless "
                   "surfaces' that have nodes which are not held in all directions.");

  /// Nothing near a node can carry its mass.
  DeclException1(ExcNoReceiver, unsigned int,
                 << "Node " << arg1 << " of a massless surface has no node near it, apart from "
                 << "those of massless surfaces and held ones, that could carry its mass: the body "
                 << "is too thin there. Use impulses ('Contact/Response' = look ahead).");

  /// The cells around a node do not hold it in a stable equilibrium.
  DeclException2(ExcNoEquilibrium, unsigned int, double,
                 << "The cells around the massless node " << arg1 << " have no stable equilibrium "
                 << "at time " << arg2 << ": they are compressed too far for their material, or do "
                 << "not hold the node at all.");

  /// What is not there yet, or has no meaning for massless nodes.
  DeclException1(ExcNotForMassless, std::string,
                 << "'Contact/Response' = massless cannot be used with " << arg1 << ".");
  /// @}
};
} // namespace KickDrift

#endif
