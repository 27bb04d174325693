#ifndef KICKDRIFT_OUTPUT_MACHINE_H
#define KICKDRIFT_OUTPUT_MACHINE_H

#include <kickdrift/output/json.h>

namespace KickDrift
{
/**
 * What times of runs depend on: `processor`, `cores`, `load_average` (of the last minute),
 * `instruction_set` of the kernels, `compiler`, `flavour` (Release, Debug), `KickDrift`, `deal.II`.
 */
JsonObject machine();
} // namespace KickDrift

#endif
