#include <kickdrift/output/files.h>

#include <deal.II/base/exceptions.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace KickDrift
{
using dealii::ExcMessage;

namespace
{
/// Reason for the last failure of the system, as an end of a sentence.
std::string
reason()
{
  return errno != 0 ? std::string(": ") + std::strerror(errno) + "." : ".";
}

/// Removes a file at the end of a scope, if it is still there.
struct TemporaryFile
{
  std::string path;
  ~TemporaryFile()
  {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
};

std::vector<std::string>
complete_lines(const std::string &path)
{
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line) && !in.eof();) // the last one may be torn
    lines.push_back(line);
  return lines;
}

/// Value of `name="value"` in a line of XML, empty if there is none.
std::string
attribute(const std::string &line, const std::string &name)
{
  const auto begin = line.find(" " + name + "=\"");
  if (begin == std::string::npos)
    return "";
  const auto value = begin + name.size() + 3;
  return line.substr(value, line.find('"', value) - value);
}
} // namespace

void
atomic_write(const std::string &path, const std::function<void(std::ostream &)> &writer)
{
  const TemporaryFile temporary{path + ".part"};
  errno = 0;
  std::ofstream out(temporary.path, std::ios::binary);
  AssertThrow(out, ExcMessage("Cannot create '" + temporary.path + "'" + reason()));
  writer(out);
  out.close();
  AssertThrow(out, ExcMessage("Cannot write '" + path + "'" + reason()));

  std::error_code error;
  std::filesystem::rename(temporary.path, path, error);
  AssertThrow(!error, ExcMessage("Cannot write '" + path + "': " + error.message() + "."));
}

void
atomic_write(const std::string &path, const std::string &text)
{
  atomic_write(path, [&](std::ostream &out) { out << text; });
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
                 const ResumeTime &resume_time)
    : path(path), n_columns(columns.size())
{
  CsvRow header;
  for (const auto &column : columns)
    header << column;

  if (resume_time && std::filesystem::exists(path))
  {
    const auto lines = complete_lines(path);
    AssertThrow(!lines.empty() && lines[0] == header.text(),
                ExcMessage("Cannot continue '" + path + "': its columns should be '" +
                           header.text() + "' but are '" + (lines.empty() ? "" : lines[0]) + "'."));
    std::string kept = lines[0] + "\n";
    for (std::size_t i = 1; i < lines.size() && std::stod(lines[i]) <= *resume_time; ++i)
      kept += lines[i] + "\n";
    atomic_write(path, kept);
    open("ab");
  }
  else
  {
    open("wb");
    append(header.text());
  }
}

void
CsvFile::open(const char *mode)
{
  errno = 0;
  file.reset(std::fopen(path.c_str(), mode));
  AssertThrow(file, ExcMessage("Cannot open '" + path + "' for writing" + reason()));
  // No buffer: a row reaches the system in one piece, or fails here and not at some later time.
  std::setvbuf(file.get(), nullptr, _IONBF, 0);
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
  AssertThrow(std::filesystem::exists(path),
              ExcMessage("Cannot write '" + path + "': the file was removed meanwhile."));
  const std::string line = text + "\n";
  std::error_code ignored;
  const auto size_before = std::filesystem::file_size(path, ignored);
  errno = 0;
  if (std::fwrite(line.data(), 1, line.size(), file.get()) != line.size())
  {
    const std::string message = "Cannot write '" + path + "'" + reason();
    std::filesystem::resize_file(path, size_before, ignored); // take back half a row
    AssertThrow(false, ExcMessage(message));
  }
}

PvdFile::PvdFile(const std::string &path, const ResumeTime &resume_time) : path(path)
{
  if (!resume_time)
    return;
  for (const auto &line : complete_lines(path))
  {
    const std::string time = attribute(line, "timestep"), name = attribute(line, "file");
    if (!name.empty() && std::stod(time) <= *resume_time)
      entries.emplace_back(std::stod(time), name);
  }
}

void
PvdFile::add(const double time, const std::string &name)
{
  entries.emplace_back(time, name);
  // deal.II's own writer rounds times to 12 digits, so that a resume could lose a frame.
  std::string text = "<?xml version=\"1.0\"?>\n"
                     "<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
                     "  <Collection>\n";
  for (const auto &entry : entries)
    text += "    <DataSet timestep=\"" + to_text(entry.first) + "\" group=\"\" part=\"0\" file=\"" +
            entry.second + "\"/>\n";
  atomic_write(path, text + "  </Collection>\n</VTKFile>\n");
}
} // namespace KickDrift
