#ifndef KICKDRIFT_OUTPUT_FILES_H
#define KICKDRIFT_OUTPUT_FILES_H

#include <kickdrift/base/atomic_write.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace KickDrift
{
class Archive;

/// How files that grow during a run begin.
enum class Opening
{
  anew,
  resumed ///< left alone until serialize() reads from a checkpoint how much of them is to be kept
};

/// Create the folder @p name in @p folder, which must exist, unless it is there already. Throws
/// ExcMessage naming it.
void create_subfolder(const std::string &folder, const std::string &name);

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
 * All functions throw ExcMessage with the name of the file if the file cannot be written, or was
 * removed, replaced or changed meanwhile.
 */
class CsvFile
{
public:
  CsvFile(const std::string &path, const std::vector<std::string> &columns,
          const Opening opening = Opening::anew); ///< Names of the file and of its columns.

  /// Append a row. Its number of fields must be the number of columns.
  void write(const CsvRow &row);

  /**
   * Write to a checkpoint how long the file is (see send_files_to_disk()); or read that, so that
   * the next write() drops what is behind it and continues there. Throws if the file is shorter or
   * has other columns. (Nothing is dropped at once: the rest of the checkpoint may turn out to be
   * unusable.)
   */
  void serialize(Archive &archive);

private:
  void open(const char *mode);
  void check_resumable() const;
  void cut_and_open();
  void check_is_there() const;
  void append(const std::string &line);

  std::string path;
  std::string header;
  unsigned int n_columns;
  std::uint64_t length = 0; ///< with which the file goes on [bytes]
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> file{nullptr, &std::fclose};
};

/**
 * A ParaView data file: which file belongs to which time. It is complete after every addition.
 */
class PvdFile
{
public:
  /// @p path of the file.
  explicit PvdFile(const std::string &path) : path(path) {}

  /// Add the files @p names (relative to the .pvd) for @p time [time].
  void add(const double time, const std::vector<std::string> &names);

  /// Write to, or read from, a checkpoint what the file lists.
  void serialize(Archive &archive);

private:
  std::string line_of(std::size_t entry) const;
  void append(const std::string &lines) const;
  /// Put the end where it was before an addition that failed.
  bool restore_end(int descriptor) const;

  std::string path;
  std::vector<std::pair<double, std::string>> entries;
  std::uint64_t length = 0; ///< without its end; 0: to be written as a whole [bytes]
};
} // namespace KickDrift

#endif
