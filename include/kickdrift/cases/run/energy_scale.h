#ifndef KICKDRIFT_CASES_RUN_ENERGY_SCALE_H
#define KICKDRIFT_CASES_RUN_ENERGY_SCALE_H

#include <kickdrift/cases/model/model.h>

namespace KickDrift
{
/**
 * An energy below which nothing matters in the whole run [energy]: what the loads at their largest
 * do to a stocky body, and the kinetic energy of nodes in prescribed motion at its fastest.
 *
 * A bar under its weight F, with the mass m and the transit time T = L/c of waves, has the strain
 * energy F^2 T^2 / (6 m). T is taken as two average critical steps per cell across the body,
 * F as the sum of the norms of all nodal loads on it. What bends, or is loaded at a point,
 * gets more than that. Loads and motions are looked at in samples of times, cells and nodes, so
 * that it takes no time worth mentioning.
 */
template <int dim>
double energy_scale(const Model<dim> &model);
} // namespace KickDrift

#endif
