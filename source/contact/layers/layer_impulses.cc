#include <kickdrift/base/archive.h>
#include <kickdrift/contact/layers/layer_impulses.h>

#include <algorithm>

namespace KickDrift
{
template <int spacedim>
LayerImpulses<spacedim>::LayerImpulses(NodeTable<spacedim> &nodes, const LayerProfile &profile,
                                       ContactPairs<spacedim> &pairs)
    : nodes(nodes), profile(profile), pairs(pairs)
{
}

template <int spacedim>
void
LayerImpulses<spacedim>::start()
{
  stats = {};
  stats.impulse.assign(nodes.size(), Vector());
  stats.friction_impulse.assign(nodes.size(), Vector());
  layer_stats = {};
}

template <int spacedim>
bool
LayerImpulses<spacedim>::give(LayerPair &pair, const PrimitiveGap<spacedim> &gap,
                              const unsigned int level, const double time, const double step,
                              const std::array<unsigned int, 2> &partners)
{
  const double full = step * force(pair, gap.distance, level);
  if (!(full > 0))
    return false;
  ContactPair<spacedim> &coefficients = pairs(partners[0], partners[1]);
  const ContactStencil<spacedim> &stencil = gap.stencil;
  for (unsigned int i = 0; i < stencil.n_nodes; ++i)
    nodes[stencil.nodes[i]].drift(time);
  const auto velocity = [this](const unsigned int node) { return nodes.velocity(node); };
  const double rate = stencil.normal * stencil.relative_velocity(velocity);
  const double e = coefficients.restitution;
  pair.factor = rate > 0 ? e * e : 1.;
  const double impulse = pair.factor * full;
  stencil.apply(nodes, impulse);
  if (pair.factor < 1)
    stats.restitution_loss +=
        (full - impulse) * (rate + 0.5 * impulse * stencil.inverse_mass(nodes));
  Vector total = impulse * stencil.normal;
  book(stencil, total, false);
  if (coefficients.friction > 0)
    stats.friction_loss += rub(stencil, coefficients.friction * impulse, total);
  stats.obstacle_work += total * stencil.target_velocity;

  ContactPairs<spacedim>::book(coefficients, partners[0], partners[1], total);
  ++coefficients.collisions;
  ++stats.collisions;
  layer_stats.contacts += pair.touches == 0;
  layer_stats.closest = std::min(layer_stats.closest, gap.distance / pair.thickness);
  layer_stats.deepest = std::max(layer_stats.deepest, level);
  pair.touches = 1;
  return true;
}

/// Friction of at most @p largest impulse; adds it to @p total and returns the energy lost.
template <int spacedim>
double
LayerImpulses<spacedim>::rub(ContactStencil<spacedim> stencil, const double largest, Vector &total)
{
  const Vector relative =
      stencil.relative_velocity([this](const unsigned int node) { return nodes.velocity(node); });
  const Vector along = relative - (relative * stencil.normal) * stencil.normal;
  const double speed = along.norm();
  if (!(speed > 0))
    return 0;
  stencil.normal = along / speed;
  const double inverse_mass = stencil.inverse_mass(nodes);
  if (!(inverse_mass > 0))
    return 0;
  const double impulse = std::min(largest, speed / inverse_mass);
  stencil.apply(nodes, -impulse);
  const Vector friction = -impulse * stencil.normal;
  book(stencil, friction, true);
  total += friction;
  return impulse * (speed - 0.5 * impulse * inverse_mass);
}

template <int spacedim>
void
LayerImpulses<spacedim>::book(const ContactStencil<spacedim> &stencil, const Vector &impulse,
                              const bool is_friction)
{
  for (unsigned int i = 0; i < stencil.n_nodes; ++i)
  {
    const Vector share = stencil.coefficients[i] * impulse;
    stats.impulse[stencil.nodes[i]] += share;
    if (is_friction)
      stats.friction_impulse[stencil.nodes[i]] += share;
  }
}

template <int spacedim>
void
LayerImpulses<spacedim>::serialize(Archive &archive)
{
  archive.section("layer impulses");
  archive(stats, layer_stats.contacts, layer_stats.searches, layer_stats.closest,
          layer_stats.deepest);
}

template class LayerImpulses<2>;
template class LayerImpulses<3>;
} // namespace KickDrift
