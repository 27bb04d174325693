#include "batch_shares.h"

#include <limits>
#include <numeric>
#include <utility>

namespace KickDrift
{
using CellKernels::n_lanes;

namespace
{
/// Packs of a range that go to some of the shares.
using Packs = std::vector<unsigned int>;

/**
 * For a cut before the p-th of some @p packs: how many after it have nodes in common with some
 * before it. Shape (n_packs + 1). @p first_at_node is for all nodes of the range, and left as it
 * was.
 */
std::vector<unsigned int>
packs_across(const BatchRange &range, const Packs &packs, std::vector<unsigned int> &first_at_node)
{
  const unsigned int n_packs = packs.size();
  std::vector<int> change(n_packs + 2, 0);
  for (unsigned int p = 0; p < n_packs; ++p)
  {
    unsigned int first = p;
    std::for_each(range.begin_nodes(packs[p]), range.end_nodes(packs[p]),
                  [&](const unsigned int node)
                  {
                    unsigned int &at_node = first_at_node[range.index(node)];
                    at_node = std::min(at_node, p);
                    first = std::min(first, at_node);
                  });
    // it is across from the cuts after the first pack that it shares a node with
    ++change[first + 1];
    --change[p + 1];
  }
  for (const unsigned int pack : packs)
    std::for_each(range.begin_nodes(pack), range.end_nodes(pack),
                  [&](const unsigned int node)
                  { first_at_node[range.index(node)] = std::numeric_limits<unsigned int>::max(); });
  std::vector<unsigned int> result(n_packs + 1);
  std::partial_sum(change.begin(), change.end() - 1, result.begin());
  return result;
}

/// Where to cut packs into parts for so many shares each; both parts get at least one pack a share.
unsigned int
best_cut(const std::vector<unsigned int> &across, const unsigned int n_first,
         const unsigned int n_second)
{
  const unsigned int n_packs = across.size() - 1;
  unsigned int best = n_first;
  double least = std::numeric_limits<double>::max();
  for (unsigned int p = n_first; p + n_second <= n_packs; ++p)
  {
    // the first part owns what both touch
    const double work = std::max(double(p + across[p]) / n_first, double(n_packs - p) / n_second);
    if (work < least)
    {
      least = work;
      best = p;
    }
  }
  return best;
}

/// Sort packs by a coordinate of their centres.
void
sort_along(Packs &packs, const std::vector<double> &centres)
{
  std::sort(packs.begin(), packs.end(),
            [&](const unsigned int p, const unsigned int q)
            { return std::make_pair(centres[p], p) < std::make_pair(centres[q], q); });
}

/// A coordinate of the centres of all packs.
std::vector<double>
centres_along(const BatchRange &range, const unsigned int axis, const NodePositions &positions)
{
  std::vector<double> centres;
  for (unsigned int p = 0; p < range.size(); ++p)
  {
    double sum = 0;
    std::for_each(range.begin_nodes(p), range.end_nodes(p),
                  [&](const unsigned int node) { sum += positions(node)[axis]; });
    centres.push_back(sum / (range.end_nodes(p) - range.begin_nodes(p)));
  }
  return centres;
}

/// Packs that the busiest share evaluates.
unsigned int
largest_work(const BatchRange &range, const BatchShares &shares, const unsigned int n_shares)
{
  std::vector<unsigned int> work(n_shares, 0), last_counted(n_shares, range.size());
  for (unsigned int p = 0; p < range.size(); ++p)
    std::for_each(range.begin_nodes(p), range.end_nodes(p),
                  [&](const unsigned int node)
                  {
                    const unsigned int owner = shares.of_node[range.index(node)];
                    work[owner] += last_counted[owner] != p;
                    last_counted[owner] = p;
                  });
  return *std::max_element(work.begin(), work.end());
}
} // namespace

BatchRange::BatchRange(const CellBatches &batches, const unsigned int begin, const unsigned int end)
    : batches(batches), begin(begin), end(end)
{
  const auto nodes = std::minmax_element(begin_nodes(0), end_nodes(size() - 1));
  first_node = *nodes.first;
  table_size = *nodes.second - first_node + 1;
}

BatchShares
divide_batches(const BatchRange &range, const unsigned int n_shares,
               const std::vector<unsigned int> &axes, const NodePositions &positions)
{
  BatchShares result;
  result.of_batch.assign(range.size(), 0);
  if (n_shares > 1)
  {
    std::array<std::vector<double>, 3> centres;
    for (const unsigned int axis : axes)
      if (centres[axis].empty())
        centres[axis] = centres_along(range, axis, positions);
    std::vector<unsigned int> first_at_node(range.n_nodes(),
                                            std::numeric_limits<unsigned int>::max());
    const std::function<void(Packs, unsigned int, unsigned int, unsigned int)> divide =
        [&](Packs packs, const unsigned int first, const unsigned int n, const unsigned int level)
    {
      if (n == 1)
      {
        for (const unsigned int pack : packs)
          result.of_batch[pack] = first;
        return;
      }
      sort_along(packs, centres[axes[std::min<std::size_t>(level, axes.size() - 1)]]);
      const auto cut =
          packs.begin() + best_cut(packs_across(range, packs, first_at_node), n / 2, n - n / 2);
      divide({packs.begin(), cut}, first, n / 2, level + 1);
      divide({cut, packs.end()}, first + n / 2, n - n / 2, level + 1);
    };
    Packs all(range.size());
    std::iota(all.begin(), all.end(), 0);
    divide(std::move(all), 0, n_shares, 0);
  }
  result.of_node.assign(range.n_nodes(), n_shares);
  for (unsigned int p = 0; p < range.size(); ++p)
    std::for_each(range.begin_nodes(p), range.end_nodes(p),
                  [&](const unsigned int node)
                  {
                    unsigned int &owner = result.of_node[range.index(node)];
                    owner = std::min(owner, result.of_batch[p]);
                  });
  result.work = largest_work(range, result, n_shares);
  return result;
}
} // namespace KickDrift
