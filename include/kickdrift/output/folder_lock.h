#ifndef KICKDRIFT_OUTPUT_FOLDER_LOCK_H
#define KICKDRIFT_OUTPUT_FOLDER_LOCK_H

#include <string>

namespace KickDrift
{
/**
 * As long as an object of this class lives, no other can be made for the same folder, in this
 * process or any other, also on other hosts where the file system passes locks on (flock() on the
 * file `run.lock`, which names host and process and is removed in the end). What is left behind by
 * a process that was killed locks nothing.
 */
class FolderLock
{
public:
  /// Throws ExcMessage, naming the folder and the process that holds it, if another one does, or if
  /// files cannot be created there. File systems without locks are not protected.
  explicit FolderLock(const std::string &folder);
  FolderLock(const FolderLock &) = delete;
  ~FolderLock();

private:
  const std::string file;
  int descriptor = -1;
};
} // namespace KickDrift

#endif
