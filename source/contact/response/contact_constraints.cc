#include <kickdrift/base/limits.h>
#include <kickdrift/contact/response/contact_constraints.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace
{
// After an impact waves have to cross this many cells before it is known what presses the contact.
constexpr double impact_duration = 2;
// A contact opens if what it keeps would lift it for longer than waves need for this many cells.
constexpr double longest_flight = 8;
// And one that nothing presses, if the kicks will not close it again within this many periods.
constexpr double soon = 3.5;
// What is kept is given back while waves cross this many cells: all at once it would go into
// vibrations of the grid.
constexpr double give_back_duration = 5;
// Speeds below this share of that of an impact are rounding.
constexpr double speed_round_off = 1e-3;
// A time at which nothing is given back.
using Limits::never;
} // namespace

template <int spacedim>
ContactConstraints<spacedim>::ContactConstraints(NodeTable<spacedim> &nodes,
                                                 const Accuracy &accuracy)
    : nodes(nodes), solver(nodes, accuracy)
{
}

template <int spacedim>
double
ContactConstraints<spacedim>::gap_rate(const unsigned int c) const
{
  return contacts[c].stencil.normal * solver.relative_velocity(c);
}

template <int spacedim>
unsigned int
ContactConstraints<spacedim>::solve(const double instant, const double step_ratio)
{
  solver.clear();
  for (const Constraint &contact : contacts)
    solver.add(contact.stencil,
               {contact.inverse_mass, contact.tangential_inverse_mass, contact.pair->friction});
  for (unsigned int c = 0; c < contacts.size(); ++c)
  {
    Constraint &contact = contacts[c];
    contact.before = solver.relative_velocity(c) - contact.kicks;
    reverse_impact(contact);
    solver.set_wanted(c, contact.wanted);
  }
  const unsigned int n_unsolved = find_impulses(instant);
  for (unsigned int c = 0; c < contacts.size(); ++c)
    book(c);
  for (Constraint &contact : contacts)
    if (contact.impulse.normal > 0)
      contact.memory->given_at = never;
  for (unsigned int c = 0; c < contacts.size(); ++c)
  {
    Constraint &contact = contacts[c];
    if (contact.memory->energy > 0 && (contact.has_ended || opens(c, instant, step_ratio)))
      give_back(c, contact.has_ended ? 1 : share_to_give(contact, instant, step_ratio));
  }
  for (const Constraint &contact : contacts)
    contact.stencil.apply(nodes, contact.impulse.normal, contact.impulse.tangential);
  return n_unsolved;
}

/// Between rigid bodies there are no waves to wait for: Newton's law of impact holds at once, for
/// all contacts of a body together. What only kicks press does not bounce.
template <int spacedim>
void
ContactConstraints<spacedim>::reverse_impact(Constraint &contact) const
{
  if (!contact.is_rigid)
    return;
  const double rate = contact.stencil.normal * contact.before;
  if (rate < 0 && rate * contact.period < -contact.gap)
    contact.wanted = std::max(contact.wanted, -contact.pair->restitution * rate);
}

template <int spacedim>
unsigned int
ContactConstraints<spacedim>::find_impulses(const double instant)
{
  for (unsigned int c = 0; c < contacts.size(); ++c)
    warm_start(c, instant);
  const unsigned int n_unsolved = solver.find_impulses();
  for (unsigned int c = 0; c < contacts.size(); ++c)
  {
    FrictionalImpulse<spacedim> &impulse = contacts[c].impulse;
    impulse.normal = solver.normal_impulse(c);
    impulse.tangential = solver.tangential_impulse(c);
    impulse.sticks = solver.sticks(c);
  }
  return n_unsolved;
}

template <int spacedim>
void
ContactConstraints<spacedim>::warm_start(const unsigned int c, const double instant)
{
  const Constraint &contact = contacts[c];
  // one that was open at the last instant begins without an impulse
  if (contact.last == nullptr || instant - contact.last->time > 1.001 * contact.interval)
    return;
  const auto &last = *contact.last;
  const Vector &normal = contact.stencil.normal;
  const double share = contact.period / last.interval;
  Vector tangential = share * last.impulse.friction;
  tangential -= (tangential * normal) * normal;
  solver.set_start(c, share * (last.impulse.total - last.impulse.friction).norm(), tangential);
}

/// Impulses act on the mean of the velocities before and after the kicks of their instant.
template <int spacedim>
void
ContactConstraints<spacedim>::book(const unsigned int c)
{
  Constraint &contact = contacts[c];
  auto &p = contact.impulse;
  const Vector after = solver.relative_velocity(c);
  const Vector &n = contact.stencil.normal;
  const Vector sum = contact.before + after;
  const double taken = -0.5 * p.normal * (n * sum);
  const double e = contact.pair->restitution, rate_before = n * contact.before;
  if (rate_before < 0 && e < 1)
  {
    const double rate_after = n * after;
    // the same, if no other contact stops the same rigid body
    const double stopped =
        contact.has_rigid
            ? taken
            : (rate_before * rate_before - rate_after * rate_after) / (2 * contact.inverse_mass);
    p.restitution_loss = std::max(0., std::min(taken, (1 - e * e) * stopped));
  }
  // what pushing out gives counts as what stopping takes does
  if (taken < 0 && contact.gap < 0 && contact.wanted > 0)
    p.restitution_loss = (1 - e * e) * taken;
  if (contact.is_rigid)
    p.restitution_loss = taken; // what is given back has been given already
  // what sticks may get a little back
  const double rubbed = -0.5 * (p.tangential * sum);
  p.friction_loss = contact.is_rigid ? rubbed : std::max(0., rubbed);
  p.energy_change = taken - p.restitution_loss + (contact.is_rigid ? 0. : std::min(0., rubbed));
  contact.memory->energy += p.energy_change;
}

/// Would what is kept lift the contact for longer than impacts of cells take, against what presses
/// it now?
template <int spacedim>
bool
ContactConstraints<spacedim>::opens(const unsigned int c, const double instant,
                                    const double step_ratio) const
{
  const Constraint &contact = contacts[c];
  if (instant - contact.memory->since < impact_duration / step_ratio * contact.period)
    return false;
  const double a = contact.inverse_mass;
  const double speed = std::sqrt(2 * a * contact.memory->energy);
  if (contact.impulse.normal > 0)
    return 2 * speed > longest_flight / step_ratio * a * contact.impulse.normal;
  const double kicks = contact.stencil.normal * contact.kicks;
  return gap_rate(c) + soon * kicks >= -speed_round_off * speed;
}

/// Of what an open contact keeps, so that equal parts come until all is given back.
template <int spacedim>
double
ContactConstraints<spacedim>::share_to_give(Constraint &contact, const double instant,
                                            const double step_ratio)
{
  double &end = contact.memory->given_at;
  if (end == never)
    end = instant + give_back_duration / step_ratio * contact.period;
  return 1 / std::max(1., (end - instant) / contact.period);
}

/// An impulse that does a @p share of the work that is kept, and the friction that comes with it.
template <int spacedim>
void
ContactConstraints<spacedim>::give_back(const unsigned int c, const double share)
{
  Constraint &contact = contacts[c];
  const Vector &n = contact.stencil.normal;
  double &energy = contact.memory->energy;
  const double a = contact.inverse_mass;
  const Vector before = solver.relative_velocity(c);
  const double sum = n * (2. * before - contact.kicks);
  // what rounding has left must not turn a node back that approaches
  if (sum < 0 && 8 * a * energy < speed_round_off * speed_round_off * sum * sum)
  {
    if (contact.has_ended) // nor is it kept for ever
    {
      contact.impulse.energy_change -= energy;
      contact.impulse.restitution_loss += energy;
      energy = 0;
    }
    return;
  }
  FrictionalImpulse<spacedim> opening;
  opening.normal = (-sum + std::sqrt(sum * sum + 8 * a * share * energy)) / (2 * a);
  if (contact.pair->friction > 0)
  {
    opening.tangential = -(before - (n * before) * n) / contact.tangential_inverse_mass;
    ImpulseSolver<spacedim>::limit(opening.normal, contact.pair->friction, opening.tangential);
  }
  solver.apply(c, opening.total(n));
  const Vector twice_mean = before + solver.relative_velocity(c) - contact.kicks;
  // restraints couple normal and tangent: a little may be left, or too much be given
  const double given = 0.5 * opening.normal * (n * twice_mean);
  const double rubbed = -0.5 * (opening.tangential * twice_mean);
  const double change = std::min(0., rubbed) - given;
  energy += change;
  auto &p = contact.impulse;
  p.energy_change += change;
  p.friction_loss += std::max(0., rubbed);
  contact.is_opened = p.normal == 0;
  p.normal += opening.normal;
  p.tangential += opening.tangential;
}

template class ContactConstraints<2>;
template class ContactConstraints<3>;
} // namespace KickDrift
