#include "synchronous_loop.h"

#include <deal.II/base/exceptions.h>

namespace KickDrift
{
namespace Benchmarks
{
using namespace CellKernels;

namespace
{
/// Is every inverse Jacobian diagonal?
bool
are_boxes(const CellData<3> &cells)
{
  for (const auto &J : cells.inverse_jacobians)
    for (unsigned int i = 0; i < 3; ++i)
      for (unsigned int j = 0; j < i; ++j)
        if (std::abs(J[i][j]) + std::abs(J[j][i]) > 1e-10 * J.norm())
          return false;
  return true;
}

/// What the kernels store of a hexahedron.
std::vector<double>
geometry_of_cell(const CellData<3> &cells, const unsigned int cell, const Geometry geometry)
{
  std::vector<double> numbers;
  for (unsigned int q = 0; q < (geometry == Geometry::box ? 1 : cells.points_per_cell); ++q)
  {
    const std::size_t point = std::size_t(cell) * cells.points_per_cell + q;
    for (unsigned int i = 0; i < 3; ++i)
      for (unsigned int j = 0; j < 3; ++j)
        if (geometry != Geometry::box || i == j)
          numbers.push_back(0.25 * cells.inverse_jacobians[point][i][j]);
    numbers.push_back(cells.weights[point]);
  }
  return numbers;
}
} // namespace

SynchronousLoop::SynchronousLoop(const NodeTable<3> &the_nodes, const Body<3> &body,
                                 const double step)
    : nodes(the_nodes), step(step), time(the_nodes[0].time), packs(0, 8)
{
  const auto blocks = body.cell_blocks();
  AssertThrow(blocks.size() == 1 && blocks[0].data.nodes_per_cell == 8,
              dealii::ExcMessage("The synchronous loop is for hexahedra of one material."));
  const CellData<3> &cells = blocks[0].data;
  material = blocks[0].material;
  const Geometry geometry = are_boxes(cells) ? Geometry::box : Geometry::general;
  kernel = select_kernels().kernel(3, geometry, Law::st_venant_kirchhoff, false);
  law = {material->lame().first,        material->lame().second, nullptr, nullptr, nullptr,
         {HourglassKind::none, 0, 0, 0}};
  packs = CellBatches(kernel.n_geometry, 8);
  packs.resize(cells.nodes.size() / 8);
  for (unsigned int cell = 0; cell < packs.size(); ++cell)
    packs.set(cell, geometry_of_cell(cells, cell, geometry).data(),
              &cells.nodes[std::size_t(cell) * 8]);
  packs.pad();
}

void
SynchronousLoop::advance(const unsigned int n_steps)
{
  for (unsigned int i = 0; i < n_steps; ++i)
  {
    time += step;
    for (unsigned int node = 0; node < nodes.size(); ++node)
      nodes[node].drift(time);
    kernel.kick(packs.view({}), 0, packs.size(), reinterpret_cast<double *>(nodes.data()), step,
                law);
  }
}
} // namespace Benchmarks
} // namespace KickDrift
