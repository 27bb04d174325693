// Faces as targets: which of them a contactor may touch, how far they are, how long it can sleep.

#include <kickdrift/base/limits.h>
#include <kickdrift/contact/detection/face_detector.h>

#include "face_rules.h"

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace
{
using namespace FaceRules;

// A face of its own body that a node is behind by more than this multiple of the face's size is on
// the body's far side.
constexpr double far_side = 1.5; // contact goes as deep as one, and normals are not quite new
// A contactor is looked at again before it can be deeper than this share of a body's thickness: a
// particle may be nearer to the far side then.
constexpr double depth_of_nodes = 0.9, depth_of_particles = 0.45;
using Limits::infinity;

/// Two numbers on which the compiler computes at once, on any processor.
using Double2 = double __attribute__((vector_size(16)));

Double2
load(const double *p)
{
  return Double2{p[0], p[1]};
}

Double2
smaller(const Double2 &a, const Double2 &b)
{
  return a < b ? a : b;
}

Double2
larger(const Double2 &a, const Double2 &b)
{
  return a > b ? a : b;
}
} // namespace

template <int spacedim>
typename FaceDetector<spacedim>::Vector
FaceDetector<spacedim>::outward_normal(const Contactor &contactor) const
{
  return contactor.face == Contactor::no_face
             ? search.nodal_normal(contactor.nodes[0], contactor.side)
             : search.face_normal(contactor.face);
}

template <int spacedim>
dealii::ArrayView<const unsigned int>
FaceDetector<spacedim>::faces_of(const unsigned int c) const
{
  const Contactor &contactor = contact_surface.contactors[c];
  if (contactor.face == Contactor::no_face)
    return search.faces_of_node(contactor.nodes[0], contactor.side);
  return {&contactor.face, 1};
}

template <int spacedim>
double
FaceDetector<spacedim>::largest_cosine() const
{
  return widest_cosine;
}

template <int spacedim>
bool
FaceDetector<spacedim>::excluded(const Contactor &contactor, const unsigned int f) const
{
  const auto &face = contact_surface.faces[f];
  if (face.body == contactor.body)
    for (unsigned int i = 0; i < face.n_nodes; ++i)
      for (unsigned int j = 0; j < contactor.n_nodes; ++j)
        if (face.nodes[i] == contactor.nodes[j])
          return true;
  return exclusions.excluded(contactor.body, face.body);
}

// The commonest question of all, so the first two coordinates are dealt with at once.
template <int spacedim>
double
FaceDetector<spacedim>::distance_to_box(const unsigned int f, const dealii::Point<spacedim> &point,
                                        const double time) const
{
  const auto &face = contact_surface.faces[f];
  Double2 lower{infinity, infinity}, upper = -lower;
  double lower_z = infinity, upper_z = -infinity;
  for (unsigned int i = 0; i < face.n_nodes; ++i)
  {
    const auto corner = nodes.position_at(face.nodes[i], time);
    lower = smaller(load(&corner[0]), lower);
    upper = larger(load(&corner[0]), upper);
    if constexpr (spacedim == 3)
    {
      lower_z = std::min(lower_z, corner[2]);
      upper_z = std::max(upper_z, corner[2]);
    }
  }
  const Double2 here = load(&point[0]);
  const Double2 outside = larger(larger(lower - here, here - upper), Double2{0., 0.});
  double square = outside[0] * outside[0] + outside[1] * outside[1];
  if constexpr (spacedim == 3)
  {
    const double outside_z = std::max(0., std::max(lower_z - point[2], point[2] - upper_z));
    square += outside_z * outside_z;
  }
  return std::sqrt(square);
}

template <int spacedim>
double
FaceDetector<spacedim>::facing_limit(const Vector &outward) const
{
  return outward.norm_square() > 0 ? widest_cosine : 1;
}

template <int spacedim>
bool
FaceDetector<spacedim>::is_far_side(const unsigned int f, const Contactor &contactor,
                                    const dealii::Point<spacedim> &point, const double time) const
{
  return is_on_piece(contactor, f) &&
         search.face_normal(f) *
                 (point - nodes.position_at(contact_surface.faces[f].nodes[0], time)) <=
             -far_side * search.face_size(f);
}

template <int spacedim>
bool
FaceDetector<spacedim>::is_on_piece(const Contactor &contactor, const unsigned int f) const
{
  if (contact_surface.faces[f].body != contactor.body)
    return false;
  if (contactor.face != Contactor::no_face)
    return search.component(contactor.face) == search.component(f);
  const auto faces = search.faces_of_node(contactor.nodes[0]);
  return faces.size() > 0 && search.component(faces[0]) == search.component(f);
}

template <int spacedim>
typename FaceDetector<spacedim>::NeighborhoodQuery
FaceDetector<spacedim>::query(const unsigned int c, const dealii::Point<spacedim> &point)
{
  const Contactor &contactor = contact_surface.contactors[c];
  update_normal(c);
  return {c,           contactor.body,      contactor.length,
          {&point, 1}, memories[c].outward, 0.5 * contact_surface.thickness(contactor.body)};
}

template <int spacedim>
void
FaceDetector<spacedim>::update_normal(const unsigned int c)
{
  const Contactor &contactor = contact_surface.contactors[c];
  Memory &memory = memories[c];
  if (memory.fits == search.n_fits(contactor.body))
    return;
  memory.fits = search.n_fits(contactor.body);
  memory.outward = outward_normal(contactor);
}

template <int spacedim>
void
FaceDetector<spacedim>::find_targets(const NeighborhoodQuery &query, const unsigned int body,
                                     const double radius, const double time,
                                     std::vector<unsigned int> &found) const
{
  const Box<spacedim> box = query.box();
  if (body == query.body)
    search.candidates_of(body, box, radius, cone(query), time, found);
  else
    search.candidates_of(body, box, radius, time, found);
}

template <int spacedim>
double
FaceDetector<spacedim>::distance_to_own(const NeighborhoodQuery &query, const double time,
                                        const double furthest) const
{
  return search.distance_to_nearest(query.body, query.box(), cone(query), time, furthest,
                                    [&](const unsigned int face)
                                    {
                                      return may_look_at(query, face) && is_possible(query, face)
                                                 ? distance_to(query, face, time)
                                                 : infinity;
                                    });
}

template <int spacedim>
typename FaceSearch<spacedim>::NormalCone
FaceDetector<spacedim>::cone(const NeighborhoodQuery &query) const
{
  // pieces of a body, and particles, can fly around each other
  const bool has_far_side = search.is_connected(query.body) && query.outward.norm_square() > 0;
  return {query.outward, facing_limit(query.outward) + turn, has_far_side ? far_side : infinity};
}

template <int spacedim>
void
FaceDetector<spacedim>::find_targets_of_face(const unsigned int face,
                                             std::vector<unsigned int> &found) const
{
  found.push_back(face);
}

template <int spacedim>
bool
FaceDetector<spacedim>::is_possible(const NeighborhoodQuery &query, const unsigned int face) const
{
  return !excluded(contact_surface.contactors[query.index], face);
}

template <int spacedim>
unsigned int
FaceDetector<spacedim>::body_of_target(const unsigned int face) const
{
  return contact_surface.faces[face].body;
}

template <int spacedim>
double
FaceDetector<spacedim>::distance_to(const NeighborhoodQuery &query, const unsigned int face,
                                    const double time) const
{
  const dealii::Point<spacedim> &point = query.points[0];
  const Contactor &contactor = contact_surface.contactors[query.index];
  return is_far_side(face, contactor, point, time) ? infinity
                                                   : gap_to_box(contactor, face, point, time);
}

template <int spacedim>
bool
FaceDetector<spacedim>::carries(const unsigned int f, const NeighborhoodQuery &query) const
{
  const Contactor &contactor = contact_surface.contactors[query.index];
  if (contactor.face != Contactor::no_face)
    return contactor.face == f;
  const auto &face = contact_surface.faces[f];
  return std::find(face.nodes.begin(), face.nodes.begin() + face.n_nodes, contactor.nodes[0]) !=
         face.nodes.begin() + face.n_nodes;
}

template <int spacedim>
bool
FaceDetector<spacedim>::may_look_at(const NeighborhoodQuery &query, const unsigned int face) const
{
  return may_look_at(query.outward, face);
}

// a particle looks everywhere
template <int spacedim>
bool
FaceDetector<spacedim>::may_look_at(const Vector &outward, const unsigned int face) const
{
  return search.face_normal(face) * outward <= facing_limit(outward) + turn;
}

template <int spacedim>
ContactFreeInterval
FaceDetector<spacedim>::free_interval(const unsigned int c, const double time, double)
{
  const auto point = position_of(c, time);
  const NeighborhoodQuery own = query(c, point);
  update_neighborhood(own, time, own.length);
  return neighborhood.free_interval(own, time, share_of_depth(own));
}

/// On which side of a shell it is has to be found out before it has come through.
template <int spacedim>
double
FaceDetector<spacedim>::deepest(const NeighborhoodQuery &query, const unsigned int body) const
{
  const double offset = contact_surface.offset(query.body, body);
  const Memory &memory = memories[query.index];
  const bool is_known = memory.in_front && contact_surface.faces[memory.face].body == body;
  return offset > 0 && !is_known ? depth_of_nodes * offset : infinity;
}

template <int spacedim>
double
FaceDetector<spacedim>::share_of_depth(const NeighborhoodQuery &query) const
{
  return query.outward.norm_square() > 0 ? depth_of_nodes : depth_of_particles;
}

template <int spacedim>
bool
FaceDetector<spacedim>::may_wake(const unsigned int c, const unsigned int body,
                                 const unsigned int since, const double time)
{
  // nothing is remembered: what sleeps need not be sent to other processes for this
  const Contactor &contactor = contact_surface.contactors[c];
  const auto point = position_of(c, time);
  const Vector outward = memories[c].fits == search.n_fits(contactor.body)
                             ? memories[c].outward
                             : outward_normal(contactor);
  const NeighborhoodQuery own{
      c,           contactor.body, contactor.length,
      {&point, 1}, outward,        0.5 * contact_surface.thickness(contactor.body)};
  return neighborhood.may_wake(own, body, since, time);
}

template <int spacedim>
dealii::Point<spacedim>
FaceDetector<spacedim>::position_of(const unsigned int c, const double time) const
{
  return contact_surface.contactors[c].position_at(nodes, time);
}

template class FaceDetector<2>;
template class FaceDetector<3>;
} // namespace KickDrift
