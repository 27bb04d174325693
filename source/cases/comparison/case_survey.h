#ifndef KICKDRIFT_SOURCE_CASES_COMPARISON_CASE_SURVEY_H
#define KICKDRIFT_SOURCE_CASES_COMPARISON_CASE_SURVEY_H

#include <kickdrift/cases/input/parameter_file.h>
#include <kickdrift/cases/model/mass_scaling.h>
#include <kickdrift/output/json.h>

#include <optional>
#include <string>
#include <vector>

namespace KickDrift
{
/// What a comparison has to know about a case before it is run.
struct CaseSurvey
{
  std::string output_folder; ///< of the case; empty: none
  bool has_contact = false;
  bool knows_coupled_contact = false;    ///< can contacts be answered all together?
  bool has_synchronous_schedule = false; ///< of contact
  bool has_probes = false;
  double time_step_ratio = 0;
  double largest_stable_step = 0;          ///< of synchronous stepping, see Model [time]
  std::optional<ScaledSynchronous> scaled; ///< synchronous stepping with as few kicks

  /**
   * `cells`, `nodes`, `end_time`, `time_step_ratio`, `critical_steps` (`smallest`, `largest`,
   * `average`, and a histogram: `counts` between neighbouring `edges`), `largest_stable_step`,
   * `energy_limit`, and, if there is a step to be gained, `mass_scaling` (`step` of synchronous
   * stepping, `critical_step` that masses are scaled to for it, `nodes` that get heavier,
   * `added_share` of the mass).
   */
  JsonObject properties;
};

/// Build the case that the @p assignments describe, with nested clocks, and look at it. Throws
/// dealii::ExceptionBase for whatever is wrong with it.
CaseSurvey survey_case(std::vector<Assignment> assignments);
} // namespace KickDrift

#endif
