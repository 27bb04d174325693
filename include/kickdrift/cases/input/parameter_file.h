#ifndef KICKDRIFT_CASES_INPUT_PARAMETER_FILE_H
#define KICKDRIFT_CASES_INPUT_PARAMETER_FILE_H

#include <istream>
#include <string>
#include <vector>

namespace KickDrift
{
/// One "set NAME = VALUE" of a parameter file or of the command line.
struct Assignment
{
  std::string parameter; ///< full name with its subsections: "Stepping/End time"
  std::string value;     ///< text after the equals sign
  std::string origin;    ///< where it stands, for messages: "bars.prm, line 12"
  std::string folder =
      {}; ///< of the file, to which names of files are relative; empty: the present one
};

/**
 * Read a deal.II parameter file (set, subsection, end, include, comments, continued lines) without
 * knowing which parameters exist, so that errors can name the place and the nearest known name.
 *
 * An included file is looked for beside the file that includes it. Throws dealii::ExceptionBase
 * naming file and line for anything that is not a parameter file, or if it cannot be opened.
 */
std::vector<Assignment> read_parameter_file(const std::string &file_name);

/// The same for text; @p name stands for the file in messages.
std::vector<Assignment> read_parameter_text(std::istream &text, const std::string &name);

/// An assignment as on the command line, "Section/Subsection/Name=value".
Assignment parse_assignment(const std::string &text);

/// The value that the last of the @p assignments to a parameter gives to it; empty if there is
/// none.
std::string last_value(const std::vector<Assignment> &assignments, const std::string &parameter);

/// The file that an assignment names, seen from its @p folder; an empty name stays empty.
std::string absolute_file_name(const std::string &name, const std::string &folder);

/// Number of single-letter insertions, deletions, replacements that turn one word into the other,
/// not counting upper and lower case.
unsigned int edit_distance(const std::string &a, const std::string &b);
} // namespace KickDrift

#endif
