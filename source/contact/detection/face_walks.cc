#include "face_walks.h"
#include "face_rules.h"

#include <algorithm>

namespace KickDrift
{
namespace
{
using namespace FaceRules;
using FaceKernels::Projection;

// A walk that has not ended after so many rounds is left to others.
constexpr unsigned int max_rounds = 5;
// A face stays the nearest one unless another is nearer by more than this share of its size:
// rounding must not decide.
constexpr double tie = 1e-12;
// Faces beyond an edge are looked at if the edge is nearer to the closest point than this multiple
// of the distance, or if they may share in the normal. That finds a nearer one if the normal turns
// there by up to 2 arctan 2, 127 degrees.
constexpr double around = 2;
// That and a little more is the largest angle between normals on the two sides of an edge.
constexpr double sharpest = -0.55;

template <int spacedim>
double
product(const dealii::Tensor<1, spacedim> &a, const double *const b)
{
  double sum = 0;
  for (unsigned int d = 0; d < spacedim; ++d)
    sum += a[d] * b[d];
  return sum;
}

/// Pairs of edges (see FaceKernels::Projection::to_edges) that meet in a corner, and that corner.
struct Corner
{
  unsigned int edge, other_edge, corner;
};
constexpr std::array<Corner, 4> of_quadrilateral = {{{0, 2, 0}, {1, 2, 1}, {0, 3, 2}, {1, 3, 3}}};
constexpr std::array<Corner, 3> of_triangle = {{{1, 2, 0}, {0, 2, 1}, {0, 1, 2}}};
} // namespace

template <int spacedim>
void
FaceDetector<spacedim>::Walks::begin(const FaceDetector &new_detector, const double time)
{
  static_assert(sizeof(NodeState) == 8 * sizeof(double), "as the kernels have it");
  static_assert(sizeof(dealii::Point<spacedim>) == spacedim * sizeof(double),
                "as the kernels have it");
  static const FaceKernels::KernelSet &kernels = FaceKernels::select_kernels();
  detector = &new_detector;
  const NodeTable<spacedim> &table = detector->nodes;
  nodes = {reinterpret_cast<const double *>(table.data()), &table.reference(0)[0], time};
  n_corners = detector->contact_surface.faces[0].n_nodes;
  project = n_corners == 2   ? kernels.segments
            : n_corners == 3 ? kernels.triangles
                             : kernels.quadrilaterals;
  walks.clear();
  pairs.clear();
  faces.clear();
  walk_of.clear();
}

template <int spacedim>
void
FaceDetector<spacedim>::Walks::add(const unsigned int contactor)
{
  walks.emplace_back();
  walks.back().contactor = contactor;
  const Memory &memory = detector->memories[contactor];
  step_to(walks.back(), memory.face, memory.place);
}

/// Look at a face in the next round, if that has not been done yet.
template <int spacedim>
void
FaceDetector<spacedim>::Walks::step_to(Walk &walk, const unsigned int f,
                                       const std::array<double, 2> &guess)
{
  for (unsigned int i = 0; i < walk.n_steps; ++i)
    if (faces[walk.steps[i]] == f)
      return;
  const SurfaceFace<spacedim> &face = detector->contact_surface.faces[f];
  if (face.n_nodes != n_corners || walk.n_steps == Walk::max_steps)
  {
    walk.is_certain = false;
    return;
  }
  walk.steps[walk.n_steps++] = pairs.size();
  FaceKernels::Pair pair;
  pair.node = detector->contact_surface.contactors[walk.contactor].nodes[0];
  for (unsigned int i = 0; i < 4; ++i)
    pair.corners[i] = face.nodes[std::min(i, n_corners - 1)];
  std::copy(guess.begin(), guess.end(), pair.place);
  pairs.push_back(pair);
  faces.push_back(f);
  walk_of.push_back(&walk - walks.data());
}

template <int spacedim>
void
FaceDetector<spacedim>::Walks::run()
{
  unsigned int done = 0;
  for (unsigned int round = 0; round < max_rounds && done < pairs.size(); ++round)
  {
    const unsigned int end = pairs.size();
    if (projections.size() < end)
      projections.resize(end);
    project(nodes, pairs.data() + done, end - done, projections.data() + done);
    for (; done < end; ++done)
      if (walks[walk_of[done]].is_certain)
        examine(walks[walk_of[done]], done);
  }
  for (; done < pairs.size(); ++done)
    walks[walk_of[done]].is_certain = false;
}

/// A face has been looked at.
template <int spacedim>
void
FaceDetector<spacedim>::Walks::examine(Walk &walk, const unsigned int step)
{
  const Projection &found = projections[step];
  const unsigned int face = faces[step];
  const Vector &outward = detector->memories[walk.contactor].outward;
  // what FaceDetector::consider() asks of a face of another body, for contactors with a normal
  const bool faces_it = outward * detector->search.face_normal(face) <= facing + turn &&
                        product(outward, found.normal) <= facing;
  const bool is_first = step == walk.steps[0];
  walk.is_certain = found.is_certain == 1 && (faces_it || !is_first);
  if (!walk.is_certain)
    return;
  const double size = detector->search.face_size(face), tolerance = tie * size;
  if (!is_first && !(faces_it && found.distance < projections[walk.nearest].distance - tolerance))
    return;
  walk.nearest = step;
  const double reach =
      std::max(around * found.distance, found.distance + width_of_blending * size) + tolerance;
  const double *const to_edges = found.to_edges;
  if (std::min(std::min(to_edges[0], to_edges[1]), std::min(to_edges[2], to_edges[3])) <= reach)
    look_around(walk, step, reach);
}

/// Which faces beyond the edges of this one may be nearer?
template <int spacedim>
void
FaceDetector<spacedim>::Walks::look_around(Walk &walk, const unsigned int step, const double reach)
{
  const unsigned int f = faces[step];
  std::array<bool, 4> is_near;
  for (unsigned int e = 0; e < 4; ++e)
    is_near[e] = projections[step].to_edges[e] <= reach;
  for (unsigned int e = 0; e < n_corners; ++e)
  {
    if (!is_near[e])
      continue;
    const unsigned int neighbour = detector->neighbours[f][e];
    if (neighbour == FaceProjection<spacedim>::none ||
        detector->search.face_normal(f) * detector->search.face_normal(neighbour) < sharpest)
    {
      walk.is_certain = false;
      return;
    }
    step_to(walk, neighbour, {{0, 0}});
  }
  if constexpr (spacedim == 3)
  {
    const SurfaceFace<3> &face = detector->contact_surface.faces[f];
    const auto step_around = [&](const Corner &corner)
    {
      if (!is_near[corner.edge] || !is_near[corner.other_edge])
        return;
      for (const unsigned int other : detector->search.faces_of_node(face.nodes[corner.corner]))
        if (detector->contact_surface.faces[other].body == face.body)
          step_to(walk, other, {{0, 0}});
        else
          walk.is_certain = false; // of a tied body, which it may not see
    };
    if (n_corners == 4)
      std::for_each(of_quadrilateral.begin(), of_quadrilateral.end(), step_around);
    else
      std::for_each(of_triangle.begin(), of_triangle.end(), step_around);
  }
}

template <int spacedim>
typename FaceDetector<spacedim>::WalkEnd
FaceDetector<spacedim>::Walks::end(const unsigned int w) const
{
  const Walk &walk = walks[w];
  WalkEnd result;
  result.is_certain = walk.is_certain;
  if (!walk.is_certain)
    return result;
  const Projection &found = projections[walk.nearest];
  result.face = faces[walk.nearest];
  result.place = {{found.place[0], found.place[1]}};
  result.distance = found.distance;
  const double size = detector->search.face_size(result.face), rim = rim_of_lasting_contact * size;
  FaceProjection<spacedim> &hit = result.hit;
  hit.face = result.face;
  hit.touches = is_behind(found.depth, found.distance, size, rim) && !is_outside(walk, rim);
  hit.depth = found.depth;
  hit.closest.distance = found.distance;
  for (unsigned int d = 0; d < spacedim; ++d)
    hit.closest.normal[d] = found.normal[d];
  std::copy(found.weights, found.weights + n_corners, hit.closest.weights.begin());
  if (hit.touches)
    blend_normals(walk, hit);
  return result;
}

/// As FaceDetector::blend_normals(), among the faces that the walk has come by.
template <int spacedim>
void
FaceDetector<spacedim>::Walks::blend_normals(const Walk &walk, FaceProjection<spacedim> &hit) const
{
  const Vector &outward = detector->memories[walk.contactor].outward;
  const double range = width_of_blending * detector->search.face_size(hit.face);
  const double furthest = hit.closest.distance + range;
  std::array<unsigned int, Walk::max_steps + 1> sharing;
  unsigned int n_sharing = 0;
  sharing[n_sharing++] = hit.face; // which wins where two are equally far beside
  Vector sum = hit.closest.normal;
  for (unsigned int i = 0; i < walk.n_steps; ++i)
  {
    const Projection &other = projections[walk.steps[i]];
    const unsigned int f = faces[walk.steps[i]];
    if (f == hit.face || other.distance >= furthest || other.depth < 0 ||
        !(outward * detector->search.face_normal(f) <= facing + turn &&
          product(outward, other.normal) <= facing))
      continue;
    Vector normal;
    for (unsigned int d = 0; d < spacedim; ++d)
      normal[d] = other.normal[d];
    if (!detector->share_normals(hit.face, f, hit.closest.normal, normal, nodes.time))
      continue;
    const double share = (furthest - other.distance) / range;
    sum += share * share * normal;
    sharing[n_sharing++] = f;
  }
  if (n_sharing == 1 || sum.norm() == 0)
    return;
  const Contactor &contactor = detector->contact_surface.contactors[walk.contactor];
  detector->project_along(sum / sum.norm(), {sharing.data(), n_sharing},
                          contactor.position_at(detector->nodes, nodes.time), nodes.time, hit);
}

/// Is the contactor in front of a nearer face that is not nearly parallel to the one it looks at?
template <int spacedim>
bool
FaceDetector<spacedim>::Walks::is_outside(const Walk &walk, const double rim) const
{
  const Projection &nearest = projections[walk.nearest];
  for (unsigned int i = 0; i < walk.n_steps; ++i)
  {
    const Projection &other = projections[walk.steps[i]];
    if (!(other.distance < nearest.distance && -other.depth > rim))
      continue;
    if (product(detector->search.face_normal(faces[walk.steps[i]]), nearest.normal) <= parallel)
      return true;
  }
  return false;
}

template class FaceDetector<2>::Walks;
template class FaceDetector<3>::Walks;
} // namespace KickDrift
