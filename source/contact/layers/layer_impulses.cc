#include <kickdrift/base/archive.h>
#include <kickdrift/base/archive_checks.h>
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
  {
    if (!returns.empty() && returns.count({pair.primitives, level}) > 0)
      restitute(pair, gap.distance, level, factor(pair, level), 0);
    return false;
  }
  ContactPair<spacedim> &coefficients = pairs(partners[0], partners[1]);
  const ContactStencil<spacedim> &stencil = gap.stencil;
  for (unsigned int i = 0; i < stencil.n_nodes; ++i)
    nodes.drift(stencil.nodes[i], time);
  const auto velocity = [this](const unsigned int node) { return nodes.momentary_velocity(node); };
  const double rate = stencil.normal * stencil.relative_velocity(velocity);
  const double e = coefficients.restitution;
  const double left = rate > 0 ? e * e : 1.;
  if (e < 1)
    restitute(pair, gap.distance, level, left, step * step / 8 * stencil.inverse_mass(nodes));
  const double impulse = left * full;
  stencil.apply(nodes, impulse);
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

/// The level leaves @p left of its force at this distance.
template <int spacedim>
void
LayerImpulses<spacedim>::restitute(const LayerPair &pair, const double distance,
                                   const unsigned int level, const double left,
                                   const double softness)
{
  Return &last =
      returns.emplace(LevelOfPair{pair.primitives, level}, Return{pair.thickness, 1., softness})
          .first->second;
  stats.restitution_loss += loss(pair, level, last, distance, left);
  last = {distance, left, softness > 0 ? softness : last.softness};
}

/// From the last kick until the level has this distance and leaves @p left of its force there.
template <int spacedim>
double
LayerImpulses<spacedim>::loss(const LayerPair &pair, const unsigned int level, const Return &last,
                              const double distance, const double left) const
{
  // beyond its layers a level does no work, and need not be kicked there
  const double end_of_layers = pair.thickness * profile.thickness(level);
  const double from = std::min(last.distance, end_of_layers);
  const double to = std::min(distance, end_of_layers);
  const double before = force(pair, from, level), after = force(pair, to, level);
  const double lost_before = 1 - last.factor, lost_after = 1 - left;
  return 0.5 * ((lost_before * before + lost_after * after) * (to - from) +
                (lost_before + lost_after) * last.softness * (before * before - after * after));
}

template <int spacedim>
void
LayerImpulses<spacedim>::leave(const LayerPair &pair, const double distance,
                               const unsigned int first)
{
  if (returns.empty())
    return;
  stats.restitution_loss += loss_until(pair, distance, first);
  const auto begin = returns.lower_bound({pair.primitives, first});
  auto end = begin;
  while (end != returns.end() && end->first.first == pair.primitives)
    ++end;
  returns.erase(begin, end);
}

template <int spacedim>
double
LayerImpulses<spacedim>::loss_until(const LayerPair &pair, const double distance,
                                    const unsigned int first) const
{
  double result = 0;
  for (auto entry = returns.lower_bound({pair.primitives, first});
       entry != returns.end() && entry->first.first == pair.primitives; ++entry)
    result += loss(pair, entry->first.second, entry->second, distance, entry->second.factor);
  return result;
}

/// Friction of at most @p largest impulse; adds it to @p total and returns the energy lost.
template <int spacedim>
double
LayerImpulses<spacedim>::rub(ContactStencil<spacedim> stencil, const double largest, Vector &total)
{
  const Vector relative = stencil.relative_velocity([this](const unsigned int node)
                                                    { return nodes.momentary_velocity(node); });
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
  std::vector<std::pair<LevelOfPair, Return>> entries(returns.begin(), returns.end());
  archive(entries);
  if (!archive.is_reading())
    return;
  returns.clear();
  for (const auto &[key, last] : entries)
  {
    check_state(is_enumerator(key.first.kind, LayerPairKind::node_obstacle) &&
                    key.second < profile.n_levels() && last.distance > 0 && last.factor >= 0 &&
                    last.factor <= 1 && last.softness >= 0,
                "layer impulses");
    returns.emplace(key, last);
  }
}

template class LayerImpulses<2>;
template class LayerImpulses<3>;
} // namespace KickDrift
