#include <kickdrift/contact/response/contact_constraints.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace KickDrift
{
namespace
{
// Nodes are kept so far behind a surface, as a share of its size, that rounding does not open
// contacts.
constexpr double margin = 1e-8;
// Share of a deeper penetration that is removed per period, but no faster than kicks bring it back
// within one: nothing is thrown out.
constexpr double push_out = 0.2;
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
// Cosine of the largest angle between normals of one contact.
constexpr double same_side = 0.7;
// Changes that are remembered to speed up sweeps.
constexpr unsigned int acceleration_depth = 3;
// A time at which nothing is given back.
constexpr double never = std::numeric_limits<double>::infinity();

/// Of a contactor from the normal through the point of the target [length].
template <int spacedim>
double
distance_beside(const ContactPoint<spacedim> &point)
{
  return std::sqrt(std::max(0., point.distance * point.distance - point.depth * point.depth));
}
} // namespace

template <int spacedim>
ContactConstraints<spacedim>::ContactConstraints(NodeTable<spacedim> &nodes,
                                                 const Accuracy &accuracy)
    : nodes(nodes), accuracy(accuracy), acceleration(acceleration_depth)
{
}

template <int spacedim>
void
ContactConstraints<spacedim>::gather_nodes()
{
  constexpr unsigned int nowhere = -1;
  moving.clear();
  place.resize(nodes.size(), nowhere);
  for (auto &contact : contacts)
    for (unsigned int i = 0; i < contact.stencil.n_nodes; ++i)
    {
      const unsigned int node = contact.stencil.nodes[i];
      if (place[node] == nowhere)
      {
        place[node] = moving.size();
        moving.push_back({node, nodes[node].inverse_mass, nodes.restraints.is_restrained(node),
                          nodes.velocity(node)});
      }
      contact.places[i] = place[node];
    }
  for (const MovingNode &one : moving)
    place[one.node] = nowhere;
}

template <int spacedim>
typename ContactConstraints<spacedim>::Vector
ContactConstraints<spacedim>::relative_velocity(const ContactConstraint<spacedim> &contact) const
{
  const auto &stencil = contact.stencil;
  Vector result = -stencil.target_velocity;
  for (unsigned int i = 0; i < stencil.n_nodes; ++i)
    result += stencil.coefficients[i] * moving[contact.places[i]].velocity;
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
    MovingNode &one = moving[contact.places[i]];
    const double share = stencil.coefficients[i];
    one.velocity += one.is_restrained ? nodes.velocity_change(one.node, share * impulse)
                                      : (share * one.inverse_mass) * impulse;
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
ContactConstraints<spacedim>::add(ContactConstraint<spacedim> contact)
{
  const auto &memory = *contact.memory;
  double gap = -contact.point.depth;
  const bool closes = contact.point.touches || (!contact.has_ended && may_close(contact, gap));
  if (!closes && memory.energy <= 0)
    return;
  const auto &stencil = contact.stencil;
  gap += margin * contact.point.size;
  contact.wanted = !closes   ? -std::numeric_limits<double>::infinity()
                   : gap > 0 ? -gap / contact.period
                             : std::min(-push_out * gap / contact.period,
                                        std::max(0., -(stencil.normal * contact.kicks)));
  contact.inverse_mass = stencil.inverse_mass(nodes);
  if (contact.inverse_mass <= 0)
    return; // the normal of the last contact may be one that restraints hold
  contact.tangential_inverse_mass = 0;
  for (unsigned int i = 0; i < stencil.n_nodes; ++i)
    contact.tangential_inverse_mass +=
        stencil.coefficients[i] * stencil.coefficients[i] * nodes[stencil.nodes[i]].inverse_mass;
  contacts.push_back(contact);
}

/// Is a contactor that touches nothing in front of a face? In front of a rim, or of an edge, it
/// does not say where a contact is; the last one does. New contacts of other contactors than nodes
/// have to be found behind it.
template <int spacedim>
bool
ContactConstraints<spacedim>::may_close(ContactConstraint<spacedim> &contact, double &gap) const
{
  const auto &point = contact.point;
  const auto *last = contact.last;
  // a node with a mass of its own
  const bool is_node =
      point.stencil.coefficients[0] == 1 && contact.stencil.nodes[0] == point.stencil.nodes[0];
  if (last == nullptr ? !is_node : last->stencil.normal * point.stencil.normal < same_side)
    return false; // what slides along one face does not run into the next one
  double sum = 0; // zero between bodies
  for (unsigned int i = 0; i < point.stencil.n_nodes; ++i)
    sum += point.stencil.coefficients[i];
  if (last != nullptr && last->target == point.target && std::abs(sum) < 0.5 &&
      point.distance < 0.1 * point.size)
  {
    const Vector between = point.stencil.difference([&](const unsigned int node)
                                                    { return Vector(nodes.position(node)); });
    if (std::abs(last->stencil.normal * between) < 1e-3 * point.size)
    {
      contact.stencil.normal = contact.point.stencil.normal = last->stencil.normal;
      gap = last->stencil.normal * between;
      return true;
    }
  }
  return distance_beside(point) <=
         (last == nullptr ? 1e-6 : 1.5e-3) * std::abs(point.depth) + 1e-9 * point.size;
}

template <int spacedim>
bool
ContactConstraints<spacedim>::is_beside(const ContactPoint<spacedim> &point)
{
  return distance_beside(point) > std::max(std::abs(point.depth), 0.1 * point.size);
}

template <int spacedim>
void
ContactConstraints<spacedim>::solve(const double instant, const double step_ratio)
{
  gather_nodes();
  double largest_rate = 0; // that is to be stopped
  for (auto &contact : contacts)
  {
    contact.before = relative_velocity(contact) - contact.kicks;
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

template <int spacedim>
void
ContactConstraints<spacedim>::find_impulses(const double instant, const double largest_rate)
{
  warm_start(instant);
  acceleration.restart();
  for (unsigned int s = 1;; ++s)
  {
    list_impulses(impulses_before);
    double change = 0;
    for (auto &contact : contacts)
      change = std::max(change, sweep(contact));
    if (change <= accuracy.tolerance * largest_rate || s == accuracy.most_sweeps)
      break;
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
    const double stopped =
        (rate_before * rate_before - rate_after * rate_after) / (2 * contact.inverse_mass);
    p.restitution_loss = std::max(0., std::min(taken, (1 - e * e) * stopped));
  }
  // what sticks may get a little back
  const double rubbed = -0.5 * (p.tangential * sum);
  p.friction_loss = std::max(0., rubbed);
  p.energy_change = taken - p.restitution_loss + std::min(0., rubbed);
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
