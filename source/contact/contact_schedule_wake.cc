// What wakes contactors that sleep: bounds of motion that break, surfaces that turn, targets that
// speed up.

#include <kickdrift/contact/contact_schedule.h>

#include <algorithm>
#include <limits>

namespace KickDrift
{
namespace
{
// The speed of targets that move by themselves may grow by this factor before all are woken.
constexpr double speed_reserve = 2;
} // namespace

template <int spacedim>
void
ContactSchedule<spacedim>::update_search(const double time)
{
  if (time < next_update)
    return;
  if (time >= search.next_fit())
    search.fit(time);
  find_rates();
  if (parameters.schedule == Schedule::predicted)
    wake_turned(time);
  update_rests(time);
  if (time >= next_target_check)
    check_target_speed(time);
  find_next_update();
}

/// Wake contactors that surfaces face now which did not before.
template <int spacedim>
void
ContactSchedule<spacedim>::wake_turned(const double time)
{
  std::vector<unsigned int> turned; // bodies
  for (unsigned int b = 0; b < normal_changes.size(); ++b)
    if (normal_changes[b] != search.n_normal_changes(b))
      turned.push_back(b);
  if (turned.empty())
    return;
  // its own turning matters even to a contactor that ignores its own body
  const auto looks_at = [&](const Slot &slot, const unsigned int b)
  { return slot.body() == b || !exclusions.excluded(slot.body(), b); };
  std::vector<unsigned int> asleep;
  for (unsigned int s = 0; s < slots.size(); ++s)
    if (!slots[s].rests && may_sleep(slots[s], time) &&
        std::any_of(turned.begin(), turned.end(),
                    [&](const unsigned int b) { return looks_at(slots[s], b); }))
      asleep.push_back(s);
  std::vector<char> must_wake(asleep.size(), 0);
  for (unsigned int i = 0; i < asleep.size(); ++i)
  {
    const Slot &slot = slots[asleep[i]];
    if (!looks.is_own(asleep[i]))
      continue;
    must_wake[i] =
        std::any_of(turned.begin(), turned.end(),
                    [&](const unsigned int b)
                    {
                      return looks_at(slot, b) &&
                             slot.detector->may_wake(slot.contactor, b, normal_changes[b], time);
                    });
  }
  looks.share_choice(asleep, must_wake);
  for (unsigned int i = 0; i < asleep.size(); ++i)
    if (must_wake[i])
      wake(asleep[i], time);
  for (const unsigned int b : turned)
    normal_changes[b] = search.n_normal_changes(b);
}

template <int spacedim>
void
ContactSchedule<spacedim>::check_target_speed(const double time)
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

template <int spacedim>
void
ContactSchedule<spacedim>::reschedule_search()
{
  search.find_next_fit();
  find_next_update();
}

template <int spacedim>
void
ContactSchedule<spacedim>::find_next_update()
{
  // targets that move by themselves are checked while all contactors sleep, too
  next_update = std::min(search.next_fit(), pairs.next_update());
  if (has_obstacles)
    next_update = std::min(next_update, next_target_check);
}

template <int spacedim>
void
ContactSchedule<spacedim>::find_rates()
{
  if (rates_version == bounds.n_changes())
    return;
  rates_version = bounds.n_changes();
  rates = bounds.largest_rates();
  for (unsigned int b = 0; has_obstacles && b < rates.size(); ++b)
    rates[b] = std::max(rates[b], bounds.velocity(b).norm() + bounds.deviation(b));
}

template <int spacedim>
void
ContactSchedule<spacedim>::reschedule(const double time)
{
  if (!bounds.broken().empty())
  {
    if (parameters.schedule == Schedule::predicted)
      shorten_sleeps(time);
    bounds.forget();
    reschedule_search();
    find_rates();
  }
  if (!bounds.patches.broken().empty())
    next_update = time; // when all kicks of this instant have been done
}

/// Balls have grown: everything may come sooner.
template <int spacedim>
void
ContactSchedule<spacedim>::shorten_sleeps(const double time)
{
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
  for (unsigned int s = 0; s < slots.size(); ++s)
  {
    Slot &slot = slots[s];
    if (slot.rests)
      continue;
    const unsigned int body = slot.body();
    for (double *instant : {&slot.free_interval.until, &slot.free_interval.latest})
      if (*instant > time)
        *instant = shares[body] > 0 ? time + shares[body] * (*instant - time) : time;
    if (must_wake[body])
      wake(s, time);
    else if (may_sleep(slot, time))
      queue.set(s, std::min(queue.time(s), next_test(slot, time)));
  }
}

/// Test a contactor that sleeps now: what it slept for is no longer true.
template <int spacedim>
void
ContactSchedule<spacedim>::wake(const unsigned int s, const double time)
{
  if (slots[s].rests || !may_sleep(slots[s], time))
    return;
  slots[s].free_interval.until = std::min(slots[s].free_interval.until, time);
  queue.set(s, std::min(queue.time(s), time));
}

template class ContactSchedule<2>;
template class ContactSchedule<3>;
} // namespace KickDrift
