// The text of a mesh file: lines that know their number, and what to complain about in them.
#ifndef KICKDRIFT_SOURCE_MESHES_FILES_MESH_FILE_TEXT_H
#define KICKDRIFT_SOURCE_MESHES_FILES_MESH_FILE_TEXT_H

#include <string>
#include <vector>

namespace KickDrift
{
/// Complaint about the content of a mesh file.
struct BrokenMeshFile
{
  std::string reason; ///< begins with the line if there is one to blame
};

struct MeshFileLine
{
  std::string text;       ///< without blanks around it
  std::size_t number = 0; ///< of the line in the file, from 1
  std::size_t indent = 0; ///< blanks in front of it, for columns of fixed width
};
using MeshFileLines = std::vector<MeshFileLine>;

/// Numbers that stand in one line.
struct MeshFileRow : std::vector<double>
{
  std::size_t line = 0; ///< its number
};

/// All lines up to the last that is not empty. Throws BrokenMeshFile if there are none, or if the
/// file cannot be read.
MeshFileLines read_mesh_file_lines(const std::string &file);

/// Throw BrokenMeshFile unless @p condition holds.
void require(bool condition, const std::string &reason);

/// The same with the number of the line in front of the reason.
void require_in_line(bool condition, std::size_t line, const std::string &reason);

std::string upper_case(std::string text);

bool starts_with(const std::string &text, const std::string &start);

/// Digits only, and at least one.
bool is_digits(const std::string &text);

bool ends_with(const std::string &text, const std::string &end);

/// Index of the first line that begins with @p start, whatever the case, from index @p from on.
std::size_t find_line(const MeshFileLines &lines, const std::string &start, std::size_t from = 0);

/// Throw BrokenMeshFile unless line @p i begins with @p start.
void expect_line(const MeshFileLines &lines, std::size_t i, const std::string &start);

/// Values of line @p i, which must be at least @p n finite numbers, the first @p n_integers of them
/// integers.
MeshFileRow row(const MeshFileLines &lines, std::size_t i, std::size_t n, std::size_t n_integers);

/// The same for exactly @p n numbers.
MeshFileRow exact_row(const MeshFileLines &lines, std::size_t i, std::size_t n,
                      std::size_t n_integers);

/// Values of a line that must be at least @p n integers.
MeshFileRow integers(const MeshFileLines &lines, std::size_t i, std::size_t n);

/// A count that a file states in @p line (0: unknown), no larger than @p limit, which is what it
/// can hold.
std::size_t count(double value, std::size_t limit, std::size_t line = 0);
} // namespace KickDrift

#endif
