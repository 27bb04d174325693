#include <kickdrift/contact/response/impulse_solver.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace KickDrift
{
namespace
{
constexpr unsigned int nowhere = -1;
// With rigid bodies sweeps go on until changes are this share of those allowed otherwise, and this
// many times as long: what is left moves all of a body, which would creep.
constexpr double rigid_share = 1e-4;
constexpr unsigned int rigid_sweeps = 10;
// Changes that are remembered to speed up sweeps.
constexpr unsigned int acceleration_depth = 3;
// Sweeps before Newton's method, at least: they find what is open.
constexpr unsigned int first_sweeps = 2;
// And at most, where contacts say how closely they are to be solved: how many more sweeps are
// needed is estimated from the last two, and often wrong. For cost alone.
constexpr unsigned int most_sweeps_before = 30;
// Without friction: a search for the contacts that bear is about as much work as so many sweeps.
constexpr double few_sweeps = 4;

/// If each of them changes rates by the same share of what the last one did.
double
sweeps_until(const double tolerance, const double change, const double last_change)
{
  return change < last_change ? std::log(tolerance / change) / std::log(change / last_change)
                              : std::numeric_limits<double>::infinity();
}
} // namespace

template <int spacedim>
ImpulseSolver<spacedim>::ImpulseSolver(const NodeTable<spacedim> &nodes, const Accuracy &accuracy)
    : nodes(nodes), accuracy(accuracy), acceleration(acceleration_depth)
{
}

template <int spacedim>
void
ImpulseSolver<spacedim>::clear()
{
  for (const Moving &one : moving)
    place[one.node] = nowhere;
  moving.clear();
  velocities.clear();
  contacts.clear();
  links.clear();
  arms.clear();
  angular_velocities.clear();
  has_islands = false;
}

template <int spacedim>
void
ImpulseSolver<spacedim>::restart()
{
  for (unsigned int one = 0; one < moving.size(); ++one)
  {
    velocities[one] = velocity_in_table(moving[one]);
    if (moving[one].body)
      angular_velocities[one] = moving[one].body->angular_velocity();
  }
  for (Entry &contact : contacts)
  {
    contact.impulse = contact.least = contact.start = contact.wanted = 0;
    contact.tangential = contact.tangential_start = Vector();
    contact.sticks = false;
  }
}

template <int spacedim>
void
ImpulseSolver<spacedim>::add(const ContactStencil<spacedim> &stencil, const ContactLaw &law)
{
  place.resize(nodes.size(), nowhere);
  const double c = law.tangential_inverse_mass;
  Entry entry{static_cast<unsigned int>(links.size()),
              0,
              true,
              false,
              stencil.normal,
              {},
              stencil.target_velocity,
              law.inverse_mass,
              c,
              1 / c,
              law.friction,
              law.tolerance,
              law.slip_tolerance,
              0.,
              0.,
              0.,
              {},
              0.,
              {}};
  for (unsigned int i = 0; i < stencil.n_nodes; ++i)
  {
    const unsigned int node = stencil.nodes[i];
    const double coefficient = stencil.coefficients[i];
    const unsigned int body = nodes.rigid_bodies.body_of(node);
    const bool is_rigid = body != RigidBodies<spacedim>::none;
    if (!is_rigid && nodes.restraints.holds(node))
    {
      entry.held_velocity += coefficient * nodes.velocity(node);
      continue;
    }
    const unsigned int p = place_of(is_rigid ? nodes.rigid_bodies.nodes_of(body)[0] : node);
    const double inverse_mass =
        is_rigid ? 1 / moving[p].body->mass().mass : nodes[node].inverse_mass;
    links.push_back({p, coefficient, coefficient * inverse_mass});
    entry.is_plain = entry.is_plain && !is_rigid && !moving[p].is_restrained;
    if (is_rigid)
    {
      arms.resize(links.size());
      arms.back() = nodes.rigid_bodies.arm(nodes, node);
    }
  }
  entry.n_links = links.size() - entry.first_link;
  entry.target_velocity -= entry.held_velocity;
  contacts.push_back(entry);
  has_islands = false;
}

template <int spacedim>
typename ImpulseSolver<spacedim>::Vector
ImpulseSolver<spacedim>::velocity_in_table(const Moving &one) const
{
  return one.body ? from_space<spacedim>(one.body->velocity()) : nodes.velocity(one.node);
}

template <int spacedim>
unsigned int
ImpulseSolver<spacedim>::place_of(const unsigned int node)
{
  if (place[node] != nowhere)
    return place[node];
  place[node] = moving.size();
  const unsigned int body = nodes.rigid_bodies.body_of(node);
  if (body == RigidBodies<spacedim>::none)
    moving.push_back({node, nodes.restraints.is_restrained(node), nullptr});
  else
  {
    const RigidMotion &motion = nodes.rigid_bodies.motion(body);
    moving.push_back({node, false, &motion});
    angular_velocities.resize(moving.size());
    angular_velocities.back() = motion.angular_velocity();
  }
  velocities.push_back(velocity_in_table(moving.back()));
  return place[node];
}

template <int spacedim>
inline typename ImpulseSolver<spacedim>::Vector
ImpulseSolver<spacedim>::relative_velocity(const Entry &contact) const
{
  const Link *const first = links.data() + contact.first_link, *const end = first + contact.n_links;
  const Vector *const velocity = velocities.data();
  Vector result = -contact.target_velocity;
  if (contact.is_plain)
  {
    for (const Link *link = first; link != end; ++link)
      result += link->coefficient * velocity[link->moving];
    return result;
  }
  for (const Link *link = first; link != end; ++link)
  {
    result += link->coefficient * velocity[link->moving];
    if (moving[link->moving].body)
      result += link->coefficient *
                from_space<spacedim>(dealii::cross_product_3d(angular_velocities[link->moving],
                                                              arms[link - links.data()]));
  }
  return result;
}

template <int spacedim>
inline void
ImpulseSolver<spacedim>::apply(const Entry &contact, const Vector &impulse)
{
  const Link *const first = links.data() + contact.first_link, *const end = first + contact.n_links;
  Vector *const velocity = velocities.data();
  if (contact.is_plain)
  {
    for (const Link *link = first; link != end; ++link)
      velocity[link->moving] += link->mobility * impulse;
    return;
  }
  for (const Link *link = first; link != end; ++link)
  {
    const Moving &one = moving[link->moving];
    velocity[link->moving] += one.is_restrained
                                  ? nodes.velocity_change(one.node, link->coefficient * impulse)
                                  : link->mobility * impulse;
    if (one.body)
      angular_velocities[link->moving] += one.body->angular_change(dealii::cross_product_3d(
          arms[link - links.data()], in_space<spacedim>(link->coefficient * impulse)));
  }
}

template <int spacedim>
typename ImpulseSolver<spacedim>::Vector
ImpulseSolver<spacedim>::relative_velocity(const unsigned int c) const
{
  return relative_velocity(contacts[c]);
}

template <int spacedim>
void
ImpulseSolver<spacedim>::set_least(const unsigned int c, const double impulse)
{
  contacts[c].least = contacts[c].start = impulse;
  change_impulse(contacts[c], impulse, Vector());
}

template <int spacedim>
unsigned int
ImpulseSolver<spacedim>::find_impulses()
{
  if (!has_islands)
    find_islands();
  measure_islands();
  unsigned int n_unsolved = 0;
  for (unsigned int i = 0; i < n_islands; ++i)
    if (islands[i].largest_rate > islands[i].rounding) // otherwise none are needed
      n_unsolved += !solve(islands[i]);
  return n_unsolved;
}

template <int spacedim>
double
ImpulseSolver<spacedim>::tolerance_of(const Island &island) const
{
  const double relative =
      accuracy.tolerance * (island.has_rigid ? rigid_share : 1) * island.largest_rate;
  return std::max(island.tolerance > 0 ? island.tolerance : relative, island.rounding);
}

template <int spacedim>
bool
ImpulseSolver<spacedim>::solve(Island &island)
{
  for (const unsigned int c : island.contacts)
    if (contacts[c].start != 0 || contacts[c].tangential_start != Vector())
      change_impulse(contacts[c], contacts[c].start, contacts[c].tangential_start);
  acceleration.restart();
  const double tolerance = tolerance_of(island);
  const unsigned int most_sweeps = accuracy.most_sweeps * (island.has_rigid ? rigid_sweeps : 1);
  double last = std::numeric_limits<double>::infinity();
  const bool is_precise = island.tolerance > 0;
  bool may_try_newton = island.has_rigid || (is_precise && island.has_friction);
  bool may_try_active_set = is_precise && !island.has_friction;
  unsigned int newton_failed_at = 0;
  double change_then = 0; // of the first sweep after that
  for (unsigned int s = 1;; ++s)
  {
    list_impulses(island, impulses_before);
    const double change = sweep(island);
    if (change <= tolerance)
      return true;
    if (s >= most_sweeps)
      return false;
    const double n_more = std::min<double>(sweeps_until(tolerance, change, last), most_sweeps - s);
    last = change;
    if (s == newton_failed_at + 1)
      change_then = change;
    // is what is left of so many sweeps enough?
    else if (newton_failed_at > 0 && s == newton_failed_at + accuracy.most_sweeps &&
             !(sweeps_until(tolerance, change, change_then) * accuracy.most_sweeps <
               most_sweeps - s))
      return false;
    if (may_try_active_set && s >= first_sweeps && n_more > few_sweeps)
    {
      may_try_active_set = solve_by_active_set(island, tolerance);
      acceleration.restart();
      last = std::numeric_limits<double>::infinity();
      continue; // and see
    }
    if (may_try_newton && s >= first_sweeps &&
        (newton_is_cheaper(island, n_more) || (is_precise && s >= most_sweeps_before)))
    {
      may_try_newton = false; // where it does not find a solution it will not from elsewhere
      // Rigid bodies share what they bear in many ways: with slips as they are, other contacts
      // would be found to bear, and friction would not be what those allow.
      const double slip_tolerance = island.has_friction && !island.has_rigid
                                        ? std::max(tolerance, island.slip_tolerance)
                                        : tolerance;
      if (solve_by_newton(island, slip_tolerance) &&
          (slip_tolerance == tolerance || solve_by_active_set(island, tolerance)))
      {
        find_sticking(island);
        return true;
      }
      newton_failed_at = s;
      last = std::numeric_limits<double>::infinity();
      continue;
    }
    if (island.has_rigid || is_precise)
      continue; // contacts share what they bear in many ways: combinations go astray
    list_impulses(island, impulses);
    acceleration.extrapolate(impulses_before, impulses);
    take_impulses(island, impulses);
  }
}

template <int spacedim>
void
ImpulseSolver<spacedim>::find_sticking(const Island &island)
{
  for (const unsigned int c : island.contacts)
  {
    Entry &contact = contacts[c];
    const Vector velocity = relative_velocity(contact);
    Vector tangential =
        contact.tangential -
        contact.tangential_mass * (velocity - (contact.normal * velocity) * contact.normal);
    contact.sticks = contact.friction > 0 && limit(contact.impulse, contact.friction, tangential);
  }
}

template <int spacedim>
inline void
ImpulseSolver<spacedim>::change_impulse(Entry &contact, const double normal,
                                        const Vector &tangential)
{
  const double change = normal - contact.impulse;
  const Vector turn = tangential - contact.tangential;
  if (change != 0 || turn != Vector())
    apply(contact, change * contact.normal + turn);
  contact.impulse = normal;
  contact.tangential = tangential;
}

template <int spacedim>
double
ImpulseSolver<spacedim>::sweep(Entry &contact)
{
  const Vector velocity = relative_velocity(contact);
  const double rate = contact.normal * velocity;
  const double before = contact.impulse;
  const double a = contact.inverse_mass;
  const double normal = std::max(contact.least, before + (contact.wanted - rate) / a);
  if (!(contact.friction > 0))
  {
    change_impulse(contact, normal, Vector());
    return a * std::abs(normal - before);
  }
  const Vector tangential_before = contact.tangential;
  Vector tangential =
      tangential_before - contact.tangential_mass * (velocity - rate * contact.normal);
  contact.sticks = limit(normal, contact.friction, tangential);
  change_impulse(contact, normal, tangential);
  return std::max(a * std::abs(normal - before),
                  contact.tangential_inverse_mass * (tangential - tangential_before).norm());
}

template <int spacedim>
double
ImpulseSolver<spacedim>::sweep(const Island &island)
{
  double largest = 0;
  for (const unsigned int c : island.contacts)
  {
    const double change = sweep(contacts[c]);
    if (!(change <= largest)) // also one that is not a number
      largest = change;
  }
  return largest;
}

template <int spacedim>
bool
ImpulseSolver<spacedim>::limit(const double normal, const double friction, Vector &tangential)
{
  const double bound = friction * normal, size = tangential.norm();
  if (size <= bound)
    return true;
  tangential *= bound / size;
  return false;
}

template <int spacedim>
void
ImpulseSolver<spacedim>::list_impulses(const Island &island, std::vector<double> &list) const
{
  list.clear();
  for (const unsigned int c : island.contacts)
  {
    const Entry &contact = contacts[c];
    list.push_back(contact.impulse);
    if (contact.friction > 0)
      for (unsigned int d = 0; d < spacedim; ++d)
        list.push_back(contact.tangential[d]);
  }
}

/// As far as the laws of contact let them be.
template <int spacedim>
void
ImpulseSolver<spacedim>::take_impulses(const Island &island, const std::vector<double> &list)
{
  std::size_t i = 0;
  for (const unsigned int c : island.contacts)
  {
    Entry &contact = contacts[c];
    const double normal = std::max(contact.least, list[i++]);
    Vector tangential;
    if (contact.friction > 0)
    {
      for (unsigned int d = 0; d < spacedim; ++d)
        tangential[d] = list[i++];
      tangential -= (tangential * contact.normal) * contact.normal;
      contact.sticks = limit(normal, contact.friction, tangential);
    }
    change_impulse(contact, normal, tangential);
  }
}

template class ImpulseSolver<2>;
template class ImpulseSolver<3>;
} // namespace KickDrift
