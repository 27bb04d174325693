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
 * omega_max is the largest Ritz value of a Lanczos iteration without reorthogonalisation (Paige
 * 1972: its largest value is not harmed by that), iterated until it stands still. Ritz values come
 * from below, so the estimate is a little too long: keep a margin of some per cent.
 *
 * It is that of small motions about the undeformed state, in which there must be no forces.
 * Restraints are not looked at, since they can only lengthen the step.
 */
template <int spacedim>
double stability_limit(const std::vector<std::shared_ptr<const Kicks<spacedim>>> &families,
                       const NodeTable<spacedim> &nodes);
} // namespace KickDrift

#endif
