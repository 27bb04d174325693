// SPDX-License-Identifier: LGPL-2.1-or-later
// Impacts of rigid bodies, at their own times.

#include <kickdrift/contact/impulses/impulse_contact.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace KickDrift
{
namespace
{
// what is left of a flight after an impact is longer than so many roundings of gaps, so that these
// do not matter for the velocities at its end
constexpr double shortest_way = 1e4;
} // namespace

template <int spacedim>
bool
ImpulseContact<spacedim>::waits(const Contact &contact, const double time)
{
  if (!(time > 0) || answered.count(pair_of(contact)) > 0)
    return false;
  // obstacles that move are not where the chord of their way is; what is held of an elastic body
  // may be kicked at other times than the rest of it
  bool is_rigid = contact.key.kind != ContactKind::point_on_obstacle ||
                  !obstacles[contact.key.second].displacement;
  in_flight->for_each_node(contact.key, [&](const unsigned int place)
                           { is_rigid = is_rigid && nodes.is_rigid(facets.nodes()[place]); });
  if (!is_rigid)
    return false;
  Contact met = contact;
  geometry->meet(met, time);
  for (unsigned int i = 0; i < met.stencil.n_nodes; ++i)
    nodes.drift(met.stencil.nodes[i], flights->instant());
  set_target_velocity(met);
  const double rate = normal_rate(met), by_kicks = met.stencil.normal * kicks(met.stencil);
  // what approaches because of the kicks of this instant rests, or nearly so
  return by_kicks - rate > std::abs(by_kicks) &&
         -(contact.duration - time) * rate > shortest_way * in_flight->rounding;
}

template <int spacedim>
std::set<unsigned int>
ImpulseContact<spacedim>::bodies_of(const std::vector<unsigned int> &places) const
{
  std::set<unsigned int> bodies;
  for (const unsigned int place : places)
    bodies.insert(proximity->body_of(place));
  return bodies;
}

template <int spacedim>
void
ImpulseContact<spacedim>::forget_arrivals(const std::vector<unsigned int> &places)
{
  if (arrivals.empty())
    return;
  const std::set<unsigned int> bodies = bodies_of(places);
  for (auto arrival = arrivals.begin(); arrival != arrivals.end();)
    arrival = bodies.count(arrival->first.first) > 0 || bodies.count(arrival->first.second) > 0
                  ? arrivals.erase(arrival)
                  : std::next(arrival);
}

template <int spacedim>
void
ImpulseContact<spacedim>::take_arrivals()
{
  arriving.clear();
  kicked_bodies.clear();
  pending_motions.clear();
  if (arrivals.empty() && answered.empty())
    return;
  kicked_bodies = bodies_of(to_look);
  for (auto pair = answered.begin(); pair != answered.end();)
    pair = kicked_bodies.count(pair->first) > 0 || kicked_bodies.count(pair->second) > 0
               ? answered.erase(pair)
               : std::next(pair);
  for (auto arrival = arrivals.begin(); arrival != arrivals.end();)
  {
    const auto [pair, time] = *arrival;
    if (time > flights->instant())
    {
      ++arrival;
      continue;
    }
    arrival = arrivals.erase(arrival);
    arriving.insert(pair);
    answered.insert(pair);
    for (const unsigned int body : {pair.first, pair.second})
      if (body < contact_surface.body_names.size())
      {
        const auto &places = proximity->places_of(body);
        to_look.insert(to_look.end(), places.begin(), places.end());
      }
  }
}

/// Found once for each rigid body, from some of its nodes: that of one takes all kicks on the body.
template <int spacedim>
typename ImpulseContact<spacedim>::Vector
ImpulseContact<spacedim>::pending_velocity(const unsigned int node)
{
  const unsigned int body = nodes.rigid_bodies.body_of(node);
  if (body == RigidBodies<spacedim>::none)
    return {};
  auto found = pending_motions.find(body);
  if (found == pending_motions.end())
  {
    const std::vector<unsigned int> &own = nodes.rigid_bodies.nodes_of(body);
    std::vector<unsigned int> some;
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      const auto ends =
          std::minmax_element(own.begin(), own.end(),
                              [&](const unsigned int one, const unsigned int other)
                              {
                                return nodes.position_at(one, flights->instant())[d] <
                                       nodes.position_at(other, flights->instant())[d];
                              });
      some.insert(some.end(), {*ends.first, *ends.second});
    }
    for (unsigned int i = 0; i < 4; ++i)
      some.push_back(own[(2 * i + 1) * (own.size() - 1) / 8]);
    std::vector<dealii::Point<spacedim>> places;
    std::vector<Vector> velocities;
    for (const unsigned int one : some)
    {
      places.push_back(nodes.position_at(one, flights->instant()));
      velocities.push_back(stepper.synchronised_velocity(one, flights->instant()) -
                           nodes.momentary_velocity(one));
    }
    const CoMovingFrame<spacedim> motion(places, velocities, flights->instant());
    found = pending_motions.emplace(body, motion).first;
  }
  return found->second.velocity_of(nodes.position_at(node, flights->instant()));
}

template <int spacedim>
void
ImpulseContact<spacedim>::prepare_impact(Contact &contact)
{
  // what is kicked at this instant has the kick behind it, as always
  if (kicked_bodies.count(contact.body) == 0 && kicked_bodies.count(contact.target) == 0)
    contact.pending = contact.stencil.difference([this](const unsigned int node)
                                                 { return pending_velocity(node); });
  // What would meet in the same flight stops where it is: a body that would close small gaps
  // instead would turn, and leave with that spin.
  contact.is_impact = contact.is_new && arrives(contact);
  if (contact.is_impact)
    contact.counted = contact.stencil.normal * contact.pending;
}

template <int spacedim>
void
ImpulseContact<spacedim>::mark_hit()
{
  std::set<unsigned int> moving;
  for (bool grows = !arriving.empty(); grows;)
  {
    grows = false;
    for (Contact &contact : contacts.list)
    {
      if (contact.is_hit || !contact.is_rigid || !(contact.impulse > 0))
        continue;
      std::vector<unsigned int> own;
      bool shares = false;
      for_each_moving(contact.key,
                      [&](const unsigned int one, const bool is_held, const unsigned int)
                      {
                        if (is_held)
                          return;
                        own.push_back(one);
                        shares = shares || moving.count(one) > 0;
                      });
      if (!shares && !arrives(contact))
        continue;
      contact.is_hit = grows = true;
      moving.insert(own.begin(), own.end());
    }
  }
}

template bool ImpulseContact<2>::waits(const Contact &, double);
template bool ImpulseContact<3>::waits(const Contact &, double);
template void ImpulseContact<2>::forget_arrivals(const std::vector<unsigned int> &);
template void ImpulseContact<3>::forget_arrivals(const std::vector<unsigned int> &);
template void ImpulseContact<2>::take_arrivals();
template void ImpulseContact<3>::take_arrivals();
template std::set<unsigned int>
ImpulseContact<2>::bodies_of(const std::vector<unsigned int> &) const;
template std::set<unsigned int>
ImpulseContact<3>::bodies_of(const std::vector<unsigned int> &) const;
template void ImpulseContact<2>::prepare_impact(Contact &);
template void ImpulseContact<3>::prepare_impact(Contact &);
template void ImpulseContact<2>::mark_hit();
template void ImpulseContact<3>::mark_hit();
} // namespace KickDrift
