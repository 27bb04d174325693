#include <kickdrift/stepping/division.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace KickDrift
{
namespace
{
/// Sum over clocks of a number of each, with how often it comes: clock c half as often as c - 1.
double
per_time(const std::vector<double> &of_clock)
{
  double sum = 0;
  for (unsigned int c = 0; c < of_clock.size(); ++c)
    sum += std::ldexp(of_clock[c], -static_cast<int>(c));
  return sum;
}
} // namespace

template <int spacedim>
Division
divide_in_thought(const NodeTable<spacedim> &nodes, const KickFamilies<spacedim> &families,
                  const TimeLevels &levels, const unsigned int n_ranks,
                  const std::vector<unsigned int> &for_all)
{
  const NodeOwners owners = divide_nodes(nodes, families, levels, n_ranks, for_all);
  Division result;
  result.of_rank.resize(n_ranks);
  const unsigned int n_clocks = levels.clocks().size();
  std::vector<double> alone(n_clocks, 0.), together(n_clocks, 0.), for_everybody(n_clocks, 0.);
  for (Holding &holding : result.of_rank)
    holding.of_clock.resize(n_clocks);
  std::vector<std::uint64_t> clocks_of_node(nodes.size(), 0); // bits
  families.for_each_with_clock(
      levels,
      [&](const KickFamily<spacedim> &family, const unsigned int k, const unsigned int clock)
      {
        const auto support = family.kicks->support(k);
        const auto holders = owners.holders(support);
        for (const unsigned int node : support)
          clocks_of_node[node] |= std::uint64_t(1) << clock;
        ++alone[clock];
        if (family.role == KickRole::in_place ||
            (!holders.empty() && holders.front() == NodeOwners::everybody))
        {
          ++for_everybody[clock];
          return;
        }
        together[clock] += holders.size();
        for (const unsigned int holder : holders)
          ++result.of_rank[holder].of_clock[clock].kicks;
      });
  std::vector<double> busiest(n_clocks, 0.);
  for (unsigned int c = 0; c < n_clocks; ++c)
  {
    together[c] += n_ranks * for_everybody[c];
    for (Holding &holding : result.of_rank)
    {
      holding.of_clock[c].kicks += for_everybody[c];
      busiest[c] = std::max<double>(busiest[c], holding.of_clock[c].kicks);
      holding.kicks += holding.of_clock[c].kicks;
    }
  }
  // of processes, a node of the one that the other holds
  std::vector<std::pair<unsigned int, unsigned int>> halo;
  families.for_each_held_node(owners, n_ranks,
                              [&](const unsigned int holder, const unsigned int node)
                              {
                                if (owners(node) != holder)
                                  halo.emplace_back(holder, node);
                              });
  std::sort(halo.begin(), halo.end());
  halo.erase(std::unique(halo.begin(), halo.end()), halo.end());
  std::map<std::pair<unsigned int, unsigned int>, std::uint64_t> clocks_of_pair; // of processes
  for (const auto &[holder, node] : halo)
  {
    ++result.of_rank[holder].halo;
    clocks_of_pair[{holder, owners(node)}] |= clocks_of_node[node];
    clocks_of_pair[{owners(node), holder}] |= clocks_of_node[node];
    for (unsigned int c = 0; c < n_clocks; ++c)
      result.of_rank[holder].of_clock[c].halo += clocks_of_node[node] >> c & 1;
  }
  for (const auto &[pair, clocks] : clocks_of_pair)
  {
    ++result.of_rank[pair.first].neighbours;
    for (unsigned int c = 0; c < n_clocks; ++c)
      result.of_rank[pair.first].of_clock[c].neighbours += clocks >> c & 1;
  }
  result.alone.assign(alone.begin(), alone.end());
  const double work = per_time(alone);
  if (work == 0)
    return result; // bodies that fly, without strain
  result.redundancy = per_time(together) / work;
  result.shared = per_time(for_everybody) / work;
  result.efficiency = work / n_ranks / per_time(busiest);
  return result;
}

template Division divide_in_thought(const NodeTable<2> &, const KickFamilies<2> &,
                                    const TimeLevels &, unsigned int,
                                    const std::vector<unsigned int> &);
template Division divide_in_thought(const NodeTable<3> &, const KickFamilies<3> &,
                                    const TimeLevels &, unsigned int,
                                    const std::vector<unsigned int> &);
} // namespace KickDrift
