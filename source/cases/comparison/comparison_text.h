#ifndef KICKDRIFT_SOURCE_CASES_COMPARISON_COMPARISON_TEXT_H
#define KICKDRIFT_SOURCE_CASES_COMPARISON_COMPARISON_TEXT_H

#include "comparison_json.h"

#include <ostream>
#include <vector>

namespace KickDrift
{
/// A line about a run that has just ended.
void print_run(const SchemeRuns &runs, std::ostream &out);

/// What mass scaling costs: the difference of probes from those of synchronous_of(), beside that of
/// nested clocks; nothing if there is no such run.
void print_cost_of_scaling(const std::vector<SchemeRuns> &schemes, std::ostream &out);

/// What nested clocks save compared with synchronous_of(), and how near all runs come to the
/// reference.
void print_savings(const std::vector<SchemeRuns> &schemes, const ComparedRun &reference,
                   std::ostream &out);
} // namespace KickDrift

#endif
