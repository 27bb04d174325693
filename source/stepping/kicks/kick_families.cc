#include <kickdrift/base/archive_checks.h>
#include <kickdrift/stepping/clocks/stepper_exceptions.h>
#include <kickdrift/stepping/kicks/kick_families.h>

#include <algorithm>
#include <array>

namespace KickDrift
{
template <int spacedim>
void
KickFamilies<spacedim>::add(KickFamily<spacedim> family)
{
  AssertThrow(family.kicks, StepperExceptions::ExcNoFamily());
  AssertThrow(known.insert(family.kicks.get()).second,
              StepperExceptions::ExcFamilyAddedTwice(family.kicks->name()));
  if (family.role == KickRole::own_clock)
  {
    families_with_ids.push_back(families.size());
    n_kicks_with_ids += family.kicks->n_kicks();
  }
  families.push_back(std::move(family));
}

template <int spacedim>
std::vector<std::shared_ptr<const Kicks<spacedim>>>
KickFamilies<spacedim>::with_ids() const
{
  std::vector<std::shared_ptr<const Kicks<spacedim>>> result;
  for (const KickFamily<spacedim> &family : families)
    if (family.role == KickRole::own_clock)
      result.push_back(family.kicks);
  return result;
}

template <int spacedim>
CompressedRows<unsigned int>
KickFamilies<spacedim>::nodes_of_kicks() const
{
  CompressedRows<unsigned int> result;
  for (const auto &kicks : with_ids())
    for (unsigned int k = 0; k < kicks->n_kicks(); ++k)
    {
      for (const unsigned int node : kicks->support(k))
        result.push_back(node);
      result.finish_row();
    }
  return result;
}

template <int spacedim>
std::vector<unsigned int>
KickFamilies<spacedim>::strata_of_kicks() const
{
  std::vector<unsigned int> result;
  for (const auto &kicks : with_ids())
    result.insert(result.end(), kicks->n_kicks(), kicks->stratum());
  return result;
}

template <int spacedim>
std::vector<double>
KickFamilies<spacedim>::damping_times() const
{
  std::vector<double> result;
  for (const KickFamily<spacedim> &family : families)
    for (unsigned int k = 0; k < family.followed.size(); ++k)
      if (const double time = family.kicks->damping_time(k))
      {
        result.resize(n_kicks_with_ids, 0.);
        result[family.followed[k]] += time;
      }
  return result;
}

template <int spacedim>
bool
KickFamilies<spacedim>::has(const KickRole role) const
{
  return std::any_of(families.begin(), families.end(),
                     [role](const KickFamily<spacedim> &family) { return family.role == role; });
}

/// Damping goes with the coarsest kick on any of its nodes: at the times of that one all others
/// have given what they should until then, so that the mean of the velocities before and after it
/// is without the saw-tooth of their impulses. Nodes that are held in all directions do not count
/// if there are others. Without such a kick, with the coarsest of all.
template <int spacedim>
void
KickFamilies<spacedim>::find_kicks_of_damping(const TimeLevels &levels,
                                              const NodeTable<spacedim> &nodes)
{
  const std::vector<unsigned int> &classes = levels.classes().of_kick;
  const auto is_coarser = [&](const unsigned int id, const unsigned int other)
  { return other == none || (id != none && classes[id] > classes[other]); };
  std::vector<unsigned int> coarsest(nodes.size(), none);
  unsigned int coarsest_of_all = none;
  for (unsigned int id = 0; id < levels.n_kicks(); ++id)
  {
    if (is_coarser(id, coarsest_of_all))
      coarsest_of_all = id;
    for (const unsigned int node : support(id))
      if (is_coarser(id, coarsest[node]))
        coarsest[node] = id;
  }
  for (KickFamily<spacedim> &family : families)
    if (family.role == KickRole::damping)
      for (unsigned int k = 0; k < family.kicks->n_kicks(); ++k)
      {
        std::array<unsigned int, 2> followed = {{none, none}}; // of nodes that move, and of others
        for (const unsigned int node : family.kicks->support(k))
        {
          unsigned int &of_nodes = followed[nodes.restraints.n_directions(node) == spacedim];
          if (is_coarser(coarsest[node], of_nodes))
            of_nodes = coarsest[node];
        }
        family.followed.push_back(followed[0] != none   ? followed[0]
                                  : followed[1] != none ? followed[1]
                                                        : coarsest_of_all);
      }
}

template <int spacedim>
void
KickFamilies<spacedim>::replace(const unsigned int f, const unsigned int k,
                                const std::vector<unsigned int> &ids, const TimeLevels *levels)
{
  given_by.resize(n_kicks_with_ids, {none, 0});
  KickFamily<spacedim> &giver = families[f];
  for (const unsigned int id : ids)
  {
    const Kicks<spacedim> &replaced = *families[family_of(id)].kicks;
    AssertThrow(!replaced.has_history() && !replaced.can_end(),
                StepperExceptions::ExcReplacesHistory(replaced.name()));
  }
  auto &group = giver.groups[k];
  const bool was_given = !group.empty();
  for (const unsigned int id : ids)
  {
    const auto [old_family, old_kick] = given_by[id];
    if (old_family == f && old_kick == k)
      continue;
    if (old_family != none) // the whole group comes over
    {
      auto &old_group = families[old_family].groups[old_kick];
      if (levels)
      {
        --families[old_family].n_on_clock[levels->clock_of_kick(old_group.front())];
        families[old_family].kicks->change_clock(old_kick, never);
      }
      for (const unsigned int other : old_group)
      {
        given_by[other] = {f, k};
        group.push_back(other);
      }
      old_group.clear();
      continue;
    }
    KickFamily<spacedim> &family = families[family_of(id)];
    family.is_replaced.resize(family.kicks->n_kicks(), 0);
    family.is_replaced[id - family.first_id] = 1;
    given_by[id] = {f, k};
    group.push_back(id);
    if (!levels)
      continue;
    --family.n_on_clock[levels->clock_of_kick(id)];
    family.kicks->change_clock(id - family.first_id, never);
  }
  if (!levels || was_given || group.empty())
    return;
  const unsigned int clock = levels->clock_of_kick(group.front());
  ++giver.n_on_clock[clock];
  giver.kicks->change_clock(k, clock);
}

template <int spacedim>
void
KickFamilies<spacedim>::end(const unsigned int f, const unsigned int k, const TimeLevels &levels)
{
  const unsigned int id = families[f].id_of_kick(k);
  const auto end_one = [&](KickFamily<spacedim> &family, const unsigned int kick)
  {
    if (family.ended(kick))
      return;
    family.is_ended.resize(family.kicks->n_kicks(), 0);
    family.is_ended[kick] = 1;
    if (levels.has_classes())
      --family.n_on_clock[levels.clock_of_kick(id)];
    if (!family.elsewhere(kick))
      family.kicks->change_clock(kick, never);
  };
  end_one(families[f], k);
  for (const unsigned int i : followers_of_id.row(id))
    if (families[followers[i].family].kicks->ends_with_followed())
      end_one(families[followers[i].family], followers[i].kick);
}

template <int spacedim>
void
KickFamilies<spacedim>::hold(const NodeOwners &owners, const unsigned int rank)
{
  for (KickFamily<spacedim> &family : families)
  {
    if (family.role == KickRole::in_place)
      continue;
    family.is_elsewhere.resize(family.kicks->n_kicks());
    for (unsigned int k = 0; k < family.is_elsewhere.size(); ++k)
      family.is_elsewhere[k] = !owners.is_held(family.kicks->support(k), rank);
    family.kicks->let_go(family.is_elsewhere, rank == 0);
  }
}

template <int spacedim>
void
KickFamilies<spacedim>::assign_clocks(const TimeLevels &levels, const NodeTable<spacedim> &nodes)
{
  const unsigned int n_clocks = levels.clocks().size();
  never = n_clocks; // one more, which never comes
  std::vector<std::pair<unsigned int, unsigned int>> families_on, followers_of, damping_of;
  if (has(KickRole::damping))
    find_kicks_of_damping(levels, nodes);
  const bool has_never =
      has(KickRole::in_place) ||
      std::any_of(families.begin(), families.end(),
                  [](const KickFamily<spacedim> &family)
                  { return !family.is_elsewhere.empty() || family.kicks->can_end(); });
  for (unsigned int f = 0; f < families.size(); ++f)
  {
    KickFamily<spacedim> &family = families[f];
    AssertThrow(family.kicks->on_clocks.has_ended(),
                StepperExceptions::ExcFamilyElsewhere(family.kicks->name()));
    family.kicks->on_clocks = lifetime.watch();
    if (levels.has_classes())
      family.n_on_clock.assign(n_clocks, 0);
    std::vector<unsigned int> clock_of_kick(family.kicks->n_kicks());
    for (unsigned int k = 0; k < clock_of_kick.size(); ++k)
    {
      if (!family.is_given(k))
      {
        clock_of_kick[k] = never;
        continue;
      }
      const unsigned int clock = clock_of(f, k, levels);
      clock_of_kick[k] = family.elsewhere(k) ? never : clock;
      if (levels.has_classes())
        ++family.n_on_clock[clock];
      else
        families_on.emplace_back(clock, f);
      if (family.role == KickRole::follower || family.role == KickRole::damping)
      {
        (family.role == KickRole::follower ? followers_of : damping_of)
            .emplace_back(family.followed[k], followers.size());
        followers.push_back({f, k});
      }
    }
    family.kicks->assign_clocks(clock_of_kick, n_clocks + has_never);
    // kicks change between classes, so every family may have kicks in any of them
    if (levels.has_classes())
      for (unsigned int c = 0; c < n_clocks; ++c)
        families_on.emplace_back(c, f);
  }
  families_of_clock = CompressedRows<unsigned int>::from_pairs(std::move(families_on), n_clocks);
  followers_of_id =
      CompressedRows<unsigned int>::from_pairs(std::move(followers_of), levels.n_kicks());
  damping_of_id = CompressedRows<unsigned int>::from_pairs(std::move(damping_of), levels.n_kicks());
}

template <int spacedim>
void
KickFamilies<spacedim>::change_clock(const unsigned int id, const unsigned int from,
                                     const unsigned int to)
{
  const auto change = [&](KickFamily<spacedim> &family, const unsigned int k)
  {
    if (!family.is_given(k))
      return;
    if (!family.elsewhere(k))
      family.kicks->change_clock(k, to);
    --family.n_on_clock[from];
    ++family.n_on_clock[to];
  };
  KickFamily<spacedim> &family = families[family_of(id)];
  change(family, id - family.first_id);
  for (const unsigned int i : followers_of_id.row(id))
    change(families[followers[i].family], followers[i].kick);
  for (const unsigned int i : damping_of_id.row(id))
    change(families[followers[i].family], followers[i].kick);
  if (leads_group(id))
    change(families[given_by[id].family], given_by[id].kick);
}

template <int spacedim>
void
KickFamilies<spacedim>::serialize(Archive &archive, const TimeLevels &levels)
{
  archive.section("kicks given by others");
  for (unsigned int f = 0; f < families.size(); ++f)
    if (families[f].role == KickRole::in_place)
    {
      auto groups = families[f].groups;
      archive.fixed(groups);
      if (!archive.is_reading())
        continue;
      for (unsigned int k = 0; k < groups.size(); ++k)
        for (const unsigned int id : groups[k])
          check_state(id < n_kicks_with_ids, "stepper");
      for (unsigned int k = 0; k < groups.size(); ++k)
        replace(f, k, groups[k], &levels);
      check_state(groups == families[f].groups, "stepper");
    }
  archive.section("kicks that have ended");
  for (unsigned int f = 0; f < families.size(); ++f)
    if (families[f].kicks->can_end())
    {
      std::vector<char> is_ended = families[f].is_ended;
      is_ended.resize(families[f].kicks->n_kicks(), 0);
      archive.fixed(is_ended);
      for (unsigned int k = 0; k < is_ended.size() && archive.is_reading(); ++k)
        if (is_ended[k])
          end(f, k, levels);
    }
}

template <int spacedim>
unsigned int
KickFamilies<spacedim>::family_of(const unsigned int id) const
{
  AssertThrow(id < n_kicks_with_ids, StepperExceptions::ExcNoSuchKick(id, n_kicks_with_ids));
  // the last one that begins at it or before: those without kicks begin where the next one does
  const auto next = std::upper_bound(families_with_ids.begin(), families_with_ids.end(), id,
                                     [this](const unsigned int i, const unsigned int family)
                                     { return i < families[family].first_id; });
  return *(next - 1);
}

template <int spacedim>
std::vector<unsigned int>
KickFamilies<spacedim>::support(const unsigned int id) const
{
  const KickFamily<spacedim> &family = families[family_of(id)];
  return family.kicks->support(id - family.first_id);
}

template class KickFamilies<2>;
template class KickFamilies<3>;
} // namespace KickDrift
