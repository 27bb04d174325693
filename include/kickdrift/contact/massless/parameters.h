#ifndef KICKDRIFT_CONTACT_MASSLESS_PARAMETERS_H
#define KICKDRIFT_CONTACT_MASSLESS_PARAMETERS_H

namespace KickDrift
{
/// How well and how fast equilibria of massless nodes are found.
struct MasslessParameters
{
  /// Largest motion in the last sweep, as a share of the length of the cells [-].
  double tolerance = 1e-5;
  /// Compliance of a contact, as a share of that of its nodes [-]. Where both sides are tested
  /// against each other constraints are nearly redundant: without it iterations converge slowly.
  double compliance = 0.02;
  /// In an iteration. What a single sweep leaves of the last kick's error would feed a body that is
  /// nearly at rest, in every kick by less than the tolerance.
  unsigned int fewest_sweeps = 4;
  unsigned int most_sweeps = 400;   ///< in an iteration
  unsigned int most_iterations = 8; ///< of Newton's method
};
} // namespace KickDrift

#endif
