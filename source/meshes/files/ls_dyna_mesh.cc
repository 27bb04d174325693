#include "ls_dyna_mesh.h"

#include <deal.II/base/utilities.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <sstream>

namespace KickDrift
{
using namespace dealii;

namespace
{
using Label = LabelledMesh::Label;

/// The fields of a card, without blanks around them.
std::vector<std::string>
fields_of(const MeshFileLine &card, const std::vector<unsigned int> &widths)
{
  std::vector<std::string> fields;
  if (card.text.find(',') != std::string::npos)
  {
    std::istringstream stream(card.text);
    for (std::string field; std::getline(stream, field, ',');)
      fields.push_back(Utilities::trim(field));
    return fields;
  }
  const std::string text = std::string(card.indent, ' ') + card.text;
  std::size_t begin = 0;
  for (const unsigned int width : widths)
  {
    if (begin >= text.size())
      break;
    fields.push_back(Utilities::trim(text.substr(begin, width)));
    begin += width;
  }
  return fields;
}

/// So many fields of one width.
std::vector<std::string>
fields_of(const MeshFileLine &card, const unsigned int n, const unsigned int width)
{
  return fields_of(card, std::vector<unsigned int>(n, width));
}

/// An empty field is zero.
double
number_of(const std::vector<std::string> &fields, const std::size_t i, const std::size_t line)
{
  if (i >= fields.size() || fields[i].empty())
    return 0;
  return row({{fields[i], line}}, 0, 1, 0)[0];
}

Label
label_of(const std::vector<std::string> &fields, const std::size_t i, const std::size_t line)
{
  if (i >= fields.size() || fields[i].empty())
    return 0;
  return std::lround(row({{fields[i], line}}, 0, 1, 1)[0]);
}

/// A title as a name that lists of names in parameter files may have.
std::string
name_of_title(const std::string &title, const Label part)
{
  std::string name;
  for (const char c : title)
    if (std::string(",/=\"\\").find(c) == std::string::npos)
      name += c;
  name = Utilities::trim(name);
  return name.find_first_not_of("0123456789") == std::string::npos ? "part " + std::to_string(part)
                                                                   : name;
}

/// The card with the values, behind that of the title if there is one; null if it is missing.
const MeshFileLine *
first_card(const std::string &word, const MeshFileLines &cards)
{
  const std::size_t i = ends_with(word, "_TITLE") ? 1 : 0;
  return i < cards.size() ? &cards[i] : nullptr;
}

/// Corners of a solid element without those that only repeat others at the end.
std::vector<Label>
corners_of_solid(const std::vector<Label> &nodes)
{
  const bool is_tetrahedron =
      nodes.size() == 8 &&
      std::all_of(nodes.begin() + 4, nodes.end(), [&](const Label n) { return n == nodes[3]; });
  const bool has_none_after_four =
      nodes.size() == 8 &&
      std::all_of(nodes.begin() + 4, nodes.end(), [](const Label n) { return n == 0; });
  return is_tetrahedron || has_none_after_four
             ? std::vector<Label>(nodes.begin(), nodes.begin() + 4)
             : nodes;
}
} // namespace

bool
is_ls_dyna_file(const std::string &file)
{
  const std::string name = upper_case(file);
  return ends_with(name, ".K") || ends_with(name, ".KEY") || ends_with(name, ".DYN");
}

LsDynaMesh::LsDynaMesh(const MeshFileLines &lines)
{
  Block block;
  for (const MeshFileLine &line : lines)
    if (starts_with(line.text, "*"))
    {
      read(block);
      block = {line, upper_case(line.text.substr(0, line.text.find_first_of(" \t"))), {}};
      require_in_line(!starts_with(block.word, "*INCLUDE") ||
                          starts_with(block.word, "*INCLUDE_PATH"),
                      line.number, "it includes another file, which is not read");
      const bool is_long =
          line.text.back() == '+' ||
          (block.word == "*KEYWORD" && upper_case(line.text).find("LONG=Y") != std::string::npos);
      require_in_line(!is_long, line.number, "the long format is not supported");
      if (block.word == "*END")
        break;
    }
    else if (!starts_with(line.text, "$"))
      block.cards.push_back(line);
  read(block);
  check();
  name_parts();
}

void
LsDynaMesh::read(const Block &block)
{
  const std::string &word = block.word;
  if (word == "*NODE")
    read_nodes(block);
  else if (word == "*ELEMENT_SOLID" || word == "*ELEMENT_SHELL")
    read_elements(block, word == "*ELEMENT_SOLID");
  else if (starts_with(word, "*ELEMENT_SOLID_") || starts_with(word, "*ELEMENT_SHELL_"))
    require_in_line(false, block.keyword.number,
                    "'" + word + "' is not supported, only *ELEMENT_SOLID and *ELEMENT_SHELL");
  else if (word == "*PART")
    read_parts(block);
  else if (starts_with(word, "*SET_NODE"))
    read_node_set(block);
  else if (starts_with(word, "*MAT_ADD_"))
    return; // adds to the material of the same id
  else if (starts_with(word, "*MAT_") || starts_with(word, "*SECTION_"))
    if (const MeshFileLine *card = first_card(word, block.cards))
    {
      const auto fields = fields_of(*card, 8, 10);
      auto &blocks = starts_with(word, "*MAT_") ? material_blocks : section_blocks;
      blocks.emplace(label_of(fields, 0, card->number), block);
    }
}

void
LsDynaMesh::read_nodes(const Block &block)
{
  for (const MeshFileLine &card : block.cards)
  {
    if (card.text.empty())
      continue;
    const auto fields = fields_of(card, {8, 16, 16, 16});
    Point<3> position;
    for (unsigned int d = 0; d < 3; ++d)
      position[d] = number_of(fields, 1 + d, card.number);
    add_node({label_of(fields, 0, card.number), position}, card.number);
  }
}

void
LsDynaMesh::read_elements(const Block &block, const bool is_solid)
{
  for (std::size_t i = 0; i < block.cards.size(); ++i)
  {
    const MeshFileLine &card = block.cards[i];
    if (card.text.empty())
      continue;
    const unsigned int most_nodes = is_solid ? 8 : 4;
    auto fields = fields_of(card, 2 + most_nodes, 8);
    Element element{label_of(fields, 0, card.number), {}, "", card.number};
    const Label part = label_of(fields, 1, card.number);
    std::size_t first = 2;
    if (fields.size() == 2) // nodes follow in a card of their own
    {
      require_in_line(is_solid && i + 1 < block.cards.size(), card.number,
                      "an element has no nodes");
      fields = fields_of(block.cards[++i], 10, 8);
      first = 0;
    }
    for (std::size_t k = first; k < fields.size(); ++k)
      element.nodes.push_back(label_of(fields, k, block.cards[i].number));
    while (!element.nodes.empty() && element.nodes.back() == 0)
      element.nodes.pop_back();
    if (is_solid)
      element.nodes = corners_of_solid(element.nodes);
    else if (element.nodes.size() == 4 && element.nodes[2] == element.nodes[3])
      element.nodes.pop_back();
    const std::size_t n = element.nodes.size();
    require_in_line(is_solid ? n == 4 || n == 8 : n == 3 || n == 4, card.number,
                    "an element has " + std::to_string(n) +
                        " nodes; solids have 8, or 4, shells 4 or 3");
    std::set<Label> different(element.nodes.begin(), element.nodes.end());
    require_in_line(different.size() == n, card.number,
                    "element " + std::to_string(element.label) +
                        " has a node twice; of solids that are no hexahedra only tetrahedra are "
                        "supported");
    element.type = is_solid ? n == 8 ? "C3D8" : "C3D4" : n == 4 ? "S4" : "S3";
    elements_of_part[part].push_back(elements.size());
    add_element(element);
  }
}

void
LsDynaMesh::read_parts(const Block &block)
{
  for (std::size_t i = 0; i + 1 < block.cards.size(); i += 2)
  {
    const MeshFileLine &card = block.cards[i + 1];
    const auto fields = fields_of(card, 8, 10);
    const Label id = label_of(fields, 0, card.number);
    parts[id] = {label_of(fields, 1, card.number), label_of(fields, 2, card.number),
                 name_of_title(block.cards[i].text, id)};
  }
}

/// Only lists of labels; what selects them otherwise is left out.
void
LsDynaMesh::read_node_set(const Block &block)
{
  const bool has_title = ends_with(block.word, "_TITLE");
  const std::string kind = block.word.substr(0, block.word.size() - (has_title ? 6 : 0));
  const MeshFileLine *head = first_card(block.word, block.cards);
  if ((kind != "*SET_NODE" && kind != "*SET_NODE_LIST") || head == nullptr)
    return;
  const Label id = label_of(fields_of(*head, 8, 10), 0, head->number);
  std::string name = has_title ? name_of_title(block.cards[0].text, id) : "";
  if (name.empty() || starts_with(name, "part "))
    name = "nodes " + std::to_string(id);
  Set &set = node_sets[upper_case(name)];
  set.name = name;
  for (std::size_t i = has_title ? 2 : 1; i < block.cards.size(); ++i)
  {
    const auto fields = fields_of(block.cards[i], 8, 10);
    for (std::size_t k = 0; k < fields.size(); ++k)
      if (const Label label = label_of(fields, k, block.cards[i].number))
        set.line_of_label.emplace(label, block.cards[i].number);
  }
}

/// Parts of the same title share a set, if they have the same material and section.
void
LsDynaMesh::name_parts()
{
  std::map<std::string, const Part *> first_of_title;
  for (const auto &[id, indices] : elements_of_part)
  {
    auto &part = parts.emplace(id, Part{0, 0, name_of_title("", id)}).first->second;
    const Part &first = *first_of_title.emplace(upper_case(part.name), &part).first->second;
    if (first.material != part.material || first.section != part.section)
      part.name += " " + std::to_string(id);
    Set &set = element_sets[upper_case(part.name)];
    if (set.name.empty())
      set.name = part.name;
    part.name = set.name;
    for (const std::size_t i : indices)
      set.line_of_label.emplace(elements[i].label, elements[i].line);
  }
}

MeshMaterials
LsDynaMesh::materials() const
{
  // where density and Young's modulus stand among the fields of the first card
  const std::set<std::string> as_elastic = {"ELASTIC",
                                            "001",
                                            "PLASTIC_KINEMATIC",
                                            "003",
                                            "PIECEWISE_LINEAR_PLASTICITY",
                                            "024",
                                            "POWER_LAW_PLASTICITY",
                                            "018",
                                            "RIGID",
                                            "020",
                                            "SIMPLIFIED_JOHNSON_COOK",
                                            "098"};
  const std::set<std::string> with_shear_modulus_first = {"JOHNSON_COOK", "015"};
  MeshMaterials result;
  for (const auto &entry : elements_of_part)
  {
    const Part &part = parts.at(entry.first);
    const auto block = material_blocks.find(part.material);
    if (block == material_blocks.end())
      continue;
    const std::string &word = block->second.word;
    const std::string name =
        word.substr(5, ends_with(word, "_TITLE") ? word.size() - 11 : std::string::npos);
    const bool is_shifted = with_shear_modulus_first.count(name) > 0;
    if (as_elastic.count(name) == 0 && !is_shifted)
      continue;
    const MeshFileLine &card = *first_card(word, block->second.cards);
    const auto fields = fields_of(card, 8, 10);
    MeshMaterial &material = result[part.name];
    material.density = number_of(fields, 1, card.number);
    material.youngs_modulus = number_of(fields, is_shifted ? 3 : 2, card.number);
    material.poissons_ratio = number_of(fields, is_shifted ? 4 : 3, card.number);
    const auto section = section_blocks.find(part.section);
    if (section != section_blocks.end() && starts_with(section->second.word, "*SECTION_SHELL"))
    {
      const std::size_t i = ends_with(section->second.word, "_TITLE") ? 2 : 1;
      if (i < section->second.cards.size())
      {
        const MeshFileLine &thicknesses = section->second.cards[i];
        material.thickness = number_of(fields_of(thicknesses, 4, 10), 0, thicknesses.number);
      }
    }
  }
  return result;
}
} // namespace KickDrift
