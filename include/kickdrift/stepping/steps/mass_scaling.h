#ifndef KICKDRIFT_STEPPING_STEPS_MASS_SCALING_H
#define KICKDRIFT_STEPPING_STEPS_MASS_SCALING_H

#include <kickdrift/stepping/kicks/kicks.h>

#include <memory>
#include <vector>

namespace KickDrift
{
/**
 * Nodal masses, none below what it is, with which no critical step is below what is wanted.
 *
 * Critical steps are those of CriticalSteps, with its weights @f$w_{kA}@f$, whose sum over all
 * kicks is @f$W_A@f$. A kick that falls short needs @f$m_A \ge \lambda_k W_A@f$ at its nodes, with
 * the smallest @f$\lambda_k@f$ that serves, @f$\lambda_k \le \frac 1 4 h^2@f$ for the step h; so
 * the first nodes to become heavier are those with the least mass for the stiffness around them, as
 * those of slivers are. A node gets what the most demanding of its kicks needs. As critical steps
 * never become shorter with more mass anywhere, this serves all kicks at once.
 *
 * Masses are above the least ones of this form by less than a per cent. They do not depend on the
 * order of kicks. Kicks on nodes that may not grow are left alone.
 * @param families whose kicks have clocks of their own
 * @param steps that are wanted, of all kicks of all families, positive [time]
 * @param may_grow by node
 * @return masses by node [mass]
 */
template <int spacedim>
std::vector<double>
masses_for_steps(const std::vector<std::shared_ptr<const Kicks<spacedim>>> &families,
                 const NodeTable<spacedim> &nodes, const std::vector<double> &steps,
                 std::vector<char> may_grow);
} // namespace KickDrift

#endif
