#include <kickdrift/output/folder_lock.h>

#include <deal.II/base/exceptions.h>

#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace KickDrift
{
using dealii::ExcMessage;

namespace
{
/// "process 123 on host 'node7'".
std::string
own_name()
{
  std::array<char, 256> host = {};
  ::gethostname(host.data(), host.size() - 1);
  return "process " + std::to_string(::getpid()) + " on host '" + host.data() + "'";
}

/// What the holder of a lock has written into its file.
std::string
name_of_holder(const int descriptor)
{
  std::array<char, 512> text = {};
  const auto length = ::pread(descriptor, text.data(), text.size() - 1, 0);
  return length > 0 ? std::string(text.data(), length) : "another process";
}

/// Does the file system have no locks at all?
bool
means_no_locks(const int error)
{
  return error == ENOSYS || error == ENOLCK || error == EOPNOTSUPP;
}

/// Is the open file still the one with this name? Its holder may have removed it in between.
bool
is_file(const int descriptor, const std::string &file)
{
  struct stat open_one = {}, named = {};
  return ::fstat(descriptor, &open_one) == 0 && ::lstat(file.c_str(), &named) == 0 &&
         open_one.st_ino == named.st_ino && open_one.st_dev == named.st_dev;
}
} // namespace

FolderLock::FolderLock(const std::string &folder) : file(folder + "/run.lock")
{
  // whoever removes its folder again and again must not keep us here for ever
  for (unsigned int attempt = 0;; ++attempt)
  {
    AssertThrow(attempt < 1000, ExcMessage("The output folder '" + folder +
                                           "' cannot be locked: its file 'run.lock' is replaced "
                                           "again and again."));
    // it will be written: nothing that a link of this name leads to
    descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    AssertThrow(descriptor >= 0 || errno != ELOOP,
                ExcMessage("Cannot write into the output folder '" + folder +
                           "': its file 'run.lock' is a symbolic link. Remove it."));
    AssertThrow(descriptor >= 0, ExcMessage("Cannot write into the output folder '" + folder +
                                            "': " + std::strerror(errno) + "."));
    const int failure = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
    const bool is_ours = failure == 0 || means_no_locks(failure);
    if (is_ours && is_file(descriptor, file))
      break;
    const std::string holder = name_of_holder(descriptor);
    ::close(descriptor);
    AssertThrow(is_ours || failure != EWOULDBLOCK,
                ExcMessage("The output folder '" + folder + "' is in use by another run, " +
                           holder +
                           ". Wait until that has ended, or choose another folder with "
                           "--output."));
    AssertThrow(is_ours, ExcMessage("The output folder '" + folder +
                                    "' cannot be locked: " + std::strerror(failure) + "."));
  }
  // for others to read; the lock holds without it
  const std::string name = own_name();
  if (::ftruncate(descriptor, 0) != 0 ||
      ::pwrite(descriptor, name.data(), name.size(), 0) != static_cast<ssize_t>(name.size()))
    errno = 0;
}

FolderLock::~FolderLock()
{
  // in this order: whoever opens the file now finds it locked, or new
  if (is_file(descriptor, file))
    ::unlink(file.c_str());
  ::close(descriptor);
}
} // namespace KickDrift
