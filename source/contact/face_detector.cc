#include <kickdrift/contact/face_detector.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace KickDrift
{
namespace
{
// A node deeper behind a face than this share of the face's size is not in contact with it.
constexpr double depth_limit = 1.;
// Node and face look at each other if the cosine of their normals is below this.
constexpr double facing = -0.25;
// Faces whose normals have a larger cosine than this are nearly parallel.
constexpr double parallel = 0.7;
// In self-contact the two sides must have come nearer than this share of their first distance.
constexpr double approached = 0.5;
// How far beside a face, in sizes of the face, still counts as on it. A contact that lasts is not
// lost because nodes at the rims of two bodies move a little beside each other; a new one must be
// inside.
constexpr double rim_of_new_contact = 1e-6;
constexpr double rim_of_lasting_contact = 0.1;
// How much the cosine between two normals may differ from what they were at the last refit.
constexpr double turn = 0.5;
} // namespace

template <int spacedim>
FaceDetector<spacedim>::FaceDetector(NodeTable<spacedim> &nodes, const Surface<spacedim> &surface,
                                     const Exclusions &exclusions)
    : nodes(nodes), skin(surface), exclusions(exclusions), search(nodes, skin)
{
}

/// Zero for a node without faces (a particle).
template <int spacedim>
typename FaceDetector<spacedim>::Vector
FaceDetector<spacedim>::outward_normal(const Contactor &contactor) const
{
  return contactor.face == Contactor::no_face ? search.nodal_normal(contactor.nodes[0])
                                              : search.face_normal(contactor.face);
}

template <int spacedim>
bool
FaceDetector<spacedim>::excluded(const Contactor &contactor, const unsigned int f) const
{
  const auto &face = skin.faces[f];
  if (face.body == contactor.body)
    for (unsigned int i = 0; i < face.n_nodes; ++i)
      for (unsigned int j = 0; j < contactor.n_nodes; ++j)
        if (face.nodes[i] == contactor.nodes[j])
          return true;
  return exclusions.excluded(contactor.body, face.body);
}

template <int spacedim>
unsigned int
FaceDetector<spacedim>::corners_of(const unsigned int f, const double time, Corners &corners)
{
  const auto &face = skin.faces[f];
  for (unsigned int i = 0; i < face.n_nodes; ++i)
  {
    nodes[face.nodes[i]].drift(time);
    corners[i] = nodes.position(face.nodes[i]);
  }
  return face.n_nodes;
}

template <int spacedim>
unsigned int
FaceDetector<spacedim>::corners_at(const unsigned int f, const double time, Corners &corners) const
{
  const auto &face = skin.faces[f];
  for (unsigned int i = 0; i < face.n_nodes; ++i)
  {
    const unsigned int node = face.nodes[i];
    corners[i] = nodes.position(node) + (time - nodes[node].time) * nodes.velocity(node);
  }
  return face.n_nodes;
}

/// Distance of a point to the bounding box of the first @p n corners.
template <int spacedim>
double
FaceDetector<spacedim>::distance_to_box(const Corners &corners, const unsigned int n,
                                        const dealii::Point<spacedim> &point)
{
  double square = 0;
  for (unsigned int d = 0; d < spacedim; ++d)
  {
    double lower = corners[0][d], upper = corners[0][d];
    for (unsigned int i = 1; i < n; ++i)
    {
      lower = std::min(lower, corners[i][d]);
      upper = std::max(upper, corners[i][d]);
    }
    const double outside = std::max(0., std::max(lower - point[d], point[d] - upper));
    square += outside * outside;
  }
  return std::sqrt(square);
}

/// What the last search has found, by distance of bounding boxes, nearest first; without own
/// faces and those whose normal n has n . direction > limit.
template <int spacedim>
void
FaceDetector<spacedim>::sort_nearby(const Contactor &contactor,
                                    const dealii::Point<spacedim> &point, const double time,
                                    const Vector &direction, const double limit)
{
  by_distance.clear();
  Corners corners;
  for (const unsigned int f : nearby)
  {
    if (search.face_normal(f) * direction > limit || excluded(contactor, f))
      continue;
    const unsigned int n = corners_of(f, time, corners);
    by_distance.emplace_back(distance_to_box(corners, n, point), f);
  }
  std::sort(by_distance.begin(), by_distance.end());
}

template <int spacedim>
double
FaceDetector<spacedim>::facing_limit(const Vector &outward) const
{
  return outward.norm_square() > 0 ? facing : 1;
}

template <int spacedim>
double
FaceDetector<spacedim>::clearance(const unsigned int c, const double sight)
{
  const Contactor &contactor = skin.contactors[c];
  const Vector outward = outward_normal(contactor);
  const auto point = contactor.position(nodes);
  const double time = nodes[contactor.nodes[0]].time;
  nearby.clear();
  const double limit = facing_limit(outward) + turn; // bodies turn while the contactor sleeps
  search.candidates({point, point}, sight, outward, limit, nearby);
  double nearest = sight;
  Corners corners;
  for (const unsigned int f : nearby)
  {
    // a body does not fold so soon, and the other side of it is too deep to be touched
    const bool is_own = skin.faces[f].body == contactor.body;
    const Vector &normal = search.face_normal(f);
    if (is_own && normal * outward > facing_limit(outward))
      continue;
    const unsigned int n = corners_at(f, time, corners);
    if (is_own && normal * (point - corners[0]) <= -2 * depth_limit * search.face_size(f))
      continue;
    const double distance = distance_to_box(corners, n, point);
    if (distance < nearest && !excluded(contactor, f))
      nearest = distance;
  }
  return nearest;
}

template <int spacedim>
Touch<spacedim>
FaceDetector<spacedim>::find(const DetectorQuery &query)
{
  Touch<spacedim> touch;
  const auto hit = find_face(query);
  if (hit.face == Hit<spacedim>::none)
    return touch;
  const Contactor &contactor = skin.contactors[query.contactor];
  const auto &face = skin.faces[hit.face];
  touch.sees = true;
  touch.touches = hit.touches;
  touch.is_lost = query.lasts && hit.depth > depth_limit * search.face_size(hit.face);
  touch.depth = hit.depth;
  touch.distance = hit.closest.distance;
  touch.size = search.face_size(hit.face);
  touch.body = contactor.body;
  touch.target = face.body;
  touch.stencil.normal = hit.closest.normal;
  for (unsigned int i = 0; i < contactor.n_nodes; ++i)
    touch.stencil.add(contactor.nodes[i], contactor.weights[i]);
  for (unsigned int i = 0; i < face.n_nodes; ++i)
    touch.stencil.add(face.nodes[i], -hit.closest.weights[i]);
  return touch;
}

template <int spacedim>
Hit<spacedim>
FaceDetector<spacedim>::find_face(const DetectorQuery &query)
{
  const Contactor &contactor = skin.contactors[query.contactor];
  for (const unsigned int node : contactor.node_view())
    nodes[node].drift(query.time);
  const auto point = contactor.position(nodes);
  Hit<spacedim> hit;

  // the nearest face that looks at the contactor and at which the contactor looks; a node without
  // faces (a particle) looks everywhere
  const Vector outward = outward_normal(contactor);
  const double limit = facing_limit(outward);
  nearby.clear();
  search.candidates({point, point}, query.radius, outward, limit, nearby);
  sort_nearby(contactor, point, query.time, outward, limit + turn);
  double nearest = std::numeric_limits<double>::infinity();
  Corners corners;
  for (const auto &[distance, f] : by_distance)
  {
    if (distance >= nearest)
      break;
    const unsigned int n = corners_of(f, query.time, corners);
    const auto closest = closest_point<spacedim>(corners.data(), n, point);
    if (closest.distance >= nearest || outward * closest.normal > limit ||
        is_neighbour(contactor, f, closest))
      continue;
    nearest = closest.distance;
    hit.face = f;
    hit.closest = closest;
  }
  if (nearest == std::numeric_limits<double>::infinity())
    return hit;

  hit.depth = -(hit.closest.normal * (point - hit.closest.point));
  const double size = search.face_size(hit.face);
  if (hit.depth <= 0 || hit.depth > depth_limit * size)
    return hit;
  const double beside = std::sqrt(std::max(0., nearest * nearest - hit.depth * hit.depth));
  const double rim = size * (query.lasts ? rim_of_lasting_contact : rim_of_new_contact);
  hit.touches = beside <= hit.depth + rim && !is_outside(query, hit, rim);
  return hit;
}

/// Is the face near only because it is a neighbour of the contactor on its own body?
template <int spacedim>
bool
FaceDetector<spacedim>::is_neighbour(const Contactor &contactor, const unsigned int f,
                                     const ClosestPoint<spacedim> &closest) const
{
  const auto &face = skin.faces[f];
  if (face.body != contactor.body)
    return false;
  Vector between;
  for (unsigned int i = 0; i < contactor.n_nodes; ++i)
    between += contactor.weights[i] * nodes.reference(contactor.nodes[i]);
  for (unsigned int i = 0; i < face.n_nodes; ++i)
    between -= closest.weights[i] * nodes.reference(face.nodes[i]);
  return closest.distance > approached * between.norm();
}

/// Is the contactor behind one face of a body, but in front of another one that is nearer?
template <int spacedim>
bool
FaceDetector<spacedim>::is_outside(const DetectorQuery &query, const Hit<spacedim> &hit,
                                   const double rim)
{
  const Contactor &contactor = skin.contactors[query.contactor];
  const auto point = contactor.position(nodes);
  const unsigned int body = skin.faces[hit.face].body;
  // faces that are nearly parallel to the one that was hit say the same as it does
  nearby.clear();
  search.candidates({point, point}, hit.closest.distance, hit.closest.normal, parallel, nearby);
  sort_nearby(contactor, point, query.time, hit.closest.normal, parallel);
  Corners corners;
  for (const auto &[distance, f] : by_distance)
  {
    if (distance >= hit.closest.distance)
      break;
    if (skin.faces[f].body != body)
      continue;
    const unsigned int n = corners_of(f, query.time, corners);
    const auto closest = closest_point<spacedim>(corners.data(), n, point);
    if (closest.distance < hit.closest.distance && closest.normal * (point - closest.point) > rim)
      return true;
  }
  return false;
}

template <int spacedim>
bool
FaceDetector<spacedim>::is_near_other_face(const dealii::Point<spacedim> &point,
                                           const double distance, const unsigned int body,
                                           const Vector &outward,
                                           const std::array<Vector, 2> &directions,
                                           const double time)
{
  nearby.clear();
  search.candidates({point, point}, distance, outward, 0., nearby);
  Corners corners;
  for (const unsigned int f : nearby)
  {
    const Vector &normal = search.face_normal(f);
    if (skin.faces[f].body != body || normal * outward > 0 || normal * directions[0] > parallel ||
        normal * directions[1] > parallel)
      continue;
    const unsigned int n = corners_of(f, time, corners);
    if (closest_point<spacedim>(corners.data(), n, point).distance < distance)
      return true;
  }
  return false;
}

template class FaceDetector<2>;
template class FaceDetector<3>;
} // namespace KickDrift
