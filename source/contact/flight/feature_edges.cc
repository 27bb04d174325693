// SPDX-License-Identifier: LGPL-2.1-or-later
#include <kickdrift/contact/flight/crossings.h>
#include <kickdrift/contact/flight/feature_edges.h>
#include <kickdrift/contact/flight/walk.h>

#include <deal.II/base/numbers.h>

#include <cmath>

namespace KickDrift
{
template <int spacedim>
bool
is_feature_edge(const NodeTable<spacedim> &nodes, const Facets<spacedim> &facets,
                const unsigned int edge, const double smallest_angle)
{
  if constexpr (spacedim == 3)
  {
    const auto &own = facets.edges()[edge];
    if (own.facets[1] == Facets<spacedim>::none)
      return true;
    const auto place = [&](const unsigned int corner)
    {
      const auto &of_it = facets.corners()[corner];
      dealii::Tensor<1, 3> sum;
      for (unsigned int i = 0; i < of_it.n_nodes; ++i)
        sum += nodes.reference(facets.nodes()[of_it.nodes[i]]);
      return dealii::Point<3>(sum / of_it.n_nodes);
    };
    const auto normal = [&](const unsigned int facet)
    { return facet_normal<3>(corners_of<3>(facets, facet, place)); };
    const auto first = normal(own.facets[0]), second = normal(own.facets[1]);
    const auto turn = dealii::cross_product_3d(first, second);
    const double sign = turn * (place(own.corners[1]) - place(own.corners[0])) < 0 ? -1 : 1;
    return sign * std::atan2(turn.norm(), first * second) * 180 / dealii::numbers::PI >=
           smallest_angle;
  }
  (void)nodes, (void)facets, (void)edge, (void)smallest_angle;
  return false;
}

template bool is_feature_edge(const NodeTable<2> &, const Facets<2> &, unsigned int, double);
template bool is_feature_edge(const NodeTable<3> &, const Facets<3> &, unsigned int, double);
} // namespace KickDrift
