#include <kickdrift/base/expressions.h>
#include <kickdrift/base/messages.h>
#include <kickdrift/cases/comparison/comparison.h>
#include <kickdrift/output/files.h>
#include <kickdrift/output/machine.h>
#include <kickdrift/output/output_folder.h>

#include <deal.II/base/exceptions.h>
#include <deal.II/base/patterns.h>
#include <deal.II/base/utilities.h>

#include "case_survey.h"
#include "child_process.h"
#include "comparison_json.h"
#include "comparison_plan.h"
#include "comparison_schemes.h"
#include "comparison_text.h"
#include "run_results.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

namespace KickDrift
{
using namespace dealii;

/// The page, with page_data where the data belong; made from comparison.html.
extern const char *const comparison_page;

namespace
{
constexpr int success = 0, failure_while_running = 1;
// How often steps are halved in search of the same accuracy, and down to which part of a halving.
constexpr double most_halvings = 4, finest_part = 0.25;
// Below this time of stepping [s] runs are repeated until there are so many, unless
// --measurements says how many.
constexpr double short_time = 1;
constexpr unsigned int n_of_short_runs = 3;
const std::string mass_scaled = "synchronous_scaled"; // not there if nested steps are no longer
const std::string page_data = "__COMPARISON_DATA__";

/// Runs the runs of one comparison.
class Runner
{
public:
  Runner(const CommandLine &command_line, std::string folder)
      : command_line(command_line), folder(std::move(folder))
  {
  }

  /// Where the run @p name of a point belongs, relative to the folder of the comparison.
  std::string
  subfolder(const SweepPoint &point, const std::string &name) const
  {
    const std::string constant = swept_constant(command_line.sweep);
    return (constant.empty() ? "" : constant + "=" + point.value + "/") + name;
  }

  /// Has a run come as far as its first kick?
  bool
  has_started() const
  {
    return started;
  }

  /// @param again an earlier run of the same scheme is to be replaced
  ComparedRun
  run(const SweepPoint &point, const Scheme &scheme, const bool contact, const bool again = false)
  {
    ComparedRun run;
    run.folder = subfolder(point, scheme.name + (contact ? "" : "_without_contact"));
    const std::string path = folder + "/" + run.folder;
    std::filesystem::create_directories(path);
    auto arguments = this->arguments(point, scheme, contact, path);
    if (again && !command_line.overwrite)
      arguments.push_back("--overwrite");
    run.command = "kickdrift";
    for (const auto &argument : arguments)
      run.command += " " + shell_quoted(argument);
    run.results = results_of(arguments, path);
    started = started || run.results.status != RunResults::Status::refused;
    measure_again(run, arguments, path);
    return run;
  }

private:
  static RunResults
  results_of(const std::vector<std::string> &arguments, const std::string &path)
  {
    const std::string log = path + "/run.log";
    const int status = run_in_child(arguments, log);
    return read_results(path, log, status);
  }

  /// Repeat a run that is too short to be measured well. The fastest counts: it was disturbed
  /// least; all else is the same.
  void
  measure_again(ComparedRun &run, std::vector<std::string> arguments, const std::string &path) const
  {
    const unsigned int n =
        command_line.measurements > 0 ? command_line.measurements : n_of_short_runs;
    if (run.results.status != RunResults::Status::done || run.results.stepping_time >= short_time)
      return;
    if (std::find(arguments.begin(), arguments.end(), "--overwrite") == arguments.end())
      arguments.push_back("--overwrite");
    for (; run.n_measurements < n; ++run.n_measurements)
    {
      RunResults again = results_of(arguments, path);
      AssertThrow(again.status == RunResults::Status::done, ExcMessage(again.message));
      if (again.stepping_time < run.results.stepping_time)
        run.results = std::move(again);
    }
    atomic_write(path + "/summary.json", run.results.summary);
  }

  std::vector<std::string>
  arguments(const SweepPoint &point, const Scheme &scheme, const bool contact,
            const std::string &path) const
  {
    std::vector<std::string> settings = {"Output/VTU every=0", "Output/Surface every=0",
                                         "Checkpoint/Wall time interval=0"};
    for (const auto &assignment : point.assignments)
      if (assignment.parameter != "Output/Folder")
        settings.push_back(assignment.parameter + "=" + assignment.value);
    settings.insert(settings.end(), scheme.settings.begin(), scheme.settings.end());
    if (!contact)
      settings.push_back("Contact/Enabled=false");
    std::vector<std::string> words = {command_line.case_file};
    for (const auto &setting : settings)
      words.insert(words.end(), {"--set", setting});
    words.insert(words.end(), {"--output", path});
    if (command_line.overwrite)
      words.push_back("--overwrite");
    return words;
  }

  const CommandLine &command_line;
  const std::string folder;
  bool started = false;
};

std::string
own_command(const CommandLine &command_line, const std::string &folder)
{
  std::string command = "kickdrift " + shell_quoted(command_line.case_file) + " --compare";
  if (!command_line.sweep.empty())
    command += " --sweep " + shell_quoted(command_line.sweep);
  for (const auto &scheme : command_line.without)
    command += " --without " + scheme;
  if (command_line.equal_accuracy)
    command += " --equal-accuracy";
  if (command_line.at_best)
    command += " --at-best";
  if (command_line.measurements > 0)
    command += " --measurements " + std::to_string(command_line.measurements);
  for (const auto &assignment : command_line.assignments)
    if (assignment.parameter != "Output/Folder")
      command += " --set " + shell_quoted(assignment.parameter + "=" + assignment.value);
  return command + " --output " + shell_quoted(folder);
}

/// For a script of the page: in strings of JSON "<" may be written so, and elsewhere it has none.
std::string
page_with(const std::string &json)
{
  std::string page = comparison_page;
  const auto at = page.find(page_data);
  return page.replace(at, page_data.size(), Utilities::replace_in_string(json, "<", "\\u003c"));
}

/// Is this result a failure of the comparison?
bool
is_failure(const Scheme &scheme, const RunResults::Status status)
{
  using Status = RunResults::Status;
  const bool is_result =
      scheme.may_not_work && (status == Status::energy_limit || status == Status::refused);
  return status != Status::done && !is_result;
}

bool
has_failed(const SchemeRuns &runs)
{
  return is_failure(runs.scheme, runs.with_contact.results.status) ||
         (runs.without_contact && is_failure(runs.scheme, runs.without_contact->results.status));
}

/// Whatever a comparison may run.
std::vector<Scheme>
all_schemes(const CaseSurvey &survey)
{
  auto all = schemes(survey);
  all.push_back(reference_scheme(survey));
  all.push_back(equally_accurate_scheme(survey, 0, false));
  return all;
}

/// Refuse results of earlier comparisons.
void
check_folders(const std::string &folder, const Runner &runner,
              const std::vector<SweepPoint> &points)
{
  for (const auto &point : points)
    for (const auto &scheme : all_schemes(point.survey))
      for (const char *suffix : {"", "_without_contact"})
      {
        const std::string path = folder + "/" + runner.subfolder(point, scheme.name + suffix);
        AssertThrow(!OutputFolder::holds_run(path),
                    ExcMessage("The folder '" + path +
                               "' already holds a run. Choose another folder with --output, or "
                               "replace it with --overwrite."));
      }
}

/// All runs of a point.
struct PointRuns
{
  std::vector<SchemeRuns> schemes;
  std::optional<ComparedRun> reference; ///< if accuracies are to be compared
};

/// Run a scheme without contact, too, if there is any and if that is wanted.
SchemeRuns
complete(Runner &runner, const SweepPoint &point, const Scheme &scheme, ComparedRun with_contact,
         const bool also_without_contact, std::ostream &out)
{
  SchemeRuns runs{scheme, std::move(with_contact), {}};
  if (point.survey.has_contact && also_without_contact)
    runs.without_contact = runner.run(point, scheme, false);
  print_run(runs, out);
  return runs;
}

/// A synchronous run whose step is the longest one, to a fifth, with which it is as near to the
/// reference as @p nested is.
/// @param at_best only what schemes_at_best() has is compared
SchemeRuns
run_equally_accurate(Runner &runner, const SweepPoint &point, const ComparedRun &nested,
                     const ComparedRun &reference, const bool at_best, std::ostream &out)
{
  const double enough = error_against(nested.results, reference.results);
  std::optional<double> tried;
  std::optional<ComparedRun> run;
  const auto is_enough = [&](const double halvings)
  {
    run = runner.run(point, equally_accurate_scheme(point.survey, halvings, at_best), true,
                     bool(tried));
    tried = halvings;
    // comparisons with what is unknown are false
    return error_against(run->results, reference.results) <= enough;
  };
  double halvings = 0;
  bool found = is_enough(halvings);
  const bool is_known = std::isfinite(enough);
  while (!found && is_known && halvings < most_halvings)
    found = is_enough(++halvings);
  for (double part = 0.5; found && halvings > 0 && part >= finest_part; part /= 2)
    if (is_enough(halvings - part))
      halvings -= part;
  if (*tried != halvings)
    is_enough(halvings);
  Scheme scheme = equally_accurate_scheme(point.survey, halvings, at_best);
  if (!found && is_known)
    scheme.title = "synchronous, shortest step: less accurate than nested";
  return complete(runner, point, scheme, std::move(*run), !at_best, out);
}

/// Those of a comparison without the ones that are to be left out. Throws dealii::ExceptionBase for
/// names of none, and for those that the others are compared with: nested clocks, and one clock at
/// the same ratio, or with its longest step if only what is best is compared.
std::vector<Scheme>
wanted_schemes(const SweepPoint &point, const CommandLine &command_line)
{
  std::vector<Scheme> all =
      command_line.at_best ? schemes_at_best(point.survey) : schemes(point.survey);
  const char *const synchronous = command_line.at_best ? "synchronous_best" : "synchronous";
  for (const auto &name : command_line.without)
  {
    const auto may_go = [&](const Scheme &scheme)
    { return scheme.name != "nested" && scheme.name != synchronous; };
    const auto unwanted =
        std::find_if(all.begin(), all.end(),
                     [&](const Scheme &scheme) { return scheme.name == name && may_go(scheme); });
    if (unwanted == all.end() && name == mass_scaled)
      continue; // nothing to be gained by it here
    std::string others;
    for (const auto &scheme : all)
      if (may_go(scheme))
        others += (others.empty() ? "" : ", ") + scheme.name;
    AssertThrow(unwanted != all.end(),
                ExcMessage("--without '" + name + "': " +
                           (others.empty() ? "none of these schemes can be left out."
                                           : "allowed are " + others + ", each once.")));
    all.erase(unwanted);
  }
  return all;
}

/// Throws dealii::ExceptionBase if the first run of all is refused.
PointRuns
run_point(Runner &runner, const SweepPoint &point, const CommandLine &command_line,
          std::ostream &out)
{
  PointRuns all;
  for (const auto &scheme : wanted_schemes(point, command_line))
  {
    ComparedRun run = runner.run(point, scheme, true);
    AssertThrow(runner.has_started(), ExcMessage(run.results.message));
    all.schemes.push_back(
        complete(runner, point, scheme, std::move(run), !command_line.at_best, out));
  }
  const bool at_best = command_line.at_best;
  if (at_best || command_line.equal_accuracy)
    all.reference = runner.run(
        point, at_best ? nested_reference_scheme(point.survey) : reference_scheme(point.survey),
        true);
  if (command_line.equal_accuracy)
    all.schemes.push_back(run_equally_accurate(runner, point, all.schemes[0].with_contact,
                                               *all.reference, at_best, out));
  if (at_best)
    print_savings(all.schemes, *all.reference, out);
  else
    print_cost_of_scaling(all.schemes, out);
  return all;
}

/// Run everything and write the results into @p folder; returns the exit status.
int
run_and_write(const CommandLine &command_line, const std::vector<SweepPoint> &points,
              Runner &runner, const std::string &folder, std::ostream &out)
{
  const std::string constant = swept_constant(command_line.sweep);
  JsonObject comparison;
  comparison.set("case", command_line.case_file)
      .set("command", own_command(command_line, folder))
      .set("machine", machine());
  if (!constant.empty())
    comparison.set("sweep", constant);
  int status = success;
  std::vector<JsonObject> objects;
  for (const auto &point : points)
  {
    JsonObject json;
    if (!constant.empty())
    {
      out << constant << " = " << point.value << ":\n";
      json.set("value", Utilities::string_to_double(point.value));
    }
    const auto runs = run_point(runner, point, command_line, out);
    if (std::any_of(runs.schemes.begin(), runs.schemes.end(), has_failed))
      status = failure_while_running;
    objects.push_back(
        json.merge(point_json(point.survey.properties, runs.schemes, runs.reference)));
    // after every point: a sweep may be cut short
    const std::string text = JsonObject(comparison).set("points", objects).text();
    atomic_write(folder + "/comparison.json", text + "\n");
    atomic_write(folder + "/comparison.html", page_with(text));
  }
  out << "The comparison is in " << folder << "/comparison.html\n";
  return status;
}
} // namespace

int
compare_schemes(const CommandLine &command_line, const std::vector<Assignment> &assignments,
                std::ostream &out, std::ostream &error)
{
  const auto points = plan(command_line, assignments);
  wanted_schemes(points[0], command_line); // names are right
  AssertThrow(!command_line.equal_accuracy || points[0].survey.has_probes,
              ExcMessage("The option '--equal-accuracy' needs probes in the case: their "
                         "displacements say how accurate a run is."));
  std::string folder = points[0].survey.output_folder;
  if (folder.empty())
    folder = "output/" + case_name(command_line.case_file) + "_comparison";
  Runner runner(command_line, folder);
  const OutputFolder output(folder,
                            command_line.overwrite ? ExistingRun::overwrite : ExistingRun::refuse);
  if (command_line.overwrite)
    output.remove_earlier_run();
  else
    check_folders(folder, runner, points);
  try
  {
    return run_and_write(command_line, points, runner, folder, out);
  }
  catch (const std::exception &exception)
  {
    if (!runner.has_started())
      throw;
    error << "kickdrift: stopped: " << message_of(exception) << "\n";
    return failure_while_running;
  }
}
} // namespace KickDrift
