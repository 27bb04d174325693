#include <kickdrift/base/archive_checks.h>
#include <kickdrift/contact/contact_schedule.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace KickDrift
{
namespace
{
// No predicted test comes sooner than after this share of the smallest critical step around the
// contactor: a run that blows up must come to its end.
constexpr double shortest_wait = 1e-5;
// Contacts that are answered before a kick are answered so much earlier, as a share of its step:
// more than rounding.
constexpr double before_kick = 1e-9;
// Contactors are dealt to processes and threads in blocks of about this size: neighbours have
// targets in common, and contactors near others take longer.
constexpr unsigned int block_size = 16;

/// Read or write a queue of times; when reading, none may be before @p now.
void
serialize_queue(Archive &archive, TournamentTree &queue, const double now)
{
  archive(queue);
  if (!archive.is_reading())
    return;
  std::vector<double> times;
  for (unsigned int slot = 0; slot < queue.size(); ++slot)
    times.push_back(queue.time(slot));
  queue.reinit(times.size()); // the tree above the times follows from them
  for (unsigned int slot = 0; slot < times.size(); ++slot)
  {
    check_state(times[slot] >= now, "contact");
    queue.set(slot, times[slot]);
  }
}
} // namespace

template <int spacedim>
ContactSchedule<spacedim>::ContactSchedule(
    const NodeTable<spacedim> &nodes, const TimeLevels &levels,
    const SupportIndex<spacedim> &supports, const ContactParameters &parameters,
    const Exclusions &exclusions, MotionBounds<spacedim> &bounds, FaceSearch<spacedim> &search,
    const Surface<spacedim> &surface, const Detectors &detectors)
    : nodes(nodes),
      levels(levels),
      supports(supports),
      parameters(parameters),
      exclusions(exclusions),
      bounds(bounds),
      search(search),
      detectors(detectors),
      pairs(surface, nodes, exclusions, search, bounds)
{
}

template <int spacedim>
void
ContactSchedule<spacedim>::check_clocks() const
{
  AssertThrow(levels.has_classes() || parameters.schedule != Schedule::synchronous,
              dealii::ExcMessage(
                  "Contact/Reference/Schedule = synchronous needs clocks 'one' or 'nested'."));
  const bool has_one_step = levels.has_one_step();
  const bool is_synchronous = parameters.schedule == Schedule::synchronous;
  AssertThrow(
      parameters.solver == ContactSolver::sequential ||
          (has_one_step && (is_synchronous || parameters.schedule == Schedule::predicted)),
      dealii::ExcMessage(
          "'Contact/Reference/Solver' = coupled needs 'Contact/Reference/Schedule' = synchronous "
          "or predicted and one step for all cells, 'Stepping/Clocks' = "
          "one."));
  AssertThrow(
      !parameters.projection || (has_one_step && is_synchronous),
      dealii::ExcMessage(
          "'Contact/Reference/Projection' needs 'Contact/Reference/Schedule' = synchronous and "
          "one step for all cells, 'Stepping/Clocks' = one."));
}

template <int spacedim>
void
ContactSchedule<spacedim>::start(const double time, const bool with_obstacles, const double average,
                                 const std::shared_ptr<Ranks> &ranks)
{
  has_obstacles = with_obstacles;
  average_step = average;
  longest_step = parameters.maximum_step * average_step;
  normal_changes.assign(bounds.n_bodies(), 0);
  update_search(time);
  looks.start(ranks, add_slots());
  is_looked_at.assign(slots.size(), 0);
  start_rests(time);
  queue.reinit(slots.size());
  for (unsigned int s = 0; s < slots.size(); ++s)
  {
    Slot &slot = slots[s];
    slot.rests = may_rest(slot, time);
    if (!slot.rests && may_sleep(slot, time))
      slot.free_interval = slot.detector->free_interval(slot.contactor, time, target_speed);
    // contacts that are closed at the start are answered before the first kick
    queue.set(s, slot.rests              ? TournamentTree::never
                 : answers_after_kicks() ? time
                                         : next_test(slot, time));
  }
}

/// Returns their blocks: those that share what is remembered about them are in one block.
template <int spacedim>
std::vector<unsigned int>
ContactSchedule<spacedim>::add_slots()
{
  slots.clear();
  std::vector<unsigned int> blocks;
  unsigned int block = 0, n_in_block = 0;
  for (const auto &detector : detectors)
    for (unsigned int c = 0; c < detector->n_contactors(); ++c)
    {
      slots.emplace_back(*detector, c);
      Slot &slot = slots.back();
      const bool begins_block =
          n_in_block >= block_size && !share_memory(slot, slots[slots.size() - 2]);
      block += begins_block;
      n_in_block = begins_block ? 1 : n_in_block + 1;
      blocks.push_back(block);
      for (const unsigned int node : detector->nodes_of(c))
        for (const unsigned int id : supports.kicks_of_node(node))
          slot.constant_step = std::min(slot.constant_step, levels.critical_step(id));
    }
  update_classes();
  return blocks;
}

template <int spacedim>
bool
ContactSchedule<spacedim>::share_memory(const Slot &a, const Slot &b)
{
  const auto of_a = a.detector->nodes_of(a.contactor), of_b = b.detector->nodes_of(b.contactor);
  return a.detector == b.detector && std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end());
}

template <int spacedim>
const std::vector<unsigned int> &
ContactSchedule<spacedim>::find_due(const double time)
{
  due_slots.clear();
  if (queue.time() == time)
  {
    queue.earliest(due_slots);
    if (!nodes.rigid_bodies.empty())
      add_due_of_rigid(time);
  }
  is_tested.assign(due_slots.size(), 0);
  return due_slots;
}

/// An impulse at one place of a rigid body changes the velocity at all others: those that are to be
/// tested within a critical step are answered together.
template <int spacedim>
void
ContactSchedule<spacedim>::add_due_of_rigid(const double time)
{
  std::vector<char> is_due(nodes.rigid_bodies.size(), 0);
  const auto rigid_body = [this](const Slot &slot)
  { return nodes.rigid_bodies.body_of(slot.nodes()[0]); };
  for (const unsigned int s : due_slots)
    if (rigid_body(slots[s]) != RigidBodies<spacedim>::none)
      is_due[rigid_body(slots[s])] = 1;
  if (std::find(is_due.begin(), is_due.end(), 1) == is_due.end())
    return;
  for (unsigned int s = 0; s < slots.size(); ++s)
  {
    const unsigned int body = rigid_body(slots[s]);
    if (body != RigidBodies<spacedim>::none && is_due[body] && !slots[s].rests &&
        queue.time(s) > time && queue.time(s) <= time + slots[s].constant_step)
      due_slots.push_back(s);
  }
  std::sort(due_slots.begin(), due_slots.end());
}

template <int spacedim>
void
ContactSchedule<spacedim>::schedule_tested(const double time)
{
  next_times.clear();
  if (levels.has_classes())
    find_next_ends(time);
  for (const unsigned int s : due_slots)
  {
    slots[s].rests = may_rest(slots[s], time);
    next_times.push_back(slots[s].rests ? TournamentTree::never : next_test(slots[s], time));
  }
  queue.set_many(due_slots, next_times);
}

/// Is the contactor one of those that wait until bounds of motion say that it could touch
/// something?
template <int spacedim>
bool
ContactSchedule<spacedim>::may_sleep(const Slot &slot, const double time) const
{
  return parameters.schedule == Schedule::predicted && slot.depth == 0 && !in_contact(slot, time);
}

template <int spacedim>
double
ContactSchedule<spacedim>::speed(const Slot &slot) const
{
  double square = 0;
  for (const unsigned int node : slot.nodes())
    square = std::max(square, nodes.velocity(node).norm_square());
  return std::sqrt(square);
}

template <int spacedim>
double
ContactSchedule<spacedim>::schedule_step(const Slot &slot) const
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

/// That of the contactor's zone; the finest one if no answer has made a zone.
template <int spacedim>
unsigned int
ContactSchedule<spacedim>::zone_class(const Slot &slot) const
{
  return std::max(slot.memory.zone_class, levels.finest_class());
}

template <int spacedim>
bool
ContactSchedule<spacedim>::in_contact(const Slot &slot, const double time) const
{
  const double period =
      uses_zones() ? levels.classes().step(zone_class(slot)) : schedule_step(slot);
  const double chatter = answers_after_kicks()
                             ? SequentialResponse<spacedim>::chatter(levels.largest_step_ratio())
                             : 1;
  return time - slot.last_contact <= ContactZones<spacedim>::hold * chatter * period;
}

/// The last end of an interval of the cells around a contactor before it can be in touch, or the
/// next one; but not later than when it could be so deep behind a thin target, or a small one, that
/// it would not be found.
template <int spacedim>
double
ContactSchedule<spacedim>::next_predicted_test(const Slot &slot, const double time) const
{
  if (!std::isfinite(slot.free_interval.until))
    return TournamentTree::never;
  double next = 0;
  if (uses_zones())
  {
    const unsigned int own_class = slot.coarsest_natural_class;
    const double last = slot.free_interval.until - levels.classes().step(own_class);
    next = levels.next_common_instant(own_class, std::max(time, last));
  }
  else
    next = std::max(slot.free_interval.until, time + schedule_step(slot));
  return std::min(next,
                  std::max(slot.free_interval.latest, time + shortest_wait * slot.constant_step));
}

/// The first moment after @p time at which all cells are just about to be kicked.
template <int spacedim>
double
ContactSchedule<spacedim>::next_moment_before_kicks(const double time) const
{
  const unsigned int finest = levels.finest_class();
  const double step = levels.classes().step(finest), ahead = (0.5 + before_kick) * step;
  return levels.next_common_instant(finest, time + ahead + 0.25 * step) - ahead;
}

/// What next_end() says at @p time.
template <int spacedim>
void
ContactSchedule<spacedim>::find_next_ends(const double time)
{
  ends_after = time;
  next_ends.clear();
  for (unsigned int k = 0; k < levels.classes().n_classes; ++k)
    next_ends.push_back(levels.next_common_instant(k, time));
}

/// First end of an interval of a class after @p time.
template <int spacedim>
double
ContactSchedule<spacedim>::next_end(const unsigned int step_class, const double time) const
{
  return time == ends_after ? next_ends[step_class] : levels.next_common_instant(step_class, time);
}

template <int spacedim>
double
ContactSchedule<spacedim>::next_test(const Slot &slot, const double time) const
{
  if (parameters.projection)
    return next_moment_before_kicks(time);
  const bool lasts = in_contact(slot, time);
  if (parameters.schedule == Schedule::predicted && !lasts)
    return next_predicted_test(slot, time);
  if (uses_zones() && lasts)
    return answers_after_kicks() ? levels.next_kick(zone_class(slot), time)
                                 : next_end(zone_class(slot), time);
  if (parameters.schedule == Schedule::synchronous)
    return answers_after_kicks() ? levels.next_kick(levels.finest_class(), time)
                                 : next_end(levels.finest_class(), time);
  const double step = schedule_step(slot);
  if (!uses_zones())
    return time + step;
  // the last end of an interval of the cells around the contactor within the step, or the next one
  const unsigned int own_class = slot.coarsest_natural_class;
  const double wait = std::min(step, slot.time_to_reach) - levels.classes().step(own_class);
  return levels.next_common_instant(own_class, time + std::max(0., wait));
}

template <int spacedim>
void
ContactSlot<spacedim>::serialize(Archive &archive)
{
  archive(memory, last_contact, last_test, depth, time_to_reach, gap, free_interval, sees, rests);
  check_state(is_flag(sees) && is_flag(rests) &&
                  is_enumerator(memory.status, ContactStatus::sticks),
              "contact");
}

template <int spacedim>
void
ContactSchedule<spacedim>::serialize(Archive &archive, const double now)
{
  archive.fixed(slots);
  for (const Slot &slot : slots)
    check_state(slot.memory.zone_class == 0 || slot.memory.zone_class < levels.classes().n_classes,
                "contact");
  serialize_queue(archive, queue, now);
  archive(pairs);
  archive.fixed(rates, normal_changes);
  archive(rates_version, target_speed, next_target_check, next_update);
  check_state(!archive.is_reading() || (next_update >= now && !std::isnan(next_target_check)),
              "contact");
}

template struct ContactSlot<2>;
template struct ContactSlot<3>;
template class ContactSchedule<2>;
template class ContactSchedule<3>;
} // namespace KickDrift
