// Contactors while cells are deleted: what is remembered about those that stay.

#include <kickdrift/contact/contact_schedule.h>

#include <algorithm>
#include <map>
#include <utility>

namespace KickDrift
{
template <int spacedim>
template <typename Function>
void
ContactSchedule<spacedim>::for_each_key(const Function &f) const
{
  std::map<typename Kept::Key, unsigned int> n_alike;
  for (unsigned int s = 0; s < slots.size(); ++s)
  {
    const Slot &slot = slots[s];
    unsigned int detector = 0;
    while (detectors[detector].get() != slot.detector)
      ++detector;
    typename Kept::Key key{detector, slot.detector->target_of(slot.contactor)};
    key.insert(key.end(), slot.nodes().begin(), slot.nodes().end());
    key.push_back(n_alike[key]++);
    f(key, s);
  }
}

template <int spacedim>
typename ContactSchedule<spacedim>::Kept
ContactSchedule<spacedim>::keep() const
{
  Kept kept;
  for_each_key([&](const typename Kept::Key &key, const unsigned int s)
               { kept.slots.emplace(key, std::make_pair(slots[s], queue.time(s))); });
  return kept;
}

template <int spacedim>
void
ContactSchedule<spacedim>::make_again(const double time)
{
  normal_changes.assign(bounds.n_bodies(), 0);
  rates_version = -1;
  find_rates();
  looks.start(nullptr, add_slots()); // see Contact::start()
  is_looked_at.assign(slots.size(), 0);
  start_rests(time);
  find_next_update();
  queue.reinit(slots.size());
}

template <int spacedim>
void
ContactSchedule<spacedim>::take_over(const double time, Kept &kept)
{
  std::vector<double> planned(slots.size(), TournamentTree::never);
  for_each_key(
      [&](const typename Kept::Key &key, const unsigned int s)
      {
        Slot &slot = slots[s];
        const auto before = kept.slots.find(key);
        slot.last_test = time;
        if (before == kept.slots.end())
          return;
        const Slot &old = before->second.first;
        planned[s] = before->second.second;
        slot.memory = old.memory;
        slot.last_contact = old.last_contact;
        slot.last_test = old.last_test;
        slot.depth = old.depth;
        slot.time_to_reach = old.time_to_reach;
        slot.gap = old.gap;
        slot.sees = old.sees;
        kept.slots.erase(before);
      });
  for (unsigned int s = 0; s < slots.size(); ++s)
  {
    Slot &slot = slots[s];
    slot.rests = may_rest(slot, time);
    if (!slot.rests && may_sleep(slot, time))
      slot.free_interval = slot.detector->free_interval(slot.contactor, time, target_speed);
    // a test that is due need not be the one that comes next
    queue.set(s, slot.rests ? TournamentTree::never : std::min(planned[s], next_test(slot, time)));
  }
}

template ContactSchedule<2>::Kept ContactSchedule<2>::keep() const;
template void ContactSchedule<2>::make_again(double);
template void ContactSchedule<2>::take_over(double, Kept &);
template ContactSchedule<3>::Kept ContactSchedule<3>::keep() const;
template void ContactSchedule<3>::make_again(double);
template void ContactSchedule<3>::take_over(double, Kept &);
} // namespace KickDrift
