#ifndef KICKDRIFT_NODES_LOANS_H
#define KICKDRIFT_NODES_LOANS_H

#include <algorithm>
#include <vector>

namespace KickDrift
{
/// Which nodes have lent their mass, and to whom: who is carried by which node.
class Loans
{
public:
  /// Has nobody lent anything?
  bool
  empty() const
  {
    return carriers.empty();
  }

  /// The node that has the mass of @p node: another one if it has lent its own.
  unsigned int
  carrier(const unsigned int node) const
  {
    return node < carriers.size() ? carriers[node] : node;
  }

  /// Call @p f (lender) for all nodes that @p node carries, itself not included.
  template <typename Function>
  void
  for_each_lender(const unsigned int node, const Function &f) const
  {
    if (node < first_lenders.size())
      for (unsigned int other = first_lenders[node]; other != none; other = next_lenders[other])
        f(other);
  }

  /// From now on @p receiver carries @p node.
  /// @pre neither has lent its mass before, and nobody has lent to @p node
  void
  add(const unsigned int node, const unsigned int receiver)
  {
    for (unsigned int other = carriers.size(); other <= std::max(node, receiver); ++other)
    {
      carriers.push_back(other);
      first_lenders.push_back(none);
      next_lenders.push_back(none);
    }
    carriers[node] = receiver;
    next_lenders[node] = first_lenders[receiver];
    first_lenders[receiver] = node;
  }

private:
  static constexpr unsigned int none = -1;

  std::vector<unsigned int> carriers;      ///< by node; empty without loans
  std::vector<unsigned int> first_lenders; ///< by carrier
  std::vector<unsigned int> next_lenders;  ///< by lender
};
} // namespace KickDrift

#endif
