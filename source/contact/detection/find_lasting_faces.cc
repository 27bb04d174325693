// Contacts that last: contactors that look again at the face they looked at last, many at once.

#include <kickdrift/base/limits.h>
#include <kickdrift/contact/detection/face_detector.h>

#include "face_walks.h"

#include <algorithm>

namespace KickDrift
{
namespace
{
using Limits::infinity;
// Walks end within this share of the contactor's length and of the size of the face, or else they
// are not trusted.
constexpr double share_of_length = 0.15, share_of_size = 0.1;
// Faces that are linked to the last one are expected to stay apart if they are further away than
// this multiple of that.
constexpr double share_apart = 2;
// Faces of one piece of a body are linked unless they are further from each other in the reference
// configuration than this multiple of what it should be.
constexpr double folded = 4;
// A contactor near other faces is not asked before it and they may have moved by this share of its
// length.
constexpr double share_before_retry = 0.2;

/// Fill in what lies beyond the edges of faces, see FaceDetector::neighbours.
template <typename Neighbours>
void
find_neighbours(const Surface<3> &surface, Neighbours &neighbours)
{
  // ends of edges, by their numbers
  constexpr unsigned int of_quadrilateral[4][2] = {{0, 2}, {1, 3}, {0, 1}, {2, 3}};
  constexpr unsigned int of_triangle[3][2] = {{1, 2}, {0, 2}, {0, 1}};
  for (const SurfaceEdge &edge : find_edges(surface))
    for (unsigned int k = 0; k < 2; ++k)
    {
      const SurfaceFace<3> &face = surface.faces[edge.faces[k]];
      for (unsigned int e = 0; e < face.n_nodes; ++e)
      {
        const unsigned int *const ends = face.n_nodes == 4 ? of_quadrilateral[e] : of_triangle[e];
        const unsigned int a = face.nodes[ends[0]], b = face.nodes[ends[1]];
        if (std::min(a, b) == std::min(edge.nodes[0], edge.nodes[1]) &&
            std::max(a, b) == std::max(edge.nodes[0], edge.nodes[1]))
          neighbours[edge.faces[k]][e] = edge.faces[1 - k];
      }
    }
}

template <typename Neighbours>
void
find_neighbours(const Surface<2> &surface, Neighbours &neighbours)
{
  std::vector<std::array<unsigned int, 3>> ends; // node, face, edge
  for (unsigned int f = 0; f < surface.faces.size(); ++f)
    for (unsigned int e = 0; e < 2; ++e)
      ends.push_back({{surface.faces[f].nodes[e], f, e}});
  std::sort(ends.begin(), ends.end());
  for (std::size_t begin = 0, end = 0; begin < ends.size(); begin = end)
  {
    while (end < ends.size() && ends[end][0] == ends[begin][0])
      ++end;
    if (end - begin != 2)
      continue;
    const auto &a = ends[begin], &b = ends[begin + 1];
    neighbours[a[1]][a[2]] = b[1];
    neighbours[b[1]][b[2]] = a[1];
  }
}
} // namespace

template <int spacedim>
void
FaceDetector<spacedim>::enter_instant(double)
{
  find_rates();
  take_sides();
  if (!neighbours.empty() || contact_surface.faces.empty())
    return;
  neighbours.resize(contact_surface.faces.size());
  for (auto &of_face : neighbours)
    of_face.fill(FaceProjection<spacedim>::none);
  find_neighbours(contact_surface, neighbours);
}

template <int spacedim>
void
FaceDetector<spacedim>::find_many(std::vector<PendingTest<spacedim>> &tests)
{
  if (tests.empty() || contact_surface.faces.empty())
    return;
  static thread_local Walks walks;
  walks.begin(*this, tests[0].test.time);
  for (PendingTest<spacedim> &pending : tests)
  {
    pending.is_done = may_walk(pending.test);
    if (pending.is_done)
      walks.add(pending.test.contactor);
  }
  walks.run();
  unsigned int w = 0;
  for (PendingTest<spacedim> &pending : tests)
    if (pending.is_done)
      pending.is_done = take(pending, walks.end(w++));
}

/// Answer a test by the end of a walk, if that can be trusted.
template <int spacedim>
bool
FaceDetector<spacedim>::take(const PendingTest<spacedim> &pending, const WalkEnd &end)
{
  Memory &memory = memories[pending.test.contactor];
  if (!end.is_certain || !(end.distance <= memory.clearance.distance))
    return false;
  if (memory.face != end.face)
    memory.others = -1;
  memory.face = end.face;
  memory.place = end.place;

  const Contactor &contactor = contact_surface.contactors[pending.test.contactor];
  const FaceProjection<spacedim> &hit = end.hit;
  const SurfaceFace<spacedim> &face = contact_surface.faces[hit.face];
  ContactPoint<spacedim> &found = *pending.found;
  found.sees = true;
  found.touches = hit.touches;
  found.is_lost = false;
  found.depth = hit.depth;
  found.distance = hit.closest.distance;
  found.size = search.face_size(hit.face);
  found.body = contactor.body;
  found.target = face.body;
  ContactStencil<spacedim> &stencil = found.stencil;
  stencil.n_nodes = 0;
  stencil.target_velocity = Vector();
  stencil.normal = hit.closest.normal;
  stencil.add(contactor.nodes[0], 1.);
  for (unsigned int i = 0; i < face.n_nodes; ++i)
    stencil.add(face.nodes[i], -hit.closest.weights[i]);
  return true;
}

/// Particles, points of faces, self-contact and shells are not simple.
template <int spacedim>
bool
FaceDetector<spacedim>::may_walk(const ContactTest &test)
{
  const Contactor &contactor = contact_surface.contactors[test.contactor];
  Memory &memory = memories[test.contactor];
  if (!test.lasts || memory.face == FaceProjection<spacedim>::none || contactor.n_nodes != 1 ||
      contact_surface.faces[memory.face].body == contactor.body ||
      contact_surface.offset(contactor.body, contact_surface.faces[memory.face].body) > 0)
    return false;
  update_normal(test.contactor);
  if (memory.outward.norm_square() == 0)
    return false;
  Clearance &clearance = memory.clearance;
  if (clearance.n_moves == bounds.n_moves() &&
      clearance.normal_changes == search.n_normal_changes(contactor.body))
  {
    const double rate = rates[contactor.body];
    if (rate > clearance.rate) // perhaps soon after it was measured
    {
      clearance.rate = rate;
      clearance.until = clearance.since + clearance.spare / rate;
    }
    if (test.time < clearance.until || test.time < clearance.retry)
      return test.time < clearance.until;
  }
  return find_clearance(test);
}

template <int spacedim>
void
FaceDetector<spacedim>::find_rates()
{
  if (rates_version == bounds.n_changes())
    return;
  rates_version = bounds.n_changes();
  rates = bounds.largest_rates();
}

template <int spacedim>
bool
FaceDetector<spacedim>::find_clearance(const ContactTest &test)
{
  const Contactor &contactor = contact_surface.contactors[test.contactor];
  const auto point = contactor.position_at(nodes, test.time);
  const NeighborhoodQuery own = query(test.contactor, point);
  update_neighborhood(own, test.time, test.radius);
  const unsigned int face = memories[test.contactor].face;
  Clearance &clearance = memories[test.contactor].clearance;
  clearance.n_moves = bounds.n_moves();
  clearance.normal_changes = search.n_normal_changes(contactor.body);
  clearance.distance =
      std::min(share_of_length * contactor.length, share_of_size * search.face_size(face));
  clearance.since = test.time;
  clearance.rate = rates[contactor.body];
  clearance.spare =
      distance_to_others(own, face, clearance.distance, test.time) - clearance.distance;
  clearance.until = clearance.spare > 0 ? test.time + clearance.spare / clearance.rate : -infinity;
  clearance.retry = test.time + share_before_retry * contactor.length / clearance.rate;
  return test.time < clearance.until;
}

template <int spacedim>
double
FaceDetector<spacedim>::distance_to_others(const NeighborhoodQuery &query, const unsigned int face,
                                           const double distance, const double time) const
{
  const NeighborList<spacedim> &neighbors = neighborhood.neighbors(query.index);
  const Contactor &contactor = contact_surface.contactors[query.index];
  const dealii::Point<spacedim> &point = query.points[0];
  const double enough = share_apart * distance;
  double nearest = neighbors.range_of_others(query.points, time, bounds);
  for (unsigned int b = 0; b < bounds.n_bodies(); ++b)
    if (!exclusions.excluded(query.body, b))
      nearest = std::min(nearest, neighbors.range(b, query.points, time, bounds));
  for (const auto &target : neighbors.targets())
  {
    if (neighbors.distance_from_here_on(target) >= std::max(nearest, enough))
      break;
    const double at_least = neighbors.distance(target);
    if (are_linked(face, target.index, at_least))
    {
      if (at_least < enough && !are_around_each_other(face, target.index) &&
          gap_to_box(contactor, target.index, point, time) < enough)
        return 0;
    }
    else if (at_least < nearest)
      nearest = std::min(nearest, gap_to_box(contactor, target.index, point, time));
    if (nearest <= distance)
      return 0;
  }
  return nearest;
}

/// Is face @p other one of those that a contactor at face @p f comes to over edges, unless it
/// flies? Where a surface has folded, faces are near that are far from each other in the reference
/// configuration. @p distance : from the contactor, at least.
template <int spacedim>
bool
FaceDetector<spacedim>::are_linked(const unsigned int f, const unsigned int other,
                                   const double distance) const
{
  if (search.component(f) != search.component(other))
    return false;
  const double between =
      nodes.reference(contact_surface.faces[f].nodes[0])
          .distance_square(nodes.reference(contact_surface.faces[other].nodes[0]));
  const double largest =
      folded * (std::max(0., distance) + search.face_size(f) + search.face_size(other));
  return between <= largest * largest;
}

template <int spacedim>
bool
FaceDetector<spacedim>::are_around_each_other(const unsigned int f, const unsigned int other) const
{
  const SurfaceFace<spacedim> &a = contact_surface.faces[f], &b = contact_surface.faces[other];
  if (a.body != b.body)
    return false;
  for (unsigned int i = 0; i < a.n_nodes; ++i)
    if (std::find(b.nodes.begin(), b.nodes.begin() + b.n_nodes, a.nodes[i]) !=
        b.nodes.begin() + b.n_nodes)
      return true;
  return false;
}

template class FaceDetector<2>;
template class FaceDetector<3>;
} // namespace KickDrift
