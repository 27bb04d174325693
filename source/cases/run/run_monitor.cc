#include <kickdrift/base/archive_checks.h>
#include <kickdrift/base/messages.h>
#include <kickdrift/cases/model/preflight.h>
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

/// A kinetic energy this many times above what the run has had calls for a full look.
constexpr double suspicious_growth = 4;
} // namespace

template <int dim>
RunMonitor<dim>::RunMonitor(Model<dim> &model, std::ostream &out) : model(model), out(out)
{
  const double steps = steps_between_checks * critical_steps(model).average;
  interval = std::isfinite(steps) ? steps : model.parameters.stepping.end_time;
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
  const bool suspicious = kinetic_energy(time) > suspicious_growth * audit.reference();
  if (n_checks % checks_between_full_ones == 0 || suspicious)
    check_in_full(time);
  ++n_checks;
}

template <int dim>
void
RunMonitor<dim>::check_at_end(const double time)
{
  kinetic_energy(time);
  check_in_full(time);
}

template <int dim>
void
RunMonitor<dim>::check_in_full(const double time)
{
  const NodeTable<dim> nodes = model.stepper.snapshot(time);
  const EnergyBalance energies = balance(nodes);
  AssertThrow(std::isfinite(energies.total()),
              ExcMessage("The energy is not a number at time " + number_text(time) + ". " +
                         likely_cause()));
  audit.update(energies);
  check_energy(time);
  check_critical_steps(nodes, time);
}

template <int dim>
EnergyBalance
RunMonitor<dim>::balance(const NodeTable<dim> &synchronised) const
{
  EnergyBalance energies = model.stepper.energy(synchronised);
  if (model.contact)
    model.contact->add_energy(energies);
  return energies;
}

template <int dim>
double
RunMonitor<dim>::kinetic_energy(const double time) const
{
  const NodeTable<dim> &nodes = model.nodes;
  double energy = 0;
  for (unsigned int node = 0; node < nodes.size(); ++node)
  {
    const double square = nodes.velocity(node).norm_square();
    AssertThrow(std::isfinite(square) && std::isfinite(nodes.displacement(node).norm_square()),
                ExcMessage("Displacement or velocity is not a number at time " + number_text(time) +
                           " at " + model.node_text(node) + ". " + likely_cause()));
    energy += 0.5 * nodes.mass(node) * square;
  }
  return energy;
}

template <int dim>
void
RunMonitor<dim>::check_energy(const double time) const
{
  // A run from rest has no energy to compare with until its loads have worked for a while.
  if (!audit.refers_to_start() && time < 20 * critical_steps(model).largest)
    return;
  const double limit = model.parameters.stepping.energy_limit;
  AssertThrow(std::abs(audit.error_apart_from_accounts()) <= limit,
              ExcEnergyLimit("The energy error is " +
                             number_text(audit.error_apart_from_accounts()) + " at time " +
                             number_text(time) + ", above 'Stepping/Energy limit' = " +
                             number_text(limit) + ". " + likely_cause_of_energy_error()));
}

template <int dim>
void
RunMonitor<dim>::check_critical_steps(const NodeTable<dim> &synchronised, const double time)
{
  if (!model.parameters.stepping.strain)
    return;
  double worst = 0;
  unsigned int worst_id = 0;
  for (auto &body : model.bodies)
  {
    const auto families = body.body->strain_kicks();
    for (unsigned int family = 0; family < families.size(); ++family)
    {
      const auto &kicks = *families[family];
      for (unsigned int k = 0; k < (kicks.material().is_linear() ? 0 : kicks.n_kicks()); ++k)
      {
        const unsigned int id = body.moving->first_ids()[family] + k;
        const double ratio =
            model.stepper.levels().step(id) / kicks.current_critical_step(synchronised, k);
        if (!(ratio <= worst))
        {
          worst = ratio;
          worst_id = id;
        }
      }
    }
  }
  const auto text = [&]
  {
    return "at time " + number_text(time) + " the step of " + model.cell_text(worst_id) + " is " +
           number_text(worst) + " of its critical step in the deformed state";
  };
  AssertThrow(worst <= 1,
              ExcMessage("Unstable: " + text() + ". Lower 'Stepping/Time step ratio' (now " +
                         number_text(model.parameters.stepping.stepper.time_step_ratio) + ")."));
  if (worst > 0.9 && !warned_of_step)
  {
    out << "\nWarning: " << text() << "; above 1 the run stops.\n";
    warned_of_step = true;
  }
}

template <int dim>
std::string
RunMonitor<dim>::likely_cause_of_energy_error() const
{
  if (model.parameters.stepping.stepper.phase == Phase::start)
    return "With 'Stepping/Phase' = start the energy is off by an amount proportional to the time "
           "step even where the run is stable; use 'centred', or raise the limit.";
  return likely_cause();
}

template <int dim>
std::string
RunMonitor<dim>::likely_cause() const
{
  const auto &stepping = model.parameters.stepping.stepper;
  if (!model.parameters.stepping.strain)
    return "With 'Stepping/Strain' = off there are no forces in the cells; the likely cause is a "
           "load, a prescribed motion or contact.";
  const std::string ratio =
      "'Stepping/Time step ratio' (now " + number_text(stepping.time_step_ratio) + ")";
  const bool touched = model.contact && model.contact->statistics().collisions > 0;
  if (stepping.clocks == Clocks::per_cell)
    return std::string("With 'Stepping/Clocks' = per cell the likely cause is a resonance of the "
                       "cells' clocks") +
           (touched ? ", or contacts hit at arbitrary phases of them" : "") +
           "; use 'nested', or lower " + ratio + ".";
  const std::string clocks =
      std::string("'Stepping/Clocks' = ") + (stepping.clocks == Clocks::one ? "one" : "nested");
  if (touched && model.parameters.contact.zone_layers == 0)
    return "With " + clocks + " and 'Contact/Zone layers' = 0 the likely cause is that contacts " +
           "hit at arbitrary phases of the clocks; use 'Contact/Zone layers' = 1.";
  return "With " + clocks + " the likely cause is a time step that is too long for the deformed " +
         "state, or a load that is too sudden; lower " + ratio + ".";
}

template <int dim>
void
RunMonitor<dim>::serialize(Archive &archive)
{
  archive.section("watch");
  archive(audit, n_checks, warned_of_step);
  check_state(is_flag(warned_of_step), "watch");
}

template <int dim>
void
check_loads(Model<dim> &model)
{
  for (const auto &load : model.parameters.loads)
  {
    const auto &meshed = model.bodies[load.body];
    const Body<dim> &body = *meshed.body;
    std::vector<unsigned int> nodes;
    if (load.acts_on_boundary())
      nodes = body.boundary_nodes(
          meshed.boundary_ids(load.boundaries, "Loads/" + load.name + "/Boundary ids"));
    else
      for (unsigned int i = 0; i < body.n_nodes(); ++i)
        nodes.push_back(body.first_node() + i);
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
