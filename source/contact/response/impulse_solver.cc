#include <kickdrift/contact/response/impulse_sweeps.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace
{
constexpr unsigned int nowhere = -1;
// With rigid bodies sweeps go on until changes are this share of those allowed otherwise, and this
// many times as long: what is left moves all of a body, which would creep.
constexpr double rigid_share = 1e-4;
constexpr unsigned int rigid_sweeps = 100;
// Changes that are remembered to speed up sweeps.
constexpr unsigned int acceleration_depth = 3;
} // namespace

template <int spacedim>
ImpulseSweeps<spacedim>::ImpulseSweeps(const NodeTable<spacedim> &nodes, const Accuracy &accuracy)
    : nodes(nodes), accuracy(accuracy), acceleration(acceleration_depth)
{
}

template <int spacedim>
void
ImpulseSweeps<spacedim>::clear()
{
  for (const Moving &one : moving)
    place[one.node] = nowhere;
  moving.clear();
  velocities.clear();
  contacts.clear();
  links.clear();
  arms.clear();
  angular_velocities.clear();
  any_rigid = false;
}

template <int spacedim>
void
ImpulseSweeps<spacedim>::add(const ContactStencil<spacedim> &stencil, const SweptContact &contact)
{
  place.resize(nodes.size(), nowhere);
  const double c = contact.tangential_inverse_mass;
  Entry entry{static_cast<unsigned int>(links.size()),
              stencil.n_nodes,
              true,
              false,
              stencil.normal,
              stencil.target_velocity,
              contact.inverse_mass,
              c,
              1 / c,
              contact.friction,
              0.,
              0.,
              {}};
  for (unsigned int i = 0; i < stencil.n_nodes; ++i)
  {
    const unsigned int node = stencil.nodes[i];
    const double coefficient = stencil.coefficients[i];
    const unsigned int body = nodes.rigid_bodies.body_of(node);
    const bool is_rigid = body != RigidBodies<spacedim>::none;
    const unsigned int p = place_of(is_rigid ? nodes.rigid_bodies.nodes_of(body)[0] : node);
    const double inverse_mass =
        is_rigid ? 1 / moving[p].body->mass().mass : nodes[node].inverse_mass;
    links.push_back({p, coefficient, coefficient * inverse_mass});
    entry.is_plain = entry.is_plain && !is_rigid && !moving[p].is_restrained;
    if (is_rigid)
    {
      any_rigid = true;
      arms.resize(links.size());
      arms.back() = nodes.rigid_bodies.arm(nodes, node);
    }
  }
  contacts.push_back(entry);
}

template <int spacedim>
unsigned int
ImpulseSweeps<spacedim>::place_of(const unsigned int node)
{
  if (place[node] != nowhere)
    return place[node];
  place[node] = moving.size();
  const unsigned int body = nodes.rigid_bodies.body_of(node);
  if (body == RigidBodies<spacedim>::none)
  {
    moving.push_back({node, nodes.restraints.is_restrained(node), nullptr});
    velocities.push_back(nodes.velocity(node));
  }
  else
  {
    const RigidMotion &motion = nodes.rigid_bodies.motion(body);
    moving.push_back({node, false, &motion});
    velocities.push_back(from_space<spacedim>(motion.velocity()));
    angular_velocities.resize(moving.size());
    angular_velocities.back() = motion.angular_velocity();
  }
  return place[node];
}

template <int spacedim>
inline typename ImpulseSweeps<spacedim>::Vector
ImpulseSweeps<spacedim>::relative_velocity(const Entry &contact) const
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
ImpulseSweeps<spacedim>::apply(const Entry &contact, const Vector &impulse)
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
typename ImpulseSweeps<spacedim>::Vector
ImpulseSweeps<spacedim>::relative_velocity(const unsigned int c) const
{
  return relative_velocity(contacts[c]);
}

template <int spacedim>
void
ImpulseSweeps<spacedim>::apply(const unsigned int c, const Vector &impulse)
{
  apply(contacts[c], impulse);
}

template <int spacedim>
void
ImpulseSweeps<spacedim>::start_with(const unsigned int c, const double normal,
                                    const Vector &tangential)
{
  Entry &contact = contacts[c];
  contact.impulse = normal;
  contact.tangential = tangential;
  apply(contact, normal * contact.normal + tangential);
}

template <int spacedim>
void
ImpulseSweeps<spacedim>::find_impulses(const double largest_rate)
{
  acceleration.restart();
  const double tolerance = accuracy.tolerance * (any_rigid ? rigid_share : 1);
  const unsigned int most_sweeps = accuracy.most_sweeps * (any_rigid ? rigid_sweeps : 1);
  for (unsigned int s = 1;; ++s)
  {
    list_impulses(impulses_before);
    double change = 0;
    for (Entry &contact : contacts)
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
inline void
ImpulseSweeps<spacedim>::change_impulse(Entry &contact, const double normal,
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
ImpulseSweeps<spacedim>::sweep(Entry &contact)
{
  const Vector velocity = relative_velocity(contact);
  const double rate = contact.normal * velocity;
  const double before = contact.impulse;
  const double a = contact.inverse_mass;
  const double normal = std::max(0., before + (contact.wanted - rate) / a);
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
bool
ImpulseSweeps<spacedim>::limit(const double normal, const double friction, Vector &tangential)
{
  const double bound = friction * normal, size = tangential.norm();
  if (size <= bound)
    return true;
  tangential *= bound / size;
  return false;
}

template <int spacedim>
void
ImpulseSweeps<spacedim>::list_impulses(std::vector<double> &list) const
{
  list.clear();
  for (const Entry &contact : contacts)
  {
    list.push_back(contact.impulse);
    if (contact.friction > 0)
      for (unsigned int d = 0; d < spacedim; ++d)
        list.push_back(contact.tangential[d]);
  }
}

/// As far as the laws of contact let them be.
template <int spacedim>
void
ImpulseSweeps<spacedim>::take_impulses(const std::vector<double> &list)
{
  std::size_t i = 0;
  for (Entry &contact : contacts)
  {
    const double normal = std::max(0., list[i++]);
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

template class ImpulseSweeps<2>;
template class ImpulseSweeps<3>;
} // namespace KickDrift
