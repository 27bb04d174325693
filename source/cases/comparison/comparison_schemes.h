#ifndef KICKDRIFT_SOURCE_CASES_COMPARISON_COMPARISON_SCHEMES_H
#define KICKDRIFT_SOURCE_CASES_COMPARISON_COMPARISON_SCHEMES_H

#include "case_survey.h"

#include <string>
#include <vector>

namespace KickDrift
{
/// A way to step through a case.
struct Scheme
{
  std::string name;                  ///< of its folder
  std::string title;                 ///< for people
  std::vector<std::string> settings; ///< "Section/Name=value"
  bool may_not_work;                 ///< to stop at the energy limit is a result, not a failure
};

/// What every comparison runs: nested clocks, a clock per cell, and one clock with contacts one
/// after the other and coupled, at the time step ratio of the case; nested clocks and one clock
/// with the longest steps that each can be trusted with; and, if that is longer, one clock with the
/// mean step of nested clocks, by mass scaling.
std::vector<Scheme> schemes(const CaseSurvey &survey);

/// Those of them that say whether nested clocks pay: these, and what is best for each, where that
/// is not what the case has anyway.
std::vector<Scheme> schemes_at_best(const CaseSurvey &survey);

/// One clock with steps so short that its answer is one to compare with.
Scheme reference_scheme(const CaseSurvey &survey);

/// Nested clocks with steps four times shorter than those of the case.
Scheme nested_reference_scheme(const CaseSurvey &survey);

/// One clock with the longest step that can be trusted, halved a number of times.
/// @param at_best to be compared with schemes_at_best()
Scheme equally_accurate_scheme(const CaseSurvey &survey, double halvings, bool at_best);
} // namespace KickDrift

#endif
