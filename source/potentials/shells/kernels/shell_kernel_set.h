#ifndef KICKDRIFT_SOURCE_POTENTIALS_SHELLS_KERNELS_SHELL_KERNEL_SET_H
#define KICKDRIFT_SOURCE_POTENTIALS_SHELLS_KERNELS_SHELL_KERNEL_SET_H

// As cell_kernels.h only plain data: shared between instruction sets.

#include "../../cells/batches/kernels/cell_kernels.h"

namespace KickDrift
{
namespace CellKernels
{
/// Kicks of shells; what they store is said in shell_cells.h.
enum class ShellKernel
{
  membrane,     ///< 3 nodes
  hinge,        ///< 4 nodes
  three_hinges, ///< 6 nodes
  loop,         ///< loop_nodes
  wide_loop     ///< wide_loop_nodes
};

/// Nodes of a triangle of a Loop surface whose corners have six neighbours.
constexpr unsigned int loop_nodes = 12;
/// As many as PartOfPack has room for.
constexpr unsigned int wide_loop_nodes = 16;

/// Kernels of shells, compiled for one instruction set. Their cells have laws of their own: LawData
/// is not looked at.
struct ShellKernelSet
{
  Kernel (*kernel)(ShellKernel kind);
};

namespace baseline
{
extern const ShellKernelSet shell_kernels;
} // namespace baseline
namespace avx2
{
extern const ShellKernelSet shell_kernels;
} // namespace avx2
namespace avx512
{
extern const ShellKernelSet shell_kernels;
} // namespace avx512

/// Those of the instruction set of select_kernels(), which is asked and may throw.
const ShellKernelSet &select_shell_kernels();
} // namespace CellKernels
} // namespace KickDrift

#endif
