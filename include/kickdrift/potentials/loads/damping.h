#ifndef KICKDRIFT_POTENTIALS_LOADS_DAMPING_H
#define KICKDRIFT_POTENTIALS_LOADS_DAMPING_H

#include <kickdrift/potentials/kicks_by_clock.h>
#include <kickdrift/stepping/kicks/damping_kicks.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace KickDrift
{
/**
 * Mass-proportional damping: the force @f$-\alpha m v@f$ on every node, a kick per node, see
 * DampingKicks with @f$x = \alpha h@f$ for an interval h.
 *
 * Only what restraints leave free is damped; the velocity of a support is not its nodes' to lose.
 * What is taken, @f$m (v^* - v^+) \cdot (w^- + w^+)/2@f$, the work on the way of the node, goes to
 * NodeTable::damping_loss().
 */
template <int spacedim>
class Damping : public ClockedKicks<spacedim, DampingKicks<spacedim>>
{
public:
  /// A vector in space.
  using Vector = typename Kicks<spacedim>::Vector;

  /**
   * @param nodes that are damped, each once; kicks are in their ascending order
   * @param rate alpha at a time, not negative [1/time]
   */
  Damping(std::vector<unsigned int> nodes, std::function<double(double time)> rate);

  std::string
  name() const override
  {
    return "damping";
  }
  /// Number of kicks.
  unsigned int
  n_kicks() const override
  {
    return nodes.size();
  }
  std::vector<unsigned int>
  support(const unsigned int k) const override
  {
    return {nodes[k]};
  }
  void damp(NodeTable<spacedim> &nodes, const std::vector<Vector> &before, unsigned int clock,
            double time, double step) override;
  void damp_share(NodeTable<spacedim> &nodes, const std::vector<Vector> &before, unsigned int clock,
                  double time, double duration) const override;
  void force(const NodeTable<spacedim> &nodes, unsigned int k, double time,
             std::vector<Vector> &force) const override;
  Vector impulse_on(const NodeTable<spacedim> &table, unsigned int k, unsigned int node,
                    const Vector &velocity, double time, double duration) const override;
  KickAccount account(unsigned int k) override;
  void serialize(Archive &archive) override;

  /// How a kick changes the free part of a velocity v: into factor v + change.
  struct Effect
  {
    double factor = 1; ///< [-]
    Vector change;     ///< [length/time]
  };

  /// Number of the kick on this node if it is on @p clock.
  std::optional<unsigned int> kick_on(unsigned int node, unsigned int clock) const;

  /// Effect of damp() by kick @p k. @p before : velocity of the node before all kicks of the time
  Effect
  effect(const NodeTable<spacedim> &table, const unsigned int k, const Vector &before,
         const double time, const double step) const
  {
    return effect(rate(time) * step, means(table, k, before));
  }

  /// Effect of damp_share() by kick @p k.
  Effect
  effect_of_share(const unsigned int k, const double time, const double duration) const
  {
    return share(k, duration, duration > 0 ? rate(time) : 0.);
  }

private:
  using Means = typename LastDamping<spacedim>::Means;

  /// Around a kick at the present time of the node.
  Means means(const NodeTable<spacedim> &table, unsigned int k, const Vector &before) const;
  const std::vector<unsigned int> &
  on_clock(const unsigned int clock) const override
  {
    return this->by_clock.kicks(clock);
  }
  /// @param x rate times step [-]
  Effect effect(double x, const Means &means) const;
  Effect share(unsigned int k, double duration, double present_rate) const;
  /// Change the velocity of a node; returns what its free part has lost.
  /// @param before to which the velocity afterwards is added, for twice the mean one of the work
  static Vector apply(NodeTable<spacedim> &table, unsigned int node, const Effect &effect,
                      const Vector &before);

  const std::vector<unsigned int> nodes;
  const std::function<double(double)> rate;
  std::vector<LastDamping<spacedim>> memory; ///< by kick, of what is left free; a deceleration
};
} // namespace KickDrift

#endif
