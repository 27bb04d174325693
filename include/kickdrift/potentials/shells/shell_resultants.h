#ifndef KICKDRIFT_POTENTIALS_SHELLS_SHELL_RESULTANTS_H
#define KICKDRIFT_POTENTIALS_SHELLS_SHELL_RESULTANTS_H

#include <deal.II/base/symmetric_tensor.h>

namespace KickDrift
{
/// What a triangle of a shell bears, in the axes of space.
struct ShellResultants
{
  /// Cauchy stress times thickness [force/length].
  dealii::SymmetricTensor<2, 3> force;
  /// Moments per present length [force].
  dealii::SymmetricTensor<2, 3> moment;
  /// Change of curvature, in the axes of the reference state that have moved along [1/length].
  dealii::SymmetricTensor<2, 3> curvature;
  /// Present thickness [length].
  double thickness = 0;
};
} // namespace KickDrift

#endif
