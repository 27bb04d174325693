#include <kickdrift/cases/model/model.h>
#include <kickdrift/cases/parameters/case_input.h>
#include <kickdrift/cases/preflight/preflight.h>

#include "case_survey.h"

#include <cmath>

namespace KickDrift
{
using namespace dealii;

namespace
{
/// Classes of the histogram per factor of two.
constexpr double classes_per_octave = 4;

template <int dim>
JsonObject
critical_steps_json(const Model<dim> &model)
{
  const RangeOfCriticalSteps steps = critical_steps(model);
  // An edge that many equal steps lie on should not divide them by round-off.
  const auto class_of = [&](const double step) {
    return static_cast<unsigned int>(classes_per_octave * std::log2(step / steps.smallest) + 0.01);
  };
  std::vector<double> counts(class_of(steps.largest) + 1), edges(counts.size() + 1);
  for (unsigned int id = 0; id < model.stepper.levels().n_kicks(); ++id)
    ++counts[class_of(model.stepper.levels().critical_step(id))];
  for (unsigned int i = 0; i < edges.size(); ++i)
    edges[i] = steps.smallest * std::exp2(i / classes_per_octave);
  return JsonObject()
      .set("smallest", steps.smallest)
      .set("largest", steps.largest)
      .set("average", steps.average)
      .set("edges", edges)
      .set("counts", counts);
}

template <int dim>
CaseSurvey
survey(const std::vector<Assignment> &assignments, const CaseOutline &outline)
{
  const CaseParameters<dim> parameters = CaseInput<dim>(assignments, outline).parse();
  Model<dim> model(parameters);
  model.dynamics.check_initial_overlap();

  CaseSurvey result;
  result.output_folder = parameters.output.folder;
  result.has_contact = parameters.contact.enabled;
  result.knows_coupled_contact = result.has_contact && model.nodes.rigid_bodies.empty() &&
                                 !model.contact->surface().has_shells() &&
                                 !model.dynamics.has_eroding_surface();
  result.has_synchronous_schedule = parameters.contact.schedule == Schedule::synchronous;
  result.has_probes = !parameters.probes.empty();
  result.time_step_ratio = parameters.stepping.stepper.time_step_ratio;
  const StabilityLimit limit = model.largest_stable_step();
  result.largest_stable_step = limit.step;
  result.scaled = scaled_synchronous(model, limit.step);
  result.properties.set("cells", model.n_cells())
      .set("nodes", model.nodes.size())
      .set("end_time", parameters.stepping.end_time)
      .set("time_step_ratio", parameters.stepping.stepper.time_step_ratio)
      .set("energy_limit", parameters.stepping.energy_limit)
      .set("largest_stable_step", result.largest_stable_step)
      .set("largest_stable_step_has_converged", limit.has_converged)
      .set("critical_steps", critical_steps_json(model));
  if (result.scaled)
    result.properties.set("mass_scaling",
                          JsonObject()
                              .set("step", result.scaled->step)
                              .set("critical_step", result.scaled->scaling.critical_step)
                              .set("nodes", result.scaled->scaling.n_nodes)
                              .set("added_share", result.scaled->scaling.share()));
  return result;
}
} // namespace

CaseSurvey
survey_case(std::vector<Assignment> assignments)
{
  for (const auto &[parameter, value] :
       {std::pair<const char *, const char *>{"Stepping/Clocks", "nested"},
        {"Stepping/Time step", "0"},
        {"Contact/Reference/Solver", "sequential"},
        {"Contact/Reference/Projection", "false"}})
    assignments.push_back({parameter, value, "--compare"});
  const CaseOutline outline = read_outline(assignments);
  return outline.dimension == 2 ? survey<2>(assignments, outline) : survey<3>(assignments, outline);
}
} // namespace KickDrift
