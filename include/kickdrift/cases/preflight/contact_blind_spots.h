#ifndef KICKDRIFT_CASES_PREFLIGHT_CONTACT_BLIND_SPOTS_H
#define KICKDRIFT_CASES_PREFLIGHT_CONTACT_BLIND_SPOTS_H

#include <kickdrift/cases/model/model.h>

#include <string>
#include <vector>

namespace KickDrift
{
/**
 * What contact of this case may miss without a trace, a sentence each: obstacles that fit between
 * the nodes of the faces that could hit them, and bodies or obstacles thinner than the way that
 * nodes go between two tests, with the velocities of the start. Empty without contact.
 */
template <int dim>
std::vector<std::string> contact_blind_spots(const Model<dim> &model);
} // namespace KickDrift

#endif
