#include <kickdrift/stepping/node_owners.h>

#include <algorithm>

namespace KickDrift
{
NodeOwners::NodeOwners(const unsigned int n_ranks, const std::vector<unsigned int> &class_of_node,
                       const std::vector<unsigned int> &work,
                       const std::vector<unsigned int> &for_all)
    : owners(class_of_node.size(), 0)
{
  for (const unsigned int node : for_all)
    owners[node] = everybody;
  const unsigned int n_classes =
      class_of_node.empty() ? 0 : 1 + *std::max_element(class_of_node.begin(), class_of_node.end());
  std::vector<std::uint64_t> sum(n_classes, 0), before(n_classes, 0);
  for (unsigned int node = 0; node < owners.size(); ++node)
    if (owners[node] != everybody)
      sum[class_of_node[node]] += work[node];
  for (unsigned int node = 0; node < owners.size(); ++node)
  {
    const unsigned int c = class_of_node[node];
    if (owners[node] == everybody || sum[c] == 0)
      continue;
    owners[node] = std::min<std::uint64_t>(before[c] * n_ranks / sum[c], n_ranks - 1);
    before[c] += work[node];
  }
}

std::vector<unsigned int>
NodeOwners::holders(const std::vector<unsigned int> &support) const
{
  std::vector<unsigned int> result;
  for (const unsigned int node : support)
    result.push_back(owners[node]);
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  if (!result.empty() && result.back() == everybody)
    return {everybody};
  return result;
}

bool
NodeOwners::is_held(const std::vector<unsigned int> &support, const unsigned int rank) const
{
  return std::any_of(support.begin(), support.end(),
                     [&](const unsigned int node)
                     { return owners[node] == rank || owners[node] == everybody; });
}
} // namespace KickDrift
