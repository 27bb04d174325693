#ifndef KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_KERNELS_HISTORY_OF_PACK_H
#define KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_KERNELS_HISTORY_OF_PACK_H

#include "batch.h"

#include <cstddef>

namespace KickDrift
{
namespace CellKernels
{
namespace KICKDRIFT_ISA
{
/// Reads the states of packs, and writes what is proposed for them: in place where whole packs lie
/// in the tables as they are kicked, else lane by lane, as other threads may write the others.
template <int n_points>
class HistoryOfPack
{
public:
  KICKDRIFT_INLINE
  HistoryOfPack(const History &history, const LawData &law)
      : history(history), size(n_points * law.history.n_state)
  {
  }

  /// @param written lanes that write() will be called for
  KICKDRIFT_INLINE PackHistory
  read(const unsigned int batch, const unsigned int written)
  {
    first_slot = batch * n_lanes;
    const std::size_t begin = std::size_t(first_slot) * size;
    is_in_place = !history.slots && written == (1u << n_lanes) - 1;
    if (!history.slots)
      return {history.committed + begin, is_in_place ? history.proposed + begin : proposed,
              history.time};
    for (unsigned int lane = 0; lane < n_lanes; ++lane)
    {
      const double *const table = history.committed + place(lane);
      for (unsigned int i = 0; i < size; ++i)
        assembled[n_lanes * i + lane] = table[n_lanes * i];
    }
    return {assembled, proposed, history.time};
  }

  KICKDRIFT_INLINE void
  write(const unsigned int lanes) const
  {
    if (is_in_place)
      return;
    for (unsigned int lane = 0; lane < n_lanes; ++lane)
      if (lanes >> lane & 1)
      {
        double *const table = history.proposed + place(lane);
        for (unsigned int i = 0; i < size; ++i)
          table[n_lanes * i] = proposed[n_lanes * i + lane];
      }
  }

private:
  /// Where the states of a lane begin in the tables.
  KICKDRIFT_INLINE std::size_t
  place(const unsigned int lane) const
  {
    const unsigned int slot = history.slots ? history.slots[first_slot + lane] : first_slot + lane;
    return std::size_t(slot / n_lanes) * size * n_lanes + slot % n_lanes;
  }

  const History &history;
  const unsigned int size; ///< numbers per cell
  unsigned int first_slot = 0;
  bool is_in_place = false;
  alignas(32) double assembled[n_points * max_state * n_lanes];
  alignas(32) double proposed[n_points * max_state * n_lanes];
};
} // namespace KICKDRIFT_ISA
} // namespace CellKernels
} // namespace KickDrift

#endif
