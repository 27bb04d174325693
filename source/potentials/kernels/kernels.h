#ifndef KICKDRIFT_POTENTIALS_KERNELS_H
#define KICKDRIFT_POTENTIALS_KERNELS_H

// Definition of the kernels of one instruction set. The including file sets KICKDRIFT_ISA, the name
// of the namespace, and the compiler's options.

#include "one_point.h"

#include <cstddef>

namespace KickDrift
{
namespace CellKernels
{
namespace KICKDRIFT_ISA
{
/// Numbers in a node line, and where in it the velocity begins.
constexpr unsigned int line_length = 8;
constexpr unsigned int line_velocity = 4;

/// dV/du of one pack. Never inlined, so that every caller gets the same rounding.
template <typename Cell, typename LawType, int dim>
__attribute__((noinline)) void
energy_gradient(const double *geometry, const LawData &law_data, const unsigned int lanes,
                const double *displacements, double *result)
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

/// A node line's displacement and time, after free flight to the time that all of @p now is.
KICKDRIFT_INLINE Lanes
drifted(const double *line, const Lanes now)
{
  const Lanes u = load(line), v = load(line + line_velocity);
  const Lanes moved = u + (now - __builtin_shufflevector(u, u, 3, 3, 3, 3)) * v;
  return __builtin_shufflevector(moved, now, 0, 1, 2, 7);
}

/// Bits of the lanes of @p pack that belong to the slots [begin, end) and are there.
KICKDRIFT_INLINE unsigned int
lanes_in(const Packs &packs, const unsigned int pack, const unsigned int begin,
         const unsigned int end)
{
  unsigned int lanes = (1u << n_lanes) - 1;
  if (begin > pack * n_lanes)
    lanes &= lanes << (begin - pack * n_lanes);
  if (end < (pack + 1) * n_lanes)
    lanes &= (1u << (end - pack * n_lanes)) - 1;
  if (packs.absent)
    lanes &= ~packs.absent[pack];
  return lanes;
}

template <typename Cell, typename LawType, int dim>
void
kick(const Packs &packs, const unsigned int begin, const unsigned int end, double *node_lines,
     const double step, const LawData &law)
{
  constexpr int n_nodes = Cell::n_nodes;
  constexpr unsigned int all_lanes = (1u << n_lanes) - 1;
  alignas(32) double displacements[n_nodes * dim * n_lanes];
  alignas(32) double gradient[n_nodes * dim * n_lanes];
  for (unsigned int pack = begin / n_lanes; pack * n_lanes < end; ++pack)
  {
    const unsigned int lanes = lanes_in(packs, pack, begin, end);
    const unsigned int *nodes = packs.nodes + pack * std::size_t(n_nodes * n_lanes);
    const double *geometry = packs.geometry + pack * std::size_t(Cell::n_geometry * n_lanes);
    if (lanes == all_lanes)
    {
      gather<n_nodes, dim>(node_lines, nodes, all_lanes, displacements);
      energy_gradient<Cell, LawType, dim>(geometry, law, all_lanes, displacements, gradient);
      scatter<n_nodes, dim>(node_lines, nodes, all_lanes, step, gradient);
    }
    else if (lanes != 0)
    {
      gather<n_nodes, dim>(node_lines, nodes, lanes, displacements);
      energy_gradient<Cell, LawType, dim>(geometry, law, lanes, displacements, gradient);
      scatter<n_nodes, dim>(node_lines, nodes, lanes, step, gradient);
    }
  }
}

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
  Batch(const Packs &packs, double *node_lines) : packs(packs), node_lines(node_lines) {}

  /// Drift the nodes of a cell and take it into the batch; false if it has to wait for the others.
  KICKDRIFT_INLINE bool
  add(const DueSlot &due)
  {
    const unsigned int *cell_nodes = packs.nodes + std::size_t(n_nodes) * due.slot;
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

  template <typename LawType>
  KICKDRIFT_INLINE void
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
      impulses.give(lane, node_lines, packs.nodes + std::size_t(n_nodes) * slots[lane]);
      if (after.function)
        after.function(after.context, first_kick + lane);
    }
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
    bool is_a_pack = slots[0] % n_lanes == 0;
    for (unsigned int lane = 0; lane < n_lanes; ++lane)
    {
      is_a_pack = is_a_pack && slots[lane] == slots[0] + lane;
      numbers[lane] = packs.geometry + slots[lane] % n_lanes +
                      std::size_t(slots[lane] / n_lanes) * Cell::n_geometry * n_lanes;
    }
    if (is_a_pack)
      return numbers[0];
    for (int i = 0; i < Cell::n_geometry; ++i)
      store(assembled + n_lanes * i, Lanes{numbers[0][n_lanes * i], numbers[1][n_lanes * i],
                                           numbers[2][n_lanes * i], numbers[3][n_lanes * i]});
    return assembled;
  }

  const Packs &packs;
  double *node_lines;
  double first_time = 0;
  unsigned int slots[n_lanes] = {0, 0, 0, 0};
  alignas(32) double minus_step[n_lanes] = {0, 0, 0, 0};
  Lanes displacement_of_node[n_lanes][n_nodes];
};

template <typename Cell, typename LawType, int dim>
void
kick_in_turn(const Packs &packs, const DueSlot *due, const unsigned int n_due, double *node_lines,
             const LawData &law, const AfterKick &after)
{
  for (unsigned int i = 0; i < n_due; ++i)
    for (int a = 0; a < Cell::n_nodes; ++a)
      __builtin_prefetch(node_lines +
                         line_length * packs.nodes[std::size_t(Cell::n_nodes) * due[i].slot + a]);
  for (unsigned int first = 0; first < n_due;)
  {
    Batch<Cell, dim> batch(packs, node_lines);
    while (batch.n_cells < n_lanes && first + batch.n_cells < n_due &&
           batch.add(due[first + batch.n_cells]))
    {
    }
    batch.template kick<LawType>(law, after, first);
    first += batch.n_cells;
  }
}

KICKDRIFT_INLINE double
sum(const Lanes &x)
{
  return (x[0] + x[1]) + (x[2] + x[3]);
}

template <typename Cell, typename LawType, int dim>
void
kick_parts(const Packs &packs, const PartOfPack *parts, const unsigned int n_parts,
           double *node_lines, const double step, const LawData &law)
{
  constexpr int n_nodes = Cell::n_nodes;
  constexpr unsigned int all_nodes = (1u << n_nodes) - 1;
  alignas(32) double displacements[n_nodes * dim * n_lanes];
  alignas(32) double gradient[n_nodes * dim * n_lanes];
  for (const PartOfPack *part = parts; part != parts + n_parts; ++part)
  {
    unsigned int lanes = 0;
    for (unsigned int lane = 0; lane < n_lanes; ++lane)
      if (part->nodes >> (n_nodes * lane) & all_nodes)
        lanes |= 1u << lane;
    if (packs.absent)
      lanes &= ~packs.absent[part->pack];
    if (lanes == 0)
      continue;
    const unsigned int *nodes = packs.nodes + part->pack * std::size_t(n_nodes * n_lanes);
    const double *geometry = packs.geometry + part->pack * std::size_t(Cell::n_geometry * n_lanes);
    gather<n_nodes, dim>(node_lines, nodes, lanes, displacements);
    energy_gradient<Cell, LawType, dim>(geometry, law, lanes, displacements, gradient);
    Impulses<n_nodes> impulses;
    impulses.template set<dim>(gradient, all(-step));
    for (unsigned int i = 0; i < n_nodes * n_lanes; ++i)
      if (lanes >> (i / n_nodes) & part->nodes >> i & 1)
        add_impulse(node_lines + line_length * nodes[i],
                    impulses.of_node[i / n_nodes][i % n_nodes]);
  }
}

template <typename Cell, typename LawType, int dim>
Energies
energy(const Packs &packs, const unsigned int begin, const unsigned int end,
       const double *node_lines, const LawData &law_data)
{
  constexpr int n_nodes = Cell::n_nodes;
  alignas(32) double displacements[n_nodes * dim * n_lanes];
  Lanes strain = all(0.), hourglass = all(0.);
  for (unsigned int pack = begin / n_lanes; pack * n_lanes < end; ++pack)
  {
    const unsigned int lanes = lanes_in(packs, pack, begin, end);
    gather<n_nodes, dim>(node_lines, packs.nodes + pack * std::size_t(n_nodes * n_lanes), lanes,
                         displacements);
    const LawType law(law_data, lanes);
    const Cell cell(packs.geometry + pack * std::size_t(Cell::n_geometry * n_lanes), displacements);
    for (int q = 0; q < Cell::n_points; ++q)
      strain += law.energy(cell.gradient(q), cell.weight(q));
    if constexpr (Cell::has_hourglass)
      hourglass += cell.hourglass_energy(law_data.hourglass);
  }
  return {sum(strain), sum(hourglass)};
}

inline void
drift(double *node_lines, const unsigned int *nodes, const unsigned int n_nodes, const double time)
{
  const Lanes now = all(time);
  for (unsigned int i = 0; i < n_nodes; ++i)
  {
    double *line = node_lines + line_length * nodes[i];
    store(line, drifted(line, now));
  }
}

template <typename Cell, typename LawType, int dim>
Kernel
make_kernel()
{
  return {Cell::n_geometry,
          &kick<Cell, LawType, dim>,
          &kick_parts<Cell, LawType, dim>,
          &kick_in_turn<Cell, LawType, dim>,
          &energy_gradient<Cell, LawType, dim>,
          &energy<Cell, LawType, dim>};
}

template <typename Cell, int dim>
Kernel
kernel_with(const Law law)
{
  switch (law)
  {
  case Law::linear_elastic:
    return make_kernel<Cell, LinearElastic, dim>();
  case Law::st_venant_kirchhoff:
    return make_kernel<Cell, StVenantKirchhoff, dim>();
  case Law::neo_hookean:
    return make_kernel<Cell, NeoHookean, dim>();
  case Law::by_material:
    break;
  }
  return make_kernel<Cell, ByMaterial, dim>();
}

template <int dim>
Kernel
kernel_for(const Geometry geometry, const Law law)
{
  switch (geometry)
  {
  case Geometry::box:
    return kernel_with<TensorCell<dim, Geometry::box>, dim>(law);
  case Geometry::affine:
    return kernel_with<TensorCell<dim, Geometry::affine>, dim>(law);
  case Geometry::general:
    return kernel_with<TensorCell<dim, Geometry::general>, dim>(law);
  case Geometry::simplex:
    break;
  }
  return kernel_with<SimplexCell<dim>, dim>(law);
}

template <int dim>
Kernel
one_point_kernel_for(const Geometry geometry, const Law law)
{
  switch (geometry)
  {
  case Geometry::box:
    return kernel_with<OnePointCell<dim, Geometry::box>, dim>(law);
  case Geometry::affine:
    return kernel_with<OnePointCell<dim, Geometry::affine>, dim>(law);
  default:
    return kernel_with<OnePointCell<dim, Geometry::general>, dim>(law);
  }
}

inline Kernel
find_kernel(const unsigned int dim, const Geometry geometry, const Law law, const bool one_point)
{
  if (one_point)
    return dim == 2 ? one_point_kernel_for<2>(geometry, law)
                    : one_point_kernel_for<3>(geometry, law);
  return dim == 2 ? kernel_for<2>(geometry, law) : kernel_for<3>(geometry, law);
}
} // namespace KICKDRIFT_ISA
} // namespace CellKernels
} // namespace KickDrift

#endif
