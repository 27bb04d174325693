// Which faces are near.

#include <kickdrift/base/limits.h>
#include <kickdrift/contact/geometry/bounding_volumes.h>
#include <kickdrift/contact/geometry/closest_point.h>
#include <kickdrift/contact/tracking/face_search.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
using namespace dealii;

namespace
{
using Limits::infinity;

/// The times t >= 0 for which a + b t >= 0, as far as they lie in [@p begin, @p end].
void
restrict_to_positive(const double a, const double b, double &begin, double &end)
{
  if (a < 0)
    begin = b > 0 ? std::max(begin, -a / b) : infinity;
  else if (b < 0)
    end = std::min(end, -a / b);
}
} // namespace

template <int spacedim>
Box<spacedim>
FaceSearch<spacedim>::in_frame(const Part &part, const Box<spacedim> &box, const double time)
{
  const Vector moved = (time - part.time) * part.velocity;
  return {box.lower - moved, box.upper - moved};
}

/// From @p begin on @p found holds leaves of the boxes: put their faces instead.
template <int spacedim>
void
FaceSearch<spacedim>::name_faces(const Part &part, const std::size_t begin,
                                 std::vector<unsigned int> &found)
{
  for (std::size_t i = begin; i < found.size(); ++i)
    found[i] = part.faces[found[i]];
}

template <int spacedim>
void
FaceSearch<spacedim>::candidates_of(const unsigned int body, const Box<spacedim> &box,
                                    const double radius, const NormalCone &cone, const double time,
                                    std::vector<unsigned int> &faces) const
{
  const Part &part = parts[body];
  const std::size_t before = faces.size();
  part.boxes->query(in_frame(part, box, time), radius, with_reserve(cone), faces);
  name_faces(part, before, faces);
}

template <int spacedim>
void
FaceSearch<spacedim>::candidates_of(const unsigned int body, const Box<spacedim> &box,
                                    const double radius, const double time,
                                    std::vector<unsigned int> &faces) const
{
  const Part &part = parts[body];
  const std::size_t before = faces.size();
  part.boxes->query(grown(in_frame(part, box, time), radius), faces);
  name_faces(part, before, faces);
}

template <int spacedim>
double
FaceSearch<spacedim>::distance_to_nearest(
    const unsigned int body, const Box<spacedim> &box, const NormalCone &cone, const double time,
    const double furthest, const std::function<double(unsigned int)> &distance_to_face) const
{
  const Part &part = parts[body];
  return part.boxes->distance(in_frame(part, box, time), with_reserve(cone), furthest,
                              [&](const unsigned int leaf)
                              { return distance_to_face(part.faces[leaf]); });
}

template <int spacedim>
double
FaceSearch<spacedim>::distance_to_body(const unsigned int body, const Box<spacedim> &box,
                                       const double time) const
{
  const Part &part = parts[body];
  if (part.faces.empty())
    return infinity;
  return distance_bound(in_frame(part, box, time), part.bounds);
}

template <int spacedim>
double
FaceSearch<spacedim>::free_until(const unsigned int body, const Box<spacedim> &box,
                                 const unsigned int own, const double time,
                                 const double enough) const
{
  const Part &part = parts[body];
  if (part.faces.empty())
    return infinity;
  const auto here = in_frame(part, box, time);
  // the two boxes, each with the velocity of its body, and growing
  const Vector velocity = bounds.velocity(own) - bounds.velocity(body);
  const double spread =
      MotionBounds<spacedim>::sweep_reserve * (bounds.deviation(own) + bounds.deviation(body));
  double begin = 0, end = infinity;
  for (unsigned int d = 0; d < spacedim; ++d)
  {
    restrict_to_positive(here.upper[d] - part.bounds.lower[d], velocity[d] + spread, begin, end);
    restrict_to_positive(part.bounds.upper[d] - here.lower[d], spread - velocity[d], begin, end);
  }
  if (begin > end)
    return infinity;
  const double rate = bounds.rate(own, body);
  if (time + begin >= enough || rate == 0)
    return rate == 0 ? infinity : enough;
  const double distance = part.boxes->distance(here);
  return time + std::max(begin, distance / rate);
}

template <int spacedim>
typename FaceSearch<spacedim>::Vector
FaceSearch<spacedim>::nodal_normal(const unsigned int node, const Side side) const
{
  Vector normal;
  for (const unsigned int f : faces_of_node(node, side))
    normal += face_normals[f];
  const double norm = normal.norm();
  return norm > 1e-12 ? normal / norm : Vector();
}

template class FaceSearch<2>;
template class FaceSearch<3>;
} // namespace KickDrift
