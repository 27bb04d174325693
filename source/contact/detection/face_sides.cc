// Sides of shells, which a contactor touches from where it has been.

#include <kickdrift/contact/detection/face_detector.h>

#include "face_rules.h"

#include <cmath>
#include <limits>

namespace KickDrift
{
using namespace FaceRules;

namespace
{
// Contactors nearer to a face than this share of what they keep from it have the normal of the
// face.
constexpr double least_distance = 1e-3;

/// The contactor on the other side of a node of a shell, see add_other_sides().
unsigned int
other_side(const Contactor &contactor, const unsigned int c)
{
  return contactor.side == Side::front ? c + 1 : c - 1;
}
} // namespace

template <int spacedim>
double
FaceDetector<spacedim>::gap_to_box(const Contactor &contactor, const unsigned int f,
                                   const dealii::Point<spacedim> &point, const double time) const
{
  return distance_to_box(f, point, time) -
         contact_surface.offset(contactor.body, contact_surface.faces[f].body);
}

template <int spacedim>
double
FaceDetector<spacedim>::first_distance(const Contactor &contactor, const unsigned int f,
                                       const ClosestPoint<spacedim> &closest) const
{
  const auto &face = contact_surface.faces[f];
  Vector between;
  for (unsigned int i = 0; i < contactor.n_nodes; ++i)
    between += contactor.weights[i] * nodes.reference(contactor.nodes[i]);
  for (unsigned int i = 0; i < face.n_nodes; ++i)
    between -= closest.weights[i] * nodes.reference(face.nodes[i]);
  return between.norm();
}

/// The two contactors of a node of a shell share all directions between them, so that its free
/// edges touch what they meet, once.
template <int spacedim>
double
FaceDetector<spacedim>::touching_limit(const Contactor &contactor, const Vector &outward) const
{
  if (!(outward.norm_square() > 0))
    return 1;
  switch (contactor.side)
  {
  case Side::front:
    return 0;
  case Side::back:
    return -std::numeric_limits<double>::min();
  default:
    return facing;
  }
}

template <int spacedim>
bool
FaceDetector<spacedim>::find_side(const unsigned int c, const dealii::Point<spacedim> &point,
                                  FaceProjection<spacedim> &candidate) const
{
  const Contactor &contactor = contact_surface.contactors[c];
  const auto &face = contact_surface.faces[candidate.face];
  ClosestPoint<spacedim> &closest = candidate.closest;
  if (face.body == contactor.body)
    candidate.offset =
        contact_surface.own_offset(face.body, first_distance(contactor, candidate.face, closest));
  const Vector from_face = point - closest.point;
  const double height = closest.normal * from_face;
  // behind a face a contactor must have come through it
  const auto was_in_front = [&]
  {
    const Memory &memory = memories[c];
    return memory.in_front && contact_surface.faces[memory.face].side == face.side &&
           are_around_each_other(memory.face, candidate.face);
  };
  // but then neither it nor the one on the other side of its node has come to the other side
  const auto is_on_other_side = [&](const unsigned int own)
  {
    const Memory &memory = memories[own];
    return memory.in_front && contact_surface.faces[memory.face].side != face.side &&
           are_linked(memory.face, candidate.face, closest.distance);
  };
  if (height < 0 && !was_in_front())
    return false;
  if (height >= 0 && face.side != Side::only &&
      (is_on_other_side(c) ||
       (contactor.side != Side::only && is_on_other_side(other_side(contactor, c)))))
    return false;
  const double beside =
      std::sqrt(std::max(0., closest.distance * closest.distance - height * height));
  const bool is_beside =
      beside > std::abs(height) + rim_of_new_contact * search.face_size(candidate.face);
  if (is_beside && face.body == contactor.body)
    return false; // parts of one sheet that are pressed together in its plane
  // so impulses have no moment, but right at the face the direction is not known
  if (closest.distance > least_distance * candidate.offset && (height >= 0 || !is_beside))
    closest.normal = from_face / (height >= 0 ? closest.distance : -closest.distance);
  return true;
}

#define INSTANTIATE(dim)                                                                           \
  template double FaceDetector<dim>::gap_to_box(const Contactor &, unsigned int,                   \
                                                const dealii::Point<dim> &, double) const;         \
  template double FaceDetector<dim>::first_distance(const Contactor &, unsigned int,               \
                                                    const ClosestPoint<dim> &) const;              \
  template double FaceDetector<dim>::touching_limit(const Contactor &, const Vector &) const;      \
  template bool FaceDetector<dim>::find_side(unsigned int, const dealii::Point<dim> &,             \
                                             FaceProjection<dim> &) const;
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace KickDrift
