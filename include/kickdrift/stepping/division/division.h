#ifndef KICKDRIFT_STEPPING_DIVISION_DIVISION_H
#define KICKDRIFT_STEPPING_DIVISION_DIVISION_H

#include <kickdrift/stepping/kicks/kick_families.h>
#include <kickdrift/stepping/kicks/node_owners.h>

#include <vector>

namespace KickDrift
{
/**
 * Owners of nodes for kicks with these nodes and classes, by id.
 *
 * In lock step with its neighbours a process has to have its share of every class, or it waits for
 * them (Rietmann et al. 2015). Nodes are bisected recursively by their reference positions (Berger
 * and Bokhari 1987), each class at a place of its own. Classes are cut one after the other, from
 * the finest on, along the axis and in the direction that cut fewest kicks per time, those with
 * nodes of finer classes included, so that the pieces of a process lie beside each other. This is
 * done twice, the second time with weights that make the kicks that are held equal rather than the
 * nodes that are owned, and the better division is taken. It is the same on all processes.
 * @param nodes with a kick's class, the finest of those that act on it
 * @param n_ranks number of processes
 * @param for_all nodes that everybody owns; of their kicks only the classes matter, to other nodes
 */
template <int spacedim>
NodeOwners divide_nodes(const NodeTable<spacedim> &nodes,
                        const CompressedRows<unsigned int> &nodes_of_kick,
                        const std::vector<unsigned int> &class_of_kick, unsigned int n_ranks,
                        const std::vector<unsigned int> &for_all);

/// Nodes at which all processes do the same between kicks.
struct NodesOfAll
{
  std::vector<unsigned int> kicked; ///< everybody owns them: all give their kicks
  /// Everybody has to know them at any time. If pays_to_tell(), single processes own them, who tell
  /// all others of them after each clock; otherwise everybody owns them, too.
  std::vector<unsigned int> known;
};

/**
 * Is it faster if kicks on known nodes are divided as @p owners say, who tell all others of these
 * nodes after each class, than if all processes give them? Counted in kicks of boxes, whatever the
 * kicks; the same on all processes. With one there is nobody to tell, and the answer is no.
 */
bool pays_to_tell(const CompressedRows<unsigned int> &nodes_of_kick,
                  const std::vector<unsigned int> &class_of_kick, const NodeOwners &owners,
                  const NodesOfAll &of_all, unsigned int n_ranks);

/// Owners for kicks on these clocks, see above; @p levels have been started. Throws
/// StepperExceptions::ExcOneProcess without step classes.
template <int spacedim>
NodeOwners divide_nodes(const NodeTable<spacedim> &nodes, const KickFamilies<spacedim> &families,
                        const TimeLevels &levels, unsigned int n_ranks, const NodesOfAll &of_all);

/// What one process of several has to do whenever a clock fires: see Distribution. Kicks that
/// change their clocks leave the halo of the clocks that they leave as it is.
struct Firing
{
  unsigned int kicks = 0;      ///< that it gives
  unsigned int halo = 0;       ///< nodes of others that it is told of
  unsigned int neighbours = 0; ///< processes that it exchanges messages with
};

/// What one process of several has to do at present: see Distribution.
struct Holding
{
  unsigned int kicks = 0;       ///< that it gives, of all families
  unsigned int halo = 0;        ///< nodes of others that it is told of
  unsigned int neighbours = 0;  ///< processes that it exchanges messages with
  std::vector<Firing> of_clock; ///< by clock; empty for one process alone
};

/// What a run on several processes would have to do, by its clocks and kicks: see Distribution.
struct Division
{
  std::vector<Holding> of_rank;    ///< by process
  std::vector<unsigned int> alone; ///< kicks of one process alone, by clock
  double redundancy = 1; ///< kicks that all processes give, over those of one that is alone [-]
  double shared = 0;     ///< of these of one process, the share that all give [-]
  /// Kicks per time of one process alone, over the number of processes times those of the busiest
  /// in each class: at most the efficiency, since messages, contact and waiting come on top [-].
  double efficiency = 1;
};

/// How much there is to do for processes that wait for each other in every class, in kicks per
/// finest step; messages do not count.
struct KickLoad
{
  double alone = 0;   ///< of one process alone
  double busiest = 0; ///< of a process that is the busiest one in every class

  /// Time that several processes need at least, over that of one alone [-].
  double
  share() const
  {
    return alone > 0 ? busiest / alone : 1;
  }
};

/// That of kicks with clocks, with step classes, and these @p owners of their nodes.
template <int spacedim>
KickLoad kick_load(const KickFamilies<spacedim> &families, const TimeLevels &levels,
                   const NodeOwners &owners, unsigned int n_ranks);

/// Divide kicks that have been given clocks, with step classes, among @p n_ranks in thought.
template <int spacedim>
Division divide_in_thought(const NodeTable<spacedim> &nodes, const KickFamilies<spacedim> &families,
                           const TimeLevels &levels, unsigned int n_ranks,
                           const NodesOfAll &of_all);
} // namespace KickDrift

#endif
