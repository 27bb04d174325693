#include <kickdrift/base/messages.h>
#include <kickdrift/cases/model/forecast.h>
#include <kickdrift/cases/model/mass_scaling.h>
#include <kickdrift/cases/model/model.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ostream>

namespace KickDrift
{
using namespace dealii;

namespace
{
// Bodies that are named one by one.
constexpr unsigned int n_listed = 5;
// Less is not worth any mass.
constexpr double worthwhile = 1.05;
// The step that scaled masses bear is found to this, and is at least what is wanted.
constexpr double step_tolerance = 0.005;
constexpr unsigned int max_rounds = 6;

std::string
percent_text(const double share)
{
  return number_text(100 * share, 3) + " %";
}

template <int dim>
std::vector<double>
node_masses(const NodeTable<dim> &nodes)
{
  std::vector<double> masses(nodes.size());
  for (unsigned int node = 0; node < nodes.size(); ++node)
    masses[node] = nodes.mass(node);
  return masses;
}

/// What bodies have of it.
template <int dim>
MassScaling
difference(const Model<dim> &model, const double critical_step, const std::vector<double> &before,
           const std::vector<double> &after)
{
  MassScaling result;
  result.critical_step = critical_step;
  for (const auto &body : model.bodies)
  {
    double mass = 0, added = 0;
    for (unsigned int node = body.first_node(); node < body.first_node() + body.n_nodes(); ++node)
    {
      mass += before[node];
      added += after[node] - before[node];
      result.n_nodes += after[node] > before[node];
    }
    result.mass.push_back(mass);
    result.added.push_back(added);
  }
  return result;
}

/// ": 'left' 12 %, 'right' 1 %, ..." of those that are heavier, or nothing if there is one body.
template <int dim>
std::string
by_body(const Model<dim> &model, const MassScaling &scaling)
{
  std::string text;
  unsigned int n = 0;
  for (unsigned int b = 0; b < model.bodies.size() && model.bodies.size() > 1; ++b)
    if (scaling.added[b] > 0 && n++ < n_listed)
      text += (n == 1 ? ": '" : ", '") + model.bodies[b].name() + "' " +
              percent_text(scaling.added[b] / scaling.mass[b]);
  return text + (n > n_listed ? ", ..." : "");
}
} // namespace

double
MassScaling::share() const
{
  return std::accumulate(added.begin(), added.end(), 0.) /
         std::accumulate(mass.begin(), mass.end(), 0.);
}

template <int dim>
MassScaling
scale_masses(Model<dim> &model)
{
  const auto &parameters = model.parameters.mass_scaling;
  if (parameters.critical_step == 0)
    return {};
  AssertThrow(model.parameters.stepping.stepper.mass_for_steps == MassForSteps::shared,
              ExcMessage("'Mass scaling/Critical step' needs 'Stepping/Mass for steps' = shared: "
                         "what is added to nodes belongs to no cell."));
  std::vector<unsigned int> nodes;
  for (const unsigned int b : parameters.bodies)
    AssertThrow(!model.bodies[b].is_rigid(),
                ExcMessage("'Mass scaling/Bodies': body '" + model.bodies[b].name() +
                           "' is rigid; name the others. 'Rigid critical step' sets its step."));
  for (const unsigned int b : parameters.bodies)
    for (unsigned int i = 0; i < model.bodies[b].n_nodes(); ++i)
      nodes.push_back(model.bodies[b].first_node() + i);
  const auto before = node_masses(model.nodes);
  model.stepper.scale_masses(parameters.critical_step, nodes);
  return difference(model, parameters.critical_step, before, node_masses(model.nodes));
}

template <int dim>
std::optional<ScaledSynchronous>
scaled_synchronous(const Model<dim> &model, const double limit)
{
  const TimeLevels &levels = model.stepper.levels();
  const double step = levels.n_kicks() / levels.kick_rates().first;
  const auto before = node_masses(model.nodes);
  if (step < worthwhile * share_of_stable_step * limit || !model.any_deforms() ||
      model.mass_scaling.critical_step > 0 ||
      *std::min_element(before.begin(), before.end()) == 0 ||
      model.parameters.stepping.stepper.mass_for_steps == MassForSteps::own)
    return {};
  const double wanted = step / share_of_stable_step;
  NodeTable<dim> heavier = model.nodes;
  double critical = wanted / limit * levels.smallest_critical_step(), enough = wanted;
  for (unsigned int round = 0; round < max_rounds; ++round)
  {
    const auto masses = model.stepper.masses_for_step(critical);
    for (unsigned int node = 0; node < masses.size(); ++node)
      heavier.set_mass(node, masses[node]);
    const StabilityLimit found = model.largest_stable_step(heavier);
    if (!found.has_converged)
      break; // that of the masses as they are says nothing
    const double borne = found.step;
    if (borne >= wanted)
      enough = std::min(enough, critical);
    if (borne >= wanted && borne < wanted * (1 + step_tolerance))
      break;
    critical *= wanted / borne * (1 + 0.5 * step_tolerance);
  }
  return ScaledSynchronous{
      step, difference(model, enough, before, model.stepper.masses_for_step(enough))};
}

template <int dim>
void
print_scaled_synchronous(const Model<dim> &model, const double limit, std::ostream &out)
{
  const auto scaled = scaled_synchronous(model, limit);
  if (!scaled)
    return;
  out << "Mass scaling instead: for as few kicks synchronous steps would have to be "
      << number_text(scaled->step) << ", for which " << scaled->scaling.n_nodes
      << " nodes need more mass ('Mass scaling/Critical step' = "
      << number_text(scaled->scaling.critical_step) << "), in all "
      << percent_text(scaled->scaling.share()) << " more" << by_body(model, scaled->scaling)
      << "\n";
}

template <int dim>
void
print_mass_scaling(const Model<dim> &model, std::ostream &out)
{
  const MassScaling &scaling = model.mass_scaling;
  if (scaling.critical_step == 0)
    return;
  const double added = std::accumulate(scaling.added.begin(), scaling.added.end(), 0.);
  out << "Mass scaling: " << scaling.n_nodes << " nodes are heavier, by " << number_text(added)
      << " in all, " << percent_text(scaling.share()) << " of the mass" << by_body(model, scaling)
      << "\n";
}

template <int dim>
JsonObject
mass_scaling_json(const Model<dim> &model)
{
  const MassScaling &scaling = model.mass_scaling;
  std::vector<JsonObject> of_bodies;
  for (unsigned int b = 0; b < scaling.added.size(); ++b)
    if (scaling.added[b] > 0)
      of_bodies.push_back(JsonObject()
                              .set("body", model.bodies[b].name())
                              .set("mass", scaling.mass[b])
                              .set("added_mass", scaling.added[b]));
  return JsonObject()
      .set("critical_step", scaling.critical_step)
      .set("nodes", scaling.n_nodes)
      .set("mass", std::accumulate(scaling.mass.begin(), scaling.mass.end(), 0.))
      .set("added_mass", std::accumulate(scaling.added.begin(), scaling.added.end(), 0.))
      .set("bodies", of_bodies);
}

#define INSTANTIATE(dim)                                                                           \
  template MassScaling scale_masses(Model<dim> &);                                                 \
  template std::optional<ScaledSynchronous> scaled_synchronous(const Model<dim> &, double);        \
  template void print_scaled_synchronous(const Model<dim> &, double, std::ostream &);              \
  template void print_mass_scaling(const Model<dim> &, std::ostream &);                            \
  template JsonObject mass_scaling_json(const Model<dim> &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace KickDrift
