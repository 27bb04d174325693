#define KICKDRIFT_ISA baseline
#include "kernels.h"

const KickDrift::FaceKernels::KernelSet KickDrift::FaceKernels::baseline::kernels = {
#ifdef KICKDRIFT_X86_KERNELS
    "sse2",
#else
    "baseline",
#endif
    &project<2, Segments>, &project<3, Triangles>, &project<3, Quadrilaterals>};
