#include <kickdrift/contact/contact.h>
#include <kickdrift/contact/edge_detector.h>
#include <kickdrift/contact/face_detector.h>
#include <kickdrift/contact/obstacle_detector.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace
{
// The time of one in so many responses is measured.
constexpr unsigned int n_responses_per_sample = 8;
// Targets within this share of a contactor's length are seen.
constexpr double search_radius = 0.5;
// A contactor that looks at nothing within so many of its lengths sleeps until something could
// come.
constexpr double sight = 4;
// Speeds may grow by this factor before those who sleep are woken.
constexpr double speed_reserve = 2;

// A contact that was not answered during the last periods is fresh and reflects.
constexpr double fresh_after = 3.5;
// A zone outlives its last contact by this many periods: contact nodes chatter.
constexpr double zone_hold = 10;
// Share of the penetration that a looking-ahead impulse removes per period.
constexpr double push_out = 0.2;
// Share of the account that an opening contact returns per period. Without it, what stopping the
// nodes of a uniform mesh takes at each impact (the kinetic energy of a layer of nodes) would be
// lost; a larger share brings chatter back.
constexpr double give_back = 0.1;

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
                   const ContactParameters &parameters)
{
  if constexpr (spacedim == 3)
    if (parameters.edges != Edges::none)
    {
      const double degrees = parameters.edges == Edges::all ? -180. : parameters.feature_angle;
      return std::make_unique<EdgeDetector>(nodes, surface, exclusions, faces,
                                            degrees * dealii::numbers::PI / 180);
    }
  (void)nodes, (void)surface, (void)exclusions, (void)faces, (void)parameters;
  return {};
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
      skin(std::move(surface)),
      partners(partner_names(skin, this->obstacles), parameters),
      exclusions(parameters.exclude, partners.names(), skin),
      traces(nodes)
{
  add_face_points(skin, parameters.points_per_face);
  auto faces = std::make_unique<FaceDetector<spacedim>>(nodes, skin, exclusions);
  auto edges = make_edge_detector(nodes, skin, exclusions, *faces, parameters);
  detectors.push_back(std::move(faces));
  if (edges)
    detectors.push_back(std::move(edges));
  if (!this->obstacles.empty())
    detectors.push_back(
        std::make_unique<ObstacleDetector<spacedim>>(nodes, skin, this->obstacles, exclusions));
  std::vector<unsigned int> watched;
  for (const auto &face : skin.faces)
    watched.insert(watched.end(), face.nodes.begin(), face.nodes.begin() + face.n_nodes);
  for (const Contactor &contactor : skin.contactors)
    watched.insert(watched.end(), contactor.node_view().begin(), contactor.node_view().end());
  stepper.watch(watched);
  stepper.attach(*this);
}

template <int spacedim>
void
Contact<spacedim>::start()
{
  AssertThrow(stepper.has_classes() || parameters.schedule != Schedule::synchronous,
              dealii::ExcMessage("Contact/Schedule = synchronous needs clocks 'one' or 'nested'."));
  has_zones = stepper.has_classes() && parameters.zone_layers > 0;
  stats.impulse.assign(nodes.size(), Vector());
  stats.friction_impulse.assign(nodes.size(), Vector());

  double sum = 0;
  unsigned int n = 0;
  for (unsigned int unit = 0; unit < stepper.n_units(); ++unit)
    if (std::isfinite(stepper.critical_step_of_unit(unit)))
    {
      sum += stepper.critical_step_of_unit(unit);
      ++n;
    }
  average_step = sum / n;
  longest_step = parameters.maximum_step * average_step;

  std::vector<double> horizons(nodes.size(), 0);
  const auto set_horizon = [&](const unsigned int node)
  {
    double horizon = std::numeric_limits<double>::infinity();
    for (const unsigned int unit : stepper.units_of_node(node))
      horizon = std::min(horizon, stepper.home_step_of_unit(unit));
    // what no kick moves is at rest
    horizons[node] = std::isfinite(horizon) ? horizon : 0.;
  };
  for (const auto &face : skin.faces)
    std::for_each(face.nodes.begin(), face.nodes.begin() + face.n_nodes, set_horizon);
  for (const Contactor &contactor : skin.contactors)
    std::for_each(contactor.node_view().begin(), contactor.node_view().end(), set_horizon);
  for (const auto &detector : detectors)
    detector->start(horizons);
  add_slots();
}

template <int spacedim>
void
Contact<spacedim>::add_slots()
{
  slots.clear();
  for (const auto &detector : detectors)
    for (unsigned int c = 0; c < detector->n_contactors(); ++c)
    {
      slots.emplace_back(*detector, c);
      Slot &slot = slots.back();
      for (const unsigned int node : detector->nodes_of(c))
        for (const unsigned int unit : stepper.units_of_node(node))
        {
          slot.constant_step = std::min(slot.constant_step, stepper.critical_step_of_unit(unit));
          if (stepper.has_classes())
            slot.coarsest_home_class =
                std::max(slot.coarsest_home_class, stepper.classes().of_unit[unit]);
        }
    }
  queue.reinit(slots.size());
  for (unsigned int s = 0; s < slots.size(); ++s)
    queue.set(s, next_test(slots[s], 0));
}

template <int spacedim>
std::vector<Penetration<spacedim>>
Contact<spacedim>::penetrations()
{
  std::vector<Penetration<spacedim>> result;
  for (const Slot &slot : slots)
  {
    const auto touch = slot.detector->find({slot.contactor, stepper.time(), slot.length(), false});
    // obstacles do not push out what is too deep, but it overlaps all the same
    const bool is_in_obstacle = touch.target >= skin.body_names.size() && touch.depth > 0;
    if (!touch.touches && !is_in_obstacle)
      continue;
    Vector point;
    for (unsigned int i = 0; i < slot.detector->nodes_of(slot.contactor).size(); ++i)
      point += touch.stencil.coefficients[i] * nodes.position(touch.stencil.nodes[i]);
    result.push_back({touch.body, touch.target, touch.depth, touch.depth / touch.size,
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
    state.status = std::max(state.status, slot.status);
  }
  return result;
}

template <int spacedim>
void
Contact<spacedim>::process(const double time)
{
  const auto begin = std::chrono::steady_clock::now();
  check_speeds(time);
  while (queue.time() == time)
  {
    Slot &slot = slots[queue.slot()];
    test(slot, time);
    queue.set(queue.slot(), next_test(slot, time));
  }
  stats.account = partners.total_account();
  spent += std::chrono::steady_clock::now() - begin;
}

template <int spacedim>
void
Contact<spacedim>::check_speeds(const double time)
{
  if (time < next_speed_check)
    return;
  next_speed_check = time + average_step;
  double square = 0;
  for (const Contactor &contactor : skin.contactors)
    square = std::max(square, nodes.velocity(contactor.nodes[0]).norm_square());
  fastest = std::sqrt(square);
  for (const auto &detector : detectors)
    fastest =
        std::max({fastest, detector->target_speed(time), detector->target_speed(next_speed_check)});
  if (!has_zones)
    return;
  unsigned int turns = 0;
  for (const auto &detector : detectors)
    turns += detector->n_turns();
  if (fastest > assumed_speed || turns != known_turns)
    for (unsigned int s = 0; s < slots.size(); ++s)
      queue.set(s, std::min(queue.time(s),
                            stepper.next_common_instant(slots[s].coarsest_home_class, time)));
  if (fastest > assumed_speed || speed_reserve * fastest < 0.5 * assumed_speed)
    assumed_speed = speed_reserve * fastest;
  known_turns = turns;
}

template <int spacedim>
void
Contact<spacedim>::nodes_kicked(const dealii::ArrayView<const unsigned int> kicked, double)
{
  if (kicked.size() == 0)
    return;
  const auto begin = std::chrono::steady_clock::now();
  for (const auto &detector : detectors)
    detector->nodes_moved(kicked);
  spent += std::chrono::steady_clock::now() - begin;
}

template <int spacedim>
double
Contact<spacedim>::speed(const Slot &slot) const
{
  double square = 0;
  for (const unsigned int node : slot.detector->nodes_of(slot.contactor))
    square = std::max(square, nodes.velocity(node).norm_square());
  return std::sqrt(square);
}

template <int spacedim>
void
Contact<spacedim>::test(Slot &slot, const double time)
{
  ++stats.tests;
  // what it may have crossed since the last test is no further away than it and the target have
  // come
  const double own_speed = speed(slot);
  const double travel = (own_speed + std::max(own_speed, fastest)) * (time - slot.last_test);
  const double length = slot.length();
  const double radius = search_radius * length + 2 * slot.depth + travel;
  const auto touch = slot.detector->find({slot.contactor, time, radius, in_contact(slot, time)});
  const bool was_at_hand = slot.depth > 0 || (slot.sees && slot.gap > 0);
  slot.depth = slot.sleep = 0;
  slot.time_to_reach = std::numeric_limits<double>::infinity();
  stats.lost += touch.is_lost && was_at_hand;
  slot.sees = touch.sees;
  slot.gap = -touch.depth;
  const bool is_measured = touch.sees && ++n_seen % n_responses_per_sample == 0;
  const auto begin_of_response =
      is_measured ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
  if (touch.touches)
  {
    slot.depth = touch.depth;
    stats.max_penetration = std::max(stats.max_penetration, touch.depth);
    const bool is_held = // on both sides
        touch.stencil.inverse_mass(nodes) <= 1e-14 * nodes[touch.stencil.nodes[0]].inverse_mass;
    slot.last_contact = time;
    if (!is_held)
      respond(slot, touch, time);
  }
  else if (touch.sees)
  {
    const auto velocity = [&](const unsigned int node) { return nodes.velocity(node); };
    slot.time_to_reach = touch.distance / touch.stencil.relative_velocity(velocity).norm();
    release(slot, touch, time);
  }
  else if (has_zones && assumed_speed > 0)
    slot.sleep = std::max(0., slot.detector->clearance(slot.contactor, sight * length) -
                                  search_radius * length) /
                 (2 * assumed_speed);
  if (is_measured)
    stats.response_time +=
        n_responses_per_sample *
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_of_response).count();
  slot.last_test = time;
  if (!in_contact(slot, time))
    slot.status = ContactStatus::open;
}

template <int spacedim>
void
Contact<spacedim>::respond(Slot &slot, const Touch<spacedim> &touch, const double time)
{
  const auto &stencil = touch.stencil;
  bool common = true;
  bool may_look_ahead = false;
  double period = 0;
  if (has_zones)
  {
    slot.zone_class = lease_zone(stencil, time);
    period = stepper.classes().step(slot.zone_class);
    for (unsigned int i = 0; i < stencil.n_nodes; ++i)
    {
      traces.enter_instant(stencil.nodes[i], time);
      common = common && stepper.at_common_instant(stencil.nodes[i], time);
    }
    may_look_ahead = common && parameters.response == Response::look_ahead &&
                     time - slot.last_answer <= fresh_after * period;
  }

  auto &pair = partners(touch.body, touch.target);
  // until the zone has formed, kicks of different intervals are pending
  const auto velocity = [&](const unsigned int node)
  { return common ? nodes.velocity(node) : stepper.synchronised_velocity(node, time); };
  const auto impulse = may_look_ahead ? look_ahead(pair, stencil, -touch.depth, period)
                                      : reflect(pair, stencil, velocity);
  if (impulse.normal > 0)
  {
    slot.last_answer = time;
    slot.status = impulse.sticks ? ContactStatus::sticks : ContactStatus::slips;
    book_impulse(touch, impulse);
  }
}

/// A contact that has just opened takes a tenth of its pair's account along: what stopping the
/// nodes has taken would be lost if the bodies part. With friction it does not: pushed nodes lose
/// their grip, and what should rest would creep.
template <int spacedim>
void
Contact<spacedim>::release(const Slot &slot, const Touch<spacedim> &touch, const double time)
{
  auto &pair = partners(touch.body, touch.target);
  const auto &stencil = touch.stencil;
  if (!has_zones || pair.account <= 0 || pair.friction > 0 || stencil.normal.norm_square() == 0 ||
      time - slot.last_answer > fresh_after * stepper.classes().step(slot.zone_class) ||
      touch.distance > -1.000001 * touch.depth)
    return;
  for (unsigned int i = 0; i < stencil.n_nodes; ++i)
    if (!stepper.at_common_instant(stencil.nodes[i], time))
      return;
  for (unsigned int i = 0; i < stencil.n_nodes; ++i)
    traces.enter_instant(stencil.nodes[i], time);
  const double period = stepper.classes().step(slot.zone_class);
  const auto velocity = [&](const unsigned int node) { return nodes.velocity(node); };
  const auto increment = [&](const unsigned int node)
  { return traces.increment(node, period, fresh_after * period); };
  const double rate = stencil.normal * stencil.relative_velocity(velocity);
  const double kicks = stencil.normal * stencil.difference(increment);
  const double a = stencil.inverse_mass(nodes);
  // what will soon be closed again by the kicks only chatters
  if (rate <= 0 || rate + fresh_after * kicks <= 0 ||
      a <= 1e-14 * nodes[stencil.nodes[0]].inverse_mass)
    return;
  const double work = give_back * pair.account;
  if (a * work <= 1e-8 * rate * rate)
    return; // too little to matter
  FrictionalImpulse<spacedim> impulse;
  impulse.normal = impulse_of_work(work, rate, a);
  pair.account -= work;
  book_impulse(touch, impulse);
}

template <int spacedim>
template <typename VelocityOfNode>
FrictionalImpulse<spacedim>
Contact<spacedim>::reflect(const ContactPair<spacedim> &pair,
                           const ContactStencil<spacedim> &stencil, const VelocityOfNode &velocity)
{
  FrictionalImpulse<spacedim> impulse;
  const Vector relative = stencil.relative_velocity(velocity);
  const double rate = stencil.normal * relative;
  if (rate >= 0)
    return impulse;
  const double a = stencil.inverse_mass(nodes);
  const double e = pair.restitution;
  if (pair.friction > 0)
    impulse = frictional_impulse<spacedim>(
        {stencil.inverse_mass_tensor(nodes), stencil.normal, relative, pair.friction}, e);
  else
    impulse.normal = reflecting_impulse(rate, a, e);
  stats.restitution_loss += (1 - e * e) * rate * rate / (2 * a);
  stats.friction_loss += impulse.friction_loss;
  return impulse;
}

template <int spacedim>
FrictionalImpulse<spacedim>
Contact<spacedim>::look_ahead(ContactPair<spacedim> &pair, const ContactStencil<spacedim> &stencil,
                              const double gap, const double period)
{
  const auto velocity = [&](const unsigned int node) { return nodes.velocity(node); };
  const auto increment = [&](const unsigned int node)
  { return traces.increment(node, period, fresh_after * period); };
  const Vector relative = stencil.relative_velocity(velocity);
  const Vector kicks = stencil.difference(increment);
  const double rate = stencil.normal * relative;
  const double a = stencil.inverse_mass(nodes);
  FrictionalImpulse<spacedim> impulse;
  impulse.normal = looking_ahead_impulse(
      {gap, rate, stencil.normal * kicks, a, period, pair.account, push_out, give_back});
  double work = work_of_impulse(impulse.normal, rate, a);
  if (pair.friction > 0)
  {
    const FrictionalContact<spacedim> contact{stencil.inverse_mass_tensor(nodes), stencil.normal,
                                              relative, pair.friction};
    impulse = looking_ahead_friction(contact, kicks, impulse.normal, pair.account);
    // what is not lost by friction goes to the account, or comes from it
    work = work_of_impulse(impulse, contact) + impulse.friction_loss;
    stats.friction_loss += impulse.friction_loss;
  }
  const double share_kept = pair.restitution * pair.restitution;
  pair.account -= work < 0 ? share_kept * work : work;
  stats.restitution_loss -= work < 0 ? (1 - share_kept) * work : 0;
  return impulse;
}

template <int spacedim>
void
Contact<spacedim>::book_impulse(const Touch<spacedim> &touch,
                                const FrictionalImpulse<spacedim> &impulse)
{
  const auto &stencil = touch.stencil;
  stencil.apply(nodes, impulse.normal, impulse.tangential);
  ++stats.collisions;
  for (unsigned int i = 0; i < stencil.n_nodes; ++i)
  {
    stats.impulse[stencil.nodes[i]] += stencil.share(i, impulse.normal, impulse.tangential);
    stats.friction_impulse[stencil.nodes[i]] += stencil.coefficients[i] * impulse.tangential;
    traces.leave_instant(stencil.nodes[i]);
  }
  const Vector total = impulse.normal * stencil.normal + impulse.tangential;
  partners.book(touch.body, touch.target, total);
  stats.obstacle_work += total * stencil.target_velocity;
  for (const auto &detector : detectors)
    detector->nodes_moved({stencil.nodes.data(), stencil.n_nodes});
}

template <int spacedim>
unsigned int
Contact<spacedim>::lease_zone(const ContactStencil<spacedim> &stencil, const double time)
{
  zone.clear();
  unsigned int finest = stepper.classes().n_classes - 1;
  for (unsigned int i = 0; i < stencil.n_nodes; ++i)
    for (const unsigned int unit : stepper.units_of_node(stencil.nodes[i]))
    {
      zone.push_back(unit);
      finest = std::min(finest, stepper.classes().of_unit[unit]);
    }
  const double until = time + zone_hold * stepper.classes().step(finest);
  for (const unsigned int unit : zone)
    stepper.lease(unit, finest, until);
  return finest;
}

template <int spacedim>
double
Contact<spacedim>::schedule_step(const Slot &slot) const
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

template <int spacedim>
bool
Contact<spacedim>::in_contact(const Slot &slot, const double time) const
{
  const double period = has_zones ? stepper.classes().step(slot.zone_class) : schedule_step(slot);
  return time - slot.last_contact <= zone_hold * period;
}

template <int spacedim>
double
Contact<spacedim>::next_test(const Slot &slot, const double time) const
{
  const double step = schedule_step(slot);
  if (!has_zones)
    return parameters.schedule == Schedule::synchronous ? stepper.next_common_instant(0, time)
                                                        : time + step;
  if (in_contact(slot, time))
    return stepper.next_common_instant(slot.zone_class, time);
  if (parameters.schedule == Schedule::synchronous)
    return stepper.next_common_instant(0, time);
  // the last end of an interval of the cells around the contactor within the step, or the next one
  const unsigned int own_class = slot.coarsest_home_class;
  const double own_period = stepper.classes().step(own_class);
  const double wait = std::max(slot.sleep, std::min(step, slot.time_to_reach)) - own_period;
  return stepper.next_common_instant(own_class, time + std::max(0., wait));
}

template class Contact<2>;
template class Contact<3>;
} // namespace KickDrift
