#include <kickdrift/cases/model/node_selection.h>

#include <algorithm>
#include <numeric>

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
std::vector<unsigned int>
select_nodes(const MeshedBody<dim> &meshed, const NodeTable<dim> &nodes,
             const NodeSelection<dim> &selection, const std::string &section)
{
  const Body<dim> &body = *meshed.body;
  std::vector<unsigned int> selected(body.n_nodes());
  std::iota(selected.begin(), selected.end(), body.first_node());
  if (!selection.boundaries.empty())
    selected =
        body.boundary_nodes(meshed.boundary_ids(selection.boundaries, section + "/Boundary ids"));
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
              ExcMessage("'" + section + "' selects no node of body '" + body.name() + "'."));
  return selected;
}

template std::vector<unsigned int> select_nodes(const MeshedBody<2> &, const NodeTable<2> &,
                                                const NodeSelection<2> &, const std::string &);
template std::vector<unsigned int> select_nodes(const MeshedBody<3> &, const NodeTable<3> &,
                                                const NodeSelection<3> &, const std::string &);
} // namespace KickDrift
