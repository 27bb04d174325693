#include <kickdrift/output/files.h>
#include <kickdrift/output/summary.h>

#include <deal.II/base/config.h>

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

namespace KickDrift
{
std::string
to_json(const Summary &summary)
{
  JsonObject kicks;
  for (const char *always : {"strain", "collision_tests", "collisions"})
    kicks.set(always, std::uint64_t(0));
  for (const auto &count : summary.kicks)
    kicks.set(count.first, count.second);

  JsonObject wall_time;
  wall_time.set("total", summary.wall_time.total)
      .set("setup", summary.wall_time.setup)
      .set("stepping", summary.wall_time.stepping)
      .set("contact", summary.wall_time.contact)
      .set("output", summary.wall_time.output);

  const Summary::Profile &parts = summary.profile;
  JsonObject profile;
  profile.set("setup", parts.setup)
      .set("strain_kicks", parts.strain_kicks)
      .set("drift", parts.drift)
      .set("other_kicks", parts.other_kicks)
      .set("scheduling", parts.scheduling)
      .set("contact_search", parts.contact_search)
      .set("contact_response", parts.contact_response)
      .set("energy_checks", parts.energy_checks)
      .set("output", parts.output)
      .set("rest", parts.rest);

  JsonObject versions;
  versions.set("KickDrift", KICKDRIFT_VERSION)
      .set("deal.II", DEAL_II_PACKAGE_VERSION)
      .set("compiler", __VERSION__)
      .merge(summary.versions);

  JsonObject json;
  json.set("cells", summary.cells)
      .set("nodes", summary.nodes)
      .set("h_min", summary.h_min)
      .set("h_max", summary.h_max)
      .set("h_average", summary.h_average)
      // the same under names that say what they are
      .set("critical_step_min", summary.h_min)
      .set("critical_step_max", summary.h_max)
      .set("critical_step_average", summary.h_average)
      .set("work_ratio", summary.work_ratio)
      .set("kicks", kicks)
      .set("wall_time", wall_time)
      .set("profile", profile)
      .set("kicks_per_second", summary.kicks_per_second)
      .set("bytes_per_cell", summary.bytes_per_cell)
      .set("peak_memory", summary.peak_memory > 0 ? summary.peak_memory : peak_memory())
      .set("energy_error_end", summary.energy_error_end)
      .set("energy_error_max", summary.energy_error_max)
      .set("threads", summary.threads)
      .set("processes", summary.processes)
      .set("versions", versions)
      .merge(summary.more);
  return json.text() + "\n";
}

void
write_summary(const std::string &folder, const Summary &summary)
{
  atomic_write(folder + "/summary.json", to_json(summary));
}

std::uint64_t
peak_memory()
{
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return std::uint64_t(usage.ru_maxrss) * 1024; // Linux counts in KiB
}

std::uint64_t
own_memory()
{
  std::ifstream file("/proc/self/statm");
  std::uint64_t size = 0, resident = 0, shared = 0;
  file >> size >> resident >> shared;
  return file ? (resident - shared) * sysconf(_SC_PAGESIZE) : 0;
}
} // namespace KickDrift
