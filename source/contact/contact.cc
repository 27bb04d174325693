#include <kickdrift/contact/contact.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace
{
// Faces within this share of a contactor's length are seen.
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
} // namespace

template <int spacedim>
Contact<spacedim>::Contact(NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper,
                           Surface<spacedim> surface, const ContactParameters &parameters)
    : nodes(nodes),
      stepper(stepper),
      parameters(parameters),
      detector(nodes, std::move(surface), parameters.exclude)
{
  set_up_pairs();
  std::vector<unsigned int> watched;
  for (const auto &face : this->surface().faces)
    watched.insert(watched.end(), face.nodes.begin(), face.nodes.begin() + face.n_nodes);
  for (const Contactor &contactor : contactors())
    watched.push_back(contactor.node);
  stepper.watch(watched);
  stepper.attach(*this);
}

template <int spacedim>
void
Contact<spacedim>::set_up_pairs()
{
  const auto &names = surface().body_names;
  pairs.assign(names.size() * (names.size() + 1) / 2,
               {parameters.restitution, parameters.friction, 0.});
  const auto find = [&](const std::string &name, const char *entry)
  {
    const auto it = std::find(names.begin(), names.end(), name);
    AssertThrow(it != names.end(), dealii::ExcMessage(std::string("Contact/") + entry +
                                                      " names an unknown body '" + name + "'."));
    return it - names.begin();
  };
  for (const auto &[first, second, value] : parameters.restitution_of_pairs)
    pair(find(first, "Restitution of pairs"), find(second, "Restitution of pairs")).restitution =
        value;
  for (const auto &[first, second, value] : parameters.friction_of_pairs)
    pair(find(first, "Friction of pairs"), find(second, "Friction of pairs")).friction = value;
}

template <int spacedim>
void
Contact<spacedim>::start()
{
  AssertThrow(stepper.has_classes() || parameters.schedule != Schedule::synchronous,
              dealii::ExcMessage("Contact/Schedule = synchronous needs clocks 'one' or 'nested'."));
  has_zones = stepper.has_classes() && parameters.zone_layers > 0;
  stats.impulse.assign(nodes.size(), Vector());
  traces.assign(nodes.size(), Trace());
  memories.assign(contactors().size(), Memory());
  constant_step.assign(contactors().size(), std::numeric_limits<double>::infinity());
  coarsest_home_class.assign(contactors().size(), 0);

  double sum = 0;
  unsigned int n = 0;
  std::vector<double> horizons(nodes.size(), 0);
  for (unsigned int unit = 0; unit < stepper.n_units(); ++unit)
    if (std::isfinite(stepper.critical_step_of_unit(unit)))
    {
      sum += stepper.critical_step_of_unit(unit);
      ++n;
    }
  longest_step = parameters.maximum_step * sum / n;

  const auto set_horizon = [&](const unsigned int node)
  {
    double horizon = std::numeric_limits<double>::infinity();
    for (const unsigned int unit : stepper.units_of_node(node))
      horizon = std::min(horizon, stepper.home_step_of_unit(unit));
    // what no kick moves is at rest
    horizons[node] = std::isfinite(horizon) ? horizon : 0.;
  };
  for (const auto &face : surface().faces)
    for (unsigned int i = 0; i < face.n_nodes; ++i)
      set_horizon(face.nodes[i]);
  detector.faces().build(horizons);

  queue.reinit(contactors().size());
  for (unsigned int c = 0; c < contactors().size(); ++c)
  {
    for (const unsigned int unit : stepper.units_of_node(contactors()[c].node))
    {
      constant_step[c] = std::min(constant_step[c], stepper.critical_step_of_unit(unit));
      if (stepper.has_classes())
        coarsest_home_class[c] = std::max(coarsest_home_class[c], stepper.classes().of_unit[unit]);
    }
    queue.set(c, next_test(c, 0));
  }
}

template <int spacedim>
std::vector<Penetration<spacedim>>
Contact<spacedim>::penetrations()
{
  std::vector<Penetration<spacedim>> result;
  Hit<spacedim> hit;
  const double time = stepper.time();
  for (unsigned int c = 0; c < contactors().size(); ++c)
    if (detector.find({c, time, contactors()[c].length, false}, hit))
      result.push_back({c, hit.face, hit.depth, hit.depth / detector.faces().face_size(hit.face),
                        nodes.position(contactors()[c].node)});
  std::sort(result.begin(), result.end(),
            [](const auto &a, const auto &b) { return a.depth > b.depth; });
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
    const unsigned int contactor = queue.slot();
    test(contactor, time);
    queue.set(contactor, next_test(contactor, time));
  }
  stats.account = 0;
  for (const Pair &pair : pairs)
    stats.account += pair.account;
  spent += std::chrono::steady_clock::now() - begin;
}

template <int spacedim>
void
Contact<spacedim>::check_speeds(const double time)
{
  if (time < next_speed_check)
    return;
  next_speed_check = time + longest_step;
  double square = 0;
  for (const Contactor &contactor : contactors())
    square = std::max(square, nodes.velocity(contactor.node).norm_square());
  fastest = std::sqrt(square);
  if (!has_zones)
    return;
  if (fastest > assumed_speed)
    for (unsigned int c = 0; c < contactors().size(); ++c)
      queue.set(c,
                std::min(queue.time(c), stepper.next_common_instant(coarsest_home_class[c], time)));
  if (fastest > assumed_speed || speed_reserve * fastest < 0.5 * assumed_speed)
    assumed_speed = speed_reserve * fastest;
}

template <int spacedim>
void
Contact<spacedim>::nodes_kicked(const dealii::ArrayView<const unsigned int> kicked, double)
{
  if (kicked.size() == 0)
    return;
  const auto begin = std::chrono::steady_clock::now();
  detector.faces().nodes_moved(kicked);
  spent += std::chrono::steady_clock::now() - begin;
}

template <int spacedim>
void
Contact<spacedim>::test(const unsigned int c, const double time)
{
  ++stats.tests;
  Memory &memory = memories[c];
  const Contactor &contactor = contactors()[c];
  // what it may have crossed since the last test is no further away than it and the face have come
  const double speed = nodes.velocity(contactor.node).norm();
  const double travel = (speed + std::max(speed, fastest)) * (time - memory.last_test);
  const double radius = search_radius * contactor.length + 2 * memory.depth + travel;
  Hit<spacedim> hit;
  memory.depth = memory.sleep = 0;
  memory.time_to_reach = std::numeric_limits<double>::infinity();
  if (detector.find({c, time, radius, in_contact(c, time)}, hit))
  {
    memory.depth = hit.depth;
    memory.last_contact = time;
    stats.max_penetration = std::max(stats.max_penetration, hit.depth);
    respond(c, hit, time);
  }
  else if (hit.face == Hit<spacedim>::none)
  {
    if (has_zones && assumed_speed > 0 && detector.sees_nothing(c, sight * contactor.length))
      memory.sleep = (sight - search_radius) * contactor.length / (2 * assumed_speed);
  }
  else
    memory.time_to_reach = hit.closest.distance / relative_speed(c, hit);
  memory.last_test = time;
}

template <int spacedim>
double
Contact<spacedim>::relative_speed(const unsigned int c, const Hit<spacedim> &hit) const
{
  const auto &face = surface().faces[hit.face];
  Vector velocity = nodes.velocity(contactors()[c].node);
  for (unsigned int i = 0; i < face.n_nodes; ++i)
    velocity -= hit.closest.weights[i] * nodes.velocity(face.nodes[i]);
  return velocity.norm();
}

template <int spacedim>
void
Contact<spacedim>::respond(const unsigned int c, const Hit<spacedim> &hit, const double time)
{
  const Contactor &contactor = contactors()[c];
  const auto &face = surface().faces[hit.face];
  ContactStencil<spacedim> stencil;
  stencil.normal = hit.closest.normal;
  stencil.add(contactor.node, 1);
  for (unsigned int i = 0; i < face.n_nodes; ++i)
    stencil.add(face.nodes[i], -hit.closest.weights[i]);

  if (stencil.inverse_mass(nodes) <= 1e-14 * nodes[contactor.node].inverse_mass)
    return; // both sides are held

  Memory &memory = memories[c];
  bool common = true;
  bool may_look_ahead = false;
  double period = 0;
  if (has_zones)
  {
    memory.zone_class = lease_zone(stencil, time);
    period = stepper.classes().step(memory.zone_class);
    for (unsigned int i = 0; i < stencil.n_nodes; ++i)
    {
      enter_instant(stencil.nodes[i], time);
      common = common && stepper.at_common_instant(stencil.nodes[i], time);
    }
    may_look_ahead = common && parameters.response == Response::look_ahead &&
                     time - memory.last_answer <= fresh_after * period;
  }

  Pair &bodies = pair(contactor.body, face.body);
  // until the zone has formed, kicks of different intervals are pending
  const auto velocity = [&](const unsigned int node)
  { return common ? nodes.velocity(node) : stepper.synchronised_velocity(node, time); };
  const auto impulse = may_look_ahead ? look_ahead(bodies, stencil, -hit.depth, period)
                                      : reflect(bodies, stencil, velocity);
  if (impulse.normal > 0)
  {
    memory.last_answer = time;
    stencil.apply(nodes, impulse.normal, impulse.tangential);
    book_impulse(stencil, impulse);
  }
}

template <int spacedim>
FrictionalImpulse<spacedim>
Contact<spacedim>::reflect(const Pair &bodies, const ContactStencil<spacedim> &stencil,
                           const VectorOfNode &velocity)
{
  FrictionalImpulse<spacedim> impulse;
  const double rate = stencil.gap_rate(velocity);
  if (rate >= 0)
    return impulse;
  const double a = stencil.inverse_mass(nodes);
  const double e = bodies.restitution;
  if (bodies.friction > 0)
    impulse = frictional_impulse<spacedim>({stencil.inverse_mass_tensor(nodes), stencil.normal,
                                            stencil.difference(velocity), bodies.friction},
                                           e);
  else
    impulse.normal = reflecting_impulse(rate, a, e);
  stats.restitution_loss += (1 - e * e) * rate * rate / (2 * a);
  stats.friction_loss += impulse.friction_loss;
  return impulse;
}

template <int spacedim>
FrictionalImpulse<spacedim>
Contact<spacedim>::look_ahead(Pair &bodies, const ContactStencil<spacedim> &stencil,
                              const double gap, const double period)
{
  const auto velocity = [&](const unsigned int node) { return nodes.velocity(node); };
  const auto increment = [&](const unsigned int node) { return kick_increment(node, period); };
  const double rate = stencil.gap_rate(velocity);
  const double a = stencil.inverse_mass(nodes);
  FrictionalImpulse<spacedim> impulse;
  impulse.normal = looking_ahead_impulse(
      {gap, rate, stencil.gap_rate(increment), a, period, bodies.account, push_out, give_back});
  double work = work_of_impulse(impulse.normal, rate, a);
  if (bodies.friction > 0)
  {
    const FrictionalContact<spacedim> contact{stencil.inverse_mass_tensor(nodes), stencil.normal,
                                              stencil.difference(velocity), bodies.friction};
    impulse = looking_ahead_friction(contact, stencil.difference(increment), impulse.normal,
                                     bodies.account);
    // what is not lost by friction goes to the account, or comes from it
    work = work_of_impulse(impulse, contact) + impulse.friction_loss;
    stats.friction_loss += impulse.friction_loss;
  }
  const double share_kept = bodies.restitution * bodies.restitution;
  bodies.account -= work < 0 ? share_kept * work : work;
  stats.restitution_loss -= work < 0 ? (1 - share_kept) * work : 0;
  return impulse;
}

template <int spacedim>
void
Contact<spacedim>::book_impulse(const ContactStencil<spacedim> &stencil,
                                const FrictionalImpulse<spacedim> &impulse)
{
  ++stats.collisions;
  for (unsigned int i = 0; i < stencil.n_nodes; ++i)
  {
    const unsigned int node = stencil.nodes[i];
    stats.impulse[node] += stencil.share(i, impulse.normal, impulse.tangential);
    traces[node].velocity = nodes.velocity(node);
  }
  detector.faces().nodes_moved(
      dealii::ArrayView<const unsigned int>(stencil.nodes.data(), stencil.n_nodes));
}

template <int spacedim>
unsigned int
Contact<spacedim>::lease_zone(const ContactStencil<spacedim> &stencil, const double time)
{
  std::vector<unsigned int> units;
  for (unsigned int i = 0; i < stencil.n_nodes; ++i)
    for (const unsigned int unit : stepper.units_of_node(stencil.nodes[i]))
      units.push_back(unit);
  unsigned int finest = stepper.classes().n_classes - 1;
  for (const unsigned int unit : units)
    finest = std::min(finest, stepper.classes().of_unit[unit]);
  const double until = time + zone_hold * stepper.classes().step(finest);
  for (const unsigned int unit : units)
    stepper.lease(unit, finest, until);
  return finest;
}

template <int spacedim>
void
Contact<spacedim>::enter_instant(const unsigned int node, const double time)
{
  Trace &trace = traces[node];
  if (trace.time == time)
    return;
  trace.interval = time - trace.time;
  trace.increment = nodes.velocity(node) - trace.velocity;
  trace.time = time;
  trace.velocity = nodes.velocity(node);
}

template <int spacedim>
typename Contact<spacedim>::Vector
Contact<spacedim>::kick_increment(const unsigned int node, const double period) const
{
  // what the last period's kicks added is the best guess for what the next period's will
  const Trace &trace = traces[node];
  const bool is_recent = trace.interval < fresh_after * period;
  return is_recent ? trace.increment * (period / trace.interval) : Vector();
}

template <int spacedim>
double
Contact<spacedim>::schedule_step(const unsigned int c) const
{
  switch (parameters.schedule)
  {
  case Schedule::synchronous:
    return 0;
  case Schedule::constant:
    return std::min(constant_step[c], longest_step);
  default:
  {
    // not below the steps of the cells around it: a run that blows up must come to its end
    const double speed = nodes.velocity(contactors()[c].node).norm();
    const double step = parameters.step_factor * contactors()[c].length / speed;
    return std::min(longest_step, std::max(step, 0.01 * constant_step[c]));
  }
  }
}

template <int spacedim>
bool
Contact<spacedim>::in_contact(const unsigned int c, const double time) const
{
  const double period =
      has_zones ? stepper.classes().step(memories[c].zone_class) : schedule_step(c);
  return time - memories[c].last_contact <= zone_hold * period;
}

template <int spacedim>
double
Contact<spacedim>::next_test(const unsigned int c, const double time) const
{
  const Memory &memory = memories[c];
  const double step = schedule_step(c);
  if (!has_zones)
    return parameters.schedule == Schedule::synchronous ? stepper.next_common_instant(0, time)
                                                        : time + step;
  if (in_contact(c, time))
    return stepper.next_common_instant(memory.zone_class, time);
  if (parameters.schedule == Schedule::synchronous)
    return stepper.next_common_instant(0, time);
  // the last end of an interval of the cells around the contactor within the step, or the next one
  const unsigned int own_class = coarsest_home_class[c];
  const double own_period = stepper.classes().step(own_class);
  const double wait = std::max(memory.sleep, std::min(step, memory.time_to_reach)) - own_period;
  return stepper.next_common_instant(own_class, time + std::max(0., wait));
}

template class Contact<2>;
template class Contact<3>;
} // namespace KickDrift
