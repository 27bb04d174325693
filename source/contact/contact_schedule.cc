// When contactors are tested: the part of Contact that keeps the times.

#include <kickdrift/contact/contact.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace KickDrift
{
namespace
{
// The speed of targets that move by themselves may grow by this factor before all are woken.
constexpr double speed_reserve = 2;
// No predicted test comes sooner than after this share of the smallest critical step around the
// contactor: a run that blows up must come to its end.
constexpr double shortest_wait = 1e-5;
// Contacts that are answered before a kick are answered so much earlier, as a share of its step:
// more than rounding.
constexpr double before_kick = 1e-9;

/// The first moment after @p time at which all cells are just about to be kicked.
template <int spacedim>
double
next_moment_before_kicks(const Stepper<spacedim> &stepper, const double time)
{
  const double step = stepper.levels().classes().step(0), ahead = (0.5 + before_kick) * step;
  return stepper.levels().next_common_instant(0, time + ahead + 0.25 * step) - ahead;
}
} // namespace

template <int spacedim>
void
Contact<spacedim>::process(const double time)
{
  AssertThrow(started, ExcNotStarted());
  const auto begin = std::chrono::steady_clock::now();
  if (time >= next_update)
    update_search(time);
  response.enter_instant(time);
  test_due(time);

  const auto begin_of_answers = std::chrono::steady_clock::now();
  for (unsigned int i = 0; i < due.size(); ++i)
    answer(slots[due[i]], time, touches[i]);
  if (simultaneous_response.is_wanted())
    respond_to_collected(time);
  const auto end_of_answers = std::chrono::steady_clock::now();
  response.stats.response_time +=
      std::chrono::duration<double>(end_of_answers - begin_of_answers).count();

  for (const unsigned int s : due)
    queue.set(s, next_test(slots[s], time));
  reschedule(time);
  response.stats.reservoir = partners.total_reservoir();
  spent += std::chrono::steady_clock::now() - begin;
}

template <int spacedim>
void
Contact<spacedim>::respond_to_collected(const double time)
{
  if (!simultaneous_response.answer(time))
    return;
  faces->face_search().find_next_fit();
  find_next_update();
}

template <int spacedim>
void
Contact<spacedim>::nodes_kicked(const dealii::ArrayView<const unsigned int> kicked,
                                const double time)
{
  if (kicked.size() == 0)
    return;
  const auto begin = std::chrono::steady_clock::now();
  bounds.check(kicked, time);
  reschedule(time);
  spent += std::chrono::steady_clock::now() - begin;
}

template <int spacedim>
void
Contact<spacedim>::update_search(const double time)
{
  FaceSearch<spacedim> &search = faces->face_search();
  search.fit(time);
  find_rates();
  for (unsigned int b = 0; b < normal_changes.size(); ++b)
    if (normal_changes[b] != search.n_normal_changes(b))
    {
      // its faces may face contactors that they did not face before
      for (unsigned int s = 0; s < slots.size(); ++s)
      {
        const Slot &slot = slots[s];
        const unsigned int own = slot.detector->body_of(slot.contactor);
        // its own turning matters even to a contactor that ignores its own body
        if (may_sleep(slot, time) && (own == b || !exclusions.excluded(own, b)) &&
            slot.detector->may_wake(slot.contactor, b, normal_changes[b], time))
          wake(s, time);
      }
      normal_changes[b] = search.n_normal_changes(b);
    }
  if (time >= next_target_check)
  {
    next_target_check = time + average_step;
    double fastest = 0;
    for (const auto &detector : detectors)
      fastest = std::max(
          {fastest, detector->target_speed(time), detector->target_speed(next_target_check)});
    if (fastest > target_speed)
      for (unsigned int s = 0; s < slots.size(); ++s)
        wake(s, time);
    if (fastest > target_speed || speed_reserve * fastest < 0.5 * target_speed)
      target_speed = speed_reserve * fastest;
  }
  find_next_update();
}

template <int spacedim>
void
Contact<spacedim>::find_next_update()
{
  // targets that move by themselves are checked while all contactors sleep, too
  next_update =
      std::min(faces->face_search().next_fit(),
               obstacles.empty() ? std::numeric_limits<double>::infinity() : next_target_check);
}

template <int spacedim>
void
Contact<spacedim>::find_rates()
{
  rates.assign(bounds.n_bodies(), 0);
  for (unsigned int a = 0; a < rates.size(); ++a)
  {
    if (!obstacles.empty())
      rates[a] = bounds.velocity(a).norm() + bounds.deviation(a);
    for (unsigned int b = 0; b < rates.size(); ++b)
      if (!exclusions.excluded(a, b))
        rates[a] = std::max(rates[a], bounds.rate(a, b));
  }
}

template <int spacedim>
void
Contact<spacedim>::reschedule(const double time)
{
  if (bounds.broken().empty())
    return;
  // a ball may have grown several times
  std::vector<double> growth(bounds.n_bodies(), 0);
  bool by_far = false;
  for (const auto &broken : bounds.broken())
  {
    growth[broken.body] += broken.growth;
    by_far = by_far || broken.by_far;
  }
  // sleep that lasts a distance over a rate becomes shorter by this
  std::vector<double> shares(bounds.n_bodies(), 1);
  std::vector<char> must_wake(bounds.n_bodies(), by_far);
  for (unsigned int b = 0; b < growth.size(); ++b)
    for (unsigned int a = 0; growth[b] > 0 && a < shares.size(); ++a)
    {
      const double rate = bounds.rate(a, b);
      const double change = (a == b ? 2 : 1) * growth[b];
      shares[a] *= rate > change ? (rate - change) / rate : 0;
      must_wake[a] |= !(shares[a] > 0);
    }
  bounds.forget();
  for (unsigned int s = 0; s < slots.size(); ++s)
  {
    Slot &slot = slots[s];
    const unsigned int body = slot.detector->body_of(slot.contactor);
    for (double *instant : {&slot.free_interval.until, &slot.free_interval.latest})
      if (*instant > time)
        *instant = shares[body] > 0 ? time + shares[body] * (*instant - time) : time;
    if (must_wake[body])
      wake(s, time);
    else if (may_sleep(slot, time))
      queue.set(s, std::min(queue.time(s), next_test(slot, time)));
  }
  faces->face_search().find_next_fit();
  find_rates();
  find_next_update();
}

/// Is the contactor one of those that wait until bounds of motion say that it could touch
/// something?
template <int spacedim>
bool
Contact<spacedim>::may_sleep(const Slot &slot, const double time) const
{
  return parameters.schedule == Schedule::predicted && slot.depth == 0 && !in_contact(slot, time);
}

template <int spacedim>
bool
Contact<spacedim>::sleeps_on(Slot &slot, const double time)
{
  // of what was in sight the gap is wanted
  if (!may_sleep(slot, time) || slot.sees)
    return false;
  const ContactFreeInterval free_interval =
      slot.detector->coarse_free_interval(slot.contactor, time);
  if (!(free_interval.until > time))
    return false;
  slot.free_interval = free_interval;
  slot.last_test = time;
  return true;
}

/// Test a contactor that sleeps now: what it slept for is no longer true.
template <int spacedim>
void
Contact<spacedim>::wake(const unsigned int s, const double time)
{
  if (!may_sleep(slots[s], time))
    return;
  slots[s].free_interval.until = std::min(slots[s].free_interval.until, time);
  queue.set(s, std::min(queue.time(s), time));
}

template <int spacedim>
double
Contact<spacedim>::speed(const Slot &slot) const
{
  double square = 0;
  for (const unsigned int node : slot.detector->nodes_of(slot.contactor))
    square = std::max(square, nodes.velocity(node).norm_square());
  return std::sqrt(square);
}

template <int spacedim>
double
Contact<spacedim>::schedule_step(const Slot &slot) const
{
  switch (parameters.schedule)
  {
  case Schedule::synchronous:
    return 0;
  case Schedule::constant:
    return std::min(slot.constant_step, longest_step);
  default:
  {
    // not below the steps of the cells around it: a run that blows up must come to its end
    const double step = parameters.step_factor * slot.length() / speed(slot);
    return std::min(longest_step, std::max(step, 0.01 * slot.constant_step));
  }
  }
}

template <int spacedim>
bool
Contact<spacedim>::in_contact(const Slot &slot, const double time) const
{
  const double period =
      has_zones ? stepper.levels().classes().step(slot.memory.zone_class) : schedule_step(slot);
  return time - slot.last_contact <= SequentialResponse<spacedim>::zone_hold * period;
}

/// The last end of an interval of the cells around a contactor before it can be in touch, or the
/// next one; but not later than when it could be so deep behind a thin target, or a small one, that
/// it would not be found.
template <int spacedim>
double
Contact<spacedim>::next_predicted_test(const Slot &slot, const double time) const
{
  if (!std::isfinite(slot.free_interval.until))
    return TournamentTree::never;
  double next = 0;
  if (has_zones)
  {
    const unsigned int own_class = slot.coarsest_natural_class;
    const double last = slot.free_interval.until - stepper.levels().classes().step(own_class);
    next = stepper.levels().next_common_instant(own_class, std::max(time, last));
  }
  else
    next = std::max(slot.free_interval.until, time + schedule_step(slot));
  return std::min(next,
                  std::max(slot.free_interval.latest, time + shortest_wait * slot.constant_step));
}

template <int spacedim>
double
Contact<spacedim>::next_test(const Slot &slot, const double time) const
{
  if (parameters.projection)
    return next_moment_before_kicks(stepper, time);
  const bool lasts = in_contact(slot, time);
  if (parameters.schedule == Schedule::predicted && !lasts)
    return next_predicted_test(slot, time);
  if (has_zones && lasts)
    return stepper.levels().next_common_instant(slot.memory.zone_class, time);
  if (parameters.schedule == Schedule::synchronous)
    return stepper.levels().next_common_instant(0, time);
  const double step = schedule_step(slot);
  if (!has_zones)
    return time + step;
  // the last end of an interval of the cells around the contactor within the step, or the next one
  const unsigned int own_class = slot.coarsest_natural_class;
  const double wait =
      std::min(step, slot.time_to_reach) - stepper.levels().classes().step(own_class);
  return stepper.levels().next_common_instant(own_class, time + std::max(0., wait));
}

template class Contact<2>;
template class Contact<3>;
} // namespace KickDrift
