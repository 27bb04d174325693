#include <kickdrift/base/archive.h>
#include <kickdrift/output/files.h>

#include <deal.II/base/exceptions.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace KickDrift
{
using dealii::ExcMessage;

namespace
{
constexpr const char *end_of_pvd = "  </Collection>\n</VTKFile>\n";

} // namespace

void
create_subfolder(const std::string &folder, const std::string &name)
{
  // only this one: that above it may have been removed on purpose
  std::error_code error;
  std::filesystem::create_directory(folder + "/" + name, error);
  AssertThrow(!error,
              ExcMessage("Cannot create '" + folder + "/" + name + "': " + error.message() + "."));
}

std::string
to_text(const double number)
{
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  return std::string(buffer.data(), end);
}

CsvRow &
CsvRow::operator<<(const double number)
{
  return *this << to_text(number);
}

CsvRow &
CsvRow::operator<<(const std::uint64_t number)
{
  return *this << std::to_string(number);
}

CsvRow &
CsvRow::operator<<(const std::string &text)
{
  if (n++ > 0)
    line += ',';
  if (text.find_first_of(",\"\n") == std::string::npos)
    line += text;
  else
  {
    line += '"';
    for (const char c : text)
      line += (c == '"') ? std::string("\"\"") : std::string(1, c);
    line += '"';
  }
  return *this;
}

CsvFile::CsvFile(const std::string &path, const std::vector<std::string> &columns,
                 const Opening opening)
    : path(path), n_columns(columns.size())
{
  CsvRow row;
  for (const auto &column : columns)
    row << column;
  header = row.text();
  if (opening == Opening::resumed)
    return;
  open("wb");
  append(header);
}

void
CsvFile::serialize(Archive &archive)
{
  if (!archive.is_reading())
  {
    check_is_there();
    cut_and_open();
  }
  archive(length);
  if (archive.is_reading())
  {
    file.reset();
    check_resumable();
  }
}

void
CsvFile::check_resumable() const
{
  AssertThrow(length > header.size(),
              ExcMessage("Cannot continue '" + path + "': the checkpoint says that it has " +
                         std::to_string(length) + " bytes, which its first line does not fit in."));
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  AssertThrow(in, ExcMessage("Cannot continue '" + path + "': it was removed or is empty."));
  AssertThrow(line == header, ExcMessage("Cannot continue '" + path + "': its columns should be '" +
                                         header + "' but are '" + line + "'."));
  std::error_code error;
  const auto present = std::filesystem::file_size(path, error);
  AssertThrow(!error && present >= length,
              ExcMessage("Cannot continue '" + path + "': at the checkpoint it had " +
                         std::to_string(length) + " bytes, now it is shorter."));
}

void
CsvFile::cut_and_open()
{
  if (file)
    return;
  check_resumable();
  std::error_code error;
  std::filesystem::resize_file(path, length, error);
  AssertThrow(!error, ExcMessage("Cannot write '" + path + "': " + error.message() + "."));
  open("ab");
}

void
CsvFile::check_is_there() const
{
  struct stat named = {}, own = {};
  const bool exists = ::stat(path.c_str(), &named) == 0;
  AssertThrow(exists, ExcMessage("Cannot write '" + path + "': the file was removed meanwhile."));
  if (!file)
    return;
  const bool is_own = ::fstat(::fileno(file.get()), &own) == 0 && own.st_ino == named.st_ino &&
                      own.st_dev == named.st_dev && own.st_size == static_cast<off_t>(length);
  AssertThrow(is_own, ExcMessage("Cannot write '" + path +
                                 "': the file was replaced or changed meanwhile."));
}

void
CsvFile::open(const char *mode)
{
  errno = 0;
  file.reset(std::fopen(path.c_str(), mode));
  AssertThrow(file, ExcMessage("Cannot open '" + path + "' for writing" + reason_of_system()));
  // No buffer: a row reaches the system in one piece, or fails here and not at some later time.
  std::setvbuf(file.get(), nullptr, _IONBF, 0);
  struct stat own = {}; // also of devices, which have no length
  AssertThrow(::fstat(::fileno(file.get()), &own) == 0,
              ExcMessage("Cannot write '" + path + "'" + reason_of_system()));
  length = own.st_size;
}

void
CsvFile::write(const CsvRow &row)
{
  AssertThrow(row.n_fields() == n_columns,
              ExcMessage("A row of '" + path + "' has " + std::to_string(row.n_fields()) +
                         " fields, but there are " + std::to_string(n_columns) + " columns."));
  append(row.text());
}

void
CsvFile::append(const std::string &text)
{
  check_is_there();
  cut_and_open();
  const std::string line = text + "\n";
  errno = 0;
  if (std::fwrite(line.data(), 1, line.size(), file.get()) != line.size())
  {
    const std::string message = "Cannot write '" + path + "'" + reason_of_system();
    std::error_code ignored;
    std::filesystem::resize_file(path, length, ignored); // take back half a row
    AssertThrow(false, ExcMessage(message));
  }
  length += line.size();
}

void
PvdFile::serialize(Archive &archive)
{
  archive(entries);
  if (archive.is_reading())
    length = 0; // what the file lists is no longer what it should
}

std::string
PvdFile::line_of(const std::size_t entry) const
{
  const auto &[time, name] = entries[entry];
  unsigned int part = 0;
  while (part < entry && entries[entry - part - 1].first == time)
    ++part;
  return "    <DataSet timestep=\"" + to_text(time) + "\" group=\"\" part=\"" +
         std::to_string(part) + "\" file=\"" + name + "\"/>\n";
}

void
PvdFile::add(const double time, const std::vector<std::string> &names)
{
  const std::size_t n_before = entries.size();
  for (const auto &name : names)
    entries.emplace_back(time, name);
  std::string lines;
  for (std::size_t i = length > 0 ? n_before : 0; i < entries.size(); ++i)
    lines += line_of(i);
  if (length > 0)
    append(lines);
  else
  {
    // deal.II's own writer rounds times to 12 digits, so that a resume could lose a frame.
    const std::string head =
        "<?xml version=\"1.0\"?>\n"
        "<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
        "  <Collection>\n";
    atomic_write(path, head + lines + end_of_pvd);
    length = head.size();
  }
  length += lines.size();
}

void
PvdFile::append(const std::string &lines) const
{
  // Replacing the file each time would make some file systems write to the disk each time.
  const std::string text = lines + end_of_pvd;
  errno = 0;
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  const auto written = descriptor < 0 ? -1 : ::pwrite(descriptor, text.data(), text.size(), length);
  const bool is_whole = written == static_cast<ssize_t>(text.size());
  const std::string why = reason_of_system();
  if (descriptor >= 0 && !is_whole) // the end as it was needs no room
    restore_end(descriptor);
  if (descriptor >= 0)
    ::close(descriptor);
  AssertThrow(is_whole, ExcMessage("Cannot write '" + path + "'" + why));
}

bool
PvdFile::restore_end(const int descriptor) const
{
  const std::string end = end_of_pvd;
  return ::pwrite(descriptor, end.data(), end.size(), length) == static_cast<ssize_t>(end.size()) &&
         ::ftruncate(descriptor, length + end.size()) == 0;
}
} // namespace KickDrift
