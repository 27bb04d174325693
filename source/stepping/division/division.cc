#include <kickdrift/stepping/division/division.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>
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

/// Kicks by clock.
struct Counts
{
  std::vector<double> alone;         ///< of one process alone
  std::vector<double> for_everybody; ///< of these, those that all processes give
  std::vector<double> of_rank;       ///< the others that a process gives, shape (n_ranks, n_clocks)

  double
  held(const unsigned int rank, const unsigned int clock) const
  {
    return for_everybody[clock] + of_rank[rank * alone.size() + clock];
  }

  KickLoad
  load(const unsigned int n_ranks) const
  {
    std::vector<double> busiest(alone.size(), 0.);
    for (unsigned int rank = 0; rank < n_ranks; ++rank)
      for (unsigned int c = 0; c < alone.size(); ++c)
        busiest[c] = std::max(busiest[c], held(rank, c));
    return {per_time(alone), per_time(busiest)};
  }
};

template <int spacedim>
Counts
count_kicks(const KickFamilies<spacedim> &families, const TimeLevels &levels,
            const NodeOwners &owners, const unsigned int n_ranks)
{
  const unsigned int n_clocks = levels.clocks().size();
  Counts counts;
  counts.alone.assign(n_clocks, 0.);
  counts.for_everybody.assign(n_clocks, 0.);
  counts.of_rank.assign(n_ranks * n_clocks, 0.);
  families.for_each_with_clock(
      levels,
      [&](const KickFamily<spacedim> &family, const unsigned int k, const unsigned int clock)
      {
        const auto holders = owners.holders(family.kicks->support(k));
        ++counts.alone[clock];
        if (family.role == KickRole::in_place ||
            (!holders.empty() && holders.front() == NodeOwners::everybody))
          ++counts.for_everybody[clock];
        else
          for (const unsigned int holder : holders)
            ++counts.of_rank[holder * n_clocks + clock];
      });
  return counts;
}
} // namespace

bool
pays_to_tell(const CompressedRows<unsigned int> &nodes_of_kick,
             const std::vector<unsigned int> &class_of_kick, const NodeOwners &owners,
             const NodesOfAll &of_all, const unsigned int n_ranks)
{
  // A node takes as long to pack, send and drift as a third of a box to be kicked, a message as a
  // hundred of them.
  constexpr double of_node = 0.3, of_message = 100;
  std::vector<char> is_known(owners.size(), 0);
  for (const unsigned int node : of_all.known)
    is_known[node] = 1;
  const unsigned int n_classes =
      class_of_kick.empty() ? 0 : 1 + *std::max_element(class_of_kick.begin(), class_of_kick.end());
  std::vector<double> kicks(n_classes, 0.), told(n_classes, 0.), messages(n_classes, 0.);
  std::vector<std::uint64_t> classes_of_node(owners.size(), 0); // bits
  // classes and pairs of processes that exchange messages anyway
  std::vector<std::tuple<unsigned int, unsigned int, unsigned int>> neighbours;
  for (unsigned int kick = 0; kick < class_of_kick.size(); ++kick)
  {
    const unsigned int c = class_of_kick[kick];
    const auto nodes = nodes_of_kick.row(kick);
    for (const unsigned int node : nodes)
      classes_of_node[node] |= std::uint64_t(1) << c;
    const auto holders = owners.holders({nodes.begin(), nodes.end()});
    if (!holders.empty() && holders.front() == NodeOwners::everybody)
      continue;
    kicks[c] += std::any_of(nodes.begin(), nodes.end(),
                            [&](const unsigned int node) { return is_known[node]; });
    for (const unsigned int one : holders)
      for (const unsigned int other : holders)
        if (one != other)
          neighbours.emplace_back(c, one, other);
  }
  std::sort(neighbours.begin(), neighbours.end());
  neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
  for (const unsigned int node : of_all.known)
    for (unsigned int c = 0; c < n_classes; ++c)
      told[c] += classes_of_node[node] >> c & 1;
  for (unsigned int c = 0; c < n_classes; ++c)
    if (told[c] > 0)
    {
      std::vector<unsigned int> n_neighbours(n_ranks, 0);
      for (const auto &[of_class, one, other] : neighbours)
        n_neighbours[one] += of_class == c;
      messages[c] = n_ranks - 1. - *std::min_element(n_neighbours.begin(), n_neighbours.end());
    }
  const double saved = (1 - 1. / n_ranks) * per_time(kicks);
  return saved > of_node * per_time(told) + of_message * per_time(messages);
}

template <int spacedim>
KickLoad
kick_load(const KickFamilies<spacedim> &families, const TimeLevels &levels,
          const NodeOwners &owners, const unsigned int n_ranks)
{
  return count_kicks(families, levels, owners, n_ranks).load(n_ranks);
}

template <int spacedim>
Division
divide_in_thought(const NodeTable<spacedim> &nodes, const KickFamilies<spacedim> &families,
                  const TimeLevels &levels, const unsigned int n_ranks, const NodesOfAll &of_all)
{
  const NodeOwners owners = divide_nodes(nodes, families, levels, n_ranks, of_all);
  const Counts counts = count_kicks(families, levels, owners, n_ranks);
  const unsigned int n_clocks = levels.clocks().size();
  Division result;
  result.of_rank.resize(n_ranks);
  std::vector<double> together(n_clocks, 0.);
  for (unsigned int rank = 0; rank < n_ranks; ++rank)
  {
    Holding &holding = result.of_rank[rank];
    holding.of_clock.resize(n_clocks);
    for (unsigned int c = 0; c < n_clocks; ++c)
    {
      holding.of_clock[c].kicks = counts.held(rank, c);
      holding.kicks += holding.of_clock[c].kicks;
      together[c] += holding.of_clock[c].kicks;
    }
  }
  std::vector<std::uint64_t> clocks_of_node(nodes.size(), 0); // bits
  families.for_each_with_clock(
      levels,
      [&](const KickFamily<spacedim> &family, const unsigned int k, const unsigned int clock)
      {
        for (const unsigned int node : family.kicks->support(k))
          clocks_of_node[node] |= std::uint64_t(1) << clock;
      });
  // of processes, a node of the one that the other holds
  std::vector<std::pair<unsigned int, unsigned int>> halo;
  families.for_each_held_node(owners, n_ranks,
                              [&](const unsigned int holder, const unsigned int node)
                              {
                                if (owners(node) != holder)
                                  halo.emplace_back(holder, node);
                              });
  for (const unsigned int node : of_all.known)
    for (unsigned int rank = 0; rank < n_ranks; ++rank)
      if (owners(node) != NodeOwners::everybody && owners(node) != rank)
        halo.emplace_back(rank, node);
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
  result.alone.assign(counts.alone.begin(), counts.alone.end());
  const KickLoad load = counts.load(n_ranks);
  if (load.alone == 0)
    return result; // bodies that fly, without strain
  result.redundancy = per_time(together) / load.alone;
  result.shared = per_time(counts.for_everybody) / load.alone;
  result.efficiency = 1 / (n_ranks * load.share());
  return result;
}

template KickLoad kick_load(const KickFamilies<2> &, const TimeLevels &, const NodeOwners &,
                            unsigned int);
template KickLoad kick_load(const KickFamilies<3> &, const TimeLevels &, const NodeOwners &,
                            unsigned int);
template Division divide_in_thought(const NodeTable<2> &, const KickFamilies<2> &,
                                    const TimeLevels &, unsigned int, const NodesOfAll &);
template Division divide_in_thought(const NodeTable<3> &, const KickFamilies<3> &,
                                    const TimeLevels &, unsigned int, const NodesOfAll &);
} // namespace KickDrift
