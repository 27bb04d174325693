#define KICKDRIFT_ISA avx512
#include "shell_kernels.h"

const KickDrift::CellKernels::ShellKernelSet KickDrift::CellKernels::avx512::shell_kernels = {
    &find_shell_kernel};
