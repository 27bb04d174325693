// When a point counts as behind a face, for the files that find out.

#ifndef KICKDRIFT_SOURCE_CONTACT_DETECTION_FACE_RULES_H
#define KICKDRIFT_SOURCE_CONTACT_DETECTION_FACE_RULES_H

#include <kickdrift/contact/tracking/face_search.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace FaceRules
{
// A node deeper behind a face than this share of the face's size is not in contact with it.
constexpr double depth_limit = 1.;
// Faces whose normals have a larger cosine than this are nearly parallel.
constexpr double parallel = 0.7;
// Node and face oppose each other if the cosine of their normals is below this.
constexpr double facing = -0.25;
// The same for what is looked at where there are shells, whose edges are rounded.
constexpr double facing_of_shells = 0.2;
// How much the cosine between two normals may change before one of them counts as turned. Between
// two fits it changes less.
constexpr double turn = FaceSearch<3>::unnoticed_turn;
// How far beside a face, in sizes of the face, still counts as on it. A contact that lasts is not
// lost because nodes at the rims of two bodies move a little beside each other; a new one must be
// inside.
constexpr double rim_of_new_contact = 1e-6;
constexpr double rim_of_lasting_contact = 0.1;
// Faces further away than the nearest one by this share of its size take no part in the normal of a
// contact, see FaceDetector::blend_normals().
constexpr double width_of_blending = 0.05;
// Faces whose normals have a larger cosine than this are one face to it.
constexpr double same_direction = 1 - 1e-9;

/// Is a point @p depth behind the tangent plane of a face of this @p size, and not further beside
/// the face than that and the @p rim? @p distance : from the face. All [length].
inline bool
is_behind(const double depth, const double distance, const double size, const double rim)
{
  if (!(depth > 0 && depth <= depth_limit * size))
    return false;
  const double beside = std::sqrt(std::max(0., distance * distance - depth * depth));
  return beside <= depth + rim;
}
} // namespace FaceRules
} // namespace KickDrift

#endif
