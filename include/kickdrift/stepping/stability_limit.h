#ifndef KICKDRIFT_STEPPING_STABILITY_LIMIT_H
#define KICKDRIFT_STEPPING_STABILITY_LIMIT_H

#include <kickdrift/stepping/kicks.h>

#include <memory>
#include <vector>

namespace KickDrift
{
/**
 * Estimate of 2/omega_max of all kicks together, the largest stable step of leapfrog with one clock
 * [time]. It is not below the smallest critical step of the kicks, which bounds it rigorously.
 *
 * omega_max is the largest Ritz value of a Lanczos iteration without reorthogonalisation (which
 * does not impair the largest value; Paige 1972), iterated until it converges. Ritz values converge
 * from below, so the estimate is a little too long: keep a margin of some per cent.
 *
 * It holds for small motions about the undeformed state, which must be free of forces. Restraints
 * are ignored, since they can only lengthen the step.
 */
template <int spacedim>
double stability_limit(const std::vector<std::shared_ptr<const Kicks<spacedim>>> &families,
                       const NodeTable<spacedim> &nodes);
} // namespace KickDrift

#endif
