#include "cell_batches.h"

#include <algorithm>

namespace KickDrift
{
using CellKernels::n_lanes;

namespace
{
/// Slots of full packs.
std::size_t
in_packs(const unsigned int n)
{
  return (std::size_t(n) + n_lanes - 1) / n_lanes * n_lanes;
}
} // namespace

CellBatches::CellBatches(const unsigned int n_geometry, const unsigned int nodes_per_cell)
    : n_geometry(n_geometry), nodes_per_cell(nodes_per_cell)
{
}

void
CellBatches::resize(const unsigned int n, const unsigned int n_complete)
{
  n_cells = n;
  n_complete_cells = n_complete;
  geometry.resize(in_packs(n_complete) * n_geometry);
  nodes.resize(in_packs(n) * nodes_per_cell);
}

void
CellBatches::reserve(const unsigned int n)
{
  geometry.reserve(in_packs(n) * n_geometry);
  nodes.reserve(in_packs(n) * nodes_per_cell);
}

std::size_t
CellBatches::bytes_for(const unsigned int n) const
{
  return in_packs(n) * (n_geometry * sizeof(double) + nodes_per_cell * sizeof(unsigned int));
}

void
CellBatches::set(const unsigned int slot, const double *numbers, const unsigned int *cell_nodes)
{
  double *batch = &geometry[std::size_t(slot / n_lanes) * n_geometry * n_lanes];
  for (unsigned int i = 0; i < n_geometry; ++i)
    batch[i * n_lanes + slot % n_lanes] = numbers[i];
  std::copy_n(cell_nodes, nodes_per_cell, &nodes[std::size_t(slot) * nodes_per_cell]);
}

void
CellBatches::copy(const unsigned int slot, const CellBatches &other, const unsigned int other_slot)
{
  if (slot < in_packs(n_complete_cells))
  {
    double *batch = &geometry[std::size_t(slot / n_lanes) * n_geometry * n_lanes];
    for (unsigned int i = 0; i < n_geometry; ++i)
      batch[i * n_lanes + slot % n_lanes] = other.geometry_of(other_slot, i);
  }
  std::copy_n(other.nodes_of(other_slot), nodes_per_cell,
              &nodes[std::size_t(slot) * nodes_per_cell]);
}

void
CellBatches::pad()
{
  const unsigned int n_slots = in_packs(n_cells);
  for (unsigned int slot = n_cells; slot < n_slots; ++slot)
    copy(slot, *this, n_cells - 1);
}
} // namespace KickDrift
