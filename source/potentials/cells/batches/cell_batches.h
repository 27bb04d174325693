#ifndef KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_CELL_BATCHES_H
#define KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_CELL_BATCHES_H

#include "kernels/cell_kernels.h"

#include <kickdrift/nodes/node_table.h>

namespace KickDrift
{
/**
 * Geometry and connectivity of cells of one kind, laid out for the kernels: slot after slot.
 *
 * The last slots may be without geometry: of cells that other processes kick.
 */
class CellBatches
{
public:
  CellBatches(unsigned int n_geometry, unsigned int nodes_per_cell);

  /// Make room for @p n_cells slots; the numbers in them are undefined.
  void
  resize(const unsigned int n_cells)
  {
    resize(n_cells, n_cells);
  }

  /// The same, with geometry for the first @p n_complete.
  void resize(unsigned int n_cells, unsigned int n_complete);

  /// Expect so many slots.
  void reserve(unsigned int n_cells);

  unsigned int
  size() const
  {
    return n_cells;
  }

  /// Slots with geometry; those behind are without.
  unsigned int
  n_complete() const
  {
    return n_complete_cells;
  }

  unsigned int
  n_nodes_of_cell() const
  {
    return nodes_per_cell;
  }

  /**
   * @param geometry shape (n_geometry)
   * @param cell_nodes shape (nodes_per_cell)
   */
  void set(unsigned int slot, const double *geometry, const unsigned int *cell_nodes);

  /// Take over a slot of @p other, which holds the same kind of cells, with geometry if it has one
  /// here.
  void copy(unsigned int slot, const CellBatches &other, unsigned int other_slot);

  /// Fill the unused lanes of the last pack with something harmless. To be called after the slots.
  void pad();

  /// Nodes of the cell in @p slot, followed by those in the next slots.
  const unsigned int *
  nodes_of(const unsigned int slot) const
  {
    return &nodes[std::size_t(slot) * nodes_per_cell];
  }

  /// Geometry of the pack that holds @p slot, shape (n_geometry, n_lanes).
  const double *
  geometry_of_batch(const unsigned int slot) const
  {
    return &geometry[std::size_t(slot / CellKernels::n_lanes) * n_geometry * CellKernels::n_lanes];
  }

  /// Number @p i of the geometry of the cell in @p slot.
  double
  geometry_of(const unsigned int slot, const unsigned int i) const
  {
    return geometry_of_batch(slot)[i * CellKernels::n_lanes + slot % CellKernels::n_lanes];
  }

  /// @param history of these cells, if the kernels need one
  CellKernels::Batches
  view(const std::vector<unsigned char> &absent,
       const CellKernels::History *history = nullptr) const
  {
    return {geometry.data(), nodes.data(), absent.empty() ? nullptr : absent.data(), history};
  }

  std::size_t
  memory_consumption() const
  {
    return geometry.capacity() * sizeof(double) + nodes.capacity() * sizeof(unsigned int);
  }

  /// What packs of @p n cells like these need at least.
  std::size_t bytes_for(unsigned int n) const;

private:
  unsigned int n_geometry;
  unsigned int nodes_per_cell;
  unsigned int n_cells = 0, n_complete_cells = 0;
  AlignedVector<double> geometry;
  std::vector<unsigned int> nodes;
};
} // namespace KickDrift

#endif
