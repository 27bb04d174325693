#include <kickdrift/base/archive.h>
#include <kickdrift/base/memory.h>
#include <kickdrift/base/messages.h>
#include <kickdrift/base/processor_time.h>
#include <kickdrift/base/std_exceptions.h>
#include <kickdrift/cases/preflight/preflight.h>
#include <kickdrift/cases/run/cell_fields.h>
#include <kickdrift/cases/run/likely_cause.h>
#include <kickdrift/cases/run/simulation.h>
#include <kickdrift/cases/run/untouched.h>
#include <kickdrift/contact/intersection_check.h>
#include <kickdrift/output/histories.h>
#include <kickdrift/output/surface_recorder.h>
#include <kickdrift/output/volume_recorder.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iomanip>
#include <limits>
#include <set>
#include <sstream>

namespace KickDrift
{
using namespace dealii;

namespace
{
using Seconds = std::chrono::duration<double>;

/// Adds the wall time until its end to a sum [s].
class ScopedTimer
{
public:
  explicit ScopedTimer(double &sum) : sum(sum), begin(std::chrono::steady_clock::now()) {}
  ScopedTimer(const ScopedTimer &) = delete;
  ~ScopedTimer() { sum += Seconds(std::chrono::steady_clock::now() - begin).count(); }

private:
  double &sum;
  const std::chrono::steady_clock::time_point begin;
};

/// The same with the processor time of the thread.
class ScopedProcessorTimer
{
public:
  explicit ScopedProcessorTimer(double &sum) : sum(sum), begin(processor_time_of_thread()) {}
  ScopedProcessorTimer(const ScopedProcessorTimer &) = delete;
  ~ScopedProcessorTimer() { sum += processor_time_of_thread() - begin; }

private:
  double &sum;
  const double begin;
};

/// Does a process that writes ask for cells of the mesh while the run goes on? Pictures do, the
/// warning of large strains in linear materials (StrainWarning), and mean stresses of nodes.
template <int dim>
bool
needs_mesh(const MeshedBody<dim> &meshed, const OutputParameters &output)
{
  if (meshed.shell || output.vtu_every > 0)
    return true;
  const auto &kicks = meshed.body->kicks();
  return !meshed.body->nodal_kicks().empty() ||
         std::any_of(kicks.begin(), kicks.end(),
                     [](const auto &family) { return family->material().is_linear(); });
}
} // namespace

template <int dim>
Simulation<dim>::Simulation(const CaseParameters<dim> &parameters, std::ostream &out)
    : parameters(parameters),
      ranks(parameters.stepping.stepper.ranks ? parameters.stepping.stepper.ranks
                                              : std::make_shared<Ranks>()),
      out(out),
      begin(Clock::now()),
      system(parameters),
      fingerprint(ranks->size() > 1 ? system.fingerprint() : 0),
      monitor(system, out),
      save_times{parameters.stepping.end_time, parameters.output.save_intervals}
{
  check_n_steps(system);
  check_loads(system);
  if (parameters.detection.enabled)
    detection = std::make_unique<Detection<dim>>(system);
  if (system.contact && system.contact->has_states())
    contact_resolution = std::make_unique<ContactResolution<dim>>(system);
  if (writes())
    more_of_probes = probed_fields(system);
  wall_time.setup = Seconds(Clock::now() - begin).count();
}

template <int dim>
void
Simulation<dim>::start(const std::string &output_folder)
{
  folder = output_folder;
  add_recorders(Opening::anew);
  monitor.check();
  save(0, 0.);
}

template <int dim>
RunEnd
Simulation<dim>::run(const Progress::Style progress_style)
{
  RunEnd end = RunEnd::interrupted;
  let_go_of_set_up();
  try
  {
    Progress progress(out, 0., parameters.stepping.end_time, progress_style);
    progress.resume(system.stepper.time(), strain_kicks());
    // families of a user's own need not be able to go on from a state
    if (ranks->size() > 1 && parameters.stepping.divides_again && parameters.kicks.empty() &&
        !intersections)
      division = std::make_unique<DivisionWatch<dim>>(system, parameters.stepping.end_time);
    end = with_std_exceptions(
        [&] {
          return with_memory_for("the steps of the run", [&] { return step_through(progress); });
        });
    if (end == RunEnd::divides_anew)
      return end;
    look_at_processes();
    untouched = text_of_untouched(system);
    progress.finish(system.stepper.time(), strain_kicks(), system.dynamics.energy_audit().error());
  }
  catch (const std::exception &exception)
  {
    ranks->fail(exception); // if this process is the only one to know
    const std::string kept = write_checkpoint_of_stop();
    try
    {
      const bool at_limit = dynamic_cast<const ExcEnergyLimit *>(&exception) != nullptr;
      write_summary_file("stopped", message_of(exception), at_limit ? "energy limit" : "");
    }
    catch (const std::exception &)
    {
      // the disk may be full: what stopped the run is what the user should be told
    }
    AssertThrow(kept.empty(), ExcMessage(message_of(exception) + kept));
    throw;
  }
  const bool is_done = end == RunEnd::done;
  write_summary_file(is_done ? "done" : "interrupted");
  if (is_done && checkpoints && writes())
    checkpoints->remove_older();
  if (is_done && writes())
    print_outcome();
  return end;
}

template <int dim>
void
Simulation<dim>::let_go_of_set_up()
{
  // families of a user's own may keep the bodies that they were given
  for (auto &body : system.bodies)
    if (parameters.kicks.empty() && !writes_pieces() &&
        (!writes() || !needs_mesh(body, parameters.output)))
      body.forget_mesh();
  return_freed_memory();
}

template <int dim>
void
Simulation<dim>::look_at_processes()
{
  if (ranks->size() == 1)
    return;
  const Holding holding = system.stepper.holding();
  std::vector<double> own = {double(own_memory()), double(peak_memory()), double(holding.kicks),
                             double(holding.halo), double(holding.neighbours)};
  for (const Firing &firing : holding.of_clock)
    own.insert(own.end(), {double(firing.kicks), double(firing.halo), double(firing.neighbours)});
  const auto all = ranks->gather(own, std::vector<std::size_t>(ranks->size(), own.size()));
  const double *next = all.data();
  const auto take = [&next] { return std::uint64_t(*next++); };
  for (unsigned int rank = 0; rank < ranks->size(); ++rank)
  {
    ProcessReport report;
    report.memory = take();
    report.peak_memory = take();
    report.holding.kicks = take();
    report.holding.halo = take();
    report.holding.neighbours = take();
    report.holding.of_clock.resize(holding.of_clock.size());
    for (Firing &firing : report.holding.of_clock)
    {
      firing.kicks = take();
      firing.halo = take();
      firing.neighbours = take();
    }
    of_processes.push_back(std::move(report));
  }
}

template <int dim>
RunEnd
Simulation<dim>::step_through(Progress &progress)
{
  const double end = parameters.stepping.end_time;
  const unsigned int last = save_times.last(end);
  while (next_save <= last)
  {
    const double time = next_save == last ? end : save_times.time(next_save);
    if (!advance_to(time, progress))
      return RunEnd::interrupted;
    // a longer run would not save anything here: before that
    const bool is_extra = next_save == last && !save_times.ends_with(end);
    if (is_extra)
      write_last_checkpoint();
    save(next_save, time);
    ++next_save;
    // after an extra row nothing may be written that a longer run would go on from
    if (!is_extra && !may_go_on())
      return RunEnd::interrupted;
    if (time == end && !is_extra)
      write_last_checkpoint();
    if (division && time < end)
      better_owners = division->look();
    if (better_owners)
      return RunEnd::divides_anew;
  }
  monitor.check_at_end(end);
  if (detection)
    detection->finish(end);
  return RunEnd::done;
}

template <int dim>
bool
Simulation<dim>::advance_to(const double time, Progress &progress)
{
  const ScopedTimer timer(wall_time.stepping);
  const ScopedProcessorTimer processor_timer(processor_time_of_stepping);
  const auto detection_time = [this]
  { return detection ? detection->next_time() : std::numeric_limits<double>::infinity(); };
  while (std::min(monitor.next_time(), detection_time()) <= time)
  {
    const double next = std::min(monitor.next_time(), detection_time());
    advance_stepper(next);
    if (detection_time() == next)
      detect(next);
    if (monitor.next_time() > next)
      continue;
    check();
    progress.update(next, strain_kicks(), system.dynamics.energy_audit().error());
    if (!may_go_on())
      return false;
  }
  advance_stepper(time);
  return true;
}

template <int dim>
void
Simulation<dim>::advance_stepper(const double time)
{
  try
  {
    if (intersections)
      intersections->advance_to(time);
    else
      system.stepper.advance_to(time);
  }
  catch (const StepperExceptions::ExcUndefinedForce &exception)
  {
    AssertThrow(false, ExcMessage(cause_of_undefined_force(system, exception.id, exception.time)));
  }
  if (intersections && !intersections->found().empty())
    AssertThrow(false, ExcMessage(intersections->text(intersections->found().front())));
}

template <int dim>
void
Simulation<dim>::check_intersections()
{
  AssertThrow(!system.dynamics.has_eroding_surface(),
              ExcMessage("'--check-intersections' looks at the surface of the start, and does not "
                         "go with 'Failure strain' of bodies in contact, whose cells are "
                         "deleted."));
  intersections = std::make_shared<IntersectionCheck<dim>>(
      system.nodes, system.stepper, system.dynamics.surface(), system.contact_parameters(),
      system.obstacles);
}

template <int dim>
void
Simulation<dim>::detect(const double time)
{
  try
  {
    detection->look();
  }
  catch (...)
  {
    monitor.check_numbers(time); // that is a better reason
    throw;
  }
}

template <int dim>
void
Simulation<dim>::check()
{
  const ScopedTimer timer(time_of_checks);
  monitor.check();
}

template <int dim>
void
Simulation<dim>::save(const unsigned int index, const double time)
{
  const ScopedTimer timer(wall_time.output);
  const NodeTable<dim> &nodes = system.dynamics.state();
  FamilyEnergies<dim> of_families;
  const EnergyBalance balance = system.dynamics.energy(&of_families);
  // If it stays so, the run stops at a time that does not depend on the output.
  if (!std::isfinite(balance.total()))
  {
    if (!is_undefined)
      warn_of_undefined_energy(nodes, time);
    is_undefined = true;
    return;
  }
  is_undefined = false;
  Archive before;
  serialize_recorders(before);
  try
  {
    const ContactStatistics<dim> contact = system.dynamics.contact_statistics();
    monitor.take(nodes, time, balance);
    if (contact_resolution)
      contact_resolution->look(nodes, contact);
    const EnergyAudit &audit = system.dynamics.energy_audit();
    const Frame<dim> frame{index,
                           time,
                           nodes,
                           balance,
                           audit.error(),
                           strain_kicks(),
                           contact,
                           system.n_deleted_cells(),
                           std::move(of_families)};
    with_memory_for("the output",
                    [&]
                    {
                      for (const auto &recorder : recorders)
                        recorder->record(frame);
                    });
  }
  catch (...)
  {
    try
    {
      Archive there(before.bytes());
      serialize_recorders(there);
      has_failed_to_save = true;
    }
    catch (const std::exception &)
    {
      // files may be gone; the first failure is the one to report
    }
    throw;
  }
  monitor.check_energy(time);
}

template <int dim>
void
Simulation<dim>::warn_of_undefined_energy(const NodeTable<dim> &synchronised,
                                          const double time) const
{
  const auto cell = find_undefined_cell(system, synchronised);
  out << "\nWarning: there are no results from time " << number_text(time) << " on, since "
      << (cell ? "the energy of " + system.cell_text(*cell) : std::string("the energy"))
      << " is not a number there.\n";
}

template <int dim>
bool
Simulation<dim>::writes() const
{
  return ranks->is_first();
}

template <int dim>
std::uint64_t
Simulation<dim>::strain_kicks() const
{
  std::uint64_t sum = 0;
  for (const auto &family : system.stepper.kick_statistics())
    if (family.kind == KickKind::strain)
      sum += family.count;
  return sum;
}

template class Simulation<2>;
template class Simulation<3>;
} // namespace KickDrift
