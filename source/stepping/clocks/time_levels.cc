#include <kickdrift/base/archive_checks.h>
#include <kickdrift/stepping/clocks/stepper_exceptions.h>
#include <kickdrift/stepping/clocks/sweeps.h>
#include <kickdrift/stepping/clocks/time_levels.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace KickDrift
{
namespace
{
constexpr unsigned int not_united = -1;
// Ticks that can be counted; counting on from here does not overflow.
constexpr double most_ticks = 0x1p60;
// More than any machine runs at once. A mistaken number takes minutes to be refused by the system,
// if it is.
constexpr unsigned int most_threads = 1024;
} // namespace

TimeLevels::TimeLevels(const StepperParameters &parameters) : parameters(parameters)
{
  const double ratio = parameters.time_step_ratio, step = parameters.time_step;
  AssertThrow(ratio > 0 && ratio <= 1,
              StepperExceptions::ExcParameter("time_step_ratio", ratio, "above 0, not above 1"));
  AssertThrow(step >= 0 && std::isfinite(step),
              StepperExceptions::ExcParameter("time_step", step, "finite, not negative"));
  AssertThrow(step == 0 || parameters.clocks == Clocks::one,
              StepperExceptions::ExcParameter("time_step", step, "0 except for Clocks::one"));
  AssertThrow(parameters.threads > 0 && parameters.threads <= most_threads,
              StepperExceptions::ExcParameter("threads", parameters.threads,
                                              "from 1 to " + std::to_string(most_threads)));
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

void
TimeLevels::unite(const std::vector<unsigned int> &kicks)
{
  Assert(has_classes(), dealii::ExcMessage("Only kicks with step classes can be united."));
  std::vector<unsigned int> group;
  for (const unsigned int kick : kicks)
  {
    if (kick >= united_of_kick.size())
      united_of_kick.resize(kick + 1, not_united);
    const unsigned int old = united_of_kick[kick];
    if (old == united.size())
      continue;
    const std::vector<unsigned int> others =
        old == not_united ? std::vector<unsigned int>{kick} : std::move(united[old]);
    for (const unsigned int other : others)
      united_of_kick[other] = united.size();
    group.insert(group.end(), others.begin(), others.end());
    if (old != not_united)
      united[old].clear();
  }
  united.push_back(std::move(group));
}

bool
TimeLevels::unite(const std::vector<unsigned int> &kicks,
                  const std::function<Neighbourhood()> &neighbourhood, const double now)
{
  if (kicks.empty())
    return false;
  unite(kicks);
  const std::vector<unsigned int> before = natural.of_kick;
  const auto &group = united[united_of_kick[kicks[0]]];
  if (std::any_of(group.begin(), group.end(),
                  [&](const unsigned int kick) { return before[kick] != before[group[0]]; }))
    apply_rule(current_steps.empty() ? critical_steps : current_steps, neighbourhood());
  follow_natural_classes(before, now);
  // promotions of one are those of all
  Promotion together(natural.of_kick[group[0]], -1.);
  for (const unsigned int kick : group)
  {
    const auto own = promotions.find(kick);
    if (own != promotions.end() && own->second.until >= now)
      together = Promotion(std::min(own->second.step_class, together.step_class),
                           std::max(own->second.until, together.until));
  }
  for (const unsigned int kick : group)
    if (together.step_class != natural.of_kick[kick] ||
        together.step_class != clocks_of_kicks[kick])
    {
      if (promotions.count(kick) == 0)
        promoted.push_back(kick);
      promotions[kick] = together;
      request_change(std::min(together.step_class, clocks_of_kicks[kick]), now);
    }
  return before != natural.of_kick;
}

bool
TimeLevels::level_united(std::vector<unsigned int> &classes) const
{
  bool changed = false;
  for (const auto &kicks : united)
  {
    // those that have joined others are empty
    unsigned int finest_of_them = natural.n_classes;
    for (const unsigned int kick : kicks)
      finest_of_them = std::min(finest_of_them, classes[kick]);
    for (const unsigned int kick : kicks)
    {
      changed = changed || classes[kick] != finest_of_them;
      classes[kick] = finest_of_them;
    }
  }
  return changed;
}

double
TimeLevels::smallest_critical_step() const
{
  return *std::min_element(critical_steps.begin(), critical_steps.end());
}

double
TimeLevels::largest_step_ratio() const
{
  if (parameters.time_step <= 0)
    return parameters.time_step_ratio;
  if (fixed_step_ratio == 0) // it is asked for often
    fixed_step_ratio = std::min(1., parameters.time_step / smallest_critical_step());
  return fixed_step_ratio;
}

double
TimeLevels::promoted_until(const unsigned int kick) const
{
  const auto found = promotions.find(kick);
  return found == promotions.end() ? -std::numeric_limits<double>::infinity() : found->second.until;
}

void
TimeLevels::start(const Neighbourhood &neighbourhood)
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
    start_classes(neighbourhood);
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
TimeLevels::start_classes(const Neighbourhood &neighbourhood)
{
  std::vector<double> steps;
  for (const double critical_step : critical_steps)
    steps.push_back(parameters.time_step_ratio * critical_step);
  const double fixed = parameters.time_step;
  const unsigned int for_deformation = neighbourhood.is_constant   ? 0
                                       : neighbourhood.has_history ? 2 * parameters.spare_classes
                                                                   : parameters.spare_classes;
  const unsigned int n_spare = fixed > 0 ? 0 : std::max(for_deformation, neighbourhood.n_spare);
  const auto choose = [&](StepClasses classes)
  {
    natural = std::move(classes);
    own_classes = natural.of_kick;
    apply_rule(critical_steps, neighbourhood);
  };
  if (parameters.clocks != Clocks::nested)
    choose(one_class(n_kicks(),
                     fixed > 0 ? fixed : parameters.time_step_ratio * smallest_critical_step(),
                     n_spare));
  else if (neighbourhood.strata.empty() || neighbourhood.nodes_of_kick.n_rows() == 0)
    choose(nested_classes(steps, n_spare));
  else // sweeps count, too: where classes mix it may be cheapest that they do not
    choose(cheapest_nested_classes(steps, n_spare,
                                   [&](const StepClasses &classes)
                                   {
                                     choose(classes);
                                     return evaluations_per_time(
                                         natural, critical_steps, neighbourhood.nodes_of_kick,
                                         neighbourhood.n_nodes, neighbourhood.strata,
                                         expected_sweeps(parameters.time_step_ratio));
                                   }));
  for (unsigned int k = 0; k < natural.n_classes; ++k)
  {
    const std::int64_t half_stride = std::int64_t(1) << k;
    queue.add({natural.half_tick(), parameters.phase == Phase::centred ? half_stride : 0,
               2 * half_stride});
  }
  clocks_of_kicks = initial_classes = natural.of_kick;
  kicks_promoted_to.resize(queue.size());
}

void
TimeLevels::apply_rule(const std::vector<double> &steps, const Neighbourhood &neighbourhood)
{
  level_united(own_classes);
  natural.of_kick = own_classes;
  if (parameters.clocks == Clocks::nested && parameters.stability_rule &&
      neighbourhood.nodes_of_kick.n_rows() > 0)
    do // what lowers one of united kicks lowers all, which the rule must see
      rule_report =
          apply_stability_rule(natural, steps, neighbourhood.nodes_of_kick, neighbourhood.n_nodes,
                               neighbourhood.strata, expected_sweeps(parameters.time_step_ratio));
    while (level_united(natural.of_kick));
  finest = *std::min_element(natural.of_kick.begin(), natural.of_kick.end());
}

bool
TimeLevels::follow(const std::vector<double> &current, const Neighbourhood &neighbourhood,
                   const double now)
{
  const std::vector<unsigned int> own_before = own_classes;
  current_steps = current;
  for (unsigned int kick = 0; kick < n_kicks(); ++kick)
  {
    if (std::isnan(current[kick])) // no step will do
      continue;
    own_classes[kick] = patience.follow(
        kick, own_classes[kick],
        followed_class(own_classes[kick], parameters.time_step_ratio * current[kick], natural),
        now);
  }
  if (has_one_step())
    own_classes.assign(n_kicks(), *std::min_element(own_classes.begin(), own_classes.end()));
  level_united(own_classes);
  if (own_classes == own_before)
    return false;
  for (unsigned int kick = 0; kick < n_kicks(); ++kick)
    if (own_classes[kick] > own_before[kick])
      patience.leave(kick);
  const std::vector<unsigned int> before = natural.of_kick;
  apply_rule(current, neighbourhood);
  follow_natural_classes(before, now);
  return before != natural.of_kick;
}

void
TimeLevels::follow_natural_classes(const std::vector<unsigned int> &before, const double now)
{
  for (unsigned int kick = 0; kick < n_kicks(); ++kick)
    if (natural.of_kick[kick] != before[kick] && natural.of_kick[kick] != clocks_of_kicks[kick])
    {
      if (promotions.emplace(kick, Promotion(natural.of_kick[kick], -1.)).second)
        promoted.push_back(kick);
      request_change(std::min(natural.of_kick[kick], clocks_of_kicks[kick]), now);
    }
}

unsigned int
TimeLevels::coarsest_class_beside(const unsigned int kick) const
{
  if (!parameters.stability_rule || parameters.clocks != Clocks::nested)
    return natural.n_classes - 1;
  const unsigned int own = natural.of_kick[kick];
  const double longest = longest_step_beside(natural.step(own), current_critical_step(kick));
  return std::max(own, coarsest_class_below(longest, natural));
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
  return next_time_of(step_class, false, time);
}

double
TimeLevels::next_kick(const unsigned int step_class, const double time) const
{
  return next_time_of(step_class, true, time);
}

double
TimeLevels::next_time_of(const unsigned int step_class, const bool is_kick, const double time) const
{
  Assert(has_classes(), dealii::ExcMessage("Only step classes have common instants."));
  // slow bodies ask for such times, which are counted in the ticks of fast ones
  if (!(time < most_ticks * natural.half_tick()))
    return TournamentTree::never;
  const std::int64_t period = std::int64_t(2) << step_class;
  const std::int64_t first = is_kick == (parameters.phase == Phase::start) ? 0 : period / 2;
  const std::int64_t tick = tick_at(time) - first;
  const std::int64_t n_periods = tick >= 0 ? tick / period : -((-tick + period - 1) / period);
  return ((n_periods + 1) * period + first) * natural.half_tick();
}

void
TimeLevels::promote(const unsigned int kick, const unsigned int step_class, const double until,
                    const double now)
{
  if (kick >= united_of_kick.size() || united_of_kick[kick] == not_united)
    promote_one(kick, step_class, until, now);
  else
    for (const unsigned int other : united[united_of_kick[kick]])
      promote_one(other, step_class, until, now);
}

void
TimeLevels::promote_one(const unsigned int kick, const unsigned int step_class, const double until,
                        const double now)
{
  Assert(has_classes(), dealii::ExcMessage("Only kicks with step classes can be promoted."));
  AssertIndexRange(kick, n_kicks());
  if (natural.of_kick[kick] <= step_class)
    return; // comes often enough
  const auto [it, is_new] = promotions.try_emplace(kick, Promotion(step_class, until));
  if (is_new)
    promoted.push_back(kick);
  else
    it->second.add(step_class, until, now);
  if (clocks_of_kicks[kick] != it->second.step_class)
    request_change(step_class, now);
}

void
TimeLevels::request_change(const unsigned int step_class, const double now)
{
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
    const unsigned int wanted = promotion.class_at(time, own);
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
  if (old_class != initial_classes[kick])
  {
    auto &others = kicks_promoted_to[old_class];
    *std::find(others.begin(), others.end(), kick) = others.back();
    others.pop_back();
  }
  if (step_class != initial_classes[kick])
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
  for (const auto &[kick, promotion] : promotions)
    check_state(kick < n_kicks() && promotion.step_class < natural.n_classes &&
                    promotion.coarser_class < natural.n_classes,
                "stepper");
  std::vector<char> is_away(n_kicks(), 0);
  for (unsigned int c = 0; c < kicks_promoted_to.size(); ++c)
    for (const unsigned int kick : kicks_promoted_to[c])
    {
      check_state(kick < n_kicks() && !is_away[kick] && clocks_of_kicks[kick] == c &&
                      initial_classes[kick] != c,
                  "stepper");
      is_away[kick] = 1;
    }
  for (unsigned int kick = 0; kick < natural.of_kick.size(); ++kick)
    check_state((is_away[kick] || clocks_of_kicks[kick] == initial_classes[kick]) &&
                    (promotions.count(kick) > 0 || clocks_of_kicks[kick] == natural.of_kick[kick]),
                "stepper");
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

  archive(current_steps);
  check_state(current_steps.empty() || current_steps.size() == n_kicks(), "stepper");
  archive.fixed(own_classes, natural.of_kick);
  archive(patience);
  for (unsigned int kick = 0; kick < natural.of_kick.size(); ++kick)
    check_state(own_classes[kick] < natural.n_classes && natural.of_kick[kick] < natural.n_classes,
                "stepper");
  if (has_classes())
    finest = *std::min_element(natural.of_kick.begin(), natural.of_kick.end());
  archive(promoted);
  if (archive.is_reading())
    promotions.clear();
  for (const unsigned int kick : promoted)
    archive(promotions[kick]);
  archive.fixed(kicks_promoted_to);
  if (archive.is_reading())
    check_promotions();
  archive(change_time, class_changes, queue);
  archive(rule_report.n_lowered, rule_report.added, rule_report.margin, rule_report.long_kick,
          rule_report.short_kick);
  check_state(std::max(rule_report.long_kick, rule_report.short_kick) < std::max(1u, n_kicks()),
              "stepper");
}
} // namespace KickDrift
