#include "mesh_file_checks.h"

#include <deal.II/base/utilities.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <unordered_set>
#include <vector>

namespace KickDrift
{
using dealii::Utilities::trim;

namespace
{
using Lines = std::vector<std::string>;
using Broken = BrokenMeshFile;

void
require(const bool condition, const std::string &reason)
{
  if (!condition)
    throw Broken{reason};
}

std::string
upper_case(std::string text)
{
  for (char &c : text)
    c = std::toupper(static_cast<unsigned char>(c));
  return text;
}

bool
starts_with(const std::string &text, const std::string &start)
{
  return text.compare(0, start.size(), start) == 0;
}

/// The numbers of a line; complains about anything else.
std::vector<double>
numbers(const std::string &line)
{
  std::istringstream stream(line);
  std::vector<double> result;
  for (std::string word; stream >> word;)
    try
    {
      std::size_t used = 0;
      result.push_back(std::stod(word, &used));
      require(used == word.size() && std::isfinite(result.back()),
              "'" + word + "' in the line '" + line + "' is not a number");
    }
    catch (const std::logic_error &)
    {
      require(false, "'" + word + "' in the line '" + line + "' is not a number");
    }
  return result;
}

/// Position of the line that begins with @p start, from line @p from on.
std::size_t
find_line(const Lines &lines, const std::string &start, const std::size_t from = 0)
{
  for (std::size_t i = from; i < lines.size(); ++i)
    if (starts_with(upper_case(lines[i]), upper_case(start)))
      return i;
  throw Broken{"it has no line '" + start + "'" + (from > 0 ? " where one is needed" : "")};
}

/// Values of a line that must be at least @p n numbers, the first @p n_integers of them integers.
std::vector<double>
row(const Lines &lines, const std::size_t i, const std::size_t n, const std::size_t n_integers)
{
  require(i < lines.size(), "it ends too early");
  const auto values = numbers(lines[i]);
  require(values.size() >= n,
          "the line '" + lines[i] + "' has fewer than " + std::to_string(n) + " numbers");
  // As deal.II reads them: digits only, in the range of int.
  std::istringstream words(lines[i]);
  std::string word;
  for (std::size_t k = 0; k < std::min(n_integers, values.size()); ++k)
  {
    words >> word;
    require(std::abs(values[k]) < 2147483648. &&
                word.find_first_not_of("+-0123456789") == word.npos,
            "'" + word + "' in the line '" + lines[i] + "' is not an integer, or too large");
  }
  return values;
}

/// Values of a line that must be at least @p n integers.
std::vector<double>
integers(const Lines &lines, const std::size_t i, const std::size_t n)
{
  return row(lines, i, n, std::numeric_limits<std::size_t>::max());
}

/// A count that a file states, no larger than the number of lines or numbers it can hold.
std::size_t
count(const double value, const std::size_t limit)
{
  require(value >= 0 && value <= double(limit) && value == std::floor(value),
          "it states a count of " + std::to_string(value) + ", which its length contradicts");
  return static_cast<std::size_t>(value);
}

/// Material and boundary ids.
void
check_ids(const std::vector<double> &values, const std::size_t first, const std::size_t n)
{
  for (std::size_t i = first; i < std::min(first + n, values.size()); ++i)
    require(values[i] >= 0, "an id of a material or boundary is negative");
}

using Labels = std::unordered_set<long>;

void
check_nodes(const std::vector<double> &values, const std::size_t first, const std::size_t n,
            const Labels &labels)
{
  require(values.size() >= first + n, "an element has fewer than " + std::to_string(n) + " nodes");
  for (std::size_t i = first; i < first + n; ++i)
    require(labels.count(std::lround(values[i])) > 0, "an element refers to node " +
                                                          std::to_string(std::lround(values[i])) +
                                                          ", which does not exist");
}

// -- Gmsh -----------------------------------------------------------------------------------------

std::size_t
n_gmsh_nodes(const double type)
{
  static const std::map<int, std::size_t> n_nodes = {{1, 2}, {2, 3}, {3, 4}, {4, 4},
                                                     {5, 8}, {6, 6}, {7, 5}, {15, 1}};
  const auto entry = n_nodes.find(static_cast<int>(type));
  require(entry != n_nodes.end(), "elements of Gmsh type " +
                                      std::to_string(static_cast<int>(type)) +
                                      " are not supported; elements must be linear");
  return entry->second;
}

/// Nodes and elements one to a line after their number.
void
check_gmsh_2(const Lines &lines, const std::size_t nodes, const std::size_t elements)
{
  Labels labels;
  const std::size_t n_nodes = count(integers(lines, nodes + 1, 1)[0], lines.size());
  for (std::size_t i = 0; i < n_nodes; ++i)
    labels.insert(std::lround(row(lines, nodes + 2 + i, 4, 1)[0]));
  const std::size_t n_elements = count(integers(lines, elements + 1, 1)[0], lines.size());
  for (std::size_t i = 0; i < n_elements; ++i)
  {
    const auto values = integers(lines, elements + 2 + i, 4);
    check_ids(values, 3, count(values[2], values.size()));
    check_nodes(values, 3 + count(values[2], values.size()), n_gmsh_nodes(values[1]), labels);
  }
  find_line({lines.at(nodes + 2 + n_nodes)}, "$EndNodes");
  require(elements + 2 + n_elements < lines.size(), "it ends too early");
  find_line({lines[elements + 2 + n_elements]}, "$EndElements");
}

/// Nodes and elements in blocks by geometrical entity.
void
check_gmsh_4(const Lines &lines, const std::size_t nodes, const std::size_t elements,
             const bool tags_apart)
{
  const std::string contradiction = "the number of nodes or elements differs from the stated one";
  Labels labels;
  std::size_t i = nodes + 1, total = 0;
  for (auto blocks = count(integers(lines, i++, tags_apart ? 4 : 2)[0], lines.size()); blocks > 0;
       --blocks)
  {
    const auto head = integers(lines, i++, 4);
    count(head[tags_apart ? 0 : 1], 3); // dimension of the entity
    const auto n = count(head[3], lines.size());
    for (std::size_t k = 0; k < n; ++k)
      labels.insert(std::lround(row(lines, i++, tags_apart ? 1 : 4, 1)[0]));
    for (std::size_t k = 0; k < n && tags_apart; ++k)
      row(lines, i++, 3, 0);
    total += n;
  }
  require(i < lines.size(), "it ends too early");
  find_line({lines[i]}, "$EndNodes");
  require(double(total) == integers(lines, nodes + 1, 2)[1], contradiction);

  i = elements + 1;
  total = 0;
  for (auto blocks = count(integers(lines, i++, tags_apart ? 4 : 2)[0], lines.size()); blocks > 0;
       --blocks)
  {
    const auto head = integers(lines, i++, 4);
    count(head[tags_apart ? 0 : 1], 3);
    const auto n = count(head[3], lines.size());
    for (std::size_t k = 0; k < n; ++k)
      check_nodes(integers(lines, i++, 2), 1, n_gmsh_nodes(head[2]), labels);
    total += n;
  }
  require(i < lines.size(), "it ends too early");
  find_line({lines[i]}, "$EndElements");
  require(double(total) == integers(lines, elements + 1, 2)[1], contradiction);
}

/// Geometrical entities: points, curves, surfaces, volumes with their physical tags.
void
check_gmsh_entities(const Lines &lines, const std::size_t entities, const std::size_t n_coordinates)
{
  const auto head = integers(lines, entities + 1, 4);
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
        require(values.size() > length, "the entity '" + lines[i - 1] + "' is incomplete");
        length += 1 + count(std::abs(values[length]), values.size());
      }
      require(values.size() == length, "the entity '" + lines[i - 1] + "' is incomplete");
    }
  require(i < lines.size(), "it ends too early");
  find_line({lines[i]}, "$EndEntities");
}

/// Every section $X has to end with $EndX before the next one begins.
void
check_gmsh_sections(const Lines &lines)
{
  std::string open;
  for (const auto &line : lines)
    if (starts_with(line, "$"))
    {
      require(open.empty() || line == "$End" + open, "the section $" + open + " has no end");
      open = open.empty() ? line.substr(1) : "";
    }
  require(open.empty(), "the section $" + open + " has no end");
}

void
check_gmsh(const Lines &lines)
{
  const auto format = row(lines, find_line(lines, "$MeshFormat") + 1, 3, 0);
  require(format[1] == 0, "it is binary; save it as ASCII");
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
    if (!starts_with(line, "#") && !line.empty())
      lines.push_back(line);
  const auto head = integers(lines, 0, 5);
  const auto n_nodes = count(head[0], lines.size()), n_cells = count(head[1], lines.size());
  require(n_nodes > 0 && n_cells > 0, "it has no nodes or no cells");
  Labels labels;
  for (std::size_t i = 0; i < n_nodes; ++i)
    labels.insert(std::lround(row(lines, 1 + i, 4, 1)[0]));
  static const std::map<std::string, std::size_t> types = {
      {"line", 2}, {"tri", 3}, {"quad", 4}, {"tet", 4}, {"hex", 8}, {"prism", 6}, {"pyr", 5}};
  for (std::size_t i = 0; i < n_cells; ++i)
  {
    require(1 + n_nodes + i < lines.size(), "it ends too early");
    std::istringstream stream(lines[1 + n_nodes + i]);
    std::string index, material, type, rest;
    stream >> index >> material >> type;
    std::getline(stream, rest);
    const auto entry = types.find(type);
    require(entry != types.end(),
            "the line '" + lines[1 + n_nodes + i] + "' has no known cell type");
    check_ids(integers({index + " " + material}, 0, 2), 1, 1);
    check_nodes(integers({rest}, 0, entry->second), 0, entry->second, labels);
  }
}

// -- Abaqus ---------------------------------------------------------------------------------------

void
check_abaqus(const Lines &lines)
{
  Labels labels;
  std::size_t n_elements = 0;
  std::string keyword;
  for (const auto &line : lines)
  {
    if (line.empty() || starts_with(line, "**"))
      continue;
    if (line[0] == '*')
    {
      keyword = trim(upper_case(line.substr(0, line.find(','))));
      continue;
    }
    if (keyword != "*NODE" && keyword != "*ELEMENT")
      continue;
    std::string spaced = line;
    std::replace(spaced.begin(), spaced.end(), ',', ' ');
    const auto values = keyword == "*NODE" ? row({spaced}, 0, 3, 1) : integers({spaced}, 0, 3);
    if (keyword == "*NODE")
      labels.insert(std::lround(values[0]));
    else
    {
      check_nodes(values, 1, values.size() - 1, labels);
      ++n_elements;
    }
  }
  require(!labels.empty(), "it has no nodes (*NODE)");
  require(n_elements > 0, "it has no elements (*ELEMENT)");
}

// -- VTK ------------------------------------------------------------------------------------------

void
check_vtk(const Lines &lines)
{
  require(!lines.empty() && starts_with(lines[0], "# vtk DataFile"),
          "its first line is not '# vtk DataFile ...'");
  find_line(lines, "ASCII");
  const auto dataset = find_line(lines, "DATASET");
  require(lines[dataset].find("UNSTRUCTURED_GRID") != std::string::npos,
          "it is not an unstructured grid");
  std::string text;
  for (std::size_t i = dataset + 1; i < lines.size(); ++i)
    text += lines[i] + "\n";
  std::istringstream stream(text);
  const auto read = [&stream](const std::string &what)
  {
    double value = 0;
    require(static_cast<bool>(stream >> value),
            "a number is missing or unreadable in section " + what);
    return value;
  };
  const auto expect = [&stream](const std::string &section)
  {
    std::string word;
    stream >> word;
    require(word == section, "there is '" + word + "' instead of section " + section);
  };
  expect("POINTS");
  const auto n_points = count(read("POINTS"), text.size());
  std::string type;
  stream >> type;
  for (std::size_t i = 0; i < 3 * n_points; ++i)
    read("POINTS");
  expect("CELLS");
  const auto n_cells = count(read("CELLS"), text.size());
  read("CELLS");
  for (std::size_t i = 0; i < n_cells; ++i)
    for (auto n = count(read("CELLS"), 8); n > 0; --n)
      require(count(read("CELLS"), text.size()) < n_points,
              "a cell refers to a point that does not exist");
  expect("CELL_TYPES");
  require(count(read("CELL_TYPES"), text.size()) == n_cells,
          "the numbers of cells and of cell types differ");
  for (std::size_t i = 0; i < n_cells; ++i)
    read("CELL_TYPES");
}

// -- UNV ------------------------------------------------------------------------------------------

/// First line of the section with this number, and the line that ends it.
std::pair<std::size_t, std::size_t>
find_unv_section(const Lines &lines, const std::string &number)
{
  bool inside = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (lines[i] == "-1")
    {
      if (inside && lines[begin] == number)
        return {begin + 1, i};
      inside = !inside;
      begin = i + 1;
    }
  require(!inside, "its last section has no end ('-1')");
  throw Broken{"it has no complete section " + number};
}

void
check_unv(const Lines &lines)
{
  require(std::count(lines.begin(), lines.end(), "-1") % 2 == 0,
          "a section has no end ('-1' is missing)");
  const auto nodes = find_unv_section(lines, "2411");
  const auto elements = find_unv_section(lines, "2412");
  Labels labels;
  for (std::size_t i = nodes.first; i < nodes.second; i += 2)
  {
    labels.insert(std::lround(integers(lines, i, 4)[0]));
    require(i + 1 < nodes.second, "the last node has no coordinates");
    row(lines, i + 1, 3, 0);
  }
  for (std::size_t i = elements.first; i < elements.second; i += 2)
  {
    const auto head = integers(lines, i, 6);
    if (head[1] == 11) // beams have a line more
      ++i;
    require(i + 1 < elements.second, "the last element has no nodes");
    check_nodes(integers(lines, i + 1, 1), 0, count(head[5], 8), labels);
  }
}

Lines
read_lines(const std::string &file)
{
  std::ifstream stream(file);
  require(static_cast<bool>(stream), "it does not exist or cannot be read");
  Lines lines;
  for (std::string line; std::getline(stream, line);)
    lines.push_back(trim(line));
  require(!stream.bad() && !std::filesystem::is_directory(file), "it cannot be read");
  while (!lines.empty() && lines.back().empty())
    lines.pop_back();
  require(!lines.empty(), "it is empty");
  return lines;
}
} // namespace

std::string
check_mesh_file(const std::string &file)
{
  const Lines lines = read_lines(file);
  const auto dot = file.find_last_of('.');
  const std::string suffix = dot == std::string::npos ? "" : upper_case(file.substr(dot + 1));
  // Both Abaqus and UCD (AVS) use .inp; only Abaqus has lines that begin with a star.
  bool has_stars = false;
  for (const auto &line : lines)
    has_stars = has_stars || starts_with(line, "*");
  if (suffix == "MSH")
    return check_gmsh(lines), "msh";
  if (suffix == "VTK")
    return check_vtk(lines), "vtk";
  if (suffix == "UNV")
    return check_unv(lines), "unv";
  require(suffix == "INP" || suffix == "UCD",
          "its suffix '" + suffix + "' is not known; known are msh, inp, ucd, vtk, unv");
  if (suffix == "INP" && has_stars)
    return check_abaqus(lines), "abaqus";
  return check_ucd(lines), "ucd";
}
} // namespace KickDrift
