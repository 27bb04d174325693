#ifndef KICKDRIFT_CASES_SIMULATION_H
#define KICKDRIFT_CASES_SIMULATION_H

#include <kickdrift/cases/detection.h>
#include <kickdrift/cases/watch.h>
#include <kickdrift/output/progress.h>
#include <kickdrift/output/recorder.h>
#include <kickdrift/output/summary.h>

#include <chrono>
#include <ostream>

namespace KickDrift
{
/// The run of a case: from the first kick to the end time, with recorders looking on.
template <int dim>
class Simulation
{
public:
  /**
   * Everything that comes before the first kick; throws dealii::ExceptionBase if something is wrong
   * with the case.
   * @param parameters must outlive the simulation
   * @param out for what the user should read
   */
  Simulation(const CaseParameters<dim> &parameters, std::ostream &out);

  /// The case, put together.
  Model<dim> &
  model()
  {
    return system;
  }

  /**
   * Open all files in @p folder, which exists, and save the start. Throws dealii::ExceptionBase if
   * that fails, or if the run would have to stop at once.
   */
  void start(const std::string &folder);

  /**
   * Run until the end time, after start().
   *
   * Throws dealii::ExceptionBase if the run has to stop before; files written so far are complete,
   * and summary.json has the status and the message.
   */
  void run(Progress::Style progress_style);

private:
  using Clock = std::chrono::steady_clock;

  void add_recorders(const std::string &folder);
  std::unique_ptr<Recorder<dim>> volume_recorder(const std::string &folder) const;

  /// The main loop.
  void step_through(Progress &progress);
  /// Advance, with pauses in which the watch and detection look.
  void advance_to(double time, Progress &progress);
  /// Let the watch look at the present.
  void check();
  /// Let the recorders look at the present.
  void save(unsigned int index, double time);

  std::uint64_t strain_kicks() const;

  typename Summary::Profile profile() const;
  void write_summary_file(const std::string &message) const;
  void print_outcome() const;
  Summary summary() const;

  const CaseParameters<dim> &parameters;
  std::ostream &out;
  const Clock::time_point begin;
  Model<dim> system;
  Watch<dim> watch;
  std::unique_ptr<Detection<dim>> detection; ///< null: not asked for
  std::string folder;
  const ContactStatistics<dim> no_contact;
  std::vector<std::unique_ptr<Recorder<dim>>> recorders;
  EnergyAudit audit;
  typename Summary::WallTime wall_time;
  double time_of_checks = 0; ///< of the watch [s]
};
} // namespace KickDrift

#endif
