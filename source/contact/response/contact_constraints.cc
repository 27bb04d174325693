#include <kickdrift/contact/response/contact_constraints.h>

#include <algorithm>
#include <cmath>
#include <limits>

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
constexpr double round_off = 1e-3;
// With rigid bodies sweeps go on until changes are this share of those allowed otherwise, and this
// many times as long: what is left moves all of a body, which would creep.
constexpr double rigid_share = 1e-4;
constexpr unsigned int rigid_sweeps = 100;
// Changes that are remembered to speed up sweeps.
constexpr unsigned int acceleration_depth = 3;
// A time at which nothing is given back.
constexpr double never = std::numeric_limits<double>::infinity();
} // namespace

template <int spacedim>
ContactConstraints<spacedim>::ContactConstraints(NodeTable<spacedim> &nodes,
                                                 const Accuracy &accuracy)
    : nodes(nodes), accuracy(accuracy), acceleration(acceleration_depth)
{
}

template <int spacedim>
typename ContactConstraints<spacedim>::Vector
ContactConstraints<spacedim>::relative_velocity(const ContactConstraint<spacedim> &contact) const
{
  const auto &stencil = contact.stencil;
  Vector result = -stencil.target_velocity;
  for (unsigned int i = 0; i < stencil.n_nodes; ++i)
  {
    const Moving &one = moving[contact.places[i]];
    result += stencil.coefficients[i] * one.velocity;
    if (one.rigid)
      result +=
          stencil.coefficients[i] *
          from_space<spacedim>(dealii::cross_product_3d(one.angular_velocity, contact.arms[i]));
  }
  return result;
}

/// Change velocities as an impulse on the contactor would; nodes get it in the end.
template <int spacedim>
void
ContactConstraints<spacedim>::apply(const ContactConstraint<spacedim> &contact,
                                    const Vector &impulse)
{
  const auto &stencil = contact.stencil;
  for (unsigned int i = 0; i < stencil.n_nodes; ++i)
  {
    Moving &one = moving[contact.places[i]];
    const double share = stencil.coefficients[i];
    one.velocity += one.is_restrained ? nodes.velocity_change(one.node, share * impulse)
                                      : (share * one.inverse_mass) * impulse;
    if (one.rigid)
      one.angular_velocity += one.rigid->angular_change(
          dealii::cross_product_3d(contact.arms[i], in_space<spacedim>(share * impulse)));
  }
}

template <int spacedim>
double
ContactConstraints<spacedim>::gap_rate(const ContactConstraint<spacedim> &contact) const
{
  return contact.stencil.normal * relative_velocity(contact);
}

template <int spacedim>
void
ContactConstraints<spacedim>::solve(const double instant, const double step_ratio)
{
  gather_moving();
  double largest_rate = 0; // that is to be stopped
  for (auto &contact : contacts)
  {
    contact.before = relative_velocity(contact) - contact.kicks;
    reverse_impact(contact);
    largest_rate = std::max(largest_rate, contact.wanted - gap_rate(contact));
  }
  if (largest_rate > 0)
    find_impulses(instant, largest_rate);
  for (auto &contact : contacts)
    book(contact);
  for (auto &contact : contacts)
    if (contact.impulse.normal > 0)
      contact.memory->given_at = never;
  for (auto &contact : contacts)
    if (contact.memory->energy > 0 && (contact.has_ended || opens(contact, instant, step_ratio)))
      give_back(contact, contact.has_ended ? 1 : share_to_give(contact, instant, step_ratio));
  for (const auto &contact : contacts)
    contact.stencil.apply(nodes, contact.impulse.normal, contact.impulse.tangential);
}

/// Between rigid bodies there are no waves to wait for: Newton's law of impact holds at once, for
/// all contacts of a body together. What only kicks press does not bounce.
template <int spacedim>
void
ContactConstraints<spacedim>::reverse_impact(ContactConstraint<spacedim> &contact) const
{
  if (!contact.is_rigid)
    return;
  const double rate = contact.stencil.normal * contact.before;
  if (rate < 0 && rate * contact.period < -contact.gap)
    contact.wanted = std::max(contact.wanted, -contact.pair->restitution * rate);
}

template <int spacedim>
void
ContactConstraints<spacedim>::find_impulses(const double instant, const double largest_rate)
{
  warm_start(instant);
  acceleration.restart();
  const bool any_rigid =
      std::any_of(contacts.begin(), contacts.end(),
                  [](const ContactConstraint<spacedim> &contact) { return contact.has_rigid; });
  const double tolerance = accuracy.tolerance * (any_rigid ? rigid_share : 1);
  const unsigned int most_sweeps = accuracy.most_sweeps * (any_rigid ? rigid_sweeps : 1);
  for (unsigned int s = 1;; ++s)
  {
    list_impulses(impulses_before);
    double change = 0;
    for (auto &contact : contacts)
      change = std::max(change, sweep(contact));
    if (change <= tolerance * largest_rate || s == most_sweeps)
      break;
    if (any_rigid)
      continue; // contacts of one body share its friction in many ways: combinations go astray
    list_impulses(impulses);
    acceleration.extrapolate(impulses_before, impulses);
    take_impulses(impulses);
  }
}

template <int spacedim>
void
ContactConstraints<spacedim>::list_impulses(std::vector<double> &list) const
{
  list.clear();
  for (const auto &contact : contacts)
  {
    list.push_back(contact.impulse.normal);
    if (contact.pair->friction > 0)
      for (unsigned int d = 0; d < spacedim; ++d)
        list.push_back(contact.impulse.tangential[d]);
  }
}

/// As far as the laws of contact let them be.
template <int spacedim>
void
ContactConstraints<spacedim>::take_impulses(const std::vector<double> &list)
{
  std::size_t i = 0;
  for (auto &contact : contacts)
  {
    const double friction = contact.pair->friction;
    FrictionalImpulse<spacedim> wanted;
    wanted.normal = std::max(0., list[i++]);
    if (friction > 0)
    {
      const Vector &normal = contact.stencil.normal;
      for (unsigned int d = 0; d < spacedim; ++d)
        wanted.tangential[d] = list[i++];
      wanted.tangential -= (wanted.tangential * normal) * normal;
      limit(wanted, friction);
    }
    change_impulse(contact, wanted);
  }
}

/// Coulomb's bound.
template <int spacedim>
void
ContactConstraints<spacedim>::limit(FrictionalImpulse<spacedim> &impulse, const double friction)
{
  const double bound = friction * impulse.normal, size = impulse.tangential.norm();
  impulse.sticks = size <= bound;
  if (!impulse.sticks)
    impulse.tangential *= bound / size;
}

template <int spacedim>
void
ContactConstraints<spacedim>::change_impulse(ContactConstraint<spacedim> &contact,
                                             const FrictionalImpulse<spacedim> &wanted)
{
  auto &p = contact.impulse;
  const double change = wanted.normal - p.normal;
  const Vector turn = wanted.tangential - p.tangential;
  if (change != 0 || turn != Vector())
    apply(contact, change * contact.stencil.normal + turn);
  p = wanted;
}

template <int spacedim>
void
ContactConstraints<spacedim>::warm_start(const double instant)
{
  for (auto &contact : contacts)
  {
    if (contact.last == nullptr)
      continue;
    const auto &last = *contact.last;
    if (instant - last.time > 1.001 * contact.interval)
      continue; // it was open at the last instant
    const Vector &normal = contact.stencil.normal;
    auto &impulse = contact.impulse;
    const double share = contact.period / last.interval;
    impulse.normal = share * (last.impulse.total - last.impulse.friction).norm();
    impulse.tangential = share * last.impulse.friction;
    impulse.tangential -= (impulse.tangential * normal) * normal;
    apply(contact, impulse.total(normal));
  }
}

/// Change the impulse of one contact as all others are. Returns by how much that changes
/// velocities.
template <int spacedim>
double
ContactConstraints<spacedim>::sweep(ContactConstraint<spacedim> &contact)
{
  const Vector velocity = relative_velocity(contact);
  const double rate = contact.stencil.normal * velocity;
  const auto before = contact.impulse;
  const double a = contact.inverse_mass, c = contact.tangential_inverse_mass;
  FrictionalImpulse<spacedim> wanted;
  wanted.normal = std::max(0., before.normal + (contact.wanted - rate) / a);
  if (contact.pair->friction > 0)
  {
    wanted.tangential = before.tangential - (velocity - rate * contact.stencil.normal) / c;
    limit(wanted, contact.pair->friction);
  }
  change_impulse(contact, wanted);
  return std::max(a * std::abs(wanted.normal - before.normal),
                  c * (wanted.tangential - before.tangential).norm());
}

/// Impulses act on the mean of the velocities before and after the kicks of their instant.
template <int spacedim>
void
ContactConstraints<spacedim>::book(ContactConstraint<spacedim> &contact) const
{
  auto &p = contact.impulse;
  const Vector after = relative_velocity(contact);
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
ContactConstraints<spacedim>::opens(const ContactConstraint<spacedim> &contact,
                                    const double instant, const double step_ratio) const
{
  if (instant - contact.memory->since < impact_duration / step_ratio * contact.period)
    return false;
  const double a = contact.inverse_mass;
  const double speed = std::sqrt(2 * a * contact.memory->energy);
  if (contact.impulse.normal > 0)
    return 2 * speed > longest_flight / step_ratio * a * contact.impulse.normal;
  const double kicks = contact.stencil.normal * contact.kicks;
  return gap_rate(contact) + soon * kicks >= -round_off * speed;
}

/// Of what an open contact keeps, so that equal parts come until all is given back.
template <int spacedim>
double
ContactConstraints<spacedim>::share_to_give(ContactConstraint<spacedim> &contact,
                                            const double instant, const double step_ratio)
{
  double &end = contact.memory->given_at;
  if (end == never)
    end = instant + give_back_duration / step_ratio * contact.period;
  return 1 / std::max(1., (end - instant) / contact.period);
}

/// An impulse that does a @p share of the work that is kept, and the friction that comes with it.
template <int spacedim>
void
ContactConstraints<spacedim>::give_back(ContactConstraint<spacedim> &contact, const double share)
{
  const Vector &n = contact.stencil.normal;
  double &energy = contact.memory->energy;
  const double a = contact.inverse_mass;
  const Vector before = relative_velocity(contact);
  const double sum = n * (2. * before - contact.kicks);
  // what rounding has left must not turn a node back that approaches
  if (sum < 0 && 8 * a * energy < round_off * round_off * sum * sum)
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
    limit(opening, contact.pair->friction);
  }
  apply(contact, opening.total(n));
  const Vector twice_mean = before + relative_velocity(contact) - contact.kicks;
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
