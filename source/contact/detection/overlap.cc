#include <kickdrift/contact/detection/interior.h>
#include <kickdrift/contact/detection/overlap.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <tuple>

namespace KickDrift
{
using dealii::Point;

namespace
{
// how often a point goes along the distance of an obstacle, and to what share of a face
constexpr unsigned int most_steps = 200;
constexpr double harmless_distance = 1e-9;

/// Indices of the faces of each body.
template <int spacedim>
std::vector<std::vector<unsigned int>>
faces_by_body(const Surface<spacedim> &surface)
{
  std::vector<std::vector<unsigned int>> faces(surface.body_names.size());
  for (unsigned int f = 0; f < surface.faces.size(); ++f)
    faces[surface.faces[f].body].push_back(f);
  return faces;
}

template <int spacedim>
bool
are_disjoint(const Box<spacedim> &a, const Box<spacedim> &b)
{
  for (unsigned int d = 0; d < spacedim; ++d)
    if (!(a.lower[d] <= b.upper[d] && b.lower[d] <= a.upper[d]))
      return true;
  return false;
}

/// Pairs of boxes that have a point in common, (smaller index, larger index), in the order of the
/// larger one.
template <int spacedim>
std::vector<std::pair<unsigned int, unsigned int>>
overlapping(const std::vector<Box<spacedim>> &boxes)
{
  // sweep along x: those that have begun and not ended yet
  std::vector<unsigned int> order(boxes.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](const unsigned int a, const unsigned int b)
                   { return boxes[a].lower[0] < boxes[b].lower[0]; });
  std::vector<unsigned int> open;
  std::vector<std::pair<unsigned int, unsigned int>> pairs;
  for (const unsigned int b : order)
  {
    open.erase(std::remove_if(open.begin(), open.end(),
                              [&](const unsigned int a)
                              { return boxes[a].upper[0] < boxes[b].lower[0]; }),
               open.end());
    for (const unsigned int a : open)
      if (!are_disjoint(boxes[a], boxes[b]))
        pairs.emplace_back(std::min(a, b), std::max(a, b));
    if (boxes[b].lower[0] <= boxes[b].upper[0])
      open.push_back(b);
  }
  std::sort(pairs.begin(), pairs.end(),
            [](const auto &p, const auto &q)
            { return std::tie(p.second, p.first) < std::tie(q.second, q.first); });
  return pairs;
}

/// Around the faces of each body.
template <int spacedim>
std::vector<Box<spacedim>>
boxes_of_bodies(const NodeTable<spacedim> &nodes, const Surface<spacedim> &surface)
{
  std::vector<Box<spacedim>> boxes(surface.body_names.size(), empty_box<spacedim>());
  for (const auto &face : surface.faces)
    for (unsigned int i = 0; i < face.n_nodes; ++i)
      extend(boxes[face.body], nodes.position(face.nodes[i]));
  return boxes;
}

template <int spacedim>
class OverlapSearch
{
public:
  OverlapSearch(const NodeTable<spacedim> &nodes, const Surface<spacedim> &surface,
                const double smallest_relative_depth)
      : nodes(nodes),
        surface(surface),
        smallest(smallest_relative_depth),
        faces(faces_by_body(surface)),
        bodies(surface.body_names.size()),
        contactors(bodies.size())
  {
    for (const Contactor &contactor : surface.contactors)
      if (contactor.n_nodes == 1)
        contactors[contactor.body].push_back(contactor.nodes[0]);
  }

  /// Nodes of @p a within @p b; were there any?
  bool
  look_at_nodes(const unsigned int a, const unsigned int b)
  {
    bool found = false;
    for (const unsigned int node : contactors[a])
      found |= look_at(a, nodes.position(node), b);
    return found;
  }

  /// Points behind the faces of @p a within both bodies; were there any?
  bool
  look_behind_faces(const unsigned int a, const unsigned int b)
  {
    bool found = false;
    const Interior<spacedim> &first = interior(a), &second = interior(b);
    for (unsigned int i = 0; i < first.faces().size(); ++i)
      for (const double depth : {0.5, 0.05, 0.005})
      {
        const auto point = first.point_behind(i, depth);
        if (second.contains(point) && first.contains(point) && look_at(a, point, b))
        {
          found = true;
          break;
        }
      }
    return found;
  }

  /// Points behind the faces of @p a that are inside it twice.
  void
  look_within(const unsigned int a)
  {
    if (!has_several_parts(a))
      return;
    const Interior<spacedim> &own = interior(a);
    for (unsigned int i = 0; i < own.faces().size(); ++i)
      for (const double depth : {0.5, 0.05, 0.005})
        if (const auto point = own.point_behind(i, depth); own.winding(point) > 1)
        {
          const unsigned int face = own.faces()[i];
          result.push_back({a, face, depth * own.face_size(face), depth, point});
          break;
        }
  }

  /// The point of @p obstacle, shifted, that is deepest in @p a.
  void
  look_for(const Shape<spacedim> &obstacle, const unsigned int number,
           const dealii::Tensor<1, spacedim> &shift, const unsigned int a,
           std::vector<ObstacleInBody<spacedim>> &found)
  {
    if (faces[a].empty())
      return;
    const Interior<spacedim> &own = interior(a);
    const double near = harmless_distance * own.face_size(faces[a].front());
    ObstacleInBody<spacedim> deepest{number, a, 0, smallest, {}};
    for (const unsigned int node : contactors[a])
    {
      Point<spacedim> point = nodes.position(node) - shift;
      double distance = obstacle.distance(point);
      for (unsigned int i = 0; i < most_steps && std::abs(distance) > near; ++i)
      {
        point -= distance * obstacle.normal(point);
        distance = obstacle.distance(point);
      }
      if (std::abs(distance) > near || !own.contains(point + shift))
        continue;
      const auto [face, depth] = own.nearest_face(point + shift);
      if (const double relative = depth / own.face_size(face); relative > deepest.relative_depth)
        deepest = {number, a, depth, relative, point + shift};
    }
    if (deepest.depth > 0)
      found.push_back(deepest);
  }

  std::vector<Overlap<spacedim>> result;

private:
  /// Has the surface of @p body parts that have no node in common?
  bool
  has_several_parts(const unsigned int body) const
  {
    std::map<unsigned int, unsigned int> parent; // by node
    const auto root = [&](unsigned int node)
    {
      while (parent.at(node) != node)
        node = parent[node] = parent.at(parent.at(node));
      return node;
    };
    unsigned int n_parts = 0;
    for (const unsigned int f : faces[body])
      for (unsigned int i = 0; i < surface.faces[f].n_nodes; ++i)
      {
        const unsigned int node = surface.faces[f].nodes[i];
        n_parts += parent.emplace(node, node).second;
        const unsigned int a = root(surface.faces[f].nodes[0]), b = root(node);
        n_parts -= a != b;
        parent[a] = b;
      }
    return n_parts > 1;
  }

  /// Most bodies are alone and need none.
  const Interior<spacedim> &
  interior(const unsigned int body)
  {
    if (!bodies[body])
      bodies[body] =
          std::make_unique<Interior<spacedim>>(nodes, surface, faces[body], closures_of(body));
    return *bodies[body];
  }

  std::vector<SurfaceFace<spacedim>>
  closures_of(const unsigned int body) const
  {
    std::vector<SurfaceFace<spacedim>> result;
    std::copy_if(surface.closures.begin(), surface.closures.end(), std::back_inserter(result),
                 [&](const auto &face) { return face.body == body; });
    return result;
  }

  bool
  look_at(const unsigned int a, const Point<spacedim> &point, const unsigned int b)
  {
    const Interior<spacedim> &other = interior(b);
    if (!other.contains(point))
      return false;
    const auto [face, depth] = other.nearest_face(point);
    const double relative = depth / other.face_size(face);
    if (relative <= smallest)
      return false;
    result.push_back({a, face, depth, relative, point});
    return true;
  }

  const NodeTable<spacedim> &nodes;
  const Surface<spacedim> &surface;
  const double smallest;
  const std::vector<std::vector<unsigned int>> faces; ///< by body
  std::vector<std::unique_ptr<Interior<spacedim>>> bodies;
  std::vector<std::vector<unsigned int>> contactors; ///< nodes by body
};
} // namespace

template <int spacedim>
std::vector<Overlap<spacedim>>
find_overlaps(const NodeTable<spacedim> &nodes, const Surface<spacedim> &surface,
              const double smallest_relative_depth,
              const std::function<bool(unsigned int, unsigned int)> &skip)
{
  for (const auto &face : surface.faces)
    AssertThrow(present_size(face, nodes) > 0,
                dealii::ExcMessage("A boundary face of body '" + surface.body_names[face.body] +
                                   "' has no extent."));
  OverlapSearch<spacedim> search(nodes, surface, smallest_relative_depth);
  for (const auto &[a, b] : overlapping(boxes_of_bodies(nodes, surface)))
    if (!skip(a, b))
    {
      const bool a_is_shell = surface.thickness(a) > 0, b_is_shell = surface.thickness(b) > 0;
      bool found = !b_is_shell && search.look_at_nodes(a, b);
      found |= !a_is_shell && search.look_at_nodes(b, a);
      if (!found && !a_is_shell && !b_is_shell && !search.look_behind_faces(a, b))
        search.look_behind_faces(b, a);
    }
  for (unsigned int a = 0; a < surface.body_names.size(); ++a)
    if (!(surface.thickness(a) > 0) && !skip(a, a))
      search.look_within(a);
  auto &result = search.result;
  std::stable_sort(result.begin(), result.end(),
                   [](const auto &x, const auto &y) { return x.depth > y.depth; });
  return std::move(result);
}

template <int spacedim>
std::vector<ObstacleInBody<spacedim>>
find_obstacles_in_bodies(const NodeTable<spacedim> &nodes, const Surface<spacedim> &surface,
                         const std::vector<Obstacle<spacedim>> &obstacles, const double time,
                         const double smallest_relative_depth,
                         const std::function<bool(unsigned int, unsigned int)> &skip)
{
  OverlapSearch<spacedim> search(nodes, surface, smallest_relative_depth);
  std::vector<ObstacleInBody<spacedim>> result;
  for (unsigned int o = 0; o < obstacles.size(); ++o)
    for (unsigned int a = 0; a < surface.body_names.size(); ++a)
      if (!(surface.thickness(a) > 0) && !skip(a, o))
        search.look_for(*obstacles[o].shape, o, displacement_of(obstacles[o], time), a, result);
  return result;
}

#define INSTANTIATE(dim)                                                                           \
  template std::vector<Overlap<dim>> find_overlaps(                                                \
      const NodeTable<dim> &, const Surface<dim> &, double,                                        \
      const std::function<bool(unsigned int, unsigned int)> &);                                    \
  template std::vector<ObstacleInBody<dim>> find_obstacles_in_bodies(                              \
      const NodeTable<dim> &, const Surface<dim> &, const std::vector<Obstacle<dim>> &, double,    \
      double, const std::function<bool(unsigned int, unsigned int)> &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace KickDrift
