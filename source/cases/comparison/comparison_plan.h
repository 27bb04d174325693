#ifndef KICKDRIFT_CASES_COMPARISON_PLAN_H
#define KICKDRIFT_CASES_COMPARISON_PLAN_H

#include <kickdrift/cases/input/command_line.h>
#include <kickdrift/cases/input/parameter_file.h>

#include "case_survey.h"

#include <string>
#include <vector>

namespace KickDrift
{
/// The runs of the case for one value of the swept constant.
struct SweepPoint
{
  std::string value;                   ///< empty without sweep
  std::vector<Assignment> assignments; ///< of the command line and the sweep
  CaseSurvey survey;
};

/// "n" of "n=2,4,8".
std::string swept_constant(const std::string &sweep);

/// Everything that a comparison runs, looked at before the first run. Throws dealii::ExceptionBase
/// for a sweep that is none, naming it.
std::vector<SweepPoint> plan(const CommandLine &command_line,
                             const std::vector<Assignment> &assignments);
} // namespace KickDrift

#endif
