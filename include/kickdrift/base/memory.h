#ifndef KICKDRIFT_BASE_MEMORY_H
#define KICKDRIFT_BASE_MEMORY_H

namespace KickDrift
{
/// Memory that this process can have at most [bytes]: that of the machine, or less if the user has
/// set a limit (`ulimit -v`, `ulimit -m`).
double available_memory();

/// Give memory that has been freed back to the system, where the C library can (glibc). After large
/// things have gone: small ones that lie between them would keep it for the process.
void return_freed_memory();
} // namespace KickDrift

#endif
