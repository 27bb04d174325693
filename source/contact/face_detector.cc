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
// How far, in its lengths, a contactor first looks for what it could touch of its own body.
constexpr double first_sight = 32;
// A contactor nearer to something than so many lengths looks which way that faces.
constexpr double sight = 2;
// A contactor is looked at again before it can be deeper than this share of a body's thickness: a
// particle may be nearer to the far side then.
constexpr double depth_of_nodes = 0.9, depth_of_particles = 0.45;
} // namespace

template <int spacedim>
FaceDetector<spacedim>::FaceDetector(NodeTable<spacedim> &nodes, const Surface<spacedim> &surface,
                                     const Exclusions &exclusions, MotionBounds<spacedim> &bounds)
    : nodes(nodes),
      skin(surface),
      exclusions(exclusions),
      bounds(bounds),
      search(nodes, skin, bounds)
{
}

template <int spacedim>
void
FaceDetector<spacedim>::start(const double time, const double shortest_interval)
{
  search.build(time, shortest_interval);
  tracks.assign(skin.contactors.size(), Track());
  own_clearances.assign(skin.contactors.size(), OwnClearance());
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

template <int spacedim>
double
FaceDetector<spacedim>::facing_limit(const Vector &outward) const
{
  return outward.norm_square() > 0 ? facing : 1;
}

template <int spacedim>
bool
FaceDetector<spacedim>::is_far_side(const unsigned int f, const dealii::Point<spacedim> &point,
                                    const dealii::Point<spacedim> &corner) const
{
  return search.face_normal(f) * (point - corner) <= -2 * depth_limit * search.face_size(f);
}

template <int spacedim>
double
FaceDetector<spacedim>::clearance(const unsigned int c, const double time, const double sight,
                                  const bool of_own_body)
{
  const Contactor &contactor = skin.contactors[c];
  const Vector outward = outward_normal(contactor);
  const double limit = facing_limit(outward);
  const auto point = contactor.position(nodes);
  const Box<spacedim> box{point, point};
  nearby.clear();
  if (of_own_body) // does not fold so soon
    search.candidates_of(contactor.body, box, sight, outward, limit, time, nearby);
  else
    for (unsigned int b = 0; b < bounds.n_bodies(); ++b)
      if (b != contactor.body && search.distance_to_body(b, box, time) < sight)
        search.candidates_of(b, box, sight, outward, limit + turn, time, nearby);
  double nearest = sight;
  Corners corners;
  for (const unsigned int f : nearby)
  {
    if (search.face_normal(f) * outward > (of_own_body ? limit : limit + turn))
      continue;
    const unsigned int n = corners_at(f, time, corners);
    if (of_own_body && is_far_side(f, point, corners[0]))
      continue;
    const double distance = distance_to_box(corners, n, point);
    if (distance < nearest && !excluded(contactor, f))
      nearest = distance;
  }
  return nearest;
}

template <int spacedim>
Freedom
FaceDetector<spacedim>::freedom(const unsigned int c, const double time, double)
{
  const Contactor &contactor = skin.contactors[c];
  const unsigned int own = contactor.body;
  const auto point = contactor.position(nodes);
  const double share =
      outward_normal(contactor).norm_square() > 0 ? depth_of_nodes : depth_of_particles;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Freedom freedom{infinity, infinity};
  double fastest = 0;
  for (unsigned int b = 0; b < bounds.n_bodies(); ++b)
    if (b != own && !exclusions.excluded(own, b))
    {
      const double rate = bounds.rate(own, b);
      const double until = search.free_until(b, {point, point}, own, time, freedom.latest);
      freedom.until = std::min(freedom.until, until);
      freedom.latest = std::min(freedom.latest, until + share * search.thickness(b) / rate);
      fastest = std::max(fastest, rate);
    }
  if ((freedom.until - time) * fastest < contactor.length)
    freedom.until = std::max(freedom.until,
                             time + clearance(c, time, sight * contactor.length, false) / fastest);
  if (!exclusions.excluded(own, own))
  {
    const auto own_clearance = [&](const double range) { return clearance(c, time, range, true); };
    const double until = own_clearances[c].free_until(own, time, first_sight * contactor.length,
                                                      search, bounds, own_clearance);
    freedom.until = std::min(freedom.until, until);
    freedom.latest =
        std::min(freedom.latest, until + share * search.thickness(own) / bounds.rate(own, own));
  }
  freedom.latest = std::max(freedom.latest, freedom.until);
  return freedom;
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
  const Vector outward = outward_normal(contactor);
  const Track &track = tracks[query.contactor];
  bool is_found = false;
  if (track.version == bounds.version() && query.time < track.until)
  {
    const double others = track.others - track.rate * (query.time - track.time);
    if (track.face == Hit<spacedim>::none)
      is_found = others >= query.radius;
    else if (others > 0)
    {
      Corners corners;
      const unsigned int n = corners_of(track.face, query.time, corners);
      hit.closest = closest_point<spacedim>(corners.data(), n, point);
      is_found = hit.closest.distance < others && hit.closest.distance < query.radius &&
                 looks_at(contactor, outward, track.face, hit.closest);
      if (is_found)
        hit.face = track.face;
    }
  }
  // nothing else of another body is nearer
  const bool is_alone =
      is_found && hit.face != Hit<spacedim>::none && skin.faces[hit.face].body != contactor.body;
  if (!is_found)
    search_all(query, point, outward, hit);
  if (hit.face == Hit<spacedim>::none)
    return hit;

  hit.depth = -(hit.closest.normal * (point - hit.closest.point));
  const double size = search.face_size(hit.face);
  if (hit.depth <= 0 || hit.depth > depth_limit * size)
    return hit;
  const double distance = hit.closest.distance;
  const double beside = std::sqrt(std::max(0., distance * distance - hit.depth * hit.depth));
  const double rim = size * (query.lasts ? rim_of_lasting_contact : rim_of_new_contact);
  hit.touches = beside <= hit.depth + rim && (is_alone || !is_outside(query, hit, rim));
  return hit;
}

template <int spacedim>
bool
FaceDetector<spacedim>::looks_at(const Contactor &contactor, const Vector &outward,
                                 const unsigned int f, const ClosestPoint<spacedim> &closest) const
{
  return outward * closest.normal <= facing_limit(outward) && !is_neighbour(contactor, f, closest);
}

/// Fills by_distance and what the track says about bodies; nearest faces come first.
template <int spacedim>
void
FaceDetector<spacedim>::find_nearby(const DetectorQuery &query,
                                    const dealii::Point<spacedim> &point, const Vector &outward)
{
  const Contactor &contactor = skin.contactors[query.contactor];
  const unsigned int own = contactor.body;
  const double limit = facing_limit(outward);
  const Box<spacedim> box{point, point};
  Track &track = tracks[query.contactor];
  track = Track();
  track.time = query.time;
  track.version = bounds.version();
  track.until = std::numeric_limits<double>::infinity();
  nearby.clear();
  for (unsigned int b = 0; b < bounds.n_bodies(); ++b)
  {
    if (exclusions.excluded(own, b))
      continue;
    const double rate = bounds.rate(own, b);
    if (b == own)
    {
      const double clear = own_clearances[query.contactor].rest(own, query.time, search, bounds);
      if (clear > 2 * query.radius)
      {
        track.until = std::min(track.until, query.time + (clear - query.radius) / rate);
        continue;
      }
      search.candidates_of(b, box, query.radius, outward, limit, query.time, nearby);
    }
    else
    {
      const double distance = search.distance_to_body(b, box, query.time);
      if (distance > 2 * query.radius)
      {
        track.until = std::min(track.until, query.time + (distance - query.radius) / rate);
        continue;
      }
      search.candidates_of(b, box, query.radius, query.time, nearby);
    }
    track.rate = std::max(track.rate, rate);
  }

  by_distance.clear();
  Corners corners;
  for (const unsigned int f : nearby)
  {
    const bool is_facing = search.face_normal(f) * outward <= limit + turn;
    const bool is_own = skin.faces[f].body == own;
    if ((is_own && !is_facing) || excluded(contactor, f))
      continue;
    const unsigned int n = corners_of(f, query.time, corners);
    if (is_own && is_far_side(f, point, corners[0]))
      continue;
    by_distance.push_back({distance_to_box(corners, n, point), f, is_facing});
  }
  std::sort(by_distance.begin(), by_distance.end());
}

/// The nearest face that looks at the contactor and at which the contactor looks; a node without
/// faces (a particle) looks everywhere.
template <int spacedim>
void
FaceDetector<spacedim>::search_all(const DetectorQuery &query, const dealii::Point<spacedim> &point,
                                   const Vector &outward, Hit<spacedim> &hit)
{
  find_nearby(query, point, outward);
  const Contactor &contactor = skin.contactors[query.contactor];
  Track &track = tracks[query.contactor];
  track.others = query.radius;
  double nearest = std::numeric_limits<double>::infinity();
  Corners corners;
  for (const Near &near : by_distance)
  {
    if (near.distance >= nearest || !near.is_facing)
    {
      track.others = std::min(track.others, near.distance);
      continue;
    }
    const unsigned int n = corners_of(near.face, query.time, corners);
    const auto closest = closest_point<spacedim>(corners.data(), n, point);
    if (closest.distance >= nearest || !looks_at(contactor, outward, near.face, closest))
    {
      track.others = std::min(track.others, closest.distance);
      continue;
    }
    track.others = std::min(track.others, nearest); // the one before
    nearest = closest.distance;
    hit.face = near.face;
    hit.closest = closest;
  }
  track.face = hit.face;
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
  search.candidates_of(body, {point, point}, hit.closest.distance, hit.closest.normal, parallel,
                       query.time, nearby);
  Corners corners;
  for (const unsigned int f : nearby)
  {
    if (search.face_normal(f) * hit.closest.normal > parallel || excluded(contactor, f))
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
  search.candidates_of(body, {point, point}, distance, outward, 0., time, nearby);
  Corners corners;
  for (const unsigned int f : nearby)
  {
    const Vector &normal = search.face_normal(f);
    if (normal * outward > 0 || normal * directions[0] > parallel ||
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
