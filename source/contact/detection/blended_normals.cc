// The normal of contacts near the edges of faces.

#include <kickdrift/contact/detection/face_detector.h>

#include "face_rules.h"

#include <limits>

namespace KickDrift
{
using namespace FaceRules;

template <int spacedim>
void
FaceDetector<spacedim>::blend_normals(const ContactTest &test, const dealii::Point<spacedim> &point,
                                      const Vector &outward, FaceProjection<spacedim> &hit) const
{
  const Contactor &contactor = contact_surface.contactors[test.contactor];
  const NeighborList<spacedim> &neighbors = neighborhood.neighbors(test.contactor);
  const double size = search.face_size(hit.face), rim = rim_of_new_contact * size;
  const double range = width_of_blending * size;
  const double furthest = hit.closest.distance + range;
  const double furthest_listed =
      furthest - contact_surface.offset(contactor.body, contact_surface.faces[hit.face].body);
  const auto is_beside = [&](const ClosestPoint<spacedim> &closest)
  {
    const double height = closest.normal * (point - closest.point);
    return std::sqrt(std::max(0., closest.distance * closest.distance - height * height)) > rim;
  };
  static thread_local std::vector<unsigned int> faces;
  faces.assign(1, hit.face);
  Vector sum = hit.closest.normal;
  for (const auto &target : neighbors.targets())
  {
    const unsigned int f = target.index;
    if (neighbors.distance_from_here_on(target) >= furthest_listed)
      break;
    if (f == hit.face || !may_look_at(outward, f) ||
        contact_surface.faces[f].side != contact_surface.faces[hit.face].side ||
        distance_to_box(f, point, test.time) >= furthest)
      continue;
    const auto closest = closest_point_of(f, point, test.time);
    const bool is_behind = closest.normal * (point - closest.point) <= hit.offset;
    if (closest.distance >= furthest || !is_behind ||
        (hit.offset > 0 && is_beside(closest)) || // there the surface is round
        !share_normals(hit.face, f, hit.closest.normal, closest.normal, test.time) ||
        !is_opposed_to(contactor, outward, f, closest))
      continue;
    const double share = (furthest - closest.distance) / range;
    sum += share * share * closest.normal;
    faces.push_back(f);
  }
  if (faces.size() > 1 && sum.norm() > 0)
    project_along(sum / sum.norm(), {faces.data(), faces.size()}, point, test.time, hit);
}

template <int spacedim>
bool
FaceDetector<spacedim>::share_normals(const unsigned int f, const unsigned int other,
                                      const Vector &normal, const Vector &other_normal,
                                      const double time) const
{
  const double cosine = normal * other_normal;
  if (cosine > same_direction || !are_around_each_other(f, other))
    return false;
  if (cosine > parallel)
    return true;
  // of sharp edges only concave ones: there the other face rises before this one
  const auto &face = contact_surface.faces[other];
  const auto corner = nodes.position_at(contact_surface.faces[f].nodes[0], time);
  double height = 0;
  for (unsigned int i = 0; i < face.n_nodes; ++i)
    height += normal * (nodes.position_at(face.nodes[i], time) - corner);
  return height > 0;
}

template <int spacedim>
void
FaceDetector<spacedim>::project_along(const Vector &normal,
                                      const dealii::ArrayView<const unsigned int> &faces,
                                      const dealii::Point<spacedim> &point, const double time,
                                      FaceProjection<spacedim> &hit) const
{
  using Corners = std::array<dealii::Point<spacedim>, SurfaceFace<spacedim>::max_nodes>;
  double beside = std::numeric_limits<double>::infinity();
  for (const unsigned int f : faces)
  {
    const auto &face = contact_surface.faces[f];
    Corners corners, shadows; // in the plane through the point across the normal
    for (unsigned int i = 0; i < face.n_nodes; ++i)
    {
      corners[i] = nodes.position_at(face.nodes[i], time);
      shadows[i] = corners[i] - (normal * (corners[i] - point)) * normal;
    }
    const auto closest = closest_point<spacedim>(shadows.data(), face.n_nodes, point);
    if (closest.distance >= beside)
      continue;
    beside = closest.distance;
    Vector met;
    for (unsigned int i = 0; i < face.n_nodes; ++i)
      met += closest.weights[i] * corners[i];
    hit.face = f;
    hit.closest.weights = closest.weights;
    hit.closest.point = dealii::Point<spacedim>(met);
  }
  hit.closest.normal = normal;
  hit.closest.distance = hit.closest.point.distance(point);
  hit.depth = hit.offset + normal * (hit.closest.point - point);
}

template bool FaceDetector<2>::share_normals(unsigned int, unsigned int, const Vector &,
                                             const Vector &, double) const;
template bool FaceDetector<3>::share_normals(unsigned int, unsigned int, const Vector &,
                                             const Vector &, double) const;
template void FaceDetector<2>::project_along(const Vector &,
                                             const dealii::ArrayView<const unsigned int> &,
                                             const dealii::Point<2> &, double,
                                             FaceProjection<2> &) const;
template void FaceDetector<3>::project_along(const Vector &,
                                             const dealii::ArrayView<const unsigned int> &,
                                             const dealii::Point<3> &, double,
                                             FaceProjection<3> &) const;
template void FaceDetector<2>::blend_normals(const ContactTest &, const dealii::Point<2> &,
                                             const Vector &, FaceProjection<2> &) const;
template void FaceDetector<3>::blend_normals(const ContactTest &, const dealii::Point<3> &,
                                             const Vector &, FaceProjection<3> &) const;
} // namespace KickDrift
