#include <kickdrift/stepping/division.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

namespace KickDrift
{
NodeOwners
divide_nodes(const TimeLevels &levels, const CompressedRows<unsigned int> &nodes_of_kick,
             const unsigned int n_nodes, const unsigned int n_ranks,
             const std::vector<unsigned int> &for_all)
{
  std::vector<unsigned int> class_of_node(n_nodes, levels.clocks().size()), work(n_nodes, 0);
  for (unsigned int id = 0; id < levels.n_kicks(); ++id)
    for (const unsigned int node : nodes_of_kick.row(id))
    {
      class_of_node[node] = std::min(class_of_node[node], levels.clock_of_kick(id));
      ++work[node];
    }
  return NodeOwners(n_ranks, class_of_node, work, for_all);
}

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
divide_in_thought(const KickFamilies<spacedim> &families, const TimeLevels &levels,
                  const unsigned int n_nodes, const unsigned int n_ranks,
                  const std::vector<unsigned int> &for_all)
{
  const NodeOwners owners =
      divide_nodes(levels, families.nodes_of_kicks(), n_nodes, n_ranks, for_all);
  Division result;
  result.of_rank.resize(n_ranks);
  const unsigned int n_clocks = levels.clocks().size();
  std::vector<double> alone(n_clocks, 0.), together(n_clocks, 0.), for_everybody(n_clocks, 0.);
  std::vector<std::vector<double>> held(n_ranks, std::vector<double>(n_clocks, 0.));
  families.for_each_with_clock(
      levels,
      [&](const KickFamily<spacedim> &family, const unsigned int k, const unsigned int clock)
      {
        const auto holders = owners.holders(family.kicks->support(k));
        ++alone[clock];
        if (family.role == KickRole::in_place ||
            (!holders.empty() && holders.front() == NodeOwners::everybody))
        {
          ++for_everybody[clock];
          return;
        }
        together[clock] += holders.size();
        for (const unsigned int holder : holders)
          ++held[holder][clock];
      });
  std::vector<double> busiest(n_clocks, 0.);
  for (unsigned int c = 0; c < n_clocks; ++c)
  {
    together[c] += n_ranks * for_everybody[c];
    for (unsigned int rank = 0; rank < n_ranks; ++rank)
    {
      held[rank][c] += for_everybody[c];
      busiest[c] = std::max(busiest[c], held[rank][c]);
      result.of_rank[rank].kicks += held[rank][c];
    }
  }
  // of processes, a node of the one that the other holds, or the two
  std::set<std::pair<unsigned int, unsigned int>> halo, pairs;
  families.for_each_held_node(owners, n_ranks,
                              [&](const unsigned int holder, const unsigned int node)
                              {
                                if (owners(node) == holder)
                                  return;
                                halo.emplace(holder, node);
                                pairs.emplace(holder, owners(node));
                                pairs.emplace(owners(node), holder);
                              });
  for (const auto &entry : halo)
    ++result.of_rank[entry.first].halo;
  for (const auto &entry : pairs)
    ++result.of_rank[entry.first].neighbours;
  const double work = per_time(alone);
  if (work == 0)
    return result; // bodies that fly, without strain
  result.redundancy = per_time(together) / work;
  result.shared = per_time(for_everybody) / work;
  result.efficiency = work / n_ranks / per_time(busiest);
  return result;
}

template Division divide_in_thought(const KickFamilies<2> &, const TimeLevels &, unsigned int,
                                    unsigned int, const std::vector<unsigned int> &);
template Division divide_in_thought(const KickFamilies<3> &, const TimeLevels &, unsigned int,
                                    unsigned int, const std::vector<unsigned int> &);
} // namespace KickDrift
