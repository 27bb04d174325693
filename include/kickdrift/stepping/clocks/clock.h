#ifndef KICKDRIFT_STEPPING_CLOCKS_CLOCK_H
#define KICKDRIFT_STEPPING_CLOCKS_CLOCK_H

#include <cstdint>

namespace KickDrift
{
class Archive;

/// Which kicks share a clock.
enum class Clocks
{
  one,     ///< all: synchronous leapfrog (velocity Verlet)
  nested,  ///< those of one step class 2^k b
  per_cell ///< none: every cell keeps its own time step (the papers' scheme)
};

/// When in its interval a kick comes.
enum class Phase
{
  centred, ///< halfway: leapfrog, second order at common times
  start    ///< at the beginning: symplectic Euler for equal steps
};

/**
 * Kick times as integer multiples of half a step, never accumulated.
 *
 * All clocks of a nested run count in the same tick, so equal times are equal integers and ties are
 * never decided by rounding.
 */
struct Clock
{
  double unit = 0;         ///< length of a tick [time]
  std::int64_t tick = 0;   ///< the next kick comes at tick * unit
  std::int64_t stride = 2; ///< ticks between kicks, even

  /// Time of the next kick.
  double
  time() const
  {
    return unit * tick;
  }

  /// Time between kicks.
  double
  step() const
  {
    return unit * stride;
  }

  /// End of the interval that the last kick stands for: half a step after it.
  double
  covered_until() const
  {
    return unit * (tick - stride / 2);
  }

  /// Go on to the next time.
  void
  advance()
  {
    tick += stride;
  }

  /// Write to, or read from, a checkpoint the tick; throws if the rest is different.
  void serialize(Archive &archive);
};
} // namespace KickDrift

#endif
