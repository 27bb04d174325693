#include <kickdrift/contact/detection/overlap.h>
#include <kickdrift/contact/geometry/closest_point.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <tuple>

namespace KickDrift
{
using dealii::Point;

namespace
{
constexpr double infinity = std::numeric_limits<double>::infinity();

template <int spacedim>
void
extend(Box<spacedim> &box, const Point<spacedim> &point)
{
  for (unsigned int d = 0; d < spacedim; ++d)
  {
    box.lower[d] = std::min(box.lower[d], point[d]);
    box.upper[d] = std::max(box.upper[d], point[d]);
  }
}

template <int spacedim>
Box<spacedim>
empty_box()
{
  Box<spacedim> box;
  for (unsigned int d = 0; d < spacedim; ++d)
  {
    box.lower[d] = infinity;
    box.upper[d] = -infinity;
  }
  return box;
}

template <int spacedim>
bool
is_inside(const Box<spacedim> &box, const Point<spacedim> &point)
{
  for (unsigned int d = 0; d < spacedim; ++d)
    if (!(point[d] >= box.lower[d] && point[d] <= box.upper[d]))
      return false;
  return true;
}

/// How often the ray from @p p along x leaves through the segment: 1, or -1 if it enters, or 0.
int
crossing(const Point<2> &a, const Point<2> &b, const Point<2> &p)
{
  const bool a_above = a[1] > p[1], b_above = b[1] > p[1];
  if (a_above == b_above)
    return 0;
  const double x = a[0] + (p[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
  return x <= p[0] ? 0 : (b_above ? 1 : -1);
}

/**
 * Twice the area of (a, b, p) seen along x. Computed for either order of a and b by the same
 * operations, so that two triangles that share an edge agree about the side on which p is.
 */
double
area_seen_along_x(const Point<3> &a, const Point<3> &b, const Point<3> &p)
{
  if (b[1] < a[1] || (b[1] == a[1] && b[2] < a[2]))
    return -area_seen_along_x(b, a, p);
  return (b[1] - a[1]) * (p[2] - a[2]) - (b[2] - a[2]) * (p[1] - a[1]);
}

/// The same for the triangle (a, b, c).
int
crossing(const Point<3> &a, const Point<3> &b, const Point<3> &c, const Point<3> &p)
{
  const double at_c = area_seen_along_x(a, b, p), at_a = area_seen_along_x(b, c, p),
               at_b = area_seen_along_x(c, a, p);
  const bool positive = at_a > 0 && at_b > 0 && at_c > 0;
  const bool negative = at_a < 0 && at_b < 0 && at_c < 0;
  if (!positive && !negative)
    return 0;
  const double x = (at_a * a[0] + at_b * b[0] + at_c * c[0]) / (at_a + at_b + at_c);
  return x <= p[0] ? 0 : (positive ? 1 : -1);
}

int
crossings(const Point<2> *corners, unsigned int, const Point<2> &p)
{
  return crossing(corners[0], corners[1], p);
}

/// A quadrilateral is taken as two triangles; edges, and with them the closedness, stay.
int
crossings(const Point<3> *corners, const unsigned int n_corners, const Point<3> &p)
{
  int sum = crossing(corners[0], corners[1], corners[2], p);
  if (n_corners == 4)
    sum += crossing(corners[2], corners[1], corners[3], p);
  return sum;
}

dealii::Tensor<1, 2>
normal(const Point<2> *corners)
{
  const auto t = corners[1] - corners[0];
  return dealii::Tensor<1, 2>({t[1], -t[0]});
}

dealii::Tensor<1, 3>
normal(const Point<3> *corners)
{
  return dealii::cross_product_3d(corners[1] - corners[0], corners[2] - corners[0]);
}
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

/// Largest distance of two corners.
template <int spacedim>
double
size_of(const SurfaceFace<spacedim> &face, const NodeTable<spacedim> &nodes)
{
  double size = 0;
  for (unsigned int i = 1; i < face.n_nodes; ++i)
    for (unsigned int j = 0; j < i; ++j)
      size = std::max(size, nodes.position(face.nodes[i]).distance(nodes.position(face.nodes[j])));
  return size;
}
} // namespace

template <int spacedim>
Interior<spacedim>::Interior(const NodeTable<spacedim> &nodes, const Surface<spacedim> &surface,
                             const unsigned int body)
    : Interior(nodes, surface, faces_by_body(surface)[body])
{
}

template <int spacedim>
Interior<spacedim>::Interior(const NodeTable<spacedim> &nodes, const Surface<spacedim> &surface,
                             const std::vector<unsigned int> &faces)
    : bounds(empty_box<spacedim>())
{
  std::vector<Box<spacedim>> boxes;
  double smallest = infinity;
  for (const unsigned int f : faces)
  {
    const auto &face = surface.faces[f];
    Face copy;
    copy.n_corners = face.n_nodes;
    copy.size = size_of(face, nodes);
    boxes.push_back(empty_box<spacedim>());
    for (unsigned int i = 0; i < face.n_nodes; ++i)
    {
      copy.corners[i] = nodes.position(face.nodes[i]);
      extend(boxes.back(), copy.corners[i]);
      extend(bounds, copy.corners[i]);
    }
    smallest = std::min(smallest, copy.size);
    corners.push_back(copy);
    face_ids.push_back(f);
  }
  if (!boxes.empty())
    hierarchy.build(boxes);
  shift = 1e-7 * smallest;
}

template <int spacedim>
bool
Interior<spacedim>::contains(const Point<spacedim> &point) const
{
  if (!is_inside(bounds, point))
    return false;
  Point<spacedim> start = point;
  start[1] += 0.7548776662 * shift;
  start[spacedim - 1] += 0.5698402910 * shift;
  Box<spacedim> ray{start, start};
  ray.upper[0] = infinity;
  std::vector<unsigned int> hits;
  hierarchy.query(ray, hits);
  int winding = 0;
  for (const unsigned int i : hits)
    winding += crossings(corners[i].corners.data(), corners[i].n_corners, start);
  return winding > 0;
}

template <int spacedim>
std::pair<unsigned int, double>
Interior<spacedim>::nearest_face(const Point<spacedim> &point) const
{
  std::vector<unsigned int> hits;
  std::pair<unsigned int, double> best(face_ids.front(), infinity);
  // up to twice, as a box reaches further than what is nearest within it
  for (double radius = corners.front().size; best.second > radius || hits.empty(); radius *= 2)
  {
    hits.clear();
    Box<spacedim> box{point, point};
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      box.lower[d] -= radius;
      box.upper[d] += radius;
    }
    hierarchy.query(box, hits);
    for (const unsigned int i : hits)
    {
      const double distance =
          closest_point<spacedim>(corners[i].corners.data(), corners[i].n_corners, point).distance;
      if (distance < best.second)
        best = {face_ids[i], distance};
    }
  }
  return best;
}

template <int spacedim>
double
Interior<spacedim>::face_size(const unsigned int face) const
{
  return corners[std::lower_bound(face_ids.begin(), face_ids.end(), face) - face_ids.begin()].size;
}

template <int spacedim>
Point<spacedim>
Interior<spacedim>::point_behind(const unsigned int i, const double depth) const
{
  const Face &face = corners[i];
  dealii::Tensor<1, spacedim> middle;
  for (unsigned int c = 0; c < face.n_corners; ++c)
    middle += face.corners[c] / face.n_corners;
  const auto outward = normal(face.corners.data());
  return Point<spacedim>(middle - depth * face.size / outward.norm() * outward);
}

namespace
{
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

  std::vector<Overlap<spacedim>> result;

private:
  /// Most bodies are alone and need none.
  const Interior<spacedim> &
  interior(const unsigned int body)
  {
    if (!bodies[body])
      bodies[body] = std::make_unique<Interior<spacedim>>(nodes, surface, faces[body]);
    return *bodies[body];
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
    AssertThrow(size_of(face, nodes) > 0,
                dealii::ExcMessage("A boundary face of body '" + surface.body_names[face.body] +
                                   "' has no extent."));
  OverlapSearch<spacedim> search(nodes, surface, smallest_relative_depth);
  for (const auto &[a, b] : overlapping(boxes_of_bodies(nodes, surface)))
    if (!skip(a, b))
    {
      bool found = search.look_at_nodes(a, b);
      found |= search.look_at_nodes(b, a);
      if (!found && !search.look_behind_faces(a, b))
        search.look_behind_faces(b, a);
    }
  auto &result = search.result;
  std::stable_sort(result.begin(), result.end(),
                   [](const auto &x, const auto &y) { return x.depth > y.depth; });
  return std::move(result);
}

#define INSTANTIATE(dim)                                                                           \
  template class Interior<dim>;                                                                    \
  template std::vector<Overlap<dim>> find_overlaps(                                                \
      const NodeTable<dim> &, const Surface<dim> &, double,                                        \
      const std::function<bool(unsigned int, unsigned int)> &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace KickDrift
