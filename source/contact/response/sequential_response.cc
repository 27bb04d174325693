#include <kickdrift/base/archive.h>
#include <kickdrift/contact/response/sequential_response.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace KickDrift
{
namespace
{
// A contact lasts if it was answered during so many of the last periods, see chatter().
constexpr double fresh_after = 3.5;
// Of times, relative to intervals.
constexpr double time_round_off = 1e-9;
// Contacts whose effective inverse mass is below this share of a node's are held on both sides.
constexpr double held = 1e-14;
} // namespace

template <int spacedim>
SequentialResponse<spacedim>::SequentialResponse(
    NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper, ContactPairs<spacedim> &partners,
    MotionBounds<spacedim> &bounds, const Response response, std::vector<DampingRate> damping)
    : books(nodes, stepper, partners),
      stats(books.stats),
      lasting(books.lasting),
      nodes(nodes),
      stepper(stepper),
      bounds(bounds),
      response(response),
      damping(std::move(damping)),
      zones(stepper),
      constraints(nodes)
{
}

template <int spacedim>
void
SequentialResponse<spacedim>::start(const std::vector<unsigned int> &on_surface,
                                    const bool with_zones)
{
  has_zones = with_zones;
  are_constraints = has_zones && response == Response::look_ahead;
  books.start(on_surface);
  if (has_zones)
    zones.start(on_surface, nodes.size());
}

template <int spacedim>
void
SequentialResponse<spacedim>::classes_changed()
{
  if (has_zones)
    zones.classes_changed();
}

template <int spacedim>
void
SequentialResponse<spacedim>::enter_instant(const double time)
{
  instant = time;
  books.enter_instant(time);
  if (has_zones)
    zones.enter_instant(time);
}

template <int spacedim>
bool
SequentialResponse<spacedim>::is_held(const ContactStencil<spacedim> &stencil, const double a) const
{
  return a <= held * nodes[stencil.nodes[0]].inverse_mass;
}

template <int spacedim>
double
SequentialResponse<spacedim>::period(const ContactHistory &memory) const
{
  const TimeLevels &levels = stepper.levels();
  return has_zones ? levels.classes().step(std::max(memory.zone_class, levels.finest_class()))
                   : memory.period;
}

template <int spacedim>
bool
SequentialResponse<spacedim>::lasts(const ContactHistory &memory) const
{
  return instant - memory.last_answer <= fresh_after * contact_periods() * period(memory);
}

template <int spacedim>
void
SequentialResponse<spacedim>::respond(ContactHistory &memory, const ContactPoint<spacedim> &point)
{
  if (are_constraints)
  {
    constrain(memory, point, point.stencil);
    return;
  }
  const auto &stencil = point.stencil;
  const double a = stencil.inverse_mass(nodes);
  if (is_held(stencil, a))
    return;
  bool common = true;
  double kicks = 0; // on the gap rate since the last answer
  if (has_zones)
  {
    memory.zone_class = zones.promote(stencil, contact_periods(), are_constraints);
    for (unsigned int i = 0; i < stencil.n_nodes; ++i)
    {
      // the impulse will change the velocities of the whole of a rigid body
      if (nodes.is_rigid(stencil.nodes[i]))
        for (const unsigned int other :
             books.surface_of(nodes.rigid_bodies.body_of(stencil.nodes[i])))
          books.traces.enter_instant(other, instant);
      books.traces.enter_instant(stencil.nodes[i], instant);
      common = common && zones.at_common_instant(stencil.nodes[i]);
    }
    if (common && lasts(memory))
      kicks = stencil.normal * books.increment(stencil, fresh_after * period(memory));
  }

  auto &pair = books.pair_of(point.body, point.target);
  // until the zone has formed, kicks of different intervals are pending
  const auto velocity = [&](const unsigned int node)
  { return common ? nodes.momentary_velocity(node) : stepper.velocity_with_kicks(node, instant); };
  const auto impulse = reflect(pair, stencil, a, kicks, velocity);
  if (impulse.normal > 0)
  {
    stencil.apply(nodes, impulse.normal, impulse.tangential);
    book(memory, point, impulse);
  }
}

template <int spacedim>
bool
SequentialResponse<spacedim>::approach(ContactHistory &memory, const ContactPoint<spacedim> &point)
{
  if (!are_constraints || point.stencil.normal.norm_square() == 0)
    return false;
  const auto &stencil = point.stencil;
  if (!lasts(memory) && memory.energy <= 0)
  {
    const double rate =
        stencil.normal * stencil.relative_velocity([&](const unsigned int node)
                                                   { return nodes.momentary_velocity(node); });
    // the zone has to be there before
    if (rate * 2 * stepper.levels().classes().step(zones.coarsest_class(stencil)) > point.depth)
      return false;
  }
  return constrain(memory, point, stencil);
}

template <int spacedim>
bool
SequentialResponse<spacedim>::constrain(ContactHistory &memory, const ContactPoint<spacedim> &point,
                                        const ContactStencil<spacedim> &stencil)
{
  const double a = stencil.inverse_mass(nodes);
  if (is_held(stencil, a))
    return false;
  memory.zone_class = zones.promote(stencil, contact_periods(), are_constraints);
  if (!lasts(memory) && memory.energy <= 0)
    memory.since = instant;
  ContactConstraint<spacedim> contact{&memory, &books.pair_of(point.body, point.target), point,
                                      stencil};
  contact.inverse_mass = a;
  contact.kicks = books.kicks(stencil);
  const TimeLevels &levels = stepper.levels();
  contact.period =
      levels.next_kick(std::max(memory.zone_class, levels.finest_class()), instant) - instant;
  // the interval that ends here may be one of a coarser class
  const double longest = 1.001 * levels.classes().step(zones.coarsest_class(stencil));
  const double interval = books.traces.interval(stencil.nodes[0]);
  contact.interval = interval <= longest ? interval : 0;
  if (lasts(memory) && memory.lasting != LastingImpulses<spacedim>::nowhere)
    contact.last = &lasting[memory.lasting];
  damp(contact);
  constraints.add(std::move(contact));
  return true;
}

/// The mean energy of a damped vibration falls with the rate of damping.
template <int spacedim>
void
SequentialResponse<spacedim>::damp(const ContactConstraint<spacedim> &contact)
{
  const unsigned int body = contact.point.body;
  if (contact.memory->energy <= 0 || body >= damping.size() || !damping[body])
    return;
  const double loss =
      -std::expm1(-damping[body](instant) * contact.interval) * contact.memory->energy;
  contact.memory->energy -= loss;
  stats.contact_energy -= loss;
  nodes.add_damping_loss(contact.stencil.nodes[0], loss);
}

/// What has happened since the last instant is this instant's kicks, if all kicks of a node come
/// together and it was looked at when they came last. Otherwise they are twice what they are ahead
/// of the present.
template <int spacedim>
void
SequentialResponse<spacedim>::let_go(ContactHistory &memory)
{
  const LastingImpulse<spacedim> &last = lasting[memory.lasting];
  ContactPoint<spacedim> point;
  point.body = last.body;
  point.target = last.target;
  point.stencil = last.stencil;
  const auto &stencil = point.stencil;
  for (unsigned int i = 0; i < stencil.n_nodes; ++i)
    nodes.drift(stencil.nodes[i], instant);
  ContactConstraint<spacedim> contact{&memory, &books.pair_of(point.body, point.target), point,
                                      stencil};
  contact.has_ended = true;
  contact.period = period(memory);
  contact.kicks = books.kicks(stencil);
  constraints.add(std::move(contact));
}

template <int spacedim>
bool
SequentialResponse<spacedim>::has_left(const ContactHistory &memory,
                                       const ContactPoint<spacedim> &found) const
{
  if (!are_constraints || memory.energy <= 0 ||
      memory.lasting == LastingImpulses<spacedim>::nowhere)
    return false;
  const LastingImpulse<spacedim> &last = lasting[memory.lasting];
  return !found.sees || found.target != last.target ||
         (!found.touches &&
          (found.distance > found.size || ContactConstraints<spacedim>::is_beside(found)));
}

template <int spacedim>
void
SequentialResponse<spacedim>::answer_constraints()
{
  if (constraints.contacts.empty())
    return;
  stats.unsolved += constraints.solve(instant, stepper.levels().largest_step_ratio());
  constraints.for_each_moved([&](const unsigned int node) { leave_instant(node); });
  for (const auto &contact : constraints.contacts)
  {
    const auto &impulse = contact.impulse;
    stats.contact_energy += impulse.energy_change;
    stats.restitution_loss += impulse.restitution_loss;
    if (impulse.normal <= 0)
      continue;
    stats.friction_loss += impulse.friction_loss;
    note(*contact.memory, contact.point, impulse, !contact.is_opened);
  }
  constraints.contacts.clear();
}

template <int spacedim>
void
SequentialResponse<spacedim>::reflect(ContactHistory &memory, const ContactPoint<spacedim> &point)
{
  const auto velocity = [&](const unsigned int node) { return nodes.momentary_velocity(node); };
  const auto &stencil = point.stencil;
  const double a = stencil.inverse_mass(nodes);
  const auto impulse = reflect(books.pair_of(point.body, point.target), stencil, a, 0., velocity);
  if (impulse.normal <= 0)
    return;
  stencil.apply(nodes, impulse.normal, impulse.tangential);
  book(memory, point, impulse, false); // positions make up for what velocities have too much
}

template <int spacedim>
void
SequentialResponse<spacedim>::book(ContactHistory &memory, const ContactPoint<spacedim> &point,
                                   const FrictionalImpulse<spacedim> &impulse, const bool may_last)
{
  note(memory, point, impulse, may_last);
  const RigidBodies<spacedim> &rigid = nodes.rigid_bodies;
  for (unsigned int i = 0; i < point.stencil.n_nodes; ++i)
  {
    const unsigned int *const own = point.stencil.nodes.data();
    const bool is_rigid = nodes.is_rigid(own[i]);
    if (!std::any_of(own, own + i, // all nodes of a rigid body leave together
                     [&](const unsigned int node)
                     { return is_rigid && rigid.body_of(node) == rigid.body_of(own[i]); }))
      leave_instant(own[i]);
  }
}

template <int spacedim>
void
SequentialResponse<spacedim>::note(ContactHistory &memory, const ContactPoint<spacedim> &point,
                                   const FrictionalImpulse<spacedim> &impulse, const bool may_last)
{
  // constraints remember all their impulses; what comes after a pause has nothing pending
  const double since = instant - memory.last_answer;
  const unsigned int contactor = point.stencil.nodes[0];
  const double interval = books.traces.interval(contactor);
  const bool continues = are_constraints ? since <= (1 + time_round_off) * interval : lasts(memory);
  books.book(
      memory, point, impulse,
      {may_last && (continues || are_constraints), continues, period(memory), !are_constraints});
}

template <int spacedim>
template <typename VelocityOfNode>
FrictionalImpulse<spacedim>
SequentialResponse<spacedim>::reflect(const ContactPair<spacedim> &pair,
                                      const ContactStencil<spacedim> &stencil, const double a,
                                      const double kicks, const VelocityOfNode &velocity)
{
  FrictionalImpulse<spacedim> impulse;
  const Vector relative = stencil.relative_velocity(velocity);
  const double rate = stencil.normal * relative;
  if (rate >= 0)
    return impulse;
  // a contact that lasts bears what presses it: the mean rate of the coming period is e times that
  // of the last one
  const double e = pair.restitution + (1 - pair.restitution) * std::max(0., 0.5 * kicks / rate);
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
void
SequentialResponse<spacedim>::leave_instant(const unsigned int moved)
{
  books.leave_instant(moved, [this](const dealii::ArrayView<const unsigned int> &changed)
                      { bounds.check(changed, instant); });
}

template <int spacedim>
void
SequentialResponse<spacedim>::serialize(Archive &archive)
{
  archive.section("contact answers");
  archive(books, instant, zones);
}

template class SequentialResponse<2>;
template class SequentialResponse<3>;
} // namespace KickDrift
