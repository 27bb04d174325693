#include "cell_run.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace KickDrift
{
using CellKernels::n_lanes;
using CellKernels::PartOfPack;

namespace
{
/// Slots of a chunk: a multiple of the lanes; their nodes should fit into the first-level cache.
constexpr unsigned int chunk_size = 64;

/**
 * For a cut before each pack that holds slots of [begin, end), and one at their end: how many packs
 * after the cut have nodes in common with packs before it.
 */
std::vector<unsigned int>
packs_across(const CellPacks &packs, const unsigned int begin, const unsigned int end)
{
  const unsigned int n = packs.n_nodes_of_cell();
  const unsigned int first_pack = begin / n_lanes, n_packs = (end - 1) / n_lanes - first_pack + 1;
  const auto range = std::minmax_element(packs.nodes_of(begin), packs.nodes_of(end - 1) + n);
  std::vector<unsigned int> first_at_node(*range.second - *range.first + 1, n_packs);
  // a pack is across from the cut after the first pack that it shares a node with to its own
  std::vector<int> change(n_packs + 1, 0);
  for (unsigned int p = 0; p < n_packs; ++p)
  {
    unsigned int first = p;
    const unsigned int last_slot = std::min((first_pack + p + 1) * n_lanes, end);
    for (unsigned int slot = std::max((first_pack + p) * n_lanes, begin); slot < last_slot; ++slot)
      for (unsigned int a = 0; a < n; ++a)
      {
        unsigned int &at_node = first_at_node[packs.nodes_of(slot)[a] - *range.first];
        at_node = std::min(at_node, p);
        first = std::min(first, at_node);
      }
    ++change[first + 1];
    --change[p + 1];
  }
  std::vector<unsigned int> result(n_packs + 1);
  int sum = 0;
  for (unsigned int p = 0; p <= n_packs; ++p)
    result[p] = sum += change[p];
  return result;
}

/// Slots at which [begin, end) is cut into @p n_shares parts, at borders of packs, such that the
/// one with the most to evaluate, packs across its end included, has as little as possible.
std::vector<unsigned int>
choose_cuts(const CellPacks &packs, const unsigned int begin, const unsigned int end,
            const unsigned int n_shares)
{
  if (n_shares == 1)
    return {};
  const auto across = packs_across(packs, begin, end);
  const unsigned int first_pack = begin / n_lanes, n_packs = across.size() - 1;
  std::vector<unsigned int> cuts;
  unsigned int from = 0;
  for (unsigned int n_later = n_shares - 1; n_later > 0; --n_later)
  {
    unsigned int best = from + 1;
    double least = std::numeric_limits<double>::max();
    for (unsigned int p = from + 1; p + n_later <= n_packs; ++p)
    {
      // later cuts are taken to be like this one
      const double own = p - from + across[p];
      const double later = (n_packs - p + (n_later - 1.) * across[p]) / n_later;
      if (std::max(own, later) < least)
      {
        least = std::max(own, later);
        best = p;
      }
    }
    cuts.push_back((first_pack + best) * n_lanes);
    from = best;
  }
  return cuts;
}

void
add_part(std::vector<PartOfPack> &parts, const unsigned int pack, const unsigned long long nodes)
{
  if (parts.empty() || parts.back().pack != pack)
    parts.push_back({pack, 0});
  parts.back().nodes |= nodes;
}
} // namespace

CellRun::CellRun(const CellPacks &packs, const unsigned int begin, const unsigned int end,
                 const unsigned int max_shares)
{
  const unsigned int n = std::max(1u, std::min(max_shares, (end - begin) / smallest_share));
  unsigned int first = begin;
  for (const unsigned int cut : choose_cuts(packs, begin, end, n))
  {
    shares.push_back({first, cut, {}, {}, {}});
    first = cut;
  }
  shares.push_back({first, end, {}, {}, {}});
  if (n > 1)
    divide_nodes(packs);
  list_nodes(packs);
}

/// Find the cells that have nodes of earlier shares.
void
CellRun::divide_nodes(const CellPacks &packs)
{
  const unsigned int begin = shares.front().begin, end = shares.back().end;
  const unsigned int n = packs.n_nodes_of_cell();
  const auto range = std::minmax_element(packs.nodes_of(begin), packs.nodes_of(end - 1) + n);
  const unsigned int first = *range.first;
  std::vector<unsigned int> owner(*range.second - first + 1, shares.size());
  border_nodes.clear();
  for (unsigned int i = 0; i < shares.size(); ++i)
    for (unsigned int slot = shares[i].begin; slot < shares[i].end;)
    {
      const unsigned int pack = slot / n_lanes;
      unsigned long long own = 0;
      bool is_complete = true;
      for (; slot < shares[i].end && slot / n_lanes == pack; ++slot)
      {
        const unsigned int *nodes = packs.nodes_of(slot);
        bool is_at_border = false;
        for (unsigned int a = 0; a < n; ++a)
        {
          const unsigned long long bit = 1ull << (slot % n_lanes * n + a);
          unsigned int &o = owner[nodes[a] - first];
          o = std::min(o, i);
          if (o == i)
            own |= bit;
          else
            add_part(shares[o].foreign, pack, bit);
          is_at_border = is_at_border || o != i;
        }
        if (is_at_border)
          border_nodes.insert(border_nodes.end(), nodes, nodes + n);
        is_complete = is_complete && !is_at_border;
      }
      if (!is_complete)
        shares[i].incomplete.push_back({pack, own});
    }
  std::sort(border_nodes.begin(), border_nodes.end());
  border_nodes.erase(std::unique(border_nodes.begin(), border_nodes.end()), border_nodes.end());
}

void
CellRun::list_nodes(const CellPacks &packs)
{
  const unsigned int n = packs.n_nodes_of_cell();
  std::vector<unsigned int> nodes;
  for (Share &share : shares)
    for (unsigned int slot = share.begin; slot < share.end;)
    {
      const unsigned int end = std::min((slot / chunk_size + 1) * chunk_size, share.end);
      nodes.assign(packs.nodes_of(slot), packs.nodes_of(slot) + (end - slot) * n);
      std::sort(nodes.begin(), nodes.end());
      nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
      const std::size_t begin_of_list = node_list.size();
      std::set_difference(nodes.begin(), nodes.end(), border_nodes.begin(), border_nodes.end(),
                          std::back_inserter(node_list));
      share.chunks.push_back({slot, end, begin_of_list, node_list.size()});
      slot = end;
    }
  node_list.shrink_to_fit();
}

void
CellRun::kick(const CellKernels::Packs &packs, const CellFiring &firing, Threads *threads) const
{
  if (shares.size() == 1)
  {
    kick_share(shares[0], packs, firing);
    return;
  }
  // These are too few to share out.
  firing.kernels.drift(firing.node_lines, border_nodes.data(), border_nodes.size(), firing.time);
  threads->run(
      [&](const unsigned int i)
      {
        if (i < shares.size())
          kick_share(shares[i], packs, firing);
      });
}

void
CellRun::kick_share(const Share &share, const CellKernels::Packs &packs,
                    const CellFiring &firing) const
{
  const auto &kernel = firing.kernel;
  double *const lines = firing.node_lines;
  auto part = share.incomplete.begin();
  for (const Chunk &chunk : share.chunks)
  {
    firing.kernels.drift(lines, node_list.data() + chunk.nodes_begin,
                         chunk.nodes_end - chunk.nodes_begin, firing.time);
    unsigned int slot = chunk.begin;
    for (; part != share.incomplete.end() && part->pack * n_lanes < chunk.end; ++part)
    {
      if (slot < part->pack * n_lanes)
        kernel.kick(packs, slot, part->pack * n_lanes, lines, firing.step, firing.law);
      kernel.kick_parts(packs, &*part, 1, lines, firing.step, firing.law);
      slot = std::min((part->pack + 1) * n_lanes, chunk.end);
    }
    if (slot < chunk.end)
      kernel.kick(packs, slot, chunk.end, lines, firing.step, firing.law);
  }
  kernel.kick_parts(packs, share.foreign.data(), share.foreign.size(), lines, firing.step,
                    firing.law);
}

std::size_t
CellRun::memory_consumption() const
{
  std::size_t bytes = sizeof(*this) + shares.capacity() * sizeof(Share) +
                      (border_nodes.capacity() + node_list.capacity()) * sizeof(unsigned int);
  for (const Share &share : shares)
    bytes += share.chunks.capacity() * sizeof(Chunk) +
             (share.incomplete.capacity() + share.foreign.capacity()) * sizeof(PartOfPack);
  return bytes;
}
} // namespace KickDrift
