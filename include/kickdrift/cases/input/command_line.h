#ifndef KICKDRIFT_CASES_INPUT_COMMAND_LINE_H
#define KICKDRIFT_CASES_INPUT_COMMAND_LINE_H

#include <kickdrift/cases/input/parameter_file.h>

#include <string>
#include <vector>

namespace KickDrift
{
/// What the user asked the program to do.
struct CommandLine
{
  std::string case_file;               ///< the parameter file; empty if there is none
  std::vector<Assignment> assignments; ///< of --set, --output and --threads, in their order
  std::vector<Assignment> constants;   ///< of --constant, in their order
  bool overwrite = false;              ///< --overwrite
  bool resume = false;                 ///< --resume
  bool validate = false;               ///< --validate, or --survey
  std::string survey;                  ///< mesh file of --survey; empty: none
  unsigned int ranks = 0;              ///< of --ranks; 0: not asked for
  bool compare = false;                ///< --compare
  bool equal_accuracy = false;         ///< --equal-accuracy
  bool at_best = false;                ///< --at-best
  unsigned int measurements = 0;       ///< --measurements; 0: not asked for
  std::string sweep;                   ///< "NAME=a,b,c" of --sweep; empty: none
  std::vector<std::string> without;    ///< schemes of --without
  bool check_intersections = false;    ///< --check-intersections
  bool print_parameters = false;       ///< --print-parameters
  bool parameter_names = false;        ///< --parameter-names
  bool quiet = false;                  ///< --quiet
  bool version = false;                ///< --version
  bool help = false;                   ///< --help
};

/**
 * Read the arguments (without the program's name). Throws dealii::ExceptionBase with a message that
 * names the argument and what is allowed.
 */
CommandLine parse_command_line(const std::vector<std::string> &arguments);

/// "bars" for "prm/bars.prm".
std::string case_name(const std::string &file);

/// What --help prints.
std::string help_text();

/// What --version prints.
std::string version_text();

/// What the program prints without arguments: what it is and what to do next.
std::string short_help_text();
} // namespace KickDrift

#endif
