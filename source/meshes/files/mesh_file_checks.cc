#include "mesh_file_checks.h"
#include "ls_dyna_mesh.h"
#include "mesh_file_vtk.h"
#include "mesh_topology.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <unordered_set>
#include <vector>

namespace KickDrift
{
namespace
{
using Lines = MeshFileLines;
using Row = MeshFileRow;

/// Material and boundary ids.
void
check_ids(const Row &values, const std::size_t first, const std::size_t n)
{
  for (std::size_t i = first; i < std::min(first + n, values.size()); ++i)
    require_in_line(values[i] >= 0, values.line, "an id of a material or boundary is negative");
}

using Labels = std::unordered_set<long>;

/// Dimension and number of nodes of an element.
struct ElementType
{
  unsigned int dimension;
  std::size_t n_nodes;
};

/// The elements of a file, whatever its format: their nodes exist, and the cells fit together.
class Elements
{
public:
  explicit Elements(const Labels &labels) : labels(labels) {}

  /// Check an element whose nodes are the values from @p first on.
  void
  add(const Row &values, const std::size_t first, const ElementType &type)
  {
    // numbers too many would be read as the beginning of the next element
    require_in_line(values.size() == first + type.n_nodes, values.line,
                    "an element has not " + std::to_string(type.n_nodes) +
                        " nodes, as its type demands");
    std::vector<long> nodes;
    for (std::size_t i = first; i < values.size(); ++i)
    {
      nodes.push_back(std::lround(values[i]));
      require_in_line(labels.count(nodes.back()) > 0, values.line,
                      "an element refers to node " + std::to_string(nodes.back()) +
                          ", which does not exist");
    }
    topology.add(type.dimension, nodes, values.line);
  }

  /// To be called once all are added.
  void
  check() const
  {
    topology.check();
  }

private:
  const Labels &labels;
  MeshTopology topology;
};

// -- Gmsh -----------------------------------------------------------------------------------------

const ElementType &
gmsh_type(const double number)
{
  static const std::map<int, ElementType> types = {{1, {1, 2}}, {2, {2, 3}}, {3, {2, 4}},
                                                   {4, {3, 4}}, {5, {3, 8}}, {6, {3, 6}},
                                                   {7, {3, 5}}, {15, {0, 1}}};
  const auto entry = types.find(static_cast<int>(number));
  require(entry != types.end(),
          "elements of Gmsh type " + std::to_string(static_cast<int>(number)) +
              " are not supported; elements must be linear (Gmsh: Mesh.ElementOrder = 1)");
  return entry->second;
}

/// Nodes and elements one to a line after their number.
void
check_gmsh_2(const Lines &lines, const std::size_t nodes, const std::size_t elements)
{
  Labels labels;
  const std::size_t n_nodes = count(exact_row(lines, nodes + 1, 1, 1)[0], lines.size());
  for (std::size_t i = 0; i < n_nodes; ++i)
    labels.insert(std::lround(exact_row(lines, nodes + 2 + i, 4, 1)[0]));
  const std::size_t n_elements = count(exact_row(lines, elements + 1, 1, 1)[0], lines.size());
  Elements checked(labels);
  for (std::size_t i = 0; i < n_elements; ++i)
  {
    const auto values = integers(lines, elements + 2 + i, 4);
    const std::size_t n_tags = count(values[2], values.size(), values.line);
    check_ids(values, 3, n_tags);
    checked.add(values, 3 + n_tags, gmsh_type(values[1]));
  }
  checked.check();
  expect_line(lines, nodes + 2 + n_nodes, "$EndNodes");
  expect_line(lines, elements + 2 + n_elements, "$EndElements");
}

/// Nodes and elements in blocks by geometrical entity.
void
check_gmsh_4(const Lines &lines, const std::size_t nodes, const std::size_t elements,
             const bool tags_apart)
{
  const std::string contradiction = "the number of nodes or elements differs from the stated one";
  Labels labels;
  std::size_t i = nodes + 1, total = 0;
  const std::size_t n_head = tags_apart ? 4 : 2;
  for (auto blocks = count(exact_row(lines, i++, n_head, n_head)[0], lines.size()); blocks > 0;
       --blocks)
  {
    const auto head = exact_row(lines, i++, 4, 4);
    count(head[tags_apart ? 0 : 1], 3); // dimension of the entity
    const auto n = count(head[3], lines.size());
    for (std::size_t k = 0; k < n; ++k)
      labels.insert(std::lround(exact_row(lines, i++, tags_apart ? 1 : 4, 1)[0]));
    for (std::size_t k = 0; k < n && tags_apart; ++k)
      exact_row(lines, i++, 3, 0);
    total += n;
  }
  expect_line(lines, i, "$EndNodes");
  require(double(total) == integers(lines, nodes + 1, 2)[1], contradiction);

  Elements checked(labels);
  i = elements + 1;
  total = 0;
  for (auto blocks = count(exact_row(lines, i++, n_head, n_head)[0], lines.size()); blocks > 0;
       --blocks)
  {
    const auto head = exact_row(lines, i++, 4, 4);
    count(head[tags_apart ? 0 : 1], 3);
    const auto n = count(head[3], lines.size());
    for (std::size_t k = 0; k < n; ++k)
      checked.add(integers(lines, i++, 2), 1, gmsh_type(head[2]));
    total += n;
  }
  checked.check();
  expect_line(lines, i, "$EndElements");
  require(double(total) == integers(lines, elements + 1, 2)[1], contradiction);
}

/// Geometrical entities: points, curves, surfaces, volumes with their physical tags.
void
check_gmsh_entities(const Lines &lines, const std::size_t entities, const std::size_t n_coordinates)
{
  const auto head = exact_row(lines, entities + 1, 4, 4);
  std::size_t i = entities + 2;
  for (unsigned int dimension = 0; dimension < 4; ++dimension)
    for (auto n = count(head[dimension], lines.size()); n > 0; --n)
    {
      const std::size_t physical = 1 + (dimension == 0 ? n_coordinates : 6);
      const auto values = row(lines, i++, physical + 1, 1);
      check_ids(values, physical + 1, count(values[physical], values.size()));
      std::size_t length = physical + 1 + count(values[physical], values.size());
      if (dimension > 0)
      {
        require_in_line(values.size() > length, values.line, "the entity is incomplete");
        length += 1 + count(std::abs(values[length]), values.size());
      }
      require_in_line(values.size() == length, values.line, "the entity is incomplete");
    }
  expect_line(lines, i, "$EndEntities");
}

/// Every section $X has to end with $EndX before the next one begins.
void
check_gmsh_sections(const Lines &lines)
{
  std::string open;
  for (const MeshFileLine &line : lines)
    if (starts_with(line.text, "$"))
    {
      require_in_line(open.empty() || line.text == "$End" + open, line.number,
                      "the section $" + open + " has no end before '" + line.text + "'");
      open = open.empty() ? line.text.substr(1) : "";
    }
  require(open.empty(), "the section $" + open + " has no end");
}

void
check_gmsh(const Lines &lines)
{
  const auto format = exact_row(lines, find_line(lines, "$MeshFormat") + 1, 3, 0);
  require(format[1] == 0, "it is binary; save it as ASCII (Gmsh: Mesh.Binary = 0)");
  require(format[2] == 8, "its data size is not 8");
  const bool is_2 = format[0] >= 2 && format[0] < 3, is_4 = format[0] >= 4 && format[0] < 4.2;
  require(is_2 || is_4,
          "its format version " + std::to_string(format[0]) + " is not supported (2.x, 4.0, 4.1)");
  const auto nodes = find_line(lines, "$Nodes");
  const auto elements = find_line(lines, "$Elements", nodes);
  check_gmsh_sections(lines);
  if (is_4)
    check_gmsh_entities(lines, find_line(lines, "$Entities"), format[0] > 4.05 ? 3 : 6);
  if (is_2)
    check_gmsh_2(lines, nodes, elements);
  else
    check_gmsh_4(lines, nodes, elements, format[0] > 4.05);
}

// -- UCD ------------------------------------------------------------------------------------------

void
check_ucd(const Lines &all_lines)
{
  Lines lines;
  for (const auto &line : all_lines)
    if (!starts_with(line.text, "#") && !line.text.empty())
      lines.push_back(line);
  const auto head = exact_row(lines, 0, 5, 5);
  const auto n_nodes = count(head[0], lines.size()), n_cells = count(head[1], lines.size());
  require(n_nodes > 0 && n_cells > 0, "it has no nodes or no cells");
  Labels labels;
  for (std::size_t i = 0; i < n_nodes; ++i)
    labels.insert(std::lround(exact_row(lines, 1 + i, 4, 1)[0]));
  static const std::map<std::string, ElementType> types = {
      {"line", {1, 2}}, {"tri", {2, 3}},   {"quad", {2, 4}}, {"tet", {3, 4}},
      {"hex", {3, 8}},  {"prism", {3, 6}}, {"pyr", {3, 5}}};
  Elements checked(labels);
  for (std::size_t i = 0; i < n_cells; ++i)
  {
    require(1 + n_nodes + i < lines.size(), "it ends too early");
    const MeshFileLine &line = lines[1 + n_nodes + i];
    std::istringstream stream(line.text);
    std::string index, material, type, rest;
    stream >> index >> material >> type;
    std::getline(stream, rest);
    const auto entry = types.find(type);
    require_in_line(entry != types.end(), line.number,
                    "'" + line.text + "' has no known cell type");
    check_ids(integers({{index + " " + material, line.number}}, 0, 2), 1, 1);
    checked.add(integers({{rest, line.number}}, 0, entry->second.n_nodes), 0, entry->second);
  }
  checked.check();
}

// -- UNV ------------------------------------------------------------------------------------------

/// First line of the section with this number, and the line that ends it.
std::pair<std::size_t, std::size_t>
find_unv_section(const Lines &lines, const std::string &number)
{
  bool inside = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (lines[i].text == "-1")
    {
      if (inside && lines[begin].text == number)
        return {begin + 1, i};
      inside = !inside;
      begin = i + 1;
    }
  require(!inside, "its last section has no end ('-1')");
  throw BrokenMeshFile{"it has no complete section " + number};
}

/// Is there a Fortran exponent, such as that of 1.5D+00, with its letter at @p i?
bool
is_double_exponent(const std::string &text, const std::size_t i)
{
  const auto is_one_of = [&text](const std::size_t at, const char *characters)
  { return at < text.size() && std::string(characters).find(text[at]) != std::string::npos; };
  return is_one_of(i, "dD") && i > 0 && is_one_of(i - 1, ".0123456789") &&
         is_one_of(i + 1, "+-0123456789");
}

void
check_unv(const Lines &lines)
{
  const auto is_mark = [](const MeshFileLine &line) { return line.text == "-1"; };
  require(std::count_if(lines.begin(), lines.end(), is_mark) % 2 == 0,
          "a section has no end ('-1' is missing)");
  const auto nodes = find_unv_section(lines, "2411");
  const auto elements = find_unv_section(lines, "2412");
  Labels labels;
  for (std::size_t i = nodes.first; i < nodes.second; i += 2)
  {
    labels.insert(std::lround(exact_row(lines, i, 4, 4)[0]));
    require(i + 1 < nodes.second, "the last node has no coordinates");
    exact_row(lines, i + 1, 3, 0);
  }
  // beams, quadrilaterals and hexahedra: all that deal.II reads
  static const std::map<long, ElementType> types = {
      {11, {1, 2}}, {44, {2, 4}}, {94, {2, 4}}, {115, {3, 8}}};
  Elements checked(labels);
  for (std::size_t i = elements.first; i < elements.second; i += 2)
  {
    const auto head = exact_row(lines, i, 6, 6);
    if (head[1] == 11) // beams have a line more
      ++i;
    require(i + 1 < elements.second, "the last element has no nodes");
    const auto type = types.find(std::lround(head[1]));
    require_in_line(type != types.end(), head.line,
                    "elements of UNV type " + std::to_string(std::lround(head[1])) +
                        " are not supported, only 11, 44, 94 and 115");
    checked.add(integers(lines, i + 1, 1), 0, type->second);
  }
  checked.check();
}
} // namespace

void
replace_double_exponents(MeshFileLines &lines)
{
  const auto nodes = find_unv_section(lines, "2411");
  for (std::size_t i = nodes.first; i < nodes.second; ++i)
    for (std::size_t k = 0; k < lines[i].text.size(); ++k)
      if (is_double_exponent(lines[i].text, k))
        lines[i].text[k] = 'E';
}

std::string
check_mesh_file(const std::string &file, const MeshFileLines &lines)
{
  const auto dot = file.find_last_of('.');
  const std::string suffix = dot == std::string::npos ? "" : upper_case(file.substr(dot + 1));
  // Both Abaqus and UCD (AVS) use .inp; only Abaqus has lines that begin with a star.
  const bool has_stars = std::any_of(lines.begin(), lines.end(),
                                     [](const auto &line) { return starts_with(line.text, "*"); });
  if (suffix == "MSH")
    return check_gmsh(lines), "msh";
  if (suffix == "VTK")
    return "vtk"; // checked_vtk() does
  if (suffix == "UNV")
    return check_unv(lines), "unv";
  if (is_ls_dyna_file(file))
    return "ls-dyna";
  require(suffix == "INP" || suffix == "UCD",
          "its suffix '" + suffix +
              "' is not known; known are msh, inp, ucd, vtk, unv, k, key, dyn");
  if (suffix == "INP" && has_stars)
    return "abaqus";
  return check_ucd(lines), "ucd";
}
} // namespace KickDrift
