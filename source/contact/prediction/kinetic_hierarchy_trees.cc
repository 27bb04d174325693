// The trees of faces of a kinetic hierarchy, and the volumes around their subtrees.

#include <kickdrift/contact/prediction/kinetic_hierarchy.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace KickDrift
{
namespace
{
using dealii::Point;
using dealii::Tensor;
} // namespace

template <int spacedim>
const typename KineticHierarchy<spacedim>::Subtree &
KineticHierarchy<spacedim>::fitted(const unsigned int index, const NodeTable<spacedim> &nodes)
{
  Subtree &subtree = subtrees[index];
  if (subtree.look == looks.size())
    return subtree;
  subtree.look = looks.size();
  ++looks.back().volumes;

  const unsigned int any = surface.faces[face_order[subtree.begin]].nodes[0];
  subtree.box = {nodes.position(any), nodes.position(any)};
  subtree.velocities = {Point<spacedim>(nodes.velocity(any)), Point<spacedim>(nodes.velocity(any))};
  for_each_node(subtree,
                [&](const unsigned int node)
                {
                  const Point<spacedim> x = nodes.position(node);
                  const Tensor<1, spacedim> v = nodes.velocity(node);
                  for (unsigned int d = 0; d < spacedim; ++d)
                  {
                    subtree.box.lower[d] = std::min(subtree.box.lower[d], x[d]);
                    subtree.box.upper[d] = std::max(subtree.box.upper[d], x[d]);
                    subtree.velocities.lower[d] = std::min(subtree.velocities.lower[d], v[d]);
                    subtree.velocities.upper[d] = std::max(subtree.velocities.upper[d], v[d]);
                  }
                });

  auto &sphere = subtree.sphere;
  const auto &bound = bounds[subtree.body];
  sphere.center = subtree.box.lower + 0.5 * (subtree.box.upper - subtree.box.lower);
  sphere.velocity =
      subtree.velocities.lower + 0.5 * (subtree.velocities.upper - subtree.velocities.lower);
  sphere.acceleration = bound.acceleration;
  sphere.growth_rate = bound.deviation;
  double radius = 0, growth = 0;
  for_each_node(subtree,
                [&](const unsigned int node)
                {
                  radius = std::max(radius, (nodes.position(node) - sphere.center).norm_square());
                  growth = std::max(growth, (nodes.velocity(node) - sphere.velocity).norm_square());
                });
  sphere.radius = std::sqrt(radius);
  sphere.growth = std::sqrt(growth);
  return subtree;
}

template <int spacedim>
const Tensor<1, spacedim> &
KineticHierarchy<spacedim>::thin_direction(const unsigned int index,
                                           const NodeTable<spacedim> &nodes)
{
  Subtree &subtree = subtrees[index];
  if (subtree.direction_look == looks.size())
    return subtree.thin_direction;
  subtree.direction_look = looks.size();
  std::vector<Point<spacedim>> points;
  for_each_node(subtree, [&](const unsigned int node) { points.push_back(nodes.position(node)); });
  const auto box = enclosing_oriented_box<spacedim>({points.data(), points.size()});
  const auto thinnest = std::min_element(box.half_sizes.begin(), box.half_sizes.end());
  subtree.thin_direction = box.axes[thinnest - box.half_sizes.begin()];
  return subtree.thin_direction;
}

template <int spacedim>
void
KineticHierarchy<spacedim>::build_trees(const NodeTable<spacedim> &nodes)
{
  std::vector<Point<spacedim>> centers;
  for (const auto &face : surface.faces)
  {
    Tensor<1, spacedim> sum;
    for (unsigned int c = 0; c < face.n_nodes; ++c)
      sum += nodes.position(face.nodes[c]) / double(face.n_nodes);
    centers.emplace_back(sum);
  }
  face_order.resize(centers.size());
  std::iota(face_order.begin(), face_order.end(), 0u);
  std::stable_sort(face_order.begin(), face_order.end(),
                   [this](const unsigned int a, const unsigned int b)
                   { return surface.faces[a].body < surface.faces[b].body; });

  std::vector<unsigned int> roots;
  for (unsigned int begin = 0, end = 0; begin < face_order.size(); begin = end)
  {
    const unsigned int body = surface.faces[face_order[begin]].body;
    while (end < face_order.size() && surface.faces[face_order[end]].body == body)
      ++end;
    roots.push_back(build_tree(centers, body, begin, end, 0));
  }
  for (unsigned int o = 0; o < scope.obstacles.size(); ++o)
  {
    Subtree obstacle{};
    obstacle.body = bounds.size() + o;
    roots.push_back(subtrees.size());
    subtrees.push_back(obstacle);
  }
  for (unsigned int i = 0; i < roots.size(); ++i)
    for (unsigned int j = i; j < roots.size(); ++j)
      if (is_wanted(subtrees[roots[i]], subtrees[roots[j]]))
        queue.push({0., n_pairs++, roots[i], roots[j], Stage::earlier});
}

template <int spacedim>
bool
KineticHierarchy<spacedim>::is_wanted(const Subtree &first, const Subtree &second) const
{
  return !first.is_obstacle() && (first.body != second.body || scope.self_contact) &&
         !scope.exclusions.excluded(first.body, second.body);
}

template <int spacedim>
bool
KineticHierarchy<spacedim>::is_complete() const
{
  std::vector<const Subtree *> roots;
  for (const Subtree &subtree : subtrees)
    if (subtree.depth == 0)
      roots.push_back(&subtree);
  for (unsigned int i = 0; i < roots.size(); ++i)
    for (unsigned int j = i; j < roots.size(); ++j)
      if (is_wanted(*roots[i], *roots[j]) && !done[roots[i]->body * n_targets() + roots[j]->body])
        return false;
  return true;
}

/// Halve the faces across the longest extent of their centres until there is one left.
template <int spacedim>
unsigned int
KineticHierarchy<spacedim>::build_tree(const std::vector<Point<spacedim>> &centers,
                                       const unsigned int body, const unsigned int begin,
                                       const unsigned int end, const unsigned int depth)
{
  Subtree subtree;
  subtree.body = body;
  subtree.begin = begin;
  subtree.end = end;
  subtree.depth = depth;
  const unsigned int index = subtrees.size();
  subtrees.push_back(subtree);
  if (end - begin == 1)
    return index;

  Box<spacedim> box{centers[face_order[begin]], centers[face_order[begin]]};
  for (unsigned int i = begin; i < end; ++i)
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      box.lower[d] = std::min(box.lower[d], centers[face_order[i]][d]);
      box.upper[d] = std::max(box.upper[d], centers[face_order[i]][d]);
    }
  unsigned int longest = 0;
  for (unsigned int d = 1; d < spacedim; ++d)
    if (box.upper[d] - box.lower[d] > box.upper[longest] - box.lower[longest])
      longest = d;
  const unsigned int middle = begin + (end - begin) / 2;
  std::nth_element(face_order.begin() + begin, face_order.begin() + middle,
                   face_order.begin() + end,
                   [&](const unsigned int a, const unsigned int b)
                   { return centers[a][longest] < centers[b][longest]; });
  const unsigned int left = build_tree(centers, body, begin, middle, depth + 1),
                     right = build_tree(centers, body, middle, end, depth + 1);
  subtrees[index].children[0] = left;
  subtrees[index].children[1] = right;
  return index;
}

template class KineticHierarchy<2>;
template class KineticHierarchy<3>;
} // namespace KickDrift
