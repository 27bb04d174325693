// SPDX-License-Identifier: LGPL-2.1-or-later
#include <kickdrift/base/archive_checks.h>
#include <kickdrift/contact/flight/feature_edges.h>
#include <kickdrift/contact/reference/reference_contact.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace KickDrift
{
namespace
{
// times the usual room in lists: points are looked for as far behind a surface as they are long
constexpr double room = 5;
// over the shortest step: to take differences of motions
constexpr double short_share = 0.01;

/// No body touches itself.
std::vector<std::pair<std::string, std::string>>
with_self(std::vector<std::pair<std::string, std::string>> excluded)
{
  excluded.emplace_back();
  return excluded;
}
} // namespace

template <int spacedim>
ReferenceContact<spacedim>::ReferenceContact(NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper,
                                             Surface<spacedim> surface,
                                             const ContactParameters &parameters,
                                             std::vector<Obstacle<spacedim>> given_obstacles)
    : BookedContact<spacedim>(nodes, stepper, std::move(surface), parameters,
                              std::move(given_obstacles), with_self(parameters.exclude)),
      facets(this->complete_surface(), nodes.size()),
      response(nodes, stepper, books),
      simultaneous_response(nodes, stepper, partners, response, parameters),
      schedule(nodes, stepper.levels(), stepper.supports(), this->parameters),
      flights(nodes, stepper, facets),
      in_flight(nodes, contact_surface, facets, flights, obstacles, exclusions),
      geometry(nodes, contact_surface, facets, in_flight, obstacles),
      is_changed(facets.nodes().size(), 0)
{
  AssertThrow(nodes.rigid_bodies.empty(), ExcNoReference("rigid bodies"));
  AssertThrow(!contact_surface.has_shells(), ExcNoReference("shells"));
  AssertThrow(!contact_surface.faces.empty() || !contact_surface.contactors.empty(),
              ExcEmptySurface());
  // projection asks for forces
  stepper.watch(facets.nodes(),
                parameters.projection ? WatchedKicks::by_all : WatchedKicks::divided);
  stepper.attach(*this);
}

template <int spacedim>
std::vector<unsigned int>
ReferenceContact<spacedim>::features() const
{
  std::vector<unsigned int> result;
  for (unsigned int e = 0; e < facets.edges().size() && parameters.edges != Edges::none; ++e)
    if (parameters.edges == Edges::all ||
        is_feature_edge(nodes, facets, e, parameters.feature_angle))
      result.push_back(e);
  return result;
}

template <int spacedim>
void
ReferenceContact<spacedim>::start()
{
  this->check_start();
  schedule.check_clocks();
  const double time = stepper.time();
  books.start(facets.nodes());
  response.start(facets.nodes(), schedule.uses_zones());
  flights.begin(time);
  in_flight.find_rounding();
  double shortest = std::numeric_limits<double>::infinity();
  for (const unsigned int node : facets.nodes())
    for (const unsigned int id : stepper.supports().kicks_of_node(node))
      shortest = std::min(shortest, stepper.levels().natural_step(id));
  short_time = std::isfinite(shortest) ? short_share * shortest : 1;
  const std::vector<unsigned int> edges = features();
  proximity = std::make_unique<Proximity<spacedim>>(
      contact_surface, facets, flights, in_flight,
      typename Candidates<spacedim>::Edges{edges, edges}, room * parameters.room_in_lists);
  search = std::make_unique<PenetrationSearch<spacedim>>(
      contact_surface, facets, flights, in_flight, geometry, *proximity, obstacles, edges);
  std::vector<TestState> states;
  for (const ContactTest &test : search->tests())
  {
    states.emplace_back();
    states.back().nodes = search->nodes_of(test);
    states.back().length = search->length_of(test);
  }
  schedule.start(std::move(states), time, average_critical_step());
  change(facets.nodes());
  started = true;
}

template <int spacedim>
double
ReferenceContact<spacedim>::average_critical_step() const
{
  double sum = 0;
  unsigned int n = 0;
  for (unsigned int id = 0; id < stepper.levels().n_kicks(); ++id)
    if (const double step = stepper.levels().critical_step(id); std::isfinite(step))
    {
      sum += step;
      ++n;
    }
  return sum / n;
}

template <int spacedim>
template <typename Nodes>
void
ReferenceContact<spacedim>::change(const Nodes &some)
{
  for (const unsigned int node : some)
    if (const unsigned int place = facets.place_of_node(node);
        place != Facets<spacedim>::none && std::exchange(is_changed[place], 1) == 0)
      changed.push_back(place);
}

template <int spacedim>
void
ReferenceContact<spacedim>::nodes_kicked(const dealii::ArrayView<const unsigned int> some, double)
{
  AssertThrow(started, ExcNotStarted());
  change(some);
}

template <int spacedim>
void
ReferenceContact<spacedim>::kicks_moved(const dealii::ArrayView<const unsigned int> ids, double)
{
  for (const unsigned int id : ids)
    change(stepper.supports().nodes_of_kick(id));
}

template <int spacedim>
void
ReferenceContact<spacedim>::classes_changed()
{
  response.classes_changed();
  schedule.update_classes();
}

template <int spacedim>
void
ReferenceContact<spacedim>::enter(const double time)
{
  flights.begin(time);
  proximity->follow(changed);
  for (const unsigned int place : changed)
    is_changed[place] = 0;
  changed.clear();
}

template <int spacedim>
std::vector<Penetration<spacedim>>
ReferenceContact<spacedim>::penetrations()
{
  std::vector<Penetration<spacedim>> result;
  enter(stepper.time());
  for (const ContactTest &test : search->tests())
  {
    if (test.kind != ContactKind::point_on_obstacle)
      continue;
    const ContactPoint<spacedim> found = search->find(test, short_time);
    if (found.depth > 0)
      result.push_back({found.body, found.target, found.depth, found.depth / found.size,
                        in_flight.point_at(test.number, 0)});
  }
  std::sort(result.begin(), result.end(),
            [](const auto &a, const auto &b) { return a.depth > b.depth; });
  return result;
}

template <int spacedim>
void
ReferenceContact<spacedim>::process(const double time)
{
  AssertThrow(started, ExcNotStarted());
  const auto begin = std::chrono::steady_clock::now();
  books.enter_instant(time);
  response.enter_instant(time);
  enter(time);
  const std::vector<unsigned int> due = schedule.due(time);
  std::vector<ContactPoint<spacedim>> found;
  found.reserve(due.size());
  for (const unsigned int s : due)
    found.push_back(search->find(search->tests()[s], short_time));

  const auto begin_of_answers = std::chrono::steady_clock::now();
  for (unsigned int i = 0; i < due.size(); ++i)
    answer(schedule.states[due[i]], time, found[i]);
  if (simultaneous_response.collects())
    simultaneous_response.answer(time);
  const auto end = std::chrono::steady_clock::now();
  books.stats.response_time += std::chrono::duration<double>(end - begin_of_answers).count();
  schedule.tested(due, time);
  spent += end - begin;
}

template <int spacedim>
void
ReferenceContact<spacedim>::answer(TestState &state, const double time,
                                   const ContactPoint<spacedim> &found)
{
  ++books.stats.tests;
  books.stats.lost += found.is_lost && !state.is_lost;
  state.is_lost = state.is_lost || found.is_lost;
  state.gap = found.sees ? -found.depth : std::numeric_limits<double>::infinity();
  state.time_to_reach = std::numeric_limits<double>::infinity();
  if (found.sees)
    for (unsigned int i = 0; i < found.stencil.n_nodes; ++i)
      nodes.drift(found.stencil.nodes[i], time);
  if (found.touches)
  {
    books.stats.max_penetration = std::max(books.stats.max_penetration, found.depth);
    state.last_contact = time;
    if (!schedule.uses_zones())
      state.history.period = schedule.period(state);
    if (!simultaneous_response.collects())
      response.respond(state.history, found);
    else if (!response.is_held(found.stencil))
      simultaneous_response.add(state.history, found);
    change(
        dealii::ArrayView<const unsigned int>(found.stencil.nodes.data(), found.stencil.n_nodes));
  }
  else if (found.sees)
  {
    const auto velocity = [&](const unsigned int node) { return nodes.velocity(node); };
    if (const double speed = found.stencil.relative_velocity(velocity).norm(); speed > 0)
      state.time_to_reach = found.distance / speed;
  }
  if (!found.touches && !schedule.in_contact(state, time))
    state.history.status = ContactStatus::open;
}

template <int spacedim>
std::vector<ContactState>
ReferenceContact<spacedim>::states() const
{
  std::vector<ContactState> result(nodes.size());
  for (const TestState &test : schedule.states)
  {
    if (test.nodes.size() > 1 || !std::isfinite(test.gap))
      continue;
    ContactState &state = result[test.nodes[0]];
    if (!(state.gap <= test.gap))
      state.gap = test.gap;
    state.status = std::max(state.status, test.history.status);
  }
  return result;
}

template <int spacedim>
void
ReferenceContact<spacedim>::print_plan(std::ostream &out) const
{
  out << "Note: contact is tested now and then (Contact/Response = reflect): bodies do not touch "
         "themselves, and what passes through between two tests is not seen.\n";
  if (!schedule.uses_zones() && parameters.restitution < 1)
    out << "Note: without zones ('Contact/Reference/Zone layers' = 0) contacts that last sink if "
           "'Contact/Restitution' is below 1.\n";
}

template <int spacedim>
void
ReferenceContact<spacedim>::serialize(Archive &archive)
{
  archive.section("contact");
  archive(partners, books, response, changed, *proximity, spent);
  schedule.serialize(archive, stepper.time());
  if (!archive.is_reading())
    return;
  std::fill(is_changed.begin(), is_changed.end(), 0);
  for (const unsigned int place : changed)
  {
    check_state(place < is_changed.size() && !is_changed[place], "contact");
    is_changed[place] = 1;
  }
  for (const TestState &state : schedule.states)
    check_state(state.history.lasting == LastingImpulses<spacedim>::nowhere ||
                    state.history.lasting < books.lasting.size(),
                "contact");
}

template class ReferenceContact<2>;
template class ReferenceContact<3>;
} // namespace KickDrift
