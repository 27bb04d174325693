#include "watchdog.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace
{
std::int64_t
milliseconds()
{
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Processor time that a process has used, and all its threads.
std::int64_t
used_milliseconds(const pid_t process)
{
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  std::istringstream words(text.substr(std::min(text.rfind(')') + 1, text.size())));
  std::string word;
  for (unsigned int i = 0; i < 11; ++i)
    words >> word;
  double user = 0, system = 0;
  words >> user >> system;
  return static_cast<std::int64_t>(1e3 * (user + system) / sysconf(_SC_CLK_TCK));
}

/// Resident memory of a process.
double
gigabytes_of(const pid_t process)
{
  std::ifstream file("/proc/" + std::to_string(process) + "/statm");
  double total = 0, resident = 0;
  file >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE) / 1e9;
}

/// Why the worker has to be killed; empty if it may go on.
std::string
complaint(const Progress &progress, const pid_t worker, const Limits &limits)
{
  const double used = 1e-3 * (used_milliseconds(worker) - progress.used_before);
  const double passed = 1e-3 * (milliseconds() - progress.since);
  // what comes after reading is not what is tested; waiting uses no processor time
  if (used > (progress.is_read ? 0.1 : 1.) * limits.seconds || passed > 10 * limits.seconds)
    return "takes longer than " + std::to_string(int(limits.seconds)) + " s";
  if (gigabytes_of(worker) > limits.gigabytes)
    return "takes more than " + std::to_string(int(limits.gigabytes)) + " GB";
  return "";
}

pid_t
start_worker(const std::string &log, const std::function<void()> &work)
{
  const pid_t worker = fork();
  if (worker != 0)
    return worker;
  const int file = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  dup2(file, 1);
  dup2(file, 2);
  work();
  std::_Exit(0); // libraries may have threads that would not end
}

/// Waits for the worker; why it failed, or empty.
std::string
wait_for(const pid_t worker, const Progress &progress, const Limits &limits)
{
  int status = 0;
  while (waitpid(worker, &status, WNOHANG) == 0)
  {
    const std::string why = complaint(progress, worker, limits);
    if (!why.empty())
    {
      kill(worker, SIGKILL);
      waitpid(worker, &status, 0);
      return why;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return "";
  return WIFSIGNALED(status) ? "crashes with signal " + std::to_string(WTERMSIG(status))
                             : "ends with status " + std::to_string(WEXITSTATUS(status));
}
} // namespace

void
Progress::begin(const std::uint64_t next)
{
  is_read = false;
  used_before = used_milliseconds(getpid());
  since = milliseconds();
  index = next;
}

Progress &
shared_progress()
{
  void *const memory =
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    throw std::runtime_error("no memory that can be shared");
  return *new (memory) Progress();
}

void
keep_finding(const Progress &progress, const std::string &findings, const std::string &reason,
             const std::string &log)
{
  const std::uint64_t index = progress.index;
  const fs::path input(progress.input_file);
  fs::create_directories(findings);
  const std::string stem = findings + "/" + std::to_string(index);
  std::error_code ignored; // it may not have got so far as to write it
  fs::copy_file(input, stem + "_" + input.filename().string(), fs::copy_options::overwrite_existing,
                ignored);
  if (!log.empty())
    fs::copy_file(log, stem + ".log", fs::copy_options::overwrite_existing, ignored);
  std::ofstream(stem + ".reason") << reason << "\n";
}

void
watch(Progress &progress, const std::uint64_t n, const Limits &limits, const std::string &log,
      const std::string &findings, const std::function<void()> &work)
{
  while (progress.index < n)
  {
    progress.begin(progress.index);
    progress.used_before = 0; // by a worker that is about to start
    const std::string why = wait_for(start_worker(log, work), progress, limits);
    if (why.empty())
    {
      std::cout << progress.index << " of " << n << " inputs\n" << std::flush;
      continue;
    }
    if (progress.is_read && why.rfind("takes longer", 0) == 0)
      ++progress.n_interrupted;
    else
    {
      ++progress.n_failures;
      keep_finding(progress, findings, why, log);
      std::cout << "input " << progress.index << " " << why << "\n" << std::flush;
    }
    ++progress.index;
  }
}
