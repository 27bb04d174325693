#include <kickdrift/contact/response/lasting_response.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstdio>
#include <limits>

namespace KickDrift
{
namespace
{
double env(const char *n, double d) { const char *s = std::getenv(n); return s ? std::atof(s) : d; }
// Nodes are kept so far behind a surface, as a share of its size, that rounding does not open
// contacts.
const double margin = env("KD_MARGIN", 1e-5);
// Share of a deeper penetration that is removed per period.
const double push_out = env("KD_PUSH", 0.2);
// Kicks that would close a contact again within this many periods keep it closed.
const double soon = env("KD_SOON", 3.5);
const double impact_duration = env("KD_DUR", 2), longest_flight = env("KD_FLIGHT", 8);
// Sweeps end when impulses change by less than this share of what the kicks ask for.
const double tolerance = env("KD_TOL", 1e-3);
const unsigned int most_sweeps = env("KD_SWEEPS", 50);
} // namespace

template <int spacedim>
LastingResponse<spacedim>::LastingResponse(NodeTable<spacedim> &nodes,
                                           const LastingImpulses<spacedim> &lasting)
    : nodes(nodes),
      lasting(lasting)
{
}

template <int spacedim>
typename LastingResponse<spacedim>::Vector
LastingResponse<spacedim>::relative_velocity(const Constraint &contact) const
{
  return contact.point.stencil.relative_velocity([&](const unsigned int node)
                                                 { return nodes.velocity(node); });
}

template <int spacedim>
bool
LastingResponse<spacedim>::add(Constraint contact)
{
  const auto &point = contact.point;
  auto &stencil = contact.point.stencil;
  const double h = contact.period;
  if (contact.lasts && contact.memory->lasting != LastingImpulses<spacedim>::nowhere)
    contact.last = &lasting[contact.memory->lasting];
  double gap = -point.depth;
  bool may_close = true;
  if (!point.touches)
  {
    // in front of a rim, or of an edge, the face does not say where a contact is; the last one does
    const Vector between = stencil.difference([&](const unsigned int node)
                                              { return Vector(nodes.position(node)); });
    double sum = 0; // zero between bodies
    for (unsigned int i = 0; i < stencil.n_nodes; ++i)
      sum += stencil.coefficients[i];
    const bool is_old = std::abs(sum) < 0.5 && contact.last != nullptr && contact.last->target == point.target && point.distance < 0.1 * point.size && contact.lasts;
    if (is_old && std::abs(contact.last->stencil.normal * between) < 1e-3 * point.size)
    {
      stencil.normal = contact.last->stencil.normal;
      gap = stencil.normal * between;
    }
    else
    {
      const double beside = std::sqrt(
          std::max(0., point.distance * point.distance - point.depth * point.depth));
      may_close = beside <= 1.5e-3 * std::abs(point.depth) + 1e-9 * point.size;
    }
  }
  if (!may_close && contact.memory->energy <= 0)
    return false;
  const Vector now = relative_velocity(contact);
  contact.before = now - contact.kicks;
  gap += margin * point.size;
  const double rate = stencil.normal * now;
  contact.wanted = gap >= 0 ? -gap / h : -push_out * gap / h;
  if (!may_close)
    contact.wanted = -std::numeric_limits<double>::infinity();
  const bool closes = rate < contact.wanted;
  const double rate_before = stencil.normal * contact.before;
  static const bool hold = env("KD_HOLD", 1) > 0;
  contact.is_impact = !hold && closes && rate_before < 0 && !contact.lasts;
  if (contact.is_impact)
    contact.wanted = std::max(contact.wanted, -contact.pair->restitution * rate_before);
  contact.inverse_mass = stencil.inverse_mass(nodes);
  for (unsigned int i = 0; i < stencil.n_nodes; ++i)
    contact.tangential_inverse_mass += stencil.coefficients[i] * stencil.coefficients[i] *
                                       nodes[stencil.nodes[i]].inverse_mass;
  constraints.push_back(contact);
  return closes || point.touches;
}

template <int spacedim>
double
LastingResponse<spacedim>::sweep(Constraint &contact)
{
  const auto &stencil = contact.point.stencil;
  const Vector velocity = relative_velocity(contact);
  const double rate = stencil.normal * velocity;
  FrictionalImpulse<spacedim> &p = contact.impulse;
  const double normal = std::max(0., p.normal + (contact.wanted - rate) / contact.inverse_mass);
  Vector tangential;
  const double friction = contact.pair->friction;
  if (friction > 0)
  {
    tangential = p.tangential - (velocity - rate * stencil.normal) / contact.tangential_inverse_mass;
    const double bound = friction * normal, size = tangential.norm();
    p.sticks = size <= bound;
    if (!p.sticks)
      tangential *= bound / size;
  }
  const double change = normal - p.normal;
  const Vector turn = tangential - p.tangential;
  if (change == 0 && turn == Vector())
    return 0;
  stencil.apply(nodes, change, turn);
  p.normal = normal;
  p.tangential = tangential;
  return contact.inverse_mass * std::max(std::abs(change), turn.norm());
}

template <int spacedim>
void
LastingResponse<spacedim>::warm_start(const double instant)
{
  for (Constraint &contact : constraints)
  {
    if (contact.last == nullptr || contact.is_impact)
      continue;
    const auto &last = *contact.last;
    const double h = contact.period;
    if (last.time != contact.memory->last_answer || instant - last.time > 1.5 * h)
      continue;
    const auto &stencil = contact.point.stencil;
    const double share = h / last.interval;
    contact.impulse.normal = share * (last.impulse.total - last.impulse.friction).norm();
    contact.impulse.tangential = share * last.impulse.friction;
    contact.impulse.tangential -=
        (contact.impulse.tangential * stencil.normal) * stencil.normal;
    stencil.apply(nodes, contact.impulse.normal, contact.impulse.tangential);
  }
}

template <int spacedim>
void
LastingResponse<spacedim>::solve(const double instant, const double step_ratio)
{
  double scale = 0;
  for (const Constraint &contact : constraints)
    scale = std::max(scale, contact.wanted - contact.point.stencil.normal * relative_velocity(contact));
  if (scale > 0)
    find_impulses(scale, instant);
  for (Constraint &contact : constraints)
    book(contact);
  for (Constraint &contact : constraints)
    open(contact, instant, step_ratio);
}

template <int spacedim>
void
LastingResponse<spacedim>::find_impulses(const double scale, const double instant)
{
  warm_start(instant);
  const unsigned int n = constraints.size();
  for (unsigned int s = 0; s < most_sweeps; ++s)
  {
    double change = 0;
    for (unsigned int i = 0; i < n; ++i)
      change = std::max(change, sweep(constraints[s % 2 == 0 ? i : n - 1 - i]));
    if (change <= tolerance * scale)
      break;
  }
}

/// Do the forces open a contact? Or would they take so long to close it again that it is an impact,
/// which rebounds?
template <int spacedim>
bool
LastingResponse<spacedim>::opens(const Constraint &contact, const double instant, const double step_ratio) const
{
  const auto &stencil = contact.point.stencil;
  const double a = contact.inverse_mass;
  if (contact.impulse.normal > 0)
  {
    const double flight = 2 * std::sqrt(2 * a * contact.memory->energy) / (a * contact.impulse.normal);
    return instant - contact.memory->since >= (impact_duration / step_ratio) * contact.period &&
           flight > longest_flight / step_ratio;
  }
  const double rate = stencil.normal * relative_velocity(contact);
  return rate > 0 && rate + soon * (stencil.normal * contact.kicks) > 0;
}

/// Give back what stopping nodes has taken, if the contact opens.
template <int spacedim>
void
LastingResponse<spacedim>::open(Constraint &contact, const double instant, const double step_ratio)
{
  double &energy = contact.memory->energy;
  if (energy <= 0 || !opens(contact, instant, step_ratio))
    return;
  const auto &stencil = contact.point.stencil;
  // of kicks and impulses at one instant half of each comes before the other
  const double a = contact.inverse_mass;
  const double sum = stencil.normal * (2. * relative_velocity(contact) - contact.kicks);
  const double impulse = (-sum + std::sqrt(sum * sum + 8 * a * energy)) / (2 * a);
  stencil.apply(nodes, impulse);
  contact.impulse.normal += impulse;
  contact.impulse.account_change -= energy;
  energy = 0;
}

template <int spacedim>
void
LastingResponse<spacedim>::book(Constraint &contact) const
{
  FrictionalImpulse<spacedim> &p = contact.impulse;
  const Vector sum = contact.before + relative_velocity(contact);
  const double taken = -0.5 * p.normal * (contact.point.stencil.normal * sum);
  const double e = contact.pair->restitution;
  const Vector &n = contact.point.stencil.normal;
  const double before = n * contact.before, after = n * relative_velocity(contact);
  const double stopped = (before * before - after * after) / (2 * contact.inverse_mass);
  if (before < 0 && e < 1)
    p.restitution_loss = std::max(0., std::min(taken, (contact.is_impact ? 1 : 1 - e * e) * stopped));
  if (std::getenv("KD_DEBUG") && std::abs(taken) > 1e-6)
    std::fprintf(stderr, "   E c%u taken %.2e gap %.3e before %.3e kicks %.3e after %.3e wanted %.3e p %.3e touches %d lasts %d impact %d h %.3e\n", contact.point.stencil.nodes[0], taken, -contact.point.depth,
    contact.before*contact.point.stencil.normal, contact.kicks*contact.point.stencil.normal, relative_velocity(contact)*contact.point.stencil.normal, contact.wanted, p.normal, contact.point.touches, contact.lasts, contact.is_impact, contact.period);
  contact.memory->energy += taken - p.restitution_loss;
  p.account_change = taken - p.restitution_loss;
  p.friction_loss = std::max(0., -0.5 * (p.tangential * sum));
}

template class LastingResponse<2>;
template class LastingResponse<3>;
} // namespace KickDrift
