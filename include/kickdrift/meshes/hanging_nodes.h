#ifndef KICKDRIFT_MESHES_HANGING_NODES_H
#define KICKDRIFT_MESHES_HANGING_NODES_H

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/grid/tria.h>
#include <deal.II/lac/affine_constraints.h>

namespace KickDrift
{
/// What hanging nodes follow, in terms of DoFs that are not constrained themselves; empty for a
/// mesh without any.
template <int dim, int spacedim>
dealii::AffineConstraints<double>
hanging_node_constraints(const dealii::DoFHandler<dim, spacedim> &dof_handler);

/**
 * Move the hanging vertices of a mesh of quadrilaterals or hexahedra to the middle of the edge or
 * face that they hang on. Refinement puts them elsewhere where there are curved manifolds, and so
 * does a map of all vertices; then linear elements overlap or leave gaps. Further refinement should
 * come before. Of a mesh that is divided among processes all have to call it, and get the vertices
 * of ghost cells, too. The bits do not depend on how vertices and cells are numbered or divided.
 */
template <int dim>
void straighten_hanging_nodes(dealii::Triangulation<dim> &triangulation);
} // namespace KickDrift

#endif
