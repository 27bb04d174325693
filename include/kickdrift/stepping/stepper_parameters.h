#ifndef KICKDRIFT_STEPPING_STEPPER_PARAMETERS_H
#define KICKDRIFT_STEPPING_STEPPER_PARAMETERS_H

#include <kickdrift/stepping/clock.h>

namespace KickDrift
{
/// How the stepper chooses its clocks.
struct StepperParameters
{
  Clocks clocks = Clocks::nested; ///< how kicks share clocks
  Phase phase = Phase::centred;   ///< where in their first interval clocks start
  double time_step_ratio = 0.5;   ///< beta, of the critical step; above 0, not above 1
  double time_step = 0;           ///< fixed step for Clocks::one; 0: from beta [time]
  /// Threads that kick cells and search for contacts; above 1 only with step classes. The bits of
  /// a run do not depend on it.
  unsigned int threads = 1;
};
} // namespace KickDrift

#endif
