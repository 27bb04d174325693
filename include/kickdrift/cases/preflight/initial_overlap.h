#ifndef KICKDRIFT_CASES_PREFLIGHT_INITIAL_OVERLAP_H
#define KICKDRIFT_CASES_PREFLIGHT_INITIAL_OVERLAP_H

#include <kickdrift/cases/model/model.h>

#include <ostream>

namespace KickDrift
{
/// Print where bodies overlap at the start, where shells cross, and what is too near for penalty
/// layers.
template <int dim>
void print_initial_overlap(Model<dim> &model, std::ostream &out);

/**
 * Throw dealii::ExceptionBase, telling how deep and where, if bodies overlap at the start by more
 * than 1e-6 of the size of a face, or if shells cross, and this is not allowed.
 */
template <int dim>
void check_initial_overlap(Model<dim> &model);
} // namespace KickDrift

#endif
