#include <kickdrift/base/archive_checks.h>
#include <kickdrift/base/at_work.h>
#include <kickdrift/base/std_exceptions.h>
#include <kickdrift/stepping/division/distribution.h>
#include <kickdrift/stepping/stepper.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

namespace KickDrift
{
using SteadyClock = std::chrono::steady_clock;

template <int spacedim>
void
Stepper<spacedim>::check_advance(const double time) const
{
  AssertThrow(started, ExcNotStarted("Stepper::advance_to()"));
  AssertThrow(!is_in_step, ExcStopped(now));
  AssertThrow(std::isfinite(time) && time >= now, ExcTargetTime(time, now));
  AssertThrow(!life_of_nodes.has_ended(), ExcDestroyed("node table"));
  AssertThrow(nodes.size() == n_nodes, ExcNodesChanged(n_nodes, nodes.size()));
  AssertThrow(nodes.restraints.n_nodes() == n_restrained,
              ExcRestraintsChanged(n_restrained, nodes.restraints.n_nodes()));
  AssertThrow(!events || !life_of_events.has_ended(), ExcDestroyed("event source"));
}

template <int spacedim>
double
Stepper<spacedim>::next_time() const
{
  AssertThrow(started, ExcNotStarted("Stepper::next_time()"));
  return std::min({time_levels.clocks().next_time(), time_levels.next_change(),
                   has_events() ? events->next_time() : TournamentTree::never, motions.next_time(),
                   step_follower.next_time()});
}

template <int spacedim>
void
Stepper<spacedim>::advance_to(const double time)
{
  const AtWork work(is_at_work);
  AssertThrow(work.begins(), ExcAtWork("Stepper::advance_to()"));
  if (!distribution)
  {
    step_to(time);
    is_in_step = false;
    return;
  }
  try
  {
    with_std_exceptions(
        [&]
        {
          step_to(time);
          gather();
        });
    is_in_step = false;
  }
  catch (const std::exception &exception)
  {
    parameters.ranks->fail(exception); // others may wait for this one in the midst of a step
    throw;
  }
}

template <int spacedim>
void
Stepper<spacedim>::gather()
{
  distribution->gather(nodes);
  distribution->gather_accounts();
  step_follower.gather();
}

template <int spacedim>
void
Stepper<spacedim>::step_to(const double time)
{
  check_advance(time);
  is_in_step = true;
  // for kicks at the start of intervals, classes change before them; otherwise after collisions
  const bool changes_first = parameters.phase == Phase::start;
  while (true)
  {
    const double kick = time_levels.clocks().next_time();
    const double collision = events ? events->next_time() : TournamentTree::never;
    const double prescribed = motions.next_time();
    const double change = time_levels.next_change();

    const double look = step_follower.next_time();

    const double next =
        std::min(std::min(std::min(kick, collision), std::min(prescribed, change)), look);
    if (next > time)
      break;
    current = next;
    if (look == next)
    {
      follow_deformation();
      continue;
    }
    if (changes_first && change == next)
      change_classes(next);
    else if (kick == next && time_levels.has_classes())
      kick_clock(time_levels.clocks().next());
    else if (kick == next)
      kick_in_sequence(std::min(std::min(collision, prescribed), std::min(look, time)));
    else if (prescribed == next)
      motions.kick(next, time_levels, support_index, events);
    else if (collision == next)
      events->process(next);
    else
      change_classes(next);
  }
  now = time;
}

template <int spacedim>
void
Stepper<spacedim>::kick_clock(const unsigned int c)
{
  ClockQueue &clocks = time_levels.clocks();
  const double time = clocks[c].time();
  const double step = clocks[c].step();
  const double weight = weight_of_sample(c, clocks.n_kicks(c));
  auto begin = weight > 0 ? SteadyClock::now() : SteadyClock::time_point();
  const auto add_time = [&](double &sum)
  {
    if (weight == 0)
      return;
    const auto end = SteadyClock::now();
    sum += weight * std::chrono::duration<double>(end - begin).count();
    begin = end;
  };
  const auto count = [&](KickFamily<spacedim> &family)
  {
    family.count += family.n_on_clock[c];
    add_time(family.time);
  };
  std::vector<std::vector<Vector>> before_kicks; // by family of damping
  families.for_each_damping(c, [&](KickFamily<spacedim> &, const DampingKicks<spacedim> &damping)
                            { before_kicks.push_back(damping.velocities(nodes, c)); });
  if (boundaries)
  {
    boundaries->shift(nodes, time_levels, c, time);
    add_time(time_of_boundaries);
  }
  for (const unsigned int f : families.on_clock(c))
  {
    KickFamily<spacedim> &family = families[f];
    if (family.n_on_clock[c] == 0 || family.role == KickRole::damping)
      continue;
    family.kicks->kick(nodes, c, time, step);
    check_forces(family, [time](unsigned int) { return time; });
    family.kicks->book(nodes, c, time);
    count(family);
  }
  end_kicks(c, time, step);
  if (boundaries)
    boundaries->restore(nodes, c);
  // lines of others that have not been kicked here are still to be drifted, as they are
  const auto enforce = [&](const unsigned int node)
  {
    if (!distribution || distribution->owns(node))
      nodes.enforce_restraint(node);
  };
  for (const unsigned int node : support_index.restrained_on_clock(c))
    enforce(node);
  for (const unsigned int node : support_index.restrained_promoted_to(c))
    enforce(node);
  auto before = before_kicks.begin();
  families.for_each_damping(c,
                            [&](KickFamily<spacedim> &family, DampingKicks<spacedim> &damping)
                            {
                              damping.damp(nodes, *before++, c, time, step);
                              count(family);
                            });
  if (distribution)
    distribution->exchange(c);

  clocks.advance(c);
  if (!rigid_clocks.empty())
    rigid_clocks.kicked(c, time, time_levels, has_events() ? events : nullptr);

  if (events)
  {
    events->nodes_kicked(support_index.watched_on_clock(c), time);
    const auto &promoted = support_index.watched_promoted_to(c);
    if (!promoted.empty())
      events->nodes_kicked(dealii::make_array_view(promoted), time);
  }

  if (rigid_steps.kicked(c, time_levels))
  {
    std::vector<double> steps;
    for (unsigned int id = 0; id < time_levels.n_kicks(); ++id)
      steps.push_back(time_levels.current_critical_step(id));
    follow(std::move(steps));
  }
}

template <int spacedim>
void
Stepper<spacedim>::refuse_forces(const KickFamily<spacedim> &family, const unsigned int clock,
                                 const double time)
{
  now = time;
  // A kick changes velocities only; nodes are still where the force was met, if they do not move.
  // But a force that is not finite may have shifted them, beside finer classes, to anywhere.
  std::vector<NodeTable<spacedim>> states(1, nodes);
  if (boundaries)
  {
    boundaries->restore(nodes, clock);
    states.insert(states.begin(), nodes);
  }
  std::optional<unsigned int> first, culprit;
  std::vector<Vector> forces;
  for (NodeTable<spacedim> &still : states)
  {
    for (unsigned int node = 0; node < still.size(); ++node)
      still.set_velocity(node, {});
    for (unsigned int k = 0; k < family.kicks->n_kicks() && !culprit; ++k)
    {
      if (!family.is_given(k) || family.elsewhere(k) ||
          time_levels.clock_of_kick(family.id_of_kick(k)) != clock)
        continue;
      family.kicks->force(still, k, time, forces);
      first = first.value_or(k);
      if (std::any_of(forces.begin(), forces.end(),
                      [](const Vector &force) { return !std::isfinite(force.norm_square()); }))
        culprit = k;
    }
  }
  culprit = culprit ? culprit : first;
  throw ExcUndefinedForce(family.kicks->name(), family.id_of_kick(culprit.value_or(0)), time);
}

template <int spacedim>
void
Stepper<spacedim>::end_kicks(const unsigned int clock, const double time, const double step)
{
  const double excess = 0.5 * step;                         // see Clock::covered_until()
  std::vector<std::pair<unsigned int, unsigned int>> ended; // families, kicks
  bool divided = false;
  for (const unsigned int f : families.on_clock(clock))
    if (families[f].kicks->can_end() &&
        (!time_levels.has_classes() || families[f].n_on_clock[clock] > 0))
    {
      divided = divided || (distribution && distribution->divides_ends(f));
      for (const unsigned int k : families[f].kicks->take_ended())
        ended.emplace_back(f, k);
    }
  if (divided)
    ended = distribution->agree_on_ended(ended);
  std::vector<Vector> forces;
  for (const auto &[f, k] : ended)
  {
    const unsigned int id = families[f].id_of_kick(k);
    std::vector<std::pair<Kicks<spacedim> *, unsigned int>> ending;
    families.for_each_that_ends(id,
                                [&](Kicks<spacedim> &kicks, const unsigned int kick)
                                {
                                  ending.emplace_back(&kicks, kick);
                                  if (families.elsewhere(id))
                                    return;
                                  const auto support = kicks.support(kick);
                                  kicks.checked_force(nodes, kick, time, support.size(), forces);
                                  for (unsigned int i = 0; i < support.size(); ++i)
                                  {
                                    NodeState &node = nodes[support[i]];
                                    for (unsigned int d = 0; d < spacedim; ++d)
                                      node.velocity[d] -= excess * node.inverse_mass * forces[i][d];
                                  }
                                });
    // the followed one comes last: followers may ask what it has given
    std::rotate(ending.begin(), ending.begin() + 1, ending.end());
    for (const auto &[kicks, kick] : ending)
      kicks->end(nodes, kick);
    families.end(f, k, time_levels);
    support_index.end(id);
    step_follower.ended(id);
    if (boundaries)
      boundaries->changed(id);
  }
  if (distribution)
    distribution->return_lines();
}

template <int spacedim>
double
Stepper<spacedim>::weight_of_sample(const unsigned int sampled, const unsigned int n_kicks)
{
  // reading the clock twice takes as long as two kicks
  constexpr unsigned int kicks_between_samples = 512;
  unsigned int &n = n_unmeasured[sampled];
  n += n_kicks;
  if (n < kicks_between_samples)
    return 0;
  const double weight = double(n) / n_kicks;
  n = 0;
  return weight;
}

template <int spacedim>
void
Stepper<spacedim>::change_classes(const double time)
{
  std::vector<char> changed(time_levels.clocks().size(), 0);
  std::vector<unsigned int> moved;
  time_levels.change_classes(
      time,
      [&](const unsigned int id, const unsigned int from, const unsigned int to)
      {
        families.change_clock(id, from, to);
        if (distribution)
          distribution->change_clock(id, to);
        if (boundaries)
          boundaries->changed(id);
        changed[from] = changed[to] = 1;
        moved.push_back(id);
      });
  for (unsigned int c = 0; c < changed.size(); ++c)
    if (changed[c])
      support_index.set_promoted(c, time_levels.promoted_to(c));
  rigid_clocks.clocks_changed(time_levels);
  if (events && !moved.empty())
    events->kicks_moved(dealii::make_array_view(moved), time);
}

template <int spacedim>
void
Stepper<spacedim>::give_in_place_of(const Kicks<spacedim> &kicks, const unsigned int k,
                                    const std::vector<unsigned int> &ids)
{
  AssertThrow(!distribution,
              ExcOneProcess("kicks given in place of others while the stepper runs"));
  unsigned int f = 0;
  while (f < families.size() && families[f].kicks.get() != &kicks)
    ++f;
  AssertThrow(f < families.size() && families[f].role == KickRole::in_place, ExcNoFamily());
  AssertIndexRange(k, families[f].groups.size());
  const auto check = [&](const unsigned int id)
  {
    AssertThrow(id < families.n_ids(), ExcNoSuchKick(id, families.n_ids()));
    AssertThrow(parameters.phase == Phase::centred && time_levels.covered_until(id) == current,
                ExcReplacementNow(id));
  };
  std::for_each(families[f].groups[k].begin(), families[f].groups[k].end(), check);
  std::for_each(ids.begin(), ids.end(), check);
  families.replace(f, k, ids, &time_levels);
  if (boundaries)
    boundaries->find_anew();
  if (!time_levels.unite(
          families[f].groups[k], [&] { return neighbourhood(); }, current))
    return;
  step_follower.classes_changed(time_levels);
  if (events)
    events->classes_changed();
}

template <int spacedim>
void
Stepper<spacedim>::follow_deformation()
{
  const bool can_follow = time_levels.has_classes() && parameters.time_step == 0;
  const bool has_changed = step_follower.look(time_levels);
  if (std::isnan(step_follower.largest_ratio())) // there is no stiffness, so there are no forces
  {
    now = current;
    const unsigned int id = step_follower.id_of_largest_ratio();
    throw ExcUndefinedForce(families[families.family_of(id)].kicks->name(), id, now);
  }
  if (!has_changed || !can_follow)
    return;
  follow(step_follower.critical_steps());
}

template <int spacedim>
void
Stepper<spacedim>::follow(std::vector<double> steps)
{
  rigid_steps.put(steps, time_levels);
  if (!time_levels.follow(steps, neighbourhood(), current))
    return;
  step_follower.classes_changed(time_levels);
  if (events)
    events->classes_changed();
}

template <int spacedim>
void
Stepper<spacedim>::serialize(Archive &archive)
{
  AssertThrow(started, ExcNotStarted("Stepper::serialize()"));
  const AtWork work(is_at_work);
  AssertThrow(work.begins(), ExcAtWork("Stepper::serialize()"));
  AssertThrow(!is_in_step || archive.is_reading(), ExcStopped(now));
  archive.section("stepper");
  families.serialize(archive, time_levels);
  if (archive.is_reading())
    for (unsigned int f = 0; f < families.size(); ++f)
      for (const auto &group : families[f].groups)
        time_levels.unite(group);
  time_levels.serialize(archive,
                        [&](const unsigned int id, const unsigned int from, const unsigned int to)
                        {
                          families.change_clock(id, from, to);
                          if (distribution)
                            distribution->change_clock(id, to);
                        });
  for (unsigned int f = 0; f < families.size(); ++f)
  {
    archive.section(families[f].kicks->name());
    archive(families[f].count, families[f].time, *families[f].kicks);
  }
  if (boundaries)
    archive(*boundaries, time_of_boundaries);
  archive(motions, step_follower, rigid_steps, now, current);
  if (!archive.is_reading())
    return;
  if (boundaries)
    boundaries->find_anew();
  step_follower.resume(time_levels);
  rigid_clocks.resume(time_levels);
  for (unsigned int id = 0; id < families.n_ids(); ++id)
    if (families.ended(id))
      support_index.end(id);
  if (time_levels.has_classes())
    for (unsigned int c = 0; c < time_levels.clocks().size(); ++c)
      support_index.set_promoted(c, time_levels.promoted_to(c));
  check_state(std::isfinite(now) && current >= 0 && current <= now, "stepper");
  check_state(time_levels.next_change() >= now && motions.next_time() >= now &&
                  time_levels.clocks().next_time() >= now,
              "stepper");
  is_in_step = false;
}

template class Stepper<2>;
template class Stepper<3>;
} // namespace KickDrift
