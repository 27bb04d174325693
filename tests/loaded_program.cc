// The program, loaded once for many runs: to load deal.II's two hundred libraries takes half a
// second, many times as long as most runs of the tests.
//
// Reads requests from standard input, one JSON object on a line, with "arguments", "folder",
// "environment" (what is to be set) and the files "stdout" and "stderr". For each it forks a
// process that runs the program so, and writes two lines: the number of the process, then its exit
// status, or minus the signal that ended it.

#include <kickdrift/cases/program.h>

#include <nlohmann/json.hpp>

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <iostream>
#include <string>
#include <unistd.h>
#include <vector>

namespace
{
void
open_as(const int descriptor, const std::string &file, const int flags)
{
  const int opened = ::open(file.c_str(), flags, 0666);
  if (opened < 0 || ::dup2(opened, descriptor) < 0)
    std::_Exit(97);
  ::close(opened);
}

[[noreturn]] void
run(const nlohmann::json &request)
{
  if (::chdir(request.at("folder").get<std::string>().c_str()) != 0)
    std::_Exit(97);
  for (const auto &[name, value] : request.at("environment").items())
    ::setenv(name.c_str(), value.get<std::string>().c_str(), 1);
  open_as(STDIN_FILENO, "/dev/null", O_RDONLY);
  open_as(STDOUT_FILENO, request.at("stdout"), O_WRONLY | O_CREAT | O_TRUNC);
  open_as(STDERR_FILENO, request.at("stderr"), O_WRONLY | O_CREAT | O_TRUNC);
  std::exit(KickDrift::run_program(request.at("arguments").get<std::vector<std::string>>(),
                                   std::cout, std::cerr));
}
} // namespace

int
main()
{
  for (std::string line; std::getline(std::cin, line);)
  {
    const auto request = nlohmann::json::parse(line);
    const pid_t process = ::fork();
    if (process == 0)
      run(request);
    std::cout << process << std::endl;
    int status = 0;
    ::waitpid(process, &status, 0);
    std::cout << (WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status)) << std::endl;
  }
}
