#ifndef KICKDRIFT_CASES_MODEL_MASS_SCALING_H
#define KICKDRIFT_CASES_MODEL_MASS_SCALING_H

#include <kickdrift/cases/model/model.h>

#include <iosfwd>
#include <vector>

namespace KickDrift
{
/**
 * What the usual way out of short steps would cost: cells that are made heavier, until synchronous
 * steps may be as long as wanted, change the inertia of the model.
 */
struct MassScaling
{
  double step = 0;           ///< that synchronous stepping would take [time]
  unsigned int n_cells = 0;  ///< that would have to be heavier
  std::vector<double> mass;  ///< by body, as it is; 0 for shells, which are left out [mass]
  std::vector<double> added; ///< by body [mass]
};

/**
 * The mass to add for synchronous steps of this length. A cell with critical step h whose mass is m
 * gets m ((share * step/h)^2 - 1), as critical steps grow with the square root of mass; @p share is
 * by how much critical steps of cells are shorter than the share of the exact limit that is taken.
 */
template <int dim>
MassScaling mass_scaling(const Model<dim> &model, double step, double share);

/// Print what it would take for as few synchronous kicks as ours are.
/// @param limit the largest stable synchronous step as the masses are [time]
template <int dim>
void print_mass_scaling(const Model<dim> &model, double limit, std::ostream &out);
} // namespace KickDrift

#endif
