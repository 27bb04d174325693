#ifndef KICKDRIFT_CONTACT_LAYERS_LAYER_PAIR_H
#define KICKDRIFT_CONTACT_LAYERS_LAYER_PAIR_H

#include <kickdrift/contact/layers/layer_primitives.h>

#include <cstdint>

namespace KickDrift
{
/// Two primitives that are near each other, their layers, and which of these are awake: levels 0 to
/// level, from the kick at next_tick on. Trivial to copy and without gaps, as checkpoints need.
struct LayerPair
{
  PrimitivePair primitives; ///< what they are
  unsigned int top = 0;     ///< class of level 0, see LayerClock
  unsigned int level = 0;   ///< the deepest that is awake
  unsigned int touches = 0; ///< 1: it has been kicked since its first layer was found empty
  double begin = 0;         ///< distance at which layers begin [length]
  double thickness = 0;     ///< of the layers, not above begin: they end at the difference [length]
  double stiffness = 0;     ///< k [force/length]
  std::int64_t next_tick = 0; ///< when it is kicked or looked at next

  /// What is left of the distance of two primitives where the layers end [length].
  double
  end() const
  {
    return begin - thickness;
  }
};

static_assert(sizeof(LayerPair) == 56, "a pair must have no gaps");

/// What layers have done so far, beside ContactStatistics.
struct LayerStatistics
{
  std::uint64_t contacts = 0; ///< times that a pair came within its first layer and was kicked
  std::uint64_t searches = 0; ///< for pairs that are near
  double closest = 1; ///< smallest distance of a pair that was kicked from where its layers end,
                      ///< over their thickness [-]
  unsigned int deepest = 0; ///< level that was kicked
};
} // namespace KickDrift

#endif
