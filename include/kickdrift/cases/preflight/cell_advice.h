#ifndef KICKDRIFT_CASES_PREFLIGHT_CELL_ADVICE_H
#define KICKDRIFT_CASES_PREFLIGHT_CELL_ADVICE_H

#include <kickdrift/cases/model/model.h>

#include <ostream>

namespace KickDrift
{
/// Notes about bodies whose cells, or whose contact, do not suit their material: cells that lock,
/// and restitution of what flows.
template <int dim>
void print_cell_advice(const Model<dim> &model, std::ostream &out);
} // namespace KickDrift

#endif
