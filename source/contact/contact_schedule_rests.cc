// Contactors that rest while nothing that they might touch is near their patch.

#include <kickdrift/contact/contact_schedule.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace KickDrift
{
namespace
{
/// Slots as what is grouped by patches. Only the last one of the detectors may look for several
/// targets.
template <int spacedim>
class SlotContactors : public PatchPairs<spacedim>::Contactors
{
public:
  SlotContactors(const std::vector<ContactSlot<spacedim>> &slots,
                 const typename ContactSchedule<spacedim>::Detectors &detectors)
      : slots(slots), detectors(detectors)
  {
  }

  unsigned int
  size() const override
  {
    return slots.size();
  }

  dealii::ArrayView<const unsigned int>
  nodes(const unsigned int contactor) const override
  {
    return slots[contactor].nodes();
  }

  dealii::ArrayView<const unsigned int>
  faces(const unsigned int contactor) const override
  {
    return slots[contactor].detector->faces_of(slots[contactor].contactor);
  }

  unsigned int
  kind(const unsigned int contactor) const override
  {
    const Detector<spacedim> *const own = slots[contactor].detector;
    const auto place = std::find_if(detectors.begin(), detectors.end(),
                                    [&](const auto &detector) { return detector.get() == own; });
    return place - detectors.begin() + own->target_of(slots[contactor].contactor);
  }

  double
  limit(const unsigned int kind) const override
  {
    return detector(kind).largest_cosine();
  }

  bool
  looks_for_faces(const unsigned int kind) const override
  {
    return detector(kind).looks_for_faces();
  }

  bool
  may_see(const unsigned int contactor, const Box<spacedim> &box) const override
  {
    return slots[contactor].detector->may_see(slots[contactor].contactor, box);
  }

private:
  const Detector<spacedim> &
  detector(const unsigned int kind) const
  {
    return *detectors[std::min<std::size_t>(kind, detectors.size() - 1)];
  }

  const std::vector<ContactSlot<spacedim>> &slots;
  const typename ContactSchedule<spacedim>::Detectors &detectors;
};
} // namespace

template <int spacedim>
bool
ContactSchedule<spacedim>::has_rests() const
{
  return parameters.schedule != Schedule::synchronous && !parameters.projection;
}

/// Has the contactor nothing to look for? What is in sight is looked at: its distance is wanted.
template <int spacedim>
bool
ContactSchedule<spacedim>::may_rest(const Slot &slot, const double time) const
{
  return has_rests() && slot.depth == 0 && !slot.sees && pairs.rests(slot.group) &&
         !in_contact(slot, time);
}

template <int spacedim>
std::vector<double>
ContactSchedule<spacedim>::longest_waits() const
{
  std::vector<double> waits(nodes.size(), std::numeric_limits<double>::infinity());
  for (unsigned int node = 0; node < waits.size(); ++node)
    if (supports.is_watched(node))
      for (const unsigned int id : supports.kicks_of_node(node))
        waits[node] = std::min(waits[node], levels.natural_step(id));
  return waits;
}

template <int spacedim>
void
ContactSchedule<spacedim>::start_rests(const double time)
{
  if (!has_rests())
    return;
  bounds.patches.start(time, longest_waits());
  const SlotContactors<spacedim> contactors(slots, detectors);
  pairs.start(contactors, time);
  for (unsigned int s = 0; s < slots.size(); ++s)
    slots[s].group = pairs.group(s);
  find_next_update();
}

template <int spacedim>
void
ContactSchedule<spacedim>::update_rests(const double time)
{
  if (bounds.patches.size() == 0)
    return;
  pairs.update(SlotContactors<spacedim>(slots, detectors), time);
  if (pairs.woken().empty())
    return;
  for (const auto &detector : detectors)
    detector->enter_instant(time);
  wake_resting(time);
}

template <int spacedim>
void
ContactSchedule<spacedim>::wake_resting(const double time)
{
  std::vector<unsigned int> woken;
  for (const unsigned int group : pairs.woken())
    for (const unsigned int s : pairs.members(group))
    {
      if (!slots[s].rests)
        continue;
      slots[s].rests = false;
      slots[s].last_test = time; // up to now it could not be in touch
      woken.push_back(s);
    }
  const bool is_predicted = parameters.schedule == Schedule::predicted;
  if (is_predicted)
    find_free_intervals(woken, time);
  for (const unsigned int s : woken)
    queue.set(s, is_predicted   ? next_predicted_test(slots[s], time)
                 : uses_zones() ? levels.next_common_instant(slots[s].coarsest_natural_class, time)
                                : time);
}

template <int spacedim>
void
ContactSchedule<spacedim>::update_classes()
{
  if (bounds.patches.size() > 0)
  {
    bounds.patches.set_longest_waits(longest_waits());
    // no node is kicked for the last time before classes change before this
    next_update = std::min(next_update, levels.clocks().next_time());
  }
  if (!levels.has_classes())
    return;
  for (Slot &slot : slots)
    find_class(slot);
}

template <int spacedim>
void
ContactSchedule<spacedim>::find_class(Slot &slot) const
{
  slot.coarsest_natural_class = 0;
  for (const unsigned int node : slot.nodes())
    for (const unsigned int id : supports.kicks_of_node(node))
      slot.coarsest_natural_class =
          std::max(slot.coarsest_natural_class, levels.classes().of_kick[id]);
}

template class ContactSchedule<2>;
template class ContactSchedule<3>;
} // namespace KickDrift
