#include <kickdrift/base/memory.h>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#ifdef __GLIBC__ // of features.h, which the others include
#include <malloc.h>
#endif

namespace KickDrift
{
double
available_memory()
{
  double bytes = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
  for (const auto resource : {RLIMIT_AS, RLIMIT_RSS})
  {
    struct rlimit limit;
    if (getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
      bytes = std::min(bytes, double(limit.rlim_cur));
  }
  return bytes;
}

void
return_freed_memory()
{
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}
} // namespace KickDrift
