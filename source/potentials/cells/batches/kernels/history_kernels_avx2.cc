#define KICKDRIFT_ISA avx2
#include "history_kernels.h"

const KickDrift::CellKernels::HistoryKernelSet KickDrift::CellKernels::avx2::history_kernels = {
    &find_history_kernel};
