#include <kickdrift/base/limits.h>
#include <kickdrift/contact/detection/interior.h>
#include <kickdrift/contact/geometry/closest_point.h>

#include <algorithm>

namespace KickDrift
{
using dealii::Point;

namespace
{
using Limits::infinity;

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
} // namespace

template <int spacedim>
double
present_size(const SurfaceFace<spacedim> &face, const NodeTable<spacedim> &nodes)
{
  double size = 0;
  for (unsigned int i = 1; i < face.n_nodes; ++i)
    for (unsigned int j = 0; j < i; ++j)
      size = std::max(size, nodes.position(face.nodes[i]).distance(nodes.position(face.nodes[j])));
  return size;
}

template <int spacedim>
Interior<spacedim>::Interior(const NodeTable<spacedim> &nodes, const Surface<spacedim> &surface,
                             const std::vector<unsigned int> &faces,
                             const std::vector<SurfaceFace<spacedim>> &closures)
    : face_ids(faces), bounds(empty_box<spacedim>())
{
  std::vector<Box<spacedim>> boxes;
  double smallest = infinity;
  const auto add = [&](const SurfaceFace<spacedim> &face)
  {
    Face copy;
    copy.n_corners = face.n_nodes;
    copy.size = present_size(face, nodes);
    boxes.push_back(empty_box<spacedim>());
    for (unsigned int i = 0; i < face.n_nodes; ++i)
    {
      copy.corners[i] = nodes.position(face.nodes[i]);
      extend(boxes.back(), copy.corners[i]);
      extend(bounds, copy.corners[i]);
    }
    smallest = std::min(smallest, copy.size);
    corners.push_back(copy);
  };
  for (const unsigned int f : faces)
    add(surface.faces[f]);
  for (const auto &face : closures)
    add(face);
  if (!boxes.empty())
    hierarchy.build(boxes);
  shift = 1e-7 * smallest;
}

template <int spacedim>
int
Interior<spacedim>::winding(const Point<spacedim> &point) const
{
  if (!is_inside(bounds, point))
    return 0;
  Point<spacedim> start = point;
  start[1] += 0.7548776662 * shift;
  start[spacedim - 1] += 0.5698402910 * shift;
  Box<spacedim> ray{start, start};
  ray.upper[0] = infinity;
  std::vector<unsigned int> hits;
  hierarchy.query(ray, hits);
  int result = 0;
  for (const unsigned int i : hits)
    result += crossings(corners[i].corners.data(), corners[i].n_corners, start);
  return result;
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
      if (i >= face_ids.size())
        continue; // a closure
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

#define INSTANTIATE(dim)                                                                           \
  template double present_size(const SurfaceFace<dim> &, const NodeTable<dim> &);                  \
  template class Interior<dim>;
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace KickDrift
