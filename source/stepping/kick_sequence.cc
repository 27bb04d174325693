// A clock per kick: the part of the stepper that lets families evaluate several of their kicks at
// once.

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
    if (families[f].role == KickRole::own_clock)
      for (unsigned int k = 0; k < families[f].kicks->n_kicks(); ++k)
        sequence.push_back({f, false, false, false});
  for (unsigned int c = 0; c < sequence.size(); ++c)
  {
    SequenceEntry &entry = sequence[c];
    entry.is_watched = events && support_index.watched_on_clock(c).size() > 0;
    entry.is_followed =
        families.on_clock(c).size() > 1 || support_index.restrained_on_clock(c).size() > 0 ||
        families[entry.family].kicks->has_history() || families[entry.family].kicks->can_end();
  }
  for (unsigned int f = 0; f < families.size(); ++f)
    for (unsigned int k = 0; k < families[f].followed.size(); ++k)
    {
      const unsigned int id = families[f].followed[k];
      const auto own = families.support(id);
      for (const unsigned int node : families[f].kicks->support(k))
        if (std::find(own.begin(), own.end(), node) == own.end())
          sequence[id].is_alone = true;
    }
}

template <int spacedim>
void
Stepper<spacedim>::kick_in_sequence(const double limit)
{
  // The order of the kicks does not depend on what they do, unless their nodes are watched.
  ClockQueue &clocks = time_levels.clocks();
  unsigned int n_due = 0;
  const unsigned int f = sequence[clocks.next()].family;
  SequenceEntry entry;
  bool any_followed = false;
  do
  {
    const unsigned int c = clocks.next();
    entry = sequence[c];
    if (entry.family != f || (entry.is_alone && n_due > 0))
      break;
    const Clock &clock = clocks[c];
    // Entry by entry: a copy of three freshly written numbers would have to wait for them.
    DueClock &next = due[n_due++];
    next.clock = c;
    next.time = clock.time();
    next.step = clock.step();
    any_followed = any_followed || entry.is_followed;
    clocks.advance(c);
  } while (!entry.is_watched && !entry.is_alone && n_due < max_due && clocks.next_time() <= limit);

  KickFamily<spacedim> &family = families[f];
  const auto after = [&](const unsigned int i)
  {
    if (families.ended(due[i].clock)) // its clock goes on, but there is no kick
      --family.count;
    kick_followers(due[i].clock, due[i].time, due[i].step);
  };
  const double weight = weight_of_sample(0, n_due);
  const auto begin = weight > 0 ? SteadyClock::now() : SteadyClock::time_point();
  family.count += n_due;
  family.kicks->kick_in_sequence(nodes, dealii::ArrayView<const DueClock>(due.data(), n_due),
                                 any_followed ? after : std::function<void(unsigned int)>());
  check_forces(family,
               [&](const unsigned int clock)
               {
                 unsigned int i = 0;
                 while (due[i].clock != clock)
                   ++i;
                 return due[i].time;
               });
  if (weight > 0)
    family.time += weight * std::chrono::duration<double>(SteadyClock::now() - begin).count();
  const DueClock &last = due[n_due - 1];
  current = last.time;
  if (sequence[last.clock].is_watched)
    events->nodes_kicked(support_index.watched_on_clock(last.clock), last.time);
}

template <int spacedim>
void
Stepper<spacedim>::kick_followers(const unsigned int c, const double time, const double step)
{
  for (const unsigned int f : families.on_clock(c))
  {
    KickFamily<spacedim> &family = families[f];
    if (family.role == KickRole::follower)
    {
      family.kicks->kick(nodes, c, time, step);
      check_forces(family, [time](unsigned int) { return time; });
      if (!families.ended(c) || !family.kicks->ends_with_followed())
        ++family.count;
    }
    family.kicks->book(nodes, c, time);
  }
  end_kicks(c, time, step);
  for (const unsigned int node : support_index.restrained_on_clock(c))
    nodes.enforce_restraint(node);
}

template class Stepper<2>;
template class Stepper<3>;
} // namespace KickDrift
