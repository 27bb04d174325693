#ifndef KICKDRIFT_CONTACT_LAYERS_LAYER_IMPULSES_H
#define KICKDRIFT_CONTACT_LAYERS_LAYER_IMPULSES_H

#include <kickdrift/contact/layers/layer_pair.h>
#include <kickdrift/contact/layers/layer_profile.h>
#include <kickdrift/contact/response/pairs.h>
#include <kickdrift/contact/response/statistics.h>
#include <kickdrift/nodes/node_table.h>

#include <array>
#include <map>
#include <utility>

namespace KickDrift
{
class Archive;

/**
 * The impulses of penalty layers, with restitution and friction, and the books that are kept of
 * them.
 *
 * A kick of a level with step h changes the velocities of its nodes by
 * @f$h F c_B W_B n@f$. While the pair separates (by the gap rate before the kick) the force is
 * scaled by the square of the coefficient of restitution e: what is left of the energy that the
 * layers have taken gives the speed times e.
 *
 * What is lost of a level between two of its kicks, at the distances d and d', which leave f and f'
 * of their forces F and F', is
 * @f$\frac 1 2 \left((1-f) F + (1-f') F'\right) (d'-d) + \frac 1 2 (2-f-f') (F^2 - F'^2) a
 * h^2/8@f$. That is force times way from kick to kick, not times a velocity, since half of what
 * others give at the same instant belongs to the time before, which a kick cannot know; and F^2 a
 * h^2/8 is what kicks of that step have taken beyond the potential. Ways begin and end where the
 * layers of the level do, where F = 0.
 *
 * Friction takes the tangential relative velocity r by no more than mu times the normal impulse,
 * and never turns it round: it brakes, but does not hold, since a kick does not know what will push
 * until the next one.
 */
template <int spacedim>
class LayerImpulses
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  /// All must outlive it.
  LayerImpulses(NodeTable<spacedim> &nodes, const LayerProfile &profile,
                ContactPairs<spacedim> &pairs);

  /// Forget what has been done.
  void start();

  /**
   * Kick the nodes of a pair by the layers of @p level, at the time that gap.stencil is of. Returns
   * whether there was a force.
   * @param partners of the pair, see ContactPairs
   */
  bool give(LayerPair &pair, const PrimitiveGap<spacedim> &gap, unsigned int level, double time,
            double step, const std::array<unsigned int, 2> &partners);

  /// Force of the layers of a level, positive [force].
  double
  force(const LayerPair &pair, const double distance, const unsigned int level) const
  {
    const double x = distance / pair.thickness;
    return x < profile.thickness(level) ? pair.stiffness * pair.thickness * profile.force(level, x)
                                        : 0.;
  }

  /// Potential energy of all layers of a pair [energy].
  double
  energy(const LayerPair &pair, const double distance) const
  {
    const double x = distance / pair.thickness;
    return x < 1 ? pair.stiffness * pair.thickness * pair.thickness * profile.energy(x) : 0.;
  }

  /// What restitution has left of the last force of a level [-].
  double
  factor(const LayerPair &pair, const unsigned int level) const
  {
    if (returns.empty())
      return 1;
    const auto entry = returns.find({pair.primitives, level});
    return entry != returns.end() ? entry->second.factor : 1.;
  }

  /// What restitution takes from the last kicks of a pair until it has this @p distance, of levels
  /// from the @p first on [energy].
  double loss_until(const LayerPair &pair, double distance, unsigned int first = 0) const;

  /// The pair is out of its layers from the @p first level on, at this @p distance: close the books
  /// of their restitution.
  void leave(const LayerPair &pair, double distance, unsigned int first = 0);

  /// What has been done so far.
  ContactStatistics<spacedim> stats;
  /// The same, about layers.
  LayerStatistics layer_stats;

  /// Write to, or read from, a checkpoint what has been done.
  void serialize(Archive &archive);

private:
  using LevelOfPair = std::pair<PrimitivePair, unsigned int>;

  /// The last kick of a level.
  struct Return
  {
    double distance; ///< at the kick [length]
    double factor;   ///< what restitution left of the force [-]
    double softness; ///< a h^2/8 [length/force]
  };

  void book(const ContactStencil<spacedim> &stencil, const Vector &impulse, bool is_friction);
  void restitute(const LayerPair &pair, double distance, unsigned int level, double left,
                 double softness);
  double loss(const LayerPair &pair, unsigned int level, const Return &last, double distance,
              double left) const;
  double rub(ContactStencil<spacedim> stencil, double largest, Vector &total);

  NodeTable<spacedim> &nodes;
  const LayerProfile &profile;
  ContactPairs<spacedim> &pairs;
  std::map<LevelOfPair, Return> returns; ///< of pairs whose restitution is below 1
};
} // namespace KickDrift

#endif
