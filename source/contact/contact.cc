#include <kickdrift/base/archive_checks.h>
#include <kickdrift/contact/contact.h>
#include <kickdrift/stepping/threads.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>

namespace KickDrift
{
namespace
{
// Fewer than these are left to one thread.
constexpr unsigned int fewest_to_share = 64;
} // namespace

template <int spacedim>
std::vector<Penetration<spacedim>>
Contact<spacedim>::penetrations()
{
  std::vector<Penetration<spacedim>> result;
  const double time = stepper.time();
  search.fit(time);
  enter_instant(time);
  const auto touched = schedule.look_at_all(time);
  for (unsigned int s = 0; s < touched.size(); ++s)
  {
    const ContactPoint<spacedim> &found = touched[s];
    const auto own_nodes = schedule.slots[s].nodes();
    // obstacles do not push out what is too deep, but it overlaps all the same
    const bool is_in_obstacle =
        found.target >= contact_surface.body_names.size() && found.depth > 0;
    if (!found.touches && !is_in_obstacle)
      continue;
    Vector point;
    for (unsigned int i = 0; i < own_nodes.size(); ++i)
      point += found.stencil.coefficients[i] * nodes.position_at(found.stencil.nodes[i], time);
    result.push_back({found.body, found.target, found.depth, found.depth / found.size,
                      dealii::Point<spacedim>(point)});
  }
  std::sort(result.begin(), result.end(),
            [](const auto &a, const auto &b) { return a.depth > b.depth; });
  return result;
}

template <int spacedim>
ContactStatistics<spacedim>
Contact<spacedim>::synchronised_statistics() const
{
  return response.books.synchronised_statistics(stepper.time());
}

template <int spacedim>
ContactPairs<spacedim>
Contact<spacedim>::synchronised_pairs() const
{
  return response.books.synchronised_pairs(stepper.time());
}

template <int spacedim>
void
Contact<spacedim>::pending_impulses(
    const double time, const typename EventSource<spacedim>::OnImpulse &on_impulse) const
{
  response.books.pending_impulses(time, on_impulse);
}

template <int spacedim>
std::vector<ContactState>
Contact<spacedim>::states() const
{
  std::vector<ContactState> result(nodes.size());
  for (const Slot &slot : schedule.slots)
  {
    const auto own_nodes = slot.nodes();
    if (own_nodes.size() > 1 || !slot.sees)
      continue;
    ContactState &state = result[own_nodes[0]];
    if (!(state.gap <= slot.gap))
      state.gap = slot.gap;
    state.status = std::max(state.status, slot.memory.status);
  }
  return result;
}

template <int spacedim>
void
Contact<spacedim>::enter_instant(const double time)
{
  for (const auto &detector : detectors)
    detector->enter_instant(time);
}

template <int spacedim>
void
Contact<spacedim>::process(const double time)
{
  AssertThrow(started, ExcNotStarted());
  const auto begin = std::chrono::steady_clock::now();
  response.enter_instant(time);
  if (time >= next_renewal)
    renew(time);
  schedule.update_search(time);
  test_due(time);

  const auto begin_of_answers = std::chrono::steady_clock::now();
  const std::vector<unsigned int> &due = schedule.due();
  for (unsigned int i = 0; i < due.size(); ++i)
    answer(schedule.slots[due[i]], time, touches[i]);
  if (simultaneous_response.is_wanted() && simultaneous_response.answer(time))
    schedule.reschedule_search();
  response.answer_constraints();
  const auto end_of_answers = std::chrono::steady_clock::now();
  response.stats.response_time +=
      std::chrono::duration<double>(end_of_answers - begin_of_answers).count();

  schedule.schedule_tested(time);
  schedule.reschedule(time);
  spent += std::chrono::steady_clock::now() - begin;
}

template <int spacedim>
void
Contact<spacedim>::test_due(const double time)
{
  const unsigned int n = schedule.find_due(time).size();
  if (n == 0)
    return;
  enter_instant(time);
  if (touches.size() < n)
    touches.resize(n);
  Threads *const threads = stepper.threads().get();
  if (threads && schedule.n_due_here() >= fewest_to_share)
    threads->run([&](const unsigned int i)
                 { schedule.test_due(time, i, threads->size(), touches); });
  else
    schedule.test_due(time, 0, 1, touches);
  schedule.share_tests(time, touches);
}

template <int spacedim>
void
Contact<spacedim>::answer(Slot &slot, const double time, const ContactPoint<spacedim> &found)
{
  ++response.stats.tests;
  response.stats.lost += found.is_lost;
  if (found.sees)
    for (unsigned int i = 0; i < found.stencil.n_nodes; ++i)
      nodes.drift(found.stencil.nodes[i], time);
  if (response.has_left(slot.memory, found))
    response.let_go(slot.memory);
  if (found.touches)
  {
    response.stats.max_penetration = std::max(response.stats.max_penetration, found.depth);
    if (!simultaneous_response.is_wanted())
      response.respond(slot.memory, found);
    else if (!response.is_held(found.stencil))
      simultaneous_response.add(slot.memory, found);
  }
  else if (found.sees)
  {
    const auto velocity = [&](const unsigned int node) { return nodes.velocity(node); };
    slot.time_to_reach = found.distance / found.stencil.relative_velocity(velocity).norm();
    if (response.approach(slot.memory, found))
      slot.last_contact = time;
  }
  if (!found.touches && !schedule.in_contact(slot, time))
    slot.memory.status = ContactStatus::open;
}

template <int spacedim>
void
Contact<spacedim>::nodes_kicked(const dealii::ArrayView<const unsigned int> kicked,
                                const double time)
{
  if (eroding && eroding->n_deleted() != n_deleted)
    next_renewal = time; // when all kicks of this instant have been done
  if (kicked.size() == 0)
    return;
  const auto begin = std::chrono::steady_clock::now();
  bounds.check(kicked, time);
  schedule.reschedule(time);
  spent += std::chrono::steady_clock::now() - begin;
}

template <int spacedim>
void
Contact<spacedim>::classes_changed()
{
  response.classes_changed();
  schedule.update_classes();
}

template <int spacedim>
void
Contact<spacedim>::gather()
{
  if (started)
    schedule.gather();
}

template <int spacedim>
void
Contact<spacedim>::serialize(Archive &archive)
{
  archive.section("contact");
  if (archive.is_reading())
    schedule.update_classes(); // the stepper has been read
  if (eroding)
    serialize_renewal(archive);
  archive(bounds, partners, response, search);
  for (const auto &detector : detectors)
    archive(*detector);
  schedule.serialize(archive, stepper.time());
  for (const Slot &slot : schedule.slots)
    check_state(slot.memory.lasting == LastingImpulses<spacedim>::nowhere ||
                    slot.memory.lasting < response.lasting.size(),
                "contact");
  archive(spent);
}

template class Contact<2>;
template class Contact<3>;
} // namespace KickDrift
