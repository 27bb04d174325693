// What comes before the first kick.

#include <kickdrift/base/at_work.h>
#include <kickdrift/stepping/division/distribution.h>
#include <kickdrift/stepping/stepper.h>
#include <kickdrift/stepping/steps/mass_scaling.h>
#include <kickdrift/stepping/threads.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
template <int spacedim>
Stepper<spacedim>::Stepper(NodeTable<spacedim> &nodes, const StepperParameters &parameters)
    : nodes(nodes),
      life_of_nodes(nodes.lifetime.watch()),
      parameters(parameters),
      time_levels(parameters),
      step_follower(nodes, families, this->parameters),
      support_index(nodes, families),
      motions(nodes),
      rigid_clocks(nodes),
      rigid_steps(nodes)
{
}

template <int spacedim>
void
Stepper<spacedim>::check_not_started(const std::string &what) const
{
  AssertThrow(!started, ExcAlreadyStarted(what));
}

template <int spacedim>
unsigned int
Stepper<spacedim>::add(std::shared_ptr<Kicks<spacedim>> kicks)
{
  check_not_started("Stepper::add()");
  AssertThrow(time_levels.n_kicks() == 0, ExcStepsKnown());
  const unsigned int first_id = families.n_ids();
  families.add({std::move(kicks), KickRole::own_clock, first_id, {}, {}, 0, 0.});
  return first_id;
}

template <int spacedim>
void
Stepper<spacedim>::add_on_clock_of(std::shared_ptr<Kicks<spacedim>> kicks,
                                   std::vector<unsigned int> id_of_kick)
{
  check_not_started("Stepper::add_on_clock_of()");
  AssertThrow(kicks, ExcNoFamily());
  AssertThrow(kicks->n_kicks() == id_of_kick.size(),
              ExcClocksOfFollower(kicks->n_kicks(), id_of_kick.size()));
  for (const unsigned int id : id_of_kick)
    AssertThrow(id < families.n_ids(), ExcNoSuchKick(id, families.n_ids()));
  families.add({std::move(kicks), KickRole::follower, 0, std::move(id_of_kick), {}, 0, 0.});
}

template <int spacedim>
void
Stepper<spacedim>::add_in_place_of(std::shared_ptr<Kicks<spacedim>> kicks,
                                   const std::vector<std::vector<unsigned int>> &groups)
{
  check_not_started("Stepper::add_in_place_of()");
  AssertThrow(time_levels.has_classes(), ExcNoClasses());
  AssertThrow(kicks, ExcNoFamily());
  AssertThrow(kicks->n_kicks() == groups.size(), ExcReplacement(kicks->n_kicks(), groups.size()));
  for (const auto &ids : groups)
    for (const unsigned int id : ids)
    {
      AssertThrow(id < families.n_ids(), ExcNoSuchKick(id, families.n_ids()));
      AssertThrow(!has_history(id),
                  ExcReplacesHistory(families[families.family_of(id)].kicks->name()));
    }
  KickFamily<spacedim> family{std::move(kicks), KickRole::in_place, 0, {}, {}, 0, 0.};
  family.groups.resize(groups.size());
  families.add(std::move(family));
  for (unsigned int k = 0; k < groups.size(); ++k)
  {
    families.replace(families.size() - 1, k, groups[k], nullptr);
    time_levels.unite(groups[k]);
  }
}

template <int spacedim>
void
Stepper<spacedim>::add_damping(std::shared_ptr<DampingKicks<spacedim>> kicks)
{
  check_not_started("Stepper::add_damping()");
  AssertThrow(time_levels.has_classes() && parameters.phase == Phase::centred,
              ExcNoSynchronisedTimes());
  families.add({std::move(kicks), KickRole::damping, 0, {}, {}, 0, 0.});
}

template <int spacedim>
void
Stepper<spacedim>::prescribe(const std::vector<unsigned int> &restrained,
                             const std::vector<Vector> &directions,
                             std::function<Vector(unsigned int node, double time)> displacement)
{
  check_not_started("Stepper::prescribe()");
  motions.add(restrained, directions, std::move(displacement));
}

template <int spacedim>
void
Stepper<spacedim>::add_rigid_body(const unsigned int body, const std::vector<unsigned int> &ids)
{
  check_not_started("Stepper::add_rigid_body()");
  AssertThrow(time_levels.has_classes(), ExcRigidClocks());
  AssertIndexRange(body, nodes.rigid_bodies.size());
  AssertThrow(!ids.empty(), ExcRigidWithoutKicks(nodes.rigid_bodies.name(body)));
  for (const unsigned int id : ids)
    AssertThrow(id < families.n_ids(), ExcNoSuchKick(id, families.n_ids()));
  time_levels.unite(ids);
  rigid_clocks.add(body, ids);
}

template <int spacedim>
void
Stepper<spacedim>::follow_rigid_body(const std::vector<unsigned int> &body_nodes,
                                     const std::vector<unsigned int> &ids, const double resolution)
{
  check_not_started("Stepper::follow_rigid_body()");
  AssertThrow(time_levels.n_kicks() == 0, ExcStepsKnown());
  AssertThrow(!body_nodes.empty() && !ids.empty(), ExcNoFamily());
  for (const unsigned int id : ids)
    AssertThrow(id < families.n_ids(), ExcNoSuchKick(id, families.n_ids()));
  rigid_steps.add(body_nodes, ids, resolution);
  if (nodes.is_rigid(body_nodes[0]) && parameters.time_step == 0) // a fixed step follows nothing
    rigid_clocks.let_turn(nodes.rigid_bodies.body_of(body_nodes[0]));
}

template <int spacedim>
void
Stepper<spacedim>::attach(EventSource<spacedim> &object)
{
  check_not_started("Stepper::attach()");
  AssertThrow(events == nullptr, ExcTwoEventSources());
  events = &object;
  life_of_events = object.lifetime().watch();
}

template <int spacedim>
void
Stepper<spacedim>::keep_spare_classes()
{
  check_not_started("Stepper::keep_spare_classes()");
  keeps_spare_classes = true;
}

template <int spacedim>
void
Stepper<spacedim>::watch(const std::vector<unsigned int> &some_nodes, const WatchedKicks kicks)
{
  check_not_started("Stepper::watch()");
  support_index.watch(some_nodes, kicks);
}

template <int spacedim>
void
Stepper<spacedim>::scale_masses(const double step, const std::vector<unsigned int> &only)
{
  check_not_started("Stepper::scale_masses()");
  AssertThrow(time_levels.n_kicks() == 0, ExcStepsKnown());
  const auto masses = masses_for_step(step, only);
  for (unsigned int node = 0; node < nodes.size(); ++node)
    if (masses[node] > nodes.mass(node))
      nodes.set_mass(node, masses[node]);
}

template <int spacedim>
std::vector<double>
Stepper<spacedim>::masses_for_step(const double step, const std::vector<unsigned int> &only) const
{
  AssertThrow(parameters.mass_for_steps == MassForSteps::shared, ExcMassScaling());
  AssertThrow(step > 0 && std::isfinite(step),
              ExcParameter("step of scale_masses()", step, "numbers above 0"));
  check_supports();
  std::vector<char> may_grow(nodes.size(), only.empty());
  for (const unsigned int node : only)
  {
    AssertThrow(node < nodes.size(), ExcNoSuchNode("Mass is to be added to", node, nodes.size()));
    may_grow[node] = 1;
  }
  std::vector<double> steps(families.n_ids(), step);
  // so long without damping that they are as long as wanted with it
  const auto times = families.damping_times();
  for (unsigned int id = 0; id < times.size(); ++id)
    steps[id] = std::sqrt(step * (step + 2 * times[id]));
  return masses_for_steps(families.with_ids(), nodes, steps, std::move(may_grow));
}

template <int spacedim>
void
Stepper<spacedim>::find_critical_steps()
{
  check_not_started("Stepper::find_critical_steps()");
  if (time_levels.n_kicks() > 0)
    return;
  check_supports();
  std::vector<double> steps = step_follower.find_critical_steps();
  rigid_steps.start(steps, families, motions, parameters.time_step, parameters.time_step_ratio);
  for (const double step : steps)
    time_levels.add(step);
}

template <int spacedim>
TimeLevels::Neighbourhood
Stepper<spacedim>::neighbourhood() const
{
  TimeLevels::Neighbourhood result;
  if (parameters.clocks == Clocks::nested && parameters.stability_rule)
    result.nodes_of_kick = families.nodes_of_kicks();
  if (parameters.has_filtered_boundaries())
    result.strata = families.strata_of_kicks();
  result.n_nodes = nodes.size();
  result.is_constant = step_follower.is_constant() && !keeps_spare_classes;
  result.n_spare = rigid_steps.n_spare_classes();
  for (unsigned int f = 0; f < families.size(); ++f)
    result.has_history = result.has_history || families[f].kicks->has_history();
  return result;
}

/// Nodes that damping connects have kicks of one class: a fast one would go round between the kicks
/// of a slow one, and displacements of two times tell nothing of that.
template <int spacedim>
void
Stepper<spacedim>::unite_kicks_of_damping()
{
  std::vector<std::vector<unsigned int>> connected;
  for (unsigned int f = 0; f < families.size(); ++f)
    if (families[f].role == KickRole::damping)
      for (unsigned int k = 0; k < families[f].kicks->n_kicks(); ++k)
      {
        connected.push_back(families[f].kicks->support(k));
        if (connected.back().size() < 2)
          connected.pop_back();
      }
  if (connected.empty())
    return;
  std::vector<std::vector<unsigned int>> kicks_of_node(nodes.size());
  const auto nodes_of_kick = families.nodes_of_kicks();
  for (unsigned int id = 0; id < families.n_ids(); ++id)
    for (const unsigned int node : nodes_of_kick.row(id))
      kicks_of_node[node].push_back(id);
  for (const auto &support : connected)
  {
    std::vector<unsigned int> ids;
    for (const unsigned int node : support)
      ids.insert(ids.end(), kicks_of_node[node].begin(), kicks_of_node[node].end());
    if (!ids.empty())
      time_levels.unite(ids);
  }
}

template <int spacedim>
void
Stepper<spacedim>::start()
{
  const AtWork work(is_at_work);
  AssertThrow(work.begins(), ExcAtWork("Stepper::start()"));
  check_not_started("Stepper::start()");
  AssertThrow(!life_of_nodes.has_ended(), ExcDestroyed("node table"));
  check_nodes();
  check_supports();
  check_damping_of_rigid_bodies();
  rigid_clocks.take_start();
  for (unsigned int body = 0; body < nodes.rigid_bodies.size(); ++body)
    support_index.watch(nodes.rigid_bodies.nodes_of(body),
                        WatchedKicks::by_all); // a kick of one moves all
  find_critical_steps();
  check_fixed_step();
  unite_kicks_of_damping();
  started = true;
  n_nodes = nodes.size();
  n_restrained = nodes.restraints.n_nodes();
  if (families.has(KickRole::damping)) // all processes keep its losses
    nodes.damping_losses.resize(n_nodes);
  if (parameters.threads != 1)
  {
    team = std::make_shared<Threads>(parameters.threads);
    for (unsigned int f = 0; f < families.size(); ++f)
      families[f].kicks->use_threads(team, nodes);
  }
  time_levels.start(neighbourhood());
  const bool are_several = parameters.ranks && parameters.ranks->size() > 1;
  if (parameters.has_filtered_boundaries()) // while all kicks are known
    boundaries = std::make_unique<ClassBoundaries<spacedim>>(
        families, are_several ? parameters.ranks.get() : nullptr,
        [this](const std::vector<unsigned int> &of_nodes)
        { return distribution->halo_of(of_nodes, spacedim); });
  if (are_several)
  {
    for (unsigned int f = 0; f < families.size(); ++f)
    {
      const Kicks<spacedim> &kicks = *families[f].kicks;
      AssertThrow(!kicks.is_for_one_process(),
                  ExcOneProcess("kicks of the family '" + kicks.name() + "'"));
    }
    distribution = std::make_shared<Distribution<spacedim>>(*parameters.ranks, nodes, families);
    distribution->divide(time_levels, nodes_of_events(), parameters.owners.get());
  }
  families.assign_clocks(time_levels, nodes);
  time_levels.clocks().start();
  if (distribution)
    distribution->start(time_levels);
  if (boundaries)
    boundaries->choose_sweeps(nodes, time_levels);
  n_unmeasured.assign(time_levels.has_classes() ? time_levels.clocks().size() : 1, 0);
  support_index.start(time_levels);
  if (!time_levels.has_classes())
    prepare_sequence();
  motions.start(time_levels, support_index, rigid_steps.ids());
  rigid_clocks.start(time_levels, support_index, families);
  step_follower.start(time_levels, distribution);
  if (!step_follower.is_constant())
    time_levels.be_patient(step_follower.first_patience());
}

template <int spacedim>
NodesOfAll
Stepper<spacedim>::nodes_of_events() const
{
  NodesOfAll result;
  for (unsigned int node = 0; node < nodes.size(); ++node)
    if (support_index.is_kicked_by_all(node))
      result.kicked.push_back(node);
    else if (support_index.is_watched(node))
      result.known.push_back(node);
  return result;
}

template <int spacedim>
void
Stepper<spacedim>::check_damping_of_rigid_bodies() const
{
  for (unsigned int f = 0; f < families.size() && !nodes.rigid_bodies.empty(); ++f)
  {
    const Kicks<spacedim> &kicks = *families[f].kicks;
    if (families[f].role != KickRole::damping)
      continue;
    for (unsigned int k = 0; k < kicks.n_kicks(); ++k)
      for (const unsigned int node : kicks.support(k))
        AssertThrow(!nodes.is_rigid(node),
                    ExcRigidDamping(kicks.name(),
                                    nodes.rigid_bodies.name(nodes.rigid_bodies.body_of(node))));
  }
}

template <int spacedim>
void
Stepper<spacedim>::check_nodes() const
{
  for (unsigned int node = 0; node < nodes.size(); ++node)
  {
    AssertThrow(std::isfinite(nodes.position(node).norm_square()),
                ExcNodeNotFinite(node, "position"));
    AssertThrow(std::isfinite(nodes.velocity(node).norm_square()),
                ExcNodeNotFinite(node, "velocity"));
  }
  for (const unsigned int node : nodes.restraints.nodes())
    AssertThrow(node < nodes.size(), ExcNoSuchNode("A restraint is on", node, nodes.size()));
}

template <int spacedim>
void
Stepper<spacedim>::check_supports() const
{
  for (unsigned int f = 0; f < families.size(); ++f)
    for (unsigned int k = 0; k < families[f].kicks->n_kicks(); ++k)
      for (const unsigned int node : families[f].kicks->support(k))
        AssertThrow(node < nodes.size(),
                    ExcNoSuchNode("Kick " + std::to_string(k) + " of family '" +
                                      families[f].kicks->name() + "' acts on",
                                  node, nodes.size()));
}

template <int spacedim>
StabilityLimit
Stepper<spacedim>::largest_stable_step(const NodeTable<spacedim> &with_masses) const
{
  AssertThrow(!distribution, ExcOneProcess("largest stable step after start()"));
  // forces are cheaper once kicks are on clocks
  StabilityLimit limit =
      stability_limit(families.with_ids(), with_masses, started ? time_levels.clocks().size() : 0);
  const auto times = families.damping_times();
  if (times.empty())
    return limit;
  // All kicks together bear what each of them bears, and what the whole would with the damping of
  // the one that is damped most: the longer of the two.
  auto steps = CriticalSteps<spacedim>(families.with_ids(), with_masses, parameters.mass_for_steps)
                   .reference();
  for (unsigned int id = 0; id < steps.size(); ++id)
    steps[id] = damped_step(steps[id], times[id] / steps[id]);
  const double longest_time = *std::max_element(times.begin(), times.end());
  limit.step = std::max(damped_step(limit.step, longest_time / limit.step),
                        *std::min_element(steps.begin(), steps.end()));
  return limit;
}

template <int spacedim>
void
Stepper<spacedim>::check_fixed_step() const
{
  const double step = parameters.time_step;
  if (step == 0 || time_levels.n_kicks() == 0 || step <= time_levels.smallest_critical_step())
    return;
  const StabilityLimit found = largest_stable_step(nodes);
  // one that has not converged may be too long by any amount
  const double limit = found.has_converged ? found.step : time_levels.smallest_critical_step();
  AssertThrow(step <= limit, ExcUnstableStep(step, limit));
}

template class Stepper<2>;
template class Stepper<3>;
} // namespace KickDrift
