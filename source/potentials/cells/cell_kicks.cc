#include <kickdrift/potentials/cells/cell_kicks.h>

#include "cell_family.h"
#include "one_point_cell.h"

#include <array>
#include <cmath>

namespace KickDrift
{
using CellKernels::Geometry;
using CellKernels::Scheme;

namespace
{
template <int dim>
void
check_cells(const CellData<dim> &cells, const Material<dim> &material)
{
  const unsigned int n = cells.nodes_per_cell;
  const bool simplices = n == dim + 1;
  AssertThrow(
      simplices || n == 1u << dim,
      dealii::ExcMessage("Cells must have 2^dim or dim+1 nodes, not " + std::to_string(n) + "."));
  AssertThrow(
      cells.points_per_cell == (simplices ? 1 : n),
      dealii::ExcMessage("Tensor-product cells need 2^dim quadrature points, simplices one."));
  const std::size_t n_cells = cells.nodes.size() / n, n_points = n_cells * cells.points_per_cell;
  AssertThrow(cells.nodes.size() == n_cells * n && cells.masses.size() == n_cells * n &&
                  cells.inverse_jacobians.size() == n_points && cells.weights.size() == n_points,
              dealii::ExcMessage("The arrays that describe the cells do not have matching sizes."));
  const auto *history = dynamic_cast<const HistoryMaterial<dim> *>(&material);
  AssertThrow(
      cells.initial_states.empty() ||
          (history && cells.initial_states.size() == n_points * history->initial_state().size()),
      dealii::ExcMessage("The initial states of the cells do not fit their material."));
  for (std::size_t i = 0; i < n_points; ++i)
    AssertThrow(
        cells.weights[i] > 0,
        dealii::ExcMessage("Cell " + std::to_string(i / cells.points_per_cell) +
                           " is inverted or degenerate: the volume at a quadrature point is " +
                           std::to_string(cells.weights[i]) + "."));
  for (std::size_t i = 0; i < cells.masses.size(); ++i)
    AssertThrow(cells.masses[i] > 0,
                dealii::ExcMessage("Cell " + std::to_string(i / n) + " has a node without mass."));
}

/// The simplest geometry that represents the cell to a relative accuracy of 1e-12.
template <int dim>
Geometry
classify(const CellData<dim> &cells, const unsigned int cell)
{
  if (cells.nodes_per_cell == dim + 1)
    return Geometry::simplex;
  const std::size_t first = std::size_t(cell) * cells.points_per_cell;
  const auto &J = cells.inverse_jacobians[first];
  const double tolerance = 1e-12;
  for (unsigned int q = 1; q < cells.points_per_cell; ++q)
    if ((cells.inverse_jacobians[first + q] - J).norm() > tolerance * J.norm() ||
        std::abs(cells.weights[first + q] - cells.weights[first]) >
            tolerance * cells.weights[first])
      return Geometry::general;
  for (unsigned int i = 0; i < dim; ++i)
    for (unsigned int j = 0; j < dim; ++j)
      if (i != j && std::abs(J[i][j]) > tolerance * J.norm())
        return Geometry::affine;
  return Geometry::box;
}

template <int dim>
std::vector<std::shared_ptr<CellKicks<dim>>>
make_families(const CellData<dim> &cells, std::shared_ptr<const Material<dim>> material,
              const CellKernels::HourglassData &hourglass, const Scheme scheme = Scheme::at_points)
{
  check_cells(cells, *material);
  const bool has_affine = !CellFamily<dim>::needs_history_kernels(*material, scheme);
  const unsigned int n_cells = cells.nodes.size() / cells.nodes_per_cell;
  constexpr std::array<Geometry, 4> kinds = {
      {Geometry::simplex, Geometry::box, Geometry::affine, Geometry::general}};
  std::array<std::vector<unsigned int>, 4> members;
  for (unsigned int cell = 0; cell < n_cells; ++cell)
  {
    Geometry kind = classify(cells, cell);
    if (kind == Geometry::affine && !has_affine)
      kind = Geometry::general;
    members[static_cast<unsigned int>(kind)].push_back(cell);
  }
  std::vector<std::shared_ptr<CellKicks<dim>>> families;
  for (const Geometry kind : kinds)
  {
    auto &cells_of_kind = members[static_cast<unsigned int>(kind)];
    cells_of_kind.shrink_to_fit();
    if (!cells_of_kind.empty())
      families.push_back(std::make_shared<CellFamily<dim>>(cells, std::move(cells_of_kind), kind,
                                                           material, hourglass, scheme));
  }
  return families;
}
} // namespace

template <int dim>
std::vector<std::shared_ptr<CellKicks<dim>>>
make_cell_kicks(const CellData<dim> &cells, std::shared_ptr<const Material<dim>> material)
{
  AssertThrow(material != nullptr, dealii::ExcMessage("Cells need a material."));
  return make_families(cells, std::move(material), {CellKernels::HourglassKind::none, 0, 0, 0});
}

template <int dim>
std::vector<std::shared_ptr<CellKicks<dim>>>
make_mean_dilatation_kicks(const CellData<dim> &cells,
                           std::shared_ptr<const Material<dim>> material)
{
  AssertThrow(material != nullptr, dealii::ExcMessage("Cells need a material."));
  AssertThrow(cells.nodes_per_cell != dim + 1,
              dealii::ExcMessage("The dilatation of simplices is constant anyway; use standard "
                                 "integration."));
  AssertThrow(!material->is_linear(),
              dealii::ExcMessage("Mean dilatation is for large strains, but the material is "
                                 "linear; take a neo-Hookean one."));
  return make_families(cells, std::move(material), {CellKernels::HourglassKind::none, 0, 0, 0},
                       Scheme::mean_dilatation);
}

template <int dim>
std::vector<std::shared_ptr<CellKicks<dim>>>
make_one_point_kicks(const CellData<dim> &cells, std::shared_ptr<const Material<dim>> material,
                     const HourglassControl &control)
{
  AssertThrow(material != nullptr, dealii::ExcMessage("Cells need a material."));
  AssertThrow(dynamic_cast<const HistoryMaterial<dim> *>(material.get()) == nullptr,
              ExcHistory("One-point integration", "mean dilatation"));
  const auto hourglass = hourglass_data(control, *material);
  return make_families(cells, std::move(material), hourglass);
}

template std::vector<std::shared_ptr<CellKicks<2>>>
make_cell_kicks(const CellData<2> &, std::shared_ptr<const Material<2>>);
template std::vector<std::shared_ptr<CellKicks<3>>>
make_cell_kicks(const CellData<3> &, std::shared_ptr<const Material<3>>);
template std::vector<std::shared_ptr<CellKicks<2>>>
make_mean_dilatation_kicks(const CellData<2> &, std::shared_ptr<const Material<2>>);
template std::vector<std::shared_ptr<CellKicks<3>>>
make_mean_dilatation_kicks(const CellData<3> &, std::shared_ptr<const Material<3>>);
template std::vector<std::shared_ptr<CellKicks<2>>>
make_one_point_kicks(const CellData<2> &, std::shared_ptr<const Material<2>>,
                     const HourglassControl &);
template std::vector<std::shared_ptr<CellKicks<3>>>
make_one_point_kicks(const CellData<3> &, std::shared_ptr<const Material<3>>,
                     const HourglassControl &);
} // namespace KickDrift
