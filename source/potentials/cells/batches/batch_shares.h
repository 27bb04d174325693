#ifndef KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_BATCH_SHARES_H
#define KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_BATCH_SHARES_H

#include "cell_batches.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>

namespace KickDrift
{
/// Reference position of a node, for deciding which cells are near each other; 2D: z = 0.
using NodePositions = std::function<std::array<double, 3>(unsigned int node)>;

/// The slots [begin, end), by packs; of the first and the last pack some may not belong to them.
class BatchRange
{
public:
  BatchRange(const CellBatches &batches, unsigned int begin, unsigned int end);

  unsigned int
  size() const
  {
    return (end - 1) / CellKernels::n_lanes - first_batch() + 1;
  }

  /// Batch of the table that is pack 0 here.
  unsigned int
  first_batch() const
  {
    return begin / CellKernels::n_lanes;
  }

  unsigned int
  begin_slot(const unsigned int batch) const
  {
    return std::max(begin, (first_batch() + batch) * CellKernels::n_lanes);
  }
  unsigned int
  end_slot(const unsigned int batch) const
  {
    return std::min(end, (first_batch() + batch + 1) * CellKernels::n_lanes);
  }

  /// Nodes of all cells of a pack.
  const unsigned int *
  begin_nodes(const unsigned int batch) const
  {
    return batches.nodes_of(begin_slot(batch));
  }
  const unsigned int *
  end_nodes(const unsigned int batch) const
  {
    return batches.nodes_of(end_slot(batch) - 1) + batches.n_nodes_of_cell();
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

  const CellBatches &batches;

private:
  const unsigned int begin, end;
  unsigned int first_node, table_size;
};

/// Which thread kicks which batches.
struct BatchShares
{
  std::vector<unsigned int> of_batch;
  std::vector<unsigned int> of_node; ///< of the range: the first share that touches it owns it
  double work = 0;                   ///< of the busiest thread [packs]
};

/**
 * Divide the cells among @p n_shares threads: in two parts by a cut across an axis (0, 1, 2), each
 * of these again, and so on. Cuts are where the work of the busiest thread becomes least. A batch
 * counts for every share that owns one of its nodes, since all of them evaluate it.
 * @param axes across which the cuts of each level go, from the first on; the last one also for all
 * further levels
 */
BatchShares divide_batches(const BatchRange &range, unsigned int n_shares,
                           const std::vector<unsigned int> &axes, const NodePositions &positions);
} // namespace KickDrift

#endif
