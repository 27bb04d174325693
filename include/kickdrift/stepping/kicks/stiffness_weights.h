#ifndef KICKDRIFT_STEPPING_KICKS_STIFFNESS_WEIGHTS_H
#define KICKDRIFT_STEPPING_KICKS_STIFFNESS_WEIGHTS_H

#include <kickdrift/stepping/kicks/kicks.h>

#include <memory>
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

/// Sums @f$W_A@f$ of the weights of all kicks at each of @p n_nodes nodes [force/length].
template <int spacedim>
std::vector<double>
total_stiffness_weights(const std::vector<std::shared_ptr<const Kicks<spacedim>>> &families,
                        unsigned int n_nodes);
} // namespace KickDrift

#endif
