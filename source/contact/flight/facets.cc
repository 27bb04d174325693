// SPDX-License-Identifier: LGPL-2.1-or-later
#include <kickdrift/contact/flight/facets.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace KickDrift
{
template <int spacedim>
Facets<spacedim>::Facets(const Surface<spacedim> &surface, const unsigned int n_nodes,
                         const std::vector<unsigned int> &more_nodes)
    : surface_nodes(more_nodes), places(n_nodes, none)
{
  for (const auto &face : surface.faces)
    surface_nodes.insert(surface_nodes.end(), face.nodes.begin(),
                         face.nodes.begin() + face.n_nodes);
  for (const Contactor &contactor : surface.contactors)
    surface_nodes.insert(surface_nodes.end(), contactor.node_view().begin(),
                         contactor.node_view().end());
  std::sort(surface_nodes.begin(), surface_nodes.end());
  surface_nodes.erase(std::unique(surface_nodes.begin(), surface_nodes.end()), surface_nodes.end());
  for (unsigned int i = 0; i < surface_nodes.size(); ++i)
  {
    places[surface_nodes[i]] = i;
    all_corners.push_back({{{i}}, 1});
  }
  of_nodes.resize(surface_nodes.size());
  for (unsigned int f = 0; f < surface.faces.size(); ++f)
    add(surface.faces[f], f);
  first_facets.push_back(all_facets.size());
  connect();
}

template <int spacedim>
void
Facets<spacedim>::add(const SurfaceFace<spacedim> &face, const unsigned int number)
{
  Corner all{{}, face.n_nodes};
  for (unsigned int i = 0; i < face.n_nodes; ++i)
    all.nodes[i] = places[face.nodes[i]];
  nodes_of_face.push_back(all);
  first_facets.push_back(all_facets.size());
  const auto add_facet = [&](const std::array<unsigned int, spacedim> &corners)
  {
    Facet facet;
    facet.corners = corners;
    facet.neighbours.fill(none);
    facet.edges.fill(none);
    facet.face = number;
    facet.body = face.body;
    for (unsigned int i = 0; i < face.n_nodes; ++i)
      of_nodes[all.nodes[i]].facets.push_back(all_facets.size());
    all_facets.push_back(facet);
  };
  if constexpr (spacedim == 2)
    add_facet({{all.nodes[0], all.nodes[1]}});
  else if (face.n_nodes == 3)
    add_facet({{all.nodes[0], all.nodes[1], all.nodes[2]}});
  else
  {
    const unsigned int middle = all_corners.size();
    all_corners.push_back(all);
    for (unsigned int e = 0; e < 4; ++e)
    {
      const auto ends = ends_of_edge(4, e);
      add_facet({{all.nodes[ends[0]], all.nodes[ends[1]], middle}});
    }
  }
}

template <int spacedim>
void
Facets<spacedim>::connect()
{
  beside.resize(all_corners.size());
  edges_at.resize(all_corners.size());
  const auto join = [this](const unsigned int a, const unsigned int b)
  {
    for (const auto &[from, to] : {std::make_pair(a, b), std::make_pair(b, a)})
      if (std::find(beside[from].begin(), beside[from].end(), to) == beside[from].end())
        beside[from].push_back(to);
  };
  using Key = std::tuple<unsigned int, unsigned int, unsigned int>;       // body, corners
  std::map<Key, std::vector<std::pair<unsigned int, unsigned int>>> open; // facets, their corners
  const auto key = [&](const unsigned int f, const unsigned int a, const unsigned int b)
  { return Key(all_facets[f].body, a, b); };
  if constexpr (spacedim == 2)
  {
    for (unsigned int f = 0; f < all_facets.size(); ++f)
    {
      join(all_facets[f].corners[0], all_facets[f].corners[1]);
      open[key(f, all_facets[f].corners[0], none)].emplace_back(f, 0);
    }
    for (unsigned int f = 0; f < all_facets.size(); ++f)
    {
      auto entry = open.find(key(f, all_facets[f].corners[1], none));
      if (entry == open.end() || entry->second.empty())
        continue;
      const unsigned int next = entry->second.front().first;
      entry->second.erase(entry->second.begin());
      all_facets[f].neighbours[1] = next;
      all_facets[next].neighbours[0] = f;
    }
    return;
  }
  for (unsigned int f = 0; f < all_facets.size(); ++f)
    for (unsigned int k = 0; k < spacedim; ++k)
    {
      const unsigned int a = all_facets[f].corners[k],
                         b = all_facets[f].corners[(k + 1) % spacedim];
      join(a, b);
      auto other = open.find(key(f, b, a));
      if (other == open.end() || other->second.empty())
      {
        open[key(f, a, b)].emplace_back(f, k);
        continue;
      }
      const auto [g, l] = other->second.front();
      other->second.erase(other->second.begin());
      all_facets[f].neighbours[k] = g;
      all_facets[g].neighbours[l] = f;
      all_facets[f].edges[k] = all_facets[g].edges[l] = all_edges.size();
      all_edges.push_back({{{b, a}}, {{g, f}}, all_facets[f].body});
    }
  for (const auto &[ends, facets] : open)
    for (const auto &[f, k] : facets)
    {
      all_facets[f].edges[k] = all_edges.size();
      all_edges.push_back({{{all_facets[f].corners[k], all_facets[f].corners[(k + 1) % spacedim]}},
                           {{f, none}},
                           all_facets[f].body});
    }
  for (unsigned int e = 0; e < all_edges.size(); ++e)
    for (const unsigned int corner : all_edges[e].corners)
    {
      edges_at[corner].push_back(e);
      for (unsigned int i = 0; i < all_corners[corner].n_nodes; ++i)
      {
        auto &of_node = of_nodes[all_corners[corner].nodes[i]].edges;
        if (of_node.empty() || of_node.back() != e)
          of_node.push_back(e);
      }
    }
}

template <int spacedim>
std::optional<unsigned int>
Facets<spacedim>::body_with_hanging_node() const
{
  // open edges, by the corner where they begin
  std::vector<std::vector<unsigned int>> open(all_corners.size());
  const auto is_open = [](const Edge &edge) { return edge.facets[1] == none; };
  for (unsigned int e = 0; e < all_edges.size(); ++e)
    if (is_open(all_edges[e]))
      open[all_edges[e].corners[0]].push_back(e);
  for (const Edge &whole : all_edges)
    for (unsigned int i = 0; is_open(whole) && i < open[whole.corners[1]].size(); ++i)
      for (const unsigned int second : open[all_edges[open[whole.corners[1]][i]].corners[1]])
        if (all_edges[second].corners[1] == whole.corners[0] &&
            all_edges[second].facets[0] != whole.facets[0])
          return whole.body;
  return {};
}

template class Facets<2>;
template class Facets<3>;
} // namespace KickDrift
