// Units with clocks of their own: the part of the stepper that lets families evaluate several of
// their kicks at once.

#include <kickdrift/stepping/stepper.h>

#include <algorithm>
#include <chrono>

namespace KickDrift
{
using SteadyClock = std::chrono::steady_clock;

namespace
{
/// Clocks that are handed to a family together. More do not help: families take a few at a time.
constexpr unsigned int max_due = 32;
} // namespace

template <int spacedim>
void
Stepper<spacedim>::prepare_sequence()
{
  due.resize(max_due);
  for (unsigned int f = 0; f < families.size(); ++f)
    if (families[f].role == Role::leader)
      for (unsigned int k = 0; k < families[f].kicks->n_kicks(); ++k)
        sequence.push_back({f, false, false, false});
  for (unsigned int c = 0; c < clocks.size(); ++c)
  {
    SequenceEntry &entry = sequence[c];
    entry.is_watched = events && watched_of_clock.row(c).size() > 0;
    entry.is_followed =
        families_of_clock.row(c).size() > 1 || restrained_of_clock.row(c).size() > 0;
  }
  for (const Family &family : families)
    for (unsigned int k = 0; k < family.unit_of_kick.size(); ++k)
    {
      const unsigned int unit = family.unit_of_kick[k];
      const auto own = support(unit);
      for (const unsigned int node : family.kicks->support(k))
        if (std::find(own.begin(), own.end(), node) == own.end())
          sequence[unit].is_alone = true;
    }
}

template <int spacedim>
void
Stepper<spacedim>::kick_in_sequence(const double limit)
{
  // The order of the kicks does not depend on what they do, unless somebody watches.
  unsigned int n_due = 0;
  const unsigned int f = sequence[queue.slot()].family;
  SequenceEntry entry;
  bool any_followed = false;
  do
  {
    const unsigned int c = queue.slot();
    entry = sequence[c];
    if (entry.family != f || (entry.is_alone && n_due > 0))
      break;
    Clock &clock = clocks[c];
    // Entry by entry: a copy of three freshly written numbers would have to wait for them.
    DueClock &next = due[n_due++];
    next.clock = c;
    next.time = clock.time();
    next.step = clock.step();
    any_followed = any_followed || entry.is_followed;
    clock.advance();
    queue.set(c, clock.time());
  } while (!entry.is_watched && !entry.is_alone && n_due < max_due && queue.time() <= limit);

  const auto after = [this](const unsigned int i)
  { follow(due[i].clock, due[i].time, due[i].step); };
  const double weight = weight_of_sample(n_due);
  const auto begin = weight > 0 ? SteadyClock::now() : SteadyClock::time_point();
  families[f].kicks->kick_in_sequence(nodes, dealii::ArrayView<const DueClock>(due.data(), n_due),
                                      any_followed ? after : std::function<void(unsigned int)>());
  if (weight > 0)
    families[f].time += weight * std::chrono::duration<double>(SteadyClock::now() - begin).count();
  families[f].count += n_due;
  const DueClock &last = due[n_due - 1];
  current = last.time;
  if (sequence[last.clock].is_watched)
    events->nodes_kicked(watched_of_clock.row(last.clock), last.time);
}

template <int spacedim>
void
Stepper<spacedim>::follow(const unsigned int c, const double time, const double step)
{
  const auto present = families_of_clock.row(c);
  for (const unsigned int f : present)
  {
    Family &family = families[f];
    if (family.role == Role::follower)
    {
      family.kicks->kick(nodes, c, time, step);
      ++family.count;
    }
    family.kicks->book(nodes, c, time);
  }
  for (const unsigned int node : restrained_of_clock.row(c))
    nodes.enforce_restraint(node);
}

template class Stepper<2>;
template class Stepper<3>;
} // namespace KickDrift
