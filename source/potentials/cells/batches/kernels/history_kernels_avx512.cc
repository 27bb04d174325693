#define KICKDRIFT_ISA avx512
#include "history_kernels.h"

const KickDrift::CellKernels::HistoryKernelSet KickDrift::CellKernels::avx512::history_kernels = {
    &find_history_kernel};
