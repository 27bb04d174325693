#ifndef KICKDRIFT_CASES_RUN_SIMULATION_H
#define KICKDRIFT_CASES_RUN_SIMULATION_H

#include <kickdrift/cases/run/contact_resolution.h>
#include <kickdrift/cases/run/detection.h>
#include <kickdrift/cases/run/division_watch.h>
#include <kickdrift/cases/run/run_monitor.h>
#include <kickdrift/output/checkpoints.h>
#include <kickdrift/output/progress.h>
#include <kickdrift/output/recorder.h>
#include <kickdrift/output/sections.h>
#include <kickdrift/output/summary.h>
#include <kickdrift/output/volume_recorder.h>
#include <kickdrift/parallel/ranks.h>
#include <kickdrift/stepping/division/division.h>

#include <chrono>
#include <functional>
#include <memory>
#include <ostream>

namespace KickDrift
{
template <int spacedim>
class IntersectionCheck;

/// How Simulation::run() has come to its end.
enum class RunEnd
{
  done,        ///< at the end time
  interrupted, ///< asked to stop before
  divides_anew ///< processes go on with other kicks, see Simulation::divide_anew()
};

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
   * Instead of start(): continue the run in @p folder that the checkpoint @p state is of, with the
   * @p save_times that it began with. Rows written after it are taken back. Throws
   * dealii::ExceptionBase if files do not fit.
   */
  void resume(const std::string &folder, Archive &state, const SaveTimes &save_times);

  /**
   * Write checkpoints as the parameters ask for, and if they ask for any, at the end of the run and
   * when results cannot be written.
   * @param checkpoints must outlive the simulation
   * @param shall_stop asked every now and then: shall the run write a checkpoint and stop?
   */
  void keep_checkpoints(Checkpoints &checkpoints, std::function<bool()> shall_stop);

  /// Stop the run when a node passes through a face, an edge through an edge, or a node enters an
  /// obstacle; to be called before run(). Slow: it looks at every straight flight of every node.
  void check_intersections();

  /**
   * Run until the end time, after start() or resume(), unless it is asked to stop before (see
   * keep_checkpoints()), or kicks should be divided among processes anew.
   *
   * Throws dealii::ExceptionBase if the run has to stop before; files written so far are complete,
   * and summary.json has the status and the message.
   */
  RunEnd run(Progress::Style progress_style);

  /**
   * Collective, after RunEnd::divides_anew: the run goes on in @p simulation, which is replaced by
   * one of the same @p parameters with other owners of nodes; with the same bits, and in the same
   * files. The old one ends before the new one is made, so that there is never more than one in
   * memory.
   */
  static void divide_anew(std::unique_ptr<Simulation<dim>> &simulation,
                          CaseParameters<dim> &parameters);

private:
  using Clock = std::chrono::steady_clock;

  /// What is reported of one process of several.
  struct ProcessReport
  {
    std::uint64_t memory, peak_memory; ///< [bytes]
    Holding holding;
  };

  void add_recorders(Opening opening);
  std::unique_ptr<Recorder<dim>> volume_recorder(const std::string &folder) const;
  /// Do all processes write pictures of volumes, each the cells that it kicks?
  bool writes_pieces() const;
  /// Of a body, the active cells in the pictures that this process writes; none: all.
  std::optional<std::vector<unsigned int>> cells_of_piece(const MeshedBody<dim> &body) const;
  std::vector<RecordedSection<dim>> recorded_sections() const;
  void add_shell(const MeshedBody<dim> &meshed, VolumeRecorder<dim> &recorder) const;

  /// The main loop.
  RunEnd step_through(Progress &progress);
  /// Advance, with pauses in which the watch and detection look. Returns false if the run was asked
  /// to stop.
  bool advance_to(double time, Progress &progress);
  /// Write a checkpoint if it is time to. Returns false if the run was asked to stop.
  bool may_go_on();
  /// Advance the stepper alone, and look for intersections if that is asked for.
  void advance_stepper(double time);
  void write_checkpoint();
  /// The same at the end, from which the run can be continued to a later one.
  void write_last_checkpoint();
  /// The same after results could not be written; says so, or nothing if that fails, too.
  std::string write_checkpoint_of_stop();
  void serialize(Archive &archive);
  /// The part of it that save() changes.
  void serialize_recorders(Archive &archive);
  /// Let the monitor look at the present.
  void check();
  /// Let the detection look at the present, @p time.
  void detect(double time);
  /// Let the recorders look at the present. If one of them fails, all are as they were before.
  void save(unsigned int index, double time);
  /// There is nothing that could be recorded.
  void warn_of_undefined_energy(const NodeTable<dim> &synchronised, double time) const;

  /// What only set-up needs goes, on processes that do not write the meshes, too, and on those that
  /// do if nothing looks at them.
  void let_go_of_set_up();
  /// Collective: ask what processes hold, and what memory they have.
  void look_at_processes();

  /// Is this the process that writes? The others have the same nodes, clocks and contact.
  bool writes() const;

  std::uint64_t strain_kicks() const;

  typename Summary::Profile profile() const;
  void write_summary_file(const std::string &status, const std::string &message = "",
                          const std::string &reason = "") const;
  /// Since the run began, until now, without pauses before resume() [s].
  double total_wall_time() const;
  void print_outcome() const;
  Summary summary() const;

  const CaseParameters<dim> &parameters;
  const std::shared_ptr<Ranks> ranks;
  std::ostream &out;
  const Clock::time_point begin;
  Model<dim> system;
  const std::uint64_t fingerprint; ///< of the model before the first kick; 0 for one process
  RunMonitor<dim> monitor;
  std::unique_ptr<Detection<dim>> detection;                  ///< null: not asked for
  std::shared_ptr<IntersectionCheck<dim>> intersections;      ///< null: not asked for
  std::unique_ptr<ContactResolution<dim>> contact_resolution; ///< null: no contact
  std::vector<ProbedField<dim>> more_of_probes; ///< beside displacements and velocities
  std::string folder;
  std::vector<std::unique_ptr<Recorder<dim>>> recorders;
  SaveTimes save_times;
  unsigned int next_save = 1; ///< index of the next save time
  bool has_failed_to_save = false;
  bool is_undefined = false; ///< had the last save time an energy that is not a number?
  Checkpoints *checkpoints = nullptr;
  std::function<bool()> shall_stop;
  Clock::time_point last_checkpoint = Clock::now(); ///< or when the simulation was made
  double time_of_checkpoint = 0;                    ///< the same [time]
  typename Summary::WallTime wall_time;
  double time_of_checks = 0;                       ///< of the watch [s]
  double processor_time_of_stepping = 0;           ///< of the thread that steps [s]
  std::unique_ptr<DivisionWatch<dim>> division;    ///< null: one process, or not asked for
  std::shared_ptr<const NodeOwners> better_owners; ///< set by RunEnd::divides_anew
  unsigned int n_divisions = 0;                    ///< how often kicks have been divided anew
  std::vector<ProcessReport> of_processes;         ///< at the end; empty: one
  std::string untouched;                           ///< at the end, see text_of_untouched()
  double wall_time_of_earlier = 0; ///< total wall time until the checkpoint that was resumed [s]
};
} // namespace KickDrift

#endif
