// Hostile input: hands damaged parameter files, mesh files or checkpoints to the code that reads
// them. Each must be accepted, or refused with a message for the user; a crash, a hang, a strange
// exception or a changed file is a failure. And runs that are stopped and resumed at random, where
// another result is a failure, too.

#include "targets.h"
#include "watchdog.h"

#include <deal.II/base/exceptions.h>
#include <deal.II/base/multithread_info.h>

#include <cstring>
#include <filesystem>
#include <iostream>
#include <sstream>

#include <sys/resource.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace
{
constexpr const char *usage =
    "usage: kickdrift_fuzz KIND CORPUS COUNT [SEED [FIRST]]\n\n"
    "KIND is prm, mesh, checkpoint or resume; CORPUS the folder with its originals. The first "
    "inputs are\n"
    "the originals as they are, the others are made of them: COUNT in all, the same for the same\n"
    "SEED. FIRST: begin with this one, for instance to repeat a failure. Inputs that fail are "
    "kept\n"
    "in the folder fuzz_findings_KIND.\n"
    "Exit status: 0 no failure; 1 failures; 2 wrong arguments.\n";

/// What libraries do not give back would add up.
constexpr std::uint64_t inputs_per_worker = 1000;

/// Meshes that would need more than this are refused, see available_memory().
constexpr rlim_t memory_for_meshes = 32 << 20;

struct Arguments
{
  std::string kind, corpus;
  std::uint64_t count = 0, seed = 1, first = 0;
};

/// Throws std::exception.
Arguments
parse(const int argc, char **argv)
{
  if (argc < 4 || argc > 6)
    throw std::invalid_argument("wrong number of arguments");
  Arguments arguments;
  arguments.kind = argv[1];
  arguments.corpus = fs::absolute(argv[2]).string();
  arguments.count = std::stoull(argv[3]);
  if (argc > 4)
    arguments.seed = std::stoull(argv[4]);
  if (argc > 5)
    arguments.first = std::stoull(argv[5]);
  return arguments;
}

/// The original that an input is, or is made of.
const Original &
original_of(const Target &target, const Arguments &arguments, const std::uint64_t index)
{
  const auto &originals = target.originals();
  const std::size_t n = originals.size();
  return originals[index < n ? index : Mutator::choice(arguments.seed, index, n)];
}

/// What originals must be is known.
void
check_original(const Original &original, const Outcome outcome)
{
  const bool is_broken = original.name.rfind("broken", 0) == 0;
  if (outcome != (is_broken ? Outcome::refused : Outcome::accepted))
    throw Failure("the original " + original.name +
                  (is_broken                      ? " was accepted"
                   : outcome == Outcome::blown_up ? " blows up"
                                                  : " was refused"));
}

void
try_one(Target &target, const Arguments &arguments, Progress &progress, const std::string &findings)
{
  const std::uint64_t index = progress.index;
  const Original &original = original_of(target, arguments, index);
  const bool is_original = index < target.originals().size();
  std::strncpy(progress.input_file, fs::absolute(target.input_file(original)).c_str(),
               sizeof(progress.input_file) - 1);
  try
  {
    const std::string input =
        is_original ? original.content : target.mutant(original, arguments.seed, index);
    const Outcome outcome = target.try_input(original, input);
    ++(outcome == Outcome::accepted  ? progress.n_accepted
       : outcome == Outcome::refused ? progress.n_refused
                                     : progress.n_blown_up);
    if (is_original)
      check_original(original, outcome);
  }
  catch (const std::exception &exception)
  {
    ++progress.n_failures;
    const std::string reason = std::string("made of ") + original.name + ": " + exception.what();
    keep_finding(progress, findings, reason, "");
    std::cerr << "input " << index << " " << reason << "\n";
  }
}

void
work(const Arguments &arguments, const std::string &scratch, const std::string &findings,
     Progress &progress)
{
  dealii::deal_II_exceptions::disable_abort_on_exception();
  dealii::deal_II_exceptions::suppress_stacktrace_in_exceptions();
  dealii::MultithreadInfo::set_thread_limit(2);
  fs::remove_all(scratch);
  fs::create_directories(scratch);
  fs::current_path(scratch);
  const auto target = make_target(arguments.kind, arguments.corpus, scratch,
                                  [&progress] { progress.is_read = true; });
  for (std::uint64_t i = 0; i < inputs_per_worker && progress.index < arguments.count; ++i)
  {
    progress.begin(progress.index);
    try_one(*target, arguments, progress, findings);
    ++progress.index;
  }
}

int
run(const Arguments &arguments)
{
  const std::string findings = fs::absolute("fuzz_findings_" + arguments.kind).string();
  const fs::path folder =
      fs::temp_directory_path() / ("kickdrift_fuzz_" + std::to_string(getpid()));
  fs::create_directories(folder);
  struct rlimit limit;
  getrlimit(RLIMIT_RSS, &limit);
  limit.rlim_cur = memory_for_meshes;
  setrlimit(RLIMIT_RSS, &limit);

  Progress &progress = shared_progress();
  progress.index = arguments.first;
  Limits limits;
  if (arguments.kind == "trap")
    limits = {0.5, 1.};
  watch(progress, arguments.count, limits, (folder / "log").string(), findings,
        [&] { work(arguments, (folder / "scratch").string(), findings, progress); });
  fs::remove_all(folder);
  std::cout << arguments.kind << ": " << arguments.count - arguments.first << " inputs, "
            << progress.n_accepted << " accepted (" << progress.n_interrupted
            << " of them took long afterwards), " << progress.n_blown_up << " blown up, "
            << progress.n_refused << " refused, " << progress.n_failures << " failures\n";
  if (progress.n_failures > 0)
    std::cout << "see " << findings << "\n";
  return progress.n_failures > 0 ? 1 : 0;
}
} // namespace

int
main(int argc, char **argv)
{
  Arguments arguments;
  try
  {
    arguments = parse(argc, argv);
  }
  catch (const std::exception &)
  {
    std::cerr << usage;
    return 2;
  }
  return run(arguments);
}
