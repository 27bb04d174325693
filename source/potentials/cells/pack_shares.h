#ifndef KICKDRIFT_SOURCE_POTENTIALS_CELLS_PACK_SHARES_H
#define KICKDRIFT_SOURCE_POTENTIALS_CELLS_PACK_SHARES_H

#include "cell_packs.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>

namespace KickDrift
{
/// Reference position of a node, for deciding which cells are near each other; 2D: z = 0.
using NodePositions = std::function<std::array<double, 3>(unsigned int node)>;

/// The slots [begin, end), by packs; of the first and the last pack some may not belong to them.
class PackRange
{
public:
  PackRange(const CellPacks &packs, unsigned int begin, unsigned int end);

  unsigned int
  size() const
  {
    return (end - 1) / CellKernels::n_lanes - first_pack() + 1;
  }

  /// Pack of the table that is pack 0 here.
  unsigned int
  first_pack() const
  {
    return begin / CellKernels::n_lanes;
  }

  unsigned int
  begin_slot(const unsigned int pack) const
  {
    return std::max(begin, (first_pack() + pack) * CellKernels::n_lanes);
  }
  unsigned int
  end_slot(const unsigned int pack) const
  {
    return std::min(end, (first_pack() + pack + 1) * CellKernels::n_lanes);
  }

  /// Nodes of all cells of a pack.
  const unsigned int *
  begin_nodes(const unsigned int pack) const
  {
    return packs.nodes_of(begin_slot(pack));
  }
  const unsigned int *
  end_nodes(const unsigned int pack) const
  {
    return packs.nodes_of(end_slot(pack) - 1) + packs.n_nodes_of_cell();
  }

  /// For tables by node: their size, and where a node is in them.
  unsigned int
  n_nodes() const
  {
    return table_size;
  }
  unsigned int
  index(const unsigned int node) const
  {
    return node - first_node;
  }

  const CellPacks &packs;

private:
  const unsigned int begin, end;
  unsigned int first_node, table_size;
};

/// Who kicks which packs.
struct PackShares
{
  std::vector<unsigned int> of_pack;
  double work = 0; ///< of the busiest thread [packs]
};

/**
 * Divide the cells among @p n_shares threads by cuts across an axis (0, 1, 2) that make the work of
 * the busiest thread least. Packs that have nodes in common with those of an earlier share count
 * twice, since both threads evaluate them.
 */
PackShares divide_packs(const PackRange &range, unsigned int n_shares, unsigned int axis,
                        const NodePositions &positions);
} // namespace KickDrift

#endif
