#ifndef KICKDRIFT_OUTPUT_CHECKPOINTS_H
#define KICKDRIFT_OUTPUT_CHECKPOINTS_H

#include <kickdrift/base/archive.h>
#include <kickdrift/output/save_times.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace KickDrift
{
/// Where a checkpoint comes from: what has to agree for a run to be continued to the last bit.
struct CheckpointOrigin
{
  std::string program;         ///< name, version and what it was built with
  std::string instruction_set; ///< see instruction_set()
  std::vector<std::pair<std::string, std::string>> parameters; ///< names and values
  std::uint64_t model = 0; ///< checksum() of the model before the first kick
  double end_time = 1;     ///< may become later when the run is continued [time]
  SaveTimes save_times;    ///< stay what they are then
  /// 'Detection/Resolution', which may follow from the end time; 0 without detection [time].
  double detection_resolution = 0;

  void serialize(Archive &archive); ///< Write to, or read from, a checkpoint.
};

/**
 * The checkpoints of a run, `checkpoint_NUMBER` in a folder of their own, of which the last two are
 * kept, and only the last one of a run that is done.
 *
 * A file is a line that names the format, the length of what follows and its checksum(), then an
 * Archive: the CheckpointOrigin and the state of the run. It is written beside under another name,
 * sent to the disk and renamed, so that it is either there as a whole or not at all.
 */
class Checkpoints
{
public:
  /// @param folder will be created when the first checkpoint is written; that above it must exist
  Checkpoints(const std::string &folder, const CheckpointOrigin &origin);

  /**
   * Write the next checkpoint and remove all but that and the one before. @p write_state is given
   * an archive that writes. Throws ExcMessage naming the file if that fails; earlier checkpoints
   * are still there then.
   */
  void write(const std::function<void(Archive &)> &write_state);

  /**
   * The state in the newest checkpoint that is whole and of the same origin (but for an end time
   * that may be later now), to be read; null if there are no checkpoints. What is wrong with newer
   * ones is appended to @p refused, a sentence that names the file for each; they will be
   * overwritten. Throws ExcMessage with all these sentences if no checkpoint is good.
   */
  std::unique_ptr<Archive> newest(std::vector<std::string> &refused);

  /**
   * The same for those before the one that was found by newest() or previous(), whose state turned
   * out to be of no use for a @p reason, which is appended to @p refused, too.
   */
  std::unique_ptr<Archive> previous(const std::string &reason, std::vector<std::string> &refused);

  /// The file that was read or written last.
  std::string
  current_file() const
  {
    return file(current);
  }

  /// Remove all but the last: the run has come to its end.
  void remove_older() const;

  /// Where the state that newest() or previous() has found comes from.
  const CheckpointOrigin &
  found() const
  {
    return origin_of_found;
  }

private:
  std::string file(unsigned int number) const;
  /// Those that are there, ascending.
  std::vector<unsigned int> numbers() const;
  void remove_all_but(unsigned int n_last) const;
  /// What newest() promises, among the numbers in @p all.
  std::unique_ptr<Archive> newest_of(std::vector<unsigned int> all,
                                     std::vector<std::string> &refused);
  /// A sentence about a checkpoint.
  std::string refusal(unsigned int number, const std::string &reason) const;
  /// The state in a file. Throws ExcMessage if it cannot be continued.
  std::unique_ptr<Archive> read(const std::string &path);

  const std::string folder;
  CheckpointOrigin origin;
  CheckpointOrigin origin_of_found;
  unsigned int current = 0; ///< number of the checkpoint read or written last
};
} // namespace KickDrift

#endif
