#ifndef KICKDRIFT_POTENTIALS_DASHPOTS_H
#define KICKDRIFT_POTENTIALS_DASHPOTS_H

#include <kickdrift/potentials/kicks_by_clock.h>
#include <kickdrift/stepping/kicks/damping_kicks.h>

#include <optional>
#include <string>
#include <vector>

namespace KickDrift
{
/// A linear dashpot at a node: the force is @f$-c@f$ times the velocity relative to the other end.
template <int spacedim>
struct Dashpot
{
  /// Where it pulls.
  enum class Direction
  {
    along, ///< the line from one end to the other, at the time; nowhere if they are at one point
    all    ///< in all directions; to a point that does not move only
  };

  unsigned int node;                      ///< one end
  std::optional<unsigned int> other;      ///< the other end; none: a point that does not move
  dealii::Point<spacedim> anchor;         ///< that point [length]
  double coefficient;                     ///< c, not negative [force time/length]
  Direction direction = Direction::along; ///< where it pulls
};

/**
 * Dashpots, a kick each: over a step h the relative velocity is multiplied by
 * @f$e^{-c w h}@f$, w being the effective inverse mass between the ends in the direction of the
 * dashpot, which is exact while they are where they are. So they never add energy, for any step and
 * coefficient, and set no critical step.
 *
 * To be added by Stepper::add_synchronised(), at whose times velocities are those that energies are
 * counted with; of second order with kicks and drifts between. All that share nodes should be in
 * one family: they act one after the other, forth with one half of the step and back with the
 * other, so that the order is the second for these, too. Impulses on both ends are opposite and
 * along the line between them: momenta stay. What is taken,
 * @f$\frac 1 2 v^2/w \, (1 - e^{-2 c w h})@f$, goes to NodeTable::dashpot_loss().
 *
 * For one process: those that share nodes act one after the other, wherever they are.
 */
template <int spacedim>
class Dashpots : public ClockedKicks<spacedim, DampingKicks<spacedim>>
{
public:
  /// A vector in space.
  using Vector = typename Kicks<spacedim>::Vector;

  /// Throws dealii::ExceptionBase if one has invalid properties, naming it.
  explicit Dashpots(std::vector<Dashpot<spacedim>> dashpots);

  std::string
  name() const override
  {
    return "dashpot";
  }
  /// Number of kicks.
  unsigned int
  n_kicks() const override
  {
    return dashpots.size();
  }
  std::vector<unsigned int> support(unsigned int k) const override;
  bool
  is_for_one_process() const override
  {
    return true;
  }
  void kick(NodeTable<spacedim> &nodes, unsigned int clock, double time,
            double step) const override;
  void force(const NodeTable<spacedim> &nodes, unsigned int k, double time,
             std::vector<Vector> &force) const override;
  Vector impulse_on(const NodeTable<spacedim> &nodes, unsigned int k, unsigned int node,
                    const Vector &velocity, double time, double duration) const override;

private:
  /// From the node to the other end at @p time, of length 1 or 0.
  Vector direction(const NodeTable<spacedim> &nodes, const Dashpot<spacedim> &dashpot,
                   double time) const;
  /// Velocity of the node relative to the other end.
  Vector relative_velocity(const NodeTable<spacedim> &nodes,
                           const Dashpot<spacedim> &dashpot) const;
  /// w in this direction [1/mass].
  double inverse_mass(const NodeTable<spacedim> &nodes, const Dashpot<spacedim> &dashpot,
                      const Vector &along) const;
  void damp(NodeTable<spacedim> &nodes, const Dashpot<spacedim> &dashpot, double time,
            double step) const;

  const std::vector<Dashpot<spacedim>> dashpots;
};
} // namespace KickDrift

#endif
