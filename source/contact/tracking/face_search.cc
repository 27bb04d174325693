#include <kickdrift/base/archive_checks.h>
#include <kickdrift/base/limits.h>
#include <kickdrift/contact/geometry/bounding_volumes.h>
#include <kickdrift/contact/geometry/closest_point.h>
#include <kickdrift/contact/tracking/face_search.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace
{
using Limits::infinity;
// Margin of the boxes of a body, as a share of the mean over its faces' shortest edges. Smaller
// ones are used up sooner, larger ones are hit by more queries.
constexpr double margin_share = 0.6;
// and not more than this share of the size of the body, which may spin in between.
constexpr double margin_of_size = 0.05;
// How far a normal may turn, in any component, before its box of directions is renewed, and how
// much it may turn in between fits.
constexpr double change_before_update = 0.05;
constexpr double change_between_fits = 0.1;
// Up to this many faces that have turned are treated one by one; when more do, the body has turned.
constexpr unsigned int remembered_changes = 64;

} // namespace

template <int spacedim>
FaceSearch<spacedim>::FaceSearch(const NodeTable<spacedim> &nodes, const Surface<spacedim> &surface,
                                 MotionBounds<spacedim> &bounds, const BroadPhaseType type)
    : nodes(nodes), surface(surface), bounds(bounds), type(type)
{
}

template <int spacedim>
void
FaceSearch<spacedim>::index_nodes()
{
  constexpr unsigned int none = -1;
  index_of_node.assign(nodes.size(), none);
  std::vector<std::vector<unsigned int>> faces_of;
  const auto enter = [&](const unsigned int node)
  {
    if (index_of_node[node] == none)
    {
      index_of_node[node] = faces_of.size();
      faces_of.emplace_back();
    }
    return index_of_node[node];
  };
  for (unsigned int f = 0; f < surface.faces.size(); ++f)
    for (unsigned int i = 0; i < surface.faces[f].n_nodes; ++i)
      faces_of[enter(surface.faces[f].nodes[i])].push_back(f);
  for (const Contactor &contactor : surface.contactors)
    if (contactor.n_nodes == 1)
      enter(contactor.nodes[0]);

  node_face_offsets.assign(1, 0);
  node_faces.clear();
  for (const auto &list : faces_of)
  {
    node_faces.insert(node_faces.end(), list.begin(), list.end());
    node_face_offsets.push_back(node_faces.size());
  }
}

template <int spacedim>
void
FaceSearch<spacedim>::find_components()
{
  constexpr unsigned int none = -1;
  components.assign(surface.faces.size(), none);
  unsigned int n_pieces = 0;
  std::vector<unsigned int> to_visit;
  for (unsigned int first = 0; first < components.size(); ++first)
  {
    if (components[first] != none)
      continue;
    const auto enter = [&](const unsigned int f)
    {
      if (components[f] != none)
        return;
      components[f] = n_pieces;
      to_visit.push_back(f);
    };
    enter(first);
    while (!to_visit.empty())
    {
      const auto &face = surface.faces[to_visit.back()];
      to_visit.pop_back();
      for (unsigned int i = 0; i < face.n_nodes; ++i)
        for (const unsigned int neighbour : faces_of_node(face.nodes[i]))
          enter(neighbour);
    }
    ++n_pieces;
  }
}

template <int spacedim>
void
FaceSearch<spacedim>::build(const double time, const double interval)
{
  shortest_interval = interval;
  index_nodes();
  find_components();
  const unsigned int n_faces = surface.faces.size();
  face_sizes.assign(n_faces, 0);
  face_normals.resize(n_faces);
  face_hourglasses.assign(n_faces, Vector());
  parts.clear();
  parts.resize(bounds.n_bodies());
  for (Part &part : parts)
    part.boxes = make_broad_phase<spacedim>(type);
  std::vector<double> sum_of_edges(parts.size(), 0);
  for (unsigned int f = 0; f < n_faces; ++f)
  {
    const auto &face = surface.faces[f];
    double shortest = infinity;
    for (unsigned int i = 0; i < face.n_nodes; ++i)
      for (unsigned int j = 0; j < i; ++j)
      {
        const double length =
            nodes.reference(face.nodes[i]).distance(nodes.reference(face.nodes[j]));
        face_sizes[f] = std::max(face_sizes[f], length);
        shortest = std::min(shortest, length);
      }
    face_normals[f] = current_normal(f, time);
    sum_of_edges[face.body] += shortest;
    Part &part = parts[face.body];
    part.faces.push_back(f);
    part.is_connected = part.is_connected && components[f] == components[part.faces[0]];
  }
  listed_normals = normals_at_change = face_normals;

  std::vector<Box<spacedim>> directions;
  std::vector<double> sizes;
  for (unsigned int b = 0; b < parts.size(); ++b)
  {
    Part &part = parts[b];
    if (part.faces.empty())
      continue;
    find_boxes(part, time);
    part.margin =
        std::min(margin_share * sum_of_edges[b] / part.faces.size(), margin_of_size * diameter(b));
    find_boxes(part, time);
    directions.clear();
    sizes.clear();
    for (const unsigned int f : part.faces)
    {
      directions.push_back(box_of_directions(face_normals[f]));
      sizes.push_back(face_sizes[f]);
    }
    part.boxes->build(boxes, directions, sizes);
    fit(part, b, time);
    part.thickness = find_thickness(b, time);
  }
  find_next_fit();
}

/// Smallest distance from the middle of a face to one behind it that looks the other way.
template <int spacedim>
double
FaceSearch<spacedim>::find_thickness(const unsigned int body, const double time) const
{
  const auto position = [&](const unsigned int node) { return nodes.position_at(node, time); };
  double thinnest = infinity;
  std::vector<unsigned int> opposite;
  for (const unsigned int f : parts[body].faces)
  {
    if (surface.faces[f].side != Side::only)
    {
      thinnest = std::min(thinnest, face_sizes[f]);
      continue;
    }
    const auto &face = surface.faces[f];
    dealii::Point<spacedim> middle;
    for (unsigned int i = 0; i < face.n_nodes; ++i)
      middle += (position(face.nodes[i]) - dealii::Point<spacedim>()) / face.n_nodes;
    thinnest = std::min(thinnest, face_sizes[f]);
    opposite.clear();
    candidates_of(body, {middle, middle}, thinnest, {face_normals[f], -0.5}, time, opposite);
    for (const unsigned int other : opposite)
    {
      const auto &corners = surface.faces[other];
      std::array<dealii::Point<spacedim>, SurfaceFace<spacedim>::max_nodes> x;
      for (unsigned int i = 0; i < corners.n_nodes; ++i)
        x[i] = position(corners.nodes[i]);
      const double depth = face_normals[f] * (middle - x[0]);
      if (depth > 0 && face_normals[f] * face_normals[other] < -0.5)
        thinnest =
            std::min(thinnest, closest_point<spacedim>(x.data(), corners.n_nodes, middle).distance);
    }
  }
  return thinnest;
}

template <int spacedim>
void
FaceSearch<spacedim>::find_next_fit()
{
  next = infinity;
  for (unsigned int b = 0; b < parts.size(); ++b)
    if (!parts[b].faces.empty())
      next = std::min(next, std::max(bounds.time_of_path(b, parts[b].valid_path),
                                     parts[b].time + shortest_interval));
}

template <int spacedim>
void
FaceSearch<spacedim>::fit(const double time)
{
  for (unsigned int b = 0; b < parts.size(); ++b)
    if (!parts[b].faces.empty() && bounds.time_of_path(b, parts[b].valid_path) <= time &&
        parts[b].time + shortest_interval <= time)
      fit(parts[b], b, time);
  find_next_fit();
}

template <int spacedim>
void
FaceSearch<spacedim>::find_boxes(Part &part, const double time)
{
  boxes.resize(part.faces.size());
  const double around = part.margin + 0.5 * surface.thickness(surface.faces[part.faces[0]].body);
  for (unsigned int i = 0; i < boxes.size(); ++i)
  {
    const auto &face = surface.faces[part.faces[i]];
    Box<spacedim> &box = boxes[i];
    Vector hourglass;
    for (unsigned int k = 0; k < face.n_nodes; ++k)
    {
      const auto x = nodes.position_at(face.nodes[k], time);
      const double sign = k == 0 || k == 3 ? 1 : -1;
      for (unsigned int d = 0; d < spacedim; ++d)
      {
        hourglass[d] += sign * x[d];
        box.lower[d] = k == 0 ? x[d] : std::min(box.lower[d], x[d]);
        box.upper[d] = k == 0 ? x[d] : std::max(box.upper[d], x[d]);
      }
    }
    if (face.n_nodes == 4)
      face_hourglasses[part.faces[i]] = hourglass;
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      box.lower[d] -= around;
      box.upper[d] += around;
      part.bounds.lower[d] = i == 0 ? box.lower[d] : std::min(part.bounds.lower[d], box.lower[d]);
      part.bounds.upper[d] = i == 0 ? box.upper[d] : std::max(part.bounds.upper[d], box.upper[d]);
    }
  }
}

template <int spacedim>
void
FaceSearch<spacedim>::fit(Part &part, const unsigned int body, const double time)
{
  bounds.shrink(body, time);
  ++part.fits;
  part.velocity = bounds.velocity(body);
  part.time = time;
  part.valid_path = bounds.path(body, time) + part.margin;
  find_boxes(part, time);
  part.boxes->refit(boxes);
  for (unsigned int i = 0; i < part.faces.size(); ++i)
  {
    face_normals[part.faces[i]] = current_normal(part.faces[i], time);
    update_direction(part, i);
  }
}

template <int spacedim>
void
FaceSearch<spacedim>::update_direction(Part &part, const unsigned int leaf)
{
  const unsigned int f = part.faces[leaf];
  bool normals_have_changed = false;
  for (unsigned int d = 0; d < spacedim; ++d)
    normals_have_changed |=
        std::abs(face_normals[f][d] - listed_normals[f][d]) > change_before_update;
  if (normals_have_changed)
  {
    part.boxes->update_directions(leaf, box_of_directions(face_normals[f]));
    listed_normals[f] = face_normals[f];
  }
  if ((face_normals[f] - normals_at_change[f]).norm() <= normal_change)
    return;
  normals_at_change[f] = face_normals[f];
  ++part.normal_changes;
  if (part.changed.size() == remembered_changes)
    part.changed.erase(part.changed.begin(), part.changed.begin() + remembered_changes / 2);
  part.changed.push_back(f);
}

template <int spacedim>
Box<spacedim>
FaceSearch<spacedim>::box_of_directions(const Vector &normal)
{
  Box<spacedim> box;
  for (unsigned int d = 0; d < spacedim; ++d)
  {
    box.lower[d] = normal[d] - change_before_update;
    box.upper[d] = normal[d] + change_before_update;
  }
  return box;
}

template <int spacedim>
typename FaceSearch<spacedim>::Vector
FaceSearch<spacedim>::current_normal(const unsigned int f, const double time) const
{
  return unit_normal(surface.faces[f],
                     [&](const unsigned int node) { return nodes.position_at(node, time); });
}

template <int spacedim>
typename FaceSearch<spacedim>::NormalCone
FaceSearch<spacedim>::with_reserve(NormalCone cone)
{
  for (unsigned int d = 0; d < spacedim; ++d)
    cone.limit += change_between_fits * std::abs(cone.direction[d]);
  return cone;
}

template <int spacedim>
void
FaceSearch<spacedim>::serialize(Archive &archive)
{
  archive.section("face search");
  for (Part &part : parts)
  {
    archive(*part.boxes, part.bounds, part.velocity, part.time, part.valid_path,
            part.normal_changes, part.changed, part.fits);
    for (const unsigned int face : part.changed)
      check_state(face < surface.faces.size(), "face search");
  }
  archive(next);
  archive.fixed(face_normals, face_hourglasses, listed_normals, normals_at_change);
}

template class FaceSearch<2>;
template class FaceSearch<3>;
} // namespace KickDrift
