#ifndef KICKDRIFT_BASE_ROUNDED_H
#define KICKDRIFT_BASE_ROUNDED_H

namespace KickDrift
{
/**
 * A product as such, not a part of a fused multiply-add, which rounds once only: for sums of
 * products that have to be the same bits whatever code forms them. Compilers fuse where the target
 * can, in code of users, too, unless they are told not to.
 *
 * Always inlined, so that each instruction set keeps its own.
 */
template <typename Number>
__attribute__((always_inline)) inline Number
rounded(const Number product)
{
#ifdef __has_builtin
#if __has_builtin(__builtin_assoc_barrier)
#define KICKDRIFT_HAS_ASSOC_BARRIER
#endif
#endif
#ifdef KICKDRIFT_HAS_ASSOC_BARRIER
  return __builtin_assoc_barrier(product);
#undef KICKDRIFT_HAS_ASSOC_BARRIER
#else
  const volatile Number result = product;
  return result;
#endif
}
} // namespace KickDrift

#endif
