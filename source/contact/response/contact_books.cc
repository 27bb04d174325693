// SPDX-License-Identifier: LGPL-2.1-or-later
#include <kickdrift/base/archive.h>
#include <kickdrift/contact/response/contact_books.h>

namespace KickDrift
{
namespace
{
constexpr double time_round_off = 1e-9;
}

template <int spacedim>
ContactBooks<spacedim>::ContactBooks(NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper,
                                     ContactPairs<spacedim> &partners)
    : traces(nodes), nodes(nodes), stepper(stepper), partners(partners)
{
}

template <int spacedim>
void
ContactBooks<spacedim>::start(const std::vector<unsigned int> &on_surface)
{
  stats.impulse.assign(nodes.size(), Vector());
  stats.friction_impulse.assign(nodes.size(), Vector());
  surface_of_rigid.assign(nodes.rigid_bodies.size(), {});
  for (const unsigned int node : on_surface)
    if (nodes.is_rigid(node))
      surface_of_rigid[nodes.rigid_bodies.body_of(node)].push_back(node);
}

template <int spacedim>
ContactPair<spacedim> &
ContactBooks<spacedim>::pair_of(const unsigned int body, const unsigned int target)
{
  if (last_pair.pair == nullptr || last_pair.body != body || last_pair.target != target)
    last_pair = {body, target, &partners(body, target)};
  return *last_pair.pair;
}

template <int spacedim>
double
ContactBooks<spacedim>::common_step(const unsigned int node) const
{
  const TimeLevels &levels = stepper.levels();
  const auto ids = stepper.supports().kicks_of_node(node);
  for (const unsigned int id : ids)
    if (levels.clock_of_kick(id) != levels.clock_of_kick(ids[0]))
      return 0;
  return ids.size() == 0 ? 0 : levels.step(ids[0]);
}

template <int spacedim>
dealii::Tensor<1, spacedim>
ContactBooks<spacedim>::kicks(const ContactStencil<spacedim> &stencil)
{
  for (unsigned int i = 0; i < stencil.n_nodes; ++i)
  {
    const unsigned int node = stencil.nodes[i];
    // who was not looked at just before the kicks
    if (traces.enter_instant(node, instant) && !nodes.is_rigid(node) &&
        traces.interval(node) > (1 + time_round_off) * common_step(node))
      traces.set_increment(
          node, 2. * (nodes.momentary_velocity(node) - stepper.velocity_with_kicks(node, instant)));
  }
  return stencil.difference([&](const unsigned int node) { return traces.increment(node); });
}

template <int spacedim>
dealii::Tensor<1, spacedim>
ContactBooks<spacedim>::increment(const ContactStencil<spacedim> &stencil,
                                  const double longest) const
{
  return stencil.difference(
      [&](const unsigned int node)
      { return traces.interval(node) <= longest ? traces.increment(node) : Vector(); });
}

template <int spacedim>
void
ContactBooks<spacedim>::book(ContactHistory &memory, const ContactPoint<spacedim> &point,
                             const FrictionalImpulse<spacedim> &impulse,
                             const Continuation &continuation)
{
  const auto &stencil = point.stencil;
  const Vector total = impulse.total(stencil.normal);
  const double since = instant - memory.last_answer;
  if (continuation.may_last && since > 0)
    lasting.set(memory.lasting, {instant,
                                 continuation.continues ? since : continuation.period,
                                 point.body,
                                 point.target,
                                 stencil,
                                 {total, impulse.tangential},
                                 {},
                                 {},
                                 impulse.friction_loss,
                                 continuation.alternates});
  memory.last_answer = instant;
  memory.status = impulse.sticks ? ContactStatus::sticks : ContactStatus::slips;

  ++stats.collisions;
  for (unsigned int i = 0; i < stencil.n_nodes; ++i)
    stats.impulse[stencil.nodes[i]] += stencil.share(i, impulse.normal, impulse.tangential);
  if (impulse.tangential != Vector())
    for (unsigned int i = 0; i < stencil.n_nodes; ++i)
      stats.friction_impulse[stencil.nodes[i]] += stencil.coefficients[i] * impulse.tangential;
  ContactPair<spacedim> &pair = pair_of(point.body, point.target);
  ++pair.collisions;
  partners.book(pair, point.body, point.target, total);
  stats.obstacle_work += total * stencil.target_velocity;
}

template <int spacedim>
ContactStatistics<spacedim>
ContactBooks<spacedim>::synchronised_statistics(const double time) const
{
  ContactStatistics<spacedim> result = stats;
  lasting.add_pending(time, result);
  return result;
}

template <int spacedim>
ContactPairs<spacedim>
ContactBooks<spacedim>::synchronised_pairs(const double time) const
{
  ContactPairs<spacedim> result = partners;
  lasting.add_pending(time, result);
  return result;
}

template <int spacedim>
void
ContactBooks<spacedim>::pending_impulses(
    const double time, const typename EventSource<spacedim>::OnImpulse &on_impulse) const
{
  lasting.for_each_pending(
      time,
      [&](const LastingImpulse<spacedim> &impulse, const ContactorImpulse<spacedim> &pending)
      {
        const auto &stencil = impulse.stencil;
        for (unsigned int i = 0; i < stencil.n_nodes; ++i)
          on_impulse(stencil.nodes[i], stencil.coefficients[i] * pending.total);
      });
}

template <int spacedim>
void
ContactBooks<spacedim>::add_energy(const double time, EnergyBalance &balance) const
{
  balance.restitution_loss += stats.restitution_loss;
  balance.friction_loss += stats.friction_loss;
  balance.prescribed_work += stats.obstacle_work;
  balance.contact_energy += stats.contact_energy;
  lasting.add_pending(time, balance);
}

template <int spacedim>
void
ContactBooks<spacedim>::serialize(Archive &archive)
{
  archive(stats, traces, instant);
  last_pair.pair = nullptr; // pairs may have been read
  lasting.serialize(archive, nodes.size(), partners.names().size());
}

template class ContactBooks<2>;
template class ContactBooks<3>;
} // namespace KickDrift
