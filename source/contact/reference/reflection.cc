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
                                 ContactBooks<spacedim> &books)
    : stats(books.stats), nodes(nodes), stepper(stepper), books(books), zones(stepper)
{
}

template <int spacedim>
void
Reflection<spacedim>::start(const std::vector<unsigned int> &on_surface, const bool with_zones)
{
  has_zones = with_zones;
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
Reflection<spacedim>::period(const ContactHistory &history) const
{
  const TimeLevels &levels = stepper.levels();
  return has_zones ? levels.classes().step(std::max(history.zone_class, levels.finest_class()))
                   : history.period;
}

template <int spacedim>
bool
Reflection<spacedim>::lasts(const ContactHistory &history) const
{
  return instant - history.last_answer <= fresh_after * period(history);
}

template <int spacedim>
typename Reflection<spacedim>::Load
Reflection<spacedim>::find_load(ContactHistory &history, const ContactStencil<spacedim> &stencil)
{
  Load load;
  if (!has_zones)
    return load;
  history.zone_class = zones.promote(stencil, 1, false);
  for (unsigned int i = 0; i < stencil.n_nodes; ++i)
  {
    books.traces.enter_instant(stencil.nodes[i], instant);
    load.is_common = load.is_common && zones.at_common_instant(stencil.nodes[i]);
  }
  if (load.is_common && lasts(history))
    load.kicks = stencil.normal * books.increment(stencil, fresh_after * period(history));
  return load;
}

template <int spacedim>
void
Reflection<spacedim>::respond(ContactHistory &history, const ContactPoint<spacedim> &point)
{
  const auto &stencil = point.stencil;
  const double a = stencil.inverse_mass(nodes);
  if (is_held(stencil, a))
    return;
  const Load load = find_load(history, stencil);
  auto &pair = books.pair_of(point.body, point.target);
  // until the zone has formed, kicks of different intervals are pending
  const auto velocity = [&](const unsigned int node)
  {
    return load.is_common ? nodes.momentary_velocity(node)
                          : stepper.velocity_with_kicks(node, instant);
  };
  const auto impulse = reflecting_impulse(pair, stencil, a, load.kicks, velocity);
  if (impulse.normal > 0)
  {
    stencil.apply(nodes, impulse.normal, impulse.tangential);
    book(history, point, impulse);
  }
}

template <int spacedim>
void
Reflection<spacedim>::reflect(ContactHistory &history, const ContactPoint<spacedim> &point)
{
  const auto velocity = [&](const unsigned int node) { return nodes.momentary_velocity(node); };
  const auto &stencil = point.stencil;
  const double a = stencil.inverse_mass(nodes);
  const auto impulse =
      reflecting_impulse(books.pair_of(point.body, point.target), stencil, a, 0., velocity);
  if (impulse.normal <= 0)
    return;
  stencil.apply(nodes, impulse.normal, impulse.tangential);
  book(history, point, impulse, false); // positions make up for what velocities have too much
}

template <int spacedim>
void
Reflection<spacedim>::book(ContactHistory &history, const ContactPoint<spacedim> &point,
                           const FrictionalImpulse<spacedim> &impulse, const bool may_last)
{
  const bool continues = lasts(history);
  books.book(history, point, impulse, {may_last && continues, continues, period(history), true});
  for (unsigned int i = 0; i < point.stencil.n_nodes; ++i)
    books.traces.leave_instant(point.stencil.nodes[i]);
}

template <int spacedim>
template <typename VelocityOfNode>
FrictionalImpulse<spacedim>
Reflection<spacedim>::reflecting_impulse(const ContactPair<spacedim> &pair,
                                         const ContactStencil<spacedim> &stencil, const double a,
                                         const double kicks, const VelocityOfNode &velocity)
{
  FrictionalImpulse<spacedim> impulse;
  const Vector relative = stencil.relative_velocity(velocity);
  const double rate = stencil.normal * relative;
  if (rate >= 0)
    return impulse;
  const double e = restitution(pair, kicks, rate);
  if (pair.friction > 0)
    impulse = frictional_impulse<spacedim>(
        {stencil.inverse_mass_tensor(nodes), stencil.normal, relative, pair.friction}, e);
  else
    impulse.normal = KickDrift::reflecting_impulse(rate, a, e);
  stats.restitution_loss += (1 - e * e) * rate * rate / (2 * a);
  stats.friction_loss += impulse.friction_loss;
  return impulse;
}

template <int spacedim>
void
Reflection<spacedim>::serialize(Archive &archive)
{
  archive.section("contact answers");
  archive(instant, zones);
}

template class Reflection<2>;
template class Reflection<3>;
} // namespace KickDrift
