#ifndef KICKDRIFT_STEPPING_KICKS_DAMPING_KICKS_H
#define KICKDRIFT_STEPPING_KICKS_DAMPING_KICKS_H

#include <kickdrift/stepping/kicks/kicks.h>

#include <deal.II/base/exceptions.h>

#include <vector>

namespace KickDrift
{
/// What a kick of damping remembers of the last one; numbers only, see Kicks::account().
template <int spacedim>
struct LastDamping
{
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  /// Mean velocities of the intervals before and after a kick [length/time].
  struct Means
  {
    Vector before; ///< w^-
    Vector change; ///< w^+ - v^+, expected
  };

  /**
   * Those around the next kick: the last one from the way since then, whatever others have given
   * and when; they are expected to change the next one as much. Without a last kick nobody else is
   * known to act.
   * @param velocity before the next kick [length/time]
   * @param displacement then [length]
   */
  Means
  means(const Vector &velocity, const Vector &displacement, const double time) const
  {
    const double interval = time - this->time;
    if (is_known == 0 || !(interval > 0))
      return {velocity, Vector()};
    const Vector mean = (displacement - this->displacement) / interval;
    return {mean, mean - this->velocity};
  }

  Vector taken;        ///< by the kick, over its interval: a force, or a deceleration
  Vector velocity;     ///< after it [length/time]
  Vector displacement; ///< at its time [length]
  double time = 0;     ///< of it
  double is_known = 0; ///< 1 if there was one
};

/**
 * Kicks for Stepper::add_damping() that oppose velocities. They come last of all kicks of their
 * time and are solved together with these: over an interval h a rate x/h of damping takes
 *
 * @f[ v^+ - v^* = -x \left[(1-\theta)\,w^- + \theta\,w^+\right],\quad
 *     \theta = \max(1/2,\ 1 - 1/x), @f]
 *
 * with the velocities @f$v^*, v^+@f$ before this kick and after it, and the mean ones
 * @f$w^-, w^+@f$ of the intervals between it and its neighbours in time, see LastDamping. Kicks of
 * finer classes change velocities on the way, and contact does at the very time of a kick: the ways
 * of nodes know both. Where nobody else acts, @f$w^-@f$ and @f$w^+@f$ are the velocities before
 * all kicks of this time and after them. For @f$x \ge 2@f$, @f$w^+@f$ is the force of all others
 * over the coefficient. So a velocity does not change its sign by damping alone, a steady one is
 * exact for any x, and the order in h is the second.
 *
 * What has been taken is known by kick, for queries about times within the interval.
 */
template <int spacedim>
class DampingKicks : public Kicks<spacedim>
{
public:
  /// A vector in space.
  using Vector = typename Kicks<spacedim>::Vector;

  /// Velocities of the supports of all kicks on @p clock, one after the other [length/time].
  std::vector<Vector>
  velocities(const NodeTable<spacedim> &nodes, const unsigned int clock) const
  {
    std::vector<Vector> result;
    for (const unsigned int k : on_clock(clock))
      for (const unsigned int node : this->support(k))
        result.push_back(nodes.velocity(node));
    return result;
  }

  /**
   * Give the kicks of @p clock ; all others of this time have been given, and restraints hold.
   * @param before velocities() before these others
   */
  virtual void damp(NodeTable<spacedim> &nodes, const std::vector<Vector> &before,
                    unsigned int clock, double time, double step) = 0;

  /**
   * For snapshots: the share of the kicks of @p clock for a @p duration until @p time, which is
   * negative if it is taken back. Others have given theirs, and restraints hold.
   * @param before velocities() in the run
   */
  virtual void damp_share(NodeTable<spacedim> &nodes, const std::vector<Vector> &before,
                          unsigned int clock, double time, double duration) const = 0;

  /**
   * The impulse of damp_share() by kick @p k on a @p node of its support [mass*length/time].
   * @param velocity of the node with the shares of others; other nodes have that of the table
   */
  virtual Vector impulse_on(const NodeTable<spacedim> &nodes, unsigned int k, unsigned int node,
                            const Vector &velocity, double time, double duration) const = 0;

  /// Not for these: see damp().
  void
  kick(NodeTable<spacedim> &, unsigned int, double, double) const final
  {
    Assert(false, dealii::ExcMessage("Damping is not given on its own."));
  }

  /// Adds nothing: losses are in the table of the nodes, whose copies may be damped further.
  void
  add_energy(const NodeTable<spacedim> &, EnergyBalance &) const override
  {
  }

protected:
  /// Kicks on a clock, ascending.
  virtual const std::vector<unsigned int> &on_clock(unsigned int clock) const = 0;

  /// Weight theta of the velocity after a kick for a rate times interval x.
  static double
  weight_after(const double x)
  {
    return x > 2 ? 1 - 1 / x : 0.5;
  }
};
} // namespace KickDrift

#endif
