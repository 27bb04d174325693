#include "mesh_file_vtk.h"
#include "mesh_topology.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>

namespace KickDrift
{
namespace
{
/// The words of a file one after the other, whatever lines they stand in.
class Words
{
public:
  Words(const MeshFileLines &lines, const std::size_t first_line) : lines(lines), i(first_line) {}

  /// The next word, empty at the end of the file.
  std::string
  next()
  {
    for (; i < lines.size(); ++i, position = 0)
    {
      const std::string &text = lines[i].text;
      const auto begin = text.find_first_not_of(blanks, position);
      if (begin == std::string::npos)
        continue;
      position = std::min(text.find_first_of(blanks, begin), text.size());
      last_line = lines[i].number;
      return text.substr(begin, position - begin);
    }
    return "";
  }

  /// What stands behind the last word in its line; go to the next one.
  std::string
  rest_of_line()
  {
    const std::string rest = i < lines.size() ? lines[i].text.substr(position) : "";
    ++i;
    position = 0;
    return rest;
  }

  /// All up to the last word.
  std::string
  text_so_far() const
  {
    std::string text;
    for (std::size_t k = 0; k < i && k < lines.size(); ++k)
      text += lines[k].text + '\n';
    return i < lines.size() ? text + lines[i].text.substr(0, position) + '\n' : text;
  }

  /// Where the last word stands.
  std::size_t
  line() const
  {
    return last_line;
  }

  void
  expect(const std::string &section)
  {
    const std::string word = next();
    require_in_line(word == section, line(),
                    "there is '" + word + "' instead of section " + section);
  }

  /// The next word, which must be there.
  std::string
  next_of(const std::string &section)
  {
    const std::string word = next();
    require(!word.empty(), "it ends in " + section);
    return word;
  }

  double
  coordinate()
  {
    const std::string word = next_of("section POINTS");
    char *end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    // digits, as deal.II reads them
    const bool is_number = *end == '\0' && std::isfinite(value) &&
                           word.find_first_not_of("+-.0123456789eE") == std::string::npos;
    require_in_line(is_number, line(), "'" + word + "' in section POINTS is no number");
    return value;
  }

  /// An integer from 0 to @p limit. (deal.II would go on with the rest of a number like 1e3.)
  std::size_t
  number(const std::string &section, const std::size_t limit)
  {
    const std::string word = next_of("section " + section);
    require_in_line(word.find_first_not_of("0123456789") == std::string::npos, line(),
                    "'" + word + "' in section " + section + " is no integer from 0 on");
    return count(std::strtod(word.c_str(), nullptr), limit, line());
  }

private:
  static constexpr const char *blanks = " \t\r\f\v";

  const MeshFileLines &lines;
  std::size_t i, position = 0; ///< where the next word is looked for
  std::size_t last_line = 0;
};

struct Cell
{
  std::vector<long> nodes;
  std::size_t line;
  unsigned int dimension;
};

/// Sections POINTS and CELLS. No count can be larger than @p limit, which the file can hold.
std::vector<Cell>
read_cells(Words &words, const std::size_t limit)
{
  words.expect("POINTS");
  const auto n_points = words.number("POINTS", limit);
  words.next(); // type of numbers
  for (std::size_t i = 0; i < 3 * n_points; ++i)
    words.coordinate();
  words.expect("CELLS");
  std::vector<Cell> cells(words.number("CELLS", limit));
  const auto n_numbers = words.number("CELLS", limit);
  std::size_t n_found = cells.size();
  for (auto &cell : cells)
  {
    cell.nodes.resize(words.number("CELLS", 8));
    cell.line = words.line();
    for (auto &node : cell.nodes)
    {
      node = words.number("CELLS", limit);
      require_in_line(std::size_t(node) < n_points, words.line(),
                      "a cell refers to point " + std::to_string(node) + ", which does not exist");
    }
    n_found += cell.nodes.size();
  }
  require(n_found == n_numbers, "section CELLS has another number of numbers than it says");
  return cells;
}

/// Section CELL_TYPES.
void
check_types(Words &words, std::vector<Cell> &cells, const std::size_t limit)
{
  struct Type
  {
    unsigned int dimension;
    std::size_t n_nodes;
  };
  // vertices, lines, triangles, quadrilaterals, tetrahedra, hexahedra, wedges, pyramids
  static const std::map<std::size_t, Type> types = {{1, {0, 1}},  {3, {1, 2}},  {5, {2, 3}},
                                                    {9, {2, 4}},  {10, {3, 4}}, {12, {3, 8}},
                                                    {13, {3, 6}}, {14, {3, 5}}};
  words.expect("CELL_TYPES");
  require_in_line(words.number("CELL_TYPES", limit) == cells.size(), words.line(),
                  "the numbers of cells and of cell types differ");
  MeshTopology topology;
  for (auto &cell : cells)
  {
    const auto type = types.find(words.number("CELL_TYPES", limit));
    require_in_line(type != types.end(), words.line(),
                    "there is a cell type other than 1, 3, 5, 9, 10, 12, 13, 14");
    require_in_line(type->second.n_nodes == cell.nodes.size(), cell.line,
                    "a cell has not as many points as its type demands");
    cell.dimension = type->second.dimension;
    topology.add(cell.dimension, cell.nodes, cell.line);
  }
  topology.check();
}

bool
begins_like_number(const std::string &word)
{
  return !word.empty() && word.find_first_of("+-.0123456789") == 0;
}

/**
 * Values of table MaterialID or ManifoldID, an id for each cell. -1 stands for none: cells need a
 * material, but not every side is a part of the boundary, and what is flat has no manifold.
 * Returns them as they are in the file.
 */
std::string
check_ids(Words &words, const std::string &table, const std::vector<Cell> &cells)
{
  unsigned int dimension = 0;
  for (const auto &cell : cells)
    dimension = std::max(dimension, cell.dimension);
  std::string ids;
  for (const auto &cell : cells)
  {
    const int least = table == "MaterialID" && cell.dimension == dimension ? 0 : -1;
    const std::string word = words.next_of("table " + table);
    const auto digits = word.find_first_of("+-") == 0 ? word.substr(1) : word;
    const double value = std::strtod(word.c_str(), nullptr);
    require_in_line(
        !digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos &&
            value >= least && value <= std::numeric_limits<int>::max(),
        words.line(),
        "'" + word + "' in table " + table + " is not allowed; it needs " +
            std::to_string(cells.size()) + " integers, one for each cell, from " +
            std::to_string(least) + " to " + std::to_string(std::numeric_limits<int>::max()));
    ids += word + '\n';
  }
  return ids;
}

/**
 * The tables that deal.II reads after CELL_DATA, by name. It takes missing and unreadable values
 * for others, and tables of points for tables of cells if they have the names of those.
 */
std::map<std::string, std::string>
check_cell_data(Words &words, const std::vector<Cell> &cells)
{
  std::map<std::string, std::string> ids;
  const std::string n_cells = std::to_string(cells.size());
  std::string section, last_table;
  for (std::string word = words.next(); !word.empty(); word = words.next())
  {
    require_in_line(last_table.empty() || !begins_like_number(word), words.line(),
                    "table " + last_table + " has more than " + n_cells +
                        " numbers, one for each cell");
    last_table = "";
    if (word == "CELL_DATA" || (word == "POINT_DATA" && !section.empty()))
      section = word;
    if (word == "CELL_DATA")
      require_in_line(words.number(word, std::numeric_limits<unsigned int>::max()) == cells.size(),
                      words.line(),
                      "section CELL_DATA is not for the " + n_cells + " cells of section CELLS");
    if (section.empty() || word != "SCALARS")
      continue;
    const std::string table = words.next();
    if (table != "MaterialID" && table != "ManifoldID")
      continue;
    const std::size_t line = words.line();
    require_in_line(section == "CELL_DATA", line,
                    "table " + table + " belongs to section CELL_DATA, not " + section);
    const std::string type = words.rest_of_line();
    require_in_line(type.size() > 1 && starts_with(type.substr(1), "int") &&
                        words.next() == "LOOKUP_TABLE" && words.next() == "default",
                    line,
                    "table " + table + " does not begin with 'SCALARS " + table +
                        " int 1' and 'LOOKUP_TABLE default'");
    ids[table] = check_ids(words, table, cells);
    last_table = table;
  }
  return ids;
}
} // namespace

std::string
checked_vtk(const MeshFileLines &lines)
{
  require(!lines.empty() && starts_with(lines[0].text, "# vtk DataFile"),
          "its first line is not '# vtk DataFile ...'");
  find_line(lines, "ASCII");
  const auto dataset = find_line(lines, "DATASET");
  require(lines[dataset].text.find("UNSTRUCTURED_GRID") != std::string::npos,
          "it is not an unstructured grid");
  std::size_t n_characters = 0;
  for (const auto &line : lines)
    n_characters += line.text.size() + 1;
  Words words(lines, dataset + 1);
  std::vector<Cell> cells = read_cells(words, n_characters);
  check_types(words, cells, n_characters);
  std::string text = words.text_so_far();
  const auto ids = check_cell_data(words, cells);
  if (!ids.empty())
    text += "CELL_DATA " + std::to_string(cells.size()) + '\n';
  for (const auto &[table, values] : ids)
    text += "SCALARS " + table + " int 1\nLOOKUP_TABLE default\n" + values;
  return text;
}
} // namespace KickDrift
