#ifndef KICKDRIFT_OUTPUT_MACHINE_H
#define KICKDRIFT_OUTPUT_MACHINE_H

#include <kickdrift/output/json.h>

#include <string>

namespace KickDrift
{
/**
 * What times of runs depend on: `processor`, `cores`, `load_average` (of the last minute),
 * `instruction_set` of the kernels, `compiler`, `flavour` (Release, Debug), `KickDrift`, `deal.II`.
 */
JsonObject machine();

/// Name and version of the program, and what it was built with: "KickDrift 0.1.0 (Release), deal.II
/// 9.4.1, GCC 12.2.0".
std::string program_version();
} // namespace KickDrift

#endif
