#include <kickdrift/base/archive.h>
#include <kickdrift/base/messages.h>
#include <kickdrift/base/registry.h>
#include <kickdrift/base/std_exceptions.h>
#include <kickdrift/cases/comparison/comparison.h>
#include <kickdrift/cases/input/command_line.h>
#include <kickdrift/cases/parameters/case_input.h>
#include <kickdrift/cases/parameters/mesh_survey.h>
#include <kickdrift/cases/parameters/shared_libraries.h>
#include <kickdrift/cases/preflight/costly_cells.h>
#include <kickdrift/cases/preflight/preflight.h>
#include <kickdrift/cases/program.h>
#include <kickdrift/cases/run/interrupt.h>
#include <kickdrift/cases/run/resume.h>
#include <kickdrift/cases/run/simulation.h>
#include <kickdrift/output/log.h>
#include <kickdrift/output/output_folder.h>
#include <kickdrift/parallel/ranks.h>

#include <deal.II/base/exceptions.h>
#include <deal.II/base/multithread_info.h>
#include <deal.II/base/utilities.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>

#include <fcntl.h>
#include <unistd.h>

namespace KickDrift
{
using namespace dealii;

namespace
{
/// The libraries of deal.II's releases are not compatible, which the loader need not notice: a
/// crash, or wrong numbers, would follow. Throw instead.
void
check_deal_ii()
{
  // the one is of the headers, the other compiled into the library: "deal.II version 9.4.1"
  const std::string built_with = DEAL_II_PACKAGE_VERSION;
  std::istringstream words(Utilities::dealii_version_string());
  std::string name, version, runs_with;
  words >> name >> version >> runs_with;
  AssertThrow(runs_with == built_with,
              ExcMessage("KickDrift was built with deal.II " + built_with + ", but runs with " +
                         runs_with + "; please rebuild it."));
}

constexpr int success = 0, failure_while_running = 1, failure_before = 2, interrupted = 3;

/// So that --print-parameters without a file shows the parameters of bodies, restraints, ...
std::vector<Assignment>
one_of_each()
{
  std::vector<Assignment> assignments = {
      {"Bodies/Names", "body", ""},        {"Ties/Names", "tie", ""},
      {"Obstacles/Names", "obstacle", ""}, {"Restraints/Names", "restraint", ""},
      {"Loads/Names", "load", ""},         {"Probes/Names", "probe", ""},
      {"Sections/Names", "section", ""},   {"Springs/Names", "spring", ""},
      {"Point masses/Names", "mass", ""}};
  if (!Registry<KickMaker<3>>::names().empty())
    assignments.push_back({"Kicks/Names", "kicks", ""});
  return assignments;
}

/// All parameters, as they were used.
template <int dim>
std::string
text_of(const CaseInput<dim> &input)
{
  std::ostringstream text;
  input.print_values(text);
  return text.str();
}

ExistingRun
wanted_treatment(const CommandLine &command_line)
{
  return command_line.resume      ? ExistingRun::resume
         : command_line.overwrite ? ExistingRun::overwrite
                                  : ExistingRun::refuse;
}

/// Throw if several processes cannot do what they are asked for together, be there @p n or as many
/// as --ranks asks about.
template <int dim>
void
check_processes(const unsigned int n, const CommandLine &command_line,
                const CaseParameters<dim> &parameters)
{
  if (n == 1 && command_line.ranks <= 1)
    return;
  const std::string but =
      n > 1
          ? "but a launcher such as mpirun has started " + std::to_string(n) + ". Start it without."
          : "but '--ranks' asks about " + std::to_string(command_line.ranks) + ".";
  const auto refuse = [&but](const bool is_wanted, const std::string &what)
  { AssertThrow(!is_wanted, ExcMessage(what + " is for one process, " + but)); };
  refuse(command_line.validate && n > 1, "'--validate'");
  refuse(parameters.stepping.stepper.clocks == Clocks::per_cell, "'Stepping/Clocks' = per cell");
  refuse(parameters.detection.enabled, "'Detection/Enabled' = true");
  for (const auto &spring : parameters.springs)
    refuse(spring.damping > 0, "'Springs/" + spring.name + "/Damping coefficient'");
}

/// Begin or continue the run in its folder, and go on until it is done, stopped or interrupted.
/// @param folder null for processes that do not write
template <int dim>
int
run_in_folder(const CommandLine &command_line, CaseInput<dim> &input,
              CaseParameters<dim> &parameters, Ranks &ranks,
              std::unique_ptr<Simulation<dim>> &simulation,
              const std::function<std::unique_ptr<Simulation<dim>>()> &make_simulation,
              const std::string &path, const OutputFolder *const folder, std::ostream &log,
              std::ostream &error)
{
  const CheckpointOrigin origin = checkpoint_origin(input, simulation->model());
  Checkpoints checkpoints(path + "/checkpoint", origin);
  std::unique_ptr<Archive> state;
  const bool is_done = command_line.resume &&
                       find_beginning(path, origin, checkpoints, state, log) == Beginning::none;
  ranks.agree(); // files are written from now on
  if (is_done)
    return success;

  if (state)
  {
    resume_from_checkpoint(simulation, make_simulation, path, checkpoints, std::move(state), log);
    AssertThrow(ranks.all_equal(checkpoints.current_file()),
                ExcMessage("Not all processes can read the same checkpoint in '" + path + "'."));
    input.set("Output/Save intervals",
              std::to_string(checkpoints.found().save_times.last(origin.end_time)));
    if (folder)
      folder->write_parameters(text_of(input));
  }
  else
  {
    if (folder)
    {
      folder->remove_earlier_run();
      folder->write_parameters(text_of(input));
    }
    simulation->start(path);
  }
  if (command_line.check_intersections)
    simulation->check_intersections();
  const Interrupt interrupt;
  simulation->keep_checkpoints(checkpoints, &Interrupt::is_noted);
  try
  {
    const Progress::Style style = Progress::detect_style(command_line.quiet);
    RunEnd end = simulation->run(style);
    for (; end == RunEnd::divides_anew; end = simulation->run(style))
      Simulation<dim>::divide_anew(simulation, parameters);
    if (end == RunEnd::interrupted)
    {
      error << "kickdrift: interrupted; the state is in '" << checkpoints.current_file()
            << "'. Continue with: kickdrift " << shell_quoted(path + "/parameters.prm")
            << " --output " << shell_quoted(path) << " --resume\n";
      return interrupted;
    }
  }
  catch (const std::exception &exception)
  {
    ranks.fail(exception); // nothing if all know of it already
    error << "kickdrift: stopped: " << message_of(exception) << "\n";
    return failure_while_running;
  }
  log << "Results are in " << path << "\n";
  return success;
}

/// Write the cells that cost most into the folder that --output names, if it does.
template <int dim>
void
write_costly_cells(const Model<dim> &model, const std::string &folder, std::ostream &log)
{
  if (folder.empty())
    return;
  const CostlyCells cells = find_costly_cells(model);
  std::filesystem::create_directories(folder);
  const std::string file = folder + "/costly_cells.vtu";
  write_costly_cells(model, cells, file);
  log << "The cells that cost most are in " << file << "\n";
}

/// @param verdict set by --validate and --survey: whether own steps pay
template <int dim>
int
run_case(const CommandLine &command_line, const std::vector<Assignment> &assignments,
         const CaseOutline &outline, const std::shared_ptr<Ranks> &ranks, std::ostream &log,
         std::string &verdict, std::ostream &out, std::ostream &error)
{
  if (command_line.parameter_names)
  {
    for (const auto &parameter : CaseInput<dim>({}, outline).values())
      out << parameter.first << "\n";
    for (const auto &constant : outline.constants)
      out << "Constants " << constant.first << "\n";
    return success;
  }
  CaseInput<dim> input(assignments, outline);
  if (command_line.print_parameters)
  {
    input.print(out);
    return success;
  }
  CaseParameters<dim> parameters = input.parse();
  check_processes(ranks->size(), command_line, parameters);
  parameters.stepping.stepper.ranks = ranks;
  // in front of what may take long
  const std::string path = parameters.output.folder.empty()
                               ? "output/" + case_name(command_line.case_file)
                               : parameters.output.folder;
  std::optional<OutputFolder> folder;
  if (!command_line.validate && ranks->is_first())
    folder.emplace(path, wanted_treatment(command_line));
  ranks->agree();
  const std::function make_simulation = [&parameters, &log]
  { return std::make_unique<Simulation<dim>>(parameters, log); };
  auto simulation = make_simulation();
  // the process has done nothing else so far
  const double setup = double(std::clock()) / CLOCKS_PER_SEC;
  if (ranks->is_first()) // others do not know all kicks
    print_plan(simulation->model(), log);
  if (command_line.validate)
    print_validation(simulation->model(), log);
  simulation->model().dynamics.check_initial_overlap(); // all, since they share what they look at
  if (command_line.validate)
  {
    if (command_line.ranks > 0)
      print_division(simulation->model(), command_line.ranks, log);
    verdict = print_forecast(simulation->model(), setup, log);
    write_costly_cells(simulation->model(), parameters.output.folder, log);
    return success;
  }
  return run_in_folder(command_line, input, parameters, *ranks, simulation, make_simulation, path,
                       folder ? &*folder : nullptr, log, error);
}

/// What a process is asked for, on lines: options and parameters, with the contents of the files
/// that these name. Where the parameter file lies does not matter.
std::vector<std::string>
request_of(const std::vector<std::string> &arguments, const CommandLine &command_line,
           const std::vector<Assignment> &assignments)
{
  std::vector<std::string> lines;
  for (const auto &argument : arguments)
    if (argument != command_line.case_file)
      lines.push_back(argument);
  for (const auto *list : {&assignments, &command_line.assignments})
    for (const auto &assignment : *list)
      lines.push_back("'" + assignment.parameter + "' = " +
                      (assignment.parameter == "Additional shared libraries"
                           ? list_with_contents(assignment)
                           : value_with_contents(assignment)));
  return lines;
}

/// Collective: throw unless all processes are asked for the same. They have to do the same from now
/// on, or would wait for each other for ever.
void
check_requests(Ranks &ranks, const std::vector<std::string> &arguments,
               const CommandLine &command_line, const std::vector<Assignment> &assignments)
{
  if (ranks.size() == 1)
    return;
  const std::vector<std::string> own = request_of(arguments, command_line, assignments);
  Archive writing;
  auto lines = own;
  writing(lines);
  Archive reading(ranks.from_first(writing.bytes()));
  reading(lines);
  const auto [here, of_first] = std::mismatch(own.begin(), own.end(), lines.begin(), lines.end());
  const auto text = [](const auto line, const auto end)
  { return line == end ? std::string("nothing") : "\"" + *line + "\""; };
  AssertThrow(here == own.end() && of_first == lines.end(),
              ExcMessage("The processes of one run are asked for different things: the first one "
                         "for " +
                         text(of_first, lines.end()) + ", process " + std::to_string(ranks.rank()) +
                         " for " + text(here, own.end()) +
                         ". Start all of them with the same options and parameters."));
  ranks.agree();
}

/// Calls a function at the end of its scope, also when an exception passes.
class AtExit
{
public:
  explicit AtExit(std::function<void()> f) : f(std::move(f)) {}
  AtExit(const AtExit &) = delete;
  ~AtExit() { f(); }

private:
  const std::function<void()> f;
};

/// Let --constant change the last list of constants, be it in the case or of --set.
void
redefine_constants(CommandLine &command_line, const std::vector<Assignment> &of_case)
{
  std::string list = last_value(of_case, "Constants");
  for (const Assignment &assignment : command_line.assignments)
    if (assignment.parameter == "Constants")
      list = assignment.value;
  for (const Assignment &constant : command_line.constants)
    try
    {
      list = redefine_constant(list, constant.parameter, constant.value);
      command_line.assignments.push_back({"Constants", list, constant.origin});
    }
    catch (const ExceptionBase &exception)
    {
      AssertThrow(false, ExcMessage(constant.origin + ": " + message_of(exception)));
    }
}

int
run_command(CommandLine command_line, std::vector<Assignment> assignments,
            const std::shared_ptr<Ranks> &ranks, std::ostream &out, std::ostream &error)
{
  if (command_line.help || command_line.version)
  {
    out << (command_line.help ? help_text() : version_text());
    return success;
  }
  if (command_line.case_file.empty() && command_line.survey.empty() &&
      !command_line.print_parameters && !command_line.parameter_names)
  {
    error << short_help_text();
    return failure_before;
  }
  const bool prints_only = command_line.print_parameters || command_line.parameter_names;
  std::ostringstream nowhere, of_survey;
  Log log(command_line.quiet || prints_only ? nowhere : out, error);
  std::string verdict;
  // the verdict of a survey, which comes last, is to be read first
  const AtExit print_survey(
      [&]
      {
        if (!verdict.empty())
          log << verdict << "\n";
        log << of_survey.str();
      });
  std::ostream &report = command_line.survey.empty() ? static_cast<std::ostream &>(log) : of_survey;
  if (!command_line.survey.empty())
    assignments = survey_assignments(command_line.survey, report);
  redefine_constants(command_line, assignments);
  assignments.insert(assignments.end(), command_line.assignments.begin(),
                     command_line.assignments.end());
  if (!command_line.parameter_names)
    load_shared_libraries(assignments); // before anybody asks for names
  if (command_line.case_file.empty() && command_line.survey.empty())
  {
    const auto examples = one_of_each();
    assignments.insert(assignments.begin(), examples.begin(), examples.end());
  }
  if (command_line.compare)
  {
    AssertThrow(ranks->size() == 1,
                ExcMessage("'--compare' runs one process after the other, but a launcher such as "
                           "mpirun has started " +
                           std::to_string(ranks->size()) + ". Start it without."));
    return compare_schemes(command_line, assignments, log, error);
  }
  const CaseOutline outline = read_outline(assignments);
  const auto &run = outline.dimension == 2 ? run_case<2> : run_case<3>;
  return run(command_line, assignments, outline, ranks, report, verdict, out, error);
}

/// Files that are opened get the lowest free descriptors: were one of the standard ones closed,
/// what is meant for the terminal would be written into a file of results.
void
open_standard_descriptors()
{
  while (true)
  {
    const int descriptor = ::open("/dev/null", O_RDWR);
    if (descriptor >= 0 && descriptor <= STDERR_FILENO)
      continue;
    if (descriptor >= 0)
      ::close(descriptor);
    return;
  }
}

/// What one of several processes does, or the only one.
int
run_as_one_of(const std::shared_ptr<Ranks> &ranks, const std::vector<std::string> &arguments,
              std::ostream &out, std::ostream &error)
{
  int status = failure_before;
  try
  {
    status = with_std_exceptions(
        [&]
        {
          const CommandLine command_line = parse_command_line(arguments);
          std::vector<Assignment> assignments;
          if (!command_line.case_file.empty() && !command_line.help && !command_line.version)
            assignments = read_parameter_file(command_line.case_file);
          check_requests(*ranks, arguments, command_line, assignments);
          return run_command(command_line, assignments, ranks, out, error);
        });
    // one that has failed since the others have done their part
    if (status != failure_while_running)
      ranks->agree();
    return status;
  }
  catch (const std::exception &exception)
  {
    ranks->fail(exception);
    error << "kickdrift: " << message_of(exception) << "\n";
    return status == failure_before ? failure_before : failure_while_running;
  }
}
} // namespace

int
run_program(const std::vector<std::string> &arguments, std::ostream &out, std::ostream &error)
{
  open_standard_descriptors();
  deal_II_exceptions::suppress_stacktrace_in_exceptions();
  deal_II_exceptions::disable_abort_on_exception();
  // FEValues takes over the geometry of similar cells, with its rounding, if deal.II may use only
  // one thread. What a run computes must depend neither on that nor on the number of cores.
  MultithreadInfo::set_thread_limit(2);
  auto ranks = std::make_shared<Ranks>();
  std::ostringstream nowhere;
  try
  {
    check_deal_ii();
    ranks = Ranks::of_launcher();
    if (!ranks->is_first())
      return run_as_one_of(ranks, arguments, nowhere, nowhere);
  }
  catch (const std::exception &exception)
  {
    error << "kickdrift: " << message_of(exception) << "\n";
    return failure_before;
  }
  return run_as_one_of(ranks, arguments, out, error);
}
} // namespace KickDrift
