#ifndef KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_KERNELS_KICKS_IN_SEQUENCE_H
#define KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_KERNELS_KICKS_IN_SEQUENCE_H

// Kicks of cells that have times of their own, a clock per cell.

#include "batch.h"

#include <cstddef>

namespace KickDrift
{
namespace CellKernels
{
namespace KICKDRIFT_ISA
{
/**
 * Cells with times of their own that can be evaluated together, though they are kicked in turn:
 * none touches a node that an earlier one has moved at an earlier time. A node that both move at
 * the same time is no obstacle: the second drift takes no time, and the velocities are changed in
 * turn.
 */
template <typename Cell, int dim>
class Batch
{
public:
  static constexpr int n_nodes = Cell::n_nodes;

  KICKDRIFT_INLINE
  Batch(const Batches &batches, double *node_lines) : batches(batches), node_lines(node_lines) {}

  /// Drift the nodes of a cell and take it into the batch; false if it has to wait for the others.
  KICKDRIFT_INLINE bool
  add(const DueSlot &due)
  {
    const unsigned int *cell_nodes = batches.nodes + std::size_t(n_nodes) * due.slot;
    if (n_cells == 0)
      first_time = due.time;
    else if (touches(cell_nodes, due.time))
      return false;
    const Lanes now = all(due.time);
    KICKDRIFT_UNROLL
    for (int a = 0; a < n_nodes; ++a)
    {
      double *line = node_lines + line_length * cell_nodes[a];
      displacement_of_node[n_cells][a] = drifted(line, now);
      store(line, displacement_of_node[n_cells][a]);
    }
    slots[n_cells] = due.slot;
    minus_step[n_cells] = -due.step;
    ++n_cells;
    return true;
  }

  /// Returns the number of the first cell here whose force is not finite, or that of all.
  template <typename LawType>
  KICKDRIFT_INLINE unsigned int
  kick(const LawData &law, const AfterKick &after, const unsigned int first_kick)
  {
    alignas(32) double displacements[n_nodes * dim * n_lanes];
    alignas(32) double gradient[n_nodes * dim * n_lanes];
    alignas(32) double assembled[Cell::n_geometry * n_lanes];
    for (unsigned int lane = n_cells; lane < n_lanes; ++lane)
    {
      slots[lane] = slots[0];
      for (int a = 0; a < n_nodes; ++a)
        displacement_of_node[lane][a] = all(0.);
    }
    KICKDRIFT_UNROLL
    for (int a = 0; a < n_nodes; ++a)
    {
      Lanes rows[n_lanes];
      KICKDRIFT_UNROLL
      for (unsigned int lane = 0; lane < n_lanes; ++lane)
        rows[lane] = displacement_of_node[lane][a];
      transpose(rows[0], rows[1], rows[2], rows[3]);
      KICKDRIFT_UNROLL
      for (int c = 0; c < dim; ++c)
        store(displacements + n_lanes * (dim * a + c), rows[c]);
    }
    energy_gradient<Cell, LawType, dim>(geometry(assembled), law, (1u << n_cells) - 1,
                                        displacements, gradient);
    Impulses<n_nodes> impulses;
    impulses.template set<dim>(gradient, load(minus_step));
    for (unsigned int lane = 0; lane < n_cells; ++lane)
    {
      impulses.give(lane, node_lines, batches.nodes + std::size_t(n_nodes) * slots[lane]);
      if (after.function)
        after.function(after.context, first_kick + lane);
    }
    const IntegerLanes wrong = not_finite<dim>(gradient);
    unsigned int first_wrong = 0;
    while (first_wrong < n_cells && wrong[first_wrong] == 0)
      ++first_wrong;
    return first_wrong;
  }

  unsigned int n_cells = 0;

private:
  /// Does one of the nodes have a time between that of the first cell and @p time?
  KICKDRIFT_INLINE bool
  touches(const unsigned int *cell_nodes, const double time) const
  {
    IntegerLanes between = {0, 0, 0, 0};
    KICKDRIFT_UNROLL
    for (int a = 0; a < n_nodes; ++a)
    {
      const Lanes line = load(node_lines + line_length * cell_nodes[a]);
      between |= (line >= first_time) & (line < time);
    }
    return between[3] != 0;
  }

  /// Geometry of the cells in their lanes.
  KICKDRIFT_INLINE const double *
  geometry(double *assembled) const
  {
    const double *numbers[n_lanes];
    bool is_a_batch = slots[0] % n_lanes == 0;
    for (unsigned int lane = 0; lane < n_lanes; ++lane)
    {
      is_a_batch = is_a_batch && slots[lane] == slots[0] + lane;
      numbers[lane] = batches.geometry + slots[lane] % n_lanes +
                      std::size_t(slots[lane] / n_lanes) * Cell::n_geometry * n_lanes;
    }
    if (is_a_batch)
      return numbers[0];
    for (int i = 0; i < Cell::n_geometry; ++i)
      store(assembled + n_lanes * i, Lanes{numbers[0][n_lanes * i], numbers[1][n_lanes * i],
                                           numbers[2][n_lanes * i], numbers[3][n_lanes * i]});
    return assembled;
  }

  const Batches &batches;
  double *node_lines;
  double first_time = 0;
  unsigned int slots[n_lanes] = {0, 0, 0, 0};
  alignas(32) double minus_step[n_lanes] = {0, 0, 0, 0};
  Lanes displacement_of_node[n_lanes][n_nodes];
};

template <typename Cell, typename LawType, int dim>
unsigned int
kick_in_sequence(const Batches &batches, const DueSlot *due, const unsigned int n_due,
                 double *node_lines, const LawData &law, const AfterKick &after)
{
  for (unsigned int i = 0; i < n_due; ++i)
    for (int a = 0; a < Cell::n_nodes; ++a)
      __builtin_prefetch(node_lines +
                         line_length * batches.nodes[std::size_t(Cell::n_nodes) * due[i].slot + a]);
  for (unsigned int first = 0; first < n_due;)
  {
    Batch<Cell, dim> batch(batches, node_lines);
    while (batch.n_cells < n_lanes && first + batch.n_cells < n_due &&
           batch.add(due[first + batch.n_cells]))
    {
    }
    const unsigned int first_wrong = batch.template kick<LawType>(law, after, first);
    if (first_wrong < batch.n_cells)
      return first + first_wrong;
    first += batch.n_cells;
  }
  return n_due;
}
} // namespace KICKDRIFT_ISA
} // namespace CellKernels
} // namespace KickDrift

#endif
