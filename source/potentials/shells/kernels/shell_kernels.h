#ifndef KICKDRIFT_SOURCE_POTENTIALS_SHELLS_KERNELS_SHELL_KERNELS_H
#define KICKDRIFT_SOURCE_POTENTIALS_SHELLS_KERNELS_SHELL_KERNELS_H

// Definition of the kernels of shells of one instruction set, as kernels.h is that of cells.

#include "../../cells/batches/kernels/pack_kernels.h"
#include "shell_cells.h"
#include "shell_kernel_set.h"

namespace KickDrift
{
namespace CellKernels
{
namespace KICKDRIFT_ISA
{
inline Kernel
find_shell_kernel(const ShellKernel kind)
{
  switch (kind)
  {
  case ShellKernel::hinge:
    return make_kernel<HingeCell<1>, OfCell, 3>();
  case ShellKernel::three_hinges:
    return make_kernel<HingeCell<3>, OfCell, 3>();
  case ShellKernel::loop:
    return make_kernel<LoopCell<loop_nodes>, OfCell, 3>();
  case ShellKernel::wide_loop:
    return make_kernel<LoopCell<wide_loop_nodes>, OfCell, 3>();
  case ShellKernel::membrane:
    break;
  }
  return make_kernel<MembraneCell, OfCell, 3>();
}
} // namespace KICKDRIFT_ISA
} // namespace CellKernels
} // namespace KickDrift

#endif
