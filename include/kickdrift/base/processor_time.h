#ifndef KICKDRIFT_BASE_PROCESSOR_TIME_H
#define KICKDRIFT_BASE_PROCESSOR_TIME_H

#include <ctime>

namespace KickDrift
{
/**
 * Processor time of the present thread so far [s]: on a machine that has other things to do, too,
 * its waiting for a turn is not counted. To ask takes about a microsecond.
 */
inline double
processor_time_of_thread()
{
  std::timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}
} // namespace KickDrift

#endif
