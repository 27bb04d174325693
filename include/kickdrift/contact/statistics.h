#ifndef KICKDRIFT_CONTACT_STATISTICS_H
#define KICKDRIFT_CONTACT_STATISTICS_H

#include <deal.II/base/tensor.h>

#include <cstdint>
#include <vector>

namespace KickDrift
{
/// What contact has done so far.
template <int spacedim>
struct ContactStatistics
{
  std::uint64_t tests = 0;      ///< contactors tested
  std::uint64_t collisions = 0; ///< impulses given
  double max_penetration = 0;   ///< deepest penetration seen by any test [length]
  double restitution_loss = 0;  ///< energy that e < 1 asked to lose
  double friction_loss = 0;     ///< energy that Coulomb's law asked to lose
  double obstacle_work = 0;     ///< done by obstacles that move [energy]
  std::uint64_t lost = 0;       ///< contactors that got too deep inside a target to be pushed out
  double account = 0;           ///< taken by looking-ahead impulses, not yet given back [energy]
  /// Accumulated contact impulse on each node of the table [mass*length/time]; sums to zero between
  /// free bodies.
  std::vector<dealii::Tensor<1, spacedim>> impulse;
};
} // namespace KickDrift

#endif
