#include <kickdrift/contact/contact.h>
#include <kickdrift/contact/detection/edge_detector.h>
#include <kickdrift/contact/detection/obstacle_detector.h>
#include <kickdrift/stepping/threads.h>

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
// Contactors are dealt to threads in blocks of about this size: neighbours have targets in common,
// and contactors near others take longer.
constexpr unsigned int block_size = 16;
// Fewer than these are left to one thread.
constexpr unsigned int fewest_to_share = 64;
// Targets within this share of a contactor's length are seen.
constexpr double search_radius = 1;

template <int spacedim>
std::vector<std::string>
partner_names(const Surface<spacedim> &surface, const std::vector<Obstacle<spacedim>> &obstacles)
{
  auto names = surface.body_names;
  for (const auto &obstacle : obstacles)
    names.push_back(obstacle.name);
  return names;
}

/// Nothing in 2D, or if no edges are wanted.
template <int spacedim>
std::unique_ptr<Detector<spacedim>>
make_edge_detector(NodeTable<spacedim> &nodes, const Surface<spacedim> &surface,
                   const Exclusions &exclusions, FaceDetector<spacedim> &faces,
                   const MotionBounds<spacedim> &bounds, const ContactParameters &parameters)
{
  if constexpr (spacedim == 3)
    if (parameters.edges != Edges::none)
    {
      const double degrees = parameters.edges == Edges::all ? -180. : parameters.feature_angle;
      return std::make_unique<EdgeDetector>(nodes, surface, exclusions, faces, bounds,
                                            degrees * dealii::numbers::PI / 180);
    }
  (void)nodes, (void)surface, (void)exclusions, (void)faces, (void)bounds, (void)parameters;
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
  constexpr double smallest = std::numeric_limits<double>::min();
  check_range("step_factor", parameters.step_factor, smallest, largest);
  check_range("maximum_step", parameters.maximum_step, smallest, largest);
  check_range("feature_angle", parameters.feature_angle, 0, 180);
}
} // namespace

template <int spacedim>
Contact<spacedim>::Contact(NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper,
                           Surface<spacedim> surface, const ContactParameters &parameters,
                           std::vector<Obstacle<spacedim>> obstacles)
    : nodes(nodes),
      stepper(stepper),
      parameters(parameters),
      obstacles(std::move(obstacles)),
      contact_surface(std::move(surface)),
      partners(partner_names(contact_surface, this->obstacles), parameters),
      exclusions(parameters.exclude, partners.names(), contact_surface),
      bounds(nodes, contact_surface),
      response(nodes, stepper, partners, bounds, parameters.response),
      simultaneous_response(nodes, stepper, partners, bounds, response, parameters)
{
  check_parameters(parameters);
  AssertThrow(!contact_surface.faces.empty() || !contact_surface.contactors.empty(),
              ExcEmptySurface());
  add_face_points(contact_surface, parameters.points_per_face);
  make_detectors();
  stepper.watch(surface_nodes());
  stepper.attach(*this);
}

template <int spacedim>
void
Contact<spacedim>::make_detectors()
{
  auto face_detector = std::make_unique<FaceDetector<spacedim>>(nodes, contact_surface, exclusions,
                                                                bounds, parameters.broad_phase);
  faces = face_detector.get();
  auto edges = make_edge_detector(nodes, contact_surface, exclusions, *faces, bounds, parameters);
  detectors.push_back(std::move(face_detector));
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
  AssertThrow(stepper.levels().has_classes() || parameters.schedule != Schedule::synchronous,
              dealii::ExcMessage("Contact/Schedule = synchronous needs clocks 'one' or 'nested'."));
  const bool has_one_step =
      stepper.levels().has_classes() && stepper.levels().classes().n_classes == 1;
  const bool is_synchronous = parameters.schedule == Schedule::synchronous;
  AssertThrow(
      parameters.solver == ContactSolver::sequential ||
          (has_one_step && (is_synchronous || parameters.schedule == Schedule::predicted)),
      dealii::ExcMessage("'Contact/Solver' = coupled needs 'Contact/Schedule' = synchronous "
                         "or predicted and one step for all cells, 'Stepping/Clocks' = "
                         "one."));
  AssertThrow(!parameters.projection || (has_one_step && is_synchronous),
              dealii::ExcMessage("'Contact/Projection' needs 'Contact/Schedule' = synchronous and "
                                 "one step for all cells, 'Stepping/Clocks' = one."));
  has_zones = stepper.levels().has_classes() && parameters.zone_layers > 0;
  double sum = 0;
  unsigned int n = 0;
  for (unsigned int id = 0; id < stepper.levels().n_kicks(); ++id)
    if (std::isfinite(stepper.levels().critical_step(id)))
    {
      sum += stepper.levels().critical_step(id);
      ++n;
    }
  average_step = sum / n;
  longest_step = parameters.maximum_step * average_step;

  const auto on_surface = surface_nodes();
  response.start(on_surface, has_zones);
  start_detectors(on_surface);
  find_rates();
  update_search(stepper.time());
  enter_instant(stepper.time());
  add_slots();
  started = true;
}

template <int spacedim>
void
Contact<spacedim>::start_detectors(const std::vector<unsigned int> &on_surface)
{
  double shortest = std::numeric_limits<double>::infinity();
  for (const unsigned int node : on_surface)
    for (const unsigned int id : stepper.supports().kicks_of_node(node))
      shortest = std::min(shortest, stepper.levels().natural_step(id));
  const double short_time = std::isfinite(shortest) ? 0.01 * shortest : 1;
  bounds.start();
  faces->start(stepper.time(), short_time);
  if (!obstacles.empty())
    detectors.push_back(std::make_unique<ObstacleDetector<spacedim>>(
        nodes, contact_surface, obstacles, exclusions, bounds, short_time));
  normal_changes.assign(bounds.n_bodies(), 0);
}

template <int spacedim>
void
Contact<spacedim>::add_slots()
{
  slots.clear();
  blocks.clear();
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
        for (const unsigned int id : stepper.supports().kicks_of_node(node))
        {
          slot.constant_step = std::min(slot.constant_step, stepper.levels().critical_step(id));
          if (stepper.levels().has_classes())
            slot.coarsest_natural_class =
                std::max(slot.coarsest_natural_class, stepper.levels().classes().of_kick[id]);
        }
    }
  queue.reinit(slots.size());
  for (unsigned int s = 0; s < slots.size(); ++s)
  {
    Slot &slot = slots[s];
    if (may_sleep(slot, stepper.time()))
      slot.free_interval =
          slot.detector->free_interval(slot.contactor, stepper.time(), target_speed);
    queue.set(s, next_test(slot, stepper.time()));
  }
}

template <int spacedim>
std::vector<Penetration<spacedim>>
Contact<spacedim>::penetrations()
{
  std::vector<Penetration<spacedim>> result;
  const double time = stepper.time();
  faces->face_search().fit(time);
  enter_instant(time);
  for (const Slot &slot : slots)
  {
    const auto found = slot.detector->find({slot.contactor, time, slot.length(), false});
    // obstacles do not push out what is too deep, but it overlaps all the same
    const bool is_in_obstacle =
        found.target >= contact_surface.body_names.size() && found.depth > 0;
    if (!found.touches && !is_in_obstacle)
      continue;
    Vector point;
    for (unsigned int i = 0; i < slot.detector->nodes_of(slot.contactor).size(); ++i)
      point += found.stencil.coefficients[i] * nodes.position_at(found.stencil.nodes[i], time);
    result.push_back({found.body, found.target, found.depth, found.depth / found.size,
                      dealii::Point<spacedim>(point)});
  }
  std::sort(result.begin(), result.end(),
            [](const auto &a, const auto &b) { return a.depth > b.depth; });
  return result;
}

template <int spacedim>
std::vector<ContactState>
Contact<spacedim>::states() const
{
  std::vector<ContactState> result(nodes.size());
  for (const Slot &slot : slots)
  {
    const auto own_nodes = slot.detector->nodes_of(slot.contactor);
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
Contact<spacedim>::test_due(const double time)
{
  due.clear();
  if (queue.time() == time)
    queue.earliest(due);
  const unsigned int n = due.size();
  if (n == 0)
    return;
  enter_instant(time);
  if (touches.size() < n)
    touches.resize(n);
  const auto test_share = [&](const unsigned int thread, const unsigned int n_threads)
  {
    for (unsigned int i = 0; i < n; ++i)
      if (blocks[due[i]] % n_threads == thread)
        test(slots[due[i]], time, touches[i]);
  };
  Threads *const threads = stepper.threads().get();
  if (threads && n >= fewest_to_share)
    threads->run([&](const unsigned int i) { test_share(i, threads->size()); });
  else
    test_share(0, 1);
}

template <int spacedim>
bool
Contact<spacedim>::share_memory(const Slot &a, const Slot &b)
{
  const auto of_a = a.detector->nodes_of(a.contactor), of_b = b.detector->nodes_of(b.contactor);
  return a.detector == b.detector && std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end());
}

template <int spacedim>
void
Contact<spacedim>::test(Slot &slot, const double time, ContactPoint<spacedim> &found)
{
  slot.time_to_reach = std::numeric_limits<double>::infinity();
  found.sees = found.touches = found.is_lost = false;
  if (sleeps_on(slot, time))
    return;
  // what it may have crossed since it could be in touch is no further away than it and the target
  // have come
  const double since = std::max(slot.last_test, slot.free_interval.until);
  const double travel =
      (rates[slot.detector->body_of(slot.contactor)] + target_speed) * std::max(0., time - since);
  const double radius = search_radius * slot.length() + 2 * slot.depth + travel;
  found = slot.detector->find({slot.contactor, time, radius, in_contact(slot, time)});
  const bool was_at_hand = slot.depth > 0 || (slot.sees && slot.gap > 0);
  found.is_lost = found.is_lost && was_at_hand;
  slot.sees = found.sees;
  slot.gap = -found.depth;
  slot.depth = found.touches ? found.depth : 0;
  if (found.touches)
    slot.last_contact = time;
  slot.last_test = time;
  if (may_sleep(slot, time))
    slot.free_interval = slot.detector->free_interval(slot.contactor, time, target_speed);
}

template <int spacedim>
void
Contact<spacedim>::answer(Slot &slot, const double time, const ContactPoint<spacedim> &found)
{
  ++response.stats.tests;
  response.stats.lost += found.is_lost;
  if (found.sees)
    for (unsigned int i = 0; i < found.stencil.n_nodes; ++i)
      nodes[found.stencil.nodes[i]].drift(time);
  if (found.touches)
  {
    response.stats.max_penetration = std::max(response.stats.max_penetration, found.depth);
    if (!response.is_held(found.stencil))
    {
      if (simultaneous_response.is_wanted())
        simultaneous_response.add(slot.memory, found);
      else
        response.respond(slot.memory, found);
    }
  }
  else if (found.sees)
  {
    const auto velocity = [&](const unsigned int node) { return nodes.velocity(node); };
    slot.time_to_reach = found.distance / found.stencil.relative_velocity(velocity).norm();
    response.release(slot.memory, found);
  }
  if (!in_contact(slot, time))
    slot.memory.status = ContactStatus::open;
}

template class Contact<2>;
template class Contact<3>;
} // namespace KickDrift
