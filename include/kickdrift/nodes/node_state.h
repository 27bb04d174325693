#ifndef KICKDRIFT_NODES_NODE_STATE_H
#define KICKDRIFT_NODES_NODE_STATE_H

#include <kickdrift/base/rounded.h>

#include <cstddef>
#include <new>
#include <vector>

namespace KickDrift
{
/// Allocates memory aligned to cache lines, so that one node is one line.
template <typename T>
struct CacheLineAllocator
{
  /// As std::allocator has it.
  using value_type = T;
  static constexpr std::align_val_t alignment{64}; ///< size of a cache line [bytes]

  CacheLineAllocator() = default;
  /// Allocators of all types are alike.
  template <typename U>
  CacheLineAllocator(const CacheLineAllocator<U> &)
  {
  }
  /// Aligned memory for @p n objects.
  T *
  allocate(const std::size_t n)
  {
    return static_cast<T *>(::operator new(n * sizeof(T), alignment));
  }
  /// Give back what allocate() has returned.
  void
  deallocate(T *p, std::size_t)
  {
    ::operator delete(p, alignment);
  }
  /// All are equal.
  template <typename U>
  bool
  operator==(const CacheLineAllocator<U> &) const
  {
    return true;
  }
  /// All are equal.
  template <typename U>
  bool
  operator!=(const CacheLineAllocator<U> &) const
  {
    return false;
  }
};

/// A vector whose memory is aligned to cache lines.
template <typename T>
using AlignedVector = std::vector<T, CacheLineAllocator<T>>;

/**
 * The state of a node: exactly one cache line, laid out for vector loads.
 *
 * In two dimensions the third components stay zero, so that the same code serves both.
 */
struct alignas(64) NodeState
{
  double displacement[3] = {0, 0, 0}; ///< from the reference position [length]
  double time = 0;                    ///< up to which the node has been drifted [time]
  double velocity[3] = {0, 0, 0};     ///< [length/time]
  double inverse_mass = 0;            ///< of the lumped mass, without restraints [1/mass]

  /// Displacement along axis @p d at @p t in free flight: the same bits whatever code asks, since
  /// several processes drift the same node [length].
  double
  displacement_at(const double t, const unsigned int d) const
  {
    return displacement[d] + rounded((t - time) * velocity[d]);
  }

  /// Free flight up to @p t [time].
  void
  drift(const double t)
  {
    for (unsigned int d = 0; d < 3; ++d)
      displacement[d] = displacement_at(t, d);
    time = t;
  }
};
static_assert(sizeof(NodeState) == 64, "a node must be one cache line");
} // namespace KickDrift

#endif
