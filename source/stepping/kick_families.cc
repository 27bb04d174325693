#include <kickdrift/stepping/kick_families.h>
#include <kickdrift/stepping/stepper_exceptions.h>

#include <algorithm>

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
bool
KickFamilies<spacedim>::has(const KickRole role) const
{
  return std::any_of(families.begin(), families.end(),
                     [role](const KickFamily<spacedim> &family) { return family.role == role; });
}

template <int spacedim>
std::vector<unsigned int>
KickFamilies<spacedim>::coarsest_classes(const TimeLevels &levels, const unsigned int n_nodes) const
{
  std::vector<unsigned int> coarsest(n_nodes, 0);
  for (unsigned int id = 0; id < levels.n_kicks(); ++id)
    for (const unsigned int node : support(id))
      coarsest[node] = std::max(coarsest[node], levels.classes().of_kick[id]);
  return coarsest;
}

template <int spacedim>
void
KickFamilies<spacedim>::replace(const std::vector<unsigned int> &ids)
{
  for (const unsigned int id : ids)
  {
    KickFamily<spacedim> &family = families[family_of(id)];
    family.is_replaced.resize(family.kicks->n_kicks(), 0);
    family.is_replaced[id - family.first_id] = 1;
  }
}

template <int spacedim>
void
KickFamilies<spacedim>::assign_clocks(TimeLevels &levels, const unsigned int n_nodes)
{
  const unsigned int n_clocks = levels.clocks().size();
  std::vector<std::pair<unsigned int, unsigned int>> families_on, followers_of;
  clocks_of_synchronised.resize(families.size());
  std::vector<unsigned int> coarsest;
  if (has(KickRole::synchronised))
    coarsest = coarsest_classes(levels, n_nodes);
  for (unsigned int f = 0; f < families.size(); ++f)
  {
    KickFamily<spacedim> &family = families[f];
    if (family.role == KickRole::synchronised)
    {
      unsigned int class_below = 0;
      for (unsigned int k = 0; k < family.kicks->n_kicks(); ++k)
        for (const unsigned int node : family.kicks->support(k))
          class_below = std::max(class_below, coarsest[node]);
      clocks_of_synchronised[f] = class_below + 1;
    }
    const bool any_replaced = !family.is_replaced.empty();
    if (levels.has_classes())
      family.n_on_clock.assign(n_clocks, 0);
    std::vector<unsigned int> clock_of_kick(family.kicks->n_kicks());
    for (unsigned int k = 0; k < clock_of_kick.size(); ++k)
    {
      const unsigned int clock = family.role == KickRole::synchronised
                                     ? clocks_of_synchronised[f]
                                     : levels.clock_of_kick(family.id_of_kick(k));
      if (family.replaced(k))
      {
        clock_of_kick[k] = n_clocks; // one more, which never comes
        continue;
      }
      clock_of_kick[k] = clock;
      if (levels.has_classes())
        ++family.n_on_clock[clock];
      else
        families_on.emplace_back(clock, f);
      if (family.role == KickRole::follower)
      {
        followers_of.emplace_back(family.followed[k], followers.size());
        followers.push_back({f, k});
      }
      if (family.role == KickRole::synchronised)
        levels.clocks().add_kick(clock);
    }
    family.kicks->assign_clocks(clock_of_kick, n_clocks + any_replaced);
    // kicks change between classes, so every family may have kicks in any of them
    if (levels.has_classes())
      for (unsigned int c = 0; c < n_clocks; ++c)
        families_on.emplace_back(c, f);
  }
  families_of_clock = CompressedRows<unsigned int>::from_pairs(std::move(families_on), n_clocks);
  followers_of_id =
      CompressedRows<unsigned int>::from_pairs(std::move(followers_of), levels.n_kicks());
}

template <int spacedim>
void
KickFamilies<spacedim>::change_clock(const unsigned int id, const unsigned int from,
                                     const unsigned int to)
{
  const auto change = [&](KickFamily<spacedim> &family, const unsigned int k)
  {
    if (family.replaced(k))
      return;
    family.kicks->change_clock(k, to);
    --family.n_on_clock[from];
    ++family.n_on_clock[to];
  };
  KickFamily<spacedim> &family = families[family_of(id)];
  change(family, id - family.first_id);
  for (const unsigned int i : followers_of_id.row(id))
    change(families[followers[i].family], followers[i].kick);
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
