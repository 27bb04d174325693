#include <kickdrift/contact/face_search.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace KickDrift
{
namespace
{
// Fractions of the shortest edge at a node: slack on all sides, and how far ahead along its path a
// safe box reaches. Smaller boxes are left sooner, larger ones are hit by more queries.
constexpr double slack = 0.1;
constexpr double stretch = 0.5;
// How far a normal may turn, in any component, before its box of directions is renewed, and how
// much it may turn in between refits.
constexpr double turn_before_update = 0.05;
constexpr double turn_between_refits = 0.1;
// Difference of unit normals that counts as a turn of the surface.
constexpr double turn_of_surface = 0.25;
} // namespace

template <int spacedim>
FaceSearch<spacedim>::FaceSearch(const NodeTable<spacedim> &nodes, const Surface<spacedim> &surface)
    : nodes(nodes), surface(surface)
{
}

template <int spacedim>
void
FaceSearch<spacedim>::build(const std::vector<double> &horizons)
{
  constexpr unsigned int none = -1;
  index_of_node.assign(nodes.size(), none);
  std::vector<unsigned int> surface_nodes;
  std::vector<std::vector<unsigned int>> faces_of;
  const auto enter = [&](const unsigned int node)
  {
    if (index_of_node[node] == none)
    {
      index_of_node[node] = surface_nodes.size();
      surface_nodes.push_back(node);
      faces_of.emplace_back();
    }
    return index_of_node[node];
  };

  std::vector<double> shortest_edge;
  face_sizes.assign(surface.faces.size(), 0);
  for (unsigned int f = 0; f < surface.faces.size(); ++f)
  {
    const auto &face = surface.faces[f];
    for (unsigned int i = 0; i < face.n_nodes; ++i)
      faces_of[enter(face.nodes[i])].push_back(f);
    shortest_edge.resize(surface_nodes.size(), std::numeric_limits<double>::infinity());
    for (unsigned int i = 0; i < face.n_nodes; ++i)
      for (unsigned int j = 0; j < i; ++j)
      {
        const double length =
            nodes.reference(face.nodes[i]).distance(nodes.reference(face.nodes[j]));
        face_sizes[f] = std::max(face_sizes[f], length);
        for (const unsigned int end : {i, j})
        {
          double &shortest = shortest_edge[index_of_node[face.nodes[end]]];
          shortest = std::min(shortest, length);
        }
      }
  }
  for (const Contactor &contactor : surface.contactors)
    if (contactor.n_nodes == 1)
      enter(contactor.nodes[0]);
  shortest_edge.resize(surface_nodes.size(), 0);

  node_face_offsets.assign(1, 0);
  node_faces.clear();
  for (const auto &list : faces_of)
  {
    node_faces.insert(node_faces.end(), list.begin(), list.end());
    node_face_offsets.push_back(node_faces.size());
  }
  safe_boxes.resize(surface_nodes.size());
  for (unsigned int i = 0; i < surface_nodes.size(); ++i)
  {
    safe_boxes[i].horizon = horizons[surface_nodes[i]];
    safe_boxes[i].reach = shortest_edge[i];
    fit_safe_box(surface_nodes[i]);
  }

  std::vector<Box<spacedim>> boxes(surface.faces.size());
  face_normals.resize(surface.faces.size());
  for (unsigned int f = 0; f < surface.faces.size(); ++f)
  {
    boxes[f] = face_box(f);
    face_normals[f] = current_normal(f, nodes[surface.faces[f].nodes[0]].time);
  }
  listed_normals = normals_at_turn = face_normals;
  std::vector<Box<spacedim>> directions(face_normals.size());
  std::transform(face_normals.begin(), face_normals.end(), directions.begin(), &box_of_directions);
  hierarchy.build(boxes, directions);
  is_dirty.assign(surface.faces.size(), 0);
}

template <int spacedim>
void
FaceSearch<spacedim>::fit_safe_box(const unsigned int node)
{
  SafeBox &box = safe_boxes[index_of_node[node]];
  const NodeState &state = nodes[node];
  const double speed = nodes.velocity(node).norm();
  const double margin = slack * box.reach;
  const double ahead =
      speed * box.horizon < stretch * box.reach ? stretch * box.reach / speed : box.horizon;
  for (unsigned int d = 0; d < spacedim; ++d)
  {
    const double here = state.displacement[d];
    const double path = speed > 0 ? ahead * state.velocity[d] : 0;
    box.lower[d] = std::min(here, here + path) - margin;
    box.upper[d] = std::max(here, here + path) + margin;
  }
}

template <int spacedim>
Box<spacedim>
FaceSearch<spacedim>::face_box(const unsigned int f) const
{
  const auto &face = surface.faces[f];
  Box<spacedim> box;
  for (unsigned int i = 0; i < face.n_nodes; ++i)
  {
    const SafeBox &safe = safe_boxes[index_of_node[face.nodes[i]]];
    const auto &reference = nodes.reference(face.nodes[i]);
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      const double lower = reference[d] + safe.lower[d];
      const double upper = reference[d] + safe.upper[d];
      box.lower[d] = i == 0 ? lower : std::min(box.lower[d], lower);
      box.upper[d] = i == 0 ? upper : std::max(box.upper[d], upper);
    }
  }
  return box;
}

template <int spacedim>
Box<spacedim>
FaceSearch<spacedim>::box_of_directions(const Vector &normal)
{
  Box<spacedim> box;
  for (unsigned int d = 0; d < spacedim; ++d)
  {
    box.lower[d] = normal[d] - turn_before_update - turn_between_refits;
    box.upper[d] = normal[d] + turn_before_update + turn_between_refits;
  }
  return box;
}

template <int spacedim>
typename FaceSearch<spacedim>::Vector
FaceSearch<spacedim>::current_normal(const unsigned int f, const double time) const
{
  return unit_normal(
      surface.faces[f], [&](const unsigned int node)
      { return nodes.position(node) + (time - nodes[node].time) * nodes.velocity(node); });
}

template <int spacedim>
void
FaceSearch<spacedim>::nodes_moved(const dealii::ArrayView<const unsigned int> moved)
{
  double time = 0;
  for (const unsigned int node : moved)
  {
    Assert(index_of_node[node] < safe_boxes.size(),
           dealii::ExcMessage("Only nodes of the surface may be reported as moved."));
    const SafeBox &box = safe_boxes[index_of_node[node]];
    const NodeState &state = nodes[node];
    bool inside = true;
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      const double here = state.displacement[d];
      const double there = here + box.horizon * state.velocity[d];
      inside &= (here >= box.lower[d]) & (here <= box.upper[d]) & (there >= box.lower[d]) &
                (there <= box.upper[d]);
    }
    if (inside)
      continue;
    time = state.time;
    fit_safe_box(node);
    for (const unsigned int f : faces_of_node(node))
      if (!is_dirty[f])
      {
        is_dirty[f] = 1;
        dirty_faces.push_back(f);
      }
  }
  for (const unsigned int f : dirty_faces)
  {
    hierarchy.update(f, face_box(f));
    face_normals[f] = current_normal(f, time);
    bool has_turned = false;
    for (unsigned int d = 0; d < spacedim; ++d)
      has_turned |= std::abs(face_normals[f][d] - listed_normals[f][d]) > turn_before_update;
    if (has_turned)
    {
      hierarchy.update_directions(f, box_of_directions(face_normals[f]));
      listed_normals[f] = face_normals[f];
      if ((face_normals[f] - normals_at_turn[f]).norm() > turn_of_surface)
      {
        normals_at_turn = face_normals;
        ++turns;
      }
    }
    is_dirty[f] = 0;
  }
  dirty_faces.clear();
}

template <int spacedim>
void
FaceSearch<spacedim>::candidates(Box<spacedim> box, const double radius, const Vector &outward,
                                 const double limit, std::vector<unsigned int> &faces) const
{
  for (unsigned int d = 0; d < spacedim; ++d)
  {
    box.lower[d] -= radius;
    box.upper[d] += radius;
  }
  hierarchy.query(box, outward, limit, faces);
}

template <int spacedim>
typename FaceSearch<spacedim>::Vector
FaceSearch<spacedim>::nodal_normal(const unsigned int node) const
{
  Vector normal;
  for (const unsigned int f : faces_of_node(node))
    normal += face_normals[f];
  const double norm = normal.norm();
  return norm > 1e-12 ? normal / norm : Vector();
}

template class FaceSearch<2>;
template class FaceSearch<3>;
} // namespace KickDrift
