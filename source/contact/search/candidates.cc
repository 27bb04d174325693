// SPDX-License-Identifier: LGPL-2.1-or-later
#include <kickdrift/contact/geometry/bounding_volumes.h>
#include <kickdrift/contact/geometry/closest_point.h>
#include <kickdrift/contact/geometry/segments.h>
#include <kickdrift/contact/search/candidates.h>

#include <algorithm>
#include <utility>

namespace KickDrift
{
namespace
{
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
/// Those that @p number is near to are others now; they know it, too. Calls @p count (other,
/// change) for each that has come (1) or gone (-1).
template <typename Count>
void
replace(std::vector<unsigned int> &near, std::vector<unsigned int> now, const unsigned int number,
        std::vector<std::vector<unsigned int>> &lists_of_others, const Count &count)
{
  std::sort(now.begin(), now.end());
  for (const unsigned int other : near)
    if (!std::binary_search(now.begin(), now.end(), other))
    {
      erase_sorted(lists_of_others[other], number);
      count(other, -1);
    }
  for (const unsigned int other : now)
    if (!std::binary_search(near.begin(), near.end(), other))
    {
      insert_sorted(lists_of_others[other], number);
      count(other, 1);
    }
  near = std::move(now);
}
} // namespace

template <int spacedim>
Candidates<spacedim>::Candidates(const Facets<spacedim> &facets, std::vector<CarriedPoint> points,
                                 Edges some_edges, const Of whose, Rules rules)
    : facets(facets),
      all_points(std::move(points)),
      edges(std::move(some_edges)),
      whose(whose),
      rules(std::move(rules)),
      points_of(facets.nodes().size()),
      number_of_edge(facets.edges().size(), Facets<spacedim>::none),
      number_of_feature(number_of_edge),
      point_middles(all_points.size()),
      facet_middles(facets.facets().size()),
      edge_middles(edges.all.size()),
      near_facets(all_points.size()),
      near_points(facets.facets().size()),
      near_edges(facets.edges().size()),
      near_obstacles(all_points.size()),
      n_pairs(facets.nodes().size(), 0)
{
  for (unsigned int p = 0; p < all_points.size(); ++p)
    for (const unsigned int place : all_points[p].nodes)
      points_of[place].push_back(p);
  for (unsigned int i = 0; i < edges.all.size(); ++i)
    number_of_edge[edges.all[i]] = i;
  for (unsigned int i = 0; i < edges.features.size(); ++i)
    number_of_feature[edges.features[i]] = i;
}

// most of what is near on one body are neighbours, which never meet

template <int spacedim>
bool
Candidates<spacedim>::carries(const unsigned int point, const unsigned int facet) const
{
  const std::vector<unsigned int> &own = all_points[point].nodes;
  return own.size() == 1 && facets.has_node(facet, own[0]);
}

template <int spacedim>
bool
Candidates<spacedim>::share_corner(const unsigned int edge, const unsigned int other) const
{
  const auto &own = facets.edges()[edge].corners, &others = facets.edges()[other].corners;
  return own[0] == others[0] || own[0] == others[1] || own[1] == others[0] || own[1] == others[1];
}

template <int spacedim>
Box<spacedim>
Candidates<spacedim>::box_of_edge(const unsigned int edge) const
{
  Box<spacedim> result = empty_box<spacedim>();
  for (const unsigned int corner : facets.edges()[edge].corners)
    for (unsigned int i = 0; i < facets.corners()[corner].n_nodes; ++i)
    {
      const Box<spacedim> &box = boxes[facets.corners()[corner].nodes[i]];
      extend(result, box.lower);
      extend(result, box.upper);
    }
  return result;
}

template <int spacedim>
void
Candidates<spacedim>::Boxes::build(std::vector<Box<spacedim>> first,
                                   std::vector<unsigned int> bodies)
{
  boxes = std::move(first);
  tree.build(boxes);
  tree.set_groups(std::move(bodies));
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
Candidates<spacedim>::Boxes::find(const Box<spacedim> &box, const unsigned int body, const Of whose)
{
  found.clear();
  if (!boxes.empty())
    tree.query(box, body, whose == Of::one_body, found);
  return found;
}

template <int spacedim>
void
Candidates<spacedim>::Moved::add(const unsigned int number)
{
  if (number >= is_listed.size())
    is_listed.resize(number + 1, 0);
  if (std::exchange(is_listed[number], 1) == 0)
    numbers.push_back(number);
}

template <int spacedim>
void
Candidates<spacedim>::Moved::clear()
{
  for (const unsigned int number : numbers)
    is_listed[number] = 0;
  numbers.clear();
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
      const double across =
          whose == Of::one_body ? box.upper[0] - box.lower[0] : (box.upper - box.lower).norm();
      result.reach = std::max(result.reach, 0.5 * across);
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
  if (all_points[point].nodes.size() != 1)
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
  if (all_points[point].nodes.size() == 1)
    point_middles[point] = middles<1>({{all_points[point].nodes[0]}});
  auto near = rules.obstacles(point, point_boxes.boxes[point]);
  for (const unsigned int place : all_points[point].nodes)
    n_pairs[place] += static_cast<unsigned int>(near.size()) -
                      static_cast<unsigned int>(near_obstacles[point].size());
  near_obstacles[point] = std::move(near);
}

template <int spacedim>
void
Candidates<spacedim>::count_facet(const unsigned int point, const unsigned int facet,
                                  const int change)
{
  for (const unsigned int place : all_points[point].nodes)
    n_pairs[place] += change;
  for (const unsigned int place : facets.nodes_of_facet(facet))
    n_pairs[place] += change;
}

template <int spacedim>
void
Candidates<spacedim>::count_edge(const unsigned int edge, const int change)
{
  for (const unsigned int corner : facets.edges()[edge].corners)
    for (unsigned int i = 0; i < facets.corners()[corner].n_nodes; ++i)
      n_pairs[facets.corners()[corner].nodes[i]] += change;
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
  std::vector<Box<spacedim>> of_points, of_faces;
  std::vector<unsigned int> bodies_of_points, bodies_of_faces;
  for (const CarriedPoint &point : all_points)
  {
    of_points.push_back(box_around(boxes, point.nodes));
    bodies_of_points.push_back(point.body);
  }
  for (unsigned int face = 0; face < facets.n_faces(); ++face)
  {
    of_faces.push_back(box_around(boxes, facets.nodes_on_face(face)));
    bodies_of_faces.push_back(facets.facets()[facets.first_facet(face)].body);
  }
  point_boxes.build(std::move(of_points), std::move(bodies_of_points));
  face_boxes.build(std::move(of_faces), std::move(bodies_of_faces));
  build_edges(edge_boxes, edges.all);
  build_edges(feature_boxes, edges.features);
  for (auto *lists : {&near_facets, &near_points, &near_edges, &near_obstacles})
    for (auto &list : *lists)
      list.clear();
  std::fill(n_pairs.begin(), n_pairs.end(), 0);
  for (unsigned int p = 0; p < all_points.size(); ++p)
    set_point(p);
  for (unsigned int face = 0; face < facets.n_faces(); ++face)
    set_face(face);
  for (const unsigned int e : edges.all)
    set_edge(e);
  for (unsigned int p = 0; p < all_points.size(); ++p)
    find_facets(p);
  for (const unsigned int e : edges.all)
    find_edges(e);
}

template <int spacedim>
void
Candidates<spacedim>::find_facets(const unsigned int point)
{
  std::vector<unsigned int> found;
  for (const unsigned int face :
       face_boxes.find(point_boxes.boxes[point], all_points[point].body, whose))
    for (unsigned int f = facets.first_facet(face); f < facets.first_facet(face + 1); ++f)
      if (!carries(point, f) && are_near(point, f) && rules.facet(point, f))
        found.push_back(f);
  replace(near_facets[point], std::move(found), point, near_points,
          [&](const unsigned int f, const int change) { count_facet(point, f, change); });
}

template <int spacedim>
std::vector<unsigned int>
Candidates<spacedim>::facets_of_body(const unsigned int body, const Box<spacedim> &box) const
{
  std::vector<unsigned int> faces, result;
  face_boxes.tree.query(box, body, true, faces);
  for (const unsigned int face : faces)
    for (unsigned int f = facets.first_facet(face); f < facets.first_facet(face + 1); ++f)
      result.push_back(f);
  std::sort(result.begin(), result.end());
  return result;
}

template <int spacedim>
void
Candidates<spacedim>::find_points(const unsigned int face)
{
  const unsigned int first = facets.first_facet(face), body = facets.facets()[first].body;
  const std::vector<unsigned int> &near_face =
      point_boxes.find(face_boxes.boxes[face], body, whose);
  for (unsigned int f = first; f < facets.first_facet(face + 1); ++f)
  {
    std::vector<unsigned int> found;
    for (const unsigned int p : near_face)
      if (!carries(p, f) && are_near(p, f) && rules.facet(p, f))
        found.push_back(p);
    replace(near_points[f], std::move(found), f, near_facets,
            [&](const unsigned int p, const int change) { count_facet(p, f, change); });
  }
}

template <int spacedim>
void
Candidates<spacedim>::build_edges(Boxes &some, const std::vector<unsigned int> &of_these) const
{
  std::vector<Box<spacedim>> of_edges;
  std::vector<unsigned int> bodies;
  for (const unsigned int e : of_these)
  {
    of_edges.push_back(box_of_edge(e));
    bodies.push_back(facets.edges()[e].body);
  }
  some.build(std::move(of_edges), std::move(bodies));
}

template <int spacedim>
void
Candidates<spacedim>::find_edges(const unsigned int edge)
{
  const bool is_feature = number_of_feature[edge] != Facets<spacedim>::none;
  const std::vector<unsigned int> &others = is_feature ? edges.all : edges.features;
  std::vector<unsigned int> found;
  for (const unsigned int i :
       (is_feature ? edge_boxes : feature_boxes)
           .find(edge_boxes.boxes[number_of_edge[edge]], facets.edges()[edge].body, whose))
    if (!share_corner(edge, others[i]) && are_edges_near(edge, others[i]) &&
        rules.edge(edge, others[i]))
      found.push_back(others[i]);
  replace(near_edges[edge], std::move(found), edge, near_edges,
          [&](const unsigned int other, const int change)
          {
            count_edge(edge, change);
            count_edge(other, change);
          });
}

template <int spacedim>
void
Candidates<spacedim>::move(const std::vector<std::pair<unsigned int, Box<spacedim>>> &moved)
{
  for (const auto &[place, box] : moved)
  {
    boxes[place] = box;
    for (const unsigned int p : points_of[place])
      moved_points.add(p);
    for (const unsigned int f : facets.facets_of_node(place))
      moved_faces.add(facets.facets()[f].face);
    for (const unsigned int e : facets.edges_of_node(place))
      if (number_of_edge[e] != Facets<spacedim>::none)
        moved_edges.add(e);
  }
  for (const unsigned int p : moved_points.numbers)
  {
    point_boxes.set(p, box_around(boxes, all_points[p].nodes));
    set_point(p);
  }
  for (const unsigned int face : moved_faces.numbers)
  {
    face_boxes.set(face, box_around(boxes, facets.nodes_on_face(face)));
    set_face(face);
  }
  for (const unsigned int e : moved_edges.numbers)
  {
    const Box<spacedim> box = box_of_edge(e);
    edge_boxes.set(number_of_edge[e], box);
    if (number_of_feature[e] != Facets<spacedim>::none)
      feature_boxes.set(number_of_feature[e], box);
    set_edge(e);
  }
  for (const unsigned int p : moved_points.numbers)
    find_facets(p);
  for (const unsigned int face : moved_faces.numbers)
    find_points(face);
  for (const unsigned int e : moved_edges.numbers)
    find_edges(e);
  moved_points.clear();
  moved_faces.clear();
  moved_edges.clear();
}

template class Candidates<2>;
template class Candidates<3>;
} // namespace KickDrift
