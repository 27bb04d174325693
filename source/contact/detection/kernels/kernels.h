#ifndef KICKDRIFT_SOURCE_CONTACT_DETECTION_KERNELS_KERNELS_H
#define KICKDRIFT_SOURCE_CONTACT_DETECTION_KERNELS_KERNELS_H

// Definition of the kernels of one instruction set. The including file sets KICKDRIFT_ISA, the name
// of the namespace, and the compiler's options.

#include "lanes.h"
#include "quadrilaterals.h"
#include "simplices.h"

namespace KickDrift
{
namespace FaceKernels
{
namespace KICKDRIFT_ISA
{
KICKDRIFT_INLINE void
store(Lanes a, Lanes b, Lanes c, Lanes d, double *const (&rows)[n_lanes])
{
  transpose(a, b, c, d);
  __builtin_memcpy(rows[0], &a, sizeof(a));
  __builtin_memcpy(rows[1], &b, sizeof(b));
  __builtin_memcpy(rows[2], &c, sizeof(c));
  __builtin_memcpy(rows[3], &d, sizeof(d));
}

KICKDRIFT_INLINE void
store(const Projections &p, Projection *const found)
{
  double *const weights[n_lanes] = {found[0].weights, found[1].weights, found[2].weights,
                                    found[3].weights};
  store(p.weights[0], p.weights[1], p.weights[2], p.weights[3], weights);
  double *const normals[n_lanes] = {found[0].normal, found[1].normal, found[2].normal,
                                    found[3].normal};
  store(p.normal.x, p.normal.y, p.normal.z, p.depth, normals);
  double *const places[n_lanes] = {found[0].place, found[1].place, found[2].place, found[3].place};
  store(p.place[0], p.place[1], p.distance, p.is_certain ? all(1) : all(0), places);
  double *const edges[n_lanes] = {found[0].to_edges, found[1].to_edges, found[2].to_edges,
                                  found[3].to_edges};
  store(p.to_edges[0], p.to_edges[1], p.to_edges[2], p.to_edges[3], edges);
}

/// Project four pairs.
template <int dim, typename Faces>
KICKDRIFT_INLINE void
project_pack(const Nodes &nodes, const Pair *const (&pairs)[n_lanes], Projection *const found)
{
  const auto gather = [&](const unsigned int corner)
  {
    const unsigned int n[n_lanes] = {pairs[0]->corners[corner], pairs[1]->corners[corner],
                                     pairs[2]->corners[corner], pairs[3]->corners[corner]};
    return positions_at<dim>(nodes, n);
  };
  const unsigned int n[n_lanes] = {pairs[0]->node, pairs[1]->node, pairs[2]->node, pairs[3]->node};
  const Vectors y = positions_at<dim>(nodes, n);
  const auto place = [&](const unsigned int i) {
    return Lanes{pairs[0]->place[i], pairs[1]->place[i], pairs[2]->place[i], pairs[3]->place[i]};
  };
  Vectors corners[Faces::n_corners];
  for (unsigned int i = 0; i < Faces::n_corners; ++i)
    corners[i] = gather(i) - y;
  store(Faces::closest(corners, place(0), place(1)), found);
}

template <int dim, typename Faces>
void
project(const Nodes &nodes, const Pair *pairs, const unsigned int n, Projection *found)
{
  unsigned int i = 0;
  for (; i + n_lanes <= n; i += n_lanes)
  {
    const Pair *const pack[n_lanes] = {pairs + i, pairs + i + 1, pairs + i + 2, pairs + i + 3};
    project_pack<dim, Faces>(nodes, pack, found + i);
  }
  if (i == n)
    return;
  // the last ones, and some of them again
  const Pair *pack[n_lanes];
  for (unsigned int k = 0; k < n_lanes; ++k)
    pack[k] = pairs + (i + k < n ? i + k : n - 1);
  Projection rest[n_lanes];
  project_pack<dim, Faces>(nodes, pack, rest);
  for (unsigned int k = 0; i + k < n; ++k)
    __builtin_memcpy(found + i + k, rest + k, sizeof(Projection));
}
} // namespace KICKDRIFT_ISA
} // namespace FaceKernels
} // namespace KickDrift

#endif
