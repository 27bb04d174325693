#ifndef KICKDRIFT_SOURCE_POTENTIALS_CELLS_HISTORY_DATA_H
#define KICKDRIFT_SOURCE_POTENTIALS_CELLS_HISTORY_DATA_H

#include "batches/kernels/cell_kernels.h"

#include <kickdrift/potentials/materials/history_material.h>

namespace KickDrift
{
/// What the kernels with history need to know of a material; of one without they see a law without
/// state.
template <int dim>
CellKernels::HistoryData history_data(const Material<dim> &material);

/// The law of the kernels with history that computes the same as a material.
template <int dim>
CellKernels::HistoryLaw history_law_of(const Material<dim> &material);
} // namespace KickDrift

#endif
