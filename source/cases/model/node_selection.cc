#include <kickdrift/base/messages.h>
#include <kickdrift/cases/model/node_selection.h>

#include <deal.II/base/bounding_box.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <type_traits>

namespace KickDrift
{
using namespace dealii;

namespace
{
template <int dim>
bool
is_inside(const std::pair<Point<dim>, Point<dim>> &box, const Point<dim> &point)
{
  // Vertices computed by a mesh generator lie on planes only up to round-off.
  const double tolerance = 1e-9 * box.first.distance(box.second);
  for (unsigned int d = 0; d < dim; ++d)
    if (point[d] < box.first[d] - tolerance || point[d] > box.second[d] + tolerance)
      return false;
  return true;
}

std::string
text_of(const std::size_t n, const std::string &name)
{
  return n == 1 ? "body '" + name + "'" : std::to_string(n) + " bodies";
}

/// Call @p f (cell) for all cells of a body, a solid or a shell.
template <int dim, typename Function>
void
for_each_cell(const MeshedBody<dim> &body, const Function &f)
{
  if constexpr (dim == 3)
    if (body.shell)
    {
      for (const auto &cell : body.shell->dof_handler.active_cell_iterators())
        f(cell);
      return;
    }
  for (const auto &cell : body.dof_handler.active_cell_iterators())
    f(cell);
}

/// Volume or area of a cell.
template <typename Cell>
double
measure_of(const Cell &cell)
{
  if constexpr (std::decay_t<decltype(*cell)>::dimension == 2 &&
                std::decay_t<decltype(*cell)>::space_dimension == 3)
    return 0.5 *
           cross_product_3d(cell->vertex(1) - cell->vertex(0), cell->vertex(2) - cell->vertex(0))
               .norm();
  else
    return cell->measure();
}

/// The material ids that some words stand for.
template <int dim>
std::set<types::material_id>
material_ids(const MeshedBody<dim> &body, const std::vector<std::string> &words,
             const std::string &parameter)
{
  std::set<types::material_id> present;
  for_each_cell(body, [&](const auto &cell) { present.insert(cell->material_id()); });
  return ids_of(words, body.names.materials, present, parameter,
                "body '" + body.name() + "' has no cell with material id");
}

/// Call @p f (cell, nodes of the cell) for all cells of a body; hanging nodes, which are none of
/// the table, are numbers::invalid_unsigned_int.
template <int dim, typename Function>
void
for_each_cell_with_nodes(const MeshedBody<dim> &body, const Function &f)
{
  std::vector<types::global_dof_index> dofs;
  std::vector<unsigned int> nodes;
  for_each_cell(body,
                [&](const auto &cell)
                {
                  if constexpr (std::decay_t<decltype(*cell)>::dimension == dim)
                    f(cell, body.body->nodes_of_cell(cell));
                  else
                  {
                    dofs.resize(cell->get_fe().n_dofs_per_cell());
                    cell->get_dof_indices(dofs);
                    nodes.clear();
                    for (const auto dof : dofs)
                      nodes.push_back(body.shell->body->node_of_dof(dof));
                    f(cell, nodes);
                  }
                });
}

/// The body's nodes, of which those of cells with these materials only.
template <int dim>
std::vector<unsigned int>
nodes_with_materials(const MeshedBody<dim> &body, const std::vector<std::string> &materials,
                     const std::string &parameter)
{
  std::vector<unsigned int> result(body.n_nodes());
  std::iota(result.begin(), result.end(), body.first_node());
  if (materials.empty())
    return result;
  const auto ids = material_ids(body, materials, parameter);
  std::vector<char> is_one(body.n_nodes(), 0);
  for_each_cell_with_nodes(body,
                           [&](const auto &cell, const auto &nodes)
                           {
                             if (ids.count(cell->material_id()) == 0)
                               return;
                             for (const unsigned int node : nodes)
                               if (node != numbers::invalid_unsigned_int)
                                 is_one[node - body.first_node()] = 1;
                           });
  result.erase(std::remove_if(result.begin(), result.end(),
                              [&](const unsigned int node)
                              { return !is_one[node - body.first_node()]; }),
               result.end());
  return result;
}

/**
 * Call @p f (body, boundary ids, words for materials) for those of the chosen bodies that have one
 * of the boundaries and one of the materials, which are given if no others are. Throws if no body
 * does.
 */
template <int dim, typename Function>
void
for_each_body(const std::deque<MeshedBody<dim>> &bodies, const std::vector<unsigned int> &chosen,
              const NodeSelection<dim> &selection, const std::string &section, const Function &f)
{
  std::string complaint;
  bool found = false;
  for (const auto &[index, ids] :
       boundary_parts(bodies, chosen, selection.boundaries, section + "/Boundary ids"))
    try
    {
      if (!selection.materials.empty())
        material_ids(bodies[index], selection.materials, section + "/Material ids");
      f(index, ids);
      found = true;
    }
    catch (const ExceptionBase &exception)
    {
      if (complaint.empty())
        complaint = message_of(exception);
    }
  AssertThrow(found, ExcMessage(complaint));
}
} // namespace

template <int dim>
BoundaryParts
boundary_parts(const std::deque<MeshedBody<dim>> &bodies, const std::vector<unsigned int> &chosen,
               const std::vector<std::string> &boundaries, const std::string &parameter)
{
  BoundaryParts parts;
  std::string complaint;
  for (const unsigned int body : chosen)
    try
    {
      std::set<types::boundary_id> ids;
      if (!boundaries.empty())
        ids = bodies[body].boundary_ids(boundaries, parameter);
      parts.emplace_back(body, std::move(ids));
    }
    catch (const ExceptionBase &exception)
    {
      if (complaint.empty())
        complaint = message_of(exception);
    }
  AssertThrow(!parts.empty(), ExcMessage(complaint));
  return parts;
}

template <int dim>
std::vector<unsigned int>
select_nodes(const std::deque<MeshedBody<dim>> &bodies, const std::vector<unsigned int> &chosen,
             const NodeTable<dim> &nodes, const NodeSelection<dim> &selection,
             const std::string &section)
{
  std::vector<unsigned int> selected;
  for_each_body(bodies, chosen, selection, section,
                [&](const unsigned int index, const std::set<types::boundary_id> &ids)
                {
                  const MeshedBody<dim> &body = bodies[index];
                  const auto of_material =
                      nodes_with_materials(body, selection.materials, section + "/Material ids");
                  if (ids.empty())
                    selected.insert(selected.end(), of_material.begin(), of_material.end());
                  else
                    for (const unsigned int node : body.boundary_nodes(ids))
                      if (std::binary_search(of_material.begin(), of_material.end(), node))
                        selected.push_back(node);
                });
  if (selection.box)
    selected.erase(std::remove_if(selected.begin(), selected.end(),
                                  [&](const unsigned int node)
                                  { return !is_inside(*selection.box, nodes.reference(node)); }),
                   selected.end());
  if (selection.point && !selected.empty())
    selected = {*std::min_element(selected.begin(), selected.end(),
                                  [&](const auto a, const auto b)
                                  {
                                    return nodes.reference(a).distance(*selection.point) <
                                           nodes.reference(b).distance(*selection.point);
                                  })};
  AssertThrow(!selected.empty(),
              ExcMessage("'" + section + "' selects no node of " +
                         text_of(chosen.size(), bodies[chosen[0]].name()) +
                         (select_tied_nodes(bodies, chosen, selection, section).empty()
                              ? "."
                              : ", but tied ones, which follow others.")));
  return selected;
}

template <int dim>
unsigned int
body_of_node(const std::deque<MeshedBody<dim>> &bodies, const unsigned int node)
{
  const auto body = std::find_if(bodies.begin(), bodies.end(),
                                 [node](const MeshedBody<dim> &body)
                                 { return node < body.first_node() + body.n_nodes(); });
  return body - bodies.begin();
}

template <int dim>
BodySizes
sizes_of(const MeshedBody<dim> &body, const NodeTable<dim> &nodes)
{
  const unsigned int first = body.first_node();
  BoundingBox<dim> box({nodes.reference(first), nodes.reference(first)});
  for (unsigned int node = first; node < first + body.n_nodes(); ++node)
    box.merge_with(BoundingBox<dim>({nodes.reference(node), nodes.reference(node)}));
  const auto &[lower, upper] = box.get_boundary_points();
  BodySizes sizes{lower.distance(upper), std::vector<double>(body.n_nodes(), 0.)};
  for_each_cell_with_nodes(body,
                           [&](const auto &cell, const auto &nodes_of_cell)
                           {
                             const double diameter = cell->diameter();
                             for (const unsigned int node : nodes_of_cell)
                               if (node != numbers::invalid_unsigned_int)
                                 sizes.cells[node - first] =
                                     std::max(sizes.cells[node - first], diameter);
                           });
  return sizes;
}

template <int dim>
std::vector<CellOfBody>
select_cells(const std::deque<MeshedBody<dim>> &bodies, const std::vector<unsigned int> &chosen,
             const NodeSelection<dim> &selection, const std::string &section)
{
  std::vector<CellOfBody> selected;
  double least = std::numeric_limits<double>::infinity(); // distance to the point
  const auto look = [&](const unsigned int index, const std::set<types::boundary_id> &ids)
  {
    std::set<types::material_id> materials;
    if (!selection.materials.empty())
      materials = material_ids(bodies[index], selection.materials, section + "/Material ids");
    const auto is_on_boundary = [&](const auto &cell)
    {
      for (const unsigned int f : cell->face_indices())
        if (cell->face(f)->at_boundary() && ids.count(cell->face(f)->boundary_id()) > 0)
          return true;
      return false;
    };
    for_each_cell(bodies[index],
                  [&](const auto &cell)
                  {
                    if (!materials.empty() && materials.count(cell->material_id()) == 0)
                      return;
                    if (!ids.empty() && !is_on_boundary(cell))
                      return;
                    if (selection.box && !is_inside(*selection.box, cell->center()))
                      return;
                    const CellOfBody found{index, cell->active_cell_index(), measure_of(cell)};
                    if (!selection.point)
                      selected.push_back(found);
                    else if (const double distance = cell->center().distance(*selection.point);
                             distance < least)
                    {
                      least = distance;
                      selected = {found};
                    }
                  });
  };
  for_each_body(bodies, chosen, selection, section, look);
  AssertThrow(!selected.empty(),
              ExcMessage("'" + section + "' selects no cell of " +
                         text_of(chosen.size(), bodies[chosen[0]].name()) + "."));
  return selected;
}

template <int dim>
std::vector<std::pair<unsigned int, typename Body<dim>::TiedNode>>
select_tied_nodes(const std::deque<MeshedBody<dim>> &bodies,
                  const std::vector<unsigned int> &chosen, const NodeSelection<dim> &selection,
                  const std::string &section)
{
  std::vector<std::pair<unsigned int, typename Body<dim>::TiedNode>> selected;
  if (selection.point)
    return selected;
  for (const auto &[index, ids] :
       boundary_parts(bodies, chosen, selection.boundaries, section + "/Boundary ids"))
    if (bodies[index].body)
      for (auto &node : bodies[index].body->tied_nodes(ids))
        if (!selection.box || is_inside(*selection.box, node.reference))
          selected.emplace_back(index, std::move(node));
  return selected;
}

#define INSTANTIATE(dim)                                                                           \
  template BoundaryParts boundary_parts(const std::deque<MeshedBody<dim>> &,                       \
                                        const std::vector<unsigned int> &,                         \
                                        const std::vector<std::string> &, const std::string &);    \
  template std::vector<unsigned int> select_nodes(                                                 \
      const std::deque<MeshedBody<dim>> &, const std::vector<unsigned int> &,                      \
      const NodeTable<dim> &, const NodeSelection<dim> &, const std::string &);                    \
  template unsigned int body_of_node(const std::deque<MeshedBody<dim>> &, unsigned int);           \
  template BodySizes sizes_of(const MeshedBody<dim> &, const NodeTable<dim> &);                    \
  template std::vector<CellOfBody> select_cells(const std::deque<MeshedBody<dim>> &,               \
                                                const std::vector<unsigned int> &,                 \
                                                const NodeSelection<dim> &, const std::string &);  \
  template std::vector<std::pair<unsigned int, Body<dim>::TiedNode>> select_tied_nodes(            \
      const std::deque<MeshedBody<dim>> &, const std::vector<unsigned int> &,                      \
      const NodeSelection<dim> &, const std::string &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace KickDrift
