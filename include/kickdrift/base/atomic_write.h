#ifndef KICKDRIFT_BASE_ATOMIC_WRITE_H
#define KICKDRIFT_BASE_ATOMIC_WRITE_H

#include <functional>
#include <iosfwd>
#include <string>

namespace KickDrift
{
/// Reason for the last failure of the system, as an end of a sentence.
std::string reason_of_system();

/**
 * Replace the file @p path by what @p writer puts into the stream: either completely or not at all
 * (written beside it under another name, then renamed). Throws ExcMessage naming the file.
 */
void atomic_write(const std::string &path, const std::function<void(std::ostream &)> &writer);

/// The same, and what was written has reached the disk when the function returns: not even a power
/// failure leaves half a file, or takes it away again.
void durable_write(const std::string &path, const std::function<void(std::ostream &)> &writer);

/// What was written into the files of a folder, not of those in it, has reached the disk when this
/// function returns. Throws ExcMessage naming the file.
void send_files_to_disk(const std::string &folder);

/// Same as the first, for a text that is at hand.
void atomic_write(const std::string &path, const std::string &text);
} // namespace KickDrift

#endif
