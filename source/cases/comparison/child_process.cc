#include "child_process.h"

#include <deal.II/base/exceptions.h>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

extern char **environ;

namespace KickDrift
{
using namespace dealii;

namespace
{
/// Where standard output and error go.
class Redirection
{
public:
  explicit Redirection(const std::string &log)
  {
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
  }
  Redirection(const Redirection &) = delete;
  ~Redirection() { posix_spawn_file_actions_destroy(&actions); }

  posix_spawn_file_actions_t actions;
};
} // namespace

int
run_in_child(const std::vector<std::string> &arguments, const std::string &log)
{
  std::error_code ignored; // then it cannot be started either
  const std::string program = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char *> argv;
  for (auto &word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);

  const Redirection redirection(log);
  pid_t child = 0;
  const int failure =
      posix_spawn(&child, program.c_str(), &redirection.actions, nullptr, argv.data(), environ);
  AssertThrow(failure == 0, ExcMessage("Cannot start '" + program + "' with its output in '" + log +
                                       "': " + std::strerror(failure) + "."));
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    AssertThrow(errno == EINTR,
                ExcMessage(std::string("Cannot wait for a run: ") + std::strerror(errno) + "."));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
} // namespace KickDrift
