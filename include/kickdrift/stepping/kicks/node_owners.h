#ifndef KICKDRIFT_STEPPING_KICKS_NODE_OWNERS_H
#define KICKDRIFT_STEPPING_KICKS_NODE_OWNERS_H

#include <algorithm>
#include <utility>
#include <vector>

namespace KickDrift
{
/// Which process owns which node; chosen by divide_nodes().
class NodeOwners
{
public:
  /// Stands for all processes.
  static constexpr unsigned int everybody = -1;

  /// There are no nodes.
  NodeOwners() = default;

  /// @param owners process, or everybody, by node
  explicit NodeOwners(std::vector<unsigned int> owners) : owners(std::move(owners)) {}

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
