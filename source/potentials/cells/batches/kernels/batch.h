#ifndef KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_KERNELS_BATCH_H
#define KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_KERNELS_BATCH_H

// What all kernels of one instruction set do with a pack of cells: from the lines of the nodes to
// the gradient of the energy, and back.

#include <kickdrift/base/rounded.h>

#include "one_point.h"

namespace KickDrift
{
namespace CellKernels
{
namespace KICKDRIFT_ISA
{
/// Numbers in a node line, and where in it the velocity begins.
constexpr unsigned int line_length = 8;
constexpr unsigned int line_velocity = 4;

/// Bits of the lanes of @p pack that belong to the slots [begin, end) and are there.
KICKDRIFT_INLINE unsigned int
lanes_in(const Batches &batches, const unsigned int batch, const unsigned int begin,
         const unsigned int end)
{
  unsigned int lanes = (1u << n_lanes) - 1;
  if (begin > batch * n_lanes)
    lanes &= lanes << (begin - batch * n_lanes);
  if (end < (batch + 1) * n_lanes)
    lanes &= (1u << (end - batch * n_lanes)) - 1;
  if (batches.absent)
    lanes &= ~batches.absent[batch];
  return lanes;
}

KICKDRIFT_INLINE double
sum(const Lanes &x)
{
  return (x[0] + x[1]) + (x[2] + x[3]);
}

/// Stands for the law of cells that have their own: Cell(geometry, displacements) is all they need,
/// energy() and gradient_of_energy(result) follow.
struct OfCell
{
};
template <typename LawType>
inline constexpr bool is_of_cell = false;
template <>
inline constexpr bool is_of_cell<OfCell> = true;

/// dV/du of one pack. Never inlined, so that every caller gets the same rounding.
template <typename Cell, typename LawType, int dim>
__attribute__((noinline)) void
energy_gradient(const double *geometry, const LawData &law_data, const unsigned int lanes,
                const double *displacements, double *result)
{
  if constexpr (is_of_cell<LawType>)
  {
    Cell(geometry, displacements).gradient_of_energy(result);
  }
  else
  {
    const LawType law(law_data, lanes);
    Cell cell(geometry, displacements);
    KICKDRIFT_UNROLL
    for (int q = 0; q < Cell::n_points; ++q)
      cell.add(q, law.stress(cell.gradient(q), cell.weight(q)));
    if constexpr (Cell::has_hourglass)
      cell.resist_hourglass(law_data.hourglass);
    cell.gradient_of_energy(result);
  }
}

/**
 * All bits of the lanes whose dV/du is not finite. What a law gives for a cell that is turned
 * inside out comes to all nodes of the cell, so that one of them shows it.
 */
template <int dim>
KICKDRIFT_INLINE IntegerLanes
not_finite(const double *gradient)
{
  Lanes of_node = load(gradient);
  KICKDRIFT_UNROLL
  for (int c = 1; c < dim; ++c)
    of_node += load(gradient + n_lanes * c);
  return of_node - of_node != all(0.);
}

/// Displacements of one pack, shape (nodes, dim, n_lanes); zero in lanes that are left out.
template <int n_nodes, int dim>
KICKDRIFT_INLINE void
gather(const double *node_lines, const unsigned int *nodes, const unsigned int lanes,
       double *displacements)
{
  for (int a = 0; a < n_nodes; ++a)
  {
    Lanes rows[n_lanes];
    KICKDRIFT_UNROLL
    for (unsigned int lane = 0; lane < n_lanes; ++lane)
      rows[lane] =
          lanes >> lane & 1 ? load(node_lines + line_length * nodes[n_nodes * lane + a]) : all(0.);
    transpose(rows[0], rows[1], rows[2], rows[3]);
    KICKDRIFT_UNROLL
    for (int c = 0; c < dim; ++c)
      store(displacements + n_lanes * (dim * a + c), rows[c]);
  }
}

/// Velocity and inverse mass lie side by side; the impulse on the latter is zero.
KICKDRIFT_INLINE void
add_impulse(double *node_line, const Lanes &impulse)
{
  double *const line = node_line + line_velocity;
  const Lanes v = load(line);
  store(line, v + impulse * __builtin_shufflevector(v, v, 3, 3, 3, 3));
}

/// What the momenta of the nodes of each cell change by, -step * dV/du.
template <int n_nodes>
struct Impulses
{
  Lanes of_node[n_lanes][n_nodes];

  template <int dim>
  KICKDRIFT_INLINE void
  set(const double *gradient, const Lanes minus_step)
  {
    for (int a = 0; a < n_nodes; ++a)
    {
      Lanes rows[n_lanes];
      KICKDRIFT_UNROLL
      for (int c = 0; c < int(n_lanes); ++c)
        rows[c] = c < dim ? load(gradient + n_lanes * (dim * a + c)) * minus_step : all(0.);
      transpose(rows[0], rows[1], rows[2], rows[3]);
      KICKDRIFT_UNROLL
      for (unsigned int lane = 0; lane < n_lanes; ++lane)
        of_node[lane][a] = rows[lane];
    }
  }

  /// velocity += impulse / mass for the nodes of one cell.
  KICKDRIFT_INLINE void
  give(const unsigned int lane, double *node_lines, const unsigned int *cell_nodes) const
  {
    for (int a = 0; a < n_nodes; ++a)
      add_impulse(node_lines + line_length * cell_nodes[a], of_node[lane][a]);
  }
};

/// velocity -= step/mass * dV/du, cell after cell, as if they were kicked one by one.
template <int n_nodes, int dim>
KICKDRIFT_INLINE void
scatter(double *node_lines, const unsigned int *nodes, const unsigned int lanes, const double step,
        const double *gradient)
{
  Impulses<n_nodes> impulses;
  impulses.template set<dim>(gradient, all(-step));
  for (unsigned int lane = 0; lane < n_lanes; ++lane)
    if (lanes >> lane & 1)
      impulses.give(lane, node_lines, nodes + n_nodes * lane);
}

/// Lanes of a part of which one of these nodes of their cells is in it, and that are there.
/// @param of_cell bit a: node a
template <int n_nodes>
KICKDRIFT_INLINE unsigned int
lanes_of_part(const Batches &batches, const PartOfPack &part, const unsigned int of_cell)
{
  unsigned int lanes = 0;
  for (unsigned int lane = 0; lane < n_lanes; ++lane)
    if (part.nodes >> (n_nodes * lane) & of_cell)
      lanes |= 1u << lane;
  return batches.absent ? lanes & ~batches.absent[part.batch] : lanes;
}

/// scatter() to the nodes of a part only.
template <int n_nodes, int dim>
KICKDRIFT_INLINE void
scatter_part(double *node_lines, const unsigned int *nodes, const unsigned int lanes,
             const PartOfPack &part, const double step, const double *gradient)
{
  Impulses<n_nodes> impulses;
  impulses.template set<dim>(gradient, all(-step));
  for (unsigned int i = 0; i < n_nodes * n_lanes; ++i)
    if (lanes >> (i / n_nodes) & part.nodes >> i & 1)
      add_impulse(node_lines + line_length * nodes[i], impulses.of_node[i / n_nodes][i % n_nodes]);
}

/// A node line's displacement and time, after free flight to the time that all of @p now is: with
/// the bits of NodeState::drift(), whoever drifts the node.
KICKDRIFT_INLINE Lanes
drifted(const double *line, const Lanes now)
{
  const Lanes u = load(line), v = load(line + line_velocity);
  const Lanes moved = u + rounded((now - __builtin_shufflevector(u, u, 3, 3, 3, 3)) * v);
  return __builtin_shufflevector(moved, now, 0, 1, 2, 7);
}
} // namespace KICKDRIFT_ISA
} // namespace CellKernels
} // namespace KickDrift

#endif
