#ifndef KICKDRIFT_SOURCE_CASES_COMPARISON_COMPARISON_JSON_H
#define KICKDRIFT_SOURCE_CASES_COMPARISON_COMPARISON_JSON_H

#include <kickdrift/output/json.h>

#include "comparison_schemes.h"
#include "run_results.h"

#include <optional>
#include <string>
#include <vector>

namespace KickDrift
{
/// A run of a comparison.
struct ComparedRun
{
  std::string command; ///< for a shell
  std::string folder;  ///< relative to that of the comparison
  RunResults results;
  unsigned int n_measurements = 1; ///< how often it was run; the results are those of the fastest
};

/// The runs with one scheme.
struct SchemeRuns
{
  Scheme scheme;
  ComparedRun with_contact;                   ///< the case as it is
  std::optional<ComparedRun> without_contact; ///< unless the case has no contact anyway
};

/// "done", "energy limit", "stopped", "refused" or "failed".
std::string name_of(RunResults::Status status);

/**
 * What `comparison.json` says of one value of the swept constant: @p properties of the case and
 * `runs`. All that is a ratio or a difference between runs is null unless both are done. Runs are
 * compared with the scheme "synchronous", or else "synchronous_best", as far as both came, and with
 * the @p reference, if there is one.
 */
JsonObject point_json(const JsonObject &properties, const std::vector<SchemeRuns> &runs,
                      const std::optional<ComparedRun> &reference);

/// The run that others are compared with, see point_json().
const SchemeRuns &synchronous_of(const std::vector<SchemeRuns> &runs);

/// Difference of the displacements of the probes of a run to those of a reference; not a number
/// unless both are done.
double error_against(const RunResults &results, const RunResults &reference);

/// Largest differences of a run from a reference as shares of what they are in the reference; not a
/// number unless both are done and have such a thing.
struct Errors
{
  double displacement, velocity;        ///< of probes
  double contact, reaction;             ///< impulses of pairs, and of supports, since the start
  double contact_force, reaction_force; ///< the largest of a pair, and of a support
};

/// Calculate them.
Errors errors_against(const RunResults &results, const RunResults &reference);
} // namespace KickDrift

#endif
