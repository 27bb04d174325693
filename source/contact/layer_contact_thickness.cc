// How thick layers are.

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
} // namespace

/// Thickness and stiffness that the user asks for are kept.
template <int spacedim>
bool
LayerContact<spacedim>::thickness_follows() const
{
  return parameters.layers.thickness == 0 && parameters.layers.stiffness == 0;
}

/// What the gap of a pair becomes if its layers end @p way deeper.
template <int spacedim>
void
LayerContact<spacedim>::add_to(Gap &gap, const double way)
{
  gap.distance += way;
  gap.slab += way;
}

/// From where the layers of the pair end.
template <int spacedim>
typename LayerContact<spacedim>::Gap
LayerContact<spacedim>::gap_of(const LayerPair &pair, const double time) const
{
  Gap gap = primitives.gap(pair.primitives, time);
  add_to(gap, -pair.end());
  return gap;
}

/**
 * Layers of a pair that is outside them become as thick as the speed asks for with which its bodies
 * come near each other.
 *
 * At least so thick that all levels together stop what the first one does alone at full thickness:
 * what rests in its layers may be struck later.
 */
template <int spacedim>
void
LayerContact<spacedim>::choose_thickness(LayerPair &pair, Gap &gap, const double time)
{
  if (!thickness_follows() || pair.touches > 0 || gap.distance < pair.thickness)
    return;
  const double thinnest = std::sqrt(profile.energy(0, 0.) / profile.energy(0.));
  // a stiffness k for one over k, as the mass does not matter
  const double stiffness =
      profile.stiffness_for_step(ratio_of(pair.primitives), clock.step(pair.top), 1.);
  const Approach rates = approach(pair, time);
  const double speed = std::min(rates.in_any_direction, rates.across(gap.stencil.normal));
  const double share = of_approach * speed / stopped_speed(0.5 * pair.begin, stiffness, 1.);
  const double wanted = std::clamp(share, thinnest, 1.) * pair.begin;
  if (wanted == pair.thickness)
    return;
  impulses.leave(pair, pair.thickness);
  add_to(gap, wanted - pair.thickness);
  pair.thickness = wanted;
}

template class LayerContact<2>;
template class LayerContact<3>;
} // namespace KickDrift
