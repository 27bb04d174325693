#ifndef KICKDRIFT_DEAL_II_ENERGY_SCALE_H
#define KICKDRIFT_DEAL_II_ENERGY_SCALE_H

#include <kickdrift/nodes/node_table.h>
#include <kickdrift/stepping/kicks/kicks.h>

#include <memory>
#include <vector>

namespace KickDrift
{
/// What is known of a body as a whole.
struct BodyAsWhole
{
  unsigned int first_node = 0; ///< in the table
  double mass = 0;             ///< [mass]
  double transit_time = 0;     ///< of waves, about [time]
};

/// @param n_nodes and @p n_cells of the body, cells of so many dimensions
/// @param critical_step of its cells, about [time]
template <int spacedim>
BodyAsWhole body_as_whole(const NodeTable<spacedim> &nodes, unsigned int first_node,
                          unsigned int n_nodes, unsigned int n_cells, unsigned int dimension,
                          double critical_step);

/**
 * An energy that matters: strain energies of bars that hang under their weight, if the loads at
 * @p time are one [energy]. Some of the loads stand for all.
 * @param bodies in the order of their nodes, all of them
 */
template <int spacedim>
double energy_of_loads(const NodeTable<spacedim> &nodes,
                       const std::vector<std::shared_ptr<Kicks<spacedim>>> &loads,
                       const std::vector<BodyAsWhole> &bodies, double time);
} // namespace KickDrift

#endif
