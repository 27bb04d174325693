#define KICKDRIFT_ISA avx2
#include "kernels.h"

const KickDrift::CellKernels::KernelSet KickDrift::CellKernels::avx2::kernels = {"avx2", &drift,
                                                                                 &find_kernel};
