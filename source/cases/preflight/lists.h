#ifndef KICKDRIFT_SOURCE_CASES_PREFLIGHT_LISTS_H
#define KICKDRIFT_SOURCE_CASES_PREFLIGHT_LISTS_H

namespace KickDrift
{
/// How many entries of a list the report shows.
constexpr unsigned int n_listed = 10;
} // namespace KickDrift

#endif
