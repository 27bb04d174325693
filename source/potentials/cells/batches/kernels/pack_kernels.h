#ifndef KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_KERNELS_PACK_KERNELS_H
#define KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_KERNELS_PACK_KERNELS_H

// A kernel made of a kind of cell and a law, whatever they are.

#include "batch.h"
#include "kicks_in_sequence.h"

#include <cstddef>

namespace KickDrift
{
namespace CellKernels
{
namespace KICKDRIFT_ISA
{
template <typename Cell, typename LawType, int dim>
bool
kick(const Batches &batches, const unsigned int begin, const unsigned int end, double *node_lines,
     const double step, const LawData &law)
{
  constexpr int n_nodes = Cell::n_nodes;
  constexpr unsigned int all_lanes = (1u << n_lanes) - 1;
  alignas(32) double displacements[n_nodes * dim * n_lanes];
  alignas(32) double gradient[n_nodes * dim * n_lanes];
  IntegerLanes wrong = {0, 0, 0, 0};
  for (unsigned int batch = begin / n_lanes; batch * n_lanes < end; ++batch)
  {
    const unsigned int lanes = lanes_in(batches, batch, begin, end);
    const unsigned int *nodes = batches.nodes + batch * std::size_t(n_nodes * n_lanes);
    const double *geometry = batches.geometry + batch * std::size_t(Cell::n_geometry * n_lanes);
    if (lanes == all_lanes)
    {
      gather<n_nodes, dim>(node_lines, nodes, all_lanes, displacements);
      energy_gradient<Cell, LawType, dim>(geometry, law, all_lanes, displacements, gradient);
      wrong |= not_finite<dim>(gradient);
      scatter<n_nodes, dim>(node_lines, nodes, all_lanes, step, gradient);
    }
    else if (lanes != 0)
    {
      gather<n_nodes, dim>(node_lines, nodes, lanes, displacements);
      energy_gradient<Cell, LawType, dim>(geometry, law, lanes, displacements, gradient);
      wrong |= not_finite<dim>(gradient) & mask_of(lanes);
      scatter<n_nodes, dim>(node_lines, nodes, lanes, step, gradient);
    }
  }
  return !any(wrong);
}

template <typename Cell, typename LawType, int dim>
bool
kick_parts(const Batches &batches, const PartOfPack *parts, const unsigned int n_parts,
           double *node_lines, const double step, const LawData &law)
{
  constexpr int n_nodes = Cell::n_nodes;
  constexpr unsigned int all_nodes = (1u << n_nodes) - 1;
  alignas(32) double displacements[n_nodes * dim * n_lanes];
  alignas(32) double gradient[n_nodes * dim * n_lanes];
  IntegerLanes wrong = {0, 0, 0, 0};
  for (const PartOfPack *part = parts; part != parts + n_parts; ++part)
  {
    const unsigned int lanes = lanes_of_part<n_nodes>(batches, *part, all_nodes);
    if (lanes == 0)
      continue;
    const unsigned int *nodes = batches.nodes + part->batch * std::size_t(n_nodes * n_lanes);
    const double *geometry =
        batches.geometry + part->batch * std::size_t(Cell::n_geometry * n_lanes);
    gather<n_nodes, dim>(node_lines, nodes, lanes, displacements);
    energy_gradient<Cell, LawType, dim>(geometry, law, lanes, displacements, gradient);
    wrong |= not_finite<dim>(gradient) & mask_of(lanes);
    scatter_part<n_nodes, dim>(node_lines, nodes, lanes, *part, step, gradient);
  }
  return !any(wrong);
}

template <typename Cell, typename LawType, int dim>
void
energies(const Batches &batches, const unsigned int begin, const unsigned int end,
         const double *node_lines, const LawData &law_data, Energies *result)
{
  constexpr int n_nodes = Cell::n_nodes;
  alignas(32) double displacements[n_nodes * dim * n_lanes];
  for (unsigned int batch = begin / n_lanes; batch * n_lanes < end; ++batch)
  {
    const unsigned int lanes = lanes_in(batches, batch, begin, end);
    gather<n_nodes, dim>(node_lines, batches.nodes + batch * std::size_t(n_nodes * n_lanes), lanes,
                         displacements);
    const double *geometry = batches.geometry + batch * std::size_t(Cell::n_geometry * n_lanes);
    Lanes strain = all(0.), hourglass = all(0.);
    if constexpr (is_of_cell<LawType>)
      strain = Cell(geometry, displacements).energy();
    else
    {
      const LawType law(law_data, lanes);
      const Cell cell(geometry, displacements);
      for (int q = 0; q < Cell::n_points; ++q)
        strain += law.energy(cell.gradient(q), cell.weight(q));
      if constexpr (Cell::has_hourglass)
        hourglass += cell.hourglass_energy(law_data.hourglass);
    }
    for (unsigned int lane = 0; lane < n_lanes; ++lane)
      if (lanes >> lane & 1)
        result[batch * n_lanes + lane - begin] = {strain[lane], hourglass[lane], 0.};
  }
}

template <typename Cell, typename LawType, int dim>
void
gradient_of_pack(const double *geometry, const LawData &law, const unsigned int lanes,
                 const double *displacements, const PackHistory &, double *result)
{
  energy_gradient<Cell, LawType, dim>(geometry, law, lanes, displacements, result);
}

template <typename Cell, typename LawType, int dim>
Kernel
make_kernel()
{
  return {Cell::n_geometry,
          &kick<Cell, LawType, dim>,
          &kick_parts<Cell, LawType, dim>,
          &kick_in_sequence<Cell, LawType, dim>,
          &gradient_of_pack<Cell, LawType, dim>,
          &energies<Cell, LawType, dim>};
}

} // namespace KICKDRIFT_ISA
} // namespace CellKernels
} // namespace KickDrift

#endif
