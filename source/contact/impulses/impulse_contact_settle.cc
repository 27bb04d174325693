// SPDX-License-Identifier: LGPL-2.1-or-later
#include <kickdrift/contact/impulses/impulse_contact.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace
{
constexpr unsigned int most_rounds = 60;
// from this round on new contacts keep the planes where they were met
constexpr unsigned int frozen_from = 15;
// of the same contacts, before new ones are looked for; how often it may get no better, which is to
// say smaller by this
constexpr unsigned int most_solves = 8, patience = 2;
constexpr double progress = 0.5;
// slips count less than gaps: nothing crosses by them
constexpr double share_of_slip = 1e-3;
// how often a new contact may get another plane before it keeps to planes
constexpr unsigned int most_planes = 3;
// what a solution may leave: of the rounding of lengths, and of what was to be solved, since the
// geometry at the end changes with it anyway
constexpr double share_of_rounding = 0.1, share_of_residual = 1e-6;
} // namespace

template <int spacedim>
void
ImpulseContact<spacedim>::find_active()
{
  if (records.empty())
    return;
  std::vector<char> moves(facets.nodes().size() + nodes.rigid_bodies.size(), 0);
  std::vector<char> is_kicked(facets.nodes().size(), 0);
  for (const unsigned int place : to_look)
  {
    is_kicked[place] = 1;
    const unsigned int body = nodes.rigid_bodies.body_of(facets.nodes()[place]);
    if (body != RigidBodies<spacedim>::none)
      moves[facets.nodes().size() + body] = 1;
  }
  const auto move = [&](const unsigned int one, const bool is_held, const unsigned int)
  { moves[one] = moves[one] || !is_held; };
  for (const Contact &contact : contacts.list)
    for_each_moving(contact.key, move);
  std::vector<char> is_active(records.size(), 0);
  for (bool grows = true; grows;)
  {
    grows = false;
    for (unsigned int r = 0; r < records.size(); ++r)
    {
      if (is_active[r])
        continue;
      bool is_due = false;
      for_each_moving(records[r].key,
                      [&](const unsigned int one, const bool, const unsigned int place)
                      { is_due = is_due || moves[one] || is_kicked[place]; });
      if (!is_due)
        continue;
      is_active[r] = grows = true;
      for_each_moving(records[r].key, move);
    }
  }
  std::vector<ContactRecord<spacedim>> others;
  for (unsigned int r = 0; r < records.size(); ++r)
    if (is_active[r])
      add_present(records[r]);
    else
      others.push_back(records[r]);
  records = std::move(others);
  for (Contact &contact : contacts.list)
    if (!contact.is_prepared)
      prepare(contact);
}

template <int spacedim>
void
ImpulseContact<spacedim>::add_present(const ContactRecord<spacedim> &record)
{
  Contact contact;
  static_cast<ContactRecord<spacedim> &>(contact) = record;
  const double duration = in_flight->duration_of(record.key);
  contact.expected = record.is_closed ? record.force * duration : 0.;
  contact.is_under_way =
      record.is_closed && record.until - flights->instant() > time_rounding * duration;
  if (!geometry->find_present(contact))
  {
    if (contact.is_under_way)
    {
      // it has an impulse already with which it closes at the end of its flight
      static_cast<ContactRecord<spacedim> &>(contact) = record;
      contact.is_new = true;
      geometry->meet(contact, duration);
    }
    else if (contact.kept > 0 && contact.compression > 0 && contact.stencil.n_nodes > 0)
      contact.is_leaving = true;
    else
    {
      drop(contact);
      return;
    }
  }
  if (Contact *const same = contacts.find(contact.key))
  {
    if (same->is_new)
    {
      *same = contact;
      return;
    }
    books.lasting.release(contact.memory.lasting);
    same->kept += contact.kept;
    same->compression += contact.compression;
    same->is_leaving = same->is_leaving && contact.is_leaving;
    same->is_closed = same->is_closed || contact.is_closed;
    same->is_in_solver = false;
    return;
  }
  contacts.add(contact);
}

template <int spacedim>
void
ImpulseContact<spacedim>::prepare(Contact &contact)
{
  for (unsigned int i = 0; i < contact.stencil.n_nodes; ++i)
    nodes.drift(contact.stencil.nodes[i], flights->instant());
  contact.pair = &partners(contact.body, contact.target);
  contact.duration = in_flight->duration_of(contact.key);
  set_target_velocity(contact);
  damp(contact);
  if (contact.overlap > 0)
  {
    // the surface is let out as a moving obstacle would be
    const double begin = flights->instant(), end = begin + contact.duration;
    contact.least_gap = -contact.overlap * share_of_overlaps(end);
    contact.stencil.target_velocity += contact.overlap *
                                       (share_of_overlaps(begin) - share_of_overlaps(end)) /
                                       contact.duration * contact.stencil.normal;
  }
  geometry->find_masses(contact);
  if (contact.is_rigid && !arriving.empty())
    prepare_impact(contact);
  contact.kicks = kicks(contact.stencil);
  contact.is_prepared = true;
  contact.is_in_solver = false;
}

template <int spacedim>
void
ImpulseContact<spacedim>::set_target_velocity(Contact &contact)
{
  contact.stencil.target_velocity = Vector();
  if (contact.key.kind == ContactKind::point_on_obstacle)
    contact.stencil.target_velocity = (in_flight->shift_of(contact.key.second, contact.duration) -
                                       in_flight->shift_of(contact.key.second, 0)) /
                                      contact.duration;
}

/// What a contact keeps is energy of a vibration, of which damping takes its rate on the mean.
template <int spacedim>
void
ImpulseContact<spacedim>::damp(Contact &contact)
{
  const double now = flights->instant(),
               elapsed = std::min(now - contact.memory.last_answer, contact.duration);
  if (!(contact.kept > 0) || contact.body >= parameters.damping.size() ||
      !parameters.damping[contact.body] || !std::isfinite(elapsed))
    return;
  const double loss = -std::expm1(-parameters.damping[contact.body](now) * elapsed) * contact.kept;
  contact.kept -= loss;
  nodes.add_damping_loss(contact.stencil.nodes[0], loss);
}

template <int spacedim>
typename ImpulseContact<spacedim>::Vector
ImpulseContact<spacedim>::kicks(const ContactStencil<spacedim> &stencil)
{
  books.kicks(stencil);
  return stencil.difference(
      [this](const unsigned int node)
      {
        const unsigned int body = nodes.rigid_bodies.body_of(node);
        if (body == RigidBodies<spacedim>::none)
          return books.traces.increment(node);
        // a node of a body that turns changes its velocity without any kick
        const RigidMotion &motion = nodes.rigid_bodies.motion(body);
        const auto turn = motion.angular_change(motion.angular_momentum - momenta[body].angular);
        return from_space<spacedim>(
            (motion.momentum - momenta[body].linear) / motion.mass().mass +
            dealii::cross_product_3d(turn, nodes.rigid_bodies.arm(nodes, node)));
      });
}

template <int spacedim>
void
ImpulseContact<spacedim>::note_momenta()
{
  momenta.resize(nodes.rigid_bodies.size());
  for (unsigned int body = 0; body < momenta.size(); ++body)
  {
    const RigidMotion &motion = nodes.rigid_bodies.motion(body);
    momenta[body] = {motion.momentum, motion.angular_momentum};
  }
}

template <int spacedim>
bool
ImpulseContact<spacedim>::look(const bool all)
{
  const auto &changed = flights->changed();
  proximity->follow(changed);
  forget_arrivals(changed);
  to_look.insert(to_look.end(), changed.begin(), changed.end());
  keep_once(to_look);
  flights->clear_changed();
  auto result = search->find(to_look, contacts, all,
                             [this](const auto &...of_meeting) { return waits(of_meeting...); });
  for (const auto &arrival : result.arrivals)
  {
    const double time = flights->instant() + arrival.time;
    auto entry = arrivals.emplace(std::minmax(arrival.body, arrival.target), time).first;
    entry->second = std::min(entry->second, time);
  }
  books.stats.tests += search->n_tests;
  to_look = std::move(result.again);
  for (const Contact &met : result.met)
    contacts.add(met);
  const bool any_beyond = meet_beyond();
  if (!result.met.empty() || any_beyond)
    find_active();
  for (Contact &contact : contacts.list)
    if (!contact.is_prepared)
      prepare(contact);
  return any_beyond || result.any;
}

template <int spacedim>
bool
ImpulseContact<spacedim>::meet_beyond()
{
  bool any = false;
  for (std::size_t i = 0, n = contacts.list.size(); i < n; ++i)
  {
    const unsigned int facet = contacts.list[i].facet_beyond;
    if (facet == Facets<spacedim>::none || contacts.list[i].key.kind != ContactKind::point_on_facet)
      continue;
    Contact met;
    met.key = {ContactKind::point_on_facet, contacts.list[i].key.first, facet};
    if (contacts.find(met.key))
      continue;
    met.body = contacts.list[i].body;
    met.target = contacts.list[i].target;
    met.duration = contacts.list[i].duration;
    if (geometry->walked_gap(met) >= -in_flight->rounding)
      continue;
    met.is_new = true;
    geometry->meet(met, 0);
    contacts.add(met);
    any = true;
  }
  return any;
}

template <int spacedim>
bool
ImpulseContact<spacedim>::settle()
{
  bool keep_planes = false;
  for (unsigned int round = 0; round < most_rounds; ++round)
  {
    // first those that are known: a flight without support sinks, and meets seams that are not
    // there
    const bool solved = contacts.list.empty() || solve_as_flown();
    for (Contact &contact : contacts.list)
      if (contact.is_new && keep_planes && (spacedim == 2 || contact.is_off_end))
        contact.is_frozen = true;
    if (!look(false) && (solved || keep_planes))
      return solved;
    keep_planes = keep_planes || !solved || round > frozen_from;
  }
  return false;
}

template <int spacedim>
bool
ImpulseContact<spacedim>::solve_as_flown()
{
  double last = std::numeric_limits<double>::infinity();
  measure();
  for (unsigned int i = 0, n_stalled = 0; i < most_solves && n_stalled < patience; ++i)
  {
    solve();
    measure();
    const double left = residual();
    if (left <= 1)
      return true;
    n_stalled = left < progress * last ? 0 : n_stalled + 1;
    last = std::min(last, left);
  }
  return false;
}

template <int spacedim>
void
ImpulseContact<spacedim>::measure()
{
  for (Contact &contact : contacts.list)
    if (contact.inverse_mass > 0)
    {
      geometry->measure(contact);
      if (!contact.is_impact)
        continue;
      const double by_rate =
          contact.least_gap + contact.duration * (normal_rate(contact) + contact.counted);
      contact.end_gap = contact.closes ? std::min(by_rate, contact.end_gap) : by_rate;
    }
}

template <int spacedim>
void
ImpulseContact<spacedim>::fly()
{
  flights->take_back();
  for (const Contact &contact : contacts.list)
    if (contact.impulse != 0 || contact.tangential != Vector())
      flights->give(contact.stencil, contact.total());
}

template <int spacedim>
void
ImpulseContact<spacedim>::solve()
{
  double residual = 0; // [length]
  bool all_in_solver = true;
  std::vector<Contact *> solved;
  for (Contact &contact : contacts.list)
    if (contact.inverse_mass > 0)
    {
      const double gap = contact.end_gap - contact.least_gap;
      if (!contact.is_leaving)
        residual = std::max(residual, contact.impulse > contact.least ? std::abs(gap) : -gap);
      all_in_solver = all_in_solver && contact.is_in_solver;
      solved.push_back(&contact);
    }
  const double tolerance =
      std::max(share_of_rounding * in_flight->rounding, share_of_residual * residual);
  const double slip_tolerance =
      std::max(share_of_rounding * in_flight->rounding / share_of_slip, tolerance);
  all_in_solver = all_in_solver && solver.size() == solved.size();
  if (all_in_solver)
    solver.restart();
  else
    solver.clear();
  for (unsigned int c = 0; c < solved.size(); ++c)
  {
    Contact &contact = *solved[c];
    // rates over the flight that lead to the gap and slip at its end
    ContactStencil<spacedim> stencil = contact.stencil;
    stencil.target_velocity = Vector();
    stencil.target_velocity =
        flights->relative_velocity(stencil) -
        ((contact.end_gap - contact.least_gap) * contact.stencil.normal + contact.end_slip) /
            contact.duration;
    if (all_in_solver)
      solver.set_target(c, stencil.target_velocity, tolerance / contact.duration,
                        slip_tolerance / contact.duration);
    else
      solver.add(stencil, {contact.inverse_mass, contact.tangential_inverse_mass,
                           contact.is_leaving ? 0. : contact.pair->friction,
                           tolerance / contact.duration, slip_tolerance / contact.duration});
    contact.is_in_solver = true;
  }
  for (unsigned int c = 0; c < solved.size(); ++c)
  {
    const Contact &contact = *solved[c];
    if (contact.least > 0)
      solver.set_least(c, contact.least);
    solver.set_wanted(c, contact.is_leaving ? -std::numeric_limits<double>::infinity() : 0.);
    solver.set_start(c, contact.is_leaving ? 0. : contact.expected, contact.tangential);
  }
  solver.find_impulses();
  for (unsigned int c = 0; c < solved.size(); ++c)
  {
    Contact &contact = *solved[c];
    contact.impulse = contact.expected = solver.normal_impulse(c);
    contact.tangential = solver.tangential_impulse(c);
    contact.sticks = solver.sticks(c);
    if (contact.n_planes < most_planes)
      contact.by_plane = false;
  }
  fly();
}

template <int spacedim>
double
ImpulseContact<spacedim>::residual()
{
  double result = 0; // [length]
  for (Contact &contact : contacts.list)
  {
    if (contact.is_leaving || !(contact.inverse_mass > 0))
      continue;
    const double gap = contact.end_gap - contact.least_gap;
    result = std::max(result, contact.impulse > contact.least ? std::abs(gap) : -gap);
    if (!(contact.pair->friction > 0) || (!(contact.impulse > 0) && contact.tangential == Vector()))
      continue;
    const double weight = contact.duration * contact.tangential_inverse_mass;
    if (!(weight > 0))
      continue;
    Vector tangential = contact.tangential - contact.end_slip / weight;
    ImpulseSolver<spacedim>::limit(contact.impulse, contact.pair->friction, tangential);
    result = std::max(result, share_of_slip * (tangential - contact.tangential).norm() * weight);
  }
  return result / in_flight->rounding;
}

template bool ImpulseContact<2>::settle();
template bool ImpulseContact<3>::settle();
template bool ImpulseContact<2>::look(bool);
template bool ImpulseContact<3>::look(bool);
template void ImpulseContact<2>::note_momenta();
template void ImpulseContact<3>::note_momenta();
template void ImpulseContact<2>::fly();
template void ImpulseContact<3>::fly();
template void ImpulseContact<2>::find_active();
template void ImpulseContact<3>::find_active();
template void ImpulseContact<2>::set_target_velocity(Contact &);
template void ImpulseContact<3>::set_target_velocity(Contact &);
template ImpulseContact<2>::Vector ImpulseContact<2>::kicks(const ContactStencil<2> &);
template ImpulseContact<3>::Vector ImpulseContact<3>::kicks(const ContactStencil<3> &);
} // namespace KickDrift
