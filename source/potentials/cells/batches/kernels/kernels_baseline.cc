#define KICKDRIFT_ISA baseline
#include "kernels.h"

// What every machine of this architecture can run.
#ifdef __SSE2__
#define KICKDRIFT_ISA_NAME "sse2"
#else
#define KICKDRIFT_ISA_NAME "baseline"
#endif

const KickDrift::CellKernels::KernelSet KickDrift::CellKernels::baseline::kernels = {
    KICKDRIFT_ISA_NAME, &drift, &find_kernel};
