#ifndef KICKDRIFT_CONTACT_LAYERS_LAYER_CLOCK_H
#define KICKDRIFT_CONTACT_LAYERS_LAYER_CLOCK_H

#include <cstdint>

namespace KickDrift
{
/**
 * The clocks of penalty layers: nested classes that are never realigned. Class c kicks at the odd
 * multiples of 2^c ticks and has the step 2^(c+1), so that every tick belongs to exactly one class,
 * and the kicks of a class come where intervals of the next finer one end.
 *
 * The first layer of a pair is in class @p top, level m in class top - m.
 */
struct LayerClock
{
  double unit = 1; ///< length of a tick [time]

  /// Time of a tick.
  double
  time(const std::int64_t tick) const
  {
    return unit * tick;
  }

  /// Step of a class [time].
  double
  step(const unsigned int c) const
  {
    return unit * (std::int64_t(2) << c);
  }

  /// The last tick that is not after @p time.
  std::int64_t tick_at(double time) const;

  /// The class with a kick at a tick that is not zero.
  static unsigned int
  class_at(const std::int64_t tick)
  {
    return __builtin_ctzll(static_cast<std::uint64_t>(tick));
  }

  /// The first kick of class @p c after @p tick.
  static std::int64_t
  next_of_class(const std::int64_t tick, const unsigned int c)
  {
    const std::int64_t half = std::int64_t(1) << c;
    return ((tick + half) >> (c + 1)) * 2 * half + half;
  }

  /// The first kick of any class from @p finest to @p top after @p tick.
  static std::int64_t
  next_of_classes(const std::int64_t tick, const unsigned int finest, const unsigned int top)
  {
    const std::int64_t next = ((tick >> finest) + 1) << finest;
    return (next & ((std::int64_t(2) << top) - 1)) == 0 ? next + (std::int64_t(1) << finest) : next;
  }

  /// End of the interval that the last kick of class @p c up to @p tick stands for, in ticks.
  static std::int64_t
  covered_until(const std::int64_t tick, const unsigned int c)
  {
    return next_of_class(tick, c) - (std::int64_t(1) << c);
  }
};
} // namespace KickDrift

#endif
