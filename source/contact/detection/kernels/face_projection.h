#ifndef KICKDRIFT_SOURCE_CONTACT_DETECTION_KERNELS_FACE_PROJECTION_H
#define KICKDRIFT_SOURCE_CONTACT_DETECTION_KERNELS_FACE_PROJECTION_H

// Shared between translation units that are compiled for different instruction sets. Only plain
// data may live here, see potentials/cells/batches/kernels/cell_kernels.h.

namespace KickDrift
{
/**
 * Closest points of faces to nodes, several pairs at a time: one in each lane of a vector. A lane
 * that is done is frozen, and products are not fused with sums. So the bits of a projection depend
 * neither on the other lanes nor on the instruction set.
 */
namespace FaceKernels
{
/// Pairs that a kernel works on at once.
constexpr unsigned int n_lanes = 4;

/// All nodes and the time at which they are looked at.
struct Nodes
{
  const double *states;     ///< NodeState, by node
  const double *references; ///< reference positions, by node [length]
  double time;              ///< [time]
};

/// A node and the face that it is projected on.
struct Pair
{
  unsigned int node;
  unsigned int corners[4]; ///< of the face, in the order of SurfaceFace
  double place[2];         ///< first guess of Projection::place
};

/// The closest point of a face. All that is wrong if it is not certain.
struct alignas(32) Projection
{
  double weights[4]; ///< of the corners [-]
  double normal[3];  ///< outward unit normal there [-]
  double depth;      ///< of the node behind the tangent plane [length]
  double place[2];   ///< reference coordinates in [-1,1]^2, of a triangle weights 1 and 2 [-]
  double distance;   ///< of the two points [length]
  double is_certain; ///< 1 if this is the global minimum of the distance, otherwise 0
  /// From the closest point to each edge of the face, within the face: r = -1, r = 1, s = -1,
  /// s = 1; of a triangle those opposite the corners. Infinity for edges that it does not have
  /// [length].
  double to_edges[4];
};

/// Projects @p n pairs.
using Kernel = void (*)(const Nodes &nodes, const Pair *pairs, unsigned int n, Projection *found);

/// The kernels of an instruction set, for each shape of a face.
struct KernelSet
{
  const char *name;
  Kernel segments; ///< in 2D
  Kernel triangles;
  Kernel quadrilaterals;
};

namespace baseline
{
extern const KernelSet kernels;
}
namespace avx2
{
extern const KernelSet kernels;
}

/// Those of the best instruction set that this machine has. KICKDRIFT_ISA = sse2 asks for the
/// baseline.
const KernelSet &select_kernels();
} // namespace FaceKernels
} // namespace KickDrift

#endif
