#ifndef KICKDRIFT_CASES_PREFLIGHT_PREFLIGHT_H
#define KICKDRIFT_CASES_PREFLIGHT_PREFLIGHT_H

#include <kickdrift/cases/model/model.h>

#include <ostream>
#include <string>

namespace KickDrift
{
/// Critical steps of all cells, before the time step ratio [time].
struct RangeOfCriticalSteps
{
  double smallest = 0; ///< of all cells
  double largest = 0;  ///< of all cells
  double average = 0;  ///< over the cells
};

/// Critical steps of all kicks that have clocks of their own.
template <int dim>
RangeOfCriticalSteps critical_steps(const Model<dim> &model);

/// Print what is about to be run: cells, nodes, steps by class, predicted kicks and work ratio.
template <int dim>
void print_plan(const Model<dim> &model, std::ostream &out);

/// Print what --validate finds: initial penetrations, cells with the smallest steps and what they
/// cost, boundary ids that nothing refers to.
template <int dim>
void print_validation(Model<dim> &model, std::ostream &out);

/**
 * Print what synchronous stepping would need at its best, and the times that a trial lets expect.
 * The model is advanced for it, so this comes last. Returns the sum of it all: whether own steps
 * pay, and how much.
 * @param setup what it took until the model was there [s]
 */
template <int dim>
std::string print_forecast(Model<dim> &model, double setup, std::ostream &out);

/// What every one of @p n_ranks processes would have to do (--ranks).
template <int dim>
void print_division(const Model<dim> &model, unsigned int n_ranks, std::ostream &out);
} // namespace KickDrift

#endif
