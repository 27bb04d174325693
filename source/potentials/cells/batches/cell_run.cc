#include "cell_run.h"

#include <algorithm>
#include <atomic>
#include <iterator>

namespace KickDrift
{
using CellKernels::n_lanes;
using CellKernels::PartOfPack;

namespace
{
/// Cells of a chunk: their nodes should fit into the cache of a core. Smaller chunks have more
/// nodes in common with others, which are drifted several times.
constexpr unsigned int chunk_size = 8192;
/// Stands for all nodes of all cells.
constexpr unsigned long long all_nodes = ~0ull;
} // namespace

CellRun::CellRun(const BatchRange &range, const unsigned int n_shares,
                 const std::vector<unsigned int> &axes, const NodePositions &positions)
    : shares(n_shares)
{
  const BatchShares division = divide_batches(range, n_shares, axes, positions);
  const auto border = border_nodes(range, division);
  for (const unsigned int node : border)
    shares[division.of_node[range.index(node)]].border_nodes.push_back(node);
  for (unsigned int i = 0; i < n_shares; ++i)
    list_work(range, division, border, i);
  node_list.shrink_to_fit();
}

std::vector<unsigned int>
CellRun::border_nodes(const BatchRange &range, const BatchShares &division)
{
  const unsigned int n = range.batches.n_nodes_of_cell();
  std::vector<unsigned int> result;
  for (unsigned int batch = 0; batch < range.size(); ++batch)
    for (auto cell = range.begin_nodes(batch); cell != range.end_nodes(batch); cell += n)
      if (std::any_of(cell, cell + n,
                      [&](const unsigned int node)
                      { return division.of_node[range.index(node)] != division.of_batch[batch]; }))
        result.insert(result.end(), cell, cell + n);
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

void
CellRun::list_work(const BatchRange &range, const BatchShares &division,
                   const std::vector<unsigned int> &border, const unsigned int i)
{
  Share &share = shares[i];
  std::vector<unsigned int> nodes; // of the present chunk
  const auto end_chunk = [&]
  {
    if (share.chunks.empty())
      return;
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    std::set_difference(nodes.begin(), nodes.end(), border.begin(), border.end(),
                        std::back_inserter(node_list));
    nodes.clear();
    share.chunks.back().nodes_end = node_list.size();
    share.chunks.back().end = share.pieces.size();
  };
  for (unsigned int batch = 0; batch < range.size(); ++batch)
  {
    const unsigned int begin = range.begin_slot(batch), end = range.end_slot(batch);
    unsigned long long own = 0;
    unsigned int bit = begin % n_lanes * range.batches.n_nodes_of_cell();
    bool is_complete = division.of_batch[batch] == i;
    for (auto node = range.begin_nodes(batch); node != range.end_nodes(batch); ++node, ++bit)
    {
      const bool is_own = division.of_node[range.index(*node)] == i;
      own |= static_cast<unsigned long long>(is_own) << bit;
      is_complete = is_complete && is_own;
    }
    if (own == 0)
      continue;
    const bool is_new = share.chunks.empty() || share.chunks.back().n_cells >= chunk_size;
    if (is_new)
    {
      end_chunk();
      const unsigned int n_pieces = share.pieces.size();
      share.chunks.push_back({n_pieces, n_pieces, 0, node_list.size(), node_list.size()});
    }
    share.chunks.back().n_cells += end - begin;
    // of other shares' packs only cells at the border are evaluated
    if (division.of_batch[batch] == i)
      nodes.insert(nodes.end(), range.begin_nodes(batch), range.end_nodes(batch));
    if (is_complete && !is_new && share.pieces.back().end == begin &&
        share.pieces.back().nodes == all_nodes)
      share.pieces.back().end = end;
    else
      share.pieces.push_back({begin, end, is_complete ? all_nodes : own});
  }
  end_chunk();
  share.pieces.shrink_to_fit();
  share.chunks.shrink_to_fit();
}

bool
CellRun::kick(const CellKernels::Batches &batches, const CellKick &cell_kick,
              Threads *threads) const
{
  if (shares.size() == 1)
    return kick_share(shares[0], batches, cell_kick, cell_kick.sampler);
  // what several threads need is drifted by its owner before they begin
  threads->run(
      [&](const unsigned int i)
      {
        if (i < shares.size())
          cell_kick.kernels.drift(cell_kick.node_lines, shares[i].border_nodes.data(),
                                  shares[i].border_nodes.size(), cell_kick.time);
      });
  std::atomic<bool> are_finite{true};
  threads->run(
      [&](const unsigned int i)
      {
        DriftSampler nobody_asks;
        if (i < shares.size() &&
            !kick_share(shares[i], batches, cell_kick, i == 0 ? cell_kick.sampler : nobody_asks))
          are_finite = false;
      });
  return are_finite;
}

bool
CellRun::kick_share(const Share &share, const CellKernels::Batches &batches,
                    const CellKick &cell_kick, DriftSampler &sampler) const
{
  bool are_finite = true;
  for (const Chunk &chunk : share.chunks)
    sampler.run(
        chunk.n_cells,
        [&]
        {
          cell_kick.kernels.drift(cell_kick.node_lines, node_list.data() + chunk.nodes_begin,
                                  chunk.nodes_end - chunk.nodes_begin, cell_kick.time);
        },
        [&]
        {
          for (unsigned int p = chunk.begin; p < chunk.end; ++p)
            are_finite = kick_piece(share.pieces[p], batches, cell_kick) && are_finite;
        });
  return are_finite;
}

bool
CellRun::kick_piece(const Component &piece, const CellKernels::Batches &batches,
                    const CellKick &cell_kick)
{
  if (piece.nodes == all_nodes)
    return cell_kick.kernel.kick(batches, piece.begin, piece.end, cell_kick.node_lines,
                                 cell_kick.step, cell_kick.law);
  const PartOfPack part{piece.begin / n_lanes, piece.nodes};
  return cell_kick.kernel.kick_parts(batches, &part, 1, cell_kick.node_lines, cell_kick.step,
                                     cell_kick.law);
}

std::size_t
CellRun::memory_consumption() const
{
  std::size_t bytes = sizeof(*this) + shares.capacity() * sizeof(Share) +
                      node_list.capacity() * sizeof(unsigned int);
  for (const Share &share : shares)
    bytes += share.chunks.capacity() * sizeof(Chunk) + share.pieces.capacity() * sizeof(Component) +
             share.border_nodes.capacity() * sizeof(unsigned int);
  return bytes;
}
} // namespace KickDrift
