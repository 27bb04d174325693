// What processes tell each other about the contactors that they have looked at.

#include <kickdrift/base/archive.h>
#include <kickdrift/contact/contact_schedule.h>

#include <tuple>

namespace KickDrift
{
namespace
{
enum Flag : unsigned int
{
  sees = 1,
  touches = 2,
  is_lost = 4
};

/// A ContactPoint as numbers: flags and Detector::side(), and the rest if anything is in sight.
template <int spacedim>
struct NumbersOfPoint
{
  static constexpr unsigned int max_nodes = ContactStencil<spacedim>::max_nodes;
  static constexpr unsigned int most = 6 + 2 * spacedim + 2 * max_nodes;

  static void
  write(const ContactPoint<spacedim> &point, const unsigned int side, std::vector<double> &numbers)
  {
    const auto &stencil = point.stencil;
    numbers.push_back(
        packed(point.sees * sees + point.touches * touches + point.is_lost * is_lost, side));
    if (!point.sees)
      return;
    numbers.insert(numbers.end(), {point.depth, point.distance, point.size,
                                   packed(point.body, point.target), double(stencil.n_nodes)});
    for (unsigned int d = 0; d < spacedim; ++d)
      numbers.insert(numbers.end(), {stencil.normal[d], stencil.target_velocity[d]});
    for (unsigned int i = 0; i < stencil.n_nodes; ++i)
      numbers.insert(numbers.end(), {double(stencil.nodes[i]), stencil.coefficients[i]});
  }

  /// Returns the side.
  static unsigned int
  read(ContactPoint<spacedim> &point, const double *&next)
  {
    point = ContactPoint<spacedim>();
    const auto [flags, side] = unpacked(*next++);
    point.sees = flags & sees;
    point.touches = flags & touches;
    point.is_lost = flags & is_lost;
    if (!point.sees)
      return side;
    point.depth = *next++;
    point.distance = *next++;
    point.size = *next++;
    std::tie(point.body, point.target) = unpacked(*next++);
    const unsigned int n_nodes = *next++;
    auto &stencil = point.stencil;
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      stencil.normal[d] = *next++;
      stencil.target_velocity[d] = *next++;
    }
    for (unsigned int i = 0; i < n_nodes; ++i, next += 2)
      stencil.add(next[0], next[1]);
    return side;
  }
};
} // namespace

template <int spacedim>
void
ContactSchedule<spacedim>::share_tests(const double time,
                                       std::vector<ContactPoint<spacedim>> &found)
{
  if (!looks.is_divided())
    return;
  std::vector<unsigned int> tested, places;
  for (unsigned int i = 0; i < due_slots.size(); ++i)
  {
    Slot &slot = slots[due_slots[i]];
    if (looks.is_own(due_slots[i]) ? is_tested[i] != 0
                                   : begin_test(slot, time, in_contact(slot, time), found[i]))
    {
      tested.push_back(due_slots[i]);
      places.push_back(i);
    }
  }
  looks.share(
      tested, NumbersOfPoint<spacedim>::most + 2,
      [&](const unsigned int i, std::vector<double> &numbers)
      {
        const Slot &slot = slots[tested[i]];
        NumbersOfPoint<spacedim>::write(found[places[i]], slot.detector->side(slot.contactor),
                                        numbers);
        if (may_sleep(slot, time))
          numbers.insert(numbers.end(), {slot.free_interval.until, slot.free_interval.latest});
      },
      [&](const unsigned int i, const double *&next)
      {
        Slot &slot = slots[tested[i]];
        ContactPoint<spacedim> &point = found[places[i]];
        slot.detector->set_side(slot.contactor, NumbersOfPoint<spacedim>::read(point, next));
        note(slot, time, point);
        if (!may_sleep(slot, time))
          return;
        slot.free_interval.until = *next++;
        slot.free_interval.latest = *next++;
      });
}

template <int spacedim>
std::vector<ContactPoint<spacedim>>
ContactSchedule<spacedim>::look_at_all(const double time)
{
  std::vector<ContactPoint<spacedim>> found(slots.size());
  std::vector<unsigned int> some;
  for (unsigned int s = 0; s < slots.size(); ++s)
    if (!touches_nothing(slots[s]))
      some.push_back(s);
  for (const unsigned int s : some)
    if (looks.is_own(s))
    {
      found[s] = slots[s].detector->find({slots[s].contactor, time, slots[s].length(), false});
      is_looked_at[s] = 1;
    }
  looks.share(
      some, NumbersOfPoint<spacedim>::most,
      [&](const unsigned int i, std::vector<double> &numbers)
      {
        const Slot &slot = slots[some[i]];
        NumbersOfPoint<spacedim>::write(found[some[i]], slot.detector->side(slot.contactor),
                                        numbers);
      },
      [&](const unsigned int i, const double *&next)
      {
        const Slot &slot = slots[some[i]];
        slot.detector->set_side(slot.contactor,
                                NumbersOfPoint<spacedim>::read(found[some[i]], next));
      });
  gather(); // there may be a checkpoint before the next step
  return found;
}

template <int spacedim>
void
ContactSchedule<spacedim>::find_free_intervals(const std::vector<unsigned int> &some,
                                               const double time)
{
  for (const unsigned int s : some)
    if (looks.is_own(s))
    {
      slots[s].free_interval =
          slots[s].detector->free_interval(slots[s].contactor, time, target_speed);
      is_looked_at[s] = 1;
    }
  looks.share(
      some, 2,
      [&](const unsigned int i, std::vector<double> &numbers)
      {
        const ContactFreeInterval &own = slots[some[i]].free_interval;
        numbers.insert(numbers.end(), {own.until, own.latest});
      },
      [&](const unsigned int i, const double *&next)
      {
        ContactFreeInterval &of_other = slots[some[i]].free_interval;
        of_other.until = *next++;
        of_other.latest = *next++;
      });
}

template <int spacedim>
void
ContactSchedule<spacedim>::gather()
{
  if (!looks.is_divided())
    return;
  Archive own;
  for (unsigned int s = 0; s < slots.size(); ++s)
  {
    if (is_looked_at[s] && !looks.is_first())
    {
      own(s);
      slots[s].detector->serialize_contactor(own, slots[s].contactor);
    }
    is_looked_at[s] = 0;
  }
  for (const std::string &bytes : looks.gather_to_first(own.bytes()))
  {
    Archive archive(bytes);
    while (!archive.is_at_end())
    {
      unsigned int s;
      archive(s);
      slots[s].detector->serialize_contactor(archive, slots[s].contactor);
    }
  }
}

template class ContactSchedule<2>;
template class ContactSchedule<3>;
} // namespace KickDrift
