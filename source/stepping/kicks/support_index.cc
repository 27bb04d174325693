#include <kickdrift/stepping/kicks/support_index.h>

#include <algorithm>

namespace KickDrift
{
template <int spacedim>
SupportIndex<spacedim>::SupportIndex(const NodeTable<spacedim> &nodes,
                                     const KickFamilies<spacedim> &families)
    : nodes(nodes), families(families)
{
}

template <int spacedim>
void
SupportIndex<spacedim>::watch(const std::vector<unsigned int> &some_nodes, const WatchedKicks kicks)
{
  watched.resize(nodes.size(), 0);
  kicked_by_all.resize(nodes.size(), 0);
  for (const unsigned int node : some_nodes)
  {
    AssertThrow(node < nodes.size(), StepperExceptions::ExcNoSuchNode(
                                         "Stepper::watch() was called for", node, nodes.size()));
    watched[node] = 1;
    kicked_by_all[node] |= kicks == WatchedKicks::by_all;
  }
}

template <int spacedim>
void
SupportIndex<spacedim>::start(const TimeLevels &levels)
{
  using Table = CompressedRows<unsigned int>;
  watched.resize(nodes.size(), 0);
  const std::vector<char> is_indexed = nodes_of_watched_kicks();
  std::vector<std::pair<unsigned int, unsigned int>> ids, damping, watched_on, restrained_on;
  for (unsigned int f = 0; f < families.size(); ++f)
  {
    const KickFamily<spacedim> &family = families[f];
    if (family.role == KickRole::in_place)
      continue; // those in whose place its kicks are given say where they act
    const bool is_damping = family.role == KickRole::damping;
    for (unsigned int k = 0; k < family.kicks->n_kicks(); ++k)
    {
      const unsigned int clock = levels.clock_of_kick(family.id_of_kick(k));
      if (is_damping)
        damping_kicks.push_back({f, k});
      for (const unsigned int node : family.kicks->support(k))
      {
        if (is_indexed[node] && !is_damping)
          ids.emplace_back(node, family.id_of_kick(k));
        if (watched[node])
        {
          if (is_damping)
            damping.emplace_back(node, damping_kicks.size() - 1);
          watched_on.emplace_back(clock, node);
        }
        if (nodes.restraints.is_restrained(node))
          restrained_on.emplace_back(clock, node);
      }
    }
  }
  const unsigned int n_clocks = levels.clocks().size();
  ids_of_node = Table::from_pairs(std::move(ids), nodes.size());
  damping_of_nodes = Table::from_pairs(std::move(damping), nodes.size());
  watched_of_clock = Table::from_pairs(std::move(watched_on), n_clocks);
  restrained_of_clock = Table::from_pairs(std::move(restrained_on), n_clocks);
  if (levels.has_classes())
  {
    promoted_watched.resize(n_clocks);
    promoted_restrained.resize(n_clocks);
  }
}

template <int spacedim>
std::vector<char>
SupportIndex<spacedim>::nodes_of_watched_kicks() const
{
  std::vector<char> result = watched;
  for (unsigned int id = 0; id < families.n_ids(); ++id)
  {
    const auto support = nodes_of_kick(id);
    if (std::any_of(support.begin(), support.end(),
                    [&](const unsigned int node) { return watched[node] != 0; }))
      for (const unsigned int node : support)
        result[node] = 1;
  }
  return result;
}

template <int spacedim>
void
SupportIndex<spacedim>::end(const unsigned int id)
{
  n_ended.resize(ids_of_node.n_rows(), 0);
  for (const unsigned int node : nodes_of_kick(id))
  {
    const auto ids = ids_of_node.row(node);
    const auto living = ids.end() - n_ended[node];
    const auto kick = std::lower_bound(ids.begin(), living, id);
    if (kick == living || *kick != id)
      continue; // the node is not indexed, or the kick has ended before
    std::rotate(kick, kick + 1, living);
    ++n_ended[node];
  }
}

template <int spacedim>
const std::vector<unsigned int> &
SupportIndex<spacedim>::neighbours_of_kick(const unsigned int id) const
{
  neighbours.resize(families.n_ids());
  std::vector<unsigned int> &result = neighbours[id];
  if (!result.empty())
    return result;
  for (const unsigned int node : nodes_of_kick(id))
    result.insert(result.end(), ids_of_node.row(node).begin(), ids_of_node.row(node).end());
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  result.shrink_to_fit();
  return result;
}

template <int spacedim>
std::vector<typename SupportIndex<spacedim>::DampingKick>
SupportIndex<spacedim>::damping_of_node(const unsigned int node) const
{
  AssertThrow(node < damping_of_nodes.n_rows() && watched[node],
              StepperExceptions::ExcNodeNotWatched(node));
  std::vector<DampingKick> result;
  for (const unsigned int i : damping_of_nodes.row(node))
    result.push_back(damping_kicks[i]);
  return result;
}

template <int spacedim>
void
SupportIndex<spacedim>::set_promoted(const unsigned int step_class,
                                     const std::vector<unsigned int> &kicks)
{
  auto &now_watched = promoted_watched[step_class];
  auto &now_restrained = promoted_restrained[step_class];
  now_watched.clear();
  now_restrained.clear();
  // many kicks share a node
  std::vector<unsigned int> listed;
  is_listed.resize(nodes.size(), 0);
  const auto list = [&](const std::vector<unsigned int> &some)
  {
    for (const unsigned int node : some)
      if (!is_listed[node])
      {
        is_listed[node] = 1;
        listed.push_back(node);
      }
  };
  for (const unsigned int id : kicks)
  {
    list(nodes_of_kick(id));
    families.for_each_damping_of(id, [&](const Kicks<spacedim> &damping, const unsigned int k)
                                 { list(damping.support(k)); });
  }
  std::sort(listed.begin(), listed.end());
  for (const unsigned int node : listed)
  {
    is_listed[node] = 0;
    if (watched[node])
      now_watched.push_back(node);
    if (nodes.restraints.is_restrained(node))
      now_restrained.push_back(node);
  }
}

template class SupportIndex<2>;
template class SupportIndex<3>;
} // namespace KickDrift
