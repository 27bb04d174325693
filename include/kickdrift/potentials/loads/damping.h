#ifndef KICKDRIFT_POTENTIALS_LOADS_DAMPING_H
#define KICKDRIFT_POTENTIALS_LOADS_DAMPING_H

#include <kickdrift/potentials/kicks_by_clock.h>
#include <kickdrift/stepping/kicks/damping_kicks.h>

#include <functional>
#include <string>
#include <vector>

namespace KickDrift
{
/**
 * Mass-proportional damping: the force @f$-\alpha m v@f$ on every node, a kick per node that
 * multiplies its velocity by @f$e^{-\alpha h}@f$, which is exact for any step h.
 *
 * Only what restraints leave free is damped; the velocity of a support is not its nodes' to lose.
 * To be added by Stepper::add_synchronised(): at rest under loads, velocities vanish at the ends of
 * intervals and nowhere else, so damping at other times would take energy that is not there. All
 * nodes of a body should be in one family: damped at different times, a body in uniform flight
 * would be strained. What is taken, @f$\frac 1 2 m |P v|^2 (1 - e^{-2 \alpha h})@f$, goes to
 * NodeTable::damping_loss().
 */
template <int spacedim>
class Damping : public ClockedKicks<spacedim, DampingKicks<spacedim>>
{
public:
  /// A vector in space.
  using Vector = typename Kicks<spacedim>::Vector;

  /**
   * @param nodes that are damped, each once
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
  void kick(NodeTable<spacedim> &nodes, unsigned int clock, double time,
            double step) const override;
  void force(const NodeTable<spacedim> &nodes, unsigned int k, double time,
             std::vector<Vector> &force) const override;
  Vector impulse_on(const NodeTable<spacedim> &table, unsigned int k, unsigned int node,
                    const Vector &velocity, double time, double duration) const override;

private:
  const std::vector<unsigned int> nodes;
  const std::function<double(double)> rate;
};
} // namespace KickDrift

#endif
