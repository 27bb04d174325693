// Checkpoints: damaged ones, and forged ones whose checksum is right although what they hold is
// not, so that the code that reads them sees it.

#include "targets.h"

#include <kickdrift/base/archive.h>
#include <kickdrift/base/messages.h>
#include <kickdrift/cases/input/parameter_file.h>
#include <kickdrift/cases/run/resume.h>
#include <kickdrift/cases/run/simulation.h>
#include <kickdrift/output/output_folder.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <sstream>

namespace fs = std::filesystem;
using namespace KickDrift;

namespace
{
/// What stands between the line with the format and the state.
struct Frame
{
  std::uint64_t length, sum;
};

/// Times that the run is asked whether it shall stop, before the checkpoint is written.
constexpr unsigned int looks_before_checkpoint = 12;

/// What comes after an accepted checkpoint is for the sanitizers to look at; not for long.
constexpr unsigned int looks_after_checkpoint = 3;

/// A run that was stopped and has left a checkpoint.
class StoppedRun
{
public:
  virtual ~StoppedRun() = default;
  virtual std::string checkpoint() const = 0; ///< The file.
  virtual Outcome try_checkpoint(const std::string &content) = 0;
};

template <int dim>
class StoppedRunIn : public StoppedRun
{
public:
  StoppedRunIn(const std::vector<Assignment> &assignments, const CaseOutline &outline,
               std::string run_folder, std::function<void()> reading_is_over)
      : folder(std::move(run_folder)),
        reading_is_over(std::move(reading_is_over)),
        input(assignments, outline),
        parameters(input.parse())
  {
    write_first_part();
    files = contents_of(folder);
  }

  std::string
  checkpoint() const override
  {
    return folder + "/checkpoint/checkpoint_000001";
  }

  Outcome
  try_checkpoint(const std::string &content) override
  {
    write_file(checkpoint(), content);
    std::ostringstream log;
    const std::function make_simulation = [this, &log]
    { return std::make_unique<Simulation<dim>>(parameters, log); };
    auto simulation = make_simulation();
    Checkpoints checkpoints(folder + "/checkpoint", origin);
    try
    {
      std::unique_ptr<Archive> state;
      if (find_beginning(folder, origin, checkpoints, state, log) != Beginning::checkpoint)
        throw Failure("the checkpoint was neither taken nor refused");
      const OutputFolder output(folder, ExistingRun::resume);
      resume_from_checkpoint(simulation, make_simulation, folder, checkpoints, std::move(state),
                             log);
    }
    catch (const dealii::ExceptionBase &exception)
    {
      const std::string message = message_of(exception);
      check_message(message);
      if (message.find("checkpoint_000001") == message.npos)
        throw Failure("the message does not name the checkpoint: " + message);
      check_unchanged(content);
      return Outcome::refused;
    }
    reading_is_over();
    go_on(*simulation, checkpoints);
    restore();
    return Outcome::accepted;
  }

private:
  void
  write_first_part()
  {
    fs::create_directories(folder);
    std::ostringstream log;
    Simulation<dim> simulation(parameters, log);
    origin = checkpoint_origin(input, simulation.model());
    Checkpoints checkpoints(folder + "/checkpoint", origin);
    simulation.start(folder);
    unsigned int n_looks = 0;
    simulation.keep_checkpoints(checkpoints,
                                [&n_looks] { return ++n_looks == looks_before_checkpoint; });
    if (simulation.run(Progress::Style::quiet) == RunEnd::done)
      throw Failure("the run in " + folder + " ends before its checkpoint");
  }

  void
  go_on(Simulation<dim> &simulation, Checkpoints &checkpoints)
  {
    unsigned int n_looks = 0;
    simulation.keep_checkpoints(checkpoints,
                                [&n_looks] { return ++n_looks == looks_after_checkpoint; });
    try
    {
      simulation.run(Progress::Style::quiet);
    }
    catch (const dealii::ExceptionBase &)
    {
      // forged velocities may be as large as they like
    }
  }

  void
  check_unchanged(const std::string &content) const
  {
    auto expected = files;
    for (auto &[name, text] : expected)
      if (name == checkpoint())
        text = content;
    if (contents_of(folder) != expected)
      throw Failure("refused, but the folder with the run was changed");
  }

  void
  restore() const
  {
    fs::remove_all(folder);
    fs::create_directories(folder + "/checkpoint");
    for (const auto &[name, text] : files)
      if (!fs::is_directory(name))
        write_file(name, text);
  }

  const std::string folder;
  const std::function<void()> reading_is_over;
  CaseInput<dim> input;
  CaseParameters<dim> parameters;
  CheckpointOrigin origin;
  std::vector<std::pair<std::string, std::string>> files; ///< that the run has left
};

class CheckpointTarget : public Target
{
public:
  CheckpointTarget(const std::string &corpus, const std::string &scratch,
                   const std::function<void()> &reading_is_over)
      : Target({})
  {
    for (const auto &original : read_originals(corpus))
    {
      std::istringstream text(original.content);
      auto assignments = read_parameter_text(text, original.name);
      const CaseOutline outline = read_outline(assignments);
      const std::string folder = scratch + "/" + original.name;
      if (outline.dimension == 2)
        runs.push_back(
            std::make_unique<StoppedRunIn<2>>(assignments, outline, folder, reading_is_over));
      else
        runs.push_back(
            std::make_unique<StoppedRunIn<3>>(assignments, outline, folder, reading_is_over));
      all.push_back({original.name, read_file(runs.back()->checkpoint())});
    }
    std::vector<std::string> states;
    for (const auto &original : all)
      states.push_back(original.content.substr(begin_of_state(original.content)));
    mutator = std::make_unique<Mutator>(Format::binary, states);
  }

  std::string
  mutant(const Original &original, const std::uint64_t seed, const std::uint64_t index) override
  {
    const std::string &file = original.content;
    if (index % 4 == 0)
      return mutator->mutate(file, seed, index);
    const std::size_t frame = begin_of_frame(file);
    const std::size_t begin =
        index % 16 == 1 ? frame + sizeof(Frame) : begin_of_state(file); // or with the origin
    const std::string bytes = file.substr(frame + sizeof(Frame), begin - frame - sizeof(Frame)) +
                              mutator->mutate(file.substr(begin), seed, index);
    const Frame right = {bytes.size(), checksum(bytes)};
    return file.substr(0, frame) +
           std::string(reinterpret_cast<const char *>(&right), sizeof(right)) + bytes;
  }

  Outcome
  try_input(const Original &original, const std::string &input) override
  {
    return run_of(original).try_checkpoint(input);
  }

  std::string
  input_file(const Original &original) const override
  {
    return run_of(original).checkpoint();
  }

private:
  static std::size_t
  begin_of_frame(const std::string &file)
  {
    return file.find('\n') + 1;
  }

  /// Behind what tells whose checkpoint it is.
  static std::size_t
  begin_of_state(const std::string &file)
  {
    const std::string section("\x0a\0\0\0\0\0\0\0simulation", 18);
    return file.find(section);
  }

  StoppedRun &
  run_of(const Original &original) const
  {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].name == original.name)
        return *runs[i];
    throw Failure("no such run");
  }

  std::vector<std::unique_ptr<StoppedRun>> runs;
  std::unique_ptr<Mutator> mutator;
};
} // namespace

std::unique_ptr<Target>
make_checkpoint_target(const std::string &corpus, const std::string &scratch,
                       const std::function<void()> &reading_is_over)
{
  return std::make_unique<CheckpointTarget>(corpus, scratch, reading_is_over);
}
