#ifndef KICKDRIFT_SOURCE_POTENTIALS_SHELLS_KERNELS_VECTORS_H
#define KICKDRIFT_SOURCE_POTENTIALS_SHELLS_KERNELS_VECTORS_H

// Vectors in space for four kicks at once.

#include "../../cells/batches/kernels/lanes.h"

namespace KickDrift
{
namespace CellKernels
{
namespace KICKDRIFT_ISA
{
struct Vector
{
  Lanes x, y, z;
};

KICKDRIFT_INLINE Vector
operator+(const Vector &a, const Vector &b)
{
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}

KICKDRIFT_INLINE Vector
operator-(const Vector &a, const Vector &b)
{
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}

KICKDRIFT_INLINE Vector
operator-(const Vector &a)
{
  return {-a.x, -a.y, -a.z};
}

KICKDRIFT_INLINE Vector
operator*(const Lanes a, const Vector &b)
{
  return {a * b.x, a * b.y, a * b.z};
}

KICKDRIFT_INLINE Lanes
dot(const Vector &a, const Vector &b)
{
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

KICKDRIFT_INLINE Vector
cross(const Vector &a, const Vector &b)
{
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// Three numbers of each lane that lie one after the other.
KICKDRIFT_INLINE Vector
load_vector(const double *p)
{
  return {load(p), load(p + n_lanes), load(p + 2 * n_lanes)};
}

KICKDRIFT_INLINE void
store_vector(double *p, const Vector &a)
{
  store(p, a.x);
  store(p + n_lanes, a.y);
  store(p + 2 * n_lanes, a.z);
}

/**
 * The angle of (x, y) with the first axis, in [-pi, pi], as std::atan2() within a few units in the
 * last place; not-a-number for (0, 0).
 */
KICKDRIFT_INLINE Lanes
arc_tangent(const Lanes y, const Lanes x)
{
  constexpr double pi = 3.14159265358979323846;
  constexpr double tangent_of_eighth = 0.41421356237309504880;
  const IntegerLanes sign = (IntegerLanes)y & (-0x7fffffffffffffffLL - 1);
  const Lanes abs_y = (Lanes)((IntegerLanes)y ^ sign);
  const Lanes abs_x = x < 0. ? -x : x;
  const IntegerLanes is_steep = abs_y > abs_x;
  const Lanes low = is_steep ? abs_x : abs_y, high = is_steep ? abs_y : abs_x;
  // tan(a - pi/4) = (tan(a) - 1) / (tan(a) + 1)
  const IntegerLanes is_turned = low > tangent_of_eighth * high;
  const Lanes t = (is_turned ? low - high : low) / (is_turned ? low + high : high);
  // (arctan(t)/t - 1)/t^2 as polynomial of t^2 below tan(pi/8)^2: interpolated at Chebyshev's
  // points, relative error 7e-18
  const Lanes w = t * t;
  Lanes series = all(-0.01917680071440982);
  series = series * w + 0.03923158774224821;
  series = series * w - 0.050854472957630806;
  series = series * w + 0.05858148446112195;
  series = series * w - 0.06664511393659163;
  series = series * w + 0.07692183187012169;
  series = series * w - 0.09090904577959731;
  series = series * w + 0.11111111015252322;
  series = series * w - 0.14285714284666493;
  series = series * w + 0.1999999999999552;
  series = series * w - 0.3333333333333333;
  Lanes angle = t + t * (w * series);
  angle = is_turned ? angle + 0.25 * pi : angle;
  angle = is_steep ? 0.5 * pi - angle : angle;
  angle = x < 0. ? pi - angle : angle;
  return (Lanes)((IntegerLanes)angle ^ sign);
}
} // namespace KICKDRIFT_ISA
} // namespace CellKernels
} // namespace KickDrift

#endif
