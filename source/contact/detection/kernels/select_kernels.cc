#include "face_projection.h"

#include <cstdlib>
#include <string>

namespace KickDrift
{
namespace FaceKernels
{
const KernelSet &
select_kernels()
{
#ifdef KICKDRIFT_X86_KERNELS
  const char *const wanted = std::getenv("KICKDRIFT_ISA");
  const bool wants_baseline = wanted && std::string(wanted) == baseline::kernels.name;
  if (!wants_baseline && __builtin_cpu_supports("avx2"))
    return avx2::kernels;
#endif
  return baseline::kernels;
}
} // namespace FaceKernels
} // namespace KickDrift
