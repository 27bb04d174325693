#include <kickdrift/contact/massless/lenders.h>

#include <algorithm>
#include <limits>

namespace KickDrift
{
namespace
{
// Cells between a massless node and the one that has its mass.
constexpr unsigned int farthest_receiver = 3;
constexpr unsigned int none = -1;
} // namespace

template <int spacedim>
MasslessLenders<spacedim>::MasslessLenders(const NodeTable<spacedim> &nodes,
                                           const Stepper<spacedim> &stepper)
    : nodes(nodes)
{
  std::vector<std::pair<unsigned int, unsigned int>> ids, cells;
  for (unsigned int id = 0; id < stepper.levels().n_kicks(); ++id)
  {
    const bool is_cell = stepper.kind_of_kick(id) == KickKind::strain;
    for (const unsigned int node : stepper.supports().nodes_of_kick(id))
    {
      ids.emplace_back(node, id);
      if (!is_cell)
        continue;
      cells.emplace_back(node, id);
      nodes_of_cell.push_back(node);
    }
    nodes_of_cell.finish_row();
  }
  ids_of_node = CompressedRows<unsigned int>::from_pairs(std::move(ids), nodes.size());
  cells_of_node = CompressedRows<unsigned int>::from_pairs(std::move(cells), nodes.size());
}

template <int spacedim>
std::vector<unsigned int>
MasslessLenders<spacedim>::neighbours(const unsigned int node) const
{
  std::vector<unsigned int> result;
  for (const unsigned int cell : cells_of_node.row(node))
    result.insert(result.end(), nodes_of_cell.row(cell).begin(), nodes_of_cell.row(cell).end());
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

/// None if there is none near it.
template <int spacedim>
unsigned int
MasslessLenders<spacedim>::find_receiver(const unsigned int node,
                                         const std::vector<char> &is_massless) const
{
  std::vector<unsigned int> ring{node};
  for (unsigned int n = 0; n < farthest_receiver; ++n)
  {
    std::vector<unsigned int> next;
    for (const unsigned int other : ring)
    {
      const auto around = neighbours(other);
      next.insert(next.end(), around.begin(), around.end());
    }
    std::sort(next.begin(), next.end());
    next.erase(std::unique(next.begin(), next.end()), next.end());
    double nearest = std::numeric_limits<double>::infinity();
    unsigned int receiver = none;
    for (const unsigned int other : next)
    {
      const double distance = nodes.reference(node).distance(nodes.reference(other));
      if (is_massless[other] || is_held(other) || distance >= nearest)
        continue;
      nearest = distance;
      receiver = other;
    }
    if (receiver != none)
      return receiver;
    ring = std::move(next);
  }
  return none;
}

template <int spacedim>
std::vector<MasslessLoan>
MasslessLenders<spacedim>::find(const std::vector<unsigned int> &wanted,
                                std::vector<unsigned int> &refused) const
{
  refused.clear();
  std::vector<char> is_massless(nodes.size(), 0);
  for (unsigned int node = 0; node < nodes.size(); ++node)
    is_massless[node] = nodes.is_massless(node);
  std::vector<unsigned int> lenders;
  for (const unsigned int node : wanted)
    if (!is_held(node) && !is_massless[node])
      lenders.push_back(node);
  for (const unsigned int node : lenders)
    is_massless[node] = 1;
  std::vector<MasslessLoan> loans;
  for (const unsigned int node : lenders)
  {
    loans.push_back({node, find_receiver(node, is_massless)});
    if (loans.back().receiver == none)
      refused.push_back(node);
  }
  refuse_loose(lenders, is_massless, refused);
  std::sort(refused.begin(), refused.end());
  refused.erase(std::unique(refused.begin(), refused.end()), refused.end());
  return loans;
}

/// Sets of massless nodes that hang together, with nodes with mass around them that do not hold
/// them.
template <int spacedim>
void
MasslessLenders<spacedim>::refuse_loose(const std::vector<unsigned int> &wanted,
                                        const std::vector<char> &is_massless,
                                        std::vector<unsigned int> &refused) const
{
  std::vector<char> is_known(nodes.size(), 0);
  for (const unsigned int first : wanted)
  {
    if (is_known[first])
      continue;
    std::vector<unsigned int> set{first}, massive;
    is_known[first] = 1;
    for (unsigned int i = 0; i < set.size(); ++i)
      for (const unsigned int other : neighbours(set[i]))
        if (!is_massless[other])
          massive.push_back(other);
        else if (!is_known[other])
        {
          is_known[other] = 1;
          set.push_back(other);
        }
    if (!hold(massive))
      for (const unsigned int node : set)
        if (std::binary_search(wanted.begin(), wanted.end(), node))
          refused.push_back(node);
  }
}

template <int spacedim>
bool
MasslessLenders<spacedim>::hold(const std::vector<unsigned int> &massive) const
{
  constexpr double in_line = 1e-6;
  if (massive.empty())
    return false;
  const auto &first = nodes.reference(massive[0]);
  unsigned int farthest = massive[0];
  for (const unsigned int node : massive)
    if (nodes.reference(node).distance(first) > nodes.reference(farthest).distance(first))
      farthest = node;
  const dealii::Tensor<1, spacedim> line = nodes.reference(farthest) - first;
  if (line.norm_square() == 0)
    return false;
  if constexpr (spacedim == 3)
    return std::any_of(massive.begin(), massive.end(),
                       [&](const unsigned int node)
                       {
                         const dealii::Tensor<1, spacedim> way = nodes.reference(node) - first;
                         return dealii::cross_product_3d(line, way).norm() >
                                in_line * line.norm_square();
                       });
  return true;
}

template class MasslessLenders<2>;
template class MasslessLenders<3>;
} // namespace KickDrift
