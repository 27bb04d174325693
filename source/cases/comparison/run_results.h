#ifndef KICKDRIFT_SOURCE_CASES_COMPARISON_RUN_RESULTS_H
#define KICKDRIFT_SOURCE_CASES_COMPARISON_RUN_RESULTS_H

#include <optional>
#include <string>
#include <vector>

namespace KickDrift
{
/// A CSV file of numbers, by columns.
struct Histories
{
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;

  unsigned int
  n_rows() const
  {
    return columns.empty() ? 0 : columns[0].size();
  }

  /// Throws dealii::ExceptionBase if there is no such column.
  const std::vector<double> &column(const std::string &name) const;
};

/// Read a CSV file of numbers without quotes; nothing if it is not there. A row that is not
/// complete ends it.
Histories read_histories(const std::string &file);

/// What a run has left in its folder.
struct RunResults
{
  enum class Status
  {
    done,
    energy_limit, ///< stopped at the energy limit
    stopped,      ///< stopped for another reason
    refused,      ///< before the first kick
    failed        ///< ended without a word
  };

  Status status = Status::failed;
  std::string message;       ///< why it is not done
  std::string summary;       ///< text of summary.json; empty if it wrote none
  double stepping_time = 0;  ///< wall time [s]
  double evaluations = 0;    ///< of cells: strain kicks, and in sweeps at class boundaries
  double end = 0;            ///< simulated time up to which it came [time]
  double processor_time = 0; ///< of stepping, of one thread [s]
  double energy_error = 0;   ///< the largest, relative
  Histories statistics, probes, reactions;
  Histories contact; ///< impulses by pair, at the times of the statistics
};

/// Read what the run in @p folder, whose program returned @p exit_status and wrote @p log, has
/// left.
RunResults read_results(const std::string &folder, const std::string &log, int exit_status);

/**
 * Largest difference at a save time between those vectors of two runs, saved at the same times,
 * whose names end with @p kind, as a share of the largest such vector of the @p reference; as far
 * as both came. What only one of them has, since only there two bodies touched, is zero in the
 * other. Nothing if there are no such vectors.
 */
std::optional<double> largest_difference(const Histories &histories, const Histories &reference,
                                         const std::string &kind);

/**
 * Largest force of a pair or support [force], from the @p histories of their impulses: the mean
 * over a fiftieth of the run, as contact gives impulses and not forces. Nothing if there are none.
 */
std::optional<double> largest_force(const Histories &histories);
} // namespace KickDrift

#endif
