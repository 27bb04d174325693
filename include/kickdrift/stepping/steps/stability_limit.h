#ifndef KICKDRIFT_STEPPING_STEPS_STABILITY_LIMIT_H
#define KICKDRIFT_STEPPING_STEPS_STABILITY_LIMIT_H

#include <kickdrift/stepping/kicks/kicks.h>

#include <memory>
#include <vector>

namespace KickDrift
{
/// The largest stable step of leapfrog with one clock.
struct StabilityLimit
{
  double step;             ///< 2/omega_max [time]
  bool has_converged;      ///< to about 1e-4; otherwise step is too long by an unknown amount
  unsigned int iterations; ///< that were needed
};

/**
 * Estimate of 2/omega_max of all kicks together.
 *
 * omega_max is the largest Ritz value of a Lanczos iteration without reorthogonalisation (which
 * does not impair the largest value; Paige 1972), iterated until it converges. Ritz values converge
 * from below, so the estimate is a little too long: keep a margin of some per cent. It is not below
 * the smallest of the CriticalSteps, which bounds it rigorously.
 *
 * It holds for small motions about the reference state. Restraints are ignored, since they can only
 * lengthen the step.
 *
 * @param n_clocks clocks that the kicks have been put on, which makes forces several times cheaper;
 * 0: none yet
 */
template <int spacedim>
StabilityLimit stability_limit(const std::vector<std::shared_ptr<const Kicks<spacedim>>> &families,
                               const NodeTable<spacedim> &nodes, unsigned int n_clocks = 0);
} // namespace KickDrift

#endif
