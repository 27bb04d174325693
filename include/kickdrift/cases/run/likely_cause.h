#ifndef KICKDRIFT_CASES_RUN_LIKELY_CAUSE_H
#define KICKDRIFT_CASES_RUN_LIKELY_CAUSE_H

#include <kickdrift/cases/model/model.h>

#include <optional>
#include <string>

namespace KickDrift
{
/**
 * Why a run may have to be stopped, as sentences for the user: only causes for which the model or
 * its state gives a reason. Cells are looked at one by one: a step that is too long in
 * the deformed state, neighbours whose steps resonate (Fong, Darve & Lew 2008; see the theory
 * pages).
 */
template <int dim>
std::string likely_cause(const Model<dim> &model);

/// Why a run cannot go on, as sentences for the user: the force of the kick with this @p id is not
/// finite at this @p time [time].
template <int dim>
std::string cause_of_undefined_force(const Model<dim> &model, unsigned int id, double time);

/// Id of the first cell whose strain energy is not finite.
template <int dim>
std::optional<unsigned int> find_undefined_cell(const Model<dim> &model,
                                                const NodeTable<dim> &synchronised);

/// The parameter that sets time steps, with its value: "'Stepping/Time step ratio' (now 0.5)".
template <int dim>
std::string what_sets_steps(const Model<dim> &model);
} // namespace KickDrift

#endif
