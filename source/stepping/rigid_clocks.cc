#include <kickdrift/stepping/rigid_clocks.h>

#include <algorithm>
#include <unordered_set>

namespace KickDrift
{
template <int spacedim>
std::vector<std::vector<unsigned int>>
RigidClocks<spacedim>::groups() const
{
  std::vector<std::vector<unsigned int>> result;
  for (const Member &member : members)
    result.push_back(member.ids);
  return result;
}

template <int spacedim>
void
RigidClocks<spacedim>::take_start()
{
  std::vector<char> has_kicks(nodes.rigid_bodies.size(), 0);
  for (const Member &member : members)
    has_kicks[member.body] = 1;
  for (unsigned int body = 0; body < has_kicks.size(); ++body)
    AssertThrow(has_kicks[body],
                StepperExceptions::ExcRigidWithoutKicks(nodes.rigid_bodies.name(body)));
  nodes.rigid_bodies.start(nodes);
}

template <int spacedim>
void
RigidClocks<spacedim>::start(const TimeLevels &levels, const SupportIndex<spacedim> &supports,
                             const KickFamilies<spacedim> &families)
{
  std::vector<char> by_others(nodes.rigid_bodies.size(), 0);
  std::vector<std::unordered_set<unsigned int>> own(nodes.rigid_bodies.size());
  for (const Member &member : members)
    own[member.body].insert(member.ids.begin(), member.ids.end());
  for (unsigned int f = 0; f < families.size() && !empty(); ++f)
  {
    const KickFamily<spacedim> &family = families[f];
    if (family.role == KickRole::in_place)
      continue; // what they replace acts on the same nodes
    for (unsigned int k = 0; k < family.kicks->n_kicks(); ++k)
      for (const unsigned int node : family.kicks->support(k))
        if (nodes.is_rigid(node))
        {
          const unsigned int body = nodes.rigid_bodies.body_of(node);
          if (own[body].count(family.id_of_kick(k)) == 0)
            by_others[body] = 1;
        }
  }
  for (Member &member : members)
  {
    member.is_kicked_by_others = by_others[member.body];
    for (const unsigned int node : nodes.rigid_bodies.nodes_of(member.body))
      if (supports.is_watched(node))
        member.watched.push_back(node);
    member.clock = levels.clock_of_kick(member.ids[0]);
    look_ahead(member, levels);
    if (!member.may_turn)
      nodes.rigid_bodies.check_turn(member.body);
    nodes.rigid_bodies.fly(nodes, member.body);
  }
}

template <int spacedim>
void
RigidClocks<spacedim>::look_ahead(const Member &member, const TimeLevels &levels)
{
  const Clock &clock = levels.clocks()[member.clock];
  nodes.rigid_bodies.look_ahead(member.body, clock.time(), clock.step());
}

template <int spacedim>
void
RigidClocks<spacedim>::kicked(const unsigned int clock, const double time, const TimeLevels &levels,
                              EventSource<spacedim> *const events)
{
  for (const Member &member : members)
  {
    const bool is_own = member.clock == clock;
    if (!is_own &&
        !(member.is_kicked_by_others && nodes.rigid_bodies.are_kicked(nodes, member.body)))
      continue;
    nodes.rigid_bodies.take_kicks(nodes, member.body, time);
    if (is_own)
    {
      look_ahead(member, levels);
      if (!member.may_turn)
        nodes.rigid_bodies.check_turn(member.body);
    }
    nodes.rigid_bodies.fly(nodes, member.body);
    if (events && !member.watched.empty())
      events->nodes_kicked(dealii::make_array_view(member.watched), time);
  }
}

template <int spacedim>
void
RigidClocks<spacedim>::clocks_changed(const TimeLevels &levels)
{
  for (Member &member : members)
  {
    const unsigned int clock = levels.clock_of_kick(member.ids[0]);
    if (clock == member.clock)
      continue;
    member.clock = clock;
    look_ahead(member, levels);
  }
}

template <int spacedim>
void
RigidClocks<spacedim>::resume(const TimeLevels &levels)
{
  for (Member &member : members)
    member.clock = levels.clock_of_kick(member.ids[0]);
}

template class RigidClocks<2>;
template class RigidClocks<3>;
} // namespace KickDrift
