// Tests of contactors that are due.

#include <kickdrift/contact/contact_schedule.h>

#include <algorithm>
#include <limits>

namespace KickDrift
{
namespace
{
// Targets within this share of a contactor's length are seen.
constexpr double search_radius = 1;
} // namespace

/// Contactors that have been in contact just now are tested together, others at once.
template <int spacedim>
void
ContactSchedule<spacedim>::test_due(const double time, const unsigned int thread,
                                    const unsigned int n_threads,
                                    std::vector<ContactPoint<spacedim>> &found)
{
  static thread_local PendingTests pending;
  pending.slots.clear();
  pending.tests.clear();
  for (unsigned int i = 0; i < due_slots.size(); ++i)
  {
    const unsigned int s = due_slots[i];
    if (!looks.is_for_thread(s, thread, n_threads))
      continue;
    Slot &slot = slots[s];
    const bool lasts = in_contact(slot, time);
    is_tested[i] = begin_test(slot, time, lasts, found[i]);
    if (!is_tested[i])
      continue;
    is_looked_at[s] = 1;
    if (!(lasts && slot.detector->finds_many()))
    {
      test(slot, time, lasts, found[i]);
      continue;
    }
    if (!pending.slots.empty() && slots[pending.slots[0]].detector != slot.detector)
      test_together(pending, time);
    pending.slots.push_back(s);
    pending.tests.push_back({test_of(slot, time, lasts), &found[i], false});
  }
  test_together(pending, time);
}

template <int spacedim>
bool
ContactSchedule<spacedim>::begin_test(Slot &slot, const double time, const bool lasts,
                                      ContactPoint<spacedim> &found) const
{
  slot.time_to_reach = std::numeric_limits<double>::infinity();
  found.sees = found.touches = found.is_lost = false;
  return lasts || !may_rest(slot, time);
}

template <int spacedim>
void
ContactSchedule<spacedim>::test_together(PendingTests &pending, const double time)
{
  if (pending.slots.empty())
    return;
  slots[pending.slots[0]].detector->find_many(pending.tests);
  for (unsigned int i = 0; i < pending.slots.size(); ++i)
  {
    Slot &slot = slots[pending.slots[i]];
    const PendingTest<spacedim> &test = pending.tests[i];
    if (!test.is_done)
      *test.found = slot.detector->find(test.test);
    record(slot, time, *test.found);
  }
  pending.slots.clear();
  pending.tests.clear();
}

template <int spacedim>
ContactTest
ContactSchedule<spacedim>::test_of(const Slot &slot, const double time, const bool lasts) const
{
  // what it may have crossed since it could be in touch is no further away than it and the target
  // have come
  const double since = std::max(slot.last_test, slot.free_interval.until);
  const double travel = (rates[slot.body()] + target_speed) * std::max(0., time - since);
  const double radius = search_radius * slot.length() + 2 * slot.depth + travel;
  return {slot.contactor, time, radius, lasts};
}

template <int spacedim>
void
ContactSchedule<spacedim>::test(Slot &slot, const double time, const bool lasts,
                                ContactPoint<spacedim> &found)
{
  found = slot.detector->find(test_of(slot, time, lasts));
  record(slot, time, found);
}

/// Remember what a test has found.
template <int spacedim>
void
ContactSchedule<spacedim>::record(Slot &slot, const double time, ContactPoint<spacedim> &found)
{
  note(slot, time, found);
  if (may_sleep(slot, time))
    slot.free_interval = slot.detector->free_interval(slot.contactor, time, target_speed);
}

/// The same without the free interval, which only the process finds that has tested.
template <int spacedim>
void
ContactSchedule<spacedim>::note(Slot &slot, const double time, ContactPoint<spacedim> &found) const
{
  const bool was_at_hand = slot.depth > 0 || (slot.sees && slot.gap > 0);
  found.is_lost = found.is_lost && was_at_hand;
  slot.sees = found.sees;
  slot.gap = -found.depth;
  slot.depth = found.touches ? found.depth : 0;
  if (found.touches)
  {
    slot.last_contact = time;
    if (!uses_zones())
      slot.memory.period = parameters.schedule == Schedule::synchronous
                               ? levels.classes().step(levels.finest_class())
                               : schedule_step(slot);
  }
  slot.last_test = time;
}

template class ContactSchedule<2>;
template class ContactSchedule<3>;
} // namespace KickDrift
