#include "scenes/oracle/oracle.h"

#include "scenes/oracle/inside.h"

#include <algorithm>

namespace Scenes
{
namespace
{
/// Items are numbered: vertices and middles, then the edges of each piece. More than a surface has
/// of these per vertex.
constexpr unsigned int most_items_per_vertex = 16;

/// Whether a probe is inside takes long to tell of pieces with more facets than this. Of those that
/// are outside and have passed through no facet it is only asked now and then, to be sure.
constexpr unsigned int many_facets = 40, seldom = 16;
} // namespace

template <int dim>
std::pair<unsigned int, unsigned int>
Oracle<dim>::pair_of(const unsigned int a, const unsigned int b) const
{
  return {std::min(a, b), std::max(a, b)};
}

/// Not parts of one rigid body, and not two that are held.
template <int dim>
bool
Oracle<dim>::may_meet(const unsigned int a, const unsigned int b) const
{
  const unsigned int m = skin.momentum_of_piece[a], n = skin.momentum_of_piece[b];
  return m != n && !(skin.is_driven[m] && skin.is_driven[n]);
}

template <int dim>
void
Oracle<dim>::touch(const unsigned int a, const unsigned int b)
{
  const auto pair = pair_of(a, b);
  if (found.touched.insert(pair).second)
    distances[pair].touch_time = now;
}

template <int dim>
void
Oracle<dim>::report(const unsigned int item, const unsigned int piece, const double depth,
                    const double thickness)
{
  found.max_depth = std::max(found.max_depth, depth / skin.size);
  found.max_share = std::max(found.max_share, depth / thickness);
  if (depth <= tolerances.depth * skin.size)
    return;
  missed.insert({item, piece});
  if (depth > tolerances.deep_share * thickness)
    deep.insert({item, piece});
  if (found.first_time < 0)
    found.first_time = now;
}

/// In by one facet and out by one that looks the other way. Corners are cut by facets that do not.
template <int dim>
bool
Oracle<dim>::are_opposed(const PieceSkin<dim> &piece, const unsigned int entry,
                         const unsigned int exit, const double when) const
{
  const auto normal_of = [&](const unsigned int f)
  {
    std::array<Vec<dim>, dim> corners_then;
    const auto flight = flights(piece.facets[0][f], last_x, x);
    for (int i = 0; i < dim; ++i)
      corners_then[i] = flight[i].at(when);
    return normal(corners_then);
  };
  return entry != exit && dot(normal_of(entry), normal_of(exit)) < -0.5;
}

/// Depth of a node within the flight.
template <int dim>
double
Oracle<dim>::depth_at(const PieceSkin<dim> &piece, const unsigned int node, const double when) const
{
  std::vector<Vec<dim>> then(x);
  for (unsigned int v = piece.first_vertex; v < piece.first_vertex + piece.n_vertices; ++v)
    then[v] = between(last_x[v], x[v], when);
  return depth(piece, then, between(last_x[node], x[node], when));
}

template <int dim>
std::vector<unsigned int>
Oracle<dim>::near_facets(const unsigned int of, const unsigned int target) const
{
  std::vector<unsigned int> near;
  const auto &facets = skin.pieces[target].facets[0];
  for (unsigned int f = 0; f < facets.size(); ++f)
  {
    Box<dim> box;
    for (const unsigned int vertex : facets[f])
    {
      box.include(last_x[vertex]);
      box.include(x[vertex]);
    }
    if (box.overlaps(swept[of]))
      near.push_back(f);
  }
  return near;
}

template <int dim>
void
Oracle<dim>::look_at_probe(const unsigned int node, const unsigned int of,
                           const unsigned int target, const std::vector<unsigned int> &near)
{
  const PieceSkin<dim> &piece = skin.pieces[target];
  Box<dim> way;
  way.include(last_x[node]);
  way.include(x[node]);
  const std::pair<unsigned int, unsigned int> key{node, target};
  const auto visit = visits.find(key);
  const bool was_inside = visit != visits.end();
  if (!swept[target].overlaps(way) && !was_inside)
    return;

  // first way in, last way in, last way out
  const Flight<dim> flight{last_x[node], x[node]};
  double in_time = 2, last_in_time = -1, out_time = -1;
  unsigned int in = 0, last_in = 0, out = 0;
  for (const unsigned int f : near)
  {
    const auto of_facet = flights(piece.facets[0][f], last_x, x);
    Box<dim> box;
    for (const auto &corner : of_facet)
    {
      box.include(corner.start);
      box.include(corner.end);
    }
    if (!box.overlaps(way))
      continue;
    for (const Crossing &crossing : crossings(flight, of_facet))
    {
      touch(of, target);
      if (crossing.is_inward && crossing.when < in_time)
      {
        in_time = crossing.when;
        in = f;
      }
      if (crossing.is_inward && crossing.when > last_in_time)
      {
        last_in_time = crossing.when;
        last_in = f;
      }
      if (!crossing.is_inward && crossing.when > out_time)
      {
        out_time = crossing.when;
        out = f;
      }
    }
  }

  // a node goes through a piece if it goes as deep as it may not; on the way in and out depths are
  // taken in the middle, too, since a flight may be longer than half of a thin piece
  const double too_deep = tolerances.deep_share * piece.thickness;
  const bool may_be_inside = piece.facets[0].size() < many_facets || was_inside || in_time < 2 ||
                             found.instants % seldom == 0;
  const double depth_now =
      may_be_inside && boxes[target].contains(x[node]) ? depth(piece, x, x[node]) : -1;
  if (depth_now > 0)
  {
    touch(of, target);
    report(node, target, depth_now, piece.thickness);
    if (was_inside)
      visit->second.depth = std::max(visit->second.depth, depth_now);
    else if (last_in_time >= 0)
      visits[key] = {last_in, std::max(depth_now, depth_at(piece, node, 0.5 * (last_in_time + 1)))};
    else
      visits[key] = {nearest_facet<dim>(piece.facets[0], x, x[node]).second, depth_now};
  }
  else if (was_inside)
  {
    if (out_time < 0)
    {
      out = nearest_facet<dim>(piece.facets[0], x, x[node]).second;
      out_time = 1;
    }
    const double deepest = std::max(visit->second.depth, depth_at(piece, node, 0.5 * out_time));
    if (deepest > too_deep && are_opposed(piece, visit->second.entry, out, out_time))
      lost.insert(key);
    visits.erase(visit);
  }
  else if (in_time < out_time) // both within this flight
  {
    const double when = 0.5 * (in_time + out_time), deepest = depth_at(piece, node, when);
    report(node, target, deepest, piece.thickness);
    if (deepest > too_deep && are_opposed(piece, in, out, when))
      lost.insert(key);
  }
}

/// Edges pass through pieces although their ends are outside.
template <int dim>
void
Oracle<dim>::look_at_edges(const unsigned int of, const unsigned int target,
                           const std::vector<unsigned int> &near)
{
  const PieceSkin<dim> &piece = skin.pieces[target];
  std::vector<Facet<dim>> facets;
  for (const unsigned int f : near)
    facets.push_back(piece.facets[0][f]);
  for (const auto &edge : skin.pieces[of].edges)
  {
    const Vec<dim> &a = x[edge[0]], &b = x[edge[1]];
    Box<dim> box;
    box.include(a);
    box.include(b);
    if (!box.overlaps(boxes[target]))
      continue;
    const auto places = passages<dim>(facets, x, a, b);
    for (unsigned int i = 0; i + 1 < places.size(); ++i)
    {
      const double deepness = depth(piece, x, between(a, b, 0.5 * (places[i] + places[i + 1])));
      if (deepness <= 0)
        continue;
      touch(of, target);
      // numbered behind the vertices
      const unsigned int item =
          x.size() * (1 + most_items_per_vertex * of) + (&edge - skin.pieces[of].edges.data());
      report(item, target, deepness, piece.thickness);
    }
  }
}

template <int dim>
void
Oracle<dim>::look_at_planes(const unsigned int p)
{
  for (unsigned int i = 0; i < skin.planes.size(); ++i)
  {
    const Plane<dim> &plane = skin.planes[i];
    const Vec<dim> point = plane.point + now * plane.velocity;
    double lowest = 1e300;
    for (const unsigned int node : skin.pieces[p].nodes)
    {
      const double height = dot(x[node] - point, plane.outward);
      if (height <= tolerances.distance * skin.size)
        touch(p, number_of_plane(i));
      lowest = std::min(lowest, height);
      report(node, number_of_plane(i), -height, skin.pieces[p].thickness);
    }
    Distance &distance = distances[pair_of(p, number_of_plane(i))];
    distance.value = lowest;
    distance.is_known = true;
  }
}

template <int dim>
void
Oracle<dim>::look(const double time, const std::vector<Vec<dim>> &positions,
                  const std::vector<Vec<dim>> &new_velocities, const std::vector<Vec<dim>> &momenta)
{
  const bool is_first = found.instants == 0;
  now = time;
  last_x = std::move(x);
  x = with_middles(skin, positions);
  if (is_first)
    last_x = x;
  last_velocities = is_first ? new_velocities : velocities;
  velocities = new_velocities;
  boxes.assign(skin.pieces.size(), {});
  for (unsigned int p = 0; p < skin.pieces.size(); ++p)
    for (const unsigned int node : skin.pieces[p].nodes)
      boxes[p].include(x[node]);
  swept = boxes;
  for (unsigned int p = 0; p < skin.pieces.size(); ++p)
    for (const unsigned int node : skin.pieces[p].nodes)
      swept[p].include(last_x[node]);
  for (unsigned int a = 0; a < skin.pieces.size(); ++a)
  {
    for (unsigned int b = 0; b < skin.pieces.size(); ++b)
    {
      if (a == b || !may_meet(a, b) || !swept[a].overlaps(swept[b]))
        continue;
      const auto near = near_facets(a, b);
      for (const unsigned int node : skin.pieces[a].probes)
        look_at_probe(node, a, b, near);
      if (boxes[a].overlaps(boxes[b]))
        look_at_edges(a, b, near);
    }
    look_at_planes(a);
  }
  if (!momenta.empty())
  {
    look_at_distances();
    look_at_momenta(momenta);
  }
  ++found.instants;
}

/// Have two touched by @p time, or pieces in between that hand on what they get?
template <int dim>
bool
Oracle<dim>::are_joined(const std::pair<unsigned int, unsigned int> &pair, const double time) const
{
  std::vector<unsigned int> reached = {pair.first};
  for (unsigned int i = 0; i < reached.size(); ++i)
    for (const auto &[other, distance] : distances)
    {
      if (distance.touch_time > time || (other.first != reached[i] && other.second != reached[i]))
        continue;
      const unsigned int next = other.first == reached[i] ? other.second : other.first;
      if (next == pair.second)
        return true;
      if (next < skin.pieces.size() &&
          std::find(reached.begin(), reached.end(), next) == reached.end())
        reached.push_back(next);
    }
  return false;
}

template <int dim>
const Findings &
Oracle<dim>::conclude()
{
  found.missed = missed.size();
  found.deep = deep.size();
  found.lost = lost.size();
  found.false_pushes = 0;
  for (const Push &push : pushes)
    if (std::none_of(push.candidates.begin(), push.candidates.end(),
                     [&](const auto &pair) { return are_joined(pair, push.time + ahead); }))
    {
      ++found.false_pushes;
      found.gap_of_push = std::max(found.gap_of_push, push.gap / skin.size);
    }
  return found;
}

template <int dim>
double
Oracle<dim>::overlap(const std::vector<Vec<dim>> &start) const
{
  Oracle<dim> other(skin, momentum_scale, tolerances);
  other.look(0, start, std::vector<Vec<dim>>(start.size()), std::vector<Vec<dim>>(skin.n_momenta));
  if (other.found.touched.empty())
    return -1;
  return other.found.max_depth * skin.size;
}

template class Oracle<2>;
template class Oracle<3>;
} // namespace Scenes
