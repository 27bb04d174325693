#define KICKDRIFT_ISA avx2
#include "shell_kernels.h"

const KickDrift::CellKernels::ShellKernelSet KickDrift::CellKernels::avx2::shell_kernels = {
    &find_shell_kernel};
