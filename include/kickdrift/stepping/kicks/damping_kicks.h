#ifndef KICKDRIFT_STEPPING_KICKS_DAMPING_KICKS_H
#define KICKDRIFT_STEPPING_KICKS_DAMPING_KICKS_H

#include <kickdrift/stepping/kicks/kicks.h>

#include <deal.II/base/exceptions.h>

#include <vector>

namespace KickDrift
{
/**
 * Kicks for Stepper::add_damping() that oppose velocities. They come last of all kicks of their
 * time and are solved together with these: over an interval h a rate x/h of damping takes
 *
 * @f[ v^+ - v^* = -x \left[(1-\theta)\,w^- + \theta\,w^+\right],\quad
 *     \theta = \max(1/2,\ 1 - 1/x), @f]
 *
 * with the velocities @f$v^-, v^*, v^+@f$ before all kicks of this time, before this one and after
 * it, and the mean ones @f$w^- = v^- - j/2,\ w^+ = v^+ + j/2@f$ of the intervals between this kick
 * and its neighbours in time. The change j is what others have given since the last kick, such as
 * kicks of finer classes and collisions, and are expected to give until the next. For
 * @f$x \le 2@f$ the bracket is @f$(v^- + v^+)/2@f$, whatever j; beyond, @f$w^+@f$ is the force of
 * all others over the coefficient. So a velocity does not change its sign by damping alone, a
 * steady one is exact for any x, and the order in h is the second.
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
