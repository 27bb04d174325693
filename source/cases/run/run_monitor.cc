#include <kickdrift/base/archive_checks.h>
#include <kickdrift/base/messages.h>
#include <kickdrift/cases/model/node_selection.h>
#include <kickdrift/cases/preflight/preflight.h>
#include <kickdrift/cases/run/energy_scale.h>
#include <kickdrift/cases/run/likely_cause.h>
#include <kickdrift/cases/run/run_monitor.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace KickDrift
{
using namespace dealii;

namespace
{
/// Average critical steps between looks, and looks between those in full: a full look costs a few
/// kicks of every cell, and is to cost about a hundredth of those in between.
constexpr double steps_between_checks = 10;
constexpr unsigned int checks_between_full_ones = 20;

/// The same for strains, a look at which costs about as much as a kick of every cell.
constexpr unsigned int checks_between_strains = 5;

/// A kinetic energy this many times above what the run has had calls for a full look.
constexpr double suspicious_growth = 4;

constexpr const char *cause_of_phase =
    "With 'Stepping/Phase' = start the energy is off by an amount proportional to the time step, "
    "even where the run is stable; use 'centred', or raise the limit.";
} // namespace

template <int dim>
RunMonitor<dim>::RunMonitor(Model<dim> &model, std::ostream &out)
    : model(model), out(out), strain_warning(model, out)
{
  const double steps = steps_between_checks * critical_steps(model).average;
  interval = std::isfinite(steps) ? steps : model.parameters.stepping.end_time;
  least_energy = energy_scale(model);
  // a fixed step was compared with the limit of the whole model, a little above that of the cells
  const double fixed = model.parameters.stepping.stepper.time_step;
  largest_allowed_ratio = std::max(1., 1.05 * fixed / critical_steps(model).smallest);
}

template <int dim>
double
RunMonitor<dim>::next_time() const
{
  return interval * n_checks;
}

template <int dim>
void
RunMonitor<dim>::check()
{
  const double time = next_time();
  const bool suspicious =
      kinetic_energy(time) > suspicious_growth * model.dynamics.energy_audit().reference();
  if (n_checks % checks_between_full_ones == 0 || suspicious)
    check_in_full(time);
  if (n_checks % checks_between_strains == 0)
    strain_warning.look(model.nodes, time);
  check_critical_steps(time);
  ++n_checks;
}

template <int dim>
void
RunMonitor<dim>::check_at_end(const double time)
{
  kinetic_energy(time);
  check_in_full(time);
  strain_warning.look(model.nodes, time);
  check_critical_steps(time);
}

template <int dim>
void
RunMonitor<dim>::check_numbers(const double time) const
{
  kinetic_energy(time);
}

template <int dim>
void
RunMonitor<dim>::check_in_full(const double time)
{
  const NodeTable<dim> &nodes = model.dynamics.state();
  const EnergyBalance energies = model.dynamics.energy();
  if (!std::isfinite(energies.total()))
  {
    const auto cell = find_undefined_cell(model, nodes);
    AssertThrow(false, ExcMessage(cell ? cause_of_undefined_force(model, *cell, time)
                                       : "The energy is not a number at time " + number_text(time) +
                                             ". " + likely_cause(model)));
  }
  take(nodes, time, energies);
  check_energy(time);
}

template <int dim>
double
RunMonitor<dim>::kinetic_energy(const double time) const
{
  if (const auto node = model.dynamics.find_not_finite())
    AssertThrow(false,
                ExcMessage("Displacement or velocity is not a number at time " + number_text(time) +
                           " at " + model.node_text(*node) + ". " + likely_cause(model)));
  const NodeTable<dim> &nodes = model.nodes;
  double energy = 0;
  for (unsigned int node = 0; node < nodes.size(); ++node)
    energy += 0.5 * nodes.mass(node) * nodes.velocity(node).norm_square();
  return energy;
}

template <int dim>
void
RunMonitor<dim>::check_energy(const double time) const
{
  const double limit = model.parameters.stepping.energy_limit;
  try
  {
    model.dynamics.check_energy_error(limit);
  }
  catch (const DynamicsExceptions::ExcEnergyError &)
  {
    const bool starts_intervals = model.parameters.stepping.stepper.phase == Phase::start;
    throw ExcEnergyLimit(
        "The energy error is " + number_text(model.dynamics.energy_audit().error()) + " at time " +
        number_text(time) + ", above 'Stepping/Energy limit' = " + number_text(limit) + ". " +
        (starts_intervals ? cause_of_phase : likely_cause(model)));
  }
}

template <int dim>
void
RunMonitor<dim>::take(const NodeTable<dim> &synchronised, const double time,
                      const EnergyBalance &energies)
{
  model.dynamics.audit_energy(energies, least_energy);
  strain_warning.look_at_row(synchronised, time);
  look_at_layers(time, energies);
}

template <int dim>
void
RunMonitor<dim>::look_at_layers(const double time, const EnergyBalance &energies)
{
  // motions and forces are off by about this share
  constexpr double largest_share = 0.05;
  const double share =
      energies.layer_energy / (energies.kinetic + energies.strain + energies.layer_energy);
  if (warned_of_layers || !(share > largest_share))
    return;
  warned_of_layers = true;
  out << "\nWarning: at time " << number_text(time) << " penalty layers hold "
      << number_text(100 * share, 2)
      << " % of the energy: they give way, and motions and forces are off by about as much. "
         "Thinner ones, by 'Contact/Layers/Thickness' or a finer mesh, are stiffer.\n";
}

template <int dim>
void
RunMonitor<dim>::check_critical_steps(const double time)
{
  const StepFollower<dim> &follower = model.stepper.follower();
  const double worst = follower.largest_ratio();
  const auto text = [&]
  {
    return "at time " + number_text(time) + " the step of " +
           model.cell_text(follower.id_of_largest_ratio()) + " is " + number_text(worst) +
           " of its critical step in the deformed state";
  };
  AssertThrow(worst <= largest_allowed_ratio,
              ExcMessage("Unstable: " + text() + ". Lower " + what_sets_steps(model) + "."));
  if (worst > 0.9 * largest_allowed_ratio && !warned_of_step)
  {
    out << "\nWarning: " << text() << "; above " << number_text(largest_allowed_ratio)
        << " the run stops.\n";
    warned_of_step = true;
  }
}

template <int dim>
void
RunMonitor<dim>::serialize(Archive &archive)
{
  archive.section("watch");
  archive(model.dynamics.energy_audit(), n_checks, warned_of_step, warned_of_layers,
          strain_warning);
  check_state(is_flag(warned_of_step) && is_flag(warned_of_layers), "watch");
}

template <int dim>
void
check_loads(Model<dim> &model)
{
  for (const auto &load : model.parameters.loads)
  {
    std::vector<unsigned int> nodes;
    for (const auto &[index, boundaries] : boundary_parts(
             model.bodies, load.bodies, load.boundaries, "Loads/" + load.name + "/Boundary ids"))
    {
      const MeshedBody<dim> &body = model.bodies[index];
      if (load.acts_on_boundary() && !body.shell)
        for (const unsigned int node : body.boundary_nodes(boundaries))
          nodes.push_back(node);
      else
        for (unsigned int i = 0; i < body.n_nodes(); ++i)
          nodes.push_back(body.first_node() + i);
    }
    load.value->set_time(0);
    for (const unsigned int node : nodes)
      for (unsigned int d = 0; d < load.value->n_components; ++d)
        check_finite(load.value->value(model.nodes.reference(node), d),
                     "Loads/" + load.name + "/Value", model.nodes.reference(node), 0.);
  }
}

template <int dim>
void
check_n_steps(const Model<dim> &model)
{
  double step = std::numeric_limits<double>::infinity();
  for (unsigned int id = 0; id < model.stepper.levels().n_kicks(); ++id)
    step = std::min(step, model.stepper.levels().natural_step(id));
  check_n_steps(model.parameters.stepping.end_time, step);
}

#define INSTANTIATE(dim)                                                                           \
  template class RunMonitor<dim>;                                                                  \
  template void check_loads(Model<dim> &);                                                         \
  template void check_n_steps(const Model<dim> &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace KickDrift
