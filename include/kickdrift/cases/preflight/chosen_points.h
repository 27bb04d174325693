#ifndef KICKDRIFT_CASES_PREFLIGHT_CHOSEN_POINTS_H
#define KICKDRIFT_CASES_PREFLIGHT_CHOSEN_POINTS_H

#include <kickdrift/cases/model/model.h>

#include <iosfwd>

namespace KickDrift
{
/// Warn of parameters 'Point' that are further from the node that they choose than a cell is large.
template <int dim>
void warn_of_far_points(const Model<dim> &model, std::ostream &out);

/// Print which nodes parameters 'Point' have chosen, those first that are furthest from them.
template <int dim>
void print_chosen_points(const Model<dim> &model, std::ostream &out);
} // namespace KickDrift

#endif
