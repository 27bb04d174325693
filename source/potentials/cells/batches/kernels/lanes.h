#ifndef KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_KERNELS_LANES_H
#define KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_KERNELS_LANES_H

// Included by the kernels of one instruction set, whose namespace KICKDRIFT_ISA names.

#include "cell_kernels.h"

#define KICKDRIFT_INLINE inline __attribute__((always_inline))
/// Loops in kernels are short and have to vanish.
#define KICKDRIFT_UNROLL _Pragma("GCC unroll 8")

namespace KickDrift
{
namespace CellKernels
{
namespace KICKDRIFT_ISA
{
/// One number for each of four cells.
typedef double Lanes __attribute__((vector_size(32)));
/// The same where it lies among other numbers.
typedef double LanesInMemory __attribute__((vector_size(32), may_alias));
typedef long long IntegerLanes __attribute__((vector_size(32)));
typedef unsigned long long UnsignedLanes __attribute__((vector_size(32)));

KICKDRIFT_INLINE Lanes
all(const double x)
{
  return Lanes{x, x, x, x};
}

KICKDRIFT_INLINE Lanes
load(const double *p)
{
  return *reinterpret_cast<const LanesInMemory *>(p);
}

KICKDRIFT_INLINE void
store(double *p, const Lanes &x)
{
  *reinterpret_cast<LanesInMemory *>(p) = x;
}

KICKDRIFT_INLINE bool
any(const IntegerLanes &condition)
{
#ifdef __AVX__
  return __builtin_ia32_movmskpd256((Lanes)condition) != 0;
#else
  return (condition[0] | condition[1] | condition[2] | condition[3]) != 0;
#endif
}

/// All bits of the lanes in a bit mask.
KICKDRIFT_INLINE IntegerLanes
mask_of(const unsigned int lanes)
{
  return IntegerLanes{-(long long)(lanes & 1), -(long long)(lanes >> 1 & 1),
                      -(long long)(lanes >> 2 & 1), -(long long)(lanes >> 3 & 1)};
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

KICKDRIFT_INLINE Lanes
square_root(const Lanes &x)
{
#ifdef __AVX__
  return __builtin_ia32_sqrtpd256(x);
#else
  return Lanes{__builtin_sqrt(x[0]), __builtin_sqrt(x[1]), __builtin_sqrt(x[2]),
               __builtin_sqrt(x[3])};
#endif
}

/// ln(1 + x), accurate also for small x; not-a-number for x <= -1.
KICKDRIFT_INLINE Lanes
log_1_plus(const Lanes x)
{
  // 1 + x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), as the bits of the number tell.
  const Lanes y = x + 1.;
  // Unsigned, as negative numbers would overflow.
  const IntegerLanes bits = (IntegerLanes)((UnsignedLanes)y - 0x3fe6a09e667f3bcdULL);
  const IntegerLanes k = bits >> 52;
  const Lanes scaled = (Lanes)((bits & 0x000fffffffffffffLL) + 0x3fe6a09e667f3bcdLL);
  const Lanes f = k == 0 ? x : scaled - 1.;
  // ln(1+f) = 2 artanh(s), |s| < 0.172: the series needs ten terms.
  const Lanes s = f / (f + 2.);
  const Lanes z = s * s;
  Lanes series = all(2. / 21);
  KICKDRIFT_UNROLL
  for (int n = 19; n >= 11; n -= 2)
    series = series * z + 2. / n;
  KICKDRIFT_UNROLL
  for (int n = 9; n >= 3; n -= 2)
    series = series * z + 2. / n;
  const Lanes log_f = s * z * series + 2. * s;
  const Lanes exponent = {double(k[0]), double(k[1]), double(k[2]), double(k[3])};
  return y > 0. ? log_f + exponent * 0.693147180559945309417 : all(__builtin_nan(""));
}
} // namespace KICKDRIFT_ISA
} // namespace CellKernels
} // namespace KickDrift

#endif
