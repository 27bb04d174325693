#ifndef KICKDRIFT_CONTACT_LAYERS_EXCEPTIONS_H
#define KICKDRIFT_CONTACT_LAYERS_EXCEPTIONS_H

#include <deal.II/base/exceptions.h>

#include <string>

namespace KickDrift
{
/// What penalty layers throw.
struct LayerExceptions
{
  /// @addtogroup Exceptions
  /// @{

  /// A pair needs more layers than LayerParameters::depth allows.
  DeclException4(ExcTooDeep, std::string, double, double, double,
                 << arg1 << " are only " << arg2 << " apart at time " << arg3
                 << " and approach each other with " << arg4
                 << ": that needs more layers than 'Contact/Layers/Depth' allows. A larger "
                    "'Contact/Layers/Thickness' stops them earlier.");

  /// Two primitives touch, which no layer can undo.
  DeclException3(ExcTouching, std::string, double, double,
                 << arg1 << " have the distance " << arg2 << " at time " << arg3
                 << "; penalty layers only keep apart what is apart at the start: move the "
                    "bodies, merge their nodes, or exclude the pair ('Contact/Exclude').");

  /// Something passes through a shell, or a shell through something, at the start.
  DeclException1(
      ExcCrossing, std::string,
      << arg1
      << " at the start; penalty layers keep them as they are: move the bodies, or "
         "exclude the pair ('Contact/Exclude'; 'no self' for a body that crosses itself).");

  /// Two bodies are nearer at the start than where their layers begin.
  DeclException3(
      ExcTooNear, std::string, double, double,
      << arg1 << " are only " << arg2
      << " apart at the start, which penalty layers count as an overlap: they begin at " << arg3
      << " (twice 'Contact/Layers/Thickness'; if that is 0, a third of the shortest edge of "
         "a face or, if more, where shells as thick as these touch). Move the two apart, "
         "choose a smaller thickness, or set 'Contact/Initial overlap' = ignore, which "
         "makes the layers of such pairs thinner.");

  /// LayerParameters::stiffness asks for steps that are too short.
  DeclException2(ExcTooStiff, double, double,
                 << "'Contact/Layers/Stiffness' = " << arg1 << " needs steps of " << arg2
                 << ", shorter than those that 'Contact/Layers/Depth' allows.");

  /// A parameter that does not go with layers.
  DeclException1(ExcNotWithLayers, std::string,
                 << "'Contact/Response' = layers does not go with " << arg1 << ".");
  /// @}
};
} // namespace KickDrift

#endif
