#ifndef KICKDRIFT_CASES_COMPARISON_COMPARISON_H
#define KICKDRIFT_CASES_COMPARISON_COMPARISON_H

#include <kickdrift/cases/input/command_line.h>

#include <ostream>

namespace KickDrift
{
/**
 * kickdrift --compare: run a case with every scheme of time stepping, with and without contact, one
 * run after the other in processes of their own, and write `comparison.json` and `comparison.html`.
 *
 * @param assignments all of the case: of its file and of the command line
 * @return exit status: 0 done; 1 a run failed. That a run with a clock per cell is refused or stops
 * at the energy limit is a result. Throws dealii::ExceptionBase for whatever is wrong before the
 * first kick of the first run.
 */
int compare_schemes(const CommandLine &command_line, const std::vector<Assignment> &assignments,
                    std::ostream &out, std::ostream &error);
} // namespace KickDrift

#endif
