#include <kickdrift/base/messages.h>
#include <kickdrift/cases/run/likely_cause.h>

#include <deal.II/base/numbers.h>

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace KickDrift
{
namespace
{
// Deformation that has used up this share of the margin that the time step ratio leaves may well be
// the cause: the state was looked at after the fact.
constexpr double suspicious_share = 0.5;

/// Two kicks that act on a node, the first with the longer step, at which the other one resonates.
struct Resonance
{
  unsigned int slow, fast; ///< ids
};

/// At each node, the kick with the longest step and the one with the highest frequency, as leapfrog
/// sees it: they resonate if the first one's pulses come at half periods of the other one or rarer.
template <int dim>
std::optional<Resonance>
find_resonance(const Model<dim> &model)
{
  const TimeLevels &levels = model.stepper.levels();
  struct Extremes
  {
    double step = 0, frequency = 0;
    unsigned int slow = 0, fast = 0;
  };
  std::vector<Extremes> of_node(model.nodes.size());
  for (unsigned int id = 0; id < levels.n_kicks(); ++id)
  {
    const double step = levels.natural_step(id), critical = levels.current_critical_step(id);
    if (!std::isfinite(critical))
      continue;
    const double frequency = 2 / step * std::asin(std::min(1., step / critical));
    for (const unsigned int node : model.stepper.supports().nodes_of_kick(id))
    {
      Extremes &extremes = of_node[node];
      if (step > extremes.step)
      {
        extremes.step = step;
        extremes.slow = id;
      }
      if (frequency > extremes.frequency)
      {
        extremes.frequency = frequency;
        extremes.fast = id;
      }
    }
  }
  const Extremes *worst = nullptr;
  for (const Extremes &extremes : of_node)
    if (levels.natural_step(extremes.fast) < extremes.step &&
        extremes.step * extremes.frequency >= dealii::numbers::PI &&
        (!worst || extremes.step * extremes.frequency > worst->step * worst->frequency))
      worst = &extremes;
  return worst ? std::optional<Resonance>({worst->slow, worst->fast}) : std::nullopt;
}

template <int dim>
std::string
resonance_text(const Model<dim> &model, const Resonance &resonance)
{
  const TimeLevels &levels = model.stepper.levels();
  const double slow = levels.natural_step(resonance.slow),
               fast = levels.natural_step(resonance.fast);
  const double limit = std::sin(0.5 * dealii::numbers::PI * fast / slow);
  return "The likely cause is a resonance of clocks: " + model.cell_text(resonance.slow) +
         " has a step of " + number_text(slow) + ", its neighbour, " +
         model.cell_text(resonance.fast) + ", one of " + number_text(fast) +
         " and a critical step of " + number_text(levels.current_critical_step(resonance.fast)) +
         ". Steps that differ so much need 'Stepping/Time step ratio' below " + number_text(limit) +
         " there; use 'Stepping/Stability rule' = on.";
}

/// Has contact given impulses?
template <int dim>
bool
has_collided(const Model<dim> &model)
{
  return model.contact && model.contact->statistics().collisions > 0;
}

/// "loads, contact or prescribed motion", as far as there are such things.
template <int dim>
std::string
disturbances(const Model<dim> &model)
{
  std::vector<std::string> names;
  if (has_collided(model))
    names.push_back("contact that is too sudden for the mesh");
  if (!model.loads.empty())
    names.push_back("a load that is too sudden");
  for (const auto &restraint : model.parameters.restraints)
    if (restraint.displacement)
    {
      names.push_back("a prescribed motion that is too sudden");
      break;
    }
  std::string text;
  for (unsigned int i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  return text;
}

/// Has the material of the cell with this id no stress where the cell is turned inside out?
template <int dim>
bool
ends_where_turned(const Model<dim> &model, const unsigned int id)
{
  for (const auto &meshed : model.bodies)
    for (unsigned int f = 0; f < meshed.first_ids().size(); ++f)
    {
      const auto kicks = meshed.strain_kicks()[f];
      const auto *of_cells = dynamic_cast<const StrainKicks<dim> *>(kicks.get());
      if (!of_cells || id - meshed.first_ids()[f] >= kicks->n_kicks())
        continue;
      dealii::Tensor<2, dim> mirrored;
      mirrored[0][0] = -2;
      return !std::isfinite(of_cells->material().stress(mirrored).norm_square());
    }
  return false;
}
} // namespace

template <int dim>
std::string
what_sets_steps(const Model<dim> &model)
{
  const auto &stepping = model.parameters.stepping.stepper;
  return stepping.time_step > 0
             ? "'Stepping/Time step' (now " + number_text(stepping.time_step) + ")"
             : "'Stepping/Time step ratio' (now " + number_text(stepping.time_step_ratio) + ")";
}

template <int dim>
std::string
cause_of_undefined_force(const Model<dim> &model, const unsigned int id, const double time)
{
  for (const unsigned int node : model.stepper.supports().nodes_of_kick(id))
    if (!std::isfinite(model.nodes.displacement(node).norm_square()))
      return "Displacement is not a number at time " + number_text(time) + " at " +
             model.node_text(node) + ". " + likely_cause(model);
  const std::string cell = "At time " + number_text(time) + " " + model.cell_text(id);
  return ends_where_turned(model, id)
             ? cell + " is turned inside out: its material has no stress there. Lower " +
                   what_sets_steps(model) +
                   ", refine the mesh, or choose a material that resists more."
             : cell + " has forces that are not finite. " + likely_cause(model);
}

template <int dim>
std::optional<unsigned int>
find_undefined_cell(const Model<dim> &model, const NodeTable<dim> &synchronised)
{
  for (const auto &meshed : model.bodies)
    for (unsigned int f = 0; meshed.body && meshed.has_stress() && f < meshed.body->kicks().size();
         ++f)
    {
      const CellKicks<dim> &kicks = *meshed.body->kicks()[f];
      for (unsigned int k = 0; k < kicks.n_kicks(); ++k)
        if (!std::isfinite(kicks.energy(synchronised, k)))
          return meshed.first_ids()[f] + k;
    }
  return {};
}

template <int dim>
std::string
likely_cause(const Model<dim> &model)
{
  const auto &stepping = model.parameters.stepping.stepper;
  if (!model.parameters.stepping.strain)
    return "With 'Stepping/Strain' = off there are no forces in the cells; the likely cause is a "
           "load, a prescribed motion or contact.";
  const std::string ratio = what_sets_steps(model);
  const bool touched = has_collided(model);
  if (stepping.clocks == Clocks::per_cell)
    return std::string("With 'Stepping/Clocks' = per cell the likely cause is a resonance of the "
                       "cells' clocks") +
           (touched ? ", or contacts hit at arbitrary phases of them" : "") +
           "; use 'nested', or lower " + ratio + ".";
  const std::string clocks =
      std::string("'Stepping/Clocks' = ") + (stepping.clocks == Clocks::one ? "one" : "nested");
  const StepFollower<dim> &follower = model.stepper.follower();
  const double share_of_critical = model.stepper.levels().largest_step_ratio();
  const double margin = 1 - share_of_critical;
  const double worst = follower.largest_ratio();
  const auto worst_cell = [&] { return model.cell_text(follower.id_of_largest_ratio()); };
  if (worst > share_of_critical + suspicious_share * margin)
    return "The likely cause is a time step that is too long for the deformed state: that of " +
           worst_cell() + " is " + number_text(worst) + " of its critical step there; lower " +
           ratio + ".";
  if (const auto resonance = find_resonance(model))
    return resonance_text(model, *resonance);
  if (touched && model.parameters.contact.zone_layers == 0)
    return "With " + clocks +
           " and 'Contact/Reference/Zone layers' = 0 the likely cause is that contacts " +
           "hit at arbitrary phases of the clocks; use 'Contact/Reference/Zone layers' = 1.";
  const std::string others = disturbances(model);
  return "No cell's step is near its critical step, and no neighbours' steps resonate. " +
         (others.empty() ? "Lower " : "The likely cause is " + others + "; lower ") + ratio +
         ", or refine the mesh.";
}

#define INSTANTIATE(dim)                                                                           \
  template std::string likely_cause(const Model<dim> &);                                           \
  template std::string cause_of_undefined_force(const Model<dim> &, unsigned int, double);         \
  template std::optional<unsigned int> find_undefined_cell(const Model<dim> &,                     \
                                                           const NodeTable<dim> &);                \
  template std::string what_sets_steps(const Model<dim> &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace KickDrift
