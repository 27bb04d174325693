#ifndef KICKDRIFT_BASE_MEMORY_H
#define KICKDRIFT_BASE_MEMORY_H

namespace KickDrift
{
/// Memory that this process can have at most [bytes]: that of the machine, or less if the user has
/// set a limit (`ulimit -v`, `ulimit -m`).
double available_memory();
} // namespace KickDrift

#endif
