#ifndef KICKDRIFT_CASES_MODEL_FORECAST_H
#define KICKDRIFT_CASES_MODEL_FORECAST_H

#include <kickdrift/cases/model/model.h>

namespace KickDrift
{
/// Share of the largest stable step that synchronous stepping can use at its best: the limit is an
/// estimate, and contact disturbs.
constexpr double share_of_stable_step = 0.95;

/// Estimate of what a run will write, without checkpoints: pictures exactly, tables roughly
/// [bytes].
template <int dim>
double size_of_results(const Model<dim> &model);

/// Times of kicks, measured on a copy of the nodes, which are kicked in the order of a run. On a
/// machine that is busy these are those of an idle one.
struct KickTimes
{
  double per_time = 0; ///< of all that come in a unit of time, over that unit [s/time]
  double all_once = 0; ///< of every kick once, as in a synchronous step [s]
};

/// Measure them; takes some hundredths of a second, or as long as two kicks of every cell.
template <int dim>
KickTimes measure_kicks(const Model<dim> &model);

/// Times that a run is expected to take on a machine that has nothing else to do [s].
struct TimeForecast
{
  double trial_end = 0;      ///< when the trial ended that the forecast is based on [time]
  double kicks = 0;          ///< without contact
  double contact = 0;        ///< as dear as in the trial; what touches later comes on top
  double contact_of_all = 0; ///< about, if all nodes of the surface touched something all the time
  unsigned int n_touching = 0; ///< nodes that touched something at the end of the trial
  double output = 0;           ///< at save times
  double synchronous = 0;      ///< all of it with one step for all, 0.95 of the largest stable one
};

/**
 * Advance the @p model for half a second up to three, and extrapolate. Throws what
 * Stepper::advance_to() does.
 * @param largest_stable_step see Model [time]
 */
template <int dim>
TimeForecast forecast_by_trial(Model<dim> &model, double largest_stable_step);
} // namespace KickDrift

#endif
