#include <kickdrift/contact/ccd/impact_time.h>
#include <kickdrift/contact/geometry/closest_point.h>
#include <kickdrift/contact/geometry/segments.h>
#include <kickdrift/contact/layers/layer_primitives.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace KickDrift
{
namespace
{
/// What two boxes have in common.
template <int spacedim>
Box<spacedim>
overlap(Box<spacedim> box, const Box<spacedim> &other)
{
  for (unsigned int d = 0; d < spacedim; ++d)
  {
    box.lower[d] = std::max(box.lower[d], other.lower[d]);
    box.upper[d] = std::min(box.upper[d], other.upper[d]);
  }
  return box;
}

template <int spacedim>
bool
has_node(const SurfaceFace<spacedim> &face, const unsigned int node)
{
  return std::find(face.nodes.begin(), face.nodes.begin() + face.n_nodes, node) !=
         face.nodes.begin() + face.n_nodes;
}

/// Set the normal, from @p across between the closest points, and the slab between all points.
template <int spacedim>
void
set_normal(PrimitiveGap<spacedim> &gap, const dealii::Tensor<1, spacedim> &across,
           const dealii::ArrayView<const dealii::Point<spacedim>> &first,
           const dealii::ArrayView<const dealii::Point<spacedim>> &second)
{
  gap.distance = across.norm();
  gap.slab = 0;
  if (!(gap.distance > 0))
    return;
  gap.stencil.normal = across / gap.distance;
  double lower = std::numeric_limits<double>::infinity(), upper = -lower;
  for (const auto &point : first)
    lower = std::min(lower, gap.stencil.normal * point);
  for (const auto &point : second)
    upper = std::max(upper, gap.stencil.normal * point);
  gap.slab = lower - upper;
}
} // namespace

template <int spacedim>
LayerPrimitives<spacedim>::LayerPrimitives(const NodeTable<spacedim> &nodes,
                                           const Surface<spacedim> &surface,
                                           const std::vector<Obstacle<spacedim>> &obstacles,
                                           const Exclusions &exclusions)
    : nodes(nodes), surface(surface), obstacles(obstacles), exclusions(exclusions)
{
  find_primitives();
}

template <int spacedim>
void
LayerPrimitives<spacedim>::find_primitives()
{
  std::map<unsigned int, unsigned int> bodies; // by node
  // faces of tied bodies have nodes of others, which are contactors there
  for (const Contactor &contactor : surface.contactors)
    for (const unsigned int node : contactor.node_view())
      if (contactor.n_nodes == 1)
        bodies.emplace(node, contactor.body);
  for (const auto &face : surface.faces)
    for (unsigned int i = 0; i < face.n_nodes; ++i)
      bodies.emplace(face.nodes[i], face.body);
  for (const Contactor &contactor : surface.contactors)
    for (const unsigned int node : contactor.node_view())
      bodies.emplace(node, contactor.body);
  for (const auto &[node, body] : bodies)
  {
    nodes_of_surface.push_back(node);
    body_of_node.push_back(body);
  }
  if constexpr (spacedim == 3)
  {
    for (const auto &face : surface.faces)
      for (unsigned int e = 0; e < face.n_nodes; ++e)
      {
        const auto ends = ends_of_edge(face.n_nodes, e);
        const unsigned int a = face.nodes[ends[0]], b = face.nodes[ends[1]];
        const unsigned int body = bodies.at(a) == bodies.at(b) ? bodies.at(a) : face.body;
        if (a != b)
          edges.push_back({{{std::min(a, b), std::max(a, b)}}, body});
      }
    std::sort(edges.begin(), edges.end(),
              [](const Edge &a, const Edge &b) { return a.nodes < b.nodes; });
    edges.erase(std::unique(edges.begin(), edges.end(),
                            [](const Edge &a, const Edge &b) { return a.nodes == b.nodes; }),
                edges.end());
  }
}

template <int spacedim>
std::pair<double, double>
LayerPrimitives<spacedim>::edge_lengths() const
{
  double shortest = std::numeric_limits<double>::infinity(), sum = 0;
  unsigned int n = 0;
  const auto add = [&](const unsigned int a, const unsigned int b)
  {
    const double length = nodes.reference(a).distance(nodes.reference(b));
    if (length > 0)
      shortest = std::min(shortest, length);
    sum += length;
    ++n;
  };
  for (const auto &edge : edges)
    add(edge.nodes[0], edge.nodes[1]);
  if (spacedim == 2)
    for (const auto &face : surface.faces)
      add(face.nodes[0], face.nodes[1]);
  return {shortest, n > 0 ? sum / n : shortest};
}

template <int spacedim>
std::array<unsigned int, 2>
LayerPrimitives<spacedim>::partners(const PrimitivePair &pair) const
{
  switch (pair.kind)
  {
  case LayerPairKind::node_face:
    return {{body_of_node[pair.first], surface.faces[pair.second].body}};
  case LayerPairKind::edges:
    return {{edges[pair.first].body, edges[pair.second].body}};
  default:
    return {{body_of_node[pair.first],
             static_cast<unsigned int>(surface.body_names.size()) + pair.second}};
  }
}

template <int spacedim>
std::array<dealii::ArrayView<const unsigned int>, 2>
LayerPrimitives<spacedim>::nodes_of(const PrimitivePair &pair) const
{
  using View = dealii::ArrayView<const unsigned int>;
  if (pair.kind == LayerPairKind::edges)
    return {{View(edges[pair.first].nodes.data(), 2), View(edges[pair.second].nodes.data(), 2)}};
  const View node(&nodes_of_surface[pair.first], 1);
  if (pair.kind == LayerPairKind::node_obstacle)
    return {{node, View()}};
  const auto &face = surface.faces[pair.second];
  return {{node, View(face.nodes.data(), face.n_nodes)}};
}

template <int spacedim>
bool
LayerPrimitives<spacedim>::is_known(const PrimitivePair &pair) const
{
  const bool has_edges = pair.kind == LayerPairKind::edges;
  const std::size_t n_second = has_edges                               ? edges.size()
                               : pair.kind == LayerPairKind::node_face ? surface.faces.size()
                                                                       : obstacles.size();
  return pair.first < (has_edges ? edges.size() : nodes_of_surface.size()) &&
         pair.second < n_second;
}

template <int spacedim>
dealii::Point<spacedim>
LayerPrimitives<spacedim>::position(const unsigned int node, const double time,
                                    const Configuration configuration) const
{
  return configuration == Configuration::reference ? nodes.reference(node)
                                                   : nodes.position_at(node, time);
}

template <int spacedim>
PrimitiveGap<spacedim>
LayerPrimitives<spacedim>::gap(const PrimitivePair &pair, const double time,
                               const Configuration configuration) const
{
  using Point = dealii::Point<spacedim>;
  PrimitiveGap<spacedim> result;
  const auto [first, second] = nodes_of(pair);
  if (pair.kind == LayerPairKind::node_obstacle)
  {
    const Obstacle<spacedim> &obstacle = obstacles[pair.second];
    const Point x =
        position(first[0], time, configuration) - obstacle_displacement(pair.second, time);
    result.distance = result.slab = distance_to(obstacle, x);
    result.stencil.normal = obstacle.shape->normal(x);
    result.stencil.add(first[0], 1.);
    return result;
  }

  const bool is_present = configuration == Configuration::present;
  const Point &origin = nodes.reference(first[0]);
  const Vector moved = is_present ? nodes.displacement_at(first[0], time) : Vector();
  const auto relative = [&](const unsigned int node)
  {
    Point x(nodes.reference(node) - origin);
    if (is_present)
      x += nodes.displacement_at(node, time) - moved;
    return x;
  };
  std::array<Point, 4> target;
  for (unsigned int i = 0; i < second.size(); ++i)
    target[i] = relative(second[i]);

  if (pair.kind == LayerPairKind::node_face)
  {
    const Point node;
    const ClosestPoint<spacedim> closest =
        closest_point<spacedim>(target.data(), second.size(), node);
    result.stencil.add(first[0], 1.);
    for (unsigned int i = 0; i < second.size(); ++i)
      result.stencil.add(second[i], -closest.weights[i]);
    set_normal<spacedim>(result, node - closest.point, {&node, 1}, {target.data(), second.size()});
    if (std::isnan(closest.distance))
      result.distance = closest.distance;
  }
  else if constexpr (spacedim == 3)
  {
    const Segment edge = {{Point(), relative(first[1])}}, other = {{target[0], target[1]}};
    const ClosestPoints closest = closest_points(edge, other);
    result.stencil.add(first[0], 1 - closest.s);
    result.stencil.add(first[1], closest.s);
    result.stencil.add(second[0], -(1 - closest.t));
    result.stencil.add(second[1], -closest.t);
    set_normal<spacedim>(result, point_on(edge, closest.s) - point_on(other, closest.t),
                         {edge.data(), 2}, {other.data(), 2});
  }
  return result;
}

template <int spacedim>
void
LayerPrimitives<spacedim>::enter_instant(const double time)
{
  if (time == instant)
    return;
  instant = std::numeric_limits<double>::quiet_NaN();
  displacements.resize(obstacles.size());
  for (unsigned int o = 0; o < obstacles.size(); ++o)
    displacements[o] = obstacle_displacement(o, time);
  instant = time;
}

template <int spacedim>
typename LayerPrimitives<spacedim>::Vector
LayerPrimitives<spacedim>::obstacle_displacement(const unsigned int obstacle,
                                                 const double time) const
{
  if (time == instant)
    return displacements[obstacle];
  return displacement_of(obstacles[obstacle], time);
}

template <int spacedim>
void
LayerPrimitives<spacedim>::fit(const double time, const Configuration configuration)
{
  std::vector<Box<spacedim>> of_faces, of_edges;
  for (const auto &face : surface.faces)
  {
    of_faces.push_back(empty_box<spacedim>());
    for (unsigned int i = 0; i < face.n_nodes; ++i)
      extend(of_faces.back(), position(face.nodes[i], time, configuration));
  }
  for (const Edge &edge : edges)
  {
    of_edges.push_back(empty_box<spacedim>());
    for (const unsigned int node : edge.nodes)
      extend(of_edges.back(), position(node, time, configuration));
  }
  body_boxes.assign(surface.body_names.size(), empty_box<spacedim>());
  for (unsigned int n = 0; n < nodes_of_surface.size(); ++n)
    extend(body_boxes[body_of_node[n]], position(nodes_of_surface[n], time, configuration));
  if (!surface.tied.empty())
    for (unsigned int f = 0; f < of_faces.size(); ++f)
      for (const auto &corner : {of_faces[f].lower, of_faces[f].upper})
        extend(body_boxes[surface.faces[f].body], corner);
  if (is_built)
  {
    face_search.refit(of_faces);
    edge_search.refit(of_edges);
  }
  else
  {
    face_search.build(of_faces);
    edge_search.build(of_edges);
  }
  is_built = true;
}

template <int spacedim>
bool
LayerPrimitives<spacedim>::may_meet(const unsigned int body, const unsigned int other,
                                    const Configuration configuration) const
{
  return (configuration == Configuration::present || body == other) &&
         !exclusions.excluded(body, other);
}

/// By body, where something of it may be nearer than @p range to what it may meet.
template <int spacedim>
std::vector<Box<spacedim>>
LayerPrimitives<spacedim>::meeting_places(const double range,
                                          const Configuration configuration) const
{
  std::vector<Box<spacedim>> result(body_boxes.size(), empty_box<spacedim>());
  for (unsigned int a = 0; a < body_boxes.size(); ++a)
  {
    if (may_meet(a, a, configuration))
      result[a] = body_boxes[a];
    else
      for (unsigned int b = 0; b < body_boxes.size(); ++b)
      {
        const Box<spacedim> common = overlap(body_boxes[a], grown(body_boxes[b], range));
        if (a != b && !is_empty(common) && may_meet(a, b, configuration))
        {
          extend(result[a], common.lower);
          extend(result[a], common.upper);
        }
      }
  }
  return result;
}

template <int spacedim>
void
LayerPrimitives<spacedim>::add_if_near(const PrimitivePair &pair, const double time,
                                       const double range, const Configuration configuration,
                                       std::vector<PrimitivePair> &result) const
{
  if (!(gap(pair, time, configuration).distance >= range))
    result.push_back(pair);
}

template <int spacedim>
void
LayerPrimitives<spacedim>::find(const double time, const double range, const unsigned int thread,
                                const unsigned int n_threads, std::vector<PrimitivePair> &result,
                                const Configuration configuration) const
{
  const auto share = [&](const std::size_t n, const unsigned int i) { return n * i / n_threads; };
  const std::vector<Box<spacedim>> places = meeting_places(range, configuration);
  std::vector<unsigned int> hits;
  const unsigned int n_bodies = surface.body_names.size();
  for (std::size_t n = share(nodes_of_surface.size(), thread);
       n < share(nodes_of_surface.size(), thread + 1); ++n)
  {
    const unsigned int node = nodes_of_surface[n], body = body_of_node[n];
    const auto x = position(node, time, configuration);
    hits.clear();
    if (is_inside(places[body], x))
      face_search.query(grown(Box<spacedim>{x, x}, range), hits);
    for (const unsigned int f : hits)
      if (!has_node(surface.faces[f], node) && may_meet(body, surface.faces[f].body, configuration))
        add_if_near({LayerPairKind::node_face, static_cast<unsigned int>(n), f}, time, range,
                    configuration, result);
    if (configuration == Configuration::present)
      for (unsigned int o = 0; o < obstacles.size(); ++o)
        if (may_meet(body, n_bodies + o, configuration))
          add_if_near({LayerPairKind::node_obstacle, static_cast<unsigned int>(n), o}, time, range,
                      configuration, result);
  }
  for (std::size_t e = share(edges.size(), thread); e < share(edges.size(), thread + 1); ++e)
  {
    const Edge &edge = edges[e];
    Box<spacedim> box = empty_box<spacedim>();
    for (const unsigned int node : edge.nodes)
      extend(box, position(node, time, configuration));
    hits.clear();
    if (!is_empty(overlap(box, places[edge.body])))
      edge_search.query(grown(box, range), hits);
    for (const unsigned int other : hits)
    {
      const auto &ends = edges[other].nodes;
      if (other > e && ends[0] != edge.nodes[0] && ends[0] != edge.nodes[1] &&
          ends[1] != edge.nodes[0] && ends[1] != edge.nodes[1] &&
          may_meet(edge.body, edges[other].body, configuration))
        add_if_near({LayerPairKind::edges, static_cast<unsigned int>(e), other}, time, range,
                    configuration, result);
    }
  }
}

template <int spacedim>
std::vector<typename LayerPrimitives<spacedim>::Crossing>
LayerPrimitives<spacedim>::crossings_of_shells(const double time) const
{
  std::vector<Crossing> result;
  if (surface.thicknesses.empty())
    return result;
  const auto at = [&](const unsigned int node) {
    return MovingPoint<spacedim>{nodes.position_at(node, time), Vector()};
  };
  std::vector<unsigned int> hits;
  for (const Edge &edge : edges)
  {
    // something that goes along the edge in a time of one
    MovingPoint<spacedim> along = at(edge.nodes[0]);
    along.velocity = at(edge.nodes[1]).position - along.position;
    Box<spacedim> box = empty_box<spacedim>();
    extend(box, along.position);
    extend(box, along.at(1));
    hits.clear();
    face_search.query(box, hits);
    for (const unsigned int f : hits)
    {
      const auto &face = surface.faces[f];
      if ((surface.thickness(edge.body) == 0 && surface.thickness(face.body) == 0) ||
          has_node(face, edge.nodes[0]) || has_node(face, edge.nodes[1]) ||
          !may_meet(edge.body, face.body, Configuration::present))
        continue;
      std::array<MovingPoint<spacedim>, SurfaceFace<spacedim>::max_nodes> corners;
      for (unsigned int i = 0; i < face.n_nodes; ++i)
        corners[i] = at(face.nodes[i]);
      if (first_contact<spacedim>(along, {corners.data(), face.n_nodes}, 1.).time <= 1)
        result.push_back({edge.nodes, f});
    }
  }
  return result;
}

template class LayerPrimitives<2>;
template class LayerPrimitives<3>;
} // namespace KickDrift
