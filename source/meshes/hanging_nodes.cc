#include <kickdrift/meshes/hanging_nodes.h>

#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>

namespace KickDrift
{
using namespace dealii;

template <int dim, int spacedim>
AffineConstraints<double>
hanging_node_constraints(const DoFHandler<dim, spacedim> &dof_handler)
{
  AffineConstraints<double> constraints;
  if (dof_handler.get_triangulation().has_hanging_nodes())
    DoFTools::make_hanging_node_constraints(dof_handler, constraints);
  constraints.close();
  return constraints;
}

template <int dim>
void
straighten_hanging_nodes(Triangulation<dim> &triangulation)
{
  if (!triangulation.has_hanging_nodes())
    return;
  DoFHandler<dim> dof_handler(triangulation);
  dof_handler.distribute_dofs(FE_Q<dim>(1));
  const auto constraints = hanging_node_constraints(dof_handler);
  std::vector<Point<dim> *> vertices(dof_handler.n_dofs());
  for (const auto &cell : dof_handler.active_cell_iterators())
    for (const unsigned int v : cell->vertex_indices())
      vertices[cell->vertex_dof_index(v, 0)] = &cell->vertex(v);
  for (const auto &line : constraints.get_lines())
  {
    Point<dim> middle;
    for (const auto &[dof, weight] : line.entries)
      middle += weight * *vertices[dof];
    *vertices[line.index] = middle;
  }
}

template AffineConstraints<double> hanging_node_constraints(const DoFHandler<2> &);
template AffineConstraints<double> hanging_node_constraints(const DoFHandler<3> &);
template void straighten_hanging_nodes(Triangulation<2> &);
template void straighten_hanging_nodes(Triangulation<3> &);
} // namespace KickDrift
