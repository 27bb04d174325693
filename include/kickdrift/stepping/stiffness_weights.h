#ifndef KICKDRIFT_STEPPING_STIFFNESS_WEIGHTS_H
#define KICKDRIFT_STEPPING_STIFFNESS_WEIGHTS_H

#include <kickdrift/stepping/kicks.h>

#include <vector>

namespace KickDrift
{
/**
 * Weights @f$w_{kA} = \sqrt{\kappa_{kA}} \sum_B \sqrt{\kappa_{kB}}@f$ of kick @p k at the nodes A
 * of its support, with its Kicks::nodal_stiffness() @f$\kappa@f$: bounds of the row sums of its
 * stiffness matrix. Empty if it has no stiffness, as loads have none [force/length].
 */
template <int spacedim>
void stiffness_weights(const Kicks<spacedim> &kicks, unsigned int k, std::vector<double> &weights);
} // namespace KickDrift

#endif
