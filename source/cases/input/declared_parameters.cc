#include <kickdrift/base/messages.h>
#include <kickdrift/cases/input/declared_parameters.h>

#include <deal.II/base/exceptions.h>
#include <deal.II/base/utilities.h>

#include <boost/algorithm/string/join.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "subsection.h"

namespace KickDrift
{
using namespace dealii;

namespace
{
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

/// deal.II's description of a pattern, "[Double 0...MAX_DOUBLE (inclusive)]", for people.
std::string
in_words(std::string pattern)
{
  if (pattern.size() > 1 && pattern.front() == '[' && pattern.back() == ']')
    pattern = pattern.substr(1, pattern.size() - 2);
  const std::vector<std::pair<std::string, std::string>> words = {
      {"List of <[", "a list of "},
      {"Map of <[Double -MAX_DOUBLE...MAX_DOUBLE (inclusive)]>:<[Double -MAX_DOUBLE...MAX_DOUBLE "
       "(inclusive)]> of length 0...4294967295 (inclusive)",
       "pairs of numbers, 'a: b, c: d'"},
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

/// Set an entry in the present subsection; says whether the value fits.
bool
try_to_set(ParameterHandler &prm, const std::string &name, const std::string &value)
{
  try
  {
    prm.set(name, value);
    return true;
  }
  catch (const ExceptionBase &)
  {
    return false;
  }
}

/// Is the entry a number, by deal.II's description of its pattern?
bool
is_number(const std::string &allowed)
{
  return allowed.rfind("[Double", 0) == 0 || allowed.rfind("[Integer", 0) == 0;
}

/// Is the entry a list of pairs of numbers, "0: 1, 2: 3"?
bool
is_map_of_numbers(const std::string &allowed)
{
  return allowed.rfind("[Map of <[Double", 0) == 0;
}

/// Does the entry name a file, by deal.II's description of its pattern?
bool
is_file_name(const std::string &allowed)
{
  return allowed.rfind("[FileName", 0) == 0;
}

/// Does the entry list files?
bool
is_list_of_file_names(const std::string &allowed)
{
  return allowed.rfind("[List of <[FileName", 0) == 0;
}

/// The value of an assignment, in which names of files are absolute.
std::string
with_absolute_names(const Assignment &assignment, const std::string &allowed)
{
  if (is_file_name(allowed))
    return absolute_file_name(assignment.value, assignment.folder);
  if (!is_list_of_file_names(allowed))
    return assignment.value;
  std::string result;
  for (const auto &name : Utilities::split_string_list(assignment.value, ','))
    result += (result.empty() ? "" : ", ") + absolute_file_name(name, assignment.folder);
  return result;
}

/// Value of an expression as text that fits a number, or an integer.
std::string
value_text(const std::string &expression, const std::string &name, const std::string &allowed,
           const Constants &constants)
{
  const double value = evaluate(expression, name, constants);
  return exact_text(allowed.rfind("[Integer", 0) == 0 ? without_rounding(value) : value);
}

/// The same for all expressions of a list of pairs.
std::string
text_of_map(const std::string &value, const std::string &name, const Constants &constants)
{
  std::string result;
  for (const auto &pair : Utilities::split_string_list(value, ','))
  {
    std::string numbers;
    for (const auto &expression : Utilities::split_string_list(pair, ':'))
      numbers += (numbers.empty() ? "" : ": ") + value_text(expression, name, "", constants);
    result += (result.empty() ? "" : ", ") + numbers;
  }
  return result;
}

/// First name of a path, "Bodies" of "Bodies/left/Mesh/File".
std::string
top_section(const std::string &path)
{
  return path.substr(0, path.find('/'));
}

/// " 'push' is not in 'Loads/Names'." for a section that would have to be there.
std::string
missing_section(const std::vector<std::string> &names, const std::string &parameter)
{
  const auto parts = split_path(parameter);
  if (parts.size() < 3)
    return "";
  const std::string list = parts[0] + "/Names", begin = parts[0] + "/" + parts[1] + "/";
  const auto begins_so = [&](const std::string &name) { return name.rfind(begin, 0) == 0; };
  return std::find(names.begin(), names.end(), list) == names.end() ||
                 std::any_of(names.begin(), names.end(), begins_so)
             ? ""
             : " '" + parts[1] + "' is not in '" + list + "'.";
}

/// " Did you mean '...'?" with the name that is most like @p word: a few letters are wrong in the
/// parameter itself, or it is in another section. Empty if there is none.
std::string
suggestion(const std::vector<std::string> &names, const std::string &word)
{
  // Nobody has meant that, and its distances would take for ever.
  constexpr std::size_t longest = 200;
  if (word.size() > longest)
    return "";
  const bool stays_in_section = !missing_section(names, word).empty();
  const auto [sections, own] = sections_and_name(word);
  const std::string path = word.substr(0, word.size() - own.size());
  std::pair<unsigned int, unsigned int> least(own.size() / 3, -1); // of the name, of its sections
  std::string nearest;
  for (const auto &name : names)
  {
    if (stays_in_section && top_section(name) != top_section(word))
      continue;
    const std::string last = sections_and_name(name).second;
    const unsigned int distance = edit_distance(last, own);
    if (distance > least.first)
      continue;
    const std::pair<unsigned int, unsigned int> both(
        distance, edit_distance(name.substr(0, name.size() - last.size()), path));
    if (both >= least)
      continue;
    nearest = name;
    least = both;
  }
  return nearest.empty() ? "" : " Did you mean '" + nearest + "'?";
}
} // namespace

DeclaredParameters::DeclaredParameters(const std::function<void(ParameterHandler &)> &declare)
{
  declare(prm);
  // There is no other way to see what a handler knows than to let it print itself.
  std::stringstream json;
  prm.print_parameters(json, ParameterHandler::JSON);
  std::vector<std::string> sections;
  const std::function<void(const nlohmann::ordered_json &)> collect =
      [&](const nlohmann::ordered_json &tree)
  {
    for (const auto &[name, entry] : tree.items())
      if (entry.contains("value") && entry["value"].is_string())
      {
        ordered.push_back(boost::algorithm::join(sections, "/") + (sections.empty() ? "" : "/") +
                          name);
        declarations[ordered.back()] = {sections, name, entry.value("pattern_description", ""),
                                        entry.value("default_value", "")};
      }
      else
      {
        sections.push_back(name);
        collect(entry);
        sections.pop_back();
      }
  };
  collect(nlohmann::ordered_json::parse(json));
}

template <typename Function>
void
DeclaredParameters::at(const Declaration &declaration, const Function &f)
{
  const Subsection here(prm, declaration.sections);
  f();
}

void
DeclaredParameters::set(const std::string &full_name, const Assignment &assignment,
                        const Constants &constants)
{
  const Declaration &declaration = declarations.at(full_name);
  const std::string &name = declaration.name, &allowed = declaration.allowed;
  bool fits = false;
  std::string value = "'" + assignment.value + "'", reason;
  at(declaration,
     [&]
     {
       fits = try_to_set(prm, name, with_absolute_names(assignment, allowed));
       if (fits || !(is_number(allowed) || is_map_of_numbers(allowed)) || assignment.value.empty())
         return;
       try
       {
         const std::string number = is_number(allowed)
                                        ? value_text(assignment.value, name, allowed, constants)
                                        : text_of_map(assignment.value, name, constants);
         fits = try_to_set(prm, name, number);
         if (number != assignment.value)
           value += " (" + number + ")";
       }
       catch (const ExceptionBase &exception)
       {
         reason = " " + message_of(exception); // why it is no expression, either
       }
     });
  AssertThrow(fits, ExcMessage(assignment.origin + ": '" + assignment.parameter + "' cannot be " +
                               value + "; allowed is " + in_words(allowed) + "." + reason));
}

void
DeclaredParameters::set(const std::string &name, const std::string &value)
{
  const Declaration &declaration = declarations.at(name);
  at(declaration, [&] { prm.set(declaration.name, value); });
}

std::string
DeclaredParameters::value(const std::string &name)
{
  const Declaration &declaration = declarations.at(name);
  std::string result;
  at(declaration, [&] { result = prm.get(declaration.name); });
  return result;
}

void
throw_unknown_parameter(const Assignment &assignment, const std::vector<std::string> &names)
{
  AssertThrow(false,
              ExcMessage(assignment.origin + ": there is no parameter '" + assignment.parameter +
                         "'." + missing_section(names, assignment.parameter) +
                         suggestion(names, assignment.parameter)));
  std::abort();
}

} // namespace KickDrift
