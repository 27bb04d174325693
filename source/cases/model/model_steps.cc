// Time steps of a model's cells, and what they are checked for.

#include <kickdrift/base/messages.h>
#include <kickdrift/cases/model/model.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace KickDrift
{
using namespace dealii;

template <int dim>
void
Model<dim>::check_critical_steps() const
{
  double smallest = std::numeric_limits<double>::infinity();
  for (unsigned int id = 0; id < stepper.levels().n_kicks(); ++id)
  {
    const double step = stepper.levels().critical_step(id);
    AssertThrow(step > 0,
                ExcMessage("The critical step of " + cell_text(id) + " is " + number_text(step) +
                           "; it must be above 0. The cell may be extremely thin, or its "
                           "material extremely stiff or light."));
    smallest = std::min(smallest, step);
  }
  AssertThrow(std::isfinite(smallest),
              ExcMessage("The critical step of all cells is infinite, the first of which is " +
                         cell_text(0) +
                         ". Their materials may have no stiffness, or be extremely heavy."));
}

template <int dim>
void
Model<dim>::check_time_step() const
{
  unsigned int smallest = 0;
  for (unsigned int id = 0; id < stepper.levels().n_kicks(); ++id)
    if (stepper.levels().critical_step(id) < stepper.levels().critical_step(smallest))
      smallest = id;
  const double step = parameters.stepping.stepper.time_step;
  if (step <= stepper.levels().critical_step(smallest))
    return;
  const double limit = largest_stable_step().step;
  AssertThrow(step <= limit, ExcMessage("'Stepping/Time step' cannot be " + number_text(step) +
                                        ": the critical step of " + cell_text(smallest) + " is " +
                                        number_text(stepper.levels().critical_step(smallest)) +
                                        ", and the largest stable step of the whole model " +
                                        number_text(limit) + "."));
}

template <int dim>
StabilityLimit
Model<dim>::largest_stable_step(const NodeTable<dim> &with_masses) const
{
  if (!any_deforms())
    return {stepper.levels().smallest_critical_step(), true, 0};
  const StabilityLimit limit = stepper.largest_stable_step(with_masses);
  // one that has not converged may be too long by any amount
  return limit.has_converged
             ? limit
             : StabilityLimit{stepper.levels().smallest_critical_step(), false, limit.iterations};
}

template <int dim>
unsigned int
Model<dim>::id_of_cell(const MeshedBody<dim> &body, const unsigned int active_cell_index) const
{
  return body.shell ? body.shell->moving->id_of_cell(active_cell_index)
                    : body.moving->id_of_cell(active_cell_index);
}

template <int dim>
double
Model<dim>::step_of_cell(const MeshedBody<dim> &meshed, const unsigned int active_cell_index) const
{
  double step = stepper.levels().step(id_of_cell(meshed, active_cell_index));
  if (meshed.shell)
    return step;
  Body<dim> &body = *meshed.body;
  if (body.nodal_kicks().empty())
    return step;
  const unsigned int family = body.nodal_family_of_cell(active_cell_index);
  const unsigned int first = meshed.moving->first_ids()[body.kicks().size() + family];
  for (const unsigned int node : body.nodes_of_cell(body.cell(active_cell_index)))
    step = std::min(step,
                    stepper.levels().step(first + body.nodal_kicks()[family]->kick_of_node(node)));
  return step;
}

template class Model<2>;
template class Model<3>;
} // namespace KickDrift
