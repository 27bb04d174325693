// SPDX-License-Identifier: LGPL-2.1-or-later
#include <kickdrift/base/archive.h>
#include <kickdrift/base/archive_checks.h>
#include <kickdrift/contact/geometry/bounding_volumes.h>
#include <kickdrift/contact/search/proximity.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace KickDrift
{
namespace
{
// All for cost alone. Room in boxes: on all sides, and ahead, in shares of the faces around a node,
// and steps at its present velocity; in a frame ahead no more than so much.
constexpr double on_all_sides = 0.1, most_ahead = 1, steps_ahead = 96, most_ahead_in_frame = 0.2;

template <int spacedim>
std::vector<typename Candidates<spacedim>::CarriedPoint>
points_of(const Surface<spacedim> &surface, const SurfaceFlight<spacedim> &in_flight)
{
  std::vector<typename Candidates<spacedim>::CarriedPoint> result;
  for (unsigned int p = 0; p < surface.contactors.size(); ++p)
    result.push_back({in_flight.nodes_of_point(p), surface.contactors[p].body});
  return result;
}

template <int spacedim>
typename Candidates<spacedim>::Rules
rules_of(const SurfaceFlight<spacedim> &in_flight, const bool with_obstacles)
{
  return {[&in_flight](const unsigned int point, const unsigned int facet)
          { return in_flight.may_meet(point, facet); },
          [&in_flight](const unsigned int edge, const unsigned int other)
          { return in_flight.edges_may_meet(edge, other); },
          [&in_flight, with_obstacles](const unsigned int point, const Box<spacedim> &box) {
            return with_obstacles ? in_flight.obstacles_near(point, box)
                                  : std::vector<unsigned int>();
          }};
}
} // namespace

template <int spacedim>
Proximity<spacedim>::Proximity(const Surface<spacedim> &surface, const Facets<spacedim> &facets,
                               Flights<spacedim> &flights, SurfaceFlight<spacedim> &in_flight,
                               typename Candidates<spacedim>::Edges edges, const double room)
    : surface(surface),
      facets(facets),
      flights(flights),
      in_flight(in_flight),
      room(room),
      both{{{facets, points_of(surface, in_flight), edges,
             Candidates<spacedim>::Of::different_bodies, rules_of(in_flight, true)},
            {facets, points_of(surface, in_flight), edges, Candidates<spacedim>::Of::one_body,
             rules_of(in_flight, false)}}}
{
  find_sizes();
  find_bodies();
}

template <int spacedim>
void
Proximity<spacedim>::find_sizes()
{
  sizes.assign(facets.nodes().size(), std::numeric_limits<double>::infinity());
  for (const Contactor &contactor : surface.contactors)
    for (const unsigned int node : contactor.node_view())
    {
      double &size = sizes[facets.place_of_node(node)];
      size = std::min(size, contactor.length);
    }
  for (unsigned int place = 0; place < sizes.size(); ++place)
    for (const unsigned int corner : facets.corners_beside(place))
      sizes[place] = std::min(sizes[place], (flights.at(corner, 0) - flights.now(place)).norm());
}

template <int spacedim>
void
Proximity<spacedim>::find_bodies()
{
  bodies.resize(surface.body_names.size());
  body_of_place.assign(facets.nodes().size(), Facets<spacedim>::none);
  for (const Contactor &contactor : surface.contactors)
    for (const unsigned int node : contactor.node_view())
      body_of_place[facets.place_of_node(node)] = contactor.body;
  for (unsigned int f = 0; f < facets.facets().size(); ++f)
    for (const unsigned int place : facets.nodes_of_facet(f))
      body_of_place[place] = facets.facets()[f].body;
  for (unsigned int place = 0; place < body_of_place.size(); ++place)
    if (is_on_surface(place))
      bodies[body_of_place[place]].places.push_back(place);
  for (unsigned int b = 0; b < bodies.size(); ++b)
    bodies[b].may_touch_itself = in_flight.may_touch_itself(b, bodies[b].places);
}

template <int spacedim>
double
Proximity<spacedim>::margin(const unsigned int place) const
{
  return std::max(room * on_all_sides * sizes[place], 2 * in_flight.rounding) +
         in_flight.half_thickness(place);
}

template <int spacedim>
void
Proximity<spacedim>::start()
{
  std::vector<Box<spacedim>> boxes, cubes;
  for (Body &body : bodies)
    if (body.may_touch_itself)
      renew_frame(body);
  for (unsigned int place = 0; place < sizes.size(); ++place)
  {
    boxes.push_back(box_of(place));
    if (may_touch_itself(place))
      cubes.push_back(cube_of(place));
    else
      cubes.push_back({flights.now(place), flights.now(place)});
  }
  begin(std::move(boxes), std::move(cubes));
}

template <int spacedim>
void
Proximity<spacedim>::begin(std::vector<Box<spacedim>> boxes, std::vector<Box<spacedim>> cubes)
{
  balls.assign(sizes.size(), {});
  for (unsigned int place = 0; place < sizes.size(); ++place)
    if (may_touch_itself(place))
      set_ball(place, cubes[place]);
  both[0].start(std::move(boxes));
  both[1].start(std::move(cubes));
  has_started = true;
}

template <int spacedim>
Box<spacedim>
Proximity<spacedim>::box_of(const unsigned int place)
{
  Box<spacedim> box = empty_box<spacedim>();
  if (!is_on_surface(place))
    return box;
  const double duration = flights.duration(place);
  extend(box, flights.now(place));
  if (std::isfinite(duration))
    extend(box, flights.at(place, duration));
  const auto &velocity = flights.velocity(place);
  const double speed = velocity.norm();
  if (speed > 0)
    extend(box, flights.now(place) +
                    room * std::min(steps_ahead * longest_step, most_ahead * sizes[place] / speed) *
                        velocity);
  return grown(box, margin(place));
}

template <int spacedim>
bool
Proximity<spacedim>::is_in_box(const unsigned int place)
{
  const Box<spacedim> room_left =
      grown(both[0].box(place), -in_flight.rounding - in_flight.half_thickness(place));
  if (!is_inside(room_left, flights.now(place)))
    return false;
  // for most this is enough, and costs less than to ask when they are kicked
  if (is_inside(room_left,
                flights.now(place) + flights.longest_duration() * flights.velocity(place)))
    return true;
  const double duration = flights.duration(place);
  return !std::isfinite(duration) || is_inside(room_left, flights.at(place, duration));
}

template <int spacedim>
Box<spacedim>
Proximity<spacedim>::cube_of(const unsigned int place)
{
  const CoMovingFrame<spacedim> &frame = bodies[body_of_place[place]].frame;
  const double now = flights.instant(), duration = flights.duration(place);
  const auto here = frame.place_of(flights.now(place), now);
  auto ahead = flights.velocity(place) - frame.velocity_of(here);
  const double speed = ahead.norm();
  if (speed > 0)
    ahead *=
        room * std::min(steps_ahead * longest_step, most_ahead_in_frame * sizes[place] / speed);
  const auto middle = frame.place_of(flights.now(place) + ahead / 2, now);
  double reach = (flights.now(place) - frame.at(middle, now)).norm();
  if (std::isfinite(duration))
    reach =
        std::max(reach, (flights.at(place, duration) - frame.at(middle, now + duration)).norm());
  return grown(Box<spacedim>{middle, middle}, reach + margin(place));
}

template <int spacedim>
void
Proximity<spacedim>::set_ball(const unsigned int place, const Box<spacedim> &cube)
{
  const CoMovingFrame<spacedim> &frame = bodies[body_of_place[place]].frame;
  const auto middle = cube.lower + (cube.upper - cube.lower) / 2;
  balls[place] = {middle, frame.velocity_of(middle), frame.since,
                  0.5 * (cube.upper[0] - cube.lower[0]) - in_flight.rounding -
                      in_flight.half_thickness(place)};
}

template <int spacedim>
bool
Proximity<spacedim>::is_in_ball(const unsigned int place)
{
  const Ball &ball = balls[place];
  if (ball.reach < 0)
    return true;
  // straight in between, as the frame
  const auto away =
      flights.now(place) - ball.middle - (flights.instant() - ball.since) * ball.velocity;
  const double square = ball.reach * ball.reach;
  const auto rate = flights.velocity(place) - ball.velocity;
  if (away.norm_square() > square)
    return false;
  if ((away + flights.longest_duration() * rate).norm_square() <= square)
    return true;
  const double duration = flights.duration(place);
  return !std::isfinite(duration) || (away + duration * rate).norm_square() <= square;
}

template <int spacedim>
void
Proximity<spacedim>::renew_frame(Body &body)
{
  std::vector<dealii::Point<spacedim>> places;
  std::vector<dealii::Tensor<1, spacedim>> velocities;
  for (const unsigned int place : body.places)
  {
    places.push_back(flights.now(place));
    velocities.push_back(flights.velocity(place));
  }
  body.frame = CoMovingFrame<spacedim>(places, velocities, flights.instant());
  body.n_strays = 0;
}

template <int spacedim>
void
Proximity<spacedim>::follow(const std::vector<unsigned int> &places)
{
  if (!has_started)
  {
    start();
    return;
  }
  follow_in_space(places);
  follow_in_frames(places);
}

template <int spacedim>
void
Proximity<spacedim>::follow_in_space(const std::vector<unsigned int> &places)
{
  std::vector<std::pair<unsigned int, Box<spacedim>>> moved;
  for (const unsigned int place : places)
    if (is_on_surface(place) && !is_in_box(place))
      moved.emplace_back(place, box_of(place));
  if (!moved.empty())
    both[0].move(moved);
}

template <int spacedim>
void
Proximity<spacedim>::follow_in_frames(const std::vector<unsigned int> &places)
{
  std::vector<std::pair<unsigned int, Box<spacedim>>> moved;
  std::vector<unsigned int> strays;
  for (const unsigned int place : places)
    if (!is_in_ball(place))
    {
      strays.push_back(place);
      ++bodies[body_of_place[place]].n_strays;
    }
  // as much work again: another frame may be better
  const auto needs_frame = [](const Body &body) { return body.n_strays > body.places.size(); };
  std::vector<char> is_renewed(strays.empty() ? 0 : bodies.size(), 0);
  for (const unsigned int place : strays)
  {
    const unsigned int number = body_of_place[place];
    Body &body = bodies[number];
    if (is_renewed[number])
      continue;
    if (!needs_frame(body))
    {
      moved.emplace_back(place, cube_of(place));
      continue;
    }
    is_renewed[number] = 1;
    renew_frame(body);
    for (const unsigned int other : body.places)
      moved.emplace_back(other, cube_of(other));
  }
  for (const auto &[place, cube] : moved)
    set_ball(place, cube);
  if (!moved.empty())
    both[1].move(moved);
}

template <int spacedim>
void
Proximity<spacedim>::serialize(Archive &archive)
{
  std::vector<Box<spacedim>> boxes, cubes;
  if (has_started && !archive.is_reading())
  {
    boxes = both[0].all_boxes();
    cubes = both[1].all_boxes();
  }
  archive(longest_step, sizes, boxes, cubes);
  for (Body &body : bodies)
    archive(body.n_strays, body.frame.since, body.frame.center, body.frame.velocity,
            body.frame.angular_velocity);
  if (!archive.is_reading())
    return;
  check_state(
      sizes.size() == facets.nodes().size() &&
          std::all_of(sizes.begin(), sizes.end(), [](const double size) { return size >= 0; }) &&
          (boxes.empty() || boxes.size() == sizes.size()) && cubes.size() == boxes.size(),
      "contact");
  has_started = false;
  if (!boxes.empty())
    begin(std::move(boxes), std::move(cubes));
}

template class Proximity<2>;
template class Proximity<3>;
} // namespace KickDrift
