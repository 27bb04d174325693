// The part of the oracle that finds pushes without touch.
#include "scenes/oracle/inside.h"
#include "scenes/oracle/oracle.h"

#include <algorithm>

namespace Scenes
{
/// @param bound not smaller than the distance
template <int dim>
double
Oracle<dim>::distance_between(const unsigned int a, const unsigned int b, const double bound) const
{
  const auto box_of = [&](const auto &vertices)
  {
    Box<dim> box;
    for (const unsigned int vertex : vertices)
      box.include(x[vertex]);
    return box;
  };
  double least = bound;
  for (const auto &[from, to] : {std::pair{a, b}, std::pair{b, a}})
  {
    std::vector<unsigned int> nodes;
    for (const unsigned int node : skin.pieces[from].nodes)
      if (boxes[to].is_within(least, box_of(std::array<unsigned int, 1>{{node}})))
        nodes.push_back(node);
    for (unsigned int split = 0; split < (skin.pieces[to].has_quads ? 2 : 1); ++split)
      for (const Facet<dim> &facet : skin.pieces[to].facets[split])
      {
        const Box<dim> box = box_of(facet);
        if (!box.is_within(least, boxes[from]))
          continue;
        const auto places = corners<dim>(facet, x);
        for (const unsigned int node : nodes)
          if (box.is_within(least, box_of(std::array<unsigned int, 1>{{node}})))
            least = std::min(least, norm(x[node] - nearest_on(places, x[node])));
      }
  }
  if constexpr (dim == 3)
    for (const auto &e : skin.pieces[a].edges)
    {
      const Box<dim> box = box_of(e);
      if (box.is_within(least, boxes[b]))
        for (const auto &f : skin.pieces[b].edges)
          if (box.is_within(least, box_of(f)))
            least = std::min(least, segment_distance(x[e[0]], x[e[1]], x[f[0]], x[f[1]]));
    }
  return least;
}

/// Distances are taken anew only when what has been travelled since could have closed a half.
template <int dim>
void
Oracle<dim>::look_at_distances()
{
  std::vector<double> way(skin.pieces.size(), 0.);
  for (unsigned int p = 0; p < skin.pieces.size(); ++p)
    for (const unsigned int node : skin.pieces[p].nodes)
      way[p] = std::max(way[p], norm(x[node] - last_x[node]));
  for (unsigned int a = 0; a < skin.pieces.size(); ++a)
    for (unsigned int b = a + 1; b < skin.pieces.size(); ++b)
    {
      Distance &distance = distances[{a, b}];
      if (distance.touch_time <= now || !may_meet(a, b))
        continue;
      distance.travelled += way[a] + way[b];
      if (distance.is_known && distance.travelled < 0.5 * distance.value)
        continue;
      distance.value =
          distance_between(a, b, distance.is_known ? distance.value + distance.travelled : 1e300);
      distance.travelled = 0;
      distance.is_known = true;
      if (distance.value <= tolerances.distance * skin.size)
        touch(a, b);
    }
}

template <int dim>
bool
Oracle<dim>::would_touch(const unsigned int a, const unsigned int b) const
{
  if (ahead == 0)
    return false;
  if (b >= skin.pieces.size())
  {
    const Plane<dim> &plane = skin.planes[b - skin.pieces.size()];
    for (const unsigned int node : skin.pieces[a].nodes)
    {
      const Vec<dim> then = x[node] + ahead * last_velocities[node];
      if (dot(then - plane.point - (now + ahead) * plane.velocity, plane.outward) <= 0)
        return true;
    }
    return false;
  }
  std::vector<Vec<dim>> then(x);
  for (const unsigned int p : {a, b})
    for (const unsigned int node : skin.pieces[p].nodes)
      then[node] = x[node] + ahead * last_velocities[node];
  for (const auto &[from, to] : {std::pair{a, b}, std::pair{b, a}})
    for (const unsigned int node : skin.pieces[from].nodes)
      for (const Facet<dim> &facet : skin.pieces[to].facets[0])
        if (!crossings(Flight<dim>{x[node], then[node]}, flights(facet, x, then)).empty())
          return true;
  if constexpr (dim == 3)
    for (const auto &e : skin.pieces[a].edges)
      for (const auto &f : skin.pieces[b].edges)
        if (edges_cross(flights(e, x, then), flights(f, x, then)))
          return true;
  return false;
}

template <int dim>
void
Oracle<dim>::look_at_momenta(const std::vector<Vec<dim>> &momenta)
{
  std::vector<bool> may_push(skin.is_driven);
  std::vector<unsigned int> pushed; // numbers of momenta
  for (unsigned int m = 0; m < momenta.size(); ++m)
    if (!skin.is_driven[m] && !last_momenta.empty() &&
        norm(momenta[m] - last_momenta[m]) > tolerances.momentum * momentum_scale)
    {
      pushed.push_back(m);
      may_push[m] = true;
    }
  if (last_momenta.empty() || !pushed.empty()) // else small changes would never add up
    last_momenta = momenta;

  for (const unsigned int m : pushed)
  {
    Push push{now, {}, 1e300};
    bool has_touched = false;
    for (unsigned int p = 0; p < skin.pieces.size(); ++p)
    {
      if (skin.momentum_of_piece[p] != m)
        continue;
      const auto consider = [&](const unsigned int other)
      {
        const auto pair = pair_of(p, other);
        const Distance &distance = distances[pair];
        if (distance.touch_time > now && would_touch(p, other))
          touch(p, other);
        has_touched = has_touched || distance.touch_time <= now;
        push.candidates.push_back(pair);
        if (distance.is_known)
          push.gap = std::min(push.gap, distance.value - distance.travelled);
      };
      for (unsigned int q = 0; q < skin.pieces.size(); ++q)
        if (skin.momentum_of_piece[q] != m && may_push[skin.momentum_of_piece[q]])
          consider(q);
      for (unsigned int i = 0; i < skin.planes.size(); ++i)
        consider(number_of_plane(i));
    }
    if (!has_touched && pushes.size() < 1000) // a scene with more does not get worse
      pushes.push_back(push);
  }
}

template void Oracle<2>::look_at_distances();
template void Oracle<3>::look_at_distances();
template void Oracle<2>::look_at_momenta(const std::vector<Vec<2>> &);
template void Oracle<3>::look_at_momenta(const std::vector<Vec<3>> &);
} // namespace Scenes
