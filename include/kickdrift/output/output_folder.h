#ifndef KICKDRIFT_OUTPUT_OUTPUT_FOLDER_H
#define KICKDRIFT_OUTPUT_OUTPUT_FOLDER_H

#include <kickdrift/output/folder_lock.h>

#include <string>
#include <vector>

namespace KickDrift
{
/// What to do with a folder that already holds a run.
enum class ExistingRun
{
  refuse,
  overwrite, ///< its files may be removed (and nothing else)
  resume     ///< leave everything, recorders continue the files
};

/// The folder that a run writes to, and that no other process can write to meanwhile.
class OutputFolder
{
public:
  /**
   * Create the folder (and those above it) if necessary, and lock it.
   *
   * Throws ExcMessage, naming the folder, if it is no folder, cannot be created or written, is in
   * use by another run, or holds files of the names that runs write and these are to be refused or
   * are, to be overwritten, not what the program has written.
   */
  OutputFolder(const std::string &path, const ExistingRun existing_run = ExistingRun::refuse);

  /// Removes folders again that were created but have remained empty.
  ~OutputFolder() = default;

  /// Of the folder.
  const std::string &
  path() const
  {
    return folder;
  }

  /// Path of the file @p name in the folder.
  std::string
  file(const std::string &name) const
  {
    return folder + "/" + name;
  }

  /// Remove the files of an earlier run, except for parameters that were edited.
  void remove_earlier_run() const;

  /**
   * Write the parameters of the run to `parameters.prm`, under a line with their checksum() by
   * which the program knows later whether they are still what it wrote. A file that is not is left
   * alone.
   */
  void write_parameters(const std::string &text) const;

  /// Does @p path hold the output of a run, or files of such names?
  static bool holds_run(const std::string &path);

private:
  /// Folders that do not exist yet are created; those that are empty in the end are removed.
  class NewFolders
  {
  public:
    explicit NewFolders(const std::string &path);
    NewFolders(const NewFolders &) = delete;
    ~NewFolders();

  private:
    std::vector<std::string> paths; ///< outermost first
  };

  const std::string folder;
  const NewFolders new_folders;
  const FolderLock lock;
};
} // namespace KickDrift

#endif
