#include <kickdrift/base/atomic_write.h>

#include <deal.II/base/exceptions.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace KickDrift
{
using dealii::ExcMessage;

namespace
{
/// A file that is not there at the beginning and at the end of a scope: what has this name, maybe a
/// link to something else, is what was left of an earlier run.
struct TemporaryFile
{
  explicit TemporaryFile(std::string of_path) : path(std::move(of_path)) { remove(); }
  TemporaryFile(const TemporaryFile &) = delete;
  ~TemporaryFile() { remove(); }

  void
  remove() const
  {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }

  const std::string path;
};

/// @p path : what the user shall be told about.
void
write_file(const std::string &file, const std::string &path,
           const std::function<void(std::ostream &)> &writer)
{
  errno = 0;
  std::ofstream out(file, std::ios::binary);
  AssertThrow(out, ExcMessage("Cannot create '" + file + "'" + reason_of_system()));
  try
  {
    writer(out);
  }
  catch (const dealii::ExcIO &) // deal.II has noticed first, but does not know the file
  {
    out.setstate(std::ios::failbit);
  }
  out.close();
  AssertThrow(out, ExcMessage("Cannot write '" + path + "'" + reason_of_system()));
}

void
rename_file(const std::string &file, const std::string &path)
{
  std::error_code error;
  std::filesystem::rename(file, path, error);
  AssertThrow(!error, ExcMessage("Cannot write '" + path + "': " + error.message() + "."));
}

/// Of a file or folder. Its data is the same through whatever descriptor they are sent.
void
send_to_disk(const std::string &file, const std::string &path)
{
  errno = 0;
  const int descriptor = ::open(file.c_str(), O_RDONLY);
  const bool is_there = descriptor >= 0 && ::fsync(descriptor) == 0;
  const std::string why = reason_of_system();
  if (descriptor >= 0)
    ::close(descriptor);
  AssertThrow(is_there, ExcMessage("Cannot write '" + path + "'" + why));
}
} // namespace

std::string
reason_of_system()
{
  return errno != 0 ? std::string(": ") + std::strerror(errno) + "." : ".";
}

void
atomic_write(const std::string &path, const std::function<void(std::ostream &)> &writer)
{
  const TemporaryFile temporary(path + ".part");
  write_file(temporary.path, path, writer);
  rename_file(temporary.path, path);
}

void
durable_write(const std::string &path, const std::function<void(std::ostream &)> &writer)
{
  const TemporaryFile temporary(path + ".part");
  write_file(temporary.path, path, writer);
  send_to_disk(temporary.path, path);
  rename_file(temporary.path, path);
  send_to_disk(std::filesystem::absolute(path).parent_path(), path);
}

void
send_files_to_disk(const std::string &folder)
{
  std::error_code error;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(folder, error))
    if (entry.is_regular_file(error))
      send_to_disk(entry.path().string(), entry.path().string());
}

void
atomic_write(const std::string &path, const std::string &text)
{
  atomic_write(path, [&](std::ostream &out) { out << text; });
}
} // namespace KickDrift
