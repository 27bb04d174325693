// Faces and nodes at the leaves of a kinetic hierarchy: times of impact.

#include <kickdrift/base/limits.h>
#include <kickdrift/contact/prediction/kinetic_hierarchy.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace
{
using dealii::Point;
using dealii::Tensor;

using Limits::never;
} // namespace

template <int spacedim>
void
KineticHierarchy<spacedim>::test_faces(const Pair &pair, const NodeTable<spacedim> &nodes,
                                       const double time)
{
  const Subtree &first = subtrees[pair.first], &second = subtrees[pair.second];
  const unsigned int first_face = face_order[first.begin], second_face = face_order[second.begin];
  // Until a horizon, a gap that the deviation from straight motion may close counts as closed.
  const double deviation = bend(first.body, second.body);
  double horizon = deviation > 0 ? resolution : never;
  const auto motion_of = [&](const unsigned int node) {
    return MovingPoint<spacedim>{nodes.position(node), nodes.velocity(node)};
  };
  const auto impact = [&]
  {
    const double reach = deviation > 0 ? 0.5 * deviation * horizon * horizon : 0.;
    return impact_of_faces(first_face, second_face, motion_of, horizon, reach);
  };
  Impact found_impact = impact();
  if (found_impact.time <= resolution)
  {
    if (first.body == second.body && are_sides_of_crack(first_face, second_face, nodes))
      return;
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
void
KineticHierarchy<spacedim>::test_nodes(const Pair &pair, const NodeTable<spacedim> &nodes,
                                       const double time)
{
  const Subtree &first = subtrees[pair.first];
  const unsigned int obstacle = obstacle_of(subtrees[pair.second]);
  const auto &face = surface.faces[face_order[first.begin]];
  const auto &bound = bounds[first.body];
  double until_contact = never;
  for (unsigned int c = 0; c < face.n_nodes; ++c)
  {
    ++looks.back().primitive_tests;
    MovingSphere<spacedim> point;
    point.center = nodes.position(face.nodes[c]);
    point.velocity = nodes.velocity(face.nodes[c]);
    point.acceleration = bound.acceleration;
    point.growth_rate = bound.deviation;
    until_contact =
        std::min(until_contact,
                 first_contact(seen_from(obstacle, point), *scope.obstacles[obstacle].shape).time);
  }
  if (until_contact <= resolution)
    push(pair, time + until_contact, Stage::contact);
  else
    push(pair, std::max(time + until_contact, std::nextafter(time + resolution, never)),
         Stage::earlier);
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
bool
KineticHierarchy<spacedim>::share_a_node(const unsigned int first_face,
                                         const unsigned int second_face) const
{
  const auto &a = surface.faces[first_face], &b = surface.faces[second_face];
  for (unsigned int i = 0; i < a.n_nodes; ++i)
    for (unsigned int k = 0; k < b.n_nodes; ++k)
      if (a.nodes[i] == b.nodes[k])
        return true;
  return false;
}

/// Do two faces touch, or nearly so, in the reference configuration?
template <int spacedim>
bool
KineticHierarchy<spacedim>::are_sides_of_crack(const unsigned int first_face,
                                               const unsigned int second_face,
                                               const NodeTable<spacedim> &nodes)
{
  // sides that a mesh file gives may differ in their last digits
  constexpr double share_of_face = 1e-6;
  const auto &face = surface.faces[first_face];
  const double size =
      nodes.reference(face.nodes[0]).distance(nodes.reference(face.nodes[face.n_nodes - 1]));
  const auto at_rest = [&](const unsigned int node) {
    return MovingPoint<spacedim>{nodes.reference(node), Tensor<1, spacedim>()};
  };
  return impact_of_faces(first_face, second_face, at_rest, 0., share_of_face * size).time == 0;
}

template <int spacedim>
template <typename MotionOf>
Impact
KineticHierarchy<spacedim>::impact_of_faces(const unsigned int first_face,
                                            const unsigned int second_face,
                                            const MotionOf &motion_of, double horizon,
                                            const double reach)
{
  using Points = std::array<MovingPoint<spacedim>, SurfaceFace<spacedim>::max_nodes>;
  const std::array<const SurfaceFace<spacedim> *, 2> faces = {
      {&surface.faces[first_face], &surface.faces[second_face]}};
  std::array<Points, 2> points;
  for (unsigned int i = 0; i < 2; ++i)
    for (unsigned int c = 0; c < faces[i]->n_nodes; ++c)
      points[i][c] = motion_of(faces[i]->nodes[c]);

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
    const auto edge = [&](const unsigned int i, const unsigned int e)
    {
      const auto ends = ends_of_edge(faces[i]->n_nodes, e);
      return std::array<MovingPoint<3>, 2>{{points[i][ends[0]], points[i][ends[1]]}};
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

template class KineticHierarchy<2>;
template class KineticHierarchy<3>;
} // namespace KickDrift
