// Faces as targets: which of them a contactor may touch, how far they are, how long it can sleep.

#include <kickdrift/contact/detection/face_detector.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace KickDrift
{
namespace
{
// A face of its own body that a node is behind by more than so many sizes of the face is on the
// body's far side.
constexpr double far_side = 1.5; // contact goes as deep as one, and normals are not quite new
// Node and face look at each other if the cosine of their normals is below this.
constexpr double facing = -0.25;
// How much the cosine between two normals may differ from what they were at the last refit.
constexpr double turn = 0.5;
// A contactor is looked at again before it can be deeper than this share of a body's thickness: a
// particle may be nearer to the far side then.
constexpr double depth_of_nodes = 0.9, depth_of_particles = 0.45;
constexpr double infinity = std::numeric_limits<double>::infinity();

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

// The commonest question of all, so the first two coordinates are dealt with at once.
template <int spacedim>
double
FaceDetector<spacedim>::distance_to_box(const unsigned int f, const dealii::Point<spacedim> &point,
                                        const double time) const
{
  const auto &face = skin.faces[f];
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
  return outward.norm_square() > 0 ? facing : 1;
}

template <int spacedim>
bool
FaceDetector<spacedim>::is_far_side(const unsigned int f, const Contactor &contactor,
                                    const dealii::Point<spacedim> &point, const double time) const
{
  return is_on_piece(contactor, f) &&
         search.face_normal(f) * (point - nodes.position_at(skin.faces[f].nodes[0], time)) <=
             -far_side * search.face_size(f);
}

template <int spacedim>
bool
FaceDetector<spacedim>::is_on_piece(const Contactor &contactor, const unsigned int f) const
{
  if (skin.faces[f].body != contactor.body)
    return false;
  if (contactor.face != Contactor::no_face)
    return search.piece(contactor.face) == search.piece(f);
  const auto faces = search.faces_of_node(contactor.nodes[0]);
  return faces.size() > 0 && search.piece(faces[0]) == search.piece(f);
}

template <int spacedim>
typename FaceDetector<spacedim>::Viewer
FaceDetector<spacedim>::viewer(const unsigned int c, const dealii::Point<spacedim> &point)
{
  const Contactor &contactor = skin.contactors[c];
  Memory &memory = memories[c];
  if (memory.fits != search.n_fits(contactor.body))
  {
    memory.fits = search.n_fits(contactor.body);
    memory.outward = outward_normal(contactor);
  }
  return {c, contactor.body, contactor.length, {&point, 1}, memory.outward};
}

template <int spacedim>
void
FaceDetector<spacedim>::find_targets(const Viewer &viewer, const unsigned int body,
                                     const double radius, const double time,
                                     std::vector<unsigned int> &found) const
{
  const Box<spacedim> box = viewer.box();
  if (body == viewer.body)
    search.candidates_of(body, box, radius, view(viewer), time, found);
  else
    search.candidates_of(body, box, radius, time, found);
}

template <int spacedim>
double
FaceDetector<spacedim>::distance_to_own(const Viewer &viewer, const double time,
                                        const double furthest) const
{
  return search.distance_to_nearest(viewer.body, viewer.box(), view(viewer), time, furthest,
                                    [&](const unsigned int face)
                                    {
                                      return look_at_each_other(viewer, face, false) &&
                                                     is_possible(viewer, face)
                                                 ? distance_to(viewer, face, time)
                                                 : infinity;
                                    });
}

template <int spacedim>
typename FaceSearch<spacedim>::View
FaceDetector<spacedim>::view(const Viewer &viewer) const
{
  // pieces of a body, and particles, can fly around each other
  const bool has_far_side = search.is_one_piece(viewer.body) && viewer.outward.norm_square() > 0;
  return {viewer.outward, facing_limit(viewer.outward), has_far_side ? far_side : infinity};
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
FaceDetector<spacedim>::is_possible(const Viewer &viewer, const unsigned int face) const
{
  return !excluded(skin.contactors[viewer.index], face);
}

template <int spacedim>
unsigned int
FaceDetector<spacedim>::body_of_target(const unsigned int face) const
{
  return skin.faces[face].body;
}

template <int spacedim>
double
FaceDetector<spacedim>::distance_to(const Viewer &viewer, const unsigned int face,
                                    const double time) const
{
  const dealii::Point<spacedim> &point = viewer.points[0];
  return is_far_side(face, skin.contactors[viewer.index], point, time)
             ? infinity
             : distance_to_box(face, point, time);
}

template <int spacedim>
bool
FaceDetector<spacedim>::carries(const unsigned int f, const Viewer &viewer) const
{
  const Contactor &contactor = skin.contactors[viewer.index];
  if (contactor.face != Contactor::no_face)
    return contactor.face == f;
  const auto &face = skin.faces[f];
  return std::find(face.nodes.begin(), face.nodes.begin() + face.n_nodes, contactor.nodes[0]) !=
         face.nodes.begin() + face.n_nodes;
}

template <int spacedim>
bool
FaceDetector<spacedim>::look_at_each_other(const Viewer &viewer, const unsigned int face,
                                           const bool may_turn) const
{
  return look_at_each_other(viewer.outward, face, may_turn);
}

// a particle looks everywhere
template <int spacedim>
bool
FaceDetector<spacedim>::look_at_each_other(const Vector &outward, const unsigned int face,
                                           const bool may_turn) const
{
  return search.face_normal(face) * outward <= facing_limit(outward) + (may_turn ? turn : 0);
}

template <int spacedim>
Freedom
FaceDetector<spacedim>::freedom(const unsigned int c, const double time, double)
{
  const auto point = position_of(c, time);
  const Viewer own = viewer(c, point);
  look(own, time, own.length);
  return surroundings.freedom(own, time, share_of_depth(own), infinity);
}

template <int spacedim>
Freedom
FaceDetector<spacedim>::glance(const unsigned int c, const double time)
{
  const auto point = position_of(c, time);
  const Viewer own = viewer(c, point);
  return surroundings.glance(own, time, share_of_depth(own), infinity);
}

template <int spacedim>
double
FaceDetector<spacedim>::share_of_depth(const Viewer &viewer) const
{
  return viewer.outward.norm_square() > 0 ? depth_of_nodes : depth_of_particles;
}

template <int spacedim>
bool
FaceDetector<spacedim>::may_wake(const unsigned int c, const unsigned int body,
                                 const unsigned int since, const double time)
{
  return surroundings.may_wake(viewer(c, position_of(c, time)), body, since, time);
}

template <int spacedim>
dealii::Point<spacedim>
FaceDetector<spacedim>::position_of(const unsigned int c, const double time) const
{
  return skin.contactors[c].position_at(nodes, time);
}

template class FaceDetector<2>;
template class FaceDetector<3>;
} // namespace KickDrift
