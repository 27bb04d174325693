#ifndef KICKDRIFT_CASES_RUN_RUN_MONITOR_H
#define KICKDRIFT_CASES_RUN_RUN_MONITOR_H

#include <kickdrift/cases/model/model.h>
#include <kickdrift/cases/run/strain_warning.h>
#include <kickdrift/stepping/energy_audit.h>

#include <deal.II/base/exceptions.h>

#include <cstdint>
#include <ostream>
#include <string>

namespace KickDrift
{
/// A run is stopped since the energy error is above its limit.
DeclException1(ExcEnergyLimit, std::string, << arg1);

/**
 * Watches over a run and stops it: if something is not a number, if the energy error is above its
 * limit, if a cell's step is above its critical step in the deformed state.
 *
 * It looks at times of its own. Most looks are a pass over the nodes; some, and all at which the
 * kinetic energy has grown suspiciously, take the whole balance of energies. Save times have a
 * balance anyway, so the energy error is compared with its limit there, too. It never changes the
 * run.
 */
template <int dim>
class RunMonitor
{
public:
  /// @param out for warnings; must outlive the watch, as must @p model
  RunMonitor(Model<dim> &model, std::ostream &out);

  /// When the run should be advanced to and looked at next; the first time is 0 [time].
  double next_time() const;

  /// Look at the run at next_time(). Throws dealii::ExceptionBase if it has to stop.
  void check();

  /// Throws if the state at @p time is not made of numbers.
  void check_numbers(double time) const;

  /// The same as check() for the end of the run, in full.
  void check_at_end(double time);

  /// Take the @p balance of a save time, which is finite, into Dynamics::energy_audit(), and look
  /// for cells of linear materials that have turned.
  void take(const NodeTable<dim> &synchronised, double time, const EnergyBalance &balance);

  /// Throws dealii::ExceptionBase if the energy error of the last balance is above its limit.
  void check_energy(double time) const;

  /// Write to, or read from, a checkpoint what the watch remembers.
  void serialize(Archive &archive);

private:
  void check_in_full(double time);
  /// Kinetic energy of the nodes as they are, without synchronisation [energy].
  double kinetic_energy(double time) const;
  void check_critical_steps(double time);
  /// Layers that take much of the energy give way as if they were part of the bodies.
  void look_at_layers(double time, const EnergyBalance &energies);

  Model<dim> &model;
  std::ostream &out;
  StrainWarning<dim> strain_warning;
  double interval = 0;     ///< between looks [time]
  double least_energy = 0; ///< that matters [energy]
  std::uint64_t n_checks = 0;
  double largest_allowed_ratio = 1; ///< of a step to its critical step in the deformed state
  bool warned_of_step = false, warned_of_layers = false;
};

/// Throw dealii::ExceptionBase, naming parameter, place and time, if the value of a load is not
/// finite at a node it acts on, at the start.
template <int dim>
void check_loads(Model<dim> &model);

/// Throw dealii::ExceptionBase, naming the parameter, if a run until the end time had more steps
/// than can be counted exactly.
template <int dim>
void check_n_steps(const Model<dim> &model);
} // namespace KickDrift

#endif
