#ifndef KICKDRIFT_OUTPUT_OUTPUT_FOLDER_H
#define KICKDRIFT_OUTPUT_OUTPUT_FOLDER_H

#include <string>

namespace KickDrift
{
/// What to do with a folder that already holds a run.
enum class ExistingRun
{
  refuse,
  overwrite, ///< remove the files of the earlier run (and nothing else)
  resume     ///< leave everything, recorders continue the files
};

/// The folder that a run writes to.
class OutputFolder
{
public:
  /**
   * Create the folder (and those above it) if necessary.
   *
   * Throws ExcMessage, naming the folder, if it is no folder, cannot be created or written, or
   * holds a run (`summary.json`, `statistics.csv`, `parameters.prm` or `comparison.json`) that is
   * to be refused.
   */
  OutputFolder(const std::string &path, const ExistingRun existing_run = ExistingRun::refuse);

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

  /// Does @p path hold the output of a run?
  static bool holds_run(const std::string &path);

private:
  std::string folder;
};
} // namespace KickDrift

#endif
