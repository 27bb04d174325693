#include <kickdrift/output/machine.h>
#include <kickdrift/potentials/instruction_set.h>

#include <deal.II/base/config.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <thread>

namespace KickDrift
{
namespace
{
/// As Linux names it; "unknown" elsewhere.
std::string
processor()
{
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line))
    if (line.rfind("model name", 0) == 0 && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  return "unknown";
}

std::string
compiler()
{
#ifdef __clang__
  return __VERSION__;
#else
  return "GCC " __VERSION__;
#endif
}
} // namespace

std::string
program_version()
{
  return "KickDrift " KICKDRIFT_VERSION " (" KICKDRIFT_FLAVOUR "), deal.II " DEAL_II_PACKAGE_VERSION
         ", " +
         compiler();
}

JsonObject
machine()
{
  double load = std::numeric_limits<double>::quiet_NaN();
  getloadavg(&load, 1);
  return JsonObject()
      .set("processor", processor())
      .set("cores", std::thread::hardware_concurrency())
      .set("load_average", load)
      .set("instruction_set", instruction_set())
      .set("compiler", compiler())
      .set("flavour", KICKDRIFT_FLAVOUR)
      .set("KickDrift", KICKDRIFT_VERSION)
      .set("deal.II", DEAL_II_PACKAGE_VERSION);
}
} // namespace KickDrift
