#ifndef KICKDRIFT_STEPPING_STEPS_CRITICAL_STEPS_H
#define KICKDRIFT_STEPPING_STEPS_CRITICAL_STEPS_H

#include <kickdrift/stepping/clocks/stepper_parameters.h>
#include <kickdrift/stepping/kicks/kicks.h>

#include <memory>
#include <vector>

namespace KickDrift
{
/// Critical step h of a kick that is damped, @f$h (\sqrt{1 + \xi^2} - \xi)@f$ with the damping
/// ratio @f$\xi@f$ at its highest frequency, see Kicks::damping_time() [time].
double damped_step(double step, double ratio);

/**
 * Critical steps of all kicks together.
 *
 * If every kick is stable alone, with a part of the nodal masses, and the parts of all kicks add up
 * to the nodal masses, then all together are stable: no frequency of the whole is above the largest
 * of the parts (Irons & Treharne 1971). Any division of the masses will do. Here a kick's share of
 * the mass of node A is in proportion to
 * @f[ w_{kA} = \sqrt{\kappa_{kA}} \sum_B \sqrt{\kappa_{kB}}, @f]
 * with the Kicks::nodal_stiffness() @f$\kappa_{kA}@f$ and the sum over the support, a bound of the
 * row sum of the stiffness matrix. So stiff and thin cells count on the mass that is there, and
 * what is soft beside them gets shorter steps: the critical step of a sliver is near the exact
 * limit of the whole model instead of hundreds of times below it.
 */
template <int spacedim>
class CriticalSteps
{
public:
  /// Families whose kicks have clocks of their own, in the order of their ids.
  using Families = std::vector<std::shared_ptr<const Kicks<spacedim>>>;

  /**
   * The masses of @p nodes, which must outlive the object, are shared among the kicks of
   * @p families. Throws StepperExceptions::ExcNoOwnMasses for MassForSteps::own if a family has no
   * own masses.
   */
  CriticalSteps(Families families, const NodeTable<spacedim> &nodes,
                MassForSteps mass = MassForSteps::shared);

  /// In the reference state, shape (kicks of all families) [time].
  std::vector<double> reference() const;

  /// Of kick @p k of a family, for nodes that are all at one time [time].
  double current(const NodeTable<spacedim> &state, unsigned int family, unsigned int k) const;

  /// Masses with which a kick carries its nodes, shape (nodes of the support) [mass].
  void masses(unsigned int family, unsigned int k, std::vector<double> &result) const;

private:
  Families families;
  const NodeTable<spacedim> &nodes;
  MassForSteps mass;
  std::vector<double> mass_per_weight; ///< by node; empty for MassForSteps::own
  mutable std::vector<double> buffer;  ///< for current()
};
} // namespace KickDrift

#endif
