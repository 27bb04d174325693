#ifndef KICKDRIFT_STEPPING_ENERGY_AUDIT_H
#define KICKDRIFT_STEPPING_ENERGY_AUDIT_H

#include <kickdrift/base/archive.h>
#include <kickdrift/nodes/node_table.h>
#include <kickdrift/stepping/kicks/energy_balance.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
/// Energy that the rounding of displacements may put into a mesh with steps as short as @p
/// shortest_step : that of velocities 1e-12 u / step [energy].
template <int spacedim>
double
round_off_energy(const NodeTable<spacedim> &nodes, const double shortest_step)
{
  const double rate = 1e-12 / shortest_step;
  double sum = 0;
  for (unsigned int node = 0; node < nodes.size(); ++node)
    sum += 0.5 * nodes.mass(node) * (rate * rate) * nodes.displacement(node).norm_square();
  return sum;
}

/**
 * Relative error of the energy balance: deviation of its total from the first one, over the largest
 * so far of
 * - the energies at the start: total, kinetic, strain;
 * - the work of loads and of prescribed motion, each and together;
 * - what a potential has given, a negative strain energy;
 * - an energy below which nothing matters.
 *
 * Kinetic and strain energy are no more than these together unless they are in error themselves, so
 * later they have no say: a run that blows up must not be measured against itself.
 *
 * A run that starts at rest has only the work to compare with, and in its first steps errors are as
 * large as that. So whoever knows what the loads will be says so by the least energy that matters.
 */
class EnergyAudit
{
public:
  /// Take the balance of the next time; returns its error [-]. @p least : below this, energies do
  /// not matter [energy].
  double
  update(const EnergyBalance &balance, const double least = 0)
  {
    if (n_updates++ == 0)
    {
      first_total = balance.total();
      first_energy = std::max({std::abs(first_total), balance.kinetic, std::abs(balance.strain)});
      largest_energy = first_energy;
    }
    largest_energy = std::max(
        {largest_energy, std::abs(balance.external_work), std::abs(balance.prescribed_work),
         std::abs(balance.external_work + balance.prescribed_work), -balance.strain, least});
    const double deviation = balance.total() - first_total;
    last_error = relative(deviation);
    largest_error = std::max(largest_error, std::abs(last_error));
    return last_error;
  }

  /// Error at the last time, with its sign [-].
  double
  error() const
  {
    return last_error;
  }

  /// Largest absolute error so far [-].
  double
  max_error() const
  {
    return largest_error;
  }

  /// What errors are relative to so far [energy].
  double
  reference() const
  {
    return largest_energy;
  }

  /// Does the error mean something at @p time? A run from rest has no energy to compare with until
  /// its loads have worked for a while; but an error that is not a number always does.
  /// @p largest_step : critical one [time]
  bool
  is_telling(const double time, const double largest_step) const
  {
    constexpr double n_steps = 20;
    return std::isnan(last_error) || first_energy == largest_energy ||
           !(time < n_steps * largest_step);
  }

  /// Write to, or read from, a checkpoint.
  void
  serialize(Archive &archive)
  {
    archive(n_updates, first_total, first_energy, largest_energy, last_error, largest_error);
  }

private:
  /// An energy from nothing, where there is nothing to compare it with, is an error of 1.
  double
  relative(const double deviation) const
  {
    const double scale = largest_energy > 0 ? largest_energy : std::abs(deviation);
    return deviation == 0 ? 0. : deviation / scale;
  }

  unsigned int n_updates = 0;
  double first_total = 0, first_energy = 0, largest_energy = 0;
  double last_error = 0, largest_error = 0;
};
} // namespace KickDrift

#endif
