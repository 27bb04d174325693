#ifndef KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_KERNELS_HISTORY_KERNELS_H
#define KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_KERNELS_HISTORY_KERNELS_H

// Definition of the kernels with history of one instruction set, as kernels.h is that of the
// others.

#include "history_of_pack.h"
#include "mean_dilatation.h"
#include "plastic_law.h"

#include <cstddef>

namespace KickDrift
{
namespace CellKernels
{
namespace KICKDRIFT_ISA
{
/// dV/du of one pack, and what its points will remember. Never inlined, so that every caller gets
/// the same rounding.
template <typename Cell, typename LawType, int dim, Scheme scheme>
__attribute__((noinline)) void
gradient_with_history(const double *geometry, const LawData &law_data, const unsigned int lanes,
                      const double *displacements, const PackHistory &history, double *result)
{
  const LawType law(law_data, lanes, history.time);
  const std::size_t size = std::size_t(law_data.history.n_state) * n_lanes;
  Cell cell(geometry, displacements);
  add_stresses<scheme, dim>(cell,
                            [&](const int q, const Matrix<dim> &H, const Lanes weight)
                            {
                              const double *const state = history.old_state + q * size;
                              return history.new_state ? law.update(H, weight, state,
                                                                    history.new_state + q * size)
                                                       : law.stress(H, weight, state);
                            });
  cell.gradient_of_energy(result);
}

template <typename Cell, typename LawType, int dim, Scheme scheme>
bool
kick_with_history(const Batches &batches, const unsigned int begin, const unsigned int end,
                  double *node_lines, const double step, const LawData &law)
{
  constexpr int n_nodes = Cell::n_nodes;
  alignas(32) double displacements[n_nodes * dim * n_lanes];
  alignas(32) double gradient[n_nodes * dim * n_lanes];
  HistoryOfPack<Cell::n_points> history(*batches.history, law);
  IntegerLanes wrong = {0, 0, 0, 0};
  for (unsigned int batch = begin / n_lanes; batch * n_lanes < end; ++batch)
  {
    const unsigned int lanes = lanes_in(batches, batch, begin, end);
    if (lanes == 0)
      continue;
    const unsigned int *nodes = batches.nodes + batch * std::size_t(n_nodes * n_lanes);
    const double *geometry = batches.geometry + batch * std::size_t(Cell::n_geometry * n_lanes);
    gather<n_nodes, dim>(node_lines, nodes, lanes, displacements);
    gradient_with_history<Cell, LawType, dim, scheme>(geometry, law, lanes, displacements,
                                                      history.read(batch, lanes), gradient);
    history.write(lanes);
    wrong |= not_finite<dim>(gradient) & mask_of(lanes);
    scatter<n_nodes, dim>(node_lines, nodes, lanes, step, gradient);
  }
  return !any(wrong);
}

template <typename Cell, typename LawType, int dim, Scheme scheme>
bool
kick_parts_with_history(const Batches &batches, const PartOfPack *parts, const unsigned int n_parts,
                        double *node_lines, const double step, const LawData &law)
{
  constexpr int n_nodes = Cell::n_nodes;
  constexpr unsigned int all_nodes = (1u << n_nodes) - 1;
  alignas(32) double displacements[n_nodes * dim * n_lanes];
  alignas(32) double gradient[n_nodes * dim * n_lanes];
  HistoryOfPack<Cell::n_points> history(*batches.history, law);
  IntegerLanes wrong = {0, 0, 0, 0};
  for (const PartOfPack *part = parts; part != parts + n_parts; ++part)
  {
    const unsigned int lanes = lanes_of_part<n_nodes>(batches, *part, all_nodes);
    // Of the threads that evaluate a cell the one that kicks its first node writes its state.
    const unsigned int written = lanes_of_part<n_nodes>(batches, *part, 1);
    if (lanes == 0)
      continue;
    const unsigned int *nodes = batches.nodes + part->batch * std::size_t(n_nodes * n_lanes);
    const double *geometry =
        batches.geometry + part->batch * std::size_t(Cell::n_geometry * n_lanes);
    gather<n_nodes, dim>(node_lines, nodes, lanes, displacements);
    gradient_with_history<Cell, LawType, dim, scheme>(geometry, law, lanes, displacements,
                                                      history.read(part->batch, written), gradient);
    history.write(written);
    wrong |= not_finite<dim>(gradient) & mask_of(lanes);
    scatter_part<n_nodes, dim>(node_lines, nodes, lanes, *part, step, gradient);
  }
  return !any(wrong);
}

template <typename Cell, typename LawType, int dim, Scheme scheme>
void
energies_with_history(const Batches &batches, const unsigned int begin, const unsigned int end,
                      const double *node_lines, const LawData &law_data, Energies *result)
{
  constexpr int n_nodes = Cell::n_nodes;
  alignas(32) double displacements[n_nodes * dim * n_lanes];
  HistoryOfPack<Cell::n_points> history(*batches.history, law_data);
  const std::size_t size = std::size_t(law_data.history.n_state) * n_lanes;
  for (unsigned int batch = begin / n_lanes; batch * n_lanes < end; ++batch)
  {
    const unsigned int lanes = lanes_in(batches, batch, begin, end);
    gather<n_nodes, dim>(node_lines, batches.nodes + batch * std::size_t(n_nodes * n_lanes), lanes,
                         displacements);
    const PackHistory states = history.read(batch, 0);
    const LawType law(law_data, lanes, states.time);
    Cell cell(batches.geometry + batch * std::size_t(Cell::n_geometry * n_lanes), displacements);
    Lanes strain = all(0.), dissipation = all(0.);
    add_stresses<scheme, dim>(cell,
                              [&](const int q, const Matrix<dim> &H, const Lanes weight)
                              {
                                double *const state = states.new_state + q * size;
                                const Matrix<dim> P =
                                    law.update(H, weight, states.old_state + q * size, state);
                                law.add_energies(H, weight, state, strain, dissipation);
                                return P;
                              });
    for (unsigned int lane = 0; lane < n_lanes; ++lane)
      if (lanes >> lane & 1)
        result[batch * n_lanes + lane - begin] = {strain[lane], 0., dissipation[lane]};
  }
}

template <typename Cell, typename LawType, int dim, Scheme scheme>
Kernel
make_history_kernel()
{
  return {Cell::n_geometry,
          &kick_with_history<Cell, LawType, dim, scheme>,
          &kick_parts_with_history<Cell, LawType, dim, scheme>,
          nullptr,
          &gradient_with_history<Cell, LawType, dim, scheme>,
          &energies_with_history<Cell, LawType, dim, scheme>};
}

template <typename Cell, int dim, Scheme scheme>
Kernel
history_kernel_with(const HistoryLaw law)
{
  return law == HistoryLaw::plastic ? make_history_kernel<Cell, Plastic, dim, scheme>()
                                    : make_history_kernel<Cell, HistoryByMaterial, dim, scheme>();
}

template <int dim>
Kernel
history_kernel_for(const Geometry geometry, const HistoryLaw law, const Scheme scheme)
{
  if (geometry == Geometry::simplex)
    return history_kernel_with<SimplexCell<dim>, dim, Scheme::at_points>(law);
  if (scheme == Scheme::at_points)
    return geometry == Geometry::box
               ? history_kernel_with<TensorCell<dim, Geometry::box>, dim, Scheme::at_points>(law)
               : history_kernel_with<TensorCell<dim, Geometry::general>, dim, Scheme::at_points>(
                     law);
  return geometry == Geometry::box
             ? history_kernel_with<TensorCell<dim, Geometry::box>, dim, Scheme::mean_dilatation>(
                   law)
             : history_kernel_with<TensorCell<dim, Geometry::general>, dim,
                                   Scheme::mean_dilatation>(law);
}

inline Kernel
find_history_kernel(const unsigned int dim, const Geometry geometry, const HistoryLaw law,
                    const Scheme scheme)
{
  return dim == 2 ? history_kernel_for<2>(geometry, law, scheme)
                  : history_kernel_for<3>(geometry, law, scheme);
}
} // namespace KICKDRIFT_ISA
} // namespace CellKernels
} // namespace KickDrift

#endif
