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
} // namespace KickDrift

#endif
