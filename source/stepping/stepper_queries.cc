// What others ask a stepper.

#include <kickdrift/stepping/distribution.h>
#include <kickdrift/stepping/stepper.h>

#include <algorithm>
#include <unordered_map>

namespace KickDrift
{
template <int spacedim>
NodeTable<spacedim>
Stepper<spacedim>::snapshot(const double time) const
{
  AssertThrow(started, ExcNotStarted("Stepper::snapshot()"));
  AssertThrow(time <= now, ExcFutureTime(time, now));
  AssertThrow(!life_of_nodes.has_ended(), ExcDestroyed("node table"));
  const ClockQueue &clocks = time_levels.clocks();
  NodeTable<spacedim> copy = nodes;
  for (unsigned int node = 0; node < copy.size(); ++node)
    copy[node].drift(time);
  for (unsigned int c = 0; c < clocks.size(); ++c)
    if (clocks.n_kicks(c) > 0)
      for (const unsigned int f : families.on_clock(c))
        if (!time_levels.has_classes() || families[f].n_on_clock[c] > 0)
          families[f].kicks->kick(copy, c, time, time - clocks[c].covered_until());
  for (const unsigned int node : copy.restraints.nodes())
    copy.enforce_restraint(node);
  if (has_events())
    events->pending_impulses(time, [&](const unsigned int node, const Vector &impulse)
                             { copy.apply_impulse(node, impulse); });
  if (distribution)
    distribution->gather(copy);
  return copy;
}

template <int spacedim>
EnergyBalance
Stepper<spacedim>::energy(const NodeTable<spacedim> &synchronised) const
{
  EnergyBalance balance;
  for (unsigned int node = 0; node < synchronised.size(); ++node)
    balance.kinetic += 0.5 * synchronised.mass(node) * synchronised.velocity(node).norm_square();
  for (unsigned int f = 0; f < families.size(); ++f)
    families[f].kicks->add_energy(synchronised, balance);
  balance.prescribed_work = synchronised.restraints.prescribed_work();
  balance.damping_loss = synchronised.damping_loss();
  balance.contact_ripple = ripple(synchronised);
  return balance;
}

/// What the balance had more of with all that events have given, than with pending impulses.
template <int spacedim>
double
Stepper<spacedim>::ripple(const NodeTable<spacedim> &synchronised) const
{
  if (!has_events() || !events->has_ripple() || synchronised.size() == 0)
    return 0;
  std::map<unsigned int, Vector> pending; // by node
  Restraints<spacedim> supports = synchronised.restraints;
  events->pending_impulses(synchronised[0].time,
                           [&](const unsigned int node, const Vector &impulse)
                           {
                             const unsigned int carrier = synchronised.loans.carrier(node);
                             pending[carrier] += impulse;
                             supports.take_reaction(carrier, -impulse);
                           });
  double energy = synchronised.restraints.prescribed_work() - supports.prescribed_work();
  for (const auto &[node, impulse] : pending)
  {
    const Vector change = synchronised.velocity_change(node, impulse);
    energy += synchronised.mass(node) * (change * (0.5 * change - synchronised.velocity(node)));
  }
  return energy;
}

template <int spacedim>
typename Stepper<spacedim>::Vector
Stepper<spacedim>::synchronised_velocity(const unsigned int node, const double time) const
{
  const unsigned int carrier = nodes.loans.carrier(node);
  Vector impulse;
  if (has_events())
    events->pending_impulses(
        time, [&](const unsigned int other, const Vector &pending)
        { impulse += nodes.loans.carrier(other) == carrier ? pending : Vector(); });
  const Vector velocity =
      velocity_with_kicks(carrier, time) + nodes.velocity_change(carrier, impulse);
  return carrier == node ? velocity : nodes.restraints.project(node, velocity);
}

template <int spacedim>
typename Stepper<spacedim>::Vector
Stepper<spacedim>::velocity_with_kicks(const unsigned int node, const double time) const
{
  const unsigned int carrier = nodes.loans.carrier(node);
  if (carrier != node)
    return nodes.restraints.project(node, velocity_with_kicks(carrier, time));
  Vector impulse;
  std::vector<Vector> forces;
  const auto add = [&](const Kicks<spacedim> &kicks, const unsigned int k, const double duration)
  {
    const auto support = kicks.support(k);
    kicks.force(nodes, k, time, forces);
    for (unsigned int i = 0; i < support.size(); ++i)
      if (support[i] == node)
        impulse += duration * forces[i];
  };
  for (const unsigned int id : given_ids({node}))
  {
    const double duration = time - time_levels.covered_until(id);
    if (duration != 0)
      families.for_each_given_kick(id, [&](const Kicks<spacedim> &kicks, const unsigned int k)
                                   { add(kicks, k, duration); });
  }
  for (const auto &kick : support_index.synchronised_kicks_of_node(node))
  {
    const Clock &clock = time_levels.clocks()[families.synchronised_clock(kick.family)];
    add(*families[kick.family].kicks, kick.kick, time - clock.covered_until());
  }
  return nodes.velocity(node) + nodes.velocity_change(node, impulse);
}

template <int spacedim>
std::vector<typename Stepper<spacedim>::Vector>
Stepper<spacedim>::forces_on(const std::vector<unsigned int> &wanted, const double time) const
{
  std::vector<Vector> result(wanted.size()), forces;
  std::unordered_map<unsigned int, unsigned int> index;
  for (unsigned int i = 0; i < wanted.size(); ++i)
    index[wanted[i]] = i;
  const auto add = [&](const Kicks<spacedim> &kicks, const unsigned int k)
  {
    const auto support = kicks.support(k);
    kicks.force(nodes, k, time, forces);
    for (unsigned int i = 0; i < support.size(); ++i)
    {
      const auto found = index.find(support[i]);
      if (found != index.end())
        result[found->second] += forces[i];
    }
  };
  for (const unsigned int id : given_ids(wanted))
    families.for_each_given_kick(id, add);
  return result;
}

/// Of all that acts on any of these nodes, KickFamilies::given_id().
template <int spacedim>
std::vector<unsigned int>
Stepper<spacedim>::given_ids(const std::vector<unsigned int> &some_nodes) const
{
  std::vector<unsigned int> ids;
  for (const unsigned int node : some_nodes)
    for (const unsigned int id : support_index.kicks_of_node(node))
    {
      ids.push_back(id);
      ids.push_back(families.given_id(id));
    }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

template <int spacedim>
std::vector<typename Stepper<spacedim>::KickStatistics>
Stepper<spacedim>::kick_statistics() const
{
  std::vector<KickStatistics> result;
  for (unsigned int f = 0; f < families.size(); ++f)
  {
    const KickFamily<spacedim> &family = families[f];
    const std::string name = family.kicks->name();
    auto entry = std::find_if(result.begin(), result.end(),
                              [&](const auto &other) { return other.name == name; });
    if (entry == result.end())
      entry = result.insert(entry, {name, family.kicks->kind()});
    entry->count += family.count;
    entry->time += family.time;
    entry->drift_time += family.kicks->drift_share() * family.time;
  }
  return result;
}

template class Stepper<2>;
template class Stepper<3>;
} // namespace KickDrift
