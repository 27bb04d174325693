#ifndef KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_CELL_HISTORY_H
#define KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_CELL_HISTORY_H

#include "cell_batches.h"

#include <cstddef>
#include <vector>

namespace KickDrift
{
/**
 * States of the quadrature points of cells whose material has a history, by slot of CellBatches.
 *
 * There are two tables: of states that are committed, and of those that kicks propose. Kicks start
 * from the former and write the latter, so that evaluating one twice changes nothing.
 */
class CellHistory
{
public:
  /// @param initial_state of a point, shape (n_state)
  CellHistory(const std::vector<double> &initial_state, unsigned int n_points,
              unsigned int n_cells);

  /// Numbers per cell.
  unsigned int
  size_of_cell() const
  {
    return size;
  }

  /// For so many cells; states are those of before, or undefined.
  void resize(unsigned int n_cells);

  /// For kicks at @p time of packs that lie as they do here, or whose cells have these @p slots.
  CellKernels::History view(double time, const unsigned int *slots);

  /// For looking at the committed states only.
  CellKernels::History view(double time) const;

  /// Where the committed states of the pack of a slot begin, shape (n_points, n_state, n_lanes).
  const double *
  committed_pack(const unsigned int slot) const
  {
    return committed.data() + begin_of_pack(slot);
  }

  /// What is proposed for the slots [begin, end) counts from now on.
  void commit(unsigned int begin, unsigned int end);

  /// The same for all slots, without copying.
  void
  commit_all()
  {
    committed.swap(proposed);
  }

  /// Committed states of a cell, in place: number i, of (n_points, n_state), is at i * n_lanes.
  double *
  begin_of_cell(const unsigned int slot)
  {
    return committed.data() + begin_of_pack(slot) + slot % CellKernels::n_lanes;
  }

  /// Committed states of a cell, shape (n_points, n_state).
  std::vector<double> state(unsigned int slot) const;
  void set_state(unsigned int slot, const double *state);

  std::size_t
  memory_consumption() const
  {
    return (committed.capacity() + proposed.capacity()) * sizeof(double);
  }

private:
  std::size_t
  begin_of_pack(const unsigned int slot) const
  {
    return std::size_t(slot / CellKernels::n_lanes) * CellKernels::n_lanes * size;
  }

  unsigned int size;
  AlignedVector<double> committed, proposed;
};
} // namespace KickDrift

#endif
