#include <kickdrift/base/messages.h>
#include <kickdrift/cases/model/node_selection.h>

#include <algorithm>

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
  for (const auto &[index, ids] :
       boundary_parts(bodies, chosen, selection.boundaries, section + "/Boundary ids"))
  {
    const MeshedBody<dim> &body = bodies[index];
    if (ids.empty())
      for (unsigned int node = 0; node < body.n_nodes(); ++node)
        selected.push_back(body.first_node() + node);
    else
      for (const unsigned int node : body.boundary_nodes(ids))
        selected.push_back(node);
  }
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
                         (chosen.size() == 1 ? "body '" + bodies[chosen[0]].name() + "'"
                                             : std::to_string(chosen.size()) + " bodies") +
                         (select_tied_nodes(bodies, chosen, selection, section).empty()
                              ? "."
                              : ", but tied ones, which follow others.")));
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
  template std::vector<std::pair<unsigned int, Body<dim>::TiedNode>> select_tied_nodes(            \
      const std::deque<MeshedBody<dim>> &, const std::vector<unsigned int> &,                      \
      const NodeSelection<dim> &, const std::string &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace KickDrift
