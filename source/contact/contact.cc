#include <kickdrift/contact/contact.h>
#include <kickdrift/contact/detection/edge_detector.h>
#include <kickdrift/contact/detection/obstacle_detector.h>
#include <kickdrift/stepping/threads.h>

#include <kickdrift/base/archive_checks.h>

#include <deal.II/base/exceptions.h>
#include <deal.II/base/numbers.h>
#include <deal.II/base/utilities.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace KickDrift
{
namespace
{
// Fewer than these are left to one thread.
constexpr unsigned int fewest_to_share = 64;

/// Nothing in 2D, or if no edges are wanted.
template <int spacedim>
std::unique_ptr<Detector<spacedim>>
make_edge_detector(NodeTable<spacedim> &nodes, const Surface<spacedim> &surface,
                   const Exclusions &exclusions, const FaceSearch<spacedim> &search,
                   const FaceDetector<spacedim> &faces, const MotionBounds<spacedim> &bounds,
                   const ContactParameters &parameters)
{
  if constexpr (spacedim == 3)
    if (parameters.edges != Edges::none)
    {
      const double degrees = parameters.edges == Edges::all ? -180. : parameters.feature_angle;
      return std::make_unique<EdgeDetector>(nodes, surface, exclusions, search, faces, bounds,
                                            degrees * dealii::numbers::PI / 180);
    }
  (void)nodes, (void)surface, (void)exclusions, (void)search, (void)faces, (void)bounds,
      (void)parameters;
  return {};
}

void
check_range(const std::string &name, const double value, const double least, const double largest)
{
  if (value >= least && value <= largest)
    return;
  std::string range = largest < std::numeric_limits<double>::max()
                          ? "from " + dealii::Utilities::to_string(least) + " to " +
                                dealii::Utilities::to_string(largest)
                          : "finite numbers from " + dealii::Utilities::to_string(least);
  AssertThrow(false, ContactExceptions::ExcParameter(name, value, range));
}

void
check_parameters(const ContactParameters &parameters)
{
  constexpr double largest = std::numeric_limits<double>::max();
  check_range("restitution", parameters.restitution, 0, 1);
  check_range("friction", parameters.friction, 0, largest);
  for (const ValueOfPair &pair : parameters.restitution_of_pairs)
    check_range("restitution_of_pairs", pair.value, 0, 1);
  for (const ValueOfPair &pair : parameters.friction_of_pairs)
    check_range("friction_of_pairs", pair.value, 0, largest);
  const auto &pairs = parameters.restitution_of_pairs;
  AssertThrow(!parameters.projection ||
                  (parameters.restitution == 1 &&
                   std::all_of(pairs.begin(), pairs.end(),
                               [](const ValueOfPair &pair) { return pair.value == 1; })),
              dealii::ExcMessage(
                  "'Contact/Projection' needs 'Contact/Restitution' = 1, also in 'Restitution of "
                  "pairs' and of obstacles: lasting contacts are answered at every step there, and "
                  "what a smaller one asks to lose each time is not lost."));
  constexpr double smallest = std::numeric_limits<double>::min();
  check_range("step_factor", parameters.step_factor, smallest, largest);
  check_range("maximum_step", parameters.maximum_step, smallest, largest);
  check_range("feature_angle", parameters.feature_angle, 0, 180);
}
} // namespace

template <int spacedim>
Contact<spacedim>::Contact(NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper,
                           Surface<spacedim> surface, const ContactParameters &parameters,
                           std::vector<Obstacle<spacedim>> obstacles,
                           std::shared_ptr<MasslessZones<spacedim>> all_zones,
                           std::shared_ptr<const ErodingSurface<spacedim>> eroding_bodies)
    : nodes(nodes),
      stepper(stepper),
      parameters(parameters),
      obstacles(std::move(obstacles)),
      zones(std::move(all_zones)),
      eroding(std::move(eroding_bodies)),
      contact_surface(std::move(surface)),
      partners(partner_names(contact_surface, this->obstacles), parameters),
      exclusions(parameters.exclude, partners.names(), contact_surface, parameters.group_of_body),
      bounds(nodes, contact_surface),
      response(nodes, stepper, partners, bounds,
               parameters.solver == ContactSolver::coupled || parameters.projection
                   ? Response::reflect
               : parameters.response == Response::massless ? Response::look_ahead
                                                           : parameters.response,
               parameters.damping),
      simultaneous_response(nodes, stepper, partners, bounds, response, parameters),
      search(nodes, contact_surface, bounds, parameters.broad_phase),
      schedule(nodes, stepper.levels(), stepper.supports(), this->parameters, exclusions, bounds,
               search, contact_surface, detectors)
{
  check_parameters(parameters);
  if (!nodes.rigid_bodies.empty())
  {
    const std::string name = nodes.rigid_bodies.name(0);
    AssertThrow(parameters.solver != ContactSolver::coupled,
                ExcRigidBody(name, "the coupled solver"));
    AssertThrow(!parameters.projection, ExcRigidBody(name, "projection"));
  }
  AssertThrow(!contact_surface.faces.empty() || !contact_surface.contactors.empty(),
              ExcEmptySurface());
  AssertThrow(
      parameters.points_per_face == 0 || !contact_surface.has_shells(),
      dealii::ExcMessage("'Contact/Points per face' must be 0 where there are shells, whose "
                         "nodes alone know on which side of others they are: refine the "
                         "meshes, or take 'Contact/Response' = layers."));
  AssertThrow(!eroding || (!zones && !parameters.projection && !contact_surface.has_shells() &&
                           contact_surface.tied.empty()),
              ExcEroding());
  if (eroding)
    first_surface = contact_surface;
  complete_surface();
  make_detectors();
  stepper.watch(surface_nodes());
  stepper.attach(*this);
}

template <int spacedim>
void
Contact<spacedim>::complete_surface()
{
  add_other_sides(contact_surface);
  add_face_points(contact_surface, parameters.points_per_face);
  if (zones)
    contact_surface.take_zones(zones->surface());
}

template <int spacedim>
void
Contact<spacedim>::make_detectors()
{
  auto faces =
      std::make_unique<FaceDetector<spacedim>>(nodes, contact_surface, exclusions, search, bounds);
  auto edges =
      make_edge_detector(nodes, contact_surface, exclusions, search, *faces, bounds, parameters);
  detectors.push_back(std::move(faces));
  if (edges)
    detectors.push_back(std::move(edges));
}

template <int spacedim>
std::vector<unsigned int>
Contact<spacedim>::surface_nodes() const
{
  std::vector<unsigned int> result;
  for (const auto &face : contact_surface.faces)
    result.insert(result.end(), face.nodes.begin(), face.nodes.begin() + face.n_nodes);
  for (const Contactor &contactor : contact_surface.contactors)
    result.insert(result.end(), contactor.node_view().begin(), contactor.node_view().end());
  if (eroding)
  {
    const auto more = eroding->nodes();
    result.insert(result.end(), more.begin(), more.end());
  }
  for (unsigned int i = 0, n = nodes.loans.empty() ? 0 : result.size(); i < n; ++i)
    result.push_back(nodes.loans.carrier(result[i]));
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

template <int spacedim>
void
Contact<spacedim>::start()
{
  AssertThrow(stepper.has_started(), ExcStepperNotStarted());
  AssertThrow(!started, ExcStartedTwice());
  schedule.check_clocks();
  const auto on_surface = surface_nodes();
  response.start(on_surface, schedule.uses_zones());
  find_short_time(on_surface);
  start_detectors(stepper.time());
  // contactors of a surface that is renewed go from one process to another: all look at them
  schedule.start(stepper.time(), !obstacles.empty(), eroding ? nullptr : stepper.ranks());
  started = true;
  if (eroding && eroding->n_deleted() > 0)
    next_renewal = stepper.time();
}

template <int spacedim>
void
Contact<spacedim>::find_short_time(const std::vector<unsigned int> &on_surface)
{
  double shortest = std::numeric_limits<double>::infinity();
  for (const unsigned int node : on_surface)
    for (const unsigned int id : stepper.supports().kicks_of_node(node))
      shortest = std::min(shortest, stepper.levels().natural_step(id));
  short_time = std::isfinite(shortest) ? 0.01 * shortest : 1;
}

template <int spacedim>
void
Contact<spacedim>::start_detectors(const double time)
{
  bounds.start();
  search.build(time, short_time);
  if (!obstacles.empty())
    detectors.push_back(std::make_unique<ObstacleDetector<spacedim>>(
        nodes, contact_surface, obstacles, exclusions, bounds, short_time));
}

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
  ContactStatistics<spacedim> result = statistics();
  response.lasting.add_pending(stepper.time(), result);
  return result;
}

template <int spacedim>
ContactPairs<spacedim>
Contact<spacedim>::synchronised_pairs() const
{
  ContactPairs<spacedim> result = partners;
  response.lasting.add_pending(stepper.time(), result);
  return result;
}

template <int spacedim>
void
Contact<spacedim>::pending_impulses(
    const double time, const typename EventSource<spacedim>::OnImpulse &on_impulse) const
{
  response.lasting.for_each_pending(
      time,
      [&](const LastingImpulse<spacedim> &lasting, const ContactorImpulse<spacedim> &pending)
      {
        const auto &stencil = lasting.stencil;
        for (unsigned int i = 0; i < stencil.n_nodes; ++i)
          on_impulse(stencil.nodes[i], stencil.coefficients[i] * pending.total);
      });
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
    classes_changed(); // the stepper has been read
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
