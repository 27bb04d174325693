// SPDX-License-Identifier: LGPL-2.1-or-later
#include <kickdrift/contact/geometry/bounding_volumes.h>
#include <kickdrift/contact/impulses/crossing_search.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace KickDrift
{
namespace
{
// of a flight: those that come later than the first by more are looked at again after that
constexpr double window = 0.02;

template <int spacedim>
Box<spacedim>
all_space()
{
  Box<spacedim> box;
  for (unsigned int d = 0; d < spacedim; ++d)
  {
    box.lower[d] = -std::numeric_limits<double>::infinity();
    box.upper[d] = std::numeric_limits<double>::infinity();
  }
  return box;
}
} // namespace

template <int spacedim>
CrossingSearch<spacedim>::CrossingSearch(const Surface<spacedim> &surface,
                                         const Facets<spacedim> &facets, Flights<spacedim> &flights,
                                         SurfaceFlight<spacedim> &in_flight,
                                         ContactGeometry<spacedim> &geometry,
                                         const Proximity<spacedim> &proximity,
                                         const std::vector<Obstacle<spacedim>> &obstacles)
    : surface(surface),
      facets(facets),
      flights(flights),
      in_flight(in_flight),
      geometry(geometry),
      proximity(proximity),
      obstacles(obstacles),
      by_nodes(facets.nodes().size()),
      corners(facets.corners().size()),
      by_corners(facets.corners().size()),
      by_facets(facets.facets().size()),
      by_edges(facets.edges().size()),
      last_change(facets.nodes().size(), look),
      is_listed(surface.contactors.size(), 0),
      is_edge_listed(facets.edges().size(), 0)
{
}

template <int spacedim>
typename CrossingSearch<spacedim>::Result
CrossingSearch<spacedim>::find(const std::vector<unsigned int> &places,
                               ActiveContacts<spacedim> &contacts, const bool all,
                               const Waits &waits)
{
  meetings.clear();
  any = false;
  n_tests = 0;
  ++look;
  for (const unsigned int place : places)
    last_change[place] = look;
  find_points_and_edges(places);
  for (const unsigned int point : points)
    look_at_point(point, contacts);
  for (const unsigned int edge : edges)
    for (const auto &candidates : proximity.candidates())
      for (const unsigned int other : candidates.edges_of_edge(edge))
        if (other > edge || !is_edge_listed[other])
          look_at_edges(std::min(edge, other), std::max(edge, other), contacts);
  for (const unsigned int edge : edges)
    is_edge_listed[edge] = 0;
  Result result;
  meetings.erase(
      std::remove_if(
          meetings.begin(), meetings.end(),
          [&](const Meeting &meeting)
          {
            if (!waits(meeting.contact, meeting.time))
              return false;
            result.arrivals.push_back({meeting.contact.body, meeting.contact.target, meeting.time});
            return true;
          }),
      meetings.end());
  keep_first(contacts, all, result);
  result.any = any;
  return result;
}

template <int spacedim>
const Box<spacedim> &
CrossingSearch<spacedim>::box_of(const unsigned int place)
{
  Swept &swept = by_nodes[place];
  Box<spacedim> &box = swept.box;
  if (swept.look >= last_change[place])
    return box;
  swept.look = look;
  const double duration = flights.duration(place);
  if (!std::isfinite(duration) && flights.velocity(place) != Vector())
  {
    box = all_space<spacedim>();
    return box;
  }
  box = empty_box<spacedim>();
  extend(box, flights.now(place));
  if (std::isfinite(duration))
    extend(box, flights.at(place, duration));
  box = grown(box, in_flight.rounding + in_flight.half_thickness(place));
  return box;
}

template <int spacedim>
const Box<spacedim> &
CrossingSearch<spacedim>::box_of_corner(const unsigned int corner)
{
  const auto &own = facets.corners()[corner];
  if (own.n_nodes == 1)
    return box_of(own.nodes[0]);
  Swept &swept = by_corners[corner];
  if (is_right(swept, {own.nodes.data(), own.n_nodes}))
    return swept.box;
  swept.look = look;
  swept.box = box_of(own.nodes[0]);
  for (unsigned int i = 1; i < own.n_nodes; ++i)
  {
    swept.box.lower += Vector(box_of(own.nodes[i]).lower);
    swept.box.upper += Vector(box_of(own.nodes[i]).upper);
  }
  swept.box.lower /= own.n_nodes;
  swept.box.upper /= own.n_nodes;
  return swept.box;
}

template <int spacedim>
const typename CrossingSearch<spacedim>::CornerFlight &
CrossingSearch<spacedim>::flight_of(const unsigned int corner)
{
  CornerFlight &flight = corners[corner];
  if (flight.look == look)
    return flight;
  const auto &own = facets.corners()[corner];
  flight.now = flights.at(corner, 0);
  flight.velocity = Vector();
  for (unsigned int i = 0; i < own.n_nodes; ++i)
    flight.velocity += flights.velocity(own.nodes[i]) / own.n_nodes;
  flight.look = look;
  return flight;
}

template <int spacedim>
template <typename Corners>
void
CrossingSearch<spacedim>::sweep(Swept &swept, const Corners &of_it)
{
  swept.look = look;
  swept.box = empty_box<spacedim>();
  for (const unsigned int corner : of_it)
  {
    const Box<spacedim> &box = box_of_corner(corner);
    extend(swept.box, box.lower);
    extend(swept.box, box.upper);
  }
}

template <int spacedim>
template <typename Corners>
double
CrossingSearch<spacedim>::duration_of(const Corners &of_it)
{
  double result = std::numeric_limits<double>::infinity();
  for (const unsigned int corner : of_it)
    for (unsigned int i = 0; i < facets.corners()[corner].n_nodes; ++i)
      result = std::min(result, flights.duration(facets.corners()[corner].nodes[i]));
  return result;
}

template <int spacedim>
const Box<spacedim> &
CrossingSearch<spacedim>::swept_by_facet(const unsigned int facet)
{
  Swept &swept = by_facets[facet];
  if (swept.checked == look)
    return swept.box;
  if (!is_right(swept, facets.nodes_of_facet(facet)))
    sweep(swept, facets.facets()[facet].corners);
  swept.checked = look;
  return swept.box;
}

template <int spacedim>
const Box<spacedim> &
CrossingSearch<spacedim>::swept_by_edge(const unsigned int edge)
{
  Swept &swept = by_edges[edge];
  if (swept.checked == look)
    return swept.box;
  const auto &ends = facets.edges()[edge].corners;
  if (!std::all_of(ends.begin(), ends.end(),
                   [&](const unsigned int corner)
                   {
                     const auto &own = facets.corners()[corner];
                     return is_right(swept, {own.nodes.data(), own.n_nodes});
                   }))
    sweep(swept, ends);
  swept.checked = look;
  return swept.box;
}

template <int spacedim>
void
CrossingSearch<spacedim>::find_points_and_edges(const std::vector<unsigned int> &places)
{
  points.clear();
  edges.clear();
  const auto list = [this](const unsigned int point)
  {
    if (is_listed[point])
      return;
    is_listed[point] = 1;
    points.push_back(point);
  };
  for (const unsigned int place : places)
    for (const auto &candidates : proximity.candidates())
    {
      if (!candidates.has_any(place))
        continue;
      for (const unsigned int point : candidates.points_of_node(place))
        if (!candidates.obstacles_of_point(point).empty() ||
            !candidates.facets_of_point(point).empty())
          list(point);
      for (const unsigned int facet : facets.facets_of_node(place))
        for (const unsigned int point : candidates.points_of_facet(facet))
          list(point);
      for (const unsigned int edge : facets.edges_of_node(place))
        if (!candidates.edges_of_edge(edge).empty() && !is_edge_listed[edge])
        {
          is_edge_listed[edge] = 1;
          edges.push_back(edge);
        }
    }
  std::sort(points.begin(), points.end());
  std::sort(edges.begin(), edges.end());
  for (const unsigned int point : points)
    is_listed[point] = 0;
}

template <int spacedim>
bool
CrossingSearch<spacedim>::has_changed_facet(const unsigned int facet) const
{
  const auto places = facets.nodes_of_facet(facet);
  return std::any_of(places.begin(), places.end(),
                     [this](const unsigned int place) { return has_changed(place); });
}

template <int spacedim>
void
CrossingSearch<spacedim>::look_at_point(const unsigned int point,
                                        ActiveContacts<spacedim> &contacts)
{
  const auto &own = in_flight.nodes_of_point(point);
  const bool has_changed_itself = std::any_of(
      own.begin(), own.end(), [this](const unsigned int place) { return has_changed(place); });
  PointFlight flight{box_of(own[0]), flights.duration(own[0])};
  for (unsigned int i = 1; i < own.size(); ++i)
  {
    const Box<spacedim> &box = box_of(own[i]);
    extend(flight.box, box.lower);
    extend(flight.box, box.upper);
    flight.duration = std::min(flight.duration, flights.duration(own[i]));
  }
  for (const auto &candidates : proximity.candidates())
  {
    for (const unsigned int facet : candidates.facets_of_point(point))
      if (has_changed_itself || has_changed_facet(facet))
        look_at_facet(point, facet, flight, contacts);
    // not beside things that have changed: what is looked at must not depend on lists
    for (const unsigned int obstacle : candidates.obstacles_of_point(point))
      if (has_changed_itself)
        look_at_obstacle(point, obstacle, contacts);
  }
}

template <int spacedim>
bool
CrossingSearch<spacedim>::is_held(const ContactKey &key) const
{
  for (const unsigned int edge : {key.first, key.second})
    for (const unsigned int corner : facets.edges()[edge].corners)
      if (held.count(corner))
        return true;
  return false;
}

template <int spacedim>
void
CrossingSearch<spacedim>::keep_first(ActiveContacts<spacedim> &contacts, const bool all,
                                     Result &result)
{
  std::sort(meetings.begin(), meetings.end(),
            [](const Meeting &a, const Meeting &b)
            { return a.time != b.time ? a.time < b.time : a.contact.key < b.contact.key; });
  // edges wait for their ends: where these are held, they may not cross any more
  std::stable_partition(meetings.begin(), meetings.end(),
                        [](const Meeting &meeting)
                        { return meeting.contact.key.kind != ContactKind::edge_on_edge; });
  held.clear();
  // bodies that touch
  const unsigned int n_bodies = surface.body_names.size();
  std::vector<unsigned int> parent(n_bodies);
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](unsigned int body)
  {
    while (parent[body] != body)
      body = parent[body] = parent[parent[body]];
    return body;
  };
  const auto unite = [&](const ActiveContact<spacedim> &contact)
  {
    if (contact.target < n_bodies)
      parent[root(contact.body)] = root(contact.target);
  };
  for (const auto &contact : contacts.list)
    unite(contact);
  for (const Meeting &meeting : meetings)
    unite(meeting.contact);
  std::vector<double> first(n_bodies, -1);
  std::set<std::pair<unsigned int, unsigned int>> seen; // points, targets
  for (const Meeting &meeting : meetings)
  {
    double &earliest = first[root(meeting.contact.body)];
    earliest = earliest < 0 ? meeting.time : std::min(earliest, meeting.time);
  }
  for (Meeting &meeting : meetings)
  {
    // what touches already bears first: without that others would sink, and meet seams
    const double earliest = first[root(meeting.contact.body)];
    const double latest = earliest > 0 ? earliest + window * meeting.duration : 0.;
    any = true;
    const bool is_first = meeting.contact.key.kind == ContactKind::edge_on_edge ||
                          seen.emplace(meeting.contact.key.first, meeting.contact.target).second;
    const bool waits = meeting.contact.key.kind == ContactKind::edge_on_edge && !all &&
                       is_held(meeting.contact.key);
    if (!is_first || waits || (!all && meeting.time > latest))
    {
      result.again.push_back(in_flight.first_node(meeting.contact.key));
      continue;
    }
    if (std::any_of(result.met.begin(), result.met.end(),
                    [&](const auto &other) { return other.key == meeting.contact.key; }))
      continue;
    geometry.meet(meeting.contact, meeting.time);
    meeting.contact.by_plane =
        spacedim == 2 || meeting.contact.key.kind == ContactKind::point_on_obstacle;
    result.met.push_back(meeting.contact);
    if (meeting.contact.key.kind != ContactKind::edge_on_edge)
      held.insert(in_flight.first_node(meeting.contact.key));
  }
}

template double CrossingSearch<2>::duration_of(const std::array<unsigned int, 2> &);
template double CrossingSearch<3>::duration_of(const std::array<unsigned int, 2> &);
template double CrossingSearch<3>::duration_of(const std::array<unsigned int, 3> &);
template class CrossingSearch<2>;
template class CrossingSearch<3>;
} // namespace KickDrift
