#ifndef KICKDRIFT_TESTS_FUZZ_WATCHDOG_H
#define KICKDRIFT_TESTS_FUZZ_WATCHDOG_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

/// What the worker, a child process, and the watchdog both see.
struct Progress
{
  std::atomic<std::uint64_t> index;         ///< of the input at work
  std::atomic<std::int64_t> since;          ///< when it began [ms]
  std::atomic<std::int64_t> used_before;    ///< processor time of the worker until then [ms]
  std::atomic<bool> is_read;                ///< has it been accepted?
  std::atomic<std::uint64_t> n_accepted;    ///< inputs
  std::atomic<std::uint64_t> n_refused;     ///< inputs
  std::atomic<std::uint64_t> n_blown_up;    ///< inputs whose runs have not come to their ends
  std::atomic<std::uint64_t> n_failures;    ///< inputs
  std::atomic<std::uint64_t> n_interrupted; ///< accepted, but what followed took too long
  char input_file[1024];                    ///< with the input at work

  void begin(std::uint64_t index); ///< The worker begins with an input.
};

/// What a worker may use.
struct Limits
{
  double seconds = 60;  ///< processor time per input; other programs may make it last longer
  double gigabytes = 4; ///< memory
};

/**
 * Let child processes call @p work until all inputs up to @p n are done. A worker that crashes,
 * hangs or takes too much memory is a failure of the input at work, which is kept in the folder
 * @p findings; another worker goes on behind it. Workers write to the file @p log.
 */
void watch(Progress &progress, std::uint64_t n, const Limits &limits, const std::string &log,
           const std::string &findings, const std::function<void()> &work);

/// Progress in memory that child processes share.
Progress &shared_progress();

/// Keep the input at work, and @p reason, in the folder @p findings.
void keep_finding(const Progress &progress, const std::string &findings, const std::string &reason,
                  const std::string &log);

#endif
