#include "abaqus_mesh.h"

#include <deal.II/base/utilities.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace KickDrift
{
using namespace dealii;

namespace
{
/// Words between commas, without the empty one after a comma at the end.
std::vector<std::string>
split(const std::string &text)
{
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');)
    words.push_back(Utilities::trim(word));
  if (!words.empty() && words.back().empty())
    words.pop_back();
  return words;
}

/// "8" for "C3D8R"; empty if a type does not say how many nodes its elements have. (Not by a
/// regular expression: those of the standard library overflow the stack with long texts.)
std::string
stated_n_nodes(const std::string &type)
{
  for (const std::string family :
       {"CPS", "CPE", "CAX", "C3D", "M3D", "SFM3D", "R2D", "R3D", "S", "T2D", "T3D"})
    if (starts_with(type, family) && is_digits(type.substr(family.size(), 1)))
      return type.substr(family.size(), 1);
  return "";
}

/// The numbers of a line that are separated by commas.
MeshFileRow
comma_row(const MeshFileLine &line, const std::size_t n, const std::size_t n_integers)
{
  MeshFileLine spaced = line;
  std::replace(spaced.text.begin(), spaced.text.end(), ',', ' ');
  return row({spaced}, 0, n, n_integers);
}
} // namespace

AbaqusMesh::Keyword::Keyword(const MeshFileLine &line)
{
  auto words = split(line.text);
  word = upper_case(words.at(0));
  for (std::size_t i = 1; i < words.size(); ++i)
  {
    const auto equals = words[i].find('=');
    std::string value =
        equals == std::string::npos ? "" : Utilities::trim(words[i].substr(equals + 1));
    value.erase(std::remove(value.begin(), value.end(), '"'), value.end());
    parameters[upper_case(Utilities::trim(words[i].substr(0, equals)))] = value;
  }
}

bool
AbaqusMesh::Keyword::is_of_nodes() const
{
  return upper_case(value("TYPE")) == "NODE";
}

std::string
AbaqusMesh::Keyword::value(const std::string &parameter) const
{
  const auto entry = parameters.find(parameter);
  return entry == parameters.end() ? "" : entry->second;
}

AbaqusMesh::AbaqusMesh(const MeshFileLines &lines)
{
  Keyword keyword({"*", 0});
  Set *set = nullptr;
  for (const MeshFileLine &line : lines)
    if (starts_with(line.text, "*") && !starts_with(line.text, "**"))
    {
      keyword = Keyword(line);
      set = set_of(keyword, line.number);
      if (keyword.word == "*MATERIAL")
        material = upper_case(keyword.value("NAME"));
      if (keyword.word == "*SOLID SECTION" || keyword.word == "*SHELL SECTION")
        sections.push_back({keyword.value("ELSET"), upper_case(keyword.value("MATERIAL")), line,
                            keyword.word == "*SHELL SECTION"});
    }
    else if (!line.text.empty() && line.text[0] != '*')
      read_data(line, keyword, set);
  check();
}

MeshMaterials
AbaqusMesh::materials() const
{
  MeshMaterials result;
  for (const Section &section : sections)
  {
    const auto density = densities.find(section.material);
    const auto elasticity = elasticities.find(section.material);
    const auto set = element_sets.find(upper_case(section.set));
    if (set == element_sets.end() || density == densities.end() || elasticity == elasticities.end())
      continue;
    MeshMaterial &one = result[set->second.name];
    one.density = comma_row(density->second, 1, 0)[0];
    const auto values = comma_row(elasticity->second, 2, 0);
    one.youngs_modulus = values[0];
    one.poissons_ratio = values[1];
    if (section.is_shell && section.line.text[0] != '*')
      one.thickness = comma_row(section.line, 1, 0)[0];
  }
  return result;
}

AbaqusMesh::Sets &
AbaqusMesh::sets_of(const Keyword &keyword)
{
  const bool of_nodes = keyword.word == "*NODE" || keyword.word == "*NSET" ||
                        (keyword.word == "*SURFACE" && keyword.is_of_nodes());
  return of_nodes ? node_sets : element_sets;
}

AbaqusMesh::Set *
AbaqusMesh::set_of(const Keyword &keyword, const std::size_t line)
{
  const std::map<std::string, std::string> parameters = {{"*NODE", "NSET"},
                                                         {"*ELEMENT", "ELSET"},
                                                         {"*NSET", "NSET"},
                                                         {"*ELSET", "ELSET"},
                                                         {"*SURFACE", "NAME"}};
  const auto parameter = parameters.find(keyword.word);
  if (parameter == parameters.end())
    return nullptr;
  const std::string name = keyword.value(parameter->second);
  const bool needs_name = keyword.word != "*NODE" && keyword.word != "*ELEMENT";
  require_in_line(!name.empty() || !needs_name, line,
                  "'" + keyword.word + "' has no name ('" + parameter->second + "=')");
  if (name.empty() || (keyword.word == "*SURFACE" && !keyword.is_of_nodes()))
    return nullptr;
  Set &set = sets_of(keyword)[upper_case(name)];
  if (set.name.empty())
    set.name = name;
  return &set;
}

void
AbaqusMesh::read_data(const MeshFileLine &line, const Keyword &keyword, Set *set)
{
  if (keyword.word == "*NODE" || keyword.word == "*ELEMENT")
  {
    const bool is_node = keyword.word == "*NODE";
    is_node ? read_node(line) : read_element(line, keyword);
    const Label label = is_node ? nodes.back().label : elements.back().label;
    if (set != nullptr)
      set->line_of_label.emplace(label, line.number);
  }
  else if (keyword.word == "*SURFACE" && !keyword.is_of_nodes())
    read_side(line, keyword.value("NAME"));
  else if (set != nullptr)
    read_members(line, keyword, *set);
  else
    read_section(line, keyword);
}

/// Keep the first line of data of what says something about materials.
void
AbaqusMesh::read_section(const MeshFileLine &line, const Keyword &keyword)
{
  const std::string type = upper_case(keyword.value("TYPE"));
  if (keyword.word == "*DENSITY")
    densities.emplace(material, line);
  else if (keyword.word == "*ELASTIC" && (type.empty() || starts_with(type, "ISO")))
    elasticities.emplace(material, line);
  else if (keyword.word == "*SHELL SECTION" && sections.back().line.text[0] == '*')
    sections.back().line = line;
}

void
AbaqusMesh::read_node(const MeshFileLine &line)
{
  const auto values = comma_row(line, 3, 1);
  add_node(
      {std::lround(values[0]), Point<3>(values[1], values[2], values.size() > 3 ? values[3] : 0.)},
      line.number);
}

void
AbaqusMesh::read_element(const MeshFileLine &line, const Keyword &keyword)
{
  const auto values = comma_row(line, 3, -1);
  Element element{std::lround(values[0]), {}, upper_case(keyword.value("TYPE")), line.number};
  for (std::size_t i = 1; i < values.size(); ++i)
    element.nodes.push_back(std::lround(values[i]));
  const std::string stated = stated_n_nodes(element.type);
  require_in_line(stated.empty() || std::to_string(element.nodes.size()) == stated, line.number,
                  "an element of type " + element.type + " has " +
                      std::to_string(element.nodes.size()) + " nodes");
  add_element(element);
}

void
AbaqusMesh::read_members(const MeshFileLine &line, const Keyword &keyword, Set &set)
{
  const Sets &sets = sets_of(keyword);
  if (keyword.word == "*SURFACE") // of nodes; a second word is their area
    return add_members(split(line.text + ",").at(0), sets, line.number, set);
  if (keyword.parameters.count("GENERATE") == 0)
  {
    for (const auto &word : split(line.text))
      add_members(word, sets, line.number, set);
    return;
  }
  const auto range = comma_row(line, 2, -1);
  const Label step = range.size() > 2 ? std::lround(range[2]) : 1;
  require_in_line(range[0] >= 0 && range[0] <= range[1] && step > 0, line.number,
                  "'" + line.text + "' is no range 'first, last, step'");
  require_in_line((range[1] - range[0]) / step <= nodes.size() + elements.size(), line.number,
                  "'" + line.text + "' has more entries than there are nodes and elements before");
  count_expanded((range[1] - range[0]) / step + 1, line.number);
  for (Label label = std::lround(range[0]); label <= std::lround(range[1]); label += step)
    set.line_of_label.emplace(label, line.number);
}

void
AbaqusMesh::add_members(const std::string &word, const Sets &sets, const std::size_t line, Set &set)
{
  if (is_digits(word) && word.size() < 10)
  {
    set.line_of_label.emplace(std::stol(word), line);
    return;
  }
  const auto other = sets.find(upper_case(word));
  require_in_line(other != sets.end() && &other->second != &set, line,
                  "'" + word + "' is neither a number nor a set before");
  count_expanded(other->second.line_of_label.size(), line);
  set.line_of_label.insert(other->second.line_of_label.begin(), other->second.line_of_label.end());
}

void
AbaqusMesh::count_expanded(const std::size_t n, const std::size_t line)
{
  // sets of all that there is, a hundred times over
  const std::size_t allowed = 1000000 + 100 * (nodes.size() + elements.size());
  n_expanded += n;
  require_in_line(n_expanded <= allowed, line,
                  "sets within sets and ranges have more than " + std::to_string(allowed) +
                      " members up to here, too many for " + std::to_string(nodes.size()) +
                      " nodes and " + std::to_string(elements.size()) + " elements");
}

void
AbaqusMesh::read_side(const MeshFileLine &line, const std::string &surface)
{
  const auto words = split(line.text);
  require_in_line(words.size() == 2, line.number,
                  "'" + line.text + "' is no face of a surface, such as '12, S3'");
  const std::string side = upper_case(words[1]);
  require_in_line(side.size() == 2 && (side[0] == 'S' || side[0] == 'E') && side[1] >= '1' &&
                      side[1] <= '6',
                  line.number, "'" + words[1] + "' is no side of a solid element, S1 to S6");
  Set set;
  add_members(words[0], element_sets, line.number, set);
  std::vector<Label> labels;
  for (const auto &entry : set.line_of_label)
    labels.push_back(entry.first);
  sides.push_back({surface, labels, static_cast<unsigned int>(side[1] - '0'), line.number});
}
} // namespace KickDrift
