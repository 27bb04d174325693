#ifndef KICKDRIFT_STEPPING_NODE_OWNERS_H
#define KICKDRIFT_STEPPING_NODE_OWNERS_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace KickDrift
{
/**
 * Which process owns which node.
 *
 * In lock step with its neighbours a process has to have its share of every clock, or it waits for
 * them: the nodes of each class are divided one class after the other (Rietmann et al. 2015 found
 * the same for local time stepping). They are cut where they lie along the space-filling curve by
 * which nodes are numbered, bodies one after the other, so no body is cut for its own sake.
 */
class NodeOwners
{
public:
  /// Stands for all processes.
  static constexpr unsigned int everybody = -1;

  /// All nodes are owned by the only process.
  NodeOwners() = default;

  /**
   * @param n_ranks number of processes
   * @param class_of_node finest class of the kicks that act on a node, by node
   * @param work of a node: number of these kicks, by node
   * @param for_all nodes that everybody owns
   */
  NodeOwners(unsigned int n_ranks, const std::vector<unsigned int> &class_of_node,
             const std::vector<unsigned int> &work, const std::vector<unsigned int> &for_all);

  /// Owner of a node, or everybody.
  unsigned int
  operator()(const unsigned int node) const
  {
    return owners[node];
  }

  /// Number of nodes.
  unsigned int
  size() const
  {
    return owners.size();
  }

  /// The processes that hold a kick on these nodes, ascending; a single entry everybody if one of
  /// the nodes is everybody's.
  std::vector<unsigned int> holders(const std::vector<unsigned int> &support) const;

  /// The first of these.
  unsigned int
  first_holder(const std::vector<unsigned int> &support) const
  {
    unsigned int first = everybody;
    for (const unsigned int node : support)
    {
      if (owners[node] == everybody)
        return everybody;
      first = std::min(first, owners[node]);
    }
    return first;
  }

  /// Does a process hold a kick on these nodes?
  bool is_held(const std::vector<unsigned int> &support, unsigned int rank) const;

private:
  std::vector<unsigned int> owners;
};
} // namespace KickDrift

#endif
