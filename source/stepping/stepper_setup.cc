// What comes before the first kick: clocks, and who has which nodes.

#include <kickdrift/stepping/stability_limit.h>
#include <kickdrift/stepping/stepper.h>
#include <kickdrift/stepping/threads.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
using dealii::ExcMessage;

template <int spacedim>
Stepper<spacedim>::Stepper(NodeTable<spacedim> &nodes, const StepperParameters &parameters)
    : nodes(nodes), parameters(parameters)
{
}

template <int spacedim>
unsigned int
Stepper<spacedim>::add(std::shared_ptr<Kicks<spacedim>> kicks)
{
  AssertThrow(!started, ExcMessage("Kicks must be added before Stepper::start()."));
  const unsigned int first_unit = critical_steps.size();
  for (unsigned int k = 0; k < kicks->n_kicks(); ++k)
    critical_steps.push_back(kicks->critical_step(k));
  families.push_back({std::move(kicks), Role::leader, first_unit, {}, {}, 0, 0.});
  return first_unit;
}

template <int spacedim>
void
Stepper<spacedim>::add_on_clock_of(std::shared_ptr<Kicks<spacedim>> kicks,
                                   std::vector<unsigned int> unit_of_kick)
{
  AssertThrow(!started, ExcMessage("Kicks must be added before Stepper::start()."));
  AssertThrow(kicks->n_kicks() == unit_of_kick.size(),
              ExcMessage("Every kick of a follower needs a unit to follow."));
  for (const unsigned int unit : unit_of_kick)
    AssertThrow(unit < n_units(), ExcMessage("A follower's unit does not exist."));
  families.push_back({std::move(kicks), Role::follower, 0, std::move(unit_of_kick), {}, 0, 0.});
}

template <int spacedim>
void
Stepper<spacedim>::add_synchronised(std::shared_ptr<Kicks<spacedim>> kicks)
{
  AssertThrow(!started, ExcMessage("Kicks must be added before Stepper::start()."));
  AssertThrow(has_classes() && parameters.phase == Phase::centred,
              ExcMessage("Only step classes with kicks in the middle of intervals have times "
                         "between the kicks around a node."));
  families.push_back({std::move(kicks), Role::between, 0, {}, {}, 0, 0.});
}

template <int spacedim>
void
Stepper<spacedim>::prescribe(const std::vector<unsigned int> &restrained,
                             const std::vector<Vector> &directions,
                             std::function<Vector(unsigned int node, double time)> displacement)
{
  AssertThrow(!started, ExcMessage("Motion must be prescribed before Stepper::start()."));
  for (const unsigned int node : restrained)
    for (const Vector &direction : directions)
      AssertThrow(nodes.restraints.is_restrained_along(node, direction),
                  ExcMessage("Motion can only be prescribed along restrained directions."));
  prescriptions.push_back({restrained, directions, std::move(displacement), Clock()});
}

template <int spacedim>
void
Stepper<spacedim>::attach(EventSource &object)
{
  AssertThrow(!started, ExcMessage("Objects must be attached before Stepper::start()."));
  AssertThrow(events == nullptr, ExcMessage("Only one object can be attached to a stepper."));
  events = &object;
}

template <int spacedim>
void
Stepper<spacedim>::watch(const std::vector<unsigned int> &some_nodes)
{
  AssertThrow(!started, ExcMessage("Nodes must be watched before Stepper::start()."));
  is_watched.resize(nodes.size(), 0);
  for (const unsigned int node : some_nodes)
    is_watched[node] = 1;
}

template <int spacedim>
void
Stepper<spacedim>::start()
{
  AssertThrow(!started, ExcMessage("Stepper::start() was called twice."));
  AssertThrow(n_units() > 0, ExcMessage("There is nothing to step: no kicks were added."));
  AssertThrow(parameters.threads == 1 || has_classes(),
              ExcMessage("Several threads need clocks 'one' or 'nested'."));
  started = true;
  if (parameters.threads != 1)
  {
    team = std::make_shared<Threads>(parameters.threads);
    for (const Family &family : families)
      family.kicks->use_threads(team, nodes);
  }
  choose_clocks();
  give_clocks_to_families();
  start_queue();
  index_nodes();
  if (!has_classes())
    prepare_sequence();
  start_prescriptions();
}

template <int spacedim>
void
Stepper<spacedim>::choose_clocks()
{
  const double smallest = *std::min_element(critical_steps.begin(), critical_steps.end());
  AssertThrow(smallest > 0 && std::isfinite(smallest),
              ExcMessage("There is no kick that limits the time step."));
  std::vector<double> steps(n_units());
  for (unsigned int unit = 0; unit < n_units(); ++unit)
    steps[unit] = parameters.time_step_ratio * critical_steps[unit];

  if (parameters.clocks == Clocks::per_cell)
  {
    double longest = 0;
    for (const double step : steps)
      longest = std::isfinite(step) ? std::max(longest, step) : longest;
    for (unsigned int unit = 0; unit < n_units(); ++unit)
    {
      const double step = std::isfinite(steps[unit]) ? steps[unit] : longest;
      clocks.push_back({0.5 * step, parameters.phase == Phase::centred ? 1 : 0, 2});
      clock_of_unit.push_back(unit);
    }
  }
  else
  {
    const double fixed = parameters.time_step;
    AssertThrow(fixed == 0 || parameters.clocks == Clocks::one,
                ExcMessage("A fixed time step can only be used with one clock."));
    if (fixed > smallest)
    {
      std::vector<std::shared_ptr<const Kicks<spacedim>>> leaders;
      for (const Family &family : families)
        if (family.role == Role::leader)
          leaders.push_back(family.kicks);
      const double limit = stability_limit(leaders, nodes);
      AssertThrow(fixed <= limit,
                  ExcMessage("The fixed time step " + std::to_string(fixed) +
                             " is above the largest stable step " + std::to_string(limit) + "."));
    }
    natural = parameters.clocks == Clocks::nested
                  ? nested_classes(steps)
                  : one_class(n_units(), fixed > 0 ? fixed : parameters.time_step_ratio * smallest);
    const bool any_between =
        std::any_of(families.begin(), families.end(),
                    [](const Family &family) { return family.role == Role::between; });
    for (unsigned int k = 0; k < natural.n_classes + (any_between ? 1 : 0); ++k)
    {
      const std::int64_t half_stride = std::int64_t(1) << k;
      clocks.push_back({natural.half_tick(), parameters.phase == Phase::centred ? half_stride : 0,
                        2 * half_stride});
    }
    clock_of_unit = natural.of_unit;
    away_units.resize(clocks.size());
    away_watched.resize(clocks.size());
    away_restrained.resize(clocks.size());
  }

  n_units_on_clock.assign(clocks.size(), 0);
  for (const unsigned int clock : clock_of_unit)
    ++n_units_on_clock[clock];
}

template <int spacedim>
void
Stepper<spacedim>::start_queue()
{
  queue.reinit(clocks.size());
  for (unsigned int c = 0; c < clocks.size(); ++c)
    if (n_units_on_clock[c] > 0)
      queue.set(c, clocks[c].time());
}

template <int spacedim>
unsigned int
Stepper<spacedim>::class_between(const Family &family) const
{
  std::vector<char> is_in_family(nodes.size(), 0);
  for (unsigned int k = 0; k < family.kicks->n_kicks(); ++k)
    for (const unsigned int node : family.kicks->support(k))
      is_in_family[node] = 1;
  unsigned int coarsest = 0;
  for (unsigned int unit = 0; unit < n_units(); ++unit)
    for (const unsigned int node : support(unit))
      if (is_in_family[node])
        coarsest = std::max(coarsest, natural.of_unit[unit]);
  return coarsest + 1;
}

template <int spacedim>
std::vector<unsigned int>
Stepper<spacedim>::clocks_of_kicks(const Family &family) const
{
  const unsigned int n_kicks = family.kicks->n_kicks();
  if (family.role == Role::between)
    return std::vector<unsigned int>(n_kicks, class_between(family));
  std::vector<unsigned int> result(n_kicks);
  for (unsigned int k = 0; k < n_kicks; ++k)
    result[k] = clock_of_unit[unit_of_kick(family, k)];
  return result;
}

template <int spacedim>
void
Stepper<spacedim>::give_clocks_to_families()
{
  std::vector<std::pair<unsigned int, unsigned int>> families_on, followers;
  for (unsigned int f = 0; f < families.size(); ++f)
  {
    Family &family = families[f];
    family.n_on_clock.assign(clocks.size(), 0);
    const auto clock_of_kick = clocks_of_kicks(family);
    for (unsigned int k = 0; k < clock_of_kick.size(); ++k)
    {
      ++family.n_on_clock[clock_of_kick[k]];
      if (!has_classes())
        families_on.emplace_back(clock_of_kick[k], f);
      if (family.role == Role::follower)
      {
        followers.emplace_back(family.unit_of_kick[k], follower_kicks.size());
        follower_kicks.emplace_back(f, k);
      }
      if (family.role == Role::between)
        ++n_units_on_clock[clock_of_kick[k]];
    }
    family.kicks->assign_clocks(clock_of_kick, clocks.size());
    // units come and go between classes, so every family may have kicks in any of them
    if (has_classes())
      for (unsigned int c = 0; c < clocks.size(); ++c)
        families_on.emplace_back(c, f);
    else
      family.n_on_clock = {};
  }
  families_of_clock.build(std::move(families_on), clocks.size());
  followers_of_unit.build(std::move(followers), n_units());
}

template <int spacedim>
void
Stepper<spacedim>::index_nodes()
{
  is_watched.resize(nodes.size(), 0);
  std::vector<std::pair<unsigned int, unsigned int>> units, between, watched, restrained;
  for (unsigned int f = 0; f < families.size(); ++f)
  {
    const Family &family = families[f];
    const auto clock_of_kick = clocks_of_kicks(family);
    for (unsigned int k = 0; k < clock_of_kick.size(); ++k)
    {
      if (family.role == Role::between)
        between_kicks.push_back({f, k, clock_of_kick[k]});
      for (const unsigned int node : family.kicks->support(k))
      {
        if (is_watched[node])
        {
          if (family.role == Role::between)
            between.emplace_back(node, between_kicks.size() - 1);
          else
            units.emplace_back(node, unit_of_kick(family, k));
          watched.emplace_back(clock_of_kick[k], node);
        }
        if (nodes.restraints.is_restrained(node))
          restrained.emplace_back(clock_of_kick[k], node);
      }
    }
  }
  units_of_watched.build(std::move(units), nodes.size());
  between_of_watched.build(std::move(between), nodes.size());
  watched_of_clock.build(std::move(watched), clocks.size());
  restrained_of_clock.build(std::move(restrained), clocks.size());
}

template <int spacedim>
void
Stepper<spacedim>::start_prescriptions()
{
  for (Prescription &prescription : prescriptions)
  {
    std::vector<char> moves(nodes.size(), 0);
    for (const unsigned int node : prescription.nodes)
      moves[node] = 1;
    double step = std::numeric_limits<double>::infinity();
    for (unsigned int unit = 0; unit < n_units(); ++unit)
      for (const unsigned int node : support(unit))
        if (moves[node])
          step = std::min(step, clocks[clock_of_unit[unit]].step());
    AssertThrow(std::isfinite(step),
                ExcMessage("No kick acts on nodes whose motion is prescribed."));
    prescription.clock = {0.5 * step, 0, 2};
    if (has_classes())
      prescription.clock = {natural.half_tick(), 0, std::llround(step / natural.half_tick())};

    // the motion is under way at the start: its kinetic energy is no work
    for (const unsigned int node : prescription.nodes)
      nodes.set_velocity(node, nodes.restraints.set_initial_support_velocity(
                                   node, prescription.directions, mean_velocity(prescription, node),
                                   nodes.velocity(node)));
  }
}

template <int spacedim>
void
Stepper<spacedim>::Table::build(std::vector<std::pair<unsigned int, unsigned int>> pairs,
                                const unsigned int n_rows)
{
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  offsets.assign(n_rows + 1, 0);
  for (const auto &pair : pairs)
    ++offsets[pair.first + 1];
  for (unsigned int i = 0; i < n_rows; ++i)
    offsets[i + 1] += offsets[i];
  entries.clear();
  for (const auto &pair : pairs)
    entries.push_back(pair.second);
}

template class Stepper<2>;
template class Stepper<3>;
} // namespace KickDrift
