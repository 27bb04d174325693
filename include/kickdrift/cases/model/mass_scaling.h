#ifndef KICKDRIFT_CASES_MODEL_MASS_SCALING_H
#define KICKDRIFT_CASES_MODEL_MASS_SCALING_H

#include <kickdrift/cases/model/model.h>

#include <iosfwd>
#include <vector>

namespace KickDrift
{
/**
 * What the usual way out of short steps would cost: nodes that are made heavier, until synchronous
 * steps may be as long as wanted, change the inertia of the model.
 */
struct MassScaling
{
  unsigned int n_nodes = 0;  ///< that would have to be heavier
  std::vector<double> mass;  ///< by body, as it is [mass]
  std::vector<double> added; ///< by body [mass]
};

/**
 * The mass to add so that synchronous steps may have this length: an estimate.
 *
 * A node of mass m bears steps of h = 2 sqrt(m/w), with the sum w of the stiffness_weights() of all
 * its kicks. The model as a whole bears longer ones; all h are taken to be too short by the same
 * factor, longest/h_min. A node gets m ((h_min/longest * step/h)^2 - 1), if that is positive.
 * @param step that is wanted [time]
 * @param longest synchronous step as the masses are [time]
 */
template <int dim>
MassScaling mass_scaling(const Model<dim> &model, double step, double longest);

/// Print what it would take for as few synchronous kicks as ours are.
/// @param limit the largest stable synchronous step as the masses are [time]
template <int dim>
void print_mass_scaling(const Model<dim> &model, double limit, std::ostream &out);
} // namespace KickDrift

#endif
