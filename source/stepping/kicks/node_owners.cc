#include <kickdrift/stepping/kicks/node_owners.h>

#include <algorithm>

namespace KickDrift
{
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
