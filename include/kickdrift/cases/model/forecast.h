#ifndef KICKDRIFT_CASES_MODEL_FORECAST_H
#define KICKDRIFT_CASES_MODEL_FORECAST_H

#include <kickdrift/cases/model/model.h>

namespace KickDrift
{
/// Estimate of what a run will write, without checkpoints: pictures exactly, tables roughly
/// [bytes].
template <int dim>
double size_of_results(const Model<dim> &model);

/// Wall time of the predicted kicks, by that of two snapshots, in which all cells are kicked, too
/// [s].
template <int dim>
double time_of_kicks(const Model<dim> &model);
} // namespace KickDrift

#endif
