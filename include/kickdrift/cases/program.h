#ifndef KICKDRIFT_CASES_PROGRAM_H
#define KICKDRIFT_CASES_PROGRAM_H

#include <ostream>
#include <string>
#include <vector>

namespace KickDrift
{
/**
 * The program `kickdrift`. Never throws.
 *
 * @param arguments without the program's name
 * @return exit status: 0 done, 2 something wrong was found before the first kick, 1 after it
 */
int run_program(const std::vector<std::string> &arguments, std::ostream &out, std::ostream &error);
} // namespace KickDrift

#endif
