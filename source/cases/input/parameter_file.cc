// The JSON reader of this Boost includes its old header of bind, which says so at every
// compilation.
#define BOOST_BIND_GLOBAL_PLACEHOLDERS

#include <kickdrift/cases/input/parameter_file.h>

#include <deal.II/base/exceptions.h>
#include <deal.II/base/utilities.h>

#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/ptree.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <numeric>
#include <sstream>

namespace KickDrift
{
using namespace dealii;

namespace
{
/// Value and admissible values of one declared parameter.
struct Declaration
{
  std::string name;
  std::string allowed;
};

std::vector<std::string>
split_path(const std::string &path)
{
  return Utilities::split_string_list(path, '/');
}

/// Subsections of a parameter's full name, joined; the rest is the name.
std::pair<std::vector<std::string>, std::string>
sections_and_name(const std::string &parameter)
{
  auto parts = split_path(parameter);
  AssertThrow(!parts.empty(), ExcMessage("A parameter without a name cannot be set."));
  const std::string name = parts.back();
  parts.pop_back();
  return {parts, name};
}

/// With which editors of some systems begin a text in UTF-8.
const std::string byte_order_mark = "\xEF\xBB\xBF";

/// Is it text in UTF-8? deal.II's output of parameters could not be read otherwise.
bool
is_utf8(const std::string &text)
{
  for (std::size_t i = 0; i < text.size();)
  {
    const unsigned char lead = text[i++];
    const unsigned int n_more = lead < 0x80                   ? 0
                                : lead >= 0xc2 && lead < 0xe0 ? 1
                                : lead >= 0xe0 && lead < 0xf0 ? 2
                                : lead >= 0xf0 && lead < 0xf5 ? 3
                                                              : 4;
    if (n_more > 3)
      return false;
    for (unsigned int more = 0; more < n_more; ++more, ++i)
      if (i == text.size() || (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80)
        return false;
  }
  return true;
}

/// Those like /dev/zero have no end.
void
check_is_no_device(const std::string &place, const std::string &path)
{
  std::error_code ignored; // who cannot be looked at cannot be opened, either
  AssertThrow(!std::filesystem::is_character_file(path, ignored),
              ExcMessage(place + "'" + path + "' is a device, not a file."));
}

/// What the readers of a file and of those that it includes share.
struct Reading
{
  std::vector<std::string> sections; ///< that are open
  std::vector<Assignment> result;
  unsigned int n_included = 0; ///< files so far
};

/// How many files may be included, one by one or by each other.
constexpr unsigned int most_included = 1000;

/// Reads one file; included files are read by further readers.
class Reader
{
public:
  Reader(std::string file, Reading &reading, const Reader *includer = nullptr)
      : file(std::move(file)), includer(includer), reading(reading), sections(reading.sections)
  {
  }

  void
  read(std::istream &text)
  {
    const std::size_t depth = sections.size();
    std::string line;
    while (next_line(text, line))
      if (!line.empty())
        interpret(line);
    AssertThrow(sections.size() == depth, ExcMessage(file + ": the subsection '" + sections.back() +
                                                     "' is not closed; an 'end' is missing."));
  }

private:
  std::string
  place() const
  {
    return file + ", line " + std::to_string(line_number);
  }

  /// The next line without its comment, joined with those that continue it.
  bool
  next_line(std::istream &text, std::string &line)
  {
    line.clear();
    std::string part;
    while (std::getline(text, part))
    {
      if (++line_number == 1 && part.rfind(byte_order_mark, 0) == 0)
        part.erase(0, byte_order_mark.size());
      part = part.substr(0, part.find('#'));
      std::replace(part.begin(), part.end(), '\t', ' ');
      part = Utilities::trim(part);
      const bool continued = !part.empty() && part.back() == '\\';
      line += continued ? part.substr(0, part.size() - 1) : part;
      if (!continued)
        return true;
    }
    return !line.empty();
  }

  void
  interpret(const std::string &line)
  {
    AssertThrow(is_utf8(line),
                ExcMessage(place() + ": '" + line + "' has bytes that are no text in UTF-8."));
    const auto space = line.find(' ');
    const std::string keyword = line.substr(0, space);
    const std::string rest = space == std::string::npos ? "" : Utilities::trim(line.substr(space));
    if (keyword == "set")
      add(rest);
    else if (keyword == "subsection" && !rest.empty())
      sections.push_back(rest);
    else if (keyword == "end" && rest.empty())
    {
      AssertThrow(!sections.empty(),
                  ExcMessage(place() + ": there is no subsection that this 'end' could close."));
      sections.pop_back();
    }
    else if (keyword == "include" && !rest.empty())
      include(rest);
    else
      AssertThrow(
          false, ExcMessage(place() + ": '" + line +
                            "' is none of: set NAME = VALUE, subsection NAME, end, include FILE."));
  }

  void
  add(const std::string &text)
  {
    const auto equals = text.find('=');
    AssertThrow(equals != std::string::npos,
                ExcMessage(place() + ": 'set " + text + "' lacks an equals sign."));
    std::string path;
    for (const auto &section : sections)
      path += section + "/";
    reading.result.push_back({path + Utilities::trim(text.substr(0, equals)),
                              Utilities::trim(text.substr(equals + 1)), place()});
  }

  void
  include(const std::string &name)
  {
    const auto slash = file.rfind('/');
    const std::string beside = slash == std::string::npos ? name : file.substr(0, slash + 1) + name;
    const std::string path = name.front() == '/' ? name : beside;
    std::ifstream text(path);
    AssertThrow(text, ExcMessage(place() + ": the file '" + path + "' cannot be opened."));
    check_is_no_device(place() + ": ", path);
    check_not_open(path);
    // Files that include the next one twice, ten deep, do so without any loop.
    AssertThrow(++reading.n_included <= most_included,
                ExcMessage(place() + ": '" + path +
                           "' cannot be included: that would be more than " +
                           std::to_string(most_included) + " included files."));
    Reader(path, reading, this).read(text);
    AssertThrow(!text.bad(),
                ExcMessage(place() + ": '" + path + "' cannot be read" +
                           (std::filesystem::is_directory(path) ? "; it is a folder." : ".")));
  }

  void
  check_not_open(const std::string &path) const
  {
    std::string chain = "'" + path + "'";
    for (const Reader *reader = this; reader != nullptr; reader = reader->includer)
    {
      chain = "'" + reader->file + "' includes " + chain;
      std::error_code ignored; // text that is no file can be in no loop
      AssertThrow(!std::filesystem::equivalent(reader->file, path, ignored),
                  ExcMessage(place() + ": files include each other without end: " + chain + "."));
    }
  }

  const std::string file;
  const Reader *const includer; ///< null for the first file
  Reading &reading;
  std::vector<std::string> &sections; ///< of the reading
  unsigned int line_number = 0;
};

void
collect(const boost::property_tree::ptree &tree, const std::string &path,
        std::vector<Declaration> &declarations)
{
  for (const auto &child : tree)
  {
    const auto &entry = child.second;
    const bool is_parameter =
        entry.find("value") != entry.not_found() && entry.get_child("value").empty();
    if (is_parameter)
      declarations.push_back(
          {path + child.first, entry.get<std::string>("pattern_description", "")});
    else
      collect(entry, path + child.first + "/", declarations);
  }
}

std::vector<Declaration>
declarations(const ParameterHandler &prm)
{
  // There is no other way to see what a handler knows than to let it print itself.
  std::stringstream json;
  prm.print_parameters(json, ParameterHandler::JSON);
  boost::property_tree::ptree tree;
  boost::property_tree::read_json(json, tree);
  std::vector<Declaration> result;
  collect(tree, "", result);
  return result;
}

/// deal.II's description of a pattern, "[Double 0...MAX_DOUBLE (inclusive)]", for people.
std::string
in_words(std::string pattern)
{
  if (pattern.size() > 1 && pattern.front() == '[' && pattern.back() == ']')
    pattern = pattern.substr(1, pattern.size() - 2);
  const std::vector<std::pair<std::string, std::string>> words = {
      {"List of <[", "a list of "},
      {"]> of length 0...4294967295 (inclusive)", ""},
      {"Double", "a number"},
      {"Integer range", "an integer"},
      {"Integer", "an integer"},
      {"Selection", "one of"},
      {"Bool", "true or false"},
      {"...", " to "},
      {"-MAX_DOUBLE", "-infinity"},
      {"MAX_DOUBLE", "infinity"},
      {"|", " | "}};
  for (const auto &[from, to] : words)
    for (auto at = pattern.find(from); at != std::string::npos;
         at = pattern.find(from, at + to.size()))
      pattern.replace(at, from.size(), to);
  return Utilities::trim(pattern);
}

void
set(ParameterHandler &prm, const Assignment &assignment, const std::string &allowed)
{
  const auto [sections, name] = sections_and_name(assignment.parameter);
  for (const auto &section : sections)
    prm.enter_subsection(section);
  bool fits = true;
  try
  {
    prm.set(name, assignment.value);
  }
  catch (const ExceptionBase &)
  {
    fits = false;
  }
  for (unsigned int i = 0; i < sections.size(); ++i)
    prm.leave_subsection();
  AssertThrow(fits, ExcMessage(assignment.origin + ": '" + assignment.parameter + "' cannot be '" +
                               assignment.value + "'; allowed is " + in_words(allowed) + "."));
}

/// " Did you mean '...'?" with the name that is most like @p word.
std::string
suggestion(const std::vector<std::string> &names, const std::string &word)
{
  // Nobody has meant that, and its distances would take for ever.
  constexpr std::size_t longest = 200;
  if (word.size() > longest)
    return "";
  const std::string *nearest = nullptr;
  unsigned int least = std::numeric_limits<unsigned int>::max();
  for (const auto &name : names)
  {
    const unsigned int distance = edit_distance(name, word);
    if (distance < least)
      nearest = &name;
    least = std::min(least, distance);
  }
  return nearest ? " Did you mean '" + *nearest + "'?" : "";
}
} // namespace

std::vector<Assignment>
read_parameter_file(const std::string &file_name)
{
  check_is_no_device("The parameter file ", file_name);
  std::ifstream text(file_name);
  AssertThrow(text && text.peek() != std::ifstream::traits_type::eof(),
              ExcMessage("The parameter file '" + file_name + "' " +
                         (text.is_open() ? "is empty or a folder." : "cannot be opened.")));
  return read_parameter_text(text, file_name);
}

std::vector<Assignment>
read_parameter_text(std::istream &text, const std::string &name)
{
  Reading reading;
  Reader(name, reading).read(text);
  return reading.result;
}

Assignment
parse_assignment(const std::string &text)
{
  const auto equals = text.find('=');
  AssertThrow(equals != std::string::npos && equals > 0,
              ExcMessage("--set \"" + text + "\": expected \"Section/Subsection/Name=value\"."));
  AssertThrow(is_utf8(text),
              ExcMessage("--set \"" + text + "\": there are bytes that are no text in UTF-8."));
  return {Utilities::trim(text.substr(0, equals)), Utilities::trim(text.substr(equals + 1)),
          "--set \"" + text + "\""};
}

std::vector<std::string>
declared_parameters(const ParameterHandler &prm)
{
  std::vector<std::string> names;
  for (const auto &declaration : declarations(prm))
    names.push_back(declaration.name);
  return names;
}

void
apply_known(const std::vector<Assignment> &assignments, ParameterHandler &prm)
{
  std::map<std::string, std::string> allowed;
  for (const auto &declaration : declarations(prm))
    allowed[declaration.name] = declaration.allowed;
  for (const auto &assignment : assignments)
  {
    const auto known = allowed.find(assignment.parameter);
    if (known != allowed.end())
      set(prm, assignment, known->second);
  }
}

void
check_names(const std::vector<Assignment> &assignments, const ParameterHandler &prm)
{
  const auto names = declared_parameters(prm);
  for (const auto &assignment : assignments)
    if (std::find(names.begin(), names.end(), assignment.parameter) == names.end())
      AssertThrow(false, ExcMessage(assignment.origin + ": there is no parameter '" +
                                    assignment.parameter + "'." +
                                    suggestion(names, assignment.parameter)));
}

unsigned int
edit_distance(const std::string &a, const std::string &b)
{
  const auto lower = [](const char c) { return std::tolower(static_cast<unsigned char>(c)); };
  std::vector<unsigned int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0u);
  for (std::size_t i = 0; i < a.size(); ++i)
  {
    unsigned int diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j)
    {
      const unsigned int replaced = diagonal + (lower(a[i]) == lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}
} // namespace KickDrift
