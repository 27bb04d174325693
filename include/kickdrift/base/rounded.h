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
// x86-64 that can fuse, where vectors of four fit into a register
#if defined(__FMA__) || defined(__FMA4__) || defined(__AVX512F__)
  // a result that the compiler knows nothing of: GCC 16 fuses across __builtin_assoc_barrier()
  Number result = product;
  asm("" : "+x"(result));
  return result;
#elif defined(__x86_64__)
  return product;
#else
  const volatile Number result = product;
  return result;
#endif
}
} // namespace KickDrift

#endif
