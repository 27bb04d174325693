#include <kickdrift/base/messages.h>
#include <kickdrift/base/std_exceptions.h>
#include <kickdrift/cases/model/forecast.h>
#include <kickdrift/cases/model/mass_scaling.h>
#include <kickdrift/cases/model/node_selection.h>
#include <kickdrift/cases/model/quiet_start.h>
#include <kickdrift/cases/preflight/cell_advice.h>
#include <kickdrift/cases/preflight/chosen_points.h>
#include <kickdrift/cases/preflight/contact_plan.h>
#include <kickdrift/cases/preflight/costly_cells.h>
#include <kickdrift/cases/preflight/initial_overlap.h>
#include <kickdrift/cases/preflight/preflight.h>
#include <kickdrift/cases/preflight/rigid_report.h>
#include <kickdrift/output/progress.h>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>

#include "lists.h"

namespace KickDrift
{
using namespace dealii;

namespace
{
const char *
name_of(const Clocks clocks)
{
  return clocks == Clocks::one ? "one" : clocks == Clocks::nested ? "nested" : "per cell";
}

/// Number of kicks by their step; per cell: by powers of two below it.
template <int dim>
std::map<double, unsigned int>
histogram(const Stepper<dim> &stepper)
{
  std::map<double, unsigned int> counts;
  for (unsigned int id = 0; id < stepper.levels().n_kicks(); ++id)
  {
    const double step = stepper.levels().natural_step(id);
    ++counts[stepper.levels().has_classes() ? step : std::exp2(std::floor(std::log2(step)))];
  }
  return counts;
}

template <int dim>
void
print_histogram(const Model<dim> &model, std::ostream &out)
{
  const auto &stepper = model.stepper;
  const auto counts = histogram(stepper);
  const char *things = !model.own_kicks.empty()                        ? "kicks"
                       : stepper.levels().n_kicks() == model.n_cells() ? "cells"
                                                                       : "cells and nodes";
  unsigned int largest = 1;
  for (const auto &entry : counts)
    largest = std::max(largest, entry.second);
  for (const auto &[step, count] : counts)
    out << (stepper.levels().has_classes() ? "  step   " : "  step >= ") << std::setw(12)
        << std::left << number_text(step) << std::right << std::setw(10) << count << " " << things
        << "  " << std::string((40ul * count + largest - 1) / largest, '#') << "\n";
}

/// What keeps the steps of neighbours from resonating, and what warns if nothing does.
template <int dim>
void
print_stability_rule(const Model<dim> &model, std::ostream &out)
{
  const auto &stepping = model.parameters.stepping.stepper;
  if (stepping.mass_for_steps == MassForSteps::own)
    out << "Warning: 'Stepping/Mass for steps' = own, as in the papers, makes steps far too short "
           "beside thin cells; 'shared' does not.\n";
  if (stepping.clocks != Clocks::nested)
    return;
  if (!stepping.stability_rule)
  {
    out << "Warning: 'Stepping/Stability rule' = off: where steps of neighbours differ by more "
           "than "
           "a factor of two they may resonate, and the energy grows.\n";
    return;
  }
  const StabilityRuleReport &rule = model.stepper.levels().rule();
  if (rule.n_lowered > 0)
    out << "Stability rule: " << rule.n_lowered << " kicks come in shorter steps than their own, "
        << number_text(100 * rule.added)
        << " % more kicks; smallest margin pi - H Omega = " << number_text(rule.margin) << ", "
        << model.cell_text(rule.long_kick) << " beside " << model.cell_text(rule.short_kick)
        << "\n";
}

/// "left end (8); tip (9)".
std::string
names_text(const MeshNames::IdsByName<unsigned int> &names)
{
  std::string text;
  for (const auto &[name, ids] : names)
    text += (text.empty() ? "" : "; ") + name + " (" + list_text(ids) + ")";
  return text;
}

/// Boundary ids of a body that no restraint, load, probe, tie or exclusion names.
template <int dim>
std::set<types::boundary_id>
unused_boundary_ids(const Model<dim> &model, const unsigned int body)
{
  const auto ids = model.bodies[body].all_boundary_ids();
  std::set<types::boundary_id> unused(ids.begin(), ids.end());
  const auto use = [&](const std::vector<unsigned int> &users, const std::vector<std::string> &used)
  {
    if (used.empty() || !std::binary_search(users.begin(), users.end(), body))
      return;
    for (const auto &part : boundary_parts(model.bodies, users, used, "Boundary ids"))
      if (part.first == body)
        for (const auto id : part.second)
          unused.erase(id);
  };
  for (const auto &restraint : model.parameters.restraints)
    use(restraint.bodies, restraint.selection.boundaries);
  use({body}, model.parameters.bodies[body].clamped_boundaries);
  for (const auto &load : model.parameters.loads)
    use(load.bodies, load.boundaries);
  for (const auto &probe : model.parameters.probes)
    use(probe.bodies, probe.selection.boundaries);
  for (const auto &tie : model.parameters.ties)
    for (const auto *sides : {&tie.followers, &tie.masters})
      for (const auto &side : *sides)
        if (!side.boundary.empty())
          use(side.bodies, {side.boundary});
  const auto &[section, name] =
      std::tie(model.parameters.bodies[body].section, model.parameters.bodies[body].name);
  for (const auto &[first, second] : model.exclusions_by_id())
    for (const auto id : ids)
      if ((first == name || first == section) && second == std::to_string(id))
        unused.erase(id);
  return unused;
}

/// Smallest and largest coordinates of a body, where it is at the start.
template <int dim>
std::pair<Point<dim>, Point<dim>>
extents(const Model<dim> &model, const unsigned int body)
{
  const MeshedBody<dim> &meshed = model.bodies[body];
  const unsigned int first = meshed.first_node();
  const auto position = [&](const unsigned int i)
  { return model.nodes.reference(i) + model.nodes.displacement(i); };
  std::pair<Point<dim>, Point<dim>> result(position(first), position(first));
  const auto add = [&result](const Point<dim> &point)
  {
    for (unsigned int d = 0; d < dim; ++d)
    {
      result.first[d] = std::min(result.first[d], point[d]);
      result.second[d] = std::max(result.second[d], point[d]);
    }
  };
  for (unsigned int i = first; i < first + meshed.n_nodes(); ++i)
    add(position(i));
  if (meshed.body)
    for (const auto &node : meshed.body->tied_nodes())
    {
      Point<dim> where = node.reference;
      for (const Parent &parent : node.parents)
        where += parent.weight * model.nodes.displacement(parent.node);
      add(where);
    }
  return result;
}

template <int dim>
void
print_bodies(const Model<dim> &model, std::ostream &out)
{
  const std::size_t n = std::min<std::size_t>(n_listed, model.bodies.size());
  for (std::size_t b = 0; b < n; ++b)
  {
    const auto &body = model.bodies[b];
    out << "Body " << body.name() << ": " << body.n_cells() << " cells, " << body.n_nodes()
        << " nodes"
        << (body.body && body.body->n_hanging_nodes() > 0
                ? ", and " + std::to_string(body.body->n_hanging_nodes()) + " hanging ones"
                : "")
        << (body.body && body.body->n_tied_nodes() > 0
                ? ", and " + std::to_string(body.body->n_tied_nodes()) + " tied ones"
                : "")
        << rigid_text(model, body) << "\n";
  }
  std::size_t n_cells = 0, n_nodes = 0;
  for (std::size_t b = n; b < model.bodies.size(); ++b)
  {
    n_cells += model.bodies[b].n_cells();
    n_nodes += model.bodies[b].n_nodes();
  }
  if (n < model.bodies.size())
    out << "and " << model.bodies.size() - n << " more bodies: " << n_cells << " cells, " << n_nodes
        << " nodes\n";
}

template <int dim>
void
print_ties(const Model<dim> &model, std::ostream &out)
{
  for (const auto &tie : model.ties)
  {
    out << "Tie " << tie.name << ": " << tie.report.n_tied
        << " nodes follow faces; largest gap that was closed " << number_text(tie.largest_gap);
    if (tie.report.n_tied_before > 0)
      out << "; " << tie.report.n_tied_before << " nodes were tied by another tie already";
    if (!tie.report.untied.empty())
      out << "; " << tie.report.untied.size() << " nodes found no face, the first at "
          << point_text(tie.report.untied.front());
    out << "\n";
  }
  const auto &surface = model.dynamics.surface();
  if (!model.contact)
    return;
  if (surface.n_turned > 0)
    out << "Note: " << surface.n_turned
        << " faces beside ties are no targets of contact, as they would be turned by more than 20 "
           "degrees: their tied corners lie far from the nodes that they follow. Their free "
           "corners "
           "touch others as usual.\n";
}
} // namespace

template <int dim>
RangeOfCriticalSteps
critical_steps(const Model<dim> &model)
{
  RangeOfCriticalSteps steps;
  steps.smallest = std::numeric_limits<double>::infinity();
  const unsigned int n = model.stepper.levels().n_kicks();
  for (unsigned int id = 0; id < n; ++id)
  {
    const double step = model.stepper.levels().critical_step(id);
    steps.smallest = std::min(steps.smallest, step);
    steps.largest = std::max(steps.largest, step);
    steps.average += step / n;
  }
  return steps;
}

template <int dim>
void
print_plan(const Model<dim> &model, std::ostream &out)
{
  const auto &stepping = model.parameters.stepping;
  print_bodies(model, out);
  print_ties(model, out);
  const auto steps = critical_steps(model);
  out << "Together: " << model.n_cells() << " cells, " << model.nodes.size()
      << " nodes; critical steps from " << number_text(steps.smallest) << " to "
      << number_text(steps.largest) << ", average " << number_text(steps.average) << "\n"
      << "Clocks '" << name_of(stepping.stepper.clocks) << "', time step ratio "
      << number_text(stepping.stepper.time_step_ratio) << ":\n";
  print_histogram(model, out);
  print_mass_scaling(model, out);
  print_quiet_start(model, out);
  print_stability_rule(model, out);
  print_cell_advice(model, out);
  const auto rates = model.stepper.levels().kick_rates();
  const double sweep_rate = model.stepper.sweep_rate();
  out << "Predicted: " << std::llround(rates.first * stepping.end_time) << " kicks until time "
      << number_text(stepping.end_time) << ", work ratio "
      << number_text(rates.second / (rates.first + sweep_rate)) << " (synchronous kicks over ours"
      << (sweep_rate > 0 ? " with those of sweeps" : "") << ")\n";
  if (sweep_rate > 0)
    out << "Class boundaries: filtered, kicks beside those with shorter steps are evaluated "
        << model.stepper.n_sweeps() << " times more, "
        << number_text(100 * sweep_rate / rates.first, 3) << " % of the kicks\n";
  const double bytes = size_of_results(model);
  const auto [unit, in_unit] = bytes < 1e6   ? std::pair("kB", bytes / 1e3)
                               : bytes < 1e9 ? std::pair("MB", bytes / 1e6)
                                             : std::pair("GB", bytes / 1e9);
  out << "Estimated: " << number_text(measure_kicks(model).per_time * stepping.end_time, 3)
      << " s for kicks (contact comes on top), " << number_text(in_unit, 3) << " " << unit
      << " of results besides checkpoints\n";
  if (stepping.stepper.clocks == Clocks::per_cell)
    out << "Note: clocks 'per cell' have resonances in which the energy grows; 'nested' has none "
           "known. Watch energy_error.\n";
  print_contact_plan(model, out);
  warn_of_far_points(model, out);
}

template <int dim>
void
print_validation(Model<dim> &model, std::ostream &out)
{
  std::vector<unsigned int> ids(model.stepper.levels().n_kicks());
  std::iota(ids.begin(), ids.end(), 0u);
  const auto middle = ids.begin() + std::min<std::size_t>(n_listed, ids.size());
  std::partial_sort(ids.begin(), middle, ids.end(),
                    [&](const auto a, const auto b) {
                      return model.stepper.levels().critical_step(a) <
                             model.stepper.levels().critical_step(b);
                    });
  out << "Smallest critical steps:\n";
  for (auto id = ids.begin(); id != middle; ++id)
    out << "  " << number_text(model.stepper.levels().critical_step(*id)) << "  "
        << model.cell_text(*id) << "\n";

  const unsigned int n_bodies = model.bodies.size();
  if (n_bodies > n_listed)
    out << "Extents and boundaries of the first " << n_listed << " bodies:\n";
  for (unsigned int body = 0; body < std::min(n_bodies, n_listed); ++body)
  {
    for (const auto &[what, names] : {std::pair{"boundaries", model.bodies[body].names.boundaries},
                                      {"materials", model.bodies[body].names.materials}})
      if (!names.empty())
        out << "Names of " << what << " of body '" << model.bodies[body].name()
            << "', with their ids: " << names_text(names) << "\n";
    const auto [lower, upper] = extents(model, body);
    out << "Body '" << model.bodies[body].name() << "' extends from " << point_text(lower) << " to "
        << point_text(upper) << "\n";
    const auto unused = unused_boundary_ids(model, body);
    out << "Boundary ids of body '" << model.bodies[body].name()
        << "' that nothing refers to: " << (unused.empty() ? "none" : list_text(unused)) << "\n";
  }

  print_chosen_points(model, out);
  print_costly_cells(model, find_costly_cells(model), out);
  print_initial_overlap(model, out);
}

namespace
{
/// Do own steps pay, since synchronous stepping takes this much?
std::string
verdict(const bool pays, const std::string &effort)
{
  return std::string("Do own steps pay here? ") + (pays ? "Yes" : "No") +
         ": synchronous stepping at its best takes " + effort;
}

/// What contact may cost that the forecast has not seen.
template <int dim>
void
print_touching(const Model<dim> &model, const TimeForecast &forecast, std::ostream &out)
{
  if (!model.contact || !model.contact->has_states())
    return;
  const auto &contactors = model.contact->surface().contactors;
  out << (forecast.n_touching == 0
              ? "Nothing touches at the end of the trial"
              : std::to_string(forecast.n_touching) + " nodes touch at the end of the trial")
      << ", of " << contactors.size()
      << " on surfaces. What lets go later comes off; what touches later comes on top, in both: "
         "about "
      << duration_text(forecast.contact_of_all / 100)
      << " for every hundredth of them that touches from the start to the end.\n";
}
} // namespace

template <int dim>
std::string
print_forecast(Model<dim> &model, const double setup, std::ostream &out)
{
  const auto &levels = model.stepper.levels();
  const double end = model.parameters.stepping.end_time;
  const StabilityLimit limit = model.largest_stable_step();
  const auto [kicks, synchronous] = levels.kick_rates();
  const double own = kicks + model.stepper.sweep_rate();
  const double at_best = levels.n_kicks() / (share_of_stable_step * limit.step);
  out << "Synchronous stepping: stable up to a step of " << number_text(limit.step)
      << (limit.has_converged ? "" : " at least") << " (the model as a whole), work ratio "
      << number_text(synchronous / own * levels.smallest_critical_step() / limit.step, 3)
      << " if both take the same share of their limits; at its best, " << share_of_stable_step
      << " of it, " << std::llround(at_best * end) << " kicks, " << number_text(at_best / own, 3)
      << " times ours\n";
  if (at_best < own)
    out << "Note: synchronous stepping needs fewer kicks here: 'Stepping/Clocks' = one with "
           "'Stepping/Time step' = "
        << number_text(share_of_stable_step * limit.step) << "\n";
  print_scaled_synchronous(model, limit.step, out);
  const std::string kicks_text = number_text(at_best / own, 3) + " times the kicks";
  TimeForecast forecast;
  try
  {
    forecast = with_std_exceptions([&] { return forecast_by_trial(model, limit.step); });
  }
  catch (const std::exception &exception)
  {
    out << "A trial of the run stopped: " << message_of(exception) << "\n";
    return verdict(at_best > own, kicks_text);
  }
  out << "Forecast, after a trial until time " << number_text(forecast.trial_end, 3)
      << ", on a machine that has nothing else to do: the run takes "
      << duration_text(setup + forecast.kicks + forecast.contact + forecast.output) << " (set-up "
      << duration_text(setup) << ", kicks " << duration_text(forecast.kicks)
      << ", contact as in the trial " << duration_text(forecast.contact) << ", output "
      << duration_text(forecast.output) << "), synchronous stepping at its best "
      << duration_text(setup + forecast.synchronous) << "\n";
  print_touching(model, forecast, out);
  const double ratio = forecast.synchronous / (forecast.kicks + forecast.contact + forecast.output);
  return verdict(ratio > 1, number_text(ratio, 3) + " times as long, for " + kicks_text);
}

#define INSTANTIATE(dim)                                                                           \
  template RangeOfCriticalSteps critical_steps(const Model<dim> &);                                \
  template void print_plan(const Model<dim> &, std::ostream &);                                    \
  template void print_validation(Model<dim> &, std::ostream &);                                    \
  template std::string print_forecast(Model<dim> &, double, std::ostream &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace KickDrift
