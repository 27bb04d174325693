// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef KICKDRIFT_CONTACT_FLIGHT_FEATURE_EDGES_H
#define KICKDRIFT_CONTACT_FLIGHT_FEATURE_EDGES_H

#include <kickdrift/contact/flight/facets.h>
#include <kickdrift/nodes/node_table.h>

namespace KickDrift
{
/// Does the undeformed surface end at an edge of facets, or bend outwards there by @p
/// smallest_angle or more [degrees]? Nowhere in 2D.
template <int spacedim>
bool is_feature_edge(const NodeTable<spacedim> &nodes, const Facets<spacedim> &facets,
                     unsigned int edge, double smallest_angle);
} // namespace KickDrift

#endif
