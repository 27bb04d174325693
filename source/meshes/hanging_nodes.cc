#include <kickdrift/meshes/hanging_nodes.h>

#include <deal.II/distributed/tria_base.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/grid/grid_tools.h>

#include <map>
#include <vector>

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

namespace
{
/// By hanging vertex: the ends or corners of the edge or face in the middle of which it is to be.
/// Opposite corners come in pairs.
template <int dim>
using HangingVertices = std::map<Point<dim> *, std::vector<Point<dim> *>>;

template <int dim, typename Line>
void
add_of_line(const Line &line, HangingVertices<dim> &hanging)
{
  if (line->has_children())
    hanging[&line->child(0)->vertex(1)] = {&line->vertex(0), &line->vertex(1)};
}

/// Of a face of an active cell: its children are those of a finer neighbour.
template <typename Face>
void
add_of_face(const Face &face, HangingVertices<3> &hanging)
{
  for (unsigned int l = 0; l < face->n_lines(); ++l)
    add_of_line<3>(face->line(l), hanging);
  if (!face->has_children())
    return;
  if (face->n_vertices() == 4 && face->n_children() == 4)
    hanging[&face->child(0)->vertex(3)] = {&face->vertex(0), &face->vertex(3), &face->vertex(1),
                                           &face->vertex(2)};
  for (unsigned int c = 0; c < face->n_children(); ++c)
    add_of_face(face->child(c), hanging);
}

template <int dim>
HangingVertices<dim>
hanging_vertices(const Triangulation<dim> &triangulation, const bool is_divided)
{
  HangingVertices<dim> hanging;
  for (const auto &cell : triangulation.active_cell_iterators())
  {
    // these may be coarser here than they are, and what touches them would seem to hang
    if (is_divided && cell->is_artificial())
      continue;
    for (const unsigned int l : cell->line_indices())
      add_of_line<dim>(cell->line(l), hanging);
    if constexpr (dim == 3)
      for (const auto &face : cell->face_iterators())
        add_of_face(face, hanging);
  }
  return hanging;
}

/// The bits of the sum do not depend on where an edge or face begins.
template <int dim>
Point<dim>
middle(const std::vector<Point<dim> *> &vertices)
{
  Tensor<1, dim> sum;
  for (unsigned int v = 0; v < vertices.size(); v += 2)
    sum += *vertices[v] + *vertices[v + 1];
  return Point<dim>(sum / double(vertices.size()));
}

/// Move a vertex, if it hangs; first those that it depends on.
template <int dim>
void
straighten(Point<dim> *const vertex, HangingVertices<dim> &hanging)
{
  const auto entry = hanging.find(vertex);
  if (entry == hanging.end())
    return;
  const auto others = std::move(entry->second);
  hanging.erase(entry);
  for (Point<dim> *const other : others)
    straighten(other, hanging);
  *vertex = middle(others);
}

/// Ghost cells may hang on cells that this process does not know.
template <int dim>
void
update_ghost_vertices(Triangulation<dim> &triangulation)
{
  using Cell = typename Triangulation<dim>::active_cell_iterator;
  using Positions = std::vector<Point<dim>>;
  GridTools::exchange_cell_data_to_ghosts<Positions, Triangulation<dim>>(
      triangulation,
      [](const Cell &cell)
      {
        Positions positions;
        for (const unsigned int v : cell->vertex_indices())
          positions.push_back(cell->vertex(v));
        return positions;
      },
      [](const Cell &cell, const Positions &positions)
      {
        for (const unsigned int v : cell->vertex_indices())
          cell->vertex(v) = positions[v];
      });
}
} // namespace

template <int dim>
void
straighten_hanging_nodes(Triangulation<dim> &triangulation)
{
  // each process of parallel::shared has the whole mesh
  const bool is_divided =
      dynamic_cast<const parallel::DistributedTriangulationBase<dim> *>(&triangulation);
  auto hanging = hanging_vertices(triangulation, is_divided);
  while (!hanging.empty())
    straighten(hanging.begin()->first, hanging);
  if (is_divided)
    update_ghost_vertices(triangulation);
}

template AffineConstraints<double> hanging_node_constraints(const DoFHandler<2> &);
template AffineConstraints<double> hanging_node_constraints(const DoFHandler<3> &);
template void straighten_hanging_nodes(Triangulation<2> &);
template void straighten_hanging_nodes(Triangulation<3> &);
} // namespace KickDrift
