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
  std::string message;      ///< why it is not done
  std::string summary;      ///< text of summary.json; empty if it wrote none
  double stepping_time = 0; ///< wall time [s]
  double strain_kicks = 0;
  double end = 0; ///< simulated time up to which it came [time]
  Histories statistics, probes;
};

/// Read what the run in @p folder, whose program returned @p exit_status and wrote @p log, has
/// left.
RunResults read_results(const std::string &folder, const std::string &log, int exit_status);

/// Differences of probes over time, as shares of the largest value of the reference.
struct ProbeDifference
{
  double displacement = 0, velocity = 0;
};

/**
 * Largest differences between the vectors of the probes of two runs that were saved at the same
 * times, as far as both came; nothing if there are no probes.
 */
std::optional<ProbeDifference> probe_difference(const Histories &probes,
                                                const Histories &reference);
} // namespace KickDrift

#endif
