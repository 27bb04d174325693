#ifndef KICKDRIFT_BASE_LIMITS_H
#define KICKDRIFT_BASE_LIMITS_H

#include <limits>

namespace KickDrift::Limits
{
constexpr double infinity = std::numeric_limits<double>::infinity();
/// The time of what does not happen.
constexpr double never = infinity;
/// The spacing of numbers at one.
constexpr double epsilon = std::numeric_limits<double>::epsilon();
} // namespace KickDrift::Limits

#endif
