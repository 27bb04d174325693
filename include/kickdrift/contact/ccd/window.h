#ifndef KICKDRIFT_CONTACT_CCD_WINDOW_H
#define KICKDRIFT_CONTACT_CCD_WINDOW_H

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace KickDrift
{
/// Times from @p enter to @p exit; none if enter > exit.
struct TimeWindow
{
  double enter = 0;                                      ///< first time [time]
  double exit = std::numeric_limits<double>::infinity(); ///< last time [time]

  /// Keep the times that are in @p other, too.
  void
  intersect(const TimeWindow &other)
  {
    enter = std::max(enter, other.enter);
    exit = std::min(exit, other.exit);
  }

  /// Is there no such time?
  bool
  is_empty() const
  {
    return enter > exit;
  }
};

/// Contains all times t >= 0 at which p + v t + a t^2/2 <= 0; without gaps, even if they have one.
inline TimeWindow
times_not_positive(const double p, const double v, const double a)
{
  constexpr double never = std::numeric_limits<double>::infinity();
  if (a == 0)
  {
    if (v < 0)
      return {p > 0 ? p / -v : 0., never};
    if (p > 0)
      return {never, -never};
    return {0., v > 0 ? -p / v : never};
  }
  const double discriminant = v * v - 2 * a * p;
  if (!(discriminant >= 0))
    return a > 0 ? TimeWindow{never, -never} : TimeWindow();
  // roots without cancellation; q vanishes only if both are zero
  const double q = -(v + std::copysign(std::sqrt(discriminant), v));
  double first = q / a, second = q != 0 ? 2 * p / q : first;
  if (first > second)
    std::swap(first, second);
  if (a > 0)
    return second < 0 ? TimeWindow{never, -never} : TimeWindow{std::max(0., first), second};
  // positive between the roots, not positive outside of them
  return {p > 0 ? std::max(0., second) : 0., never};
}
} // namespace KickDrift

#endif
