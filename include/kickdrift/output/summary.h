#ifndef KICKDRIFT_OUTPUT_SUMMARY_H
#define KICKDRIFT_OUTPUT_SUMMARY_H

#include <kickdrift/output/json.h>

#include <cstdint>
#include <limits>
#include <map>
#include <string>

namespace KickDrift
{
/// `summary.json`: what a run was and what it cost. Not-a-number means unknown, written as null.
struct Summary
{
  /// Not a number, for what is not known.
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  std::uint64_t cells = 0;     ///< number of cells
  std::uint64_t nodes = 0;     ///< number of nodes
  double h_min = unknown;      ///< critical steps of the cells, before the ratio beta [time]
  double h_max = unknown;      ///< [time]
  double h_average = unknown;  ///< [time]
  double work_ratio = unknown; ///< kicks of the synchronous run at the same beta over ours

  /// Counts by name; `strain`, `collision_tests` and `collisions` are always written.
  std::map<std::string, std::uint64_t> kicks = {
      {"strain", 0}, {"collision_tests", 0}, {"collisions", 0}};

  struct WallTime ///< [s]
  {
    double total = 0;    ///< from begin to end [s]
    double setup = 0;    ///< before the first kick [s]
    double stepping = 0; ///< includes contact
    double contact = 0;  ///< search and response [s]
    double output = 0;   ///< files [s]
  } wall_time;           ///< where the time went

  /// Where the wall time went, without gaps or overlaps [s]. Kicks and responses are estimated from
  /// samples.
  struct Profile
  {
    double setup = 0;            ///< before the first kick [s]
    double strain_kicks = 0;     ///< gathering, kernels, scattering; and waiting for other threads
    double drift = 0;            ///< of the nodes of strain kicks
    double other_kicks = 0;      ///< loads, damping, ..., their drifts included
    double scheduling = 0;       ///< queue, changes of clocks, restraints
    double contact_search = 0;   ///< what touches what? [s]
    double contact_response = 0; ///< impulses [s]
    double energy_checks = 0;    ///< looks at energy and state [s]
    double output = 0;           ///< files [s]
    double rest = 0;             ///< everything else [s]
  } profile;                     ///< where the time went, in detail

  double kicks_per_second = unknown; ///< kicks of strain energy per time of stepping [1/s]
  double bytes_per_cell = unknown;   ///< nodes, connectivity, geometry, clocks
  std::uint64_t peak_memory = 0;     ///< of the largest process [bytes]; 0: ask the system
  double energy_error_end = unknown; ///< relative
  double energy_error_max = unknown; ///< relative
  unsigned int threads = 1;          ///< number of threads of a process
  unsigned int processes = 1;        ///< number of processes
  JsonObject versions; ///< written beside those of KickDrift, deal.II and the compiler
  JsonObject more;     ///< further members of the file, e.g. `status` and `message`
};

/// The JSON text of a summary.
std::string to_json(const Summary &summary);

/// Write `summary.json` in @p folder, atomically. Throws ExcMessage naming the file.
void write_summary(const std::string &folder, const Summary &summary);

/// Largest resident memory of this process so far [bytes].
std::uint64_t peak_memory();

/// Resident memory that this process has for itself now: without programs and libraries [bytes]; 0
/// where there is no /proc.
std::uint64_t own_memory();
} // namespace KickDrift

#endif
