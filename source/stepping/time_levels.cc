#include <kickdrift/base/archive_checks.h>
#include <kickdrift/stepping/stepper_exceptions.h>
#include <kickdrift/stepping/time_levels.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
TimeLevels::TimeLevels(const StepperParameters &parameters) : parameters(parameters)
{
  const double ratio = parameters.time_step_ratio, step = parameters.time_step;
  AssertThrow(ratio > 0 && ratio <= 1,
              StepperExceptions::ExcParameter("time_step_ratio", ratio, "above 0, not above 1"));
  AssertThrow(step >= 0 && std::isfinite(step),
              StepperExceptions::ExcParameter("time_step", step, "finite, not negative"));
  AssertThrow(step == 0 || parameters.clocks == Clocks::one,
              StepperExceptions::ExcParameter("time_step", step, "0 except for Clocks::one"));
  AssertThrow(parameters.threads > 0,
              StepperExceptions::ExcParameter("threads", parameters.threads, "at least 1"));
  AssertThrow(
      parameters.threads == 1 || has_classes(),
      StepperExceptions::ExcParameter("threads", parameters.threads, "1 for Clocks::per_cell"));
}

unsigned int
TimeLevels::add(const double critical_step)
{
  critical_steps.push_back(critical_step);
  return critical_steps.size() - 1;
}

double
TimeLevels::smallest_critical_step() const
{
  return *std::min_element(critical_steps.begin(), critical_steps.end());
}

void
TimeLevels::start(const bool has_synchronised)
{
  AssertThrow(!critical_steps.empty(), StepperExceptions::ExcNoCriticalStep());
  for (unsigned int kick = 0; kick < n_kicks(); ++kick)
    AssertThrow(critical_steps[kick] > 0,
                dealii::ExcMessage("The critical step of the kick with id " + std::to_string(kick) +
                                   " is " + std::to_string(critical_steps[kick]) +
                                   ", but must be positive."));
  const double smallest = smallest_critical_step();
  AssertThrow(std::isfinite(smallest), StepperExceptions::ExcNoCriticalStep());
  if (has_classes())
    start_classes(has_synchronised);
  else
    start_per_cell();
  for (const unsigned int clock : clocks_of_kicks)
    queue.add_kick(clock);
}

void
TimeLevels::start_per_cell()
{
  double longest = 0;
  for (const double critical_step : critical_steps)
    if (std::isfinite(critical_step))
      longest = std::max(longest, parameters.time_step_ratio * critical_step);
  for (unsigned int kick = 0; kick < n_kicks(); ++kick)
  {
    const double own = parameters.time_step_ratio * critical_steps[kick];
    const double step = std::isfinite(own) ? own : longest;
    queue.add({0.5 * step, parameters.phase == Phase::centred ? 1 : 0, 2});
    clocks_of_kicks.push_back(kick);
  }
}

void
TimeLevels::start_classes(const bool has_synchronised)
{
  std::vector<double> steps;
  for (const double critical_step : critical_steps)
    steps.push_back(parameters.time_step_ratio * critical_step);
  const double fixed = parameters.time_step;
  natural =
      parameters.clocks == Clocks::nested
          ? nested_classes(steps)
          : one_class(n_kicks(),
                      fixed > 0 ? fixed : parameters.time_step_ratio * smallest_critical_step());
  for (unsigned int k = 0; k < natural.n_classes + (has_synchronised ? 1 : 0); ++k)
  {
    const std::int64_t half_stride = std::int64_t(1) << k;
    queue.add({natural.half_tick(), parameters.phase == Phase::centred ? half_stride : 0,
               2 * half_stride});
  }
  clocks_of_kicks = natural.of_kick;
  kicks_promoted_to.resize(queue.size());
}

double
TimeLevels::natural_step(const unsigned int kick) const
{
  return has_classes() ? natural.step(natural.of_kick[kick]) : queue[kick].step();
}

std::pair<double, double>
TimeLevels::kick_rates() const
{
  double rate = 0;
  for (unsigned int kick = 0; kick < n_kicks(); ++kick)
    rate += 1. / natural_step(kick);
  const double step = parameters.time_step > 0
                          ? parameters.time_step
                          : parameters.time_step_ratio * smallest_critical_step();
  return {rate, n_kicks() / step};
}

std::int64_t
TimeLevels::tick_at(const double time) const
{
  const double length = natural.half_tick();
  std::int64_t tick = std::llround(time / length);
  while (tick * length > time)
    --tick;
  while ((tick + 1) * length <= time)
    ++tick;
  return tick;
}

double
TimeLevels::next_common_instant(const unsigned int step_class, const double time) const
{
  Assert(has_classes(), dealii::ExcMessage("Only step classes have common instants."));
  const std::int64_t period = std::int64_t(2) << step_class;
  const std::int64_t first = parameters.phase == Phase::centred ? 0 : period / 2;
  const std::int64_t tick = tick_at(time) - first;
  const std::int64_t n_periods = tick >= 0 ? tick / period : -((-tick + period - 1) / period);
  return ((n_periods + 1) * period + first) * natural.half_tick();
}

void
TimeLevels::promote(const unsigned int kick, const unsigned int step_class, const double until,
                    const double now)
{
  Assert(has_classes(), dealii::ExcMessage("Only kicks with step classes can be promoted."));
  AssertIndexRange(kick, n_kicks());
  if (natural.of_kick[kick] <= step_class)
    return; // comes often enough
  const auto [it, is_new] = promotions.emplace(kick, Promotion{step_class, until});
  if (is_new)
    promoted.push_back(kick);
  else if (it->second.until < now)
    it->second = {step_class, until};
  else if (step_class <= it->second.step_class)
    it->second = {step_class, std::max(until, it->second.until)};
  if (clocks_of_kicks[kick] == it->second.step_class)
    return;

  const std::int64_t period = std::int64_t(2) << step_class;
  // kicks at the start of intervals that begin now have been given already
  const std::int64_t tick = tick_at(now) + (parameters.phase == Phase::start ? 1 : 0);
  const std::int64_t change = (tick + period - 1) / period * period;
  change_time = std::min(change_time, change * natural.half_tick());
}

void
TimeLevels::change_classes(const double time, const OnChange &on_change)
{
  const std::int64_t tick = tick_at(time);
  std::vector<unsigned int> still_promoted;
  unsigned int finest = queue.size();
  for (const unsigned int kick : promoted)
  {
    const Promotion &promotion = promotions.at(kick);
    const unsigned int own = natural.of_kick[kick];
    const unsigned int wanted = promotion.until >= time ? promotion.step_class : own;
    const unsigned int present = clocks_of_kicks[kick];
    // both the old and the new interval must end here, so that nothing is pending
    const bool both_end = tick % (std::int64_t(2) << std::max(wanted, present)) == 0;
    if (wanted != present && both_end)
      move(kick, wanted, time, on_change);
    if (clocks_of_kicks[kick] == own && wanted == own)
      promotions.erase(kick);
    else
    {
      still_promoted.push_back(kick);
      finest = std::min(finest, std::min(wanted, clocks_of_kicks[kick]));
    }
  }
  promoted = std::move(still_promoted);

  const std::int64_t period = std::int64_t(2) << finest;
  change_time =
      promoted.empty() ? TournamentTree::never : (tick / period + 1) * period * natural.half_tick();
}

void
TimeLevels::move(const unsigned int kick, const unsigned int step_class, const double time,
                 const OnChange &on_change)
{
  const unsigned int old_class = clocks_of_kicks[kick];
  ++class_changes;
  on_change(kick, old_class, step_class);
  clocks_of_kicks[kick] = step_class;
  if (old_class != natural.of_kick[kick])
  {
    auto &others = kicks_promoted_to[old_class];
    others.erase(std::find(others.begin(), others.end(), kick));
  }
  if (step_class != natural.of_kick[kick])
    kicks_promoted_to[step_class].push_back(kick);

  const bool was_empty = queue.move_kick(old_class, step_class);
  if (was_empty) // the first kick of the interval that begins now
    queue.set_tick(step_class,
                   tick_at(time) +
                       (parameters.phase == Phase::centred ? queue[step_class].stride / 2 : 0));
}

void
TimeLevels::check_promotions() const
{
  check_state(promotions.size() == promoted.size(), "stepper"); // none twice
  check_state(promotions.empty() || has_classes(), "stepper");
  // kicks are promoted to come more often than by their own steps
  for (const auto &[kick, promotion] : promotions)
    check_state(kick < n_kicks() && promotion.step_class <= natural.of_kick[kick], "stepper");
  std::vector<char> is_away(n_kicks(), 0);
  for (unsigned int c = 0; c < kicks_promoted_to.size(); ++c)
    for (const unsigned int kick : kicks_promoted_to[c])
    {
      check_state(promotions.count(kick) > 0 && !is_away[kick] && clocks_of_kicks[kick] == c &&
                      natural.of_kick[kick] != c,
                  "stepper");
      is_away[kick] = 1;
    }
  for (unsigned int kick = 0; kick < natural.of_kick.size(); ++kick)
    check_state(is_away[kick] || clocks_of_kicks[kick] == natural.of_kick[kick], "stepper");
}

void
TimeLevels::serialize(Archive &archive, const OnChange &on_change)
{
  archive.section("time levels");
  auto clocks_now = clocks_of_kicks;
  archive.fixed(clocks_now);
  for (unsigned int kick = 0; kick < n_kicks(); ++kick)
    if (clocks_now[kick] != clocks_of_kicks[kick])
    {
      check_state(has_classes() && clocks_now[kick] < queue.size(), "stepper");
      on_change(kick, clocks_of_kicks[kick], clocks_now[kick]);
      queue.move_kick(clocks_of_kicks[kick], clocks_now[kick]);
      clocks_of_kicks[kick] = clocks_now[kick];
    }

  archive(promoted);
  if (archive.is_reading())
    promotions.clear();
  for (const unsigned int kick : promoted)
    archive(promotions[kick]);
  archive.fixed(kicks_promoted_to);
  if (archive.is_reading())
    check_promotions();
  archive(change_time, class_changes, queue);
}
} // namespace KickDrift
