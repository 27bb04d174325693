// Sides of shells, which a contactor touches from where it has been.

#include <kickdrift/contact/detection/face_detector.h>

#include "face_rules.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace KickDrift
{
using namespace FaceRules;

namespace
{
// Contactors nearer to a face than this share of what they keep from it have the normal of the
// face.
constexpr double least_distance = 1e-3;
// What weighs less in a closest point, as a share of all, does not take part.
constexpr double least_weight = 1e-9;

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
  const double beside =
      std::sqrt(std::max(0., closest.distance * closest.distance - height * height));
  const bool is_beside =
      beside > std::abs(height) + rim_of_new_contact * search.face_size(candidate.face);
  if (is_beside && face.body == contactor.body)
    return false; // parts of one sheet that are pressed together in its plane
  if (is_beside && is_on_free_edge(candidate.face, closest))
  {
    candidate.is_round = true;
    closest.normal = from_face / closest.distance;
    return true;
  }
  // behind a face a contactor must have come through it
  const auto was_in_front = [&]
  {
    const SideOfShell &own = sides[c];
    return own.in_front && contact_surface.faces[own.face].side == face.side &&
           are_around_each_other(own.face, candidate.face);
  };
  // but then neither it nor the one on the other side of its node has come to the other side
  const auto is_on_other_side = [&](const unsigned int own)
  {
    const SideOfShell &last = sides[own];
    return last.in_front && contact_surface.faces[last.face].side != face.side &&
           are_linked(last.face, candidate.face, closest.distance);
  };
  if (height < 0 && !was_in_front())
    return false;
  if (height >= 0 && face.side != Side::only &&
      (is_on_other_side(c) ||
       (contactor.side != Side::only && is_on_other_side(other_side(contactor, c)))))
    return false;
  // so impulses have no moment, but right at the face the direction is not known
  if (closest.distance > least_distance * candidate.offset && (height >= 0 || !is_beside))
    closest.normal = from_face / (height >= 0 ? closest.distance : -closest.distance);
  return true;
}

/// Does a neighbour that shares the closest point know better? It does if it is nearer; and where a
/// shell bends towards one of its sides, what is in front of one face may be behind the next one,
/// in the outside of a box, if these are its insides.
template <int spacedim>
bool
FaceDetector<spacedim>::is_left_to_neighbour(const Contactor &contactor,
                                             const FaceProjection<spacedim> &candidate,
                                             const dealii::Point<spacedim> &point,
                                             const double time) const
{
  const auto &face = contact_surface.faces[candidate.face];
  if (face.side == Side::only || candidate.is_round)
    return false;
  const auto &closest = candidate.closest;
  const auto takes_part = [&](const unsigned int i) { return closest.weights[i] > least_weight; };
  std::array<unsigned int, SurfaceFace<spacedim>::max_nodes> ends{};
  unsigned int n_ends = 0;
  for (unsigned int i = 0; i < face.n_nodes; ++i)
    if (takes_part(i))
      ends[n_ends++] = face.nodes[i];
  if (n_ends == face.n_nodes)
    return false;
  const auto position = [&](const unsigned int node) { return nodes.position_at(node, time); };
  const Vector from_face = point - closest.point;
  const bool is_in_front = closest.normal * from_face >= 0;
  Vector across;
  for (unsigned int i = 0; i < face.n_nodes; ++i)
    across += position(face.nodes[i]) - closest.point;
  const auto has = [](const SurfaceFace<spacedim> &other, const unsigned int node)
  {
    const auto end = other.nodes.begin() + other.n_nodes;
    return std::find(other.nodes.begin(), end, node) != end;
  };
  for (const unsigned int f : search.faces_of_node(ends[0], face.side))
  {
    const auto &other = contact_surface.faces[f];
    if (f == candidate.face || excluded(contactor, f) ||
        !std::all_of(ends.begin(), ends.begin() + n_ends,
                     [&](const unsigned int node) { return has(other, node); }))
      continue;
    const auto closest_there = closest_point_of(f, point, time);
    if (closest_there.distance < (1 - least_weight) * closest.distance)
      return true;
    if (!is_in_front)
      continue;
    const Vector normal = unit_normal(other, position);
    if (normal * across > 0 && normal * from_face < 0)
      return true;
  }
  return false;
}

/// Edges and nodes of the faces of shells where the shell ends; in 2D nodes only.
template <int spacedim>
void
FaceDetector<spacedim>::mark_free_edges()
{
  constexpr unsigned int max_nodes = SurfaceFace<spacedim>::max_nodes;
  if (!contact_surface.has_shells())
    return;
  const auto edge_of = [](const SurfaceFace<spacedim> &face, const unsigned int e)
  {
    if constexpr (spacedim == 2)
      return std::array<unsigned int, 2>{{face.nodes[e], face.nodes[e]}};
    else
    {
      const auto ends = ends_of_edge(face.n_nodes, e);
      const unsigned int a = face.nodes[ends[0]], b = face.nodes[ends[1]];
      return std::array<unsigned int, 2>{{std::min(a, b), std::max(a, b)}};
    }
  };
  std::map<std::array<unsigned int, 2>, unsigned int> n_faces; // on the front
  for (const auto &face : contact_surface.faces)
    for (unsigned int e = 0; e < face.n_nodes && face.side == Side::front; ++e)
      ++n_faces[edge_of(face, e)];
  std::vector<char> is_at_end(nodes.size(), 0);
  for (const auto &[edge, n] : n_faces)
    if (n == 1)
      is_at_end[edge[0]] = is_at_end[edge[1]] = 1;
  free_edges.assign(contact_surface.faces.size(), 0);
  for (unsigned int f = 0; f < contact_surface.faces.size(); ++f)
  {
    const auto &face = contact_surface.faces[f];
    for (unsigned int i = 0; i < face.n_nodes && face.side != Side::only; ++i)
    {
      if (spacedim == 3 && n_faces[edge_of(face, i)] == 1)
        free_edges[f] |= 1u << i;
      if (is_at_end[face.nodes[i]])
        free_edges[f] |= 1u << (max_nodes + i);
    }
  }
}

template <int spacedim>
bool
FaceDetector<spacedim>::is_on_free_edge(const unsigned int f,
                                        const ClosestPoint<spacedim> &closest) const
{
  if (free_edges.empty() || free_edges[f] == 0)
    return false;
  const auto &face = contact_surface.faces[f];
  std::array<unsigned int, SurfaceFace<spacedim>::max_nodes> takes_part{};
  unsigned int n = 0, node = 0;
  for (unsigned int i = 0; i < face.n_nodes; ++i)
    if (closest.weights[i] > least_weight)
    {
      takes_part[i] = 1;
      node = i;
      ++n;
    }
  if (n == 1)
    return (free_edges[f] >> (SurfaceFace<spacedim>::max_nodes + node)) & 1u;
  if constexpr (spacedim == 3)
    for (unsigned int e = 0; e < face.n_nodes && n == 2; ++e)
    {
      const auto ends = ends_of_edge(face.n_nodes, e);
      if (((free_edges[f] >> e) & 1u) && takes_part[ends[0]] && takes_part[ends[1]])
        return true;
    }
  return false;
}

template <int spacedim>
bool
FaceDetector<spacedim>::find_passed(const ContactTest &test, const Vector &outward,
                                    const dealii::Point<spacedim> &point,
                                    FaceProjection<spacedim> &hit) const
{
  const SideOfShell &own = sides[test.contactor];
  if (!own.in_front)
    return false;
  const auto &last = contact_surface.faces[own.face];
  if (last.side == Side::only)
    return false;
  const Contactor &contactor = contact_surface.contactors[test.contactor];
  FaceProjection<spacedim> found;
  double nearest = test.radius;
  const auto height = [&] { return found.closest.normal * (point - found.closest.point); };
  // of what is right behind or in front of the face, others have no say
  const auto is_right_there = [&]
  {
    const double h = height(), distance = found.closest.distance;
    return std::sqrt(std::max(0., distance * distance - h * h)) <=
           rim_of_new_contact * search.face_size(found.face);
  };
  consider(own.face, test.contactor, outward, point, test.time, nearest, found);
  if (found.face != FaceProjection<spacedim>::none && height() >= 0 && is_right_there())
    return false;
  for (unsigned int i = 0; i < last.n_nodes; ++i)
    for (const unsigned int f : search.faces_of_node(last.nodes[i], last.side))
      if (f != own.face && !excluded(contactor, f))
        consider(f, test.contactor, outward, point, test.time, nearest, found);
  if (found.face == FaceProjection<spacedim>::none || found.is_round || !(height() < 0) ||
      !is_right_there())
    return false;
  judge(test, point, nullptr, found);
  if (found.touches)
    hit = found;
  return found.touches;
}

/// Then there is nothing to touch for the contactor on the other side of the node.
template <int spacedim>
bool
FaceDetector<spacedim>::other_has_passed(const ContactTest &test,
                                         const dealii::Point<spacedim> &point) const
{
  const Contactor &contactor = contact_surface.contactors[test.contactor];
  if (contactor.side == Side::only)
    return false;
  ContactTest other = test;
  other.contactor = other_side(contactor, test.contactor);
  FaceProjection<spacedim> hit;
  return find_passed(other, outward_normal(contact_surface.contactors[other.contactor]), point,
                     hit);
}

template <int spacedim>
void
FaceDetector<spacedim>::note_side(const unsigned int c)
{
  const Memory &memory = memories[c];
  if (sides[c].face != memory.face || sides[c].in_front != memory.in_front)
    changed.note(c);
}

template <int spacedim>
unsigned int
FaceDetector<spacedim>::side(const unsigned int c) const
{
  return memories[c].in_front ? memories[c].face : FaceProjection<spacedim>::none;
}

template <int spacedim>
void
FaceDetector<spacedim>::set_side(const unsigned int c, const unsigned int in_front_of)
{
  Memory &memory = memories[c];
  memory.in_front = in_front_of != FaceProjection<spacedim>::none;
  memory.face = in_front_of;
  memory.others = -1;
  note_side(c);
}

/// What was noted, in whichever order, is known from now on.
template <int spacedim>
void
FaceDetector<spacedim>::take_sides()
{
  changed.take([&](const unsigned int c) { sides[c] = {memories[c].face, memories[c].in_front}; });
}

#define INSTANTIATE(dim)                                                                           \
  template double FaceDetector<dim>::gap_to_box(const Contactor &, unsigned int,                   \
                                                const dealii::Point<dim> &, double) const;         \
  template double FaceDetector<dim>::first_distance(const Contactor &, unsigned int,               \
                                                    const ClosestPoint<dim> &) const;              \
  template double FaceDetector<dim>::touching_limit(const Contactor &, const Vector &) const;      \
  template void FaceDetector<dim>::mark_free_edges();                                              \
  template bool FaceDetector<dim>::is_on_free_edge(unsigned int, const ClosestPoint<dim> &) const; \
  template bool FaceDetector<dim>::find_passed(const ContactTest &, const Vector &,                \
                                               const dealii::Point<dim> &, FaceProjection<dim> &)  \
      const;                                                                                       \
  template bool FaceDetector<dim>::other_has_passed(const ContactTest &,                           \
                                                    const dealii::Point<dim> &) const;             \
  template void FaceDetector<dim>::note_side(unsigned int);                                        \
  template unsigned int FaceDetector<dim>::side(unsigned int) const;                               \
  template void FaceDetector<dim>::set_side(unsigned int, unsigned int);                           \
  template void FaceDetector<dim>::take_sides();                                                   \
  template bool FaceDetector<dim>::is_left_to_neighbour(                                           \
      const Contactor &, const FaceProjection<dim> &, const dealii::Point<dim> &, double) const;   \
  template bool FaceDetector<dim>::find_side(unsigned int, const dealii::Point<dim> &,             \
                                             FaceProjection<dim> &) const;
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace KickDrift
