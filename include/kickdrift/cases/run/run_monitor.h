#ifndef KICKDRIFT_CASES_RUN_RUN_MONITOR_H
#define KICKDRIFT_CASES_RUN_RUN_MONITOR_H

#include <kickdrift/cases/model/model.h>
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
 * It looks at times of its own, so that when a run stops does not depend on what is written. Most
 * looks are a pass over the nodes; some, and all at which the kinetic energy has grown
 * suspiciously, take the whole balance of energies. It never changes the run.
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

  /// The same for the end of the run, in full.
  void check_at_end(double time);

  /// Write to, or read from, a checkpoint what the watch remembers.
  void serialize(Archive &archive);

  /// Balance of energies with the contact terms.
  EnergyBalance balance(const NodeTable<dim> &synchronised) const;

  /// Largest absolute energy error so far, at the times of the full looks [-].
  double
  max_error() const
  {
    return audit.max_error();
  }

private:
  void check_in_full(double time);
  /// Kinetic energy of the nodes as they are, without synchronisation [energy].
  double kinetic_energy(double time) const;
  void check_energy(double time) const;
  void check_critical_steps(const NodeTable<dim> &synchronised, double time);
  std::string likely_cause() const;
  std::string likely_cause_of_energy_error() const;

  Model<dim> &model;
  std::ostream &out;
  EnergyAudit audit;
  double interval = 0; ///< between looks [time]
  std::uint64_t n_checks = 0;
  bool warned_of_step = false;
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
