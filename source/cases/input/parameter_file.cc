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
