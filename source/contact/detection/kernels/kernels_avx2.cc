#define KICKDRIFT_ISA avx2
#include "kernels.h"

const KickDrift::FaceKernels::KernelSet KickDrift::FaceKernels::avx2::kernels = {
    "avx2", &project<2, Segments>, &project<3, Triangles>, &project<3, Quadrilaterals>};
