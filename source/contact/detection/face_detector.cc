#include <kickdrift/base/archive_checks.h>
#include <kickdrift/base/limits.h>
#include <kickdrift/contact/detection/face_detector.h>

#include "face_rules.h"

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace
{
using namespace FaceRules;

using Limits::infinity;

/// Of a contactor from the surface, which may be in front of the face [length].
template <int spacedim>
double
distance_of(const FaceProjection<spacedim> &hit)
{
  if (hit.offset == 0)
    return hit.closest.distance;
  const double height = hit.offset - hit.depth;
  return std::sqrt(std::max(0., hit.closest.distance * hit.closest.distance - height * height) +
                   hit.depth * hit.depth);
}
} // namespace

template <int spacedim>
FaceDetector<spacedim>::FaceDetector(const NodeTable<spacedim> &nodes,
                                     const Surface<spacedim> &surface, const Exclusions &exclusions,
                                     const FaceSearch<spacedim> &search,
                                     const MotionBounds<spacedim> &bounds)
    : nodes(nodes),
      contact_surface(surface),
      exclusions(exclusions),
      search(search),
      bounds(bounds),
      neighborhood(exclusions, search, bounds, *this),
      widest_cosine(surface.has_shells() ? facing_of_shells : facing),
      memories(surface.contactors.size()),
      sides(surface.contactors.size())
{
  changed.start(sides.size());
  neighborhood.start(memories.size());
  mark_free_edges();
}

template <int spacedim>
ClosestPoint<spacedim>
FaceDetector<spacedim>::closest_point_of(const unsigned int f, const dealii::Point<spacedim> &point,
                                         const double time) const
{
  const auto &face = contact_surface.faces[f];
  std::array<dealii::Point<spacedim>, SurfaceFace<spacedim>::max_nodes> corners;
  for (unsigned int i = 0; i < face.n_nodes; ++i)
    corners[i] = nodes.position_at(face.nodes[i], time);
  return closest_point<spacedim>(corners.data(), face.n_nodes, point);
}

template <int spacedim>
void
FaceDetector<spacedim>::update_neighborhood(const NeighborhoodQuery &query, const double time,
                                            const double radius)
{
  if (neighborhood.update(query, time, radius))
    memories[query.index].others = -1;
}

template <int spacedim>
ContactPoint<spacedim>
FaceDetector<spacedim>::find(const ContactTest &test)
{
  ContactPoint<spacedim> touch;
  const auto hit = find_face(test);
  if (hit.face == FaceProjection<spacedim>::none)
    return touch;
  const Contactor &contactor = contact_surface.contactors[test.contactor];
  const auto &face = contact_surface.faces[hit.face];
  touch.sees = true;
  touch.touches = hit.touches;
  touch.is_lost = test.lasts && hit.depth - hit.offset > depth_limit * search.face_size(hit.face);
  touch.depth = hit.depth;
  touch.distance = distance_of(hit);
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
FaceProjection<spacedim>
FaceDetector<spacedim>::find_face(const ContactTest &test)
{
  const Contactor &contactor = contact_surface.contactors[test.contactor];
  const auto point = contactor.position_at(nodes, test.time);
  const NeighborhoodQuery own = query(test.contactor, point);
  update_neighborhood(own, test.time, test.radius);
  Memory &memory = memories[test.contactor];

  FaceProjection<spacedim> hit;
  if (find_passed(test, own.outward, point, hit))
  {
    if (memory.face != hit.face)
      memory.others = -1;
    memory.face = hit.face;
    note_side(test.contactor);
    blend_normals(test, point, own.outward, hit);
    return hit;
  }
  if (other_has_passed(test, point))
  {
    memory.face = FaceProjection<spacedim>::none;
    memory.others = -1;
    memory.in_front = false;
    note_side(test.contactor);
    return hit;
  }
  double nearest = test.radius;
  double last = infinity;
  if (memory.face != FaceProjection<spacedim>::none)
    last = consider(memory.face, test.contactor, own.outward, point, test.time, nearest, hit);
  if (hit.face == FaceProjection<spacedim>::none ||
      !is_nearest(memory, contactor, point, test.time, nearest))
    consider_all(test.contactor, point, test.time, last, nearest, hit);
  judge(test, point, &neighborhood.neighbors(test.contactor), hit);
  if (hit.touches)
    blend_normals(test, point, own.outward, hit);
  memory.in_front = memory.face != FaceProjection<spacedim>::none && hit.offset > 0 &&
                    !hit.is_round && (hit.touches || hit.depth <= hit.offset);
  note_side(test.contactor);
  return hit;
}

template <int spacedim>
bool
FaceDetector<spacedim>::touches(const ContactTest &test, const unsigned int body) const
{
  const Contactor &contactor = contact_surface.contactors[test.contactor];
  const auto point = contactor.position_at(nodes, test.time);
  const Vector outward = outward_normal(contactor);
  const NeighborhoodQuery own{test.contactor,   contactor.body,
                              contactor.length, {&point, 1},
                              outward,          0.5 * contact_surface.thickness(contactor.body)};

  FaceProjection<spacedim> hit;
  if (find_passed(test, outward, point, hit))
    return contact_surface.faces[hit.face].body == body;
  if (other_has_passed(test, point))
    return false;
  double nearest = test.radius;
  const auto consider_faces_of = [&](const unsigned int b)
  {
    if (exclusions.excluded(contactor.body, b) ||
        search.distance_to_body(b, {point, point}, test.time) > nearest)
      return;
    static thread_local std::vector<unsigned int> nearby;
    nearby.clear();
    find_targets(own, b, nearest, test.time, nearby);
    for (const unsigned int face : nearby)
      if (is_possible(own, face))
        consider(face, test.contactor, outward, point, test.time, nearest, hit);
  };
  consider_faces_of(body);
  judge(test, point, nullptr, hit);
  if (!hit.touches)
    return false;
  // but perhaps it looks at another body that is nearer
  for (unsigned int b = 0; b < bounds.n_bodies(); ++b)
    if (b != body)
      consider_faces_of(b);
  return contact_surface.faces[hit.face].body == body;
}

template <int spacedim>
void
FaceDetector<spacedim>::judge(const ContactTest &test, const dealii::Point<spacedim> &point,
                              const NeighborList<spacedim> *listed,
                              FaceProjection<spacedim> &hit) const
{
  if (hit.face == FaceProjection<spacedim>::none)
    return;
  const double behind = -(hit.closest.normal * (point - hit.closest.point));
  hit.depth = hit.offset + behind;
  const double size = search.face_size(hit.face);
  const double rim = size * (test.lasts ? rim_of_lasting_contact : rim_of_new_contact);
  if (hit.offset > 0 && behind <= 0)
    hit.touches = hit.depth > 0;
  else
    hit.touches = is_behind(behind, hit.closest.distance, size, rim) &&
                  (contact_surface.faces[hit.face].side != Side::only ||
                   !is_outside(test, point, listed, hit, rim));
}

template <int spacedim>
void
FaceDetector<spacedim>::consider_all(const unsigned int c, const dealii::Point<spacedim> &point,
                                     const double time, const double distance_of_last,
                                     double nearest, FaceProjection<spacedim> &hit)
{
  const Contactor &contactor = contact_surface.contactors[c];
  const NeighborList<spacedim> &neighbors = neighborhood.neighbors(c);
  Memory &memory = memories[c];
  const unsigned int last = memory.face;
  double others = hit.face == FaceProjection<spacedim>::none ? distance_of_last : infinity;
  for (const auto &target : neighbors.targets())
  {
    if (neighbors.distance_from_here_on(target) >= nearest)
    {
      others = std::min(others, neighbors.distance_from_here_on(target));
      break;
    }
    if (target.index == last)
      continue;
    const double before = nearest;
    const double distance =
        neighbors.distance(target) >= nearest
            ? neighbors.distance(target)
            : consider(target.index, c, memory.outward, point, time, nearest, hit);
    others = std::min(others, nearest < before ? before : distance);
  }
  memory.face = hit.face;
  memory.others = -1;
  if (hit.face == FaceProjection<spacedim>::none)
    return;
  // what others may do is known in the frame of one body
  const unsigned int body = contact_surface.faces[hit.face].body;
  for (const auto &target : neighbors.targets())
    if (contact_surface.faces[target.index].body != body)
      return;
  memory.others = others;
  memory.seen_from = point;
  memory.displacement = bounds.displacement(body, time);
  memory.path = bounds.path(body, time);
  memory.fits_then = search.n_fits(contactor.body) + search.n_fits(body);
}

template <int spacedim>
bool
FaceDetector<spacedim>::is_nearest(const Memory &memory, const Contactor &contactor,
                                   const dealii::Point<spacedim> &point, const double time,
                                   const double distance) const
{
  if (distance >= memory.others)
    return false;
  const unsigned int body = contact_surface.faces[memory.face].body;
  const Vector moved =
      point - memory.seen_from - (bounds.displacement(body, time) - memory.displacement);
  return distance + moved.norm() + bounds.path(body, time) - memory.path < memory.others &&
         memory.fits_then == search.n_fits(contactor.body) + search.n_fits(body);
}

template <int spacedim>
double
FaceDetector<spacedim>::consider(const unsigned int f, const unsigned int c, const Vector &outward,
                                 const dealii::Point<spacedim> &point, const double time,
                                 double &nearest, FaceProjection<spacedim> &hit) const
{
  const Contactor &contactor = contact_surface.contactors[c];
  if (!may_look_at(outward, f))
    return infinity;
  const double at_least = gap_to_box(contactor, f, point, time);
  if (at_least >= nearest)
    return at_least;
  if (is_far_side(f, contactor, point, time))
    return infinity;
  FaceProjection<spacedim> candidate;
  candidate.face = f;
  candidate.closest = closest_point_of(f, point, time);
  candidate.offset = contact_surface.offset(contactor.body, contact_surface.faces[f].body);
  const double distance = candidate.closest.distance - candidate.offset;
  if (distance >= nearest || (candidate.offset > 0 && !find_side(c, point, candidate)) ||
      candidate.closest.distance - candidate.offset >= nearest ||
      !is_opposed_to(contactor, outward, f, candidate.closest) ||
      (candidate.offset > 0 && is_left_to_neighbour(contactor, candidate, point, time)))
    return distance;
  nearest = candidate.closest.distance - candidate.offset;
  hit = candidate;
  return distance;
}

template <int spacedim>
bool
FaceDetector<spacedim>::is_opposed_to(const Contactor &contactor, const Vector &outward,
                                      const unsigned int f,
                                      const ClosestPoint<spacedim> &closest) const
{
  return outward * closest.normal <= touching_limit(contactor, outward) &&
         !is_neighbour(contactor, f, closest);
}

template <int spacedim>
bool
FaceDetector<spacedim>::is_neighbour(const Contactor &contactor, const unsigned int f,
                                     const ClosestPoint<spacedim> &closest) const
{
  const unsigned int body = contact_surface.faces[f].body;
  return body == contactor.body &&
         closest.distance >
             contact_surface.share_of_first_distance(body) * first_distance(contactor, f, closest);
}

template <int spacedim>
void
FaceDetector<spacedim>::Memory::serialize(Archive &archive)
{
  archive(outward, fits, face, in_front, others, seen_from, displacement, path, fits_then,
          clearance.until, clearance.retry, clearance.distance, clearance.spare, clearance.since,
          clearance.rate, clearance.n_moves, clearance.normal_changes, place);
}

template <int spacedim>
void
FaceDetector<spacedim>::serialize_contactor(Archive &archive, const unsigned int contactor)
{
  neighborhood.serialize(archive, contactor);
  archive(memories[contactor]);
}

template <int spacedim>
void
FaceDetector<spacedim>::serialize(Archive &archive)
{
  archive.section("face detector");
  archive(neighborhood);
  archive.fixed(memories);
  if (archive.is_reading())
    for (unsigned int c = 0; c < memories.size(); ++c)
      note_side(c);
  rates_version = -1; // bounds may have been read
  neighborhood.check(contact_surface.faces.size());
  for (const Memory &memory : memories)
    check_state((memory.face == FaceProjection<spacedim>::none ||
                 memory.face < contact_surface.faces.size()) &&
                    is_flag(memory.in_front) &&
                    !(memory.in_front && memory.face == FaceProjection<spacedim>::none),
                "face detector");
}

template class FaceDetector<2>;
template class FaceDetector<3>;
} // namespace KickDrift
