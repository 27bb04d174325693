#ifndef KICKDRIFT_SOURCE_CONTACT_DETECTION_KERNELS_LANES_H
#define KICKDRIFT_SOURCE_CONTACT_DETECTION_KERNELS_LANES_H

// Included by the kernels of one instruction set, whose namespace KICKDRIFT_ISA names.

#include "face_projection.h"

#define KICKDRIFT_INLINE inline __attribute__((always_inline))

namespace KickDrift
{
namespace FaceKernels
{
namespace KICKDRIFT_ISA
{
/// One number for each of four pairs.
typedef double Lanes __attribute__((vector_size(32)));
/// All bits of a lane are set, or none.
typedef long long Mask __attribute__((vector_size(32)));

KICKDRIFT_INLINE Lanes
all(const double x)
{
  return Lanes{x, x, x, x};
}

KICKDRIFT_INLINE Lanes
absolute(const Lanes &x)
{
  return (Lanes)((Mask)x & 0x7fffffffffffffffLL);
}

KICKDRIFT_INLINE Lanes
smaller(const Lanes &a, const Lanes &b)
{
  return a < b ? a : b;
}

KICKDRIFT_INLINE Lanes
larger(const Lanes &a, const Lanes &b)
{
  return a > b ? a : b;
}

KICKDRIFT_INLINE Lanes
clamped(const Lanes &x, const Lanes &lower, const Lanes &upper)
{
  return smaller(larger(x, lower), upper);
}

KICKDRIFT_INLINE Lanes
root(const Lanes &x)
{
  return Lanes{__builtin_sqrt(x[0]), __builtin_sqrt(x[1]), __builtin_sqrt(x[2]),
               __builtin_sqrt(x[3])};
}

/// Is a lane set?
KICKDRIFT_INLINE bool
any(const Mask &mask)
{
#ifdef __AVX__
  return __builtin_ia32_movmskpd256((Lanes)mask) != 0;
#else
  return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
#endif
}

KICKDRIFT_INLINE void
transpose(Lanes &a, Lanes &b, Lanes &c, Lanes &d)
{
  const Lanes ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6);
  const Lanes ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Lanes cd_even = __builtin_shufflevector(c, d, 0, 4, 2, 6);
  const Lanes cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  a = __builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5);
  b = __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5);
  c = __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7);
  d = __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7);
}

/// A vector in space for each pair.
struct Vectors
{
  Lanes x, y, z;
};

KICKDRIFT_INLINE Vectors
operator+(const Vectors &a, const Vectors &b)
{
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}

KICKDRIFT_INLINE Vectors
operator-(const Vectors &a, const Vectors &b)
{
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}

KICKDRIFT_INLINE Vectors
operator*(const Lanes &s, const Vectors &a)
{
  return {s * a.x, s * a.y, s * a.z};
}

KICKDRIFT_INLINE Lanes
operator*(const Vectors &a, const Vectors &b)
{
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

KICKDRIFT_INLINE Vectors
cross_product(const Vectors &a, const Vectors &b)
{
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// Where free flight takes a node: to the bit as NodeTable::position_at() says [length].
template <int dim>
KICKDRIFT_INLINE Lanes
position_at(const Nodes &nodes, const unsigned int node)
{
  const double *const state = nodes.states + 8 * static_cast<unsigned long>(node);
  const double *const x = nodes.references + dim * static_cast<unsigned long>(node);
  const Lanes displacement = {state[0], state[1], state[2], state[3]},
              velocity = {state[4], state[5], state[6], state[7]};
  const Lanes reference = {x[0], x[1], dim == 3 ? x[dim - 1] : 0., 0.};
  const double dt = nodes.time - state[3];
  return reference + (displacement + dt * velocity);
}

template <int dim>
KICKDRIFT_INLINE Vectors
positions_at(const Nodes &nodes, const unsigned int *n)
{
  Lanes a = position_at<dim>(nodes, n[0]), b = position_at<dim>(nodes, n[1]),
        c = position_at<dim>(nodes, n[2]), d = position_at<dim>(nodes, n[3]);
  transpose(a, b, c, d);
  return {a, b, c};
}
} // namespace KICKDRIFT_ISA
} // namespace FaceKernels
} // namespace KickDrift

#endif
