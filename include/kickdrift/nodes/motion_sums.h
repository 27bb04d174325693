#ifndef KICKDRIFT_NODES_MOTION_SUMS_H
#define KICKDRIFT_NODES_MOTION_SUMS_H

#include <kickdrift/nodes/node_table.h>

#include <utility>
#include <vector>

namespace KickDrift
{
/**
 * Mass, momenta and kinetic energy of some nodes; those of a rigid body count as the body that they
 * are, whose inertia is not that of their lumped masses.
 */
template <int spacedim>
struct MotionSums
{
  double mass = 0;                          ///< [mass]
  dealii::Tensor<1, spacedim> first_moment; ///< of displaced positions [mass*length]
  dealii::Tensor<1, spacedim> momentum;     ///< [mass*length/time]
  dealii::Tensor<1, 3> angular_momentum;    ///< about the given point [mass*length^2/time]
  double kinetic = 0;                       ///< [energy]
};

/**
 * Of the nodes from @p first to before @p end, all at one time with synchronised velocities. A
 * rigid body counts if its first node is one of them.
 * @param point about which angular momentum is taken [length]
 */
template <int spacedim>
MotionSums<spacedim> motion_sums(const NodeTable<spacedim> &nodes, unsigned int first,
                                 unsigned int end, const dealii::Tensor<1, spacedim> &point = {});

/// MotionSums::kinetic of all nodes.
template <int spacedim>
double kinetic_energy(const NodeTable<spacedim> &synchronised);

/// Of nodes that deform, about the origin, each with a fraction of its mass [-].
template <int spacedim>
MotionSums<spacedim> motion_sums(const NodeTable<spacedim> &nodes,
                                 const std::vector<std::pair<unsigned int, double>> &fractions);
} // namespace KickDrift

#endif
