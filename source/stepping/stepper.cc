#include <kickdrift/stepping/stepper.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <chrono>

namespace KickDrift
{
using dealii::ExcMessage;
using SteadyClock = std::chrono::steady_clock;

template <int spacedim>
void
Stepper<spacedim>::advance_to(const double time)
{
  AssertThrow(started, ExcMessage("Stepper::start() must be called first."));
  // for kicks at the start of intervals, classes change before them; otherwise after collisions
  const bool changes_first = parameters.phase == Phase::start;
  while (true)
  {
    const double kick = queue.time();
    const double collision = events ? events->next_time() : TournamentTree::never;
    double prescribed = TournamentTree::never;
    for (const Prescription &p : prescriptions)
      prescribed = std::min(prescribed, p.clock.time());

    const double next = std::min(std::min(kick, collision), std::min(prescribed, next_change));
    if (next > time)
      break;
    current = next;
    if (changes_first && next_change == next)
      change_classes(next);
    else if (kick == next && has_classes())
      kick_clock(queue.slot());
    else if (kick == next)
      kick_in_sequence(std::min(std::min(collision, prescribed), time));
    else if (prescribed == next)
    {
      for (Prescription &p : prescriptions)
        if (p.clock.time() == next)
          kick_clock(p);
    }
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
  Clock &clock = clocks[c];
  const double time = clock.time();
  const double step = clock.step();
  const auto present = families_of_clock.row(c);
  const double weight = weight_of_sample(n_units_on_clock[c]);
  auto begin = weight > 0 ? SteadyClock::now() : SteadyClock::time_point();
  for (const unsigned int f : present)
  {
    Family &family = families[f];
    const unsigned int n = has_classes() ? family.n_on_clock[c] : 1;
    if (n == 0)
      continue;
    family.kicks->kick(nodes, c, time, step);
    family.kicks->book(nodes, c, time);
    family.count += n;
    if (weight > 0)
    {
      const auto end = SteadyClock::now();
      family.time += weight * std::chrono::duration<double>(end - begin).count();
      begin = end;
    }
  }
  for (const unsigned int node : restrained_of_clock.row(c))
    nodes.enforce_restraint(node);
  if (has_classes())
    for (const unsigned int node : away_restrained[c])
      nodes.enforce_restraint(node);

  clock.advance();
  queue.set(c, clock.time());

  if (events)
  {
    events->nodes_kicked(watched_of_clock.row(c), time);
    if (has_classes() && !away_watched[c].empty())
      events->nodes_kicked(dealii::make_array_view(away_watched[c]), time);
  }
}

template <int spacedim>
double
Stepper<spacedim>::weight_of_sample(const unsigned int n_kicks)
{
  // asking the clock twice takes as long as two kicks
  constexpr unsigned int often_enough = 512;
  n_unmeasured += n_kicks;
  if (n_unmeasured < often_enough)
    return 0;
  const double weight = double(n_unmeasured) / n_kicks;
  n_unmeasured = 0;
  return weight;
}

template <int spacedim>
typename Stepper<spacedim>::Vector
Stepper<spacedim>::mean_velocity(const Prescription &prescription, const unsigned int node) const
{
  const double step = prescription.clock.step();
  // from where the node is, not from where it should be: rounding does not accumulate
  return (prescription.displacement(node, prescription.clock.time() + step) -
          nodes.displacement(node)) /
         step;
}

template <int spacedim>
void
Stepper<spacedim>::kick_clock(Prescription &prescription)
{
  const double time = prescription.clock.time();
  std::vector<unsigned int> watched;
  for (const unsigned int node : prescription.nodes)
  {
    nodes[node].drift(time);
    nodes.set_velocity(node, nodes.restraints.set_support_velocity(
                                 node, prescription.directions, mean_velocity(prescription, node),
                                 nodes.velocity(node), nodes.mass(node)));
    if (is_watched[node])
      watched.push_back(node);
  }
  prescription.clock.advance();
  if (events && !watched.empty())
    events->nodes_kicked(dealii::make_array_view(watched), time);
}

template <int spacedim>
NodeTable<spacedim>
Stepper<spacedim>::snapshot(const double time) const
{
  NodeTable<spacedim> copy = nodes;
  for (unsigned int node = 0; node < copy.size(); ++node)
    copy[node].drift(time);
  for (unsigned int c = 0; c < clocks.size(); ++c)
    if (n_units_on_clock[c] > 0)
      for (const unsigned int f : families_of_clock.row(c))
        if (!has_classes() || families[f].n_on_clock[c] > 0)
          families[f].kicks->kick(copy, c, time, time - clocks[c].covered_until());
  for (const unsigned int node : copy.restraints.nodes())
    copy.enforce_restraint(node);
  return copy;
}

template <int spacedim>
EnergyBalance
Stepper<spacedim>::energy(const NodeTable<spacedim> &synchronised) const
{
  EnergyBalance balance;
  for (unsigned int node = 0; node < synchronised.size(); ++node)
    balance.kinetic += 0.5 * synchronised.mass(node) * synchronised.velocity(node).norm_square();
  for (const Family &family : families)
    family.kicks->add_energy(synchronised, balance);
  balance.prescribed_work = synchronised.restraints.prescribed_work();
  balance.damping_loss = synchronised.damping_loss;
  return balance;
}

template <int spacedim>
typename Stepper<spacedim>::Vector
Stepper<spacedim>::synchronised_velocity(const unsigned int node, const double time) const
{
  Vector impulse;
  std::vector<Vector> forces;
  const auto add = [&](const Kicks<spacedim> &kicks, const unsigned int k, const double duration)
  {
    const auto support = kicks.support(k);
    kicks.force(nodes, k, time, forces);
    for (unsigned int i = 0; i < support.size(); ++i)
      if (support[i] == node)
        impulse += duration * forces[i];
  };
  for (const unsigned int unit : units_of_node(node))
  {
    const double duration = time - clocks[clock_of_unit[unit]].covered_until();
    if (duration == 0)
      continue;
    const Family &family = families[family_of(unit)];
    add(*family.kicks, unit - family.first_unit, duration);
    for (const unsigned int id : followers_of_unit.row(unit))
      add(*families[follower_kicks[id].first].kicks, follower_kicks[id].second, duration);
  }
  for (const unsigned int id : between_of_watched.row(node))
  {
    const BetweenKick &between = between_kicks[id];
    add(*families[between.family].kicks, between.kick,
        time - clocks[between.clock].covered_until());
  }
  return nodes.velocity(node) + nodes.velocity_change(node, impulse);
}

template <int spacedim>
std::vector<typename Stepper<spacedim>::Vector>
Stepper<spacedim>::forces_on(const std::vector<unsigned int> &wanted, const double time) const
{
  std::vector<Vector> result(wanted.size()), forces;
  std::unordered_map<unsigned int, unsigned int> index;
  std::vector<unsigned int> units;
  for (unsigned int i = 0; i < wanted.size(); ++i)
  {
    index[wanted[i]] = i;
    units.insert(units.end(), units_of_node(wanted[i]).begin(), units_of_node(wanted[i]).end());
  }
  std::sort(units.begin(), units.end());
  units.erase(std::unique(units.begin(), units.end()), units.end());
  const auto add = [&](const Kicks<spacedim> &kicks, const unsigned int k)
  {
    const auto support = kicks.support(k);
    kicks.force(nodes, k, time, forces);
    for (unsigned int i = 0; i < support.size(); ++i)
    {
      const auto found = index.find(support[i]);
      if (found != index.end())
        result[found->second] += forces[i];
    }
  };
  for (const unsigned int unit : units)
  {
    const Family &family = families[family_of(unit)];
    add(*family.kicks, unit - family.first_unit);
    for (const unsigned int id : followers_of_unit.row(unit))
      add(*families[follower_kicks[id].first].kicks, follower_kicks[id].second);
  }
  return result;
}

template <int spacedim>
bool
Stepper<spacedim>::at_common_instant(const unsigned int node, const double time) const
{
  for (const unsigned int unit : units_of_node(node))
    if (clocks[clock_of_unit[unit]].covered_until() != time)
      return false;
  return true;
}

template <int spacedim>
dealii::ArrayView<const unsigned int>
Stepper<spacedim>::units_of_node(const unsigned int node) const
{
  return units_of_watched.row(node);
}

template <int spacedim>
std::vector<unsigned int>
Stepper<spacedim>::support(const unsigned int unit) const
{
  const Family &family = families[family_of(unit)];
  return family.kicks->support(unit - family.first_unit);
}

template <int spacedim>
unsigned int
Stepper<spacedim>::family_of(const unsigned int unit) const
{
  for (unsigned int f = 0; f < families.size(); ++f)
    if (families[f].role == Role::leader &&
        unit < families[f].first_unit + families[f].kicks->n_kicks())
      return f;
  AssertThrow(false, ExcMessage("There is no such unit."));
  return 0;
}

template <int spacedim>
double
Stepper<spacedim>::natural_step_of_unit(const unsigned int unit) const
{
  return has_classes() ? natural.step(natural.of_unit[unit]) : clocks[unit].step();
}

template <int spacedim>
std::vector<std::pair<std::string, std::uint64_t>>
Stepper<spacedim>::kick_counts() const
{
  std::vector<std::pair<std::string, std::uint64_t>> counts;
  for (const Family &family : families)
  {
    const auto same_name =
        std::find_if(counts.begin(), counts.end(),
                     [&](const auto &entry) { return entry.first == family.kicks->name(); });
    if (same_name == counts.end())
      counts.emplace_back(family.kicks->name(), family.count);
    else
      same_name->second += family.count;
  }
  return counts;
}

template <int spacedim>
std::map<std::string, typename Stepper<spacedim>::KickTime>
Stepper<spacedim>::kick_times() const
{
  std::map<std::string, KickTime> times;
  for (const Family &family : families)
  {
    KickTime &time = times[family.kicks->name()];
    time.total += family.time;
    time.drift += family.kicks->drift_share() * family.time;
  }
  return times;
}

template <int spacedim>
std::pair<double, double>
Stepper<spacedim>::kick_rates() const
{
  const double smallest = *std::min_element(critical_steps.begin(), critical_steps.end());
  double rate = 0;
  for (unsigned int unit = 0; unit < n_units(); ++unit)
    rate += 1. / natural_step_of_unit(unit);
  const double step =
      parameters.time_step > 0 ? parameters.time_step : parameters.time_step_ratio * smallest;
  return {rate, n_units() / step};
}

template class Stepper<2>;
template class Stepper<3>;
} // namespace KickDrift
