#ifndef KICKDRIFT_POTENTIALS_SIMPLE_KICKS_H
#define KICKDRIFT_POTENTIALS_SIMPLE_KICKS_H

#include <kickdrift/base/compressed_rows.h>
#include <kickdrift/potentials/kicks_by_clock.h>
#include <kickdrift/stepping/kicks/kicks.h>

#include <optional>
#include <vector>

namespace KickDrift
{
/**
 * Base class of families of kicks that are evaluated one by one, such as springs and cables.
 *
 * A derived class says what its kicks are: name(), n_kicks(), support(), nodal_stiffness(), force()
 * and energy(). Clocks, drifting and the kick itself are done here. Families of many kicks, where
 * several at a time can be evaluated faster, derive from Kicks instead.
 */
template <int spacedim>
class SimpleKicks : public ClockedKicks<spacedim>
{
public:
  /// A vector in space.
  using Vector = typename Kicks<spacedim>::Vector;

  void nodal_stiffness(unsigned int k, std::vector<double> &stiffness) const override = 0;

  /**
   * Force -dV/dx of kick @p k on each node of its support at @p time: those of
   * NodeTable::position_at() and displacement_at(). The sum of all energies must be its potential,
   * or the energy balance of every run is wrong.
   * @param force shape (nodes of the support), of any length before [force]
   */
  void force(const NodeTable<spacedim> &nodes, unsigned int k, double time,
             std::vector<Vector> &force) const override = 0;

  /// Potential energy V of kick @p k for nodes that are all at one time [energy].
  virtual double energy(const NodeTable<spacedim> &nodes, unsigned int k) const = 0;

  void assign_clocks(const std::vector<unsigned int> &clock_of_kick,
                     unsigned int n_clocks) override;
  void kick(NodeTable<spacedim> &nodes, unsigned int clock, double time,
            double step) const override;
  std::optional<unsigned int>
  undefined_clock() const override
  {
    return undefined;
  }

  /// Adds energy() of all kicks to the strain energy.
  void add_energy(const NodeTable<spacedim> &nodes, EnergyBalance &balance) const override;

private:
  CompressedRows<unsigned int> supports;         ///< by kick
  mutable std::vector<Vector> kick_force;        ///< for kick(), to allocate it once
  mutable std::optional<unsigned int> undefined; ///< see undefined_clock()
};
} // namespace KickDrift

#endif
