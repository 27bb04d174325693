#include <kickdrift/base/memory.h>
#include <kickdrift/base/messages.h>

#include <deal.II/base/exceptions.h>

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
throw_out_of_memory(const std::string &what)
{
  throw dealii::ExcMessage("There is not enough memory for " + what + "; this process can have " +
                           number_text(1e-9 * available_memory(), 3) + " GB at most.");
}

void
return_freed_memory()
{
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}
} // namespace KickDrift
