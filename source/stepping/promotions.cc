// Units that leave their own step class for a while: the part of the stepper that serves contact
// zones.

#include <kickdrift/stepping/stepper.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
template <int spacedim>
std::int64_t
Stepper<spacedim>::tick_at(const double time) const
{
  const double unit = natural.half_tick();
  std::int64_t tick = std::llround(time / unit);
  while (tick * unit > time)
    --tick;
  while ((tick + 1) * unit <= time)
    ++tick;
  return tick;
}

template <int spacedim>
double
Stepper<spacedim>::next_common_instant(const unsigned int step_class, const double time) const
{
  const std::int64_t period = std::int64_t(2) << step_class;
  const std::int64_t first = parameters.phase == Phase::centred ? 0 : period / 2;
  const std::int64_t tick = tick_at(time) - first;
  const std::int64_t n_periods = tick >= 0 ? tick / period : -((-tick + period - 1) / period);
  return ((n_periods + 1) * period + first) * natural.half_tick();
}

template <int spacedim>
void
Stepper<spacedim>::promote(const unsigned int unit, const unsigned int step_class,
                           const double until)
{
  Assert(has_classes(), dealii::ExcMessage("Only units with step classes can be leased."));
  if (natural.of_unit[unit] <= step_class)
    return; // is kicked often enough
  const auto [it, is_new] = promotions.emplace(unit, Promotion{step_class, until});
  if (is_new)
    promoted.push_back(unit);
  else if (it->second.until < current)
    it->second = {step_class, until};
  else if (step_class <= it->second.step_class)
    it->second = {step_class, std::max(until, it->second.until)};
  if (clock_of_unit[unit] == it->second.step_class)
    return;

  const std::int64_t period = std::int64_t(2) << step_class;
  // kicks at the start of intervals that begin now have been given already
  const std::int64_t tick = tick_at(current) + (parameters.phase == Phase::start ? 1 : 0);
  const std::int64_t change = (tick + period - 1) / period * period;
  next_change = std::min(next_change, change * natural.half_tick());
}

template <int spacedim>
void
Stepper<spacedim>::change_classes(const double time)
{
  const std::int64_t tick = tick_at(time);
  std::vector<unsigned int> still_leased;
  std::vector<char> changed(clocks.size(), 0);
  unsigned int finest = clocks.size();
  for (const unsigned int unit : promoted)
  {
    const Promotion &promote = promotions.at(unit);
    const unsigned int wanted = promote.until >= time ? promote.step_class : natural.of_unit[unit];
    const unsigned int present = clock_of_unit[unit];
    // both the old and the new interval must end here, so that nothing is pending
    const bool both_end = tick % (std::int64_t(2) << std::max(wanted, present)) == 0;
    if (wanted != present && both_end)
    {
      move(unit, wanted);
      changed[present] = changed[wanted] = 1;
    }
    if (clock_of_unit[unit] == natural.of_unit[unit] && wanted == natural.of_unit[unit])
      promotions.erase(unit);
    else
    {
      still_leased.push_back(unit);
      finest = std::min(finest, std::min(wanted, clock_of_unit[unit]));
    }
  }
  promoted = std::move(still_leased);
  for (unsigned int c = 0; c < clocks.size(); ++c)
    if (changed[c])
      list_away_nodes(c);

  const std::int64_t period = std::int64_t(2) << finest;
  next_change =
      promoted.empty() ? TournamentTree::never : (tick / period + 1) * period * natural.half_tick();
}

template <int spacedim>
void
Stepper<spacedim>::move(const unsigned int unit, const unsigned int step_class)
{
  const unsigned int old_class = clock_of_unit[unit];
  ++class_changes;
  give_to_clock(unit, step_class);
  if (old_class != natural.of_unit[unit])
  {
    auto &away = away_units[old_class];
    away.erase(std::find(away.begin(), away.end(), unit));
  }
  if (step_class != natural.of_unit[unit])
    away_units[step_class].push_back(unit);

  if (n_units_on_clock[old_class] == 0)
    queue.set(old_class, TournamentTree::never);
  if (n_units_on_clock[step_class] == 1)
  {
    // the first kick of the interval that begins now
    Clock &clock = clocks[step_class];
    const std::int64_t start = tick_at(current);
    clock.tick = start + (parameters.phase == Phase::centred ? clock.stride / 2 : 0);
    queue.set(step_class, clock.time());
  }
}

template <int spacedim>
void
Stepper<spacedim>::give_to_clock(const unsigned int unit, const unsigned int clock)
{
  const unsigned int old_clock = clock_of_unit[unit];
  const auto change = [&](Family &family, const unsigned int k)
  {
    family.kicks->change_clock(k, clock);
    --family.n_on_clock[old_clock];
    ++family.n_on_clock[clock];
  };
  Family &family = families[family_of(unit)];
  change(family, unit - family.first_unit);
  for (const unsigned int id : followers_of_unit.row(unit))
    change(families[follower_kicks[id].first], follower_kicks[id].second);
  clock_of_unit[unit] = clock;
  --n_units_on_clock[old_clock];
  ++n_units_on_clock[clock];
}

template <int spacedim>
void
Stepper<spacedim>::list_away_nodes(const unsigned int clock)
{
  auto &watched = away_watched[clock];
  auto &restrained = away_restrained[clock];
  watched.clear();
  restrained.clear();
  for (const unsigned int unit : away_units[clock])
    for (const unsigned int node : support(unit))
    {
      if (is_watched[node])
        watched.push_back(node);
      if (nodes.restraints.is_restrained(node))
        restrained.push_back(node);
    }
  for (auto *list : {&watched, &restrained})
  {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
}

template class Stepper<2>;
template class Stepper<3>;
} // namespace KickDrift
