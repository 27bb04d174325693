#ifndef KICKDRIFT_STEPPING_DIVISION_H
#define KICKDRIFT_STEPPING_DIVISION_H

#include <kickdrift/stepping/node_owners.h>
#include <kickdrift/stepping/time_levels.h>

#include <vector>

namespace KickDrift
{
template <int spacedim>
class Stepper;

/**
 * Owners of nodes for kicks on these clocks; @p levels have been started, with step classes.
 * @param nodes_of_kick rows are nodes, by id
 * @param for_all nodes that everybody owns
 */
NodeOwners divide_nodes(const TimeLevels &levels, const CompressedRows<unsigned int> &nodes_of_kick,
                        unsigned int n_nodes, unsigned int n_ranks,
                        const std::vector<unsigned int> &for_all);

/// What a run on several processes would have to do, by its clocks and cells: see Distribution.
struct Division
{
  unsigned int n_ranks;  ///< processes
  double redundancy = 1; ///< kicks that all processes give, over those of one that is alone [-]
  double shared = 0;     ///< of these of one process, the share that all give, at surfaces [-]
  /// Kicks per time of one process alone, over n_ranks times those of the busiest in each class: at
  /// most the efficiency, since messages, contact and waiting come on top [-].
  double efficiency = 1;
  double halo = 0;       ///< nodes of other processes that one needs, on average
  double neighbours = 0; ///< processes that one exchanges lines with, on average
};

/// Divide the kicks of a stepper that has been started, with step classes, in thought.
/// @param n_nodes of its node table
template <int spacedim>
Division divide_in_thought(const Stepper<spacedim> &stepper, unsigned int n_nodes,
                           unsigned int n_ranks);
} // namespace KickDrift

#endif
