#include "mesh_file_text.h"

#include <deal.II/base/utilities.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

namespace KickDrift
{
namespace
{
/// The numbers of a line; complains about anything else.
MeshFileRow
numbers(const MeshFileLine &line)
{
  std::istringstream stream(line.text);
  MeshFileRow result;
  result.line = line.number;
  for (std::string word; stream >> word;)
  {
    const std::string complaint = "'" + word + "' in '" + line.text + "' is not a number";
    try
    {
      std::size_t used = 0;
      result.push_back(std::stod(word, &used));
      require_in_line(used == word.size() && std::isfinite(result.back()), line.number, complaint);
    }
    catch (const std::logic_error &)
    {
      require_in_line(false, line.number, complaint);
    }
  }
  return result;
}
} // namespace

MeshFileLines
read_mesh_file_lines(const std::string &file)
{
  std::error_code ignored; // what has no status cannot be opened, either
  require(!std::filesystem::is_character_file(file, ignored), "it is a device, not a file");
  std::ifstream stream(file);
  const std::string geometry = std::filesystem::path(file).replace_extension(".geo").string();
  require(static_cast<bool>(stream),
          std::filesystem::exists(geometry, ignored)
              ? "it does not exist, but its geometry does: make it by 'gmsh -3 " + geometry +
                    " -o " + file + "' (-2 for a plane one)"
              : "it does not exist or cannot be read (names in a parameter file are relative to "
                "its folder)");
  MeshFileLines lines;
  for (std::string line; std::getline(stream, line);)
    lines.push_back({dealii::Utilities::trim(line), lines.size() + 1,
                     std::min(line.find_first_not_of(' '), line.size())});
  require(!stream.bad() && !std::filesystem::is_directory(file), "it cannot be read");
  while (!lines.empty() && lines.back().text.empty())
    lines.pop_back();
  require(!lines.empty(), "it is empty");
  return lines;
}

void
require(const bool condition, const std::string &reason)
{
  if (!condition)
    throw BrokenMeshFile{reason};
}

void
require_in_line(const bool condition, const std::size_t line, const std::string &reason)
{
  require(condition, "line " + std::to_string(line) + ": " + reason);
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

bool
is_digits(const std::string &text)
{
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

bool
ends_with(const std::string &text, const std::string &end)
{
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::size_t
find_line(const MeshFileLines &lines, const std::string &start, const std::size_t from)
{
  for (std::size_t i = from; i < lines.size(); ++i)
    if (starts_with(upper_case(lines[i].text), upper_case(start)))
      return i;
  throw BrokenMeshFile{"it has no line '" + start + "'" +
                       (from > 0 ? " after line " + std::to_string(from) : "")};
}

void
expect_line(const MeshFileLines &lines, const std::size_t i, const std::string &start)
{
  require(i < lines.size(), "it ends too early, without '" + start + "'");
  require_in_line(starts_with(upper_case(lines[i].text), upper_case(start)), lines[i].number,
                  "it has no line '" + start + "' where one is needed, but '" + lines[i].text +
                      "'");
}

MeshFileRow
row(const MeshFileLines &lines, const std::size_t i, const std::size_t n,
    const std::size_t n_integers)
{
  require(i < lines.size(), "it ends too early");
  const auto values = numbers(lines[i]);
  const std::string &text = lines[i].text;
  require_in_line(values.size() >= n, lines[i].number,
                  "'" + text + "' has fewer than " + std::to_string(n) + " numbers");
  // As deal.II reads them: digits only, in the range of int.
  std::istringstream words(text);
  std::string word;
  for (std::size_t k = 0; k < std::min(n_integers, values.size()); ++k)
  {
    words >> word;
    require_in_line(
        std::abs(values[k]) < 2147483648. && word.find_first_not_of("+-0123456789") == word.npos,
        lines[i].number, "'" + word + "' in '" + text + "' is not an integer, or too large");
  }
  return values;
}

MeshFileRow
exact_row(const MeshFileLines &lines, const std::size_t i, const std::size_t n,
          const std::size_t n_integers)
{
  const auto values = row(lines, i, n, n_integers);
  require_in_line(values.size() == n, values.line,
                  "'" + lines[i].text + "' has more than " + std::to_string(n) + " numbers");
  return values;
}

MeshFileRow
integers(const MeshFileLines &lines, const std::size_t i, const std::size_t n)
{
  return row(lines, i, n, std::numeric_limits<std::size_t>::max());
}

std::size_t
count(const double value, const std::size_t limit, const std::size_t line)
{
  const std::string where = line > 0 ? "line " + std::to_string(line) + ": " : "";
  require(value >= 0 && value <= double(limit) && value == std::floor(value),
          where + "it states a count of " + std::to_string(value) +
              ", which its length contradicts");
  return static_cast<std::size_t>(value);
}
} // namespace KickDrift
