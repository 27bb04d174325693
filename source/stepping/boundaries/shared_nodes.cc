#include <kickdrift/stepping/boundaries/shared_nodes.h>

#include <algorithm>

namespace KickDrift
{
template <int spacedim>
SharedNodes<spacedim>::SharedNodes(const KickFamilies<spacedim> &families)
    : families(families), damps(families.size())
{
  for (unsigned int f = 0; f < families.size(); ++f)
    for (unsigned int k = 0; k < families[f].kicks->n_kicks(); ++k)
      if (families[f].kicks->damping_time(k) > 0)
      {
        damps[f].resize(families[f].kicks->n_kicks(), 0);
        damps[f][k] = 1;
      }
}

template <int spacedim>
bool
SharedNodes<spacedim>::counts(const KickOfFamily &kick) const
{
  const KickFamily<spacedim> &family = families[kick.family];
  return family.is_given(kick.kick) && family.role != KickRole::damping &&
         family.role != KickRole::in_place &&
         (damps[kick.family].empty() || !damps[kick.family][kick.kick]);
}

template <int spacedim>
unsigned char
SharedNodes<spacedim>::class_of(const KickOfFamily &kick, const TimeLevels &levels) const
{
  return levels.clock_of_kick(families[kick.family].id_of_kick(kick.kick));
}

template <int spacedim>
void
SharedNodes<spacedim>::find(const TimeLevels &levels, const unsigned int n_nodes)
{
  ids_that_changed.clear();
  kicks_of_node.clear();
  unsigned int n_strata = 1;
  for (unsigned int f = 0; f < families.size(); ++f)
    n_strata = std::max(n_strata, families[f].kicks->stratum() + 1);
  strata.assign(n_strata, {std::vector<unsigned char>(n_nodes, none),
                           std::vector<unsigned char>(n_nodes, 0)});
  of_class.resize(levels.clocks().size());
  for (Class &each : of_class)
  {
    each.kicks.clear();
    ++each.version;
  }
  listed.assign(families.size(), {});
  for (unsigned int f = 0; f < families.size(); ++f)
  {
    listed[f].assign(families[f].kicks->n_kicks(), none);
    for (unsigned int k = 0; k < listed[f].size(); ++k)
    {
      if (!counts({f, k}))
        continue;
      const unsigned char step_class = class_of({f, k}, levels);
      for (const unsigned int node : families[f].kicks->support(k))
        see({f, k}, step_class, node);
    }
  }
  for (unsigned int f = 0; f < families.size(); ++f)
    for (unsigned int k = 0; k < listed[f].size(); ++k)
      list({f, k}, levels);
}

template <int spacedim>
void
SharedNodes<spacedim>::see(const KickOfFamily &kick, const unsigned char step_class,
                           const unsigned int node)
{
  Stratum &of_kick = strata[stratum(kick)];
  of_kick.finest[node] = std::min(of_kick.finest[node], step_class);
  of_kick.coarsest[node] = std::max(of_kick.coarsest[node], step_class);
}

template <int spacedim>
void
SharedNodes<spacedim>::list(const KickOfFamily &kick, const TimeLevels &levels)
{
  unsigned char wanted = none;
  if (counts(kick))
  {
    const auto support = families[kick.family].kicks->support(kick.kick);
    if (std::any_of(support.begin(), support.end(),
                    [&](const unsigned int node) { return is_shared(node); }))
      wanted = class_of(kick, levels);
  }
  unsigned char &present = listed[kick.family][kick.kick];
  for (const unsigned char each : {present, wanted})
    if (each != none)
      ++of_class[each].version;
  if (present == wanted)
    return;
  const auto place = [&](std::vector<KickOfFamily> &kicks)
  { return std::lower_bound(kicks.begin(), kicks.end(), kick); };
  if (present != none)
    of_class[present].kicks.erase(place(of_class[present].kicks));
  if (wanted != none)
    of_class[wanted].kicks.insert(place(of_class[wanted].kicks), kick);
  present = wanted;
}

template <int spacedim>
void
SharedNodes<spacedim>::index_kicks_of_nodes()
{
  std::vector<unsigned int> counts_of_nodes(strata[0].finest.size(), 0);
  const auto for_each = [&](const auto &f)
  {
    for (unsigned int family = 0; family < families.size(); ++family)
      for (unsigned int k = 0; k < listed[family].size(); ++k)
        for (const unsigned int node : families[family].kicks->support(k))
          f(KickOfFamily{family, k}, node);
  };
  for_each([&](const KickOfFamily &, const unsigned int node) { ++counts_of_nodes[node]; });
  kicks_of_node = CompressedRows<KickOfFamily>::from_counts(counts_of_nodes);
  for_each([&](const KickOfFamily &kick, const unsigned int node)
           { kicks_of_node.row(node)[--counts_of_nodes[node]] = kick; });
}

template <int spacedim>
void
SharedNodes<spacedim>::update(const TimeLevels &levels)
{
  if (ids_that_changed.empty())
    return;
  if (ids_that_changed.size() > families.n_ids() / 8) // that is as fast
  {
    find(levels, strata[0].finest.size());
    return;
  }
  if (kicks_of_node.n_rows() == 0)
    index_kicks_of_nodes();
  std::vector<unsigned int> around;
  const auto add = [&](const Kicks<spacedim> &kicks, const unsigned int k)
  {
    for (const unsigned int node : kicks.support(k))
      around.push_back(node);
  };
  for (const unsigned int id : ids_that_changed)
  {
    families.for_each_kick(id, add);
    families.for_each_given_kick(id, add);
  }
  ids_that_changed.clear();
  std::sort(around.begin(), around.end());
  around.erase(std::unique(around.begin(), around.end()), around.end());

  std::vector<KickOfFamily> kicks;
  for (const unsigned int node : around)
  {
    for (Stratum &stratum : strata)
    {
      stratum.finest[node] = none;
      stratum.coarsest[node] = 0;
    }
    for (const KickOfFamily &kick : kicks_of_node.row(node))
    {
      kicks.push_back(kick);
      if (counts(kick))
        see(kick, class_of(kick, levels), node);
    }
  }
  std::sort(kicks.begin(), kicks.end());
  kicks.erase(std::unique(kicks.begin(), kicks.end(),
                          [](const KickOfFamily &a, const KickOfFamily &b)
                          { return !(a < b) && !(b < a); }),
              kicks.end());
  for (const KickOfFamily &kick : kicks)
    list(kick, levels);
}

template class SharedNodes<2>;
template class SharedNodes<3>;
} // namespace KickDrift
