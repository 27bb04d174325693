#ifndef KICKDRIFT_CASES_MODEL_MASS_SCALING_H
#define KICKDRIFT_CASES_MODEL_MASS_SCALING_H

#include <kickdrift/output/json.h>

#include <iosfwd>
#include <optional>
#include <vector>

namespace KickDrift
{
template <int dim>
class Model;

/// Mass that is added to nodes so that critical steps are long enough: the usual way out of short
/// steps, which changes the inertia of the model.
struct MassScaling
{
  double critical_step = 0;  ///< that all reach; 0: nothing is scaled [time]
  unsigned int n_nodes = 0;  ///< that are heavier
  std::vector<double> mass;  ///< by body, without what is added [mass]
  std::vector<double> added; ///< by body [mass]

  /// Of all bodies, as a share of the mass without it.
  double share() const;
};

/**
 * Scale the masses of a model as the section 'Mass scaling' of its parameters says. Throws
 * dealii::ExceptionBase, naming the parameter, if it cannot be done.
 */
template <int dim>
MassScaling scale_masses(Model<dim> &model);

/// Synchronous stepping with as few kicks as the clocks of a model give, by mass scaling.
struct ScaledSynchronous
{
  double step;         ///< share_of_stable_step of the largest stable one, about [time]
  MassScaling scaling; ///< that makes it stable
};

/**
 * How synchronous stepping would get by with as few kicks as the model has, whose mean step it
 * would have to take then. Critical steps of the kicks are what masses_for_steps() scales to; the
 * model as a whole bears longer ones, so they are looked for with which it bears no longer ones
 * than needed.
 * @param limit largest_stable_step() as the masses are [time]
 * @return nothing if synchronous steps are as long as that anyway, or masses are scaled already, or
 * critical steps are those of own masses
 */
template <int dim>
std::optional<ScaledSynchronous> scaled_synchronous(const Model<dim> &model, double limit);

/// Print what scaled_synchronous() says.
template <int dim>
void print_scaled_synchronous(const Model<dim> &model, double limit, std::ostream &out);

/// Print what has been added to which bodies, if anything has.
template <int dim>
void print_mass_scaling(const Model<dim> &model, std::ostream &out);

/// The same for summary.json: `critical_step`, `nodes`, `mass`, `added_mass`, and a list `bodies`
/// of those that are heavier, with `body`, `mass` and `added_mass`.
template <int dim>
JsonObject mass_scaling_json(const Model<dim> &model);
} // namespace KickDrift

#endif
