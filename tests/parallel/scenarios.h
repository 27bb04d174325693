#ifndef KICKDRIFT_TESTS_PARALLEL_SCENARIOS_H
#define KICKDRIFT_TESTS_PARALLEL_SCENARIOS_H

#include <kickdrift/base/messages.h>
#include <kickdrift/parallel/ranks.h>

#include <functional>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>

namespace KickDriftTests
{
inline void
expect(const bool condition, const std::string &what)
{
  if (!condition)
    throw std::runtime_error("expected: " + what);
}

/// Run one of the scenarios on several processes; returns 0 if nothing is thrown, or else tells the
/// other processes.
inline int
run_scenario(KickDrift::Ranks &ranks, const std::string &name,
             const std::map<std::string, std::function<void()>> &scenarios)
{
  try
  {
    expect(ranks.size() > 1, "several processes");
    scenarios.at(name)();
  }
  catch (const std::exception &exception)
  {
    std::cerr << "process " << ranks.rank() << ": " << KickDrift::message_of(exception) << "\n";
    ranks.fail(exception);
    return 1;
  }
  return 0;
}
} // namespace KickDriftTests

#endif
