#define KICKDRIFT_ISA avx512
#include "kernels.h"

const KickDrift::CellKernels::KernelSet KickDrift::CellKernels::avx512::kernels = {"avx512", &drift,
                                                                                   &find_kernel};
