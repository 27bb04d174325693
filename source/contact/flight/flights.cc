// SPDX-License-Identifier: LGPL-2.1-or-later
#include <kickdrift/contact/flight/flights.h>

#include <algorithm>
#include <limits>

namespace KickDrift
{
namespace
{
constexpr unsigned int nowhere = -1;
// A kick that comes sooner, as a share of its step h, is taken to come after the next step. Gaps
// are solved for to 1e-12 of the size L of everything, which in a shorter flight would be speeds
// above 1e-9 L/h. Nothing is missed: when the kick comes, all flights that it changes are looked at
// again.
constexpr double soon = 1e-3;
} // namespace

template <int spacedim>
Flights<spacedim>::Flights(NodeTable<spacedim> &nodes, const Stepper<spacedim> &stepper,
                           const Facets<spacedim> &facets)
    : nodes(nodes),
      stepper(stepper),
      facets(facets),
      flights(facets.nodes().size()),
      index_of_place(facets.nodes().size(), nowhere),
      is_changed(facets.nodes().size(), 0)
{
  if (nodes.rigid_bodies.empty())
    return;
  places_of_body.resize(nodes.rigid_bodies.size());
  version_of_body.assign(nodes.rigid_bodies.size(), 0);
  index_of_body.assign(nodes.rigid_bodies.size(), nowhere);
  for (unsigned int place = 0; place < flights.size(); ++place)
  {
    body_of_place.push_back(nodes.rigid_bodies.body_of(facets.nodes()[place]));
    if (body_of_place.back() != no_body)
      places_of_body[body_of_place.back()].push_back(place);
  }
}

template <int spacedim>
void
Flights<spacedim>::begin(const double now)
{
  time = now;
  for (const Moved &one : moved)
    index_of_place[one.place] = nowhere;
  moved.clear();
  for (const MovedBody &one : moved_bodies)
    index_of_body[one.body] = nowhere;
  moved_bodies.clear();
  clear_changed();
  version = ++last_version;
  std::fill(version_of_body.begin(), version_of_body.end(), version);
  if (!stepper.levels().has_classes())
    return;
  const auto &clocks = stepper.levels().clocks(); // a dozen; of cells there would be one each
  longest = 0;
  for (unsigned int c = 0; c < clocks.size(); ++c)
    longest = std::max(longest, (1 + soon) * clocks[c].step());
}

template <int spacedim>
void
Flights<spacedim>::find(const unsigned int place, const unsigned int body, Flight &flight)
{
  const unsigned int node = facets.nodes()[place];
  flight.now = nodes.position_at(node, time);
  flight.velocity = nodes.velocity(node);
  flight.version = version;
  if (body == no_body)
    return;
  flight.version = version_of_body[body];
  if (index_of_body[body] == nowhere)
    return;
  MovedBody &of_body = moved_bodies[index_of_body[body]];
  if (!of_body.is_ahead)
    of_body.ahead = nodes.rigid_bodies.ahead_of(body, of_body.motion);
  of_body.is_ahead = true;
  flight.velocity = nodes.rigid_bodies.course(nodes, node, of_body.ahead);
}

template <int spacedim>
void
Flights<spacedim>::find_duration(const unsigned int place, Flight &flight)
{
  flight.instant = version;
  flight.duration = std::numeric_limits<double>::infinity();
  const TimeLevels &levels = stepper.levels();
  for (const unsigned int id : stepper.supports().kicks_of_node(facets.nodes()[place]))
  {
    const Clock &clock = levels.clocks()[levels.clock_of_kick(id)];
    const double left = clock.time() - time;
    flight.duration =
        std::min(flight.duration, left > soon * clock.step() ? left : left + clock.step());
  }
}

template <int spacedim>
typename Flights<spacedim>::Vector
Flights<spacedim>::relative_velocity(const ContactStencil<spacedim> &stencil) const
{
  return stencil.relative_velocity(
      [&](const unsigned int node)
      {
        const unsigned int body = nodes.rigid_bodies.body_of(node);
        if (body == no_body)
        {
          const unsigned int place = facets.place_of_node(node);
          return index_of_place[place] == nowhere ? nodes.velocity(node) : flights[place].velocity;
        }
        const RigidMotion &motion = index_of_body[body] == nowhere
                                        ? nodes.rigid_bodies.motion(body)
                                        : moved_bodies[index_of_body[body]].motion;
        return from_space<spacedim>(motion.velocity_at(nodes.rigid_bodies.arm(nodes, node)));
      });
}

template <int spacedim>
void
Flights<spacedim>::mark_changed(const unsigned int place)
{
  if (is_changed[place])
    return;
  is_changed[place] = 1;
  changed_places.push_back(place);
}

template <int spacedim>
void
Flights<spacedim>::mark_changed(MovedBody &body)
{
  version_of_body[body.body] = ++last_version;
  body.is_ahead = false;
  body.is_changed = true;
}

template <int spacedim>
const std::vector<unsigned int> &
Flights<spacedim>::changed()
{
  for (const MovedBody &one : moved_bodies)
    for (unsigned int i = 0; i < places_of_body[one.body].size() && one.is_changed; ++i)
      mark_changed(places_of_body[one.body][i]);
  return changed_places;
}

template <int spacedim>
void
Flights<spacedim>::clear_changed()
{
  for (const unsigned int place : changed_places)
    is_changed[place] = 0;
  changed_places.clear();
  for (MovedBody &one : moved_bodies)
    one.is_changed = false;
}

template <int spacedim>
void
Flights<spacedim>::take_back()
{
  for (const Moved &one : moved)
  {
    flights[one.place].velocity = one.before;
    mark_changed(one.place);
  }
  for (MovedBody &one : moved_bodies)
  {
    one.motion = nodes.rigid_bodies.motion(one.body);
    mark_changed(one);
  }
}

template <int spacedim>
typename Flights<spacedim>::MovedBody &
Flights<spacedim>::moved_body(const unsigned int body)
{
  if (index_of_body[body] == nowhere)
  {
    nodes.rigid_bodies.advance_to(body, time);
    index_of_body[body] = moved_bodies.size();
    const RigidMotion &motion = nodes.rigid_bodies.motion(body);
    moved_bodies.push_back({body, motion, {motion, 0.}});
  }
  return moved_bodies[index_of_body[body]];
}

template <int spacedim>
void
Flights<spacedim>::give(const ContactStencil<spacedim> &stencil, const Vector &impulse)
{
  for (unsigned int i = 0; i < stencil.n_nodes; ++i)
  {
    const unsigned int node = stencil.nodes[i];
    const Vector own = stencil.coefficients[i] * impulse;
    const unsigned int body = nodes.rigid_bodies.body_of(node);
    if (body != no_body)
    {
      MovedBody &of_body = moved_body(body);
      const auto p = in_space<spacedim>(own);
      of_body.motion.add_impulse(p,
                                 dealii::cross_product_3d(nodes.rigid_bodies.arm(nodes, node), p));
      mark_changed(of_body);
      continue;
    }
    const unsigned int place = facets.place_of_node(node);
    if (index_of_place[place] == nowhere)
    {
      index_of_place[place] = moved.size();
      moved.push_back({place, velocity(place)});
    }
    flights[place].velocity += nodes.velocity_change(node, own);
    mark_changed(place);
  }
}

template class Flights<2>;
template class Flights<3>;
} // namespace KickDrift
