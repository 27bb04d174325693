#ifndef KICKDRIFT_CASES_RUN_UNTOUCHED_H
#define KICKDRIFT_CASES_RUN_UNTOUCHED_H

#include <kickdrift/cases/model/model.h>

#include <string>

namespace KickDrift
{
/// A sentence on obstacles that nothing has touched so far, with their distances at present, or
/// that no body has touched another one; empty if there is nothing to say.
template <int dim>
std::string text_of_untouched(const Model<dim> &model);
} // namespace KickDrift

#endif
