#ifndef KICKDRIFT_CASES_PARAMETERS_SHARED_LIBRARIES_H
#define KICKDRIFT_CASES_PARAMETERS_SHARED_LIBRARIES_H

#include <kickdrift/cases/input/parameter_file.h>

#include <vector>

namespace KickDrift
{
/**
 * Load the plugins that the last of the @p assignments to 'Additional shared libraries' names, and
 * let them register what they bring; those that are loaded already are left alone. They stay until
 * the process ends. Nothing of a library that was built for another KickDrift, or is no plugin, is
 * run.
 *
 * Throws dealii::ExceptionBase naming the library and what is wrong with it.
 */
void load_shared_libraries(const std::vector<Assignment> &assignments);
} // namespace KickDrift

#endif
