#ifndef KICKDRIFT_CASES_PREFLIGHT_CONTACT_PLAN_H
#define KICKDRIFT_CASES_PREFLIGHT_CONTACT_PLAN_H

#include <kickdrift/cases/model/model.h>

#include <iosfwd>

namespace KickDrift
{
/// Print what contact of this case is about to do: how thick
/// penalty layers are, and what may be missed.
template <int dim>
void print_contact_plan(const Model<dim> &model, std::ostream &out);
} // namespace KickDrift

#endif
