#define KICKDRIFT_ISA baseline
#include "history_kernels.h"

const KickDrift::CellKernels::HistoryKernelSet KickDrift::CellKernels::baseline::history_kernels = {
    &find_history_kernel};
