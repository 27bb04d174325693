// SPDX-License-Identifier: LGPL-2.1-or-later
#include <kickdrift/contact/impulses/impulse_contact.h>
#include <kickdrift/contact/surface/partner_names.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace KickDrift
{
template <int spacedim>
double
ImpulseContact<spacedim>::normal_rate(const Contact &contact) const
{
  return contact.stencil.normal * flights->relative_velocity(contact.stencil);
}

template <int spacedim>
typename ImpulseContact<spacedim>::Vector
ImpulseContact<spacedim>::kicked_velocity(const Contact &contact) const
{
  return contact.stencil.relative_velocity([this](const unsigned int node)
                                           { return nodes.momentary_velocity(node); });
}

template <int spacedim>
double
ImpulseContact<spacedim>::normal_rate_before(const Contact &contact) const
{
  return contact.stencil.normal * (kicked_velocity(contact) - contact.kicks);
}

template <int spacedim>
double
ImpulseContact<spacedim>::work(const Contact &contact) const
{
  const Vector twice_mean = kicked_velocity(contact) - contact.kicks +
                            flights->relative_velocity(contact.stencil) + 2 * contact.pending;
  return 0.5 * (contact.total() * twice_mean);
}

template <int spacedim>
double
ImpulseContact<spacedim>::work() const
{
  double sum = 0;
  for (const Contact &contact : contacts.list)
    sum += work(contact);
  return sum;
}

template <int spacedim>
void
ImpulseContact<spacedim>::book(Contact &contact)
{
  auto &stats = books.stats;
  if (contact.impulse == 0 && contact.tangential == Vector())
    return;
  const double whole = work(contact);
  const double normal_work =
      contact.impulse * (0.5 * (normal_rate_before(contact) + normal_rate(contact)) +
                         contact.stencil.normal * contact.pending);
  const double friction_work = contact.tangential == Vector() ? 0. : whole - normal_work;
  // where the normal impulse turns the slip round, friction gives back a little of what it takes;
  // where surfaces turn, the normal part gives a little that friction has taken
  contact.kept -= normal_work + std::max(0., friction_work);
  if (!contact.is_opening || !contact.is_rigid)
    contact.compression += contact.impulse - contact.least;
  const double by_friction = std::max(0., -friction_work);
  const double given = std::min(by_friction, std::max(0., -contact.kept));
  contact.kept += given;
  stats.friction_loss += by_friction - given;

  ContactPoint<spacedim> point;
  point.body = contact.body;
  point.target = contact.target;
  point.stencil = contact.stencil;
  FrictionalImpulse<spacedim> impulse;
  impulse.normal = contact.impulse;
  impulse.tangential = contact.tangential;
  impulse.sticks = contact.sticks;
  impulse.friction_loss = by_friction - given;
  const double since = flights->instant() - contact.memory.last_answer;
  const bool continues =
      since <= (1 + time_rounding) * books.traces.interval(contact.stencil.nodes[0]);
  books.book(contact.memory, point, impulse,
             {!contact.is_opening, continues, contact.duration, false});
}

template <int spacedim>
void
ImpulseContact<spacedim>::share_debts()
{
  // all together never give more than they have: friction that one gives back others have taken
  const auto touch = [](const Contact &a, const Contact &b)
  { return a.body == b.body || a.body == b.target || a.target == b.body || a.target == b.target; };
  for (const bool only_beside : {true, false})
    for (Contact &debtor : contacts.list)
      for (Contact &other : contacts.list)
      {
        if (!(debtor.kept < 0) || !(other.kept > 0) || (only_beside && !touch(debtor, other)))
          continue;
        const double share = std::min(other.kept, -debtor.kept);
        other.kept -= share;
        debtor.kept += share;
      }
}

template <int spacedim>
void
ImpulseContact<spacedim>::apply()
{
  std::sort(contacts.list.begin(), contacts.list.end(),
            [](const Contact &a, const Contact &b) { return a.key < b.key; });
  std::set<unsigned int> moved; // nodes; of rigid bodies one each
  std::vector<char> is_moved(nodes.rigid_bodies.size(), 0);
  for (const Contact &contact : contacts.list)
  {
    if (contact.impulse == 0 && contact.tangential == Vector())
      continue;
    const auto &stencil = contact.stencil;
    for (unsigned int i = 0; i < stencil.n_nodes; ++i)
    {
      const unsigned int node = stencil.nodes[i];
      const Vector share = stencil.share(i, contact.impulse, contact.tangential);
      const unsigned int body = nodes.rigid_bodies.body_of(node);
      if (body == RigidBodies<spacedim>::none)
      {
        nodes.apply_impulse(node, share);
        moved.insert(node);
        continue;
      }
      nodes.add_rigid_impulse(node, share);
      if (!is_moved[body])
        moved.insert(node);
      is_moved[body] = 1;
    }
  }
  for (unsigned int body = 0; body < is_moved.size(); ++body)
    if (is_moved[body])
      nodes.rigid_bodies.fly(nodes, body);
  for (const unsigned int node : moved)
    books.leave_instant(node, [](const dealii::ArrayView<const unsigned int> &) {});
}

template <int spacedim>
void
ImpulseContact<spacedim>::promote(Contact &contact)
{
  contact.memory.zone_class = zones.promote(contact.stencil, zone_periods(), true);
}

template <int spacedim>
void
ImpulseContact<spacedim>::keep_records()
{
  for (Contact &contact : contacts.list)
  {
    if (contact.is_opening)
    {
      // what it could not give back in one go is given back by others of the two that still touch
      const double e = contact.pair->restitution;
      const double left = contact.kept - (1 - e * e) * contact.kept_at_opening;
      const double rest = std::max(0., std::min(left, contact.kept));
      books.stats.restitution_loss += contact.kept - rest;
      contact.kept = rest;
      pool_from(contact);
      contact.kept = 0;
    }
    if (contact.is_leaving)
    {
      drop(contact);
      continue;
    }
    const double touches = 10 * in_flight->rounding;
    const double gap = geometry->walked_gap(contact);
    if (!contact.is_under_way)
      contact.n_closed = contact.impulse > 0 && contact.least == 0 ? contact.n_closed + 1 : 0;
    contact.force = contact.impulse / contact.duration;
    contact.until = flights->instant() + contact.duration;
    contact.is_closed = contact.impulse > 0 || (contact.is_closed && !(gap > touches));
    // another event may end the flight early, and what is behind now would be left there
    const bool is_kept = contact.overlap > 0 || contact.impulse > 0 || !(gap > touches) ||
                         !contact.is_in_front || (contact.kept > 0 && contact.compression > 0);
    if (!is_kept)
    {
      drop(contact);
      continue;
    }
    if (has_zones)
      promote(contact);
    if (contact.impulse == 0 && !contact.is_closed)
      contact.memory.status = ContactStatus::open;
    records.push_back(contact);
  }
  std::sort(records.begin(), records.end(),
            [](const auto &a, const auto &b) { return a.key < b.key; });
  share_pool();
}

template <int spacedim>
void
ImpulseContact<spacedim>::drop(ContactRecord<spacedim> &contact)
{
  pool_from(contact);
  if (contact.overlap > 0)
    in_flight->inside.erase({contact.key.first, contact.target});
  books.lasting.release(contact.memory.lasting);
}

template <int spacedim>
void
ImpulseContact<spacedim>::pool_from(const ContactRecord<spacedim> &contact)
{
  if (contact.kept == 0)
    return;
  Pooled &pooled = pool[pair_of(contact)];
  pooled.energy += contact.kept;
  pooled.borne += contact.compression;
}

template <int spacedim>
void
ImpulseContact<spacedim>::share_pool()
{
  // of bodies that are answered now, so that nothing depends on what happens elsewhere
  std::map<BodyPair, double> borne;
  for (const Contact &contact : contacts.list)
    borne[pair_of(contact)] = 0;
  std::set<BodyPair> touching;
  const auto bears = [](const ContactRecord<spacedim> &record)
  { return record.is_closed ? std::max(0., record.compression) : 0.; };
  for (const ContactRecord<spacedim> &record : records)
  {
    touching.insert(pair_of(record));
    if (const auto of_two = borne.find(pair_of(record)); of_two != borne.end())
      of_two->second += bears(record);
  }
  for (ContactRecord<spacedim> &record : records)
  {
    const auto entry = pool.find(pair_of(record));
    const auto of_two = borne.find(pair_of(record));
    // one that bears next to nothing gets next to nothing, even if it is the last one
    if (entry != pool.end() && of_two != borne.end() && bears(record) > 0)
      record.kept += entry->second.energy * bears(record) / (of_two->second + entry->second.borne);
  }
  for (auto entry = pool.begin(); entry != pool.end();)
  {
    Pooled &pooled = entry->second;
    const auto of_two = borne.find(entry->first);
    if (touching.count(entry->first) == 0 && flights->instant() > entry->second.stays_until)
    {
      books.stats.restitution_loss += pooled.energy;
      pooled.energy = 0;
    }
    else if (of_two != borne.end() && of_two->second > 0)
      pooled.energy *= pooled.borne / (of_two->second + pooled.borne);
    entry = pooled.energy == 0 ? pool.erase(entry) : std::next(entry);
  }
  double kept = 0;
  for (const ContactRecord<spacedim> &record : records)
    kept += record.kept;
  for (const auto &[pair, pooled] : pool)
    kept += pooled.energy;
  books.stats.contact_energy = kept;
}

template <int spacedim>
std::vector<StoredContactEnergy>
ImpulseContact<spacedim>::stored_energies() const
{
  std::map<BodyPair, Pooled> of_pairs = pool;
  for (const ContactRecord<spacedim> &record : records)
  {
    Pooled &pooled = of_pairs[pair_of(record)];
    pooled.energy += record.kept;
    pooled.borne += record.is_closed ? std::max(0., record.compression) : 0.;
  }
  const auto names = partner_names(contact_surface, obstacles);
  std::vector<StoredContactEnergy> result;
  for (const auto &[pair, pooled] : of_pairs)
    if (pooled.energy > 0)
      result.push_back({names[pair.first], names[pair.second], pooled.energy, pooled.borne});
  return result;
}

template <int spacedim>
double
ImpulseContact<spacedim>::longest_step_of(const BodyPair &pair) const
{
  double longest = 0;
  for (const auto &contactor : contact_surface.contactors)
    if (contactor.body == pair.first || contactor.body == pair.second)
      for (const unsigned int node : contactor.node_view())
        for (const unsigned int id : stepper.supports().kicks_of_node(node))
          longest = std::max(longest, stepper.levels().natural_step(id));
  return longest;
}

template <int spacedim>
void
ImpulseContact<spacedim>::set_stored_energies(const std::vector<StoredContactEnergy> &stored)
{
  const auto names = partner_names(contact_surface, obstacles);
  const auto number = [&](const std::string &name)
  { return std::find(names.begin(), names.end(), name) - names.begin(); };
  for (const StoredContactEnergy &of_pair : stored)
  {
    const unsigned int first = number(of_pair.first), second = number(of_pair.second);
    if (std::max(first, second) == names.size())
      continue;
    const BodyPair pair(std::min(first, second), std::max(first, second));
    Pooled &pooled = pool[pair];
    pooled.energy += of_pair.energy;
    pooled.borne += of_pair.impulse;
    // all of their nodes have been kicked by then, and who touches has been found
    pooled.stays_until = stepper.time() + longest_step_of(pair);
    books.stats.contact_energy += of_pair.energy;
  }
}

template void ImpulseContact<2>::book(Contact &);
template void ImpulseContact<3>::book(Contact &);
template std::vector<StoredContactEnergy> ImpulseContact<2>::stored_energies() const;
template std::vector<StoredContactEnergy> ImpulseContact<3>::stored_energies() const;
template double ImpulseContact<2>::longest_step_of(const BodyPair &) const;
template double ImpulseContact<3>::longest_step_of(const BodyPair &) const;
template void ImpulseContact<2>::set_stored_energies(const std::vector<StoredContactEnergy> &);
template void ImpulseContact<3>::set_stored_energies(const std::vector<StoredContactEnergy> &);
template void ImpulseContact<2>::share_debts();
template void ImpulseContact<3>::share_debts();
template void ImpulseContact<2>::apply();
template void ImpulseContact<3>::apply();
template void ImpulseContact<2>::drop(ContactRecord<2> &);
template void ImpulseContact<3>::drop(ContactRecord<3> &);
template void ImpulseContact<2>::pool_from(const ContactRecord<2> &);
template void ImpulseContact<3>::pool_from(const ContactRecord<3> &);
template void ImpulseContact<2>::keep_records();
template void ImpulseContact<3>::keep_records();
template double ImpulseContact<2>::normal_rate(const Contact &) const;
template double ImpulseContact<3>::normal_rate(const Contact &) const;
template ImpulseContact<2>::Vector ImpulseContact<2>::kicked_velocity(const Contact &) const;
template ImpulseContact<3>::Vector ImpulseContact<3>::kicked_velocity(const Contact &) const;
template double ImpulseContact<2>::normal_rate_before(const Contact &) const;
template double ImpulseContact<3>::normal_rate_before(const Contact &) const;
template double ImpulseContact<2>::work() const;
template double ImpulseContact<3>::work() const;
template double ImpulseContact<2>::work(const Contact &) const;
template double ImpulseContact<3>::work(const Contact &) const;
} // namespace KickDrift
