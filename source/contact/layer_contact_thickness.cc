// How thick layers are.

#include <kickdrift/base/archive_checks.h>
#include <kickdrift/contact/layer_contact.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace
{
// The first layer is to stop this share of the speed with which bodies come near each other: if it
// is thicker it gives way more than the bodies do, if it is thinner deeper ones make errors of
// energy.
constexpr double of_approach = 0.5;
// What comes without speed has layers as thick as this share of the distance at which they begin:
// what then presses need not go down many layers.
constexpr double thinnest = 1e-4;
} // namespace

/// Thickness and stiffness that the user asks for are kept.
template <int spacedim>
bool
LayerContact<spacedim>::thickness_follows() const
{
  return parameters.layers.thickness == 0 && parameters.layers.stiffness == 0;
}

template <int spacedim>
std::array<unsigned int, 2>
LayerContact<spacedim>::key(const LayerPair &pair) const
{
  const auto partners_of_pair = primitives.partners(pair.primitives);
  return {{std::min(partners_of_pair[0], partners_of_pair[1]),
           std::max(partners_of_pair[0], partners_of_pair[1])}};
}

template <int spacedim>
void
LayerContact<spacedim>::take_to_end(const LayerPair &pair, Gap &gap)
{
  gap.distance -= pair.end();
  gap.slab -= pair.end();
}

/// From where the layers of the pair end.
template <int spacedim>
typename LayerContact<spacedim>::Gap
LayerContact<spacedim>::gap_of(const LayerPair &pair, const double time) const
{
  Gap gap = primitives.gap(pair.primitives, time);
  take_to_end(pair, gap);
  return gap;
}

/// What the present speed of a pair asks of the layers of its bodies. All their pairs are asked,
/// and the fastest decides, so that it does not matter which comes first.
template <int spacedim>
double
LayerContact<spacedim>::wanted_thickness(const LayerPair &pair, const double time) const
{
  const auto bodies = key(pair);
  const double ratio =
      parameters.layers.ratio * (pair.primitives.kind == LayerPairKind::node_obstacle ? 2 : 1);
  // a stiffness k for one over k, as the mass does not matter
  const double stiffness =
      profile.stiffness_for_step(ratio, clock.step(body_layers.at(bodies).top), 1.);
  const double of_speed =
      of_approach * approach(pair, time).in_any_direction / stopped_speed(0.5, stiffness, 1.);
  // in powers of two, so that speeds that are alike do not change what has been chosen
  const double begin = thickness(bodies[0], bodies[1]);
  const double share = std::clamp(of_speed / begin, thinnest, 1.);
  return std::exp2(std::ceil(std::log2(share))) * begin;
}

/// After a search: bodies that have come near each other get layers for their present speeds.
template <int spacedim>
void
LayerContact<spacedim>::find_body_layers(const double time)
{
  if (!thickness_follows())
    return;
  std::map<std::array<unsigned int, 2>, BodyLayers> before;
  before.swap(body_layers);
  for (const LayerPair &pair : pairs)
  {
    BodyLayers &layers = body_layers[key(pair)];
    layers.top = std::max(layers.top, pair.top);
    layers.n_inside += pair.touches;
  }
  for (auto &[bodies, layers] : body_layers)
  {
    const auto last = before.find(bodies);
    if (last != before.end())
      layers.thickness = last->second.thickness;
  }
  for (const LayerPair &pair : pairs)
  {
    const auto bodies = key(pair);
    if (before.count(bodies) == 0)
    {
      double &thickness = body_layers[bodies].thickness;
      thickness = std::max(thickness, wanted_thickness(pair, time));
    }
  }
  for (LayerPair &pair : pairs)
    set_thickness(pair);
}

template <int spacedim>
void
LayerContact<spacedim>::set_thickness(LayerPair &pair)
{
  const double wanted = std::min(pair.begin, body_layers[key(pair)].thickness);
  if (wanted == pair.thickness)
    return;
  impulses.leave(pair, pair.thickness);
  pair.thickness = wanted;
}

/// Pairs that are due have been measured: layers of bodies that are about to touch become as thick
/// as the present speed asks for, while they are empty.
template <int spacedim>
void
LayerContact<spacedim>::choose_thickness_of_due(const double time, const std::int64_t tick)
{
  std::map<std::array<unsigned int, 2>, double> wanted; // 0: they begin to touch
  for (unsigned int i = 0; i < due.size(); ++i)
  {
    const LayerPair &pair = pairs[due[i]];
    const auto bodies = key(pair);
    const BodyLayers &layers = body_layers[bodies];
    if (layers.n_inside > 0)
      continue;
    const auto [entry, is_new] = wanted.emplace(bodies, 0.);
    if (gaps[i].distance < pair.thickness)
      entry->second = 0;
    else if (is_new || entry->second > 0)
      entry->second = std::max(entry->second, wanted_thickness(pair, time));
  }
  bool any = false;
  for (auto &[bodies, thickness] : wanted)
  {
    BodyLayers &layers = body_layers[bodies];
    if (thickness == 0 || thickness == layers.thickness)
      thickness = 0;
    else
    {
      layers.thickness = thickness;
      any = true;
    }
  }
  if (!any)
    return;
  const auto changes = [&](const LayerPair &pair)
  {
    const auto entry = wanted.find(key(pair));
    return entry != wanted.end() && entry->second > 0;
  };
  for (unsigned int i = 0; i < due.size(); ++i)
    if (changes(pairs[due[i]]))
    {
      gaps[i].distance += pairs[due[i]].end();
      gaps[i].slab += pairs[due[i]].end();
    }
  for (unsigned int p = 0; p < pairs.size(); ++p)
    if (changes(pairs[p]))
    {
      set_thickness(pairs[p]);
      // those that are due are looked at after they have been kicked; layers below the first lie
      // elsewhere now
      if (pairs[p].next_tick > tick)
        schedule(p, gap_of(pairs[p], time), time, tick);
    }
  for (unsigned int i = 0; i < due.size(); ++i)
    if (changes(pairs[due[i]]))
      take_to_end(pairs[due[i]], gaps[i]);
}

template <int spacedim>
void
LayerContact<spacedim>::serialize_body_layers(Archive &archive)
{
  if (!thickness_follows())
    return;
  std::vector<std::pair<std::array<unsigned int, 2>, BodyLayers>> entries(body_layers.begin(),
                                                                          body_layers.end());
  archive(entries);
  if (!archive.is_reading())
    return;
  body_layers.clear();
  for (const auto &[bodies, layers] : entries)
  {
    check_state(layers.thickness > 0 && layers.top < 62, "layer contact");
    body_layers[bodies] = layers;
  }
}

template class LayerContact<2>;
template class LayerContact<3>;
} // namespace KickDrift
