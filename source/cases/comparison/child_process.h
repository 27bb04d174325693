#ifndef KICKDRIFT_SOURCE_CASES_COMPARISON_CHILD_PROCESS_H
#define KICKDRIFT_SOURCE_CASES_COMPARISON_CHILD_PROCESS_H

#include <string>
#include <vector>

namespace KickDrift
{
/**
 * Run this very program with other arguments in a process of its own, and wait for it. What it
 * prints goes to the file @p log.
 *
 * @return its exit status; 128 + n if signal n ended it
 * Throws dealii::ExceptionBase if it cannot be started.
 */
int run_in_child(const std::vector<std::string> &arguments, const std::string &log);
} // namespace KickDrift

#endif
