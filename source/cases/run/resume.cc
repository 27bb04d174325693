#include <kickdrift/base/messages.h>
#include <kickdrift/base/std_exceptions.h>
#include <kickdrift/cases/run/resume.h>
#include <kickdrift/output/machine.h>
#include <kickdrift/output/output_folder.h>
#include <kickdrift/potentials/instruction_set.h>

#include <deal.II/base/utilities.h>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <new>
#include <sstream>

namespace KickDrift
{
using namespace dealii;

namespace
{
using Settings = std::vector<std::pair<std::string, std::string>>;

void
warn(const std::vector<std::string> &refused, std::ostream &log)
{
  for (const auto &sentence : refused)
    log << "Warning: " << sentence << "\n";
}

/// Parameters that checkpoints know as what they mean: see CheckpointOrigin.
bool
may_become_later(const std::string &parameter)
{
  return parameter == "Stepping/End time" || parameter == "Output/Save intervals";
}

/// Does a parameter leave the state of a run alone?
bool
leaves_alone(const std::string &parameter)
{
  return parameter == "Output/Folder" || parameter == "Stepping/Threads" ||
         parameter == "Stepping/Divide again" || parameter.rfind("Checkpoint/", 0) == 0 ||
         may_become_later(parameter);
}

/// Those of all parameters that do not leave the state alone.
Settings
settings_of(const Settings &values)
{
  Settings settings;
  for (const auto &[parameter, value] : values)
    if (!leaves_alone(parameter))
      settings.emplace_back(parameter, value_with_contents({parameter, value, ""}));
  return settings;
}

/// Values in a file of parameters.
Settings
values_in(const std::string &file)
{
  Settings values;
  for (const Assignment &assignment : read_parameter_file(file))
    values.emplace_back(assignment.parameter, assignment.value);
  return values;
}

std::string
text_of(const std::string &path)
{
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The name of a file with a checksum() of what it holds.
std::string
name_with_contents(const std::string &name, const std::string &folder)
{
  const std::string file = absolute_file_name(name, folder);
  std::error_code ignored; // what is not there has no contents, nor have devices
  return std::filesystem::is_regular_file(file, ignored)
             ? name + " (contents " + std::to_string(checksum(text_of(file))) + ")"
             : name;
}

/// Until when a run has been done whose summary is in the folder; below 0 if none has been [time].
double
done_until(const std::string &folder)
{
  // a file that is cut off is that of no complete run
  const auto summary = nlohmann::json::parse(text_of(folder + "/summary.json"), nullptr, false);
  const bool is_done = summary.is_object() && summary.value("status", "") == "done";
  return is_done ? summary.value("time", 0.) : -1.;
}
} // namespace

std::string
value_with_contents(const Assignment &assignment)
{
  const std::string name = assignment.parameter.substr(assignment.parameter.rfind('/') + 1);
  return name == "File" || name == "Amplitude file"
             ? name_with_contents(assignment.value, assignment.folder)
             : assignment.value;
}

std::string
list_with_contents(const Assignment &assignment)
{
  std::string list;
  for (const auto &name : Utilities::split_string_list(assignment.value, ','))
    list += (list.empty() ? "" : ", ") + name_with_contents(name, assignment.folder);
  return list;
}

template <int dim>
CheckpointOrigin
checkpoint_origin(const CaseInput<dim> &input, const Model<dim> &model)
{
  const auto &parameters = model.parameters;
  const double end_time = parameters.stepping.end_time;
  return {program_version(),
          instruction_set(),
          settings_of(input.values()),
          model.fingerprint(),
          end_time,
          {end_time, parameters.output.save_intervals},
          parameters.detection.enabled ? parameters.detection.resolution : 0.};
}

Beginning
find_beginning(const std::string &folder, const CheckpointOrigin &origin, Checkpoints &checkpoints,
               std::unique_ptr<Archive> &state, std::ostream &log)
{
  std::vector<std::string> refused;
  state = checkpoints.newest(refused);
  warn(refused, log);
  // a run that was done may have been on its way to a later end
  const double until = done_until(folder);
  const bool is_done = until >= origin.end_time * (1 - 1e-12);
  if (state && !is_done)
    return Beginning::checkpoint;
  state.reset();

  if (OutputFolder::holds_run(folder))
  {
    const std::string parameters = folder + "/parameters.prm";
    AssertThrow(std::filesystem::exists(parameters) &&
                    settings_of(values_in(parameters)) == origin.parameters,
                ExcMessage("The folder '" + folder +
                           "' has no checkpoint to resume from, and holds something else than the "
                           "beginning of this run. Choose another folder, or replace what it "
                           "holds with --overwrite."));
    if (until >= 0)
    {
      AssertThrow(is_done,
                  ExcMessage("The run in '" + folder +
                             "' is done and has left no checkpoint from which it could go on to a "
                             "later 'Stepping/End time'. Choose another folder, or replace it with "
                             "--overwrite."));
      log << "The run in '" << folder << "' is done; there is nothing to resume.\n";
      return Beginning::none;
    }
  }
  log << "There is no checkpoint in '" << folder << "'; the run begins anew.\n";
  return Beginning::anew;
}

template <int dim>
void
resume_from_checkpoint(std::unique_ptr<Simulation<dim>> &simulation,
                       const std::function<std::unique_ptr<Simulation<dim>>()> &make_anew,
                       const std::string &folder, Checkpoints &checkpoints,
                       std::unique_ptr<Archive> state, std::ostream &log)
{
  std::vector<std::string> refused;
  while (true)
  {
    std::string reason;
    try
    {
      with_std_exceptions([&]
                          { simulation->resume(folder, *state, checkpoints.found().save_times); });
      break;
    }
    catch (const std::bad_alloc &)
    {
      reason = "what it holds does not fit into memory";
    }
    catch (const std::exception &exception)
    {
      reason = message_of(exception);
    }
    // both may be large, and the next ones need the space
    state.reset();
    simulation.reset();
    state = checkpoints.previous(reason, refused);
    simulation = make_anew();
  }
  warn(refused, log);
  log << "Continues from '" << checkpoints.current_file() << "'.\n";
}

template CheckpointOrigin checkpoint_origin(const CaseInput<2> &, const Model<2> &);
template CheckpointOrigin checkpoint_origin(const CaseInput<3> &, const Model<3> &);
template void resume_from_checkpoint(std::unique_ptr<Simulation<2>> &,
                                     const std::function<std::unique_ptr<Simulation<2>>()> &,
                                     const std::string &, Checkpoints &, std::unique_ptr<Archive>,
                                     std::ostream &);
template void resume_from_checkpoint(std::unique_ptr<Simulation<3>> &,
                                     const std::function<std::unique_ptr<Simulation<3>>()> &,
                                     const std::string &, Checkpoints &, std::unique_ptr<Archive>,
                                     std::ostream &);
} // namespace KickDrift
