#ifndef KICKDRIFT_OUTPUT_FILES_H
#define KICKDRIFT_OUTPUT_FILES_H

#include <cstdint>
#include <cstdio>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace KickDrift
{
/**
 * Time of the checkpoint that a run continues from, if any. Recorders that get one keep what the
 * files hold up to and including it and drop what lies behind; the first frame they are given must
 * lie behind it [time].
 */
using ResumeTime = std::optional<double>;

/**
 * Replace the file @p path by what @p writer puts into the stream: either completely or not at all
 * (written beside it under another name, then renamed). Throws ExcMessage naming the file.
 */
void atomic_write(const std::string &path, const std::function<void(std::ostream &)> &writer);

/// Same, for a text that is at hand.
void atomic_write(const std::string &path, const std::string &text);

/// Shortest decimal text that reads back as the same number.
std::string to_text(const double number);

/// The fields of one row of a CSV file: `CsvRow() << 1.5 << "left"`.
class CsvRow
{
public:
  /// Append a number to the row.
  CsvRow &operator<<(const double number);
  /// Append a count to the row.
  CsvRow &operator<<(const std::uint64_t number);
  /// Quoted if necessary.
  CsvRow &operator<<(const std::string &text);

  /// Number of fields in the row so far.
  unsigned int
  n_fields() const
  {
    return n;
  }
  /// Without end of line.
  const std::string &
  text() const
  {
    return line;
  }

private:
  std::string line;
  unsigned int n = 0;
};

/**
 * A CSV file that grows by whole rows: each is handed to the system at once, so that what was
 * written survives a crash of the program, and a row that does not fit is taken back.
 *
 * The first column must be the time, in ascending order. All functions throw ExcMessage with the
 * name of the file if the file cannot be written, or was removed meanwhile.
 */
class CsvFile
{
public:
  /// Start (or with @p resume_time continue) the file. Continuing needs the same columns.
  CsvFile(const std::string &path, const std::vector<std::string> &columns,
          const ResumeTime &resume_time = {});

  /// Append a row. Its number of fields must be the number of columns.
  void write(const CsvRow &row);

private:
  void open(const char *mode);
  void append(const std::string &line);

  std::string path;
  unsigned int n_columns;
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> file{nullptr, &std::fclose};
};

/**
 * A ParaView data file: which file belongs to which time. Rewritten as a whole, atomically, at
 * every addition.
 */
class PvdFile
{
public:
  /// @p path of the file.
  PvdFile(const std::string &path, const ResumeTime &resume_time = {});

  /// Add the file @p name (relative to the .pvd) for @p time [time].
  void add(const double time, const std::string &name);

private:
  std::string path;
  std::vector<std::pair<double, std::string>> entries;
};
} // namespace KickDrift

#endif
