#include "shell_kernel_set.h"

namespace KickDrift
{
namespace CellKernels
{
const ShellKernelSet &
select_shell_kernels()
{
#ifdef KICKDRIFT_X86_KERNELS
  const KernelSet &of_cells = select_kernels();
  if (&of_cells == &avx512::kernels)
    return avx512::shell_kernels;
  if (&of_cells == &avx2::kernels)
    return avx2::shell_kernels;
#endif
  return baseline::shell_kernels;
}
} // namespace CellKernels
} // namespace KickDrift
