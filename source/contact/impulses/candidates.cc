// SPDX-License-Identifier: LGPL-2.1-or-later
#include <kickdrift/contact/geometry/bounding_volumes.h>
#include <kickdrift/contact/geometry/closest_point.h>
#include <kickdrift/contact/geometry/segments.h>
#include <kickdrift/contact/impulses/candidates.h>

#include <algorithm>
#include <utility>

namespace KickDrift
{
namespace
{
void
sort_unique(std::vector<unsigned int> &list)
{
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

void
insert_sorted(std::vector<unsigned int> &list, const unsigned int entry)
{
  const auto place = std::lower_bound(list.begin(), list.end(), entry);
  if (place == list.end() || *place != entry)
    list.insert(place, entry);
}

void
erase_sorted(std::vector<unsigned int> &list, const unsigned int entry)
{
  const auto place = std::lower_bound(list.begin(), list.end(), entry);
  if (place != list.end() && *place == entry)
    list.erase(place);
}
/// Those that @p number is near to are others now; they know it, too.
void
replace(std::vector<unsigned int> &near, std::vector<unsigned int> now, const unsigned int number,
        std::vector<std::vector<unsigned int>> &lists_of_others)
{
  std::sort(now.begin(), now.end());
  for (const unsigned int other : near)
    if (!std::binary_search(now.begin(), now.end(), other))
      erase_sorted(lists_of_others[other], number);
  for (const unsigned int other : now)
    insert_sorted(lists_of_others[other], number);
  near = std::move(now);
}
} // namespace

template <int spacedim>
Candidates<spacedim>::Candidates(const Facets<spacedim> &facets,
                                 std::vector<std::vector<unsigned int>> of_points,
                                 std::vector<unsigned int> some_edges, Rules rules)
    : facets(facets),
      nodes_of_point(std::move(of_points)),
      edges(std::move(some_edges)),
      rules(std::move(rules)),
      points_of(facets.nodes().size()),
      number_of_edge(facets.edges().size(), Facets<spacedim>::none),
      point_middles(nodes_of_point.size()),
      facet_middles(facets.facets().size()),
      edge_middles(edges.size()),
      near_facets(nodes_of_point.size()),
      near_points(facets.facets().size()),
      near_edges(facets.edges().size()),
      near_obstacles(nodes_of_point.size())
{
  for (unsigned int p = 0; p < nodes_of_point.size(); ++p)
    for (const unsigned int place : nodes_of_point[p])
      points_of[place].push_back(p);
  for (unsigned int i = 0; i < edges.size(); ++i)
    number_of_edge[edges[i]] = i;
}

template <int spacedim>
Box<spacedim>
Candidates<spacedim>::box_of_edge(const unsigned int edge) const
{
  std::vector<unsigned int> places;
  for (const unsigned int corner : facets.edges()[edge].corners)
  {
    const auto &own = facets.corners()[corner];
    places.insert(places.end(), own.nodes.begin(), own.nodes.begin() + own.n_nodes);
  }
  return box_around(boxes, places);
}

template <int spacedim>
void
Candidates<spacedim>::Boxes::build(std::vector<Box<spacedim>> first)
{
  boxes = std::move(first);
  tree.build(boxes);
  n_changes = 0;
}

template <int spacedim>
void
Candidates<spacedim>::Boxes::set(const unsigned int number, const Box<spacedim> &box)
{
  boxes[number] = box;
  tree.update(number, box);
  if (++n_changes < boxes.size())
    return;
  tree.refit(boxes); // builds it anew if it has become much worse
  n_changes = 0;
}

template <int spacedim>
const std::vector<unsigned int> &
Candidates<spacedim>::Boxes::find(const Box<spacedim> &box)
{
  found.clear();
  if (!boxes.empty())
    tree.query(box, found);
  return found;
}

template <int spacedim>
template <std::size_t n>
typename Candidates<spacedim>::template Middles<n>
Candidates<spacedim>::middles(const std::array<unsigned int, n> &corners) const
{
  Middles<n> result;
  dealii::Tensor<1, spacedim> sum;
  for (unsigned int k = 0; k < n; ++k)
  {
    const auto &own = facets.corners()[corners[k]];
    dealii::Tensor<1, spacedim> middle;
    for (unsigned int i = 0; i < own.n_nodes; ++i)
    {
      const Box<spacedim> &box = boxes[own.nodes[i]];
      middle +=
          0.5 * (dealii::Tensor<1, spacedim>(box.lower) + dealii::Tensor<1, spacedim>(box.upper));
      result.reach = std::max(result.reach, 0.5 * (box.upper - box.lower).norm());
    }
    result.corners[k] = dealii::Point<spacedim>(middle / own.n_nodes);
    sum += result.corners[k];
  }
  result.center = dealii::Point<spacedim>(sum / static_cast<double>(n));
  result.radius = 0;
  for (const auto &corner : result.corners)
    result.radius = std::max(result.radius, (corner - result.center).norm());
  result.radius += result.reach;
  return result;
}

namespace
{
template <typename Middles, typename Others>
bool
spheres_overlap(const Middles &a, const Others &b)
{
  const double radii = a.radius + b.radius;
  return (a.center - b.center).norm_square() <= radii * radii;
}
} // namespace

template <int spacedim>
bool
Candidates<spacedim>::are_near(const unsigned int point, const unsigned int facet) const
{
  if (nodes_of_point[point].size() != 1)
    return overlap(point_boxes.boxes[point], face_boxes.boxes[facets.facets()[facet].face]);
  const auto &own = point_middles[point];
  const auto &others = facet_middles[facet];
  return spheres_overlap(own, others) &&
         closest_point<spacedim>(others.corners.data(), spacedim, own.center).distance <=
             own.reach + others.reach;
}

template <int spacedim>
bool
Candidates<spacedim>::are_edges_near(const unsigned int edge, const unsigned int other) const
{
  if constexpr (spacedim == 3)
  {
    const auto &own = edge_middles[number_of_edge[edge]];
    const auto &others = edge_middles[number_of_edge[other]];
    return spheres_overlap(own, others) &&
           closest_points(own.corners, others.corners).distance <= own.reach + others.reach;
  }
  (void)edge, (void)other;
  return false;
}

template <int spacedim>
void
Candidates<spacedim>::set_point(const unsigned int point)
{
  if (nodes_of_point[point].size() == 1)
    point_middles[point] = middles<1>({{nodes_of_point[point][0]}});
  near_obstacles[point] = rules.obstacles(point, point_boxes.boxes[point]);
}

template <int spacedim>
void
Candidates<spacedim>::set_face(const unsigned int face)
{
  for (unsigned int f = facets.first_facet(face); f < facets.first_facet(face + 1); ++f)
    facet_middles[f] = middles<spacedim>(facets.facets()[f].corners);
}

template <int spacedim>
void
Candidates<spacedim>::set_edge(const unsigned int edge)
{
  edge_middles[number_of_edge[edge]] = middles<2>(facets.edges()[edge].corners);
}

template <int spacedim>
void
Candidates<spacedim>::start(std::vector<Box<spacedim>> first)
{
  boxes = std::move(first);
  std::vector<Box<spacedim>> of_points, of_faces, of_edges;
  for (const auto &places : nodes_of_point)
    of_points.push_back(box_around(boxes, places));
  for (unsigned int face = 0; face < facets.n_faces(); ++face)
    of_faces.push_back(box_around(boxes, facets.nodes_on_face(face)));
  for (const unsigned int e : edges)
    of_edges.push_back(box_of_edge(e));
  point_boxes.build(std::move(of_points));
  face_boxes.build(std::move(of_faces));
  edge_boxes.build(std::move(of_edges));
  for (auto *lists : {&near_facets, &near_points, &near_edges})
    for (auto &list : *lists)
      list.clear();
  for (unsigned int p = 0; p < nodes_of_point.size(); ++p)
    set_point(p);
  for (unsigned int face = 0; face < facets.n_faces(); ++face)
    set_face(face);
  for (const unsigned int e : edges)
    set_edge(e);
  for (unsigned int p = 0; p < nodes_of_point.size(); ++p)
    find_facets(p);
  for (const unsigned int e : edges)
    find_edges(e);
}

template <int spacedim>
void
Candidates<spacedim>::find_facets(const unsigned int point)
{
  std::vector<unsigned int> found;
  for (const unsigned int face : face_boxes.find(point_boxes.boxes[point]))
    for (unsigned int f = facets.first_facet(face); f < facets.first_facet(face + 1); ++f)
      if (are_near(point, f) && rules.facet(point, f))
        found.push_back(f);
  replace(near_facets[point], std::move(found), point, near_points);
}

template <int spacedim>
void
Candidates<spacedim>::find_points(const unsigned int face)
{
  const std::vector<unsigned int> &near_face = point_boxes.find(face_boxes.boxes[face]);
  for (unsigned int f = facets.first_facet(face); f < facets.first_facet(face + 1); ++f)
  {
    std::vector<unsigned int> found;
    for (const unsigned int p : near_face)
      if (are_near(p, f) && rules.facet(p, f))
        found.push_back(p);
    replace(near_points[f], std::move(found), f, near_facets);
  }
}

template <int spacedim>
void
Candidates<spacedim>::find_edges(const unsigned int edge)
{
  std::vector<unsigned int> found;
  for (const unsigned int i : edge_boxes.find(edge_boxes.boxes[number_of_edge[edge]]))
    if (edges[i] != edge && are_edges_near(edge, edges[i]) && rules.edge(edge, edges[i]))
      found.push_back(edges[i]);
  replace(near_edges[edge], std::move(found), edge, near_edges);
}

template <int spacedim>
void
Candidates<spacedim>::move(const std::vector<std::pair<unsigned int, Box<spacedim>>> &moved)
{
  std::vector<unsigned int> moved_points, moved_faces, moved_edges;
  for (const auto &[place, box] : moved)
  {
    boxes[place] = box;
    moved_points.insert(moved_points.end(), points_of[place].begin(), points_of[place].end());
    for (const unsigned int f : facets.facets_of_node(place))
      moved_faces.push_back(facets.facets()[f].face);
    for (const unsigned int e : facets.edges_of_node(place))
      if (number_of_edge[e] != Facets<spacedim>::none)
        moved_edges.push_back(e);
  }
  sort_unique(moved_points);
  sort_unique(moved_faces);
  sort_unique(moved_edges);
  for (const unsigned int p : moved_points)
  {
    point_boxes.set(p, box_around(boxes, nodes_of_point[p]));
    set_point(p);
  }
  for (const unsigned int face : moved_faces)
  {
    face_boxes.set(face, box_around(boxes, facets.nodes_on_face(face)));
    set_face(face);
  }
  for (const unsigned int e : moved_edges)
  {
    edge_boxes.set(number_of_edge[e], box_of_edge(e));
    set_edge(e);
  }
  for (const unsigned int p : moved_points)
    find_facets(p);
  for (const unsigned int face : moved_faces)
    find_points(face);
  for (const unsigned int e : moved_edges)
    find_edges(e);
}

template class Candidates<2>;
template class Candidates<3>;
} // namespace KickDrift
