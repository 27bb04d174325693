#include <kickdrift/cases/input/command_line.h>
#include <kickdrift/potentials/instruction_set.h>

#include <deal.II/base/config.h>
#include <deal.II/base/exceptions.h>
#include <deal.II/base/utilities.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace KickDrift
{
using namespace dealii;

namespace
{
const std::vector<std::string> &
known_options()
{
  static const std::vector<std::string> options = {
      "--output",         "--overwrite",       "--set",
      "--threads",        "--validate",        "--print-parameters",
      "--quiet",          "--version",         "--help",
      "--resume",         "--compare",         "--sweep",
      "--equal-accuracy", "--without",         "--at-best",
      "--ranks",          "--survey",          "--check-intersections",
      "--measurements",   "--parameter-names", "--constant"};
  return options;
}

[[noreturn]] void
throw_unknown_option(const std::string &option)
{
  const auto &options = known_options();
  const auto nearest =
      *std::min_element(options.begin(), options.end(),
                        [&](const auto &a, const auto &b)
                        { return edit_distance(a, option) < edit_distance(b, option); });
  AssertThrow(false, ExcMessage("There is no option '" + option + "'. Did you mean '" + nearest +
                                "'? 'kickdrift --help' lists all."));
  std::abort();
}

/// Hands out the arguments one after the other; "--option=value" counts as two.
class Arguments
{
public:
  explicit Arguments(const std::vector<std::string> &arguments)
  {
    for (const auto &argument : arguments)
    {
      const auto equals = argument.find('=');
      const bool joined = argument.rfind("--", 0) == 0 && equals != std::string::npos;
      words.push_back(argument.substr(0, joined ? equals : std::string::npos));
      if (joined)
        words.push_back(argument.substr(equals + 1));
    }
  }

  bool
  empty() const
  {
    return next == words.size();
  }

  std::string
  take()
  {
    return words[next++];
  }

  std::string
  value_of(const std::string &option)
  {
    AssertThrow(!empty(), ExcMessage("The option '" + option + "' needs a value after it."));
    return take();
  }

private:
  std::vector<std::string> words;
  std::size_t next = 0;
};

/// What an option counts, such as "processes"; throws unless it is a number from 1 to 999999.
unsigned int
read_count(const std::string &option, const std::string &what, const std::string &text)
{
  const bool is_number =
      !text.empty() && text.size() < 7 && text.find_first_not_of("0123456789") == std::string::npos;
  const unsigned int n = is_number ? std::stoul(text) : 0;
  AssertThrow(n > 0, ExcMessage("'" + option + "' needs a number of " + what +
                                " from 1 to 999999, not '" + text + "'."));
  return n;
}

/// Name and value of "n=8".
Assignment
parse_constant(const std::string &text)
{
  const std::string origin = "--constant \"" + text + "\"";
  const auto equals = text.find('=');
  const std::string name = Utilities::trim(text.substr(0, equals)),
                    value =
                        equals == std::string::npos ? "" : Utilities::trim(text.substr(equals + 1));
  AssertThrow(!name.empty() && !value.empty(), ExcMessage(origin + ": expected \"NAME=VALUE\"."));
  return {name, value, origin};
}

/// Throw if options contradict each other.
void
check_options(const CommandLine &line)
{
  AssertThrow(!(line.resume && line.overwrite),
              ExcMessage("The options '--resume' and '--overwrite' cannot be used together."));
  for (const auto &[other, is_set] :
       {std::pair<std::string, bool>{"CASE.prm", !line.case_file.empty()},
        {"--compare", line.compare},
        {"--resume", line.resume},
        {"--check-intersections", line.check_intersections}})
    AssertThrow(
        line.survey.empty() || !is_set,
        ExcMessage("'--survey' looks at a mesh; it cannot be used together with '" + other + "'."));
  AssertThrow(line.sweep.empty() || line.compare,
              ExcMessage("The option '--sweep' needs '--compare'."));
  AssertThrow(line.ranks == 0 || line.validate,
              ExcMessage("The option '--ranks' needs '--validate'; to run on several processes, "
                         "start them: mpirun -n " +
                         std::to_string(line.ranks) + " kickdrift CASE.prm."));
  AssertThrow(line.without.empty() || line.compare,
              ExcMessage("The option '--without' needs '--compare'."));
  AssertThrow(!line.equal_accuracy || line.compare,
              ExcMessage("The option '--equal-accuracy' needs '--compare'."));
  AssertThrow(!line.at_best || line.compare,
              ExcMessage("The option '--at-best' needs '--compare'."));
  AssertThrow(line.measurements == 0 || line.compare,
              ExcMessage("The option '--measurements' needs '--compare'."));
  for (const auto &[option, is_set] : {std::pair<const char *, bool>{"--validate", line.validate},
                                       {"--resume", line.resume},
                                       {"--print-parameters", line.print_parameters},
                                       {"--parameter-names", line.parameter_names},
                                       {"--check-intersections", line.check_intersections}})
    AssertThrow(!(line.compare && is_set), ExcMessage(std::string("The options '--compare' and '") +
                                                      option + "' cannot be used together."));
  AssertThrow(!line.compare || !line.case_file.empty() || line.help || line.version,
              ExcMessage("The option '--compare' needs a parameter file: kickdrift CASE.prm "
                         "--compare."));
}

/// Where cases to begin with are: here, beside the build folder, or where they were installed.
std::string
folder_of_cases()
{
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path();
  for (const fs::path &folder : {fs::path("prm"), program / "prm", program / KICKDRIFT_CASES})
    if (fs::exists(folder / "two_elastic_bars.prm", ignored))
      return folder.string();
  return "prm";
}
} // namespace

CommandLine
parse_command_line(const std::vector<std::string> &arguments)
{
  CommandLine line;
  const std::map<std::string, bool *> flags = {{"--overwrite", &line.overwrite},
                                               {"--resume", &line.resume},
                                               {"--validate", &line.validate},
                                               {"--compare", &line.compare},
                                               {"--print-parameters", &line.print_parameters},
                                               {"--parameter-names", &line.parameter_names},
                                               {"--equal-accuracy", &line.equal_accuracy},
                                               {"--at-best", &line.at_best},
                                               {"--check-intersections", &line.check_intersections},
                                               {"--quiet", &line.quiet},
                                               {"--version", &line.version},
                                               {"--help", &line.help},
                                               {"-h", &line.help}};
  const std::map<std::string, std::string> parameters = {{"--output", "Output/Folder"},
                                                         {"--threads", "Stepping/Threads"}};
  Arguments words(arguments);
  while (!words.empty())
  {
    const std::string word = words.take();
    if (flags.count(word) > 0)
      *flags.at(word) = true;
    else if (parameters.count(word) > 0)
      line.assignments.push_back({parameters.at(word), words.value_of(word), word});
    else if (word == "--set")
      line.assignments.push_back(parse_assignment(words.value_of(word)));
    else if (word == "--constant")
      line.constants.push_back(parse_constant(words.value_of(word)));
    else if (word == "--sweep")
      line.sweep = words.value_of(word);
    else if (word == "--survey")
    {
      line.survey = words.value_of(word);
      line.validate = true;
    }
    else if (word == "--ranks")
      line.ranks = read_count(word, "processes", words.value_of(word));
    else if (word == "--measurements")
      line.measurements = read_count(word, "measurements", words.value_of(word));
    else if (word == "--without")
      line.without.push_back(words.value_of(word));
    else if (!word.empty() && word.front() == '-')
      throw_unknown_option(word);
    else
    {
      AssertThrow(line.case_file.empty(), ExcMessage("One parameter file at a time: '" +
                                                     line.case_file + "' or '" + word + "'?"));
      line.case_file = word;
    }
  }
  check_options(line);
  return line;
}

std::string
case_name(const std::string &file)
{
  const std::string name = file.substr(file.rfind('/') + 1);
  const auto dot = name.rfind(".prm");
  return dot == std::string::npos || dot == 0 ? name : name.substr(0, dot);
}

std::string
help_text()
{
  return R"(usage: kickdrift CASE.prm [options]
       kickdrift --survey MESH [options]

Run the case described by the parameter file CASE.prm: explicit dynamics with asynchronous
variational time stepping and asynchronous contact.

  --output DIR           write results to DIR instead of Output/Folder
  --overwrite            replace the results of an earlier run in that folder; other files stay
  --resume               continue the run in that folder from its last checkpoint (see section
                         Checkpoint of the parameters), as if it had never been interrupted; the
                         parameters must be the same, but 'Stepping/End time' may be later, also
                         that of a run that was done. Begin anew if there is no checkpoint yet
  --set "A/B/NAME=VALUE" set parameter NAME in subsection B of A, as if it stood at the end of the
                         file; may be repeated. Names of files are relative to the folder where
                         this is typed, those in CASE.prm to the folder of CASE.prm
  --constant NAME=VALUE  give the constant NAME in 'Constants' another value, for which --set would
                         have to repeat the whole list; may be repeated
  --threads N            number of threads
  --validate             check the case and report on it, do not run it
  --survey MESH          say whether own time steps pay, then report as --validate does, for a mesh
                         without a case: histogram of steps, the worst cells, kicks and time beside
                         synchronous stepping, mass that mass scaling would add. Materials are those
                         of an Abaqus or LS-DYNA file, or else steel in mm, t, s; --set changes them
                         ("Bodies/part/Material/Density=..."); shells, of triangles, need
                         "Bodies/part/Thickness=..." unless the file says it. Meshes are those that
                         'Bodies/NAME/Mesh/File' may name
  --ranks N              with --validate: how its kicks would be divided among N processes
  --compare              run the case with nested clocks, with a clock per cell, and synchronously
                         (contacts one after the other, and coupled) with the same time step ratio;
                         nested and synchronous also with the longest steps that are safe for each,
                         and synchronous with the mean step of nested clocks, if that is longer, by
                         mass scaling (how much is in its title, and its probes tell the cost);
                         all with and without contact. Write comparison.html and comparison.json
                         to output/CASE_comparison or DIR, without VTU files unless --set asks for
                         them. Leave the machine alone meanwhile: it measures time
  --measurements N       with --compare: runs with less than a second of stepping are done N times,
                         and the fastest counts; without this option, three times
  --sweep NAME=a,b,c     with --compare: repeat for these values of NAME in 'Constants'
  --without SCHEME       with --compare: leave out this scheme, by the name of its folder: per_cell
                         (fine meshes take it long), synchronous_coupled, nested_best,
                         synchronous_best or synchronous_scaled; may be repeated
  --at-best              with --compare: only what says whether it pays, and only as the case is,
                         with contact: nested clocks, the same with their longest steps,
                         synchronous stepping with its longest, and with scaled mass; and a
                         reference, nested clocks with a quarter of the time step ratio, to which
                         probes, contact forces and reactions of the others are compared
  --equal-accuracy       with --compare: also look for the longest synchronous step whose probes are
                         as near to those of a reference run as the probes of nested clocks are;
                         the reference is that of --at-best, if that is given, or else synchronous
                         with an eighth of the time step ratio
  --check-intersections  stop when a node passes through a face, an edge through an edge, or a node
                         enters an obstacle: every straight flight of every node is looked at with
                         exact times of impact, which takes several times as long as the run;
                         obstacles count as straight movers between two kicks of a node
  --print-parameters     print all parameters with documentation, units and values
  --parameter-names      print the names of all parameters, one on a line, and those of constants,
                         for completion on the command line: shared libraries are not loaded, whose
                         parameters are left out
  --quiet                print nothing but warnings and errors, which go to standard error anyway
  --version              print the version
  --help                 print this text

Exit status: 0 done; 2 something is wrong with the command line, the parameters or the model, or
deal.II is not the release that the program was built with; 1 something went wrong after the run had
started; 3 the run was interrupted (Ctrl-C, or a signal such as SIGTERM or SIGHUP) and has written a
checkpoint. Results written
before that stay readable.
--compare: a run with a clock per cell that stops at 'Stepping/Energy limit' is a result, not an
error.
)";
}

std::string
version_text()
{
  return "kickdrift " KICKDRIFT_VERSION " with deal.II " DEAL_II_PACKAGE_VERSION "\n"
         "Instruction set of the kernels: " +
         instruction_set() + "\n";
}

std::string
short_help_text()
{
  const std::string cases = folder_of_cases();
  return "usage: kickdrift CASE.prm [options]\n\n"
         "Try one of the cases in " +
         cases + ", each of which says in its first lines what it shows:\n  kickdrift " + cases +
         "/two_elastic_bars.prm --output bars\n"
         "Then open bars/solution.pvd in ParaView, and bars/statistics.csv wherever you like to.\n"
         "A case of your own begins as a copy of one of these; check it with\n"
         "  kickdrift my_case.prm --validate\n"
         "'kickdrift --help' lists the options, 'kickdrift --print-parameters' all parameters.\n";
}
} // namespace KickDrift
