// The part of a simulation that stops and continues.

#include <kickdrift/base/archive.h>
#include <kickdrift/base/memory.h>
#include <kickdrift/base/messages.h>
#include <kickdrift/base/std_exceptions.h>
#include <kickdrift/cases/run/simulation.h>
#include <kickdrift/output/files.h>

#include <cmath>
#include <utility>

namespace KickDrift
{
template <int dim>
void
Simulation<dim>::resume(const std::string &output_folder, Archive &state, const SaveTimes &times)
{
  folder = output_folder;
  save_times = times;
  add_recorders(Opening::resumed);
  serialize(state);
  AssertThrow(!writes() || state.is_at_end(),
              dealii::ExcMessage("The checkpoint holds more than the run."));
  time_of_checkpoint = system.stepper.time();
}

template <int dim>
void
Simulation<dim>::divide_anew(std::unique_ptr<Simulation<dim>> &simulation,
                             CaseParameters<dim> &parameters)
{
  std::ostream &out = simulation->out;
  const std::shared_ptr<Ranks> ranks = simulation->ranks;
  const std::string folder = simulation->folder;
  const SaveTimes save_times = simulation->save_times;
  Checkpoints *const checkpoints = simulation->checkpoints;
  auto shall_stop = std::move(simulation->shall_stop);
  const std::uint64_t fingerprint = simulation->fingerprint;
  const double time = simulation->system.stepper.time();
  out << "At time " << number_text(time)
      << " kicks are divided among the processes anew: the busiest process had "
      << number_text(simulation->division->load().share() * ranks->size())
      << " times its share of them.\n";

  // the model may be made anew in vain, as files may have gone
  if (checkpoints && simulation->time_of_checkpoint < time)
    simulation->write_checkpoint();
  Summary summary;
  std::string bytes;
  if (simulation->writes())
  {
    summary = simulation->summary();
    ++simulation->n_divisions;
    Archive state;
    simulation->serialize(state);
    bytes = state.bytes();
  }
  Archive state(ranks->from_first(std::move(bytes)));
  const Clock::time_point last_checkpoint = simulation->last_checkpoint;
  const double time_of_checkpoint = simulation->time_of_checkpoint;
  parameters.stepping.stepper.owners = simulation->better_owners;
  simulation.reset();
  try
  {
    simulation =
        with_std_exceptions([&] { return std::make_unique<Simulation<dim>>(parameters, out); });
    AssertThrow(simulation->fingerprint == fingerprint,
                dealii::ExcMessage("The model is not that of the start any more: have files that "
                                   "the case names been changed?"));
    ranks->agree();
    simulation->resume(folder, state, save_times);
    ranks->agree();
  }
  catch (const std::exception &exception)
  {
    ranks->fail(exception); // if this process is the only one to know
    std::string text = message_of(exception);
    if (checkpoints)
      text += " The state before is in '" + folder + "/checkpoint', from which --resume continues.";
    try
    {
      summary.more.set("status", "stopped").set("message", text);
      if (ranks->is_first())
        write_summary(folder, summary);
    }
    catch (const std::exception &)
    {
      // the first failure is the one to report
    }
    AssertThrow(false, dealii::ExcMessage(text));
  }
  parameters.stepping.stepper.owners.reset();
  if (checkpoints)
    simulation->keep_checkpoints(*checkpoints, std::move(shall_stop));
  simulation->last_checkpoint = last_checkpoint;
  simulation->time_of_checkpoint = time_of_checkpoint;
}

template <int dim>
void
Simulation<dim>::keep_checkpoints(Checkpoints &the_checkpoints, std::function<bool()> the_question)
{
  checkpoints = &the_checkpoints;
  shall_stop = std::move(the_question);
}

template <int dim>
bool
Simulation<dim>::may_go_on()
{
  if (!checkpoints)
    return true;
  const auto due_after = [](const double interval, const double before, const double now)
  { return interval > 0 && std::floor(now / interval) > std::floor(before / interval); };
  const double interval = parameters.checkpoint.wall_time_interval;
  const double since = std::chrono::duration<double>(Clock::now() - last_checkpoint).count();
  const bool must_stop = ranks->any(shall_stop && shall_stop());
  const double time = system.stepper.time();
  if (must_stop || ranks->any(interval > 0 && since >= interval) ||
      due_after(parameters.checkpoint.time_interval, time_of_checkpoint, time))
    write_checkpoint();
  return !must_stop;
}

template <int dim>
void
Simulation<dim>::write_checkpoint()
{
  if (writes())
  {
    send_files_to_disk(folder); // the checkpoint says how long they are
    with_memory_for("a checkpoint", [this]
                    { checkpoints->write([this](Archive &archive) { serialize(archive); }); });
  }
  last_checkpoint = Clock::now();
  time_of_checkpoint = system.stepper.time();
}

template <int dim>
void
Simulation<dim>::write_last_checkpoint()
{
  const CheckpointParameters &wanted = parameters.checkpoint;
  if (checkpoints && (wanted.wall_time_interval > 0 || wanted.time_interval > 0))
    write_checkpoint();
}

template <int dim>
std::string
Simulation<dim>::write_checkpoint_of_stop()
{
  if (!checkpoints || !has_failed_to_save || !writes())
    return "";
  try
  {
    write_checkpoint();
    return " The state before is in '" + checkpoints->current_file() +
           "', from which --resume continues.";
  }
  catch (const std::exception &)
  {
    return ""; // there is no room for that, either
  }
}

template <int dim>
double
Simulation<dim>::total_wall_time() const
{
  return wall_time_of_earlier + std::chrono::duration<double>(Clock::now() - begin).count();
}

template <int dim>
void
Simulation<dim>::serialize(Archive &archive)
{
  archive.section("simulation");
  const double own_setup = wall_time.setup;
  wall_time.total = total_wall_time();
  archive(wall_time, time_of_checks, processor_time_of_stepping);
  if (archive.is_reading())
  {
    wall_time_of_earlier = wall_time.total;
    wall_time.setup += own_setup;
  }
  archive(next_save, n_divisions, system, monitor);
  if (detection)
    archive(*detection);
  if (contact_resolution)
    archive(*contact_resolution);
  serialize_recorders(archive);
}

template <int dim>
void
Simulation<dim>::serialize_recorders(Archive &archive)
{
  for (const auto &recorder : recorders)
    archive(*recorder);
}

template class Simulation<2>;
template class Simulation<3>;
} // namespace KickDrift
