#ifndef KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_CELL_RUN_H
#define KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_CELL_RUN_H

#include "batch_shares.h"
#include "cell_history.h"

#include <kickdrift/stepping/threads.h>

#include <chrono>

namespace KickDrift
{
/// Estimates how much of the time of kicks goes into drifting: of calls with few cells it looks at
/// some.
class DriftSampler
{
public:
  /// Drift and kick this many cells.
  template <typename Drift, typename Kick>
  void
  run(const unsigned int n_cells, const Drift &drift, const Kick &kick)
  {
    unseen += n_cells;
    if (unseen < n_between)
    {
      drift();
      kick();
      return;
    }
    unseen = 0;
    const auto begin = std::chrono::steady_clock::now();
    drift();
    const auto middle = std::chrono::steady_clock::now();
    kick();
    drifting += middle - begin;
    all += std::chrono::steady_clock::now() - begin;
  }

  double
  drift_share() const
  {
    return all.count() > 0 ? double(drifting.count()) / all.count() : 0.;
  }

private:
  /// Asking the clock takes as long as two cells.
  static constexpr unsigned int n_between = 4096;
  unsigned int unseen = 0;
  std::chrono::steady_clock::duration drifting{0}, all{0};
};

/// How cells are kicked, and when.
struct CellKick
{
  const CellKernels::KernelSet &kernels;
  const CellKernels::Kernel &kernel;
  const CellKernels::LawData &law;
  double *node_lines;
  double time;
  double step;
  DriftSampler &sampler; ///< for the calling thread
  CellHistory *history;  ///< null: the cells have none
};

/**
 * Cells that are kicked together and lie together, divided among threads.
 *
 * Every thread has a share, which it works off in chunks whose nodes stay in the cache: each node
 * is drifted once per chunk, then the cells are kicked. A node belongs to the first share that
 * touches it, and only that share's thread changes its velocity: it also evaluates the cells of
 * other shares at the node, whose threads leave the node out. Everybody goes by the order of the
 * slots, so every velocity gets its kicks in that order, and the bits of the result do not depend
 * on the number of threads. The price is that cells at the border of shares are evaluated more than
 * once.
 */
class CellRun
{
public:
  /// For the slots of @p range, cut across @p axes into @p n_shares shares; see divide_batches().
  CellRun(const BatchRange &range, unsigned int n_shares, const std::vector<unsigned int> &axes,
          const NodePositions &positions);

  /**
   * Drift the nodes and kick the cells. Are all forces finite?
   * @param packs view of the packs of the constructor
   * @param threads not used for a single share; at least as many as shares
   */
  bool kick(const CellKernels::Batches &batches, const CellKick &cell_kick, Threads *threads) const;

  std::size_t memory_consumption() const;

private:
  /// Slots of which all nodes, or of a single pack those with these bits, belong to a share.
  struct Component
  {
    unsigned int begin, end;
    unsigned long long nodes;
  };

  struct Chunk
  {
    unsigned int begin, end; ///< pieces
    unsigned int n_cells;
    std::size_t nodes_begin, nodes_end; ///< in the list
  };

  struct Share
  {
    std::vector<Component> pieces; ///< by slots
    std::vector<Chunk> chunks;
    std::vector<unsigned int> border_nodes; ///< own ones of cells that others evaluate, too
  };

  /// Nodes of cells that are evaluated more than once.
  static std::vector<unsigned int> border_nodes(const BatchRange &range,
                                                const BatchShares &division);
  /// What share @p i has to do.
  void list_work(const BatchRange &range, const BatchShares &division,
                 const std::vector<unsigned int> &border, unsigned int i);
  bool kick_share(const Share &share, const CellKernels::Batches &batches,
                  const CellKick &cell_kick, DriftSampler &sampler) const;
  static bool kick_piece(const Component &piece, const CellKernels::Batches &batches,
                         const CellKick &cell_kick);

  std::vector<Share> shares;
  std::vector<unsigned int> node_list; ///< of each chunk, without repetition and nodes at borders
};
} // namespace KickDrift

#endif
