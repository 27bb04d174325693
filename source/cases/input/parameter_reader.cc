// The text of parameter files, and of those that they include.

#include <kickdrift/cases/input/parameter_file.h>

#include <deal.II/base/exceptions.h>
#include <deal.II/base/utilities.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

namespace KickDrift
{
using namespace dealii;

namespace
{
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

/// The present name of what has had another one.
std::string
present_name(const std::string &name)
{
  static const std::set<std::string> of_reference = {"Schedule",     "Step factor", "Maximum step",
                                                     "Solver",       "Projection",  "Zone layers",
                                                     "Feature angle"};
  const std::string section = "Contact/";
  const bool is_former =
      name.rfind(section, 0) == 0 && of_reference.count(name.substr(section.size())) > 0;
  return is_former ? section + "Reference/" + name.substr(section.size()) : name;
}

/// Full present name of a parameter with single spaces, and none around slashes.
std::string
plain_name(const std::string &name)
{
  std::string plain;
  for (const auto &part : Utilities::split_string_list(name, '/'))
  {
    std::istringstream words(part);
    std::string word, joined;
    while (words >> word)
      joined += (joined.empty() ? "" : " ") + word;
    plain += (plain.empty() ? "" : "/") + joined;
  }
  return present_name(plain);
}

/// Those like /dev/zero have no end.
void
check_is_no_device(const std::string &place, const std::string &path)
{
  std::error_code ignored; // what has no status cannot be opened, either
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
    AssertThrow(!Utilities::trim(text.substr(0, equals)).empty(),
                ExcMessage(place() + ": 'set " + text + "' lacks the name of a parameter."));
    std::string path;
    for (const auto &section : sections)
      path += section + "/";
    reading.result.push_back({plain_name(path + text.substr(0, equals)),
                              Utilities::trim(text.substr(equals + 1)), place(),
                              file.substr(0, file.rfind('/') + 1)});
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
  AssertThrow(equals != std::string::npos && !Utilities::trim(text.substr(0, equals)).empty(),
              ExcMessage("--set \"" + text + "\": expected \"Section/Subsection/Name=value\"."));
  AssertThrow(is_utf8(text),
              ExcMessage("--set \"" + text + "\": there are bytes that are no text in UTF-8."));
  return {plain_name(text.substr(0, equals)), Utilities::trim(text.substr(equals + 1)),
          "--set \"" + text + "\"", ""};
}

std::string
last_value(const std::vector<Assignment> &assignments, const std::string &parameter)
{
  const auto last =
      std::find_if(assignments.rbegin(), assignments.rend(),
                   [&](const Assignment &assignment) { return assignment.parameter == parameter; });
  return last == assignments.rend() ? "" : last->value;
}

std::string
absolute_file_name(const std::string &name, const std::string &folder)
{
  return name.empty() ? ""
                      : absolute(std::filesystem::path(folder) / name).lexically_normal().string();
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
