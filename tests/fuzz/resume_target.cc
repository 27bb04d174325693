// Runs that are stopped again and again, and resumed: what they leave behind is that of a run that
// was never stopped, to the last bit.

#include "targets.h"

#include <kickdrift/base/messages.h>
#include <kickdrift/cases/run/resume.h>
#include <kickdrift/cases/run/simulation.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <random>
#include <set>
#include <sstream>

namespace fs = std::filesystem;
using namespace KickDrift;

namespace
{
/// The line of an input with the moments at which the run is stopped, as shares of its looks at
/// whether it shall stop.
const std::string begin_of_stops = "# Stops:";

/// What a run says that comes to its end.
const std::string done = "done";

/// Numbers that the state at the end of a run and all that has happened before leave in
/// summary.json.
constexpr const char *compared_keys[] = {"state_hash", "kicks", "class_changes", "energy_error_end",
                                         "energy_error_max"};

/// What may be different in a case; the first part is the section.
constexpr const char *variations[][2] = {
    {"Contact", "Schedule = adaptive"},    {"Contact", "Schedule = constant"},
    {"Contact", "Schedule = synchronous"}, {"Contact", "Edges = all"},
    {"Contact", "Edges = none"},           {"Contact", "Friction = 0.4"},
    {"Contact", "Restitution = 0.3"},      {"Contact", "Restitution = 1"},
    {"Contact", "Points per face = 1"},    {"Contact", "Zone layers = 0"},
    {"Contact", "Response = reflect"},     {"Contact", "Response = layers"},
    {"Contact", "Solver = coupled"},       {"Stepping", "Clocks = one"},
    {"Stepping", "Clocks = per cell"},     {"Stepping", "Threads = 2"},
    {"Stepping", "Time step ratio = 0.8"}, {"Stepping", "Time step ratio = 0.3"},
    {"Stepping", "Phase = start"},         {"Stepping", "Stability rule = off"},
    {"Output", "Save intervals = 7"}};

std::string
text_of_stops(const std::vector<double> &shares)
{
  std::string text = begin_of_stops;
  for (const double share : shares)
    text += " " + number_text(share);
  return text + "\n";
}

std::vector<double>
read_stops(const std::string &input)
{
  std::istringstream numbers(input.substr(input.find(begin_of_stops) + begin_of_stops.size()));
  std::vector<double> shares;
  for (double share; numbers >> share;)
    shares.push_back(share);
  return shares;
}

/// Throw Failure unless both files say the same.
void
compare_files(const std::string &file, const std::string &expected)
{
  std::istringstream present(read_file(file)), of_whole(read_file(expected));
  std::string line, expected_line;
  for (unsigned int number = 1; std::getline(of_whole, expected_line); ++number)
    if (!std::getline(present, line) || line != expected_line)
      throw Failure(file + " is another one from line " + std::to_string(number) + ": " + line +
                    " instead of " + expected_line);
  if (std::getline(present, line))
    throw Failure(file + " is longer than it should be");
}

void
compare_summaries(const std::string &file, const std::string &expected)
{
  const auto present = nlohmann::json::parse(read_file(file)),
             of_whole = nlohmann::json::parse(read_file(expected));
  for (const char *key : compared_keys)
    if (present.value(key, nlohmann::json()) != of_whole.value(key, nlohmann::json()))
      throw Failure(file + ": another " + key);
}

/// Rows with all digits and the summary; what they leave out does not matter to anybody.
void
compare_folders(const std::string &folder, const std::string &expected)
{
  for (const auto &entry : fs::directory_iterator(expected))
    if (entry.path().extension() == ".csv")
      compare_files(folder + "/" + entry.path().filename().string(), entry.path().string());
  compare_summaries(folder + "/summary.json", expected + "/summary.json");
}

/// One case, which can be run in different ways.
template <int dim>
class ResumedRun
{
public:
  ResumedRun(const std::vector<Assignment> &assignments, const CaseOutline &outline)
      : input(assignments, outline), parameters(input.parse())
  {
    parameters.checkpoint.wall_time_interval = 0;
    simulation = make_simulation(); // throws if it cannot be
  }

  /// Throw Failure unless a run with stops leaves behind what one without does. Says whether it
  /// comes to its end; else it blows up.
  bool
  try_stops(const std::vector<double> &shares)
  {
    const std::string whole = run("whole", {});
    std::set<unsigned int> stops; // each of another look, and so each comes to pass
    for (const double share : shares)
      if (n_looks > 0)
        stops.insert(1 + std::min<unsigned int>(share * n_looks, n_looks - 1));
    simulation = make_simulation();
    const std::string resumed = run("resumed", stops);
    if (resumed != whole)
      throw Failure("the run comes to another end: " + resumed + " instead of: " + whole);
    if (n_stops != stops.size())
      throw Failure("the run has been stopped " + std::to_string(n_stops) + " times instead of " +
                    std::to_string(stops.size()));
    compare_folders("resumed", "whole");
    return whole == done;
  }

private:
  std::unique_ptr<Simulation<dim>>
  make_simulation()
  {
    return std::make_unique<Simulation<dim>>(parameters, log);
  }

  /// Run the simulation in a new folder; stop and resume when it looks for the n-th time whether it
  /// shall stop. Returns what it says if it does not come to the end.
  std::string
  run(const std::string &folder, const std::set<unsigned int> &stops)
  {
    fs::remove_all(folder);
    fs::create_directories(folder);
    const CheckpointOrigin origin = checkpoint_origin(input, simulation->model());
    n_looks = n_stops = 0;
    const auto shall_stop = [&]
    {
      const bool is_stop = stops.count(++n_looks) > 0;
      n_stops += is_stop;
      return is_stop;
    };
    Checkpoints checkpoints(folder + "/checkpoint", origin);
    try
    {
      simulation->start(folder);
      while (true)
      {
        simulation->keep_checkpoints(checkpoints, shall_stop);
        if (simulation->run(Progress::Style::quiet) == RunEnd::done)
          return done;
        resume(folder, checkpoints, origin);
      }
    }
    catch (const dealii::ExceptionBase &exception)
    {
      return message_of(exception); // the run blows up
    }
  }

  void
  resume(const std::string &folder, Checkpoints &checkpoints, const CheckpointOrigin &origin)
  {
    simulation.reset();
    simulation = make_simulation();
    std::unique_ptr<Archive> state;
    std::ostringstream found;
    if (find_beginning(folder, origin, checkpoints, state, found) != Beginning::checkpoint)
      throw Failure("there is no checkpoint: " + found.str());
    resume_from_checkpoint<dim>(
        simulation, [this] { return make_simulation(); }, folder, checkpoints, std::move(state),
        found);
    if (found.str().find("Warning") != std::string::npos)
      throw Failure(found.str());
  }

  CaseInput<dim> input;
  CaseParameters<dim> parameters;
  std::ostringstream log;
  std::unique_ptr<Simulation<dim>> simulation;
  unsigned int n_looks = 0, n_stops = 0; ///< of the last run
};

class ResumeTarget : public Target
{
public:
  explicit ResumeTarget(const std::string &corpus) : Target(read_originals(corpus))
  {
    for (Original &original : all)
      original.content += text_of_stops({0.3, 0.6});
  }

  /// The same case with other speeds, parameters and stops.
  std::string
  mutant(const Original &original, const std::uint64_t seed, const std::uint64_t index) override
  {
    std::mt19937_64 random(1000003 * seed + index);
    const auto share = [&random] { return double(random()) / double(std::mt19937_64::max()); };
    const std::string speed = "s = 1", &content = original.content;
    const std::size_t at = content.find(speed), end = content.find(begin_of_stops);
    std::string input = content.substr(0, at) + "s = " + number_text(0.6 + 0.8 * share()) +
                        content.substr(at + speed.size(), end - at - speed.size());
    const unsigned int n_variations = random() % 4;
    for (unsigned int i = 0; i < n_variations; ++i)
    {
      const auto &[section, setting] = variations[random() % std::size(variations)];
      input += std::string("subsection ") + section + "\n  set " + setting + "\nend\n";
    }
    std::vector<double> shares(1 + random() % 4);
    std::generate(shares.begin(), shares.end(), share);
    return input + text_of_stops(shares);
  }

  Outcome
  try_input(const Original &original, const std::string &input) override
  {
    write_file(input_file(original), input);
    std::istringstream text(input);
    const auto assignments = read_parameter_text(text, original.name);
    const CaseOutline outline = read_outline(assignments);
    const std::vector<double> stops = read_stops(input);
    return outline.dimension == 2 ? try_case<2>(assignments, outline, stops)
                                  : try_case<3>(assignments, outline, stops);
  }

  std::string
  input_file(const Original &original) const override
  {
    return original.name;
  }

private:
  template <int dim>
  Outcome
  try_case(const std::vector<Assignment> &assignments, const CaseOutline &outline,
           const std::vector<double> &stops) const
  {
    std::unique_ptr<ResumedRun<dim>> run;
    try
    {
      run = std::make_unique<ResumedRun<dim>>(assignments, outline);
    }
    catch (const dealii::ExceptionBase &)
    {
      return Outcome::refused; // parameters that do not go together
    }
    return run->try_stops(stops) ? Outcome::accepted : Outcome::blown_up;
  }
};
} // namespace

std::unique_ptr<Target>
make_resume_target(const std::string &corpus)
{
  return std::make_unique<ResumeTarget>(corpus);
}
