#include <kickdrift/base/archive.h>
#include <kickdrift/contact/reference/reflection.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace KickDrift
{
namespace
{
// A contact lasts if it was answered during so many of the last periods.
constexpr double fresh_after = 3.5;
// Contacts whose effective inverse mass is below this share of a node's are held on both sides.
constexpr double held = 1e-14;
} // namespace

template <int spacedim>
Reflection<spacedim>::Reflection(NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper,
                                 ContactPairs<spacedim> &partners)
    : books(nodes, stepper, partners),
      stats(books.stats),
      nodes(nodes),
      stepper(stepper),
      zones(stepper)
{
}

template <int spacedim>
void
Reflection<spacedim>::start(const std::vector<unsigned int> &on_surface, const bool with_zones)
{
  has_zones = with_zones;
  books.start(on_surface);
  if (has_zones)
    zones.start(on_surface, nodes.size());
}

template <int spacedim>
void
Reflection<spacedim>::classes_changed()
{
  if (has_zones)
    zones.classes_changed();
}

template <int spacedim>
void
Reflection<spacedim>::enter_instant(const double time)
{
  instant = time;
  books.enter_instant(time);
  if (has_zones)
    zones.enter_instant(time);
}

template <int spacedim>
bool
Reflection<spacedim>::is_held(const ContactStencil<spacedim> &stencil, const double a) const
{
  return a <= held * nodes[stencil.nodes[0]].inverse_mass;
}

template <int spacedim>
double
Reflection<spacedim>::period(const ContactHistory &memory) const
{
  const TimeLevels &levels = stepper.levels();
  return has_zones ? levels.classes().step(std::max(memory.zone_class, levels.finest_class()))
                   : memory.period;
}

template <int spacedim>
bool
Reflection<spacedim>::lasts(const ContactHistory &memory) const
{
  return instant - memory.last_answer <= fresh_after * period(memory);
}

template <int spacedim>
void
Reflection<spacedim>::respond(ContactHistory &memory, const ContactPoint<spacedim> &point)
{
  const auto &stencil = point.stencil;
  const double a = stencil.inverse_mass(nodes);
  if (is_held(stencil, a))
    return;
  bool common = true;
  double kicks = 0; // on the gap rate since the last answer
  if (has_zones)
  {
    memory.zone_class = zones.promote(stencil, 1, false);
    for (unsigned int i = 0; i < stencil.n_nodes; ++i)
    {
      books.traces.enter_instant(stencil.nodes[i], instant);
      common = common && zones.at_common_instant(stencil.nodes[i]);
    }
    if (common && lasts(memory))
      kicks = stencil.normal * books.increment(stencil, fresh_after * period(memory));
  }

  auto &pair = books.pair_of(point.body, point.target);
  // until the zone has formed, kicks of different intervals are pending
  const auto velocity = [&](const unsigned int node)
  { return common ? nodes.momentary_velocity(node) : stepper.velocity_with_kicks(node, instant); };
  const auto impulse = reflect(pair, stencil, a, kicks, velocity);
  if (impulse.normal > 0)
  {
    stencil.apply(nodes, impulse.normal, impulse.tangential);
    book(memory, point, impulse);
  }
}

template <int spacedim>
void
Reflection<spacedim>::reflect(ContactHistory &memory, const ContactPoint<spacedim> &point)
{
  const auto velocity = [&](const unsigned int node) { return nodes.momentary_velocity(node); };
  const auto &stencil = point.stencil;
  const double a = stencil.inverse_mass(nodes);
  const auto impulse = reflect(books.pair_of(point.body, point.target), stencil, a, 0., velocity);
  if (impulse.normal <= 0)
    return;
  stencil.apply(nodes, impulse.normal, impulse.tangential);
  book(memory, point, impulse, false); // positions make up for what velocities have too much
}

template <int spacedim>
void
Reflection<spacedim>::book(ContactHistory &memory, const ContactPoint<spacedim> &point,
                           const FrictionalImpulse<spacedim> &impulse, const bool may_last)
{
  const bool continues = lasts(memory);
  books.book(memory, point, impulse, {may_last && continues, continues, period(memory), true});
  for (unsigned int i = 0; i < point.stencil.n_nodes; ++i)
    books.traces.leave_instant(point.stencil.nodes[i]);
}

template <int spacedim>
template <typename VelocityOfNode>
FrictionalImpulse<spacedim>
Reflection<spacedim>::reflect(const ContactPair<spacedim> &pair,
                              const ContactStencil<spacedim> &stencil, const double a,
                              const double kicks, const VelocityOfNode &velocity)
{
  FrictionalImpulse<spacedim> impulse;
  const Vector relative = stencil.relative_velocity(velocity);
  const double rate = stencil.normal * relative;
  if (rate >= 0)
    return impulse;
  // a contact that lasts bears what presses it: the mean rate of the coming period is e times that
  // of the last one
  const double e = pair.restitution + (1 - pair.restitution) * std::max(0., 0.5 * kicks / rate);
  if (pair.friction > 0)
    impulse = frictional_impulse<spacedim>(
        {stencil.inverse_mass_tensor(nodes), stencil.normal, relative, pair.friction}, e);
  else
    impulse.normal = reflecting_impulse(rate, a, e);
  stats.restitution_loss += (1 - e * e) * rate * rate / (2 * a);
  stats.friction_loss += impulse.friction_loss;
  return impulse;
}

template <int spacedim>
void
Reflection<spacedim>::serialize(Archive &archive)
{
  archive.section("contact answers");
  archive(books, instant, zones);
}

template class Reflection<2>;
template class Reflection<3>;
} // namespace KickDrift
