#include "window.h"

#include <kickdrift/contact/kinetic_hierarchy.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace
{
using dealii::Point;
using dealii::Tensor;

constexpr double never = std::numeric_limits<double>::infinity();

/// Subtrees with no more faces than this are near the leaves: polytopes are worth their cost.
constexpr unsigned int n_faces_near_leaves = 16;

/// Smallest and largest component of positions and velocities along a direction.
struct Slab
{
  double lower = never, upper = -never;                   ///< [length]
  double lower_velocity = never, upper_velocity = -never; ///< [length/time]
};

/// Times in which two slabs may overlap. @p acceleration : of the second relative to the first;
/// @p deviation : of all points from that.
Window
overlap_window(const Slab &first, const Slab &second, const double acceleration,
               const double deviation)
{
  Window window =
      times_not_positive(second.lower - first.upper, second.lower_velocity - first.upper_velocity,
                         acceleration - deviation);
  window.intersect(times_not_positive(first.lower - second.upper,
                                      first.lower_velocity - second.upper_velocity,
                                      -acceleration - deviation));
  return window;
}
} // namespace

template <int spacedim>
KineticHierarchy<spacedim>::KineticHierarchy(const Surface<spacedim> &surface,
                                             std::vector<AccelerationBounds<spacedim>> bounds,
                                             const double resolution)
    : surface(surface), bounds(std::move(bounds)), resolution(resolution)
{
  AssertThrow(resolution > 0,
              dealii::ExcMessage("The resolution of a kinetic hierarchy cannot be " +
                                 std::to_string(resolution) + "; allowed is a time above 0."));
  AssertThrow(this->bounds.size() == surface.body_names.size(),
              dealii::ExcDimensionMismatch(this->bounds.size(), surface.body_names.size()));
  done.assign(this->bounds.size() * this->bounds.size(), 0);
}

template <int spacedim>
double
KineticHierarchy<spacedim>::next_time() const
{
  return looks.empty() ? 0. : looks.back().next_time;
}

template <int spacedim>
void
KineticHierarchy<spacedim>::look(const NodeTable<spacedim> &nodes, const double time)
{
  if (looks.empty())
    build_trees(nodes);
  else
    check_bounds(nodes, time);

  const unsigned int no_body = -1;
  looks.push_back({time, no_body, no_body, 0, never});
  while (!queue.empty() && queue.top().time <= time + resolution)
  {
    const Pair pair = queue.top();
    queue.pop();
    look_at(pair, nodes, time);
  }
  while (!queue.empty() &&
         is_done(subtrees[queue.top().first].body, subtrees[queue.top().second].body))
    queue.pop();
  looks.back().next_time = queue.empty() ? never : queue.top().time;

  last_velocities.resize(nodes.size());
  for (unsigned int node = 0; node < nodes.size(); ++node)
    last_velocities[node] = nodes.velocity(node);
}

/// One more step down from where the time of a pair has come from.
template <int spacedim>
void
KineticHierarchy<spacedim>::look_at(const Pair &pair, const NodeTable<spacedim> &nodes,
                                    const double time)
{
  const Subtree &first = subtrees[pair.first], &second = subtrees[pair.second];
  if (is_done(first.body, second.body))
    return;
  WakeUp &look = looks.back();
  if (look.first_body >= bounds.size())
  {
    look.first_body = first.body;
    look.second_body = second.body;
  }
  look.level = std::max(look.level, first.depth + second.depth);
  const bool near_leaves = first.end - first.begin <= n_faces_near_leaves &&
                           second.end - second.begin <= n_faces_near_leaves;
  switch (pair.stage)
  {
  case Stage::earlier:
    push(pair, time + sphere_bound(pair, nodes), Stage::sphere);
    break;
  case Stage::sphere:
    ++look.box_tests;
    push(pair, time + box_bound(pair), Stage::box);
    break;
  case Stage::box:
    if (near_leaves)
    {
      ++look.polytope_tests;
      push(pair, time + polytope_bound(pair, nodes), Stage::polytope);
      break;
    }
    split(pair, nodes, time);
    break;
  case Stage::polytope:
    if (first.is_leaf() && second.is_leaf())
      test_primitives(pair, nodes, time);
    else
      split(pair, nodes, time);
    break;
  case Stage::contact:
    is_done(first.body, second.body) = 1;
    found.push_back(
        {pair.time, first.body, second.body, face_order[first.begin], face_order[second.begin]});
    look.distance = 0;
    break;
  }
}

/// Put a pair back with a later time, if there is one. Its time now is a bound, too.
template <int spacedim>
void
KineticHierarchy<spacedim>::push(Pair pair, const double time, const Stage stage)
{
  pair.time = std::max(pair.time, time);
  pair.stage = stage;
  if (pair.time == never)
    return;
  pair.number = n_pairs++;
  // beyond this look it will be looked at anew
  if (pair.time > looks.back().time + resolution)
  {
    note_distance(pair);
    pair.stage = Stage::earlier;
  }
  queue.push(pair);
}

template <int spacedim>
void
KineticHierarchy<spacedim>::note_distance(const Pair &pair)
{
  const Subtree &first = subtrees[pair.first], &second = subtrees[pair.second];
  const double by_spheres = (second.sphere.center - first.sphere.center).norm() -
                            first.sphere.radius - second.sphere.radius;
  double &distance = looks.back().distance;
  distance = std::min(distance, std::max(by_spheres, distance_bound(first.box, second.box)));
}

/// Replace the larger of two subtrees by its children.
template <int spacedim>
void
KineticHierarchy<spacedim>::split(const Pair &pair, const NodeTable<spacedim> &nodes,
                                  const double time)
{
  const Subtree &first = subtrees[pair.first], &second = subtrees[pair.second];
  const bool split_first =
      !first.is_leaf() && (second.is_leaf() || first.sphere.radius >= second.sphere.radius);
  for (const unsigned int child : split_first ? first.children : second.children)
  {
    Pair part = pair;
    (split_first ? part.first : part.second) = child;
    push(part, time + sphere_bound(part, nodes), Stage::sphere);
  }
}

template <int spacedim>
void
KineticHierarchy<spacedim>::test_primitives(const Pair &pair, const NodeTable<spacedim> &nodes,
                                            const double time)
{
  const Subtree &first = subtrees[pair.first], &second = subtrees[pair.second];
  const unsigned int first_face = face_order[first.begin], second_face = face_order[second.begin];
  // Until a horizon, a gap that the deviation from straight motion may close counts as closed.
  const double deviation = bend(first.body, second.body);
  double horizon = deviation > 0 ? resolution : never;
  const auto impact = [&]
  {
    const double reach = deviation > 0 ? 0.5 * deviation * horizon * horizon : 0.;
    return impact_of_faces(first_face, second_face, nodes, horizon, reach);
  };
  Impact found_impact = impact();
  if (found_impact.time <= resolution)
  {
    push(pair, time + found_impact.time, Stage::contact);
    return;
  }
  // not in this look: the further away, the longer is the sleep
  double bound = std::min(found_impact.time, horizon);
  while (found_impact.time > horizon)
  {
    horizon *= 4;
    found_impact = impact();
    bound = std::max(bound, std::min(found_impact.time, horizon));
  }
  // certainly beyond this look, also if adding the resolution rounds
  push(pair, std::max(time + bound, std::nextafter(time + resolution, never)), Stage::earlier);
}

template <int spacedim>
double
KineticHierarchy<spacedim>::bend(const unsigned int first_body,
                                 const unsigned int second_body) const
{
  const auto &a = bounds[first_body], &b = bounds[second_body];
  return (b.acceleration - a.acceleration).norm() + a.deviation + b.deviation;
}

template <int spacedim>
double
KineticHierarchy<spacedim>::sphere_bound(const Pair &pair, const NodeTable<spacedim> &nodes)
{
  ++looks.back().sphere_tests;
  const MovingSphere<spacedim> first = fitted(pair.first, nodes).sphere;
  return first_contact(first, fitted(pair.second, nodes).sphere);
}

template <int spacedim>
double
KineticHierarchy<spacedim>::box_bound(const Pair &pair) const
{
  const Subtree &first = subtrees[pair.first], &second = subtrees[pair.second];
  const auto &a = bounds[first.body], &b = bounds[second.body];
  const auto slab = [](const Subtree &subtree, const unsigned int d)
  {
    return Slab{subtree.box.lower[d], subtree.box.upper[d], subtree.velocities.lower[d],
                subtree.velocities.upper[d]};
  };
  Window window;
  for (unsigned int d = 0; d < spacedim; ++d)
    window.intersect(overlap_window(slab(first, d), slab(second, d),
                                    b.acceleration[d] - a.acceleration[d],
                                    a.deviation + b.deviation));
  return window.is_empty() ? never : window.enter;
}

template <int spacedim>
double
KineticHierarchy<spacedim>::polytope_bound(const Pair &pair, const NodeTable<spacedim> &nodes) const
{
  const Subtree &first = subtrees[pair.first], &second = subtrees[pair.second];
  const auto &a = bounds[first.body], &b = bounds[second.body];
  const auto slab = [&](const Subtree &subtree, const Tensor<1, spacedim> &direction)
  {
    Slab result;
    for (unsigned int i = subtree.begin; i < subtree.end; ++i)
    {
      const auto &face = surface.faces[face_order[i]];
      for (unsigned int c = 0; c < face.n_nodes; ++c)
      {
        const double x = nodes.position(face.nodes[c]) * direction,
                     v = nodes.velocity(face.nodes[c]) * direction;
        result.lower = std::min(result.lower, x);
        result.upper = std::max(result.upper, x);
        result.lower_velocity = std::min(result.lower_velocity, v);
        result.upper_velocity = std::max(result.upper_velocity, v);
      }
    }
    return result;
  };
  Window window;
  for (unsigned int i = spacedim; i < PolytopeType::n_directions; ++i) // the others are the box's
  {
    const auto &direction = PolytopeType::directions()[i];
    window.intersect(overlap_window(slab(first, direction), slab(second, direction),
                                    direction * (b.acceleration - a.acceleration),
                                    direction.norm() * (a.deviation + b.deviation)));
  }
  return window.is_empty() ? never : window.enter;
}

template <int spacedim>
Impact
KineticHierarchy<spacedim>::impact_of_faces(const unsigned int first_face,
                                            const unsigned int second_face,
                                            const NodeTable<spacedim> &nodes, double horizon,
                                            const double reach)
{
  using Points = std::array<MovingPoint<spacedim>, SurfaceFace<spacedim>::max_nodes>;
  const std::array<const SurfaceFace<spacedim> *, 2> faces = {
      {&surface.faces[first_face], &surface.faces[second_face]}};
  std::array<Points, 2> points;
  for (unsigned int i = 0; i < 2; ++i)
    for (unsigned int c = 0; c < faces[i]->n_nodes; ++c)
    {
      const unsigned int node = faces[i]->nodes[c];
      points[i][c] = {nodes.position(node), nodes.velocity(node)};
    }

  Impact first;
  const auto consider = [&](const Impact &impact)
  {
    ++looks.back().primitive_tests;
    if (impact.time < first.time)
      first = impact;
    horizon = std::min(horizon, first.time);
  };
  for (unsigned int i = 0; i < 2; ++i)
    for (unsigned int c = 0; c < faces[1 - i]->n_nodes; ++c)
      consider(KickDrift::first_contact<spacedim>(
          points[1 - i][c],
          dealii::ArrayView<const MovingPoint<spacedim>>(points[i].data(), faces[i]->n_nodes),
          horizon, reach));
  if constexpr (spacedim == 3)
  {
    // edge e of a face in order round it
    const auto edge = [&](const unsigned int i, const unsigned int e)
    {
      static constexpr unsigned int around[4] = {0, 1, 3, 2};
      const unsigned int n = faces[i]->n_nodes;
      const unsigned int a = n == 3 ? e : around[e], b = n == 3 ? (e + 1) % 3 : around[(e + 1) % 4];
      return std::array<MovingPoint<3>, 2>{{points[i][a], points[i][b]}};
    };
    for (unsigned int e = 0; e < faces[0]->n_nodes; ++e)
      for (unsigned int f = 0; f < faces[1]->n_nodes; ++f)
      {
        const auto a = edge(0, e), b = edge(1, f);
        consider(first_contact_of_edges({a.data(), 2}, {b.data(), 2}, horizon, reach));
      }
  }
  return first;
}

template <int spacedim>
void
KineticHierarchy<spacedim>::check_bounds(const NodeTable<spacedim> &nodes, const double time)
{
  const double duration = time - looks.back().time;
  std::vector<char> is_checked(nodes.size(), 0);
  for (const auto &face : surface.faces)
    for (unsigned int c = 0; c < face.n_nodes; ++c)
    {
      const unsigned int node = face.nodes[c];
      if (is_checked[node]++)
        continue;
      const auto &bound = bounds[face.body];
      const Tensor<1, spacedim> change = nodes.velocity(node) - last_velocities[node];
      const double round_off =
          1e-12 * (nodes.velocity(node).norm() + duration * bound.acceleration.norm());
      if ((change - duration * bound.acceleration).norm() > duration * bound.deviation + round_off)
        ++broken_bounds;
    }
}

template class KineticHierarchy<2>;
template class KineticHierarchy<3>;
} // namespace KickDrift
