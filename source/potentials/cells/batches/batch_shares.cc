#include "batch_shares.h"

#include <limits>
#include <numeric>

namespace KickDrift
{
using CellKernels::n_lanes;

namespace
{
/// Where an order of packs is cut, and what the busiest thread then has to do [packs].
struct Cuts
{
  std::vector<unsigned int> positions;
  double work = 0;
};

/**
 * For a cut before the p-th pack of @p order: how many packs after it have nodes in common with
 * packs before it. Shape (n_batches + 1).
 */
std::vector<unsigned int>
batches_across(const BatchRange &range, const std::vector<unsigned int> &order)
{
  const unsigned int n_batches = order.size();
  std::vector<unsigned int> first_at_node(range.n_nodes(), n_batches);
  std::vector<int> change(n_batches + 1, 0);
  for (unsigned int p = 0; p < n_batches; ++p)
  {
    unsigned int first = p;
    std::for_each(range.begin_nodes(order[p]), range.end_nodes(order[p]),
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
  std::vector<unsigned int> result(n_batches + 1);
  std::partial_sum(change.begin(), change.end(), result.begin());
  return result;
}

Cuts
cut(const BatchRange &range, const std::vector<unsigned int> &order, const unsigned int n_shares)
{
  const auto across = batches_across(range, order);
  const unsigned int n_batches = order.size();
  Cuts cuts;
  unsigned int from = 0;
  for (unsigned int n_later = n_shares - 1; n_later > 0; --n_later)
  {
    unsigned int best = from + 1;
    double least = std::numeric_limits<double>::max();
    for (unsigned int p = from + 1; p + n_later <= n_batches; ++p)
    {
      // later cuts are taken to be like this one
      const double own = p - from + across[p];
      const double later = (n_batches - p + (n_later - 1.) * across[p]) / n_later;
      if (std::max(own, later) < least)
      {
        least = std::max(own, later);
        best = p;
      }
    }
    cuts.work = std::max(cuts.work, double(best - from + across[best]));
    cuts.positions.push_back(best);
    from = best;
  }
  cuts.work = std::max(cuts.work, double(n_batches - from));
  return cuts;
}

/// The packs by the coordinates of their centres along an axis.
std::vector<unsigned int>
order_along(const BatchRange &range, const unsigned int axis, const NodePositions &positions)
{
  std::vector<double> centres;
  for (unsigned int p = 0; p < range.size(); ++p)
  {
    double sum = 0;
    std::for_each(range.begin_nodes(p), range.end_nodes(p),
                  [&](const unsigned int node) { sum += positions(node)[axis]; });
    centres.push_back(sum / (range.end_nodes(p) - range.begin_nodes(p)));
  }
  std::vector<unsigned int> order(range.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](const unsigned int p, const unsigned int q)
                   { return centres[p] < centres[q]; });
  return order;
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
divide_batches(const BatchRange &range, const unsigned int n_shares, const unsigned int axis,
               const NodePositions &positions)
{
  BatchShares shares;
  shares.of_batch.assign(range.size(), 0);
  shares.work = range.size();
  if (n_shares == 1)
    return shares;
  const auto order = order_along(range, axis, positions);
  const Cuts cuts = cut(range, order, n_shares);
  shares.work = cuts.work;
  unsigned int share = 0;
  for (unsigned int p = 0; p < order.size(); ++p)
  {
    share += share < cuts.positions.size() && cuts.positions[share] == p;
    shares.of_batch[order[p]] = share;
  }
  return shares;
}
} // namespace KickDrift
