// SPDX-License-Identifier: LGPL-2.1-or-later
// Sums for files that are compiled once for each width of lanes and have the same bits with any.
#ifndef KICKDRIFT_BASE_LANES_H
#define KICKDRIFT_BASE_LANES_H

#include <cstddef>

/// Before a function: compiled once for each width of lanes, of which the machine at hand takes
/// one. Sanitizers cannot choose before they have begun. Its file must not fuse products and sums
/// (-ffp-contract=off).
#if defined(__x86_64__) && __GNUC__ >= 12 && !defined(__clang__) && defined(__GLIBC__) &&          \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define KICKDRIFT_CLONES                                                                           \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define KICKDRIFT_CLONES
#endif

namespace KickDrift
{
/// The scalar product of two lists of @p n numbers, in a fixed order of sums that several lanes can
/// work on.
__attribute__((always_inline)) inline double
lane_product(const double *const x, const double *const y, const std::size_t n)
{
  constexpr std::size_t n_lanes = 8;
  double sums[n_lanes] = {};
  std::size_t k = 0;
  for (; k + n_lanes <= n; k += n_lanes)
    for (std::size_t lane = 0; lane < n_lanes; ++lane)
      sums[lane] += x[k + lane] * y[k + lane];
  double sum = 0;
  for (; k < n; ++k)
    sum += x[k] * y[k];
  for (const double of_lane : sums)
    sum += of_lane;
  return sum;
}
} // namespace KickDrift

#endif
