// A mesh of cubes or simplices with linear elements.
#ifndef KICKDRIFT_TESTS_UNIT_DEAL_II_LINEAR_MESH_H
#define KICKDRIFT_TESTS_UNIT_DEAL_II_LINEAR_MESH_H

#include "test_body.h"

#include <deal.II/dofs/dof_handler.h>

#include <memory>
#include <vector>

namespace KickDriftTests
{
template <int dim>
struct LinearMesh
{
  /// Of @p cubes, or each of these divided into simplices. It may still be changed until
  /// distribute().
  LinearMesh(const Triangulation<dim> &cubes, const bool simplices)
  {
    if (simplices)
      GridGenerator::convert_hypercube_to_simplex_mesh(cubes, triangulation);
    else
      triangulation.copy_triangulation(cubes);
    const FE_Q<dim> of_cubes(1);
    const FE_SimplexP<dim> of_simplices(1);
    if (simplices)
      element = std::make_unique<FESystem<dim>>(of_simplices, dim);
    else
      element = std::make_unique<FESystem<dim>>(of_cubes, dim);
    mapping = element->reference_cell().template get_default_mapping<dim>(1);
  }

  void
  distribute()
  {
    dofs.reinit(triangulation);
    dofs.distribute_dofs(*element);
  }

  /// Call f(index, component, point) for all degrees of freedom of all cells.
  template <typename F>
  void
  for_each_dof(const F &f) const
  {
    std::vector<types::global_dof_index> of_cell(element->n_dofs_per_cell());
    for (const auto &cell : dofs.active_cell_iterators())
    {
      cell->get_dof_indices(of_cell);
      for (unsigned int i = 0; i < of_cell.size(); ++i)
        f(of_cell[i], element->system_to_component_index(i).first,
          mapping->transform_unit_to_real_cell(cell, element->unit_support_point(i)));
    }
  }

  Triangulation<dim> triangulation;
  std::unique_ptr<FiniteElement<dim>> element;
  std::unique_ptr<Mapping<dim>> mapping;
  DoFHandler<dim> dofs;
};
} // namespace KickDriftTests

#endif
