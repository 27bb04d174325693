#define KICKDRIFT_ISA baseline
#include "shell_kernels.h"

const KickDrift::CellKernels::ShellKernelSet KickDrift::CellKernels::baseline::shell_kernels = {
    &find_shell_kernel};
