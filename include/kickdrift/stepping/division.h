#ifndef KICKDRIFT_STEPPING_DIVISION_H
#define KICKDRIFT_STEPPING_DIVISION_H

#include <kickdrift/stepping/kick_families.h>
#include <kickdrift/stepping/node_owners.h>

#include <vector>

namespace KickDrift
{
/**
 * Owners of nodes for kicks on these clocks; @p levels have been started, with step classes.
 * @param nodes_of_kick rows are nodes, by id
 * @param for_all nodes that everybody owns
 */
NodeOwners divide_nodes(const TimeLevels &levels, const CompressedRows<unsigned int> &nodes_of_kick,
                        unsigned int n_nodes, unsigned int n_ranks,
                        const std::vector<unsigned int> &for_all);

/// What one process of several has to do: see Distribution.
struct Holding
{
  unsigned int kicks = 0;      ///< that it gives, of all families
  unsigned int halo = 0;       ///< nodes of others that these kicks act on
  unsigned int neighbours = 0; ///< processes that it exchanges lines with
};

/// What a run on several processes would have to do, by its clocks and kicks: see Distribution.
struct Division
{
  std::vector<Holding> of_rank; ///< by process
  double redundancy = 1; ///< kicks that all processes give, over those of one that is alone [-]
  double shared = 0;     ///< of these of one process, the share that all give, at surfaces [-]
  /// Kicks per time of one process alone, over the number of processes times those of the busiest
  /// in each class: at most the efficiency, since messages, contact and waiting come on top [-].
  double efficiency = 1;
};

/// Divide kicks that have been given clocks, with step classes, among @p n_ranks in thought.
/// @param for_all nodes that everybody owns, of @p n_nodes
template <int spacedim>
Division divide_in_thought(const KickFamilies<spacedim> &families, const TimeLevels &levels,
                           unsigned int n_nodes, unsigned int n_ranks,
                           const std::vector<unsigned int> &for_all);
} // namespace KickDrift

#endif
