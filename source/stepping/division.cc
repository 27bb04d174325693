#include <kickdrift/stepping/division.h>
#include <kickdrift/stepping/stepper.h>

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

template <int spacedim>
Division
divide_in_thought(const Stepper<spacedim> &stepper, const unsigned int n_nodes,
                  const unsigned int n_ranks)
{
  const TimeLevels &levels = stepper.levels();
  std::vector<unsigned int> for_all;
  for (unsigned int node = 0; node < n_nodes; ++node)
    if (stepper.supports().is_watched(node))
      for_all.push_back(node);
  CompressedRows<unsigned int> supports;
  for (unsigned int id = 0; id < levels.n_kicks(); ++id)
  {
    for (const unsigned int node : stepper.supports().nodes_of_kick(id))
      supports.push_back(node);
    supports.finish_row();
  }
  const NodeOwners owners = divide_nodes(levels, supports, n_nodes, n_ranks, for_all);

  const unsigned int n_classes = levels.clocks().size();
  std::vector<double> alone(n_classes, 0.), together(n_classes, 0.), at_surface(n_classes, 0.);
  std::vector<std::vector<double>> held(n_classes, std::vector<double>(n_ranks, 0.));
  std::set<std::pair<unsigned int, unsigned int>> halo, pairs; // process and node, or process
  for (unsigned int id = 0; id < levels.n_kicks(); ++id)
  {
    const unsigned int c = levels.clock_of_kick(id);
    const auto row = supports.row(id);
    std::vector<unsigned int> holders = owners.holders({row.begin(), row.end()});
    ++alone[c];
    if (!holders.empty() && holders.front() == NodeOwners::everybody)
    {
      ++at_surface[c];
      holders.resize(n_ranks);
      std::iota(holders.begin(), holders.end(), 0);
    }
    together[c] += holders.size();
    for (const unsigned int holder : holders)
    {
      ++held[c][holder];
      for (const unsigned int node : row)
        if (owners(node) != holder && owners(node) != NodeOwners::everybody)
        {
          halo.emplace(holder, node);
          pairs.emplace(holder, owners(node));
        }
    }
  }
  // clock c comes half as often as clock c-1
  const auto per_time = [&](const auto &of_class)
  {
    double sum = 0;
    for (unsigned int c = 0; c < n_classes; ++c)
      sum += std::ldexp(of_class(c), -static_cast<int>(c));
    return sum;
  };
  const double work = per_time([&](const unsigned int c) { return alone[c]; });
  Division result{n_ranks};
  if (work == 0)
    return result; // bodies that fly, without strain
  result.redundancy = per_time([&](const unsigned int c) { return together[c]; }) / work;
  result.shared = per_time([&](const unsigned int c) { return at_surface[c]; }) / work;
  result.efficiency = work / n_ranks /
                      per_time([&](const unsigned int c)
                               { return *std::max_element(held[c].begin(), held[c].end()); });
  result.halo = double(halo.size()) / n_ranks;
  result.neighbours = double(pairs.size()) / n_ranks;
  return result;
}

template Division divide_in_thought(const Stepper<2> &, unsigned int, unsigned int);
template Division divide_in_thought(const Stepper<3> &, unsigned int, unsigned int);
} // namespace KickDrift
