#ifndef KICKDRIFT_CASES_PREFLIGHT_RIGID_REPORT_H
#define KICKDRIFT_CASES_PREFLIGHT_RIGID_REPORT_H

#include <kickdrift/cases/model/model.h>
#include <kickdrift/output/json.h>

#include <string>
#include <vector>

namespace KickDrift
{
/// "; rigid, mass 2, centre (0, 0, 1), moments of inertia 3, 2, 1", or nothing for a body that
/// deforms.
template <int dim>
std::string rigid_text(const Model<dim> &model, const MeshedBody<dim> &body);

/// The same of all rigid bodies: name, mass, centre, inertia by its components (in the plane one;
/// in space xx, yy, zz, xy, xz, yz) in the reference state.
template <int dim>
std::vector<JsonObject> rigid_json(const Model<dim> &model);
} // namespace KickDrift

#endif
