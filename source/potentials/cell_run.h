#ifndef KICKDRIFT_POTENTIALS_CELL_RUN_H
#define KICKDRIFT_POTENTIALS_CELL_RUN_H

#include "cell_packs.h"

#include <kickdrift/stepping/threads.h>

namespace KickDrift
{
/// How cells are kicked, and when.
struct CellFiring
{
  const CellKernels::KernelSet &kernels;
  const CellKernels::Kernel &kernel;
  const CellKernels::LawData &law;
  double *node_lines;
  double time;
  double step;
};

/**
 * Cells that fire together and lie together, divided among threads.
 *
 * Every thread has a share of the slots, which it works off in chunks whose nodes stay in the
 * cache: each node is drifted once per chunk, then the cells are kicked. A node belongs to the
 * first share that touches it, and only that share's thread changes its velocity: it also evaluates
 * the cells of later shares at the node, after its own, while their threads leave the node out.
 * So every velocity gets its kicks in the order of the slots, and the bits of the result do not
 * depend on the number of threads. The price is that cells at the border of shares are evaluated
 * more than once; along a space-filling curve these are few.
 */
class CellRun
{
public:
  /// Shares smaller than this cost more to hand out than they save.
  static constexpr unsigned int smallest_share = 192;

  /// For the slots [begin, end) of @p packs; not more than @p max_shares shares, at least one.
  CellRun(const CellPacks &packs, unsigned int begin, unsigned int end, unsigned int max_shares);

  /**
   * Drift the nodes and kick the cells.
   * @param packs view of the packs of the constructor
   * @param threads not used for a single share; at least as many as shares
   */
  void kick(const CellKernels::Packs &packs, const CellFiring &firing, Threads *threads) const;

  std::size_t memory_consumption() const;

private:
  /// Slots, and where their nodes are in the list.
  struct Chunk
  {
    unsigned int begin, end;
    std::size_t nodes_begin, nodes_end;
  };

  using Parts = std::vector<CellKernels::PartOfPack>;

  struct Share
  {
    unsigned int begin, end; ///< slots
    std::vector<Chunk> chunks;
    Parts incomplete; ///< packs of this share with nodes that belong to earlier ones, ascending
    Parts foreign;    ///< packs of later shares with nodes that belong to this one, ascending
  };

  void divide_nodes(const CellPacks &packs);
  void list_nodes(const CellPacks &packs);
  void kick_share(const Share &share, const CellKernels::Packs &packs,
                  const CellFiring &firing) const;

  std::vector<Share> shares;
  std::vector<unsigned int> border_nodes; ///< of cells that are evaluated more than once
  std::vector<unsigned int> node_list;    ///< of each chunk, without those and repetition
};
} // namespace KickDrift

#endif
