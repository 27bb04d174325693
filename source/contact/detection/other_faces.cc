// What other faces than the one that was hit say about a point.

#include <kickdrift/contact/detection/face_detector.h>

#include "face_rules.h"

#include <algorithm>

namespace KickDrift
{
namespace
{
using namespace FaceRules;

/// Is this an edge of the face, on whichever side of a shell?
template <int spacedim>
bool
has_nodes(const SurfaceFace<spacedim> &face, const std::array<unsigned int, 2> &edge)
{
  const auto end = face.nodes.begin() + face.n_nodes;
  return std::find(face.nodes.begin(), end, edge[0]) != end &&
         std::find(face.nodes.begin(), end, edge[1]) != end;
}
} // namespace

template <int spacedim>
bool
FaceDetector<spacedim>::is_outside(const ContactTest &test, const dealii::Point<spacedim> &point,
                                   const NeighborList<spacedim> *listed,
                                   const FaceProjection<spacedim> &hit, const double rim) const
{
  const Contactor &contactor = contact_surface.contactors[test.contactor];
  const unsigned int body = contact_surface.faces[hit.face].body;
  const double distance = hit.closest.distance;
  const auto is_in_front = [&](const unsigned int f)
  {
    // faces that are nearly parallel to the one that was hit say the same as it does
    if (search.face_normal(f) * hit.closest.normal > parallel || excluded(contactor, f) ||
        distance_to_box(f, point, test.time) >= distance)
      return false;
    const auto closest = closest_point_of(f, point, test.time);
    return closest.distance < distance && closest.normal * (point - closest.point) > rim;
  };
  // of its own body, faces that look away are not listed
  if (listed == nullptr || body == contactor.body)
  {
    static thread_local std::vector<unsigned int> nearby;
    nearby.clear();
    search.candidates_of(body, {point, point}, distance, {hit.closest.normal, parallel}, test.time,
                         nearby);
    return std::any_of(nearby.begin(), nearby.end(), is_in_front);
  }
  for (const auto &target : listed->targets())
  {
    if (listed->distance_from_here_on(target) >= distance)
      break;
    if (contact_surface.faces[target.index].body == body && is_in_front(target.index))
      return true;
  }
  return false;
}

template <int spacedim>
bool
FaceDetector<spacedim>::is_near_other_face(const dealii::Point<spacedim> &point,
                                           const double distance, const double offset,
                                           const unsigned int body, const Vector &outward,
                                           const std::array<Vector, 2> &directions,
                                           const std::array<unsigned int, 2> &edge,
                                           const double time) const
{
  static thread_local std::vector<unsigned int> nearby;
  nearby.clear();
  search.candidates_of(body, {point, point}, offset > 0 ? offset : distance, {outward, 0.}, time,
                       nearby);
  for (const unsigned int f : nearby)
  {
    const Vector &normal = search.face_normal(f);
    if (normal * outward > 0 || normal * directions[0] > parallel ||
        normal * directions[1] > parallel || has_nodes(contact_surface.faces[f], edge))
      continue;
    const double to_face = closest_point_of(f, point, time).distance;
    if (offset > 0 ? to_face < offset && offset - to_face < distance : to_face < distance)
      return true;
  }
  return false;
}

#define INSTANTIATE(dim)                                                                           \
  template bool FaceDetector<dim>::is_outside(const ContactTest &, const dealii::Point<dim> &,     \
                                              const NeighborList<dim> *,                           \
                                              const FaceProjection<dim> &, double) const;          \
  template bool FaceDetector<dim>::is_near_other_face(                                             \
      const dealii::Point<dim> &, double, double, unsigned int, const Vector &,                    \
      const std::array<Vector, 2> &, const std::array<unsigned int, 2> &, double) const;
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace KickDrift
