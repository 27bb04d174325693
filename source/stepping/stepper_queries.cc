// What others ask a stepper.

#include <kickdrift/base/at_work.h>
#include <kickdrift/nodes/motion_sums.h>
#include <kickdrift/stepping/division/distribution.h>
#include <kickdrift/stepping/stepper.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace KickDrift
{
template <int spacedim>
NodeTable<spacedim>
Stepper<spacedim>::snapshot(const double time) const
{
  AssertThrow(started, ExcNotStarted("Stepper::snapshot()"));
  const AtWork work(is_at_work);
  AssertThrow(work.begins(), ExcAtWork("Stepper::snapshot()"));
  AssertThrow(!is_in_step, ExcStopped(now));
  AssertThrow(time <= now, ExcFutureTime(time, now));
  AssertThrow(!life_of_nodes.has_ended(), ExcDestroyed("node table"));
  const ClockQueue &clocks = time_levels.clocks();
  NodeTable<spacedim> copy = nodes;
  for (unsigned int node = 0; node < copy.size(); ++node)
    copy[node].drift(time);
  if (boundaries)
    boundaries->read_at(copy, time_levels, time, nodes_in_contact(time));
  for (unsigned int c = 0; c < clocks.size(); ++c)
    if (clocks.n_kicks(c) > 0)
      for (const unsigned int f : families.on_clock(c))
        if (families[f].role != KickRole::damping &&
            (!time_levels.has_classes() || families[f].n_on_clock[c] > 0))
          families[f].kicks->kick(copy, c, time, time - clocks[c].covered_until());
  for (const unsigned int node : copy.restraints.nodes())
    copy.enforce_restraint(node);
  if (time_levels.has_classes())
    for (unsigned int c = 0; c < clocks.size(); ++c)
      families.for_each_damping(
          c,
          [&](const KickFamily<spacedim> &, const DampingKicks<spacedim> &damping)
          {
            damping.damp_share(copy, damping.velocities(nodes, c), c, time,
                               time - clocks[c].covered_until());
          });
  for (unsigned int body = 0; body < copy.rigid_bodies.size(); ++body)
  {
    copy.rigid_bodies.take_kicks(copy, body, time);
    copy.rigid_bodies.look_ahead(body, time, 0);
    copy.rigid_bodies.fly(copy, body);
  }
  if (has_events())
    events->pending_impulses(time, [&](const unsigned int node, const Vector &impulse)
                             { copy.apply_impulse(node, impulse); });
  if (distribution)
    distribution->gather(copy);
  return copy;
}

/// Those with pending impulses, shape (nodes); empty: there are none.
template <int spacedim>
std::vector<char>
Stepper<spacedim>::nodes_in_contact(const double time) const
{
  std::vector<char> result;
  if (has_events())
    events->pending_impulses(time,
                             [&](const unsigned int node, const Vector &)
                             {
                               result.resize(nodes.size(), 0);
                               result[node] = 1;
                             });
  return result;
}

template <int spacedim>
EnergyBalance
Stepper<spacedim>::energy(const NodeTable<spacedim> &synchronised,
                          FamilyEnergies<spacedim> *const of_families) const
{
  const AtWork work(is_at_work);
  AssertThrow(work.begins(), ExcAtWork("Stepper::energy()"));
  if (!distribution)
    return energy_of_all(synchronised, of_families);
  static_assert(std::is_trivially_copyable<EnergyBalance>::value);
  EnergyBalance balance;
  std::string bytes(sizeof(balance), '\0');
  try
  {
    if (parameters.ranks->is_first())
    {
      balance = energy_of_all(synchronised, of_families);
      std::memcpy(&bytes[0], &balance, sizeof(balance));
    }
    bytes = parameters.ranks->from_first(std::move(bytes));
  }
  catch (const std::exception &exception)
  {
    parameters.ranks->fail(exception); // the others wait for the first one
    throw;
  }
  std::memcpy(&balance, bytes.data(), sizeof(balance));
  return balance;
}

template <int spacedim>
EnergyBalance
Stepper<spacedim>::energy_of_all(const NodeTable<spacedim> &synchronised,
                                 FamilyEnergies<spacedim> *const of_families) const
{
  EnergyBalance balance;
  balance.kinetic = kinetic_energy(synchronised);
  for (unsigned int f = 0; f < families.size(); ++f)
  {
    EnergyBalance of_family;
    families[f].kicks->add_energy(synchronised, of_family);
    balance += of_family;
    if (of_families)
      (*of_families)[families[f].kicks.get()] = of_family;
  }
  balance.prescribed_work = synchronised.restraints.prescribed_work();
  balance.damping_loss = synchronised.damping_loss();
  balance.dashpot_loss = synchronised.dashpot_loss();
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
  RigidBodies<spacedim> rigid = synchronised.rigid_bodies;
  Restraints<spacedim> supports = synchronised.restraints;
  events->pending_impulses(synchronised[0].time,
                           [&](const unsigned int node, const Vector &impulse)
                           {
                             if (synchronised.is_rigid(node))
                             {
                               rigid.add_impulse(synchronised, node, -impulse);
                               return;
                             }
                             pending[node] += impulse;
                             supports.take_reaction(node, -impulse);
                           });
  double energy = synchronised.restraints.prescribed_work() - supports.prescribed_work();
  for (unsigned int body = 0; body < rigid.size(); ++body)
    energy += rigid.motion(body).energy() - synchronised.rigid_bodies.motion(body).energy();
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
  if (nodes.is_rigid(node))
    return velocity_of_rigid(node, time, true);
  Vector impulse;
  if (has_events())
    events->pending_impulses(time, [&](const unsigned int other, const Vector &pending)
                             { impulse += other == node ? pending : Vector(); });
  return velocity_with_kicks(node, time) + nodes.velocity_change(node, impulse);
}

template <int spacedim>
typename Stepper<spacedim>::Vector
Stepper<spacedim>::velocity_with_kicks(const unsigned int node, const double time) const
{
  if (nodes.is_rigid(node))
    return velocity_of_rigid(node, time, false);
  const bool is_kicked =
      support_index.kicks_of_node(node).size() > 0 || !support_index.damping_of_node(node).empty();
  return distribution && is_kicked
             ? distribution->from_owner(node, [&] { return node_with_kicks(node, time); })
             : node_with_kicks(node, time);
}

template <int spacedim>
typename Stepper<spacedim>::Vector
Stepper<spacedim>::node_with_kicks(const unsigned int node, const double time) const
{
  Vector impulse;
  for_each_pending_kick({node}, time,
                        [&](const unsigned int on_node, const Vector &pending)
                        {
                          if (on_node == node)
                            impulse += pending;
                        });
  Vector velocity = nodes.velocity(node) + nodes.velocity_change(node, impulse);
  for (const auto &kick : support_index.damping_of_node(node))
  {
    const KickFamily<spacedim> &family = families[kick.family];
    const double duration = time - time_levels.covered_until(family.id_of_kick(kick.kick));
    const auto &damping = static_cast<const DampingKicks<spacedim> &>(*family.kicks);
    // one after the other: together, they might take more than there is
    velocity += nodes.velocity_change(
        node, damping.impulse_on(nodes, kick.kick, node, velocity, time, duration));
  }
  return velocity;
}

/// What kicks on any of these nodes have still to give up to @p time, minus what they have given
/// beyond it.
template <int spacedim>
void
Stepper<spacedim>::for_each_pending_kick(
    const std::vector<unsigned int> &some_nodes, const double time,
    const std::function<void(unsigned int, const Vector &)> &on_impulse) const
{
  std::vector<Vector> forces;
  for (const unsigned int id : given_ids(some_nodes))
  {
    const double duration = time - time_levels.covered_until(id);
    if (duration != 0)
      families.for_each_given_kick(id,
                                   [&](const Kicks<spacedim> &kicks, const unsigned int k)
                                   {
                                     const auto support = kicks.support(k);
                                     kicks.checked_force(nodes, k, time, support.size(), forces);
                                     for (unsigned int i = 0; i < support.size(); ++i)
                                       on_impulse(support[i], duration * forces[i]);
                                   });
  }
}

/// velocity_with_kicks() of a node of a rigid body, and @p with_events what is pending of these.
template <int spacedim>
typename Stepper<spacedim>::Vector
Stepper<spacedim>::velocity_of_rigid(const unsigned int node, const double time,
                                     const bool with_events) const
{
  const RigidBodies<spacedim> &bodies = nodes.rigid_bodies;
  const unsigned int body = bodies.body_of(node);
  RigidMotion motion = bodies.motion(body);
  motion.advance(time - bodies.time_of(body));
  const auto add = [&](const unsigned int other, const Vector &impulse)
  {
    if (bodies.body_of(other) != body)
      return;
    const auto p = in_space<spacedim>(impulse);
    motion.add_impulse(p, dealii::cross_product_3d(bodies.arm(nodes, other, time, motion), p));
  };
  for_each_pending_kick(bodies.nodes_of(body), time, add);
  if (with_events && has_events())
    events->pending_impulses(time, add);
  return from_space<spacedim>(motion.velocity_at(bodies.arm(nodes, node, time, motion)));
}

template <int spacedim>
std::vector<typename Stepper<spacedim>::Vector>
Stepper<spacedim>::forces_on(const std::vector<unsigned int> &wanted, const double time) const
{
  std::vector<Vector> result(wanted.size()), forces;
  std::unordered_map<unsigned int, unsigned int> index;
  for (unsigned int i = 0; i < wanted.size(); ++i)
    index[wanted[i]] = i;
  const std::vector<unsigned int> ids = given_ids(wanted);
  for (const unsigned int node : wanted)
    AssertThrow(!distribution || distribution->is_everybodys(node), ExcForcesDivided(node));
  const auto add = [&](const Kicks<spacedim> &kicks, const unsigned int k)
  {
    const auto support = kicks.support(k);
    kicks.checked_force(nodes, k, time, support.size(), forces);
    for (unsigned int i = 0; i < support.size(); ++i)
    {
      const auto found = index.find(support[i]);
      if (found != index.end())
        result[found->second] += forces[i];
    }
  };
  for (const unsigned int id : ids)
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
  if (boundaries)
    result.push_back(
        {"class boundaries", KickKind::sweep, boundaries->count(), time_of_boundaries});
  return result;
}

template <int spacedim>
unsigned int
Stepper<spacedim>::n_sweeps() const
{
  AssertThrow(started, ExcNotStarted("Stepper::n_sweeps()"));
  return boundaries ? boundaries->n_sweeps() : 0;
}

template <int spacedim>
double
Stepper<spacedim>::sweep_rate() const
{
  AssertThrow(started, ExcNotStarted("Stepper::sweep_rate()"));
  return boundaries ? boundaries->rate_of_kicks(nodes, time_levels) : 0.;
}

template <int spacedim>
Division
Stepper<spacedim>::divide_in_thought(const unsigned int n_ranks) const
{
  AssertThrow(started, ExcNotStarted("Stepper::divide_in_thought()"));
  AssertThrow(time_levels.has_classes(), ExcOneProcess("a clock per cell"));
  return KickDrift::divide_in_thought(nodes, families, time_levels, n_ranks, nodes_of_events());
}

template <int spacedim>
KickLoad
Stepper<spacedim>::kick_load() const
{
  AssertThrow(started, ExcNotStarted("Stepper::kick_load()"));
  AssertThrow(time_levels.has_classes(), ExcOneProcess("a clock per cell"));
  if (!distribution)
    return KickDrift::kick_load(families, time_levels,
                                NodeOwners(std::vector<unsigned int>(nodes.size(), 0)), 1);
  return KickDrift::kick_load(families, time_levels, distribution->node_owners(),
                              parameters.ranks->size());
}

template <int spacedim>
std::pair<NodeOwners, KickLoad>
Stepper<spacedim>::divide_anew() const
{
  AssertThrow(started, ExcNotStarted("Stepper::divide_anew()"));
  const unsigned int n_ranks = distribution ? parameters.ranks->size() : 1;
  NodeOwners owners = divide_nodes(nodes, families, time_levels, n_ranks, nodes_of_events());
  const KickLoad load = KickDrift::kick_load(families, time_levels, owners, n_ranks);
  return {std::move(owners), load};
}

template <int spacedim>
Holding
Stepper<spacedim>::holding() const
{
  AssertThrow(started, ExcNotStarted("Stepper::holding()"));
  if (distribution)
    return distribution->holding(time_levels);
  Holding result;
  for (unsigned int f = 0; f < families.size(); ++f)
    for (unsigned int k = 0; k < families[f].kicks->n_kicks(); ++k)
      result.kicks += families[f].is_given(k);
  return result;
}

template <int spacedim>
std::optional<unsigned int>
Stepper<spacedim>::first_holder(const unsigned int id) const
{
  AssertThrow(started, ExcNotStarted("Stepper::first_holder()"));
  const unsigned int holder = distribution ? distribution->first_holder(id) : 0;
  return holder == NodeOwners::everybody ? std::optional<unsigned int>() : holder;
}

template class Stepper<2>;
template class Stepper<3>;
} // namespace KickDrift
