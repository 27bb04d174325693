// The order of a body's cells, and the nodes that its vertices become.

#include <kickdrift/deal_ii/body.h>
#include <kickdrift/deal_ii/cell_geometry.h>
#include <kickdrift/meshes/hanging_nodes.h>

#include "vertex_points.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace KickDrift
{
using namespace dealii;

template <int dim, int spacedim>
void
Body<dim, spacedim>::order_cells()
{
  std::vector<Cell> cells;
  std::vector<Point<spacedim>> centres;
  for (const auto &cell : dofs->active_cell_iterators())
  {
    cells.push_back(cell);
    Point<spacedim> centre;
    const auto vertices = map->get_vertices(cell);
    for (const auto &vertex : vertices)
      centre += vertex / double(vertices.size());
    AssertThrow(std::isfinite(centre.norm()),
                ExcMessage("Body '" + body_name + "': cell " +
                           std::to_string(cell->active_cell_index()) +
                           " has vertices that are not finite numbers."));
    centres.push_back(centre);
  }
  position_of_cell.resize(cells.size());
  for (const unsigned int c : space_filling_order(centres))
  {
    position_of_cell[c] = ordered_cells.size();
    ordered_cells.push_back(cells[c]);
  }
}

template <int dim, int spacedim>
void
Body<dim, spacedim>::number_nodes()
{
  const auto &element = dofs->get_fe();
  const auto constraints = hanging_node_constraints(*dofs);
  local_node_of_dof.assign(dofs->n_dofs(), numbers::invalid_unsigned_int);
  std::vector<Point<spacedim>> hanging_positions;
  std::vector<DoFIndex> cell_dofs(element.n_dofs_per_cell());
  for (const auto &cell : ordered_cells)
  {
    cell->get_dof_indices(cell_dofs);
    const auto vertices = map->get_vertices(cell);
    for (unsigned int v = 0; v < vertices.size(); ++v)
    {
      const auto first_dof = cell_dofs[element.component_to_system_index(0, v)];
      if (local_node_of_dof[first_dof] != numbers::invalid_unsigned_int)
        continue;
      const bool hangs = constraints.is_constrained(first_dof);
      auto &list = hangs ? hanging_positions : positions;
      auto &dof_list = hangs ? hanging_dofs : node_dofs;
      for (unsigned int c = 0; c < element.n_components(); ++c)
      {
        dof_list.push_back(cell_dofs[element.component_to_system_index(c, v)]);
        local_node_of_dof[dof_list.back()] = list.size();
      }
      list.push_back(vertices[v]);
    }
  }
  for (const DoFIndex dof : hanging_dofs)
    local_node_of_dof[dof] += positions.size();
  for (unsigned int i = 0; i < hanging_positions.size(); ++i)
  {
    std::vector<Parent> parents;
    const DoFIndex dof = hanging_dofs[std::size_t(i) * element.n_components()];
    for (const auto &[parent, weight] : *constraints.get_constraint_entries(dof))
      parents.push_back({local_node_of_dof[parent], weight});
    // so that rounding does not depend on how DoFs are numbered
    std::sort(parents.begin(), parents.end(),
              [](const Parent &a, const Parent &b) { return a.node < b.node; });
    check_hanging(hanging_positions[i], parents);
    hanging.add(hanging_positions[i], parents);
  }
}

template <int dim, int spacedim>
void
Body<dim, spacedim>::check_hanging(const Point<spacedim> &where,
                                   const std::vector<Parent> &parents) const
{
  Point<spacedim> middle;
  double size = 0;
  for (const Parent &parent : parents)
  {
    middle += parent.weight * positions[parent.node];
    size = std::max(size, where.distance(positions[parent.node]));
  }
  std::ostringstream message;
  message << "Body '" << body_name << "': the hanging node at (" << where << ") is "
          << where.distance(middle) << " away from the middle of the edge or face on which it "
          << "hangs, so that cells overlap or leave a gap. Call straighten_hanging_nodes() when "
             "the mesh is refined.";
  AssertThrow(where.distance(middle) <= 1e-8 * size, ExcMessage(message.str()));
}

template <int dim, int spacedim>
void
Body<dim, spacedim>::local_nodes(const Cell &cell, std::vector<unsigned int> &nodes) const
{
  // All components of a vertex lead to the same node; the first one is asked.
  nodes.resize(cell->n_vertices());
  for (unsigned int v = 0; v < nodes.size(); ++v)
    nodes[v] = local_node_of_dof[cell->vertex_dof_index(v, 0)];
}

template <int dim, int spacedim>
bool
Body<dim, spacedim>::has_hanging_node(const Cell &cell) const
{
  for (const unsigned int v : cell->vertex_indices())
    if (local_node_of_dof[cell->vertex_dof_index(v, 0)] >= n_nodes())
      return true;
  return false;
}

template <int dim, int spacedim>
std::vector<Parent>
Body<dim, spacedim>::parents_of_vertex(const Cell &cell, const unsigned int vertex) const
{
  const unsigned int node = local_node_of_dof[cell->vertex_dof_index(vertex, 0)];
  if (node < n_nodes())
    return {{first_node() + node, 1.}};
  const auto local = hanging.parents(node - n_nodes());
  std::vector<Parent> parents(local.begin(), local.end());
  for (Parent &parent : parents)
    parent.node += first_node();
  return parents;
}

template <int dim, int spacedim>
unsigned int
Body<dim, spacedim>::first_node() const
{
  AssertThrow(offset != numbers::invalid_unsigned_int,
              ExcMessage("Body '" + body_name + "': call add_nodes() first."));
  return offset;
}

template <int dim, int spacedim>
ArrayView<const types::global_dof_index>
Body<dim, spacedim>::dofs_of_node(const unsigned int node) const
{
  const unsigned int n_components = dofs->get_fe().n_components();
  AssertIndexRange(node - first_node(), n_nodes());
  return {node_dofs.data() + std::size_t(node - first_node()) * n_components, n_components};
}

template <int dim, int spacedim>
std::vector<unsigned int>
Body<dim, spacedim>::nodes_of_cell(const Cell &cell) const
{
  std::vector<unsigned int> nodes;
  local_nodes(cell, nodes);
  for (unsigned int &node : nodes)
    node = index(node);
  return nodes;
}

template class Body<2>;
template class Body<3>;
} // namespace KickDrift
