#include <kickdrift/base/messages.h>
#include <kickdrift/cases/preflight/chosen_points.h>

#include <algorithm>
#include <ostream>

#include "lists.h"

namespace KickDrift
{
namespace
{
/// In the order of their distances, the furthest first.
template <int dim>
std::vector<NodeAtPoint<dim>>
furthest_first(const Model<dim> &model)
{
  auto points = model.nodes_at_points;
  std::stable_sort(points.begin(), points.end(),
                   [](const auto &a, const auto &b) { return a.distance > b.distance; });
  return points;
}

template <int dim>
std::string
text_of(const NodeAtPoint<dim> &chosen, const Model<dim> &model)
{
  return "'" + chosen.parameter + "' = " + point_text(chosen.point) + " is " +
         number_text(chosen.distance) + " from " + model.node_text(chosen.node);
}
} // namespace

template <int dim>
void
warn_of_far_points(const Model<dim> &model, std::ostream &out)
{
  unsigned int n = 0;
  for (const auto &chosen : furthest_first(model))
    if (chosen.distance > chosen.cell_size && ++n <= n_listed)
      out << "Warning: " << text_of(chosen, model)
          << ", the nearest one, whose cells are not larger than " << number_text(chosen.cell_size)
          << "\n";
  if (n > n_listed)
    out << "Warning: " << n - n_listed << " more points are further from nodes than cells are "
        << "large\n";
}

template <int dim>
void
print_chosen_points(const Model<dim> &model, std::ostream &out)
{
  const auto points = furthest_first(model);
  for (std::size_t i = 0; i < std::min<std::size_t>(n_listed, points.size()); ++i)
    out << "Point " << text_of(points[i], model) << "\n";
  if (points.size() > n_listed)
    out << "and " << points.size() - n_listed << " more points, no further from their nodes\n";
}

#define INSTANTIATE(dim)                                                                           \
  template void warn_of_far_points(const Model<dim> &, std::ostream &);                            \
  template void print_chosen_points(const Model<dim> &, std::ostream &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace KickDrift
