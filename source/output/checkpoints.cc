#include <kickdrift/base/archive_checks.h>
#include <kickdrift/output/checkpoints.h>
#include <kickdrift/output/files.h>

#include <deal.II/base/exceptions.h>
#include <deal.II/base/utilities.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <new>
#include <sstream>

namespace KickDrift
{
namespace fs = std::filesystem;
using dealii::ExcMessage;

namespace
{
// To be counted up whenever what a checkpoint holds, or how, is changed.
constexpr unsigned int format = 22;
const std::string format_line = "KickDrift checkpoint, format ";
const std::string stem = "checkpoint_";

/// What comes after the line with the format.
struct FileFrame
{
  std::uint64_t length = 0, sum = 0;
};

std::string
in_quotes(const std::string &text)
{
  return "'" + text + "'";
}

std::string
first_difference(const std::vector<std::pair<std::string, std::string>> &there,
                 const std::vector<std::pair<std::string, std::string>> &here)
{
  const std::map<std::string, std::string> before(there.begin(), there.end());
  const std::map<std::string, std::string> now(here.begin(), here.end());
  for (const auto &[name, value] : now)
  {
    const auto it = before.find(name);
    if (it == before.end())
      return in_quotes(name) + " did not exist then";
    if (it->second != value)
      return in_quotes(name) + " was " + in_quotes(it->second) + " and is " + in_quotes(value) +
             " now";
  }
  for (const auto &[name, value] : before)
    if (now.count(name) == 0)
      return in_quotes(name) + " was " + in_quotes(value) + " and does not exist now";
  return "";
}

/// What stands against other times in a run; empty if nothing does.
std::string
reason_against_times(const CheckpointOrigin &there, const CheckpointOrigin &here)
{
  if (here.end_time < there.end_time)
    return "'Stepping/End time' was " + to_text(there.end_time) + " and is " +
           to_text(here.end_time) + " now; it can become later, but not earlier";
  const unsigned int intervals = here.save_times.intervals;
  if (intervals != there.save_times.intervals &&
      intervals != there.save_times.last(there.end_time) &&
      !here.save_times.has_intervals_of(there.save_times))
    return "'Output/Save intervals' was " + std::to_string(there.save_times.intervals) +
           " until time " + to_text(there.save_times.end) + " and is " + std::to_string(intervals) +
           " until time " + to_text(here.save_times.end) +
           " now; save times cannot be changed, leave it as it was";
  if (here.detection_resolution != there.detection_resolution)
    return "'Detection/Resolution' was " + to_text(there.detection_resolution) +
           ", a thousandth of the end time, and would be " + to_text(here.detection_resolution) +
           " now; a run with detection can be continued to a later end only if it was set";
  return "";
}

/// Why a run cannot go on from @p there; empty if it can.
std::string
reason_against(const CheckpointOrigin &there, const CheckpointOrigin &here)
{
  if (there.program != here.program)
    return "it was written by " + in_quotes(there.program) + ", this is " + in_quotes(here.program);
  if (there.instruction_set != here.instruction_set)
    return "it was computed with the instruction set " + in_quotes(there.instruction_set) +
           ", now it would be " + in_quotes(here.instruction_set) +
           ", which rounds differently; the environment variable KICKDRIFT_ISA chooses it";
  const std::string parameter = first_difference(there.parameters, here.parameters);
  if (!parameter.empty())
    return "it is of a run with other parameters: " + parameter;
  if (there.model != here.model)
    return "it is of another model, although the parameters are the same: nodes, masses, cells or "
           "surfaces differ";
  return reason_against_times(there, here);
}
} // namespace

void
CheckpointOrigin::serialize(Archive &archive)
{
  archive.section("origin");
  archive(program, instruction_set, parameters, model, end_time, save_times, detection_resolution);
  check_state(end_time > 0 && save_times.end > 0 && save_times.end <= end_time &&
                  std::isfinite(end_time) && save_times.intervals > 0,
              "origin");
}

Checkpoints::Checkpoints(const std::string &folder, const CheckpointOrigin &origin)
    : folder(folder), origin(origin)
{
}

std::string
Checkpoints::file(const unsigned int number) const
{
  return folder + "/" + stem + dealii::Utilities::int_to_string(number, 6);
}

std::vector<unsigned int>
Checkpoints::numbers() const
{
  std::vector<unsigned int> result;
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(folder, error))
  {
    const std::string name = entry.path().filename().string();
    const std::string digits = name.substr(std::min(stem.size(), name.size()));
    if (name.rfind(stem, 0) == 0 && !digits.empty() && digits.size() <= 9 &&
        digits.find_first_not_of("0123456789") == std::string::npos)
      result.push_back(std::stoul(digits));
  }
  std::sort(result.begin(), result.end());
  return result;
}

void
Checkpoints::write(const std::function<void(Archive &)> &write_state)
{
  Archive archive;
  archive(origin);
  write_state(archive);
  const std::string &bytes = archive.bytes();

  std::error_code error;
  fs::create_directory(folder, error);
  AssertThrow(!error, ExcMessage("Cannot create '" + folder + "': " + error.message() + "."));
  durable_write(file(current + 1),
                [&](std::ostream &out)
                {
                  const FileFrame frame{bytes.size(), checksum(bytes)};
                  out << format_line << format << "\n";
                  out.write(reinterpret_cast<const char *>(&frame), sizeof(frame));
                  out.write(bytes.data(), bytes.size());
                });
  ++current;
  remove_all_but(2);
}

void
Checkpoints::remove_all_but(const unsigned int n_last) const
{
  std::error_code ignored; // they do no harm
  for (const unsigned int number : numbers())
    if (number > current || number + n_last <= current)
      fs::remove(file(number), ignored);
}

void
Checkpoints::remove_older() const
{
  remove_all_but(1);
}

std::unique_ptr<Archive>
Checkpoints::read(const std::string &path)
{
  std::ifstream in(path, std::ios::binary);
  std::string line(format_line.size(), ' ');
  in.read(&line[0], line.size());
  AssertThrow(in && line == format_line, ExcMessage("it is no checkpoint, or cannot be read"));
  line.clear();
  for (char c = 0; line.size() < 10 && in.get(c) && c != '\n';)
    line += c;
  AssertThrow(
      line == std::to_string(format),
      ExcMessage("it is of format '" + line + "', this program reads " + std::to_string(format)));

  FileFrame frame;
  in.read(reinterpret_cast<char *>(&frame), sizeof(frame));
  std::error_code error;
  const std::uint64_t begin = format_line.size() + line.size() + 1 + sizeof(frame);
  const std::uint64_t size = fs::file_size(path, error);
  AssertThrow(in && !error && size >= begin && size - begin >= frame.length,
              ExcMessage("it is truncated: it has " + std::to_string(size) + " bytes of " +
                         std::to_string(begin + frame.length)));
  AssertThrow(size - begin == frame.length, ExcMessage("it is longer than it says"));
  std::string bytes(frame.length, '\0');
  in.read(&bytes[0], bytes.size());
  AssertThrow(in, ExcMessage("it cannot be read"));
  AssertThrow(checksum(bytes) == frame.sum, ExcMessage("it is damaged: its checksum is not right"));

  auto archive = std::make_unique<Archive>(std::move(bytes));
  CheckpointOrigin found;
  (*archive)(found);
  const std::string reason = reason_against(found, origin);
  AssertThrow(reason.empty(), ExcMessage(reason));
  origin_of_found = found;
  origin.save_times = found.save_times;
  return archive;
}

std::string
Checkpoints::refusal(const unsigned int number, const std::string &reason) const
{
  const bool ends = !reason.empty() && reason.back() == '.';
  return "The checkpoint '" + file(number) + "' cannot be continued: " + reason + (ends ? "" : ".");
}

std::unique_ptr<Archive>
Checkpoints::newest(std::vector<std::string> &refused)
{
  return newest_of(numbers(), refused);
}

std::unique_ptr<Archive>
Checkpoints::previous(const std::string &reason, std::vector<std::string> &refused)
{
  refused.push_back(refusal(current, reason));
  auto older = numbers();
  older.erase(std::lower_bound(older.begin(), older.end(), current), older.end());
  return newest_of(older, refused);
}

std::unique_ptr<Archive>
Checkpoints::newest_of(std::vector<unsigned int> all, std::vector<std::string> &refused)
{
  for (; !all.empty(); all.pop_back())
    try
    {
      auto archive = read(file(all.back()));
      current = all.back();
      return archive;
    }
    catch (const dealii::ExceptionBase &exception)
    {
      std::ostringstream reason;
      exception.print_info(reason);
      refused.push_back(refusal(all.back(), dealii::Utilities::trim(reason.str())));
    }
    catch (const std::bad_alloc &)
    {
      refused.push_back(refusal(all.back(), "it does not fit into memory"));
    }
  std::string text;
  for (const auto &sentence : refused)
    text += (text.empty() ? "" : " ") + sentence;
  AssertThrow(refused.empty(), ExcMessage(text));
  return nullptr;
}
} // namespace KickDrift
