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
      auto &dof_list = hangs ? follower_dofs : node_dofs;
      for (unsigned int c = 0; c < element.n_components(); ++c)
      {
        dof_list.push_back(cell_dofs[element.component_to_system_index(c, v)]);
        local_node_of_dof[dof_list.back()] = hangs ? followers.size() : positions.size();
      }
      if (hangs)
        followers.push_back({vertices[v], {}});
      else
        positions.push_back(vertices[v]);
    }
  }
  n_hanging = followers.size();
  for (const DoFIndex dof : follower_dofs)
    local_node_of_dof[dof] += positions.size();
  for (unsigned int i = 0; i < followers.size(); ++i)
  {
    const DoFIndex dof = follower_dofs[std::size_t(i) * element.n_components()];
    for (const auto &[master, weight] : *constraints.get_constraint_entries(dof))
      followers[i].masters.push_back({this, master, weight});
    // so that rounding does not depend on how DoFs are numbered
    std::sort(followers[i].masters.begin(), followers[i].masters.end(),
              [this](const Master &a, const Master &b)
              { return local_node_of_dof[a.dof] < local_node_of_dof[b.dof]; });
    check_hanging(followers[i]);
  }
}

template <int dim, int spacedim>
void
Body<dim, spacedim>::check_hanging(const Follower &follower) const
{
  Point<spacedim> middle;
  double size = 0;
  const Point<spacedim> &where = follower.reference;
  for (const Master &master : follower.masters)
  {
    const auto &position = positions[local_node_of_dof[master.dof]];
    middle += master.weight * position;
    size = std::max(size, where.distance(position));
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
Body<dim, spacedim>::has_follower(const Cell &cell) const
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
  return parents_of(followers[node - n_nodes()]);
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
  nodes_of_cell(cell, nodes);
  return nodes;
}

template <int dim, int spacedim>
void
Body<dim, spacedim>::nodes_of_cell(const Cell &cell, std::vector<unsigned int> &nodes) const
{
  local_nodes(cell, nodes);
  for (unsigned int &node : nodes)
    node = index(node);
}

template class Body<2>;
template class Body<3>;
} // namespace KickDrift
