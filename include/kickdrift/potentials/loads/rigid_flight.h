#ifndef KICKDRIFT_POTENTIALS_LOADS_RIGID_FLIGHT_H
#define KICKDRIFT_POTENTIALS_LOADS_RIGID_FLIGHT_H

#include <kickdrift/potentials/kicks_by_clock.h>
#include <kickdrift/stepping/kicks/kicks.h>

#include <memory>

namespace KickDrift
{
/**
 * Cells without strain energy, of bodies that fly and of rigid ones: they keep their clocks, and
 * with them the schedule of contact, and drift their nodes, but never change a velocity.
 */
template <int spacedim>
class RigidFlight : public ClockedKicks<spacedim>
{
public:
  /// A vector in space.
  using Vector = typename Kicks<spacedim>::Vector;

  /// In place of the kicks @p cells, whose supports and critical steps are taken; these are @p step
  /// if that is not zero, infinite if nothing limits them [time].
  explicit RigidFlight(std::shared_ptr<Kicks<spacedim>> cells, const double step = 0)
      : cells(std::move(cells)), step(step)
  {
    this->by_clock = KicksByClock(this->cells->n_kicks());
  }

  std::string
  name() const override
  {
    return "none";
  }
  KickKind
  kind() const override
  {
    return KickKind::rigid;
  }
  /// Number of kicks.
  unsigned int
  n_kicks() const override
  {
    return cells->n_kicks();
  }
  std::vector<unsigned int>
  support(const unsigned int k) const override
  {
    return cells->support(k);
  }
  void
  nodal_stiffness(const unsigned int k, std::vector<double> &stiffness) const override
  {
    if (step > 0)
      stiffness.clear(); // nodes are for others to have
    else
      cells->nodal_stiffness(k, stiffness);
  }
  double
  critical_step(const unsigned int k, const std::vector<double> &masses) const override
  {
    return step > 0 ? step : cells->critical_step(k, masses);
  }
  /// Those of the cells, unless others are given.
  std::vector<double>
  critical_steps(const typename Kicks<spacedim>::MassesOfKick &masses_of_kick) const override
  {
    return step > 0 ? std::vector<double>(n_kicks(), step) : cells->critical_steps(masses_of_kick);
  }
  void
  own_masses(const unsigned int k, std::vector<double> &masses) const override
  {
    cells->own_masses(k, masses);
  }
  /// The cells do.
  void
  let_go(const std::vector<char> &is_elsewhere, const bool stays_known) override
  {
    cells->let_go(is_elsewhere, stays_known);
    cells_let_go = !stays_known;
  }
  void
  assign_clocks(const std::vector<unsigned int> &clock_of_kick,
                const unsigned int n_clocks) override
  {
    ClockedKicks<spacedim>::assign_clocks(clock_of_kick, n_clocks);
    if (cells_let_go) // this is when they do
      cells->assign_clocks(clock_of_kick, n_clocks);
  }
  void
  kick(NodeTable<spacedim> &nodes, const unsigned int clock, const double time,
       double /*duration*/) const override
  {
    for (const unsigned int k : this->by_clock.kicks(clock))
      for (const unsigned int node : cells->support(k))
        nodes[node].drift(time);
  }
  void
  force(const NodeTable<spacedim> &, const unsigned int k, double,
        std::vector<Vector> &force) const override
  {
    force.assign(cells->support(k).size(), Vector());
  }
  void
  add_energy(const NodeTable<spacedim> &, EnergyBalance &) const override
  {
  }

private:
  const std::shared_ptr<Kicks<spacedim>> cells;
  bool cells_let_go = false;
  const double step; ///< of the constructor [time]
};
} // namespace KickDrift

#endif
