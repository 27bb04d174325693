#ifndef KICKDRIFT_CONTACT_RESPONSE_STATISTICS_H
#define KICKDRIFT_CONTACT_RESPONSE_STATISTICS_H

#include <deal.II/base/tensor.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace KickDrift
{
class Archive;

/// How a node is in contact.
enum class ContactStatus
{
  open,
  slips,
  sticks
};

/// What contact knows about a node: its nearest target.
struct ContactState
{
  /// Distance to it, negative inside; not a number if there is none in sight [length].
  double gap = std::numeric_limits<double>::quiet_NaN();
  ContactStatus status = ContactStatus::open; ///< how the node is in contact
};

/// Of the systems of contacts that were answered together.
struct CoupledStatistics
{
  std::uint64_t constraints = 0; ///< contacts that bore, of all systems
  unsigned int largest = 0;      ///< of the system with most of them
};

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
  double projection_work = 0;   ///< of moving nodes out of what they had penetrated [energy]
  CoupledStatistics coupled;    ///< of contacts answered together
  std::uint64_t lost = 0;       ///< contactors that got too deep inside a target to be pushed out
  /// Problems of contacts that were answered together and not solved to the tolerance, see
  /// ImpulseSolver.
  std::uint64_t unsolved = 0;
  double response_time = 0;  ///< wall time of responses [s]
  double contact_energy = 0; ///< kept by contacts until they open [energy]
  /// Accumulated contact impulse on each node of the table [mass*length/time]; sums to zero between
  /// free bodies.
  std::vector<dealii::Tensor<1, spacedim>> impulse;
  /// The part of it that friction gave.
  std::vector<dealii::Tensor<1, spacedim>> friction_impulse;

  /// Write to, or read from, a checkpoint what changes during a run.
  void serialize(Archive &archive);
};
} // namespace KickDrift

#endif
