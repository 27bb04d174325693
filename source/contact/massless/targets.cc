#include <kickdrift/contact/massless/targets.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace KickDrift
{
namespace
{
// Shares of the size of a face. A node beside the face by more than this does not touch it:
constexpr double beside = 0.02;
// and neither does one that is so deep, or so far, that it belongs to another place.
constexpr double deepest = 0.75, farthest = 1;
} // namespace

template <int spacedim>
MasslessTargets<spacedim>::MasslessTargets(std::vector<SurfaceFace<spacedim>> all_faces,
                                           std::vector<Obstacle<spacedim>> all_obstacles,
                                           const Exclusions &exclusions,
                                           const unsigned int n_bodies,
                                           const ContactPairs<spacedim> &pairs,
                                           std::set<std::pair<unsigned int, unsigned int>> without)
    : faces(std::move(all_faces)),
      obstacles(std::move(all_obstacles)),
      exclusions(exclusions),
      n_bodies(n_bodies),
      without_zone(std::move(without))
{
  for (const auto &face : faces)
    own_bodies.push_back(face.body);
  std::sort(own_bodies.begin(), own_bodies.end());
  own_bodies.erase(std::unique(own_bodies.begin(), own_bodies.end()), own_bodies.end());
  for (const unsigned int body : own_bodies)
  {
    for (const unsigned int target : own_bodies)
      frictions.push_back(pairs(body, target).friction);
    for (unsigned int o = 0; o < obstacles.size(); ++o)
      frictions.push_back(pairs(body, n_bodies + o).friction);
  }
  std::map<unsigned int, std::vector<unsigned int>> faces_of_node;
  for (unsigned int f = 0; f < faces.size(); ++f)
    for (unsigned int i = 0; i < faces[f].n_nodes; ++i)
      faces_of_node[faces[f].nodes[i]].push_back(f);
  std::vector<std::pair<unsigned int, unsigned int>> around;
  for (const auto &[node, own_faces] : faces_of_node)
  {
    contactors.push_back({node, faces[own_faces[0]].body});
    for (const unsigned int f : own_faces)
      faces_of_contactor.push_back(f);
    faces_of_contactor.finish_row();
    for (const unsigned int f : own_faces)
      for (const unsigned int g : own_faces)
        if (f != g)
          around.emplace_back(f, g);
  }
  faces_around = CompressedRows<unsigned int>::from_pairs(std::move(around), faces.size());
}

template <int spacedim>
typename MasslessTargets<spacedim>::Closest
MasslessTargets<spacedim>::closest(const NodeTable<spacedim> &nodes, const unsigned int node,
                                   const unsigned int face) const
{
  std::array<dealii::Point<spacedim>, SurfaceFace<spacedim>::max_nodes> corners;
  for (unsigned int i = 0; i < faces[face].n_nodes; ++i)
    corners[i] = nodes.position(faces[face].nodes[i]);
  return closest_point<spacedim>(corners.data(), faces[face].n_nodes, nodes.position(node));
}

template <int spacedim>
double
MasslessTargets<spacedim>::size(const NodeTable<spacedim> &nodes, const unsigned int face) const
{
  const auto &corners = faces[face].nodes;
  return nodes.position(corners[0]).distance(nodes.position(corners[faces[face].n_nodes - 1]));
}

/// Bodies do not touch themselves here.
template <int spacedim>
bool
MasslessTargets<spacedim>::sees(const unsigned int contactor, const unsigned int target) const
{
  const unsigned int body = contactors[contactor].body;
  return body != target && !exclusions.excluded(body, target) &&
         (without_zone.empty() ||
          without_zone.count({std::min(body, target), std::max(body, target)}) == 0);
}

template <int spacedim>
typename MasslessTargets<spacedim>::Vector
MasslessTargets<spacedim>::normal_at(const NodeTable<spacedim> &nodes,
                                     const unsigned int contactor) const
{
  Vector sum;
  for (const unsigned int f : faces_of_contactor.row(contactor))
    sum += unit_normal(faces[f], [&](const unsigned int node) { return nodes.position(node); });
  return sum;
}

template <int spacedim>
void
MasslessTargets<spacedim>::search(const NodeTable<spacedim> &nodes, Memories &memories) const
{
  const auto position = [&](const unsigned int node) { return nodes.position(node); };
  std::vector<Vector> normals;
  std::vector<double> extents; // from the first node
  for (const auto &face : faces)
  {
    normals.push_back(unit_normal(face, position));
    extents.push_back(0);
    for (unsigned int i = 1; i < face.n_nodes; ++i)
      extents.back() =
          std::max(extents.back(), position(face.nodes[0]).distance(position(face.nodes[i])));
  }
  for (unsigned int c = 0; c < contactors.size(); ++c)
  {
    Memory &memory = memories[c * (1 + obstacles.size())];
    const Vector own_normal = normal_at(nodes, c);
    double nearest = std::numeric_limits<double>::infinity();
    memory.face = Memory::no_face;
    for (unsigned int f = 0; f < faces.size(); ++f)
      if (sees(c, faces[f].body) && normals[f] * own_normal < 0 &&
          position(faces[f].nodes[0]).distance(position(contactors[c].node)) < nearest + extents[f])
      {
        const double distance = closest(nodes, contactors[c].node, f).distance;
        if (distance < nearest)
        {
          nearest = distance;
          memory.face = f;
        }
      }
  }
}

template <int spacedim>
void
MasslessTargets<spacedim>::walk(const NodeTable<spacedim> &nodes, Memories &memories) const
{
  for (unsigned int c = 0; c < contactors.size(); ++c)
  {
    Memory &memory = memories[c * (1 + obstacles.size())];
    if (memory.face != Memory::no_face)
      walk_one(nodes, contactors[c].node, memory);
  }
}

template <int spacedim>
void
MasslessTargets<spacedim>::walk_one(const NodeTable<spacedim> &nodes, const unsigned int node,
                                    Memory &memory) const
{
  constexpr double on_border = 1e-12;
  Closest best = closest(nodes, node, memory.face);
  for (bool goes_on = true; goes_on;)
  {
    goes_on = false;
    const SurfaceFace<spacedim> &present = faces[memory.face];
    // only a face that has the closest point on its border, too, can be nearer at first
    const auto has_point = [&](const SurfaceFace<spacedim> &face)
    {
      for (unsigned int i = 0; i < present.n_nodes; ++i)
        if (best.weights[i] > on_border &&
            std::find(face.nodes.begin(), face.nodes.begin() + face.n_nodes, present.nodes[i]) ==
                face.nodes.begin() + face.n_nodes)
          return false;
      return true;
    };
    for (const unsigned int f : faces_around.row(memory.face))
    {
      if (!has_point(faces[f]))
        continue;
      const Closest other = closest(nodes, node, f);
      if (other.distance < (1 - 1e-9) * best.distance)
      {
        memory.face = f;
        best = other;
        goes_on = true;
        break;
      }
    }
  }
}

template <int spacedim>
bool
MasslessTargets<spacedim>::gap_to_face(const NodeTable<spacedim> &nodes, const unsigned int node,
                                       const unsigned int f,
                                       MasslessContact<spacedim> &contact) const
{
  const Closest point = closest(nodes, node, f);
  const Vector offset = nodes.position(node) - point.point;
  contact.stencil.normal = point.normal;
  contact.gap = offset * point.normal;
  const double length = size(nodes, f);
  if ((offset - contact.gap * point.normal).norm() > beside * length ||
      contact.gap < -deepest * length || contact.gap > farthest * length ||
      point.normal.norm_square() == 0)
    return false;
  contact.stencil.n_nodes = 0;
  contact.stencil.add(node, 1);
  for (unsigned int i = 0; i < faces[f].n_nodes; ++i)
    if (point.weights[i] != 0)
      contact.stencil.add(faces[f].nodes[i], -point.weights[i]);
  return true;
}

template <int spacedim>
void
MasslessTargets<spacedim>::gap_to_obstacle(const NodeTable<spacedim> &nodes,
                                           const unsigned int node, const unsigned int obstacle,
                                           MasslessContact<spacedim> &contact) const
{
  const auto x = nodes.position(node);
  contact.gap = obstacles[obstacle].shape->distance(x);
  contact.stencil.normal = obstacles[obstacle].shape->normal(x);
  contact.stencil.n_nodes = 0;
  contact.stencil.add(node, 1);
}

template <int spacedim>
void
MasslessTargets<spacedim>::find(const NodeTable<spacedim> &nodes, const Memories &memories,
                                std::vector<MasslessContact<spacedim>> &contacts) const
{
  contacts.clear();
  MasslessContact<spacedim> contact;
  for (unsigned int c = 0; c < contactors.size(); ++c)
  {
    const unsigned int node = contactors[c].node;
    contact.pair = c * (1 + obstacles.size());
    const unsigned int face = memories[contact.pair].face;
    if (face != Memory::no_face && gap_to_face(nodes, node, face, contact))
    {
      add_anchor(nodes, memories[contact.pair], contact);
      contacts.push_back(contact);
    }
    for (unsigned int o = 0; o < obstacles.size(); ++o)
    {
      ++contact.pair;
      if (!sees(c, n_bodies + o))
        continue;
      gap_to_obstacle(nodes, node, o, contact);
      add_anchor(nodes, memories[contact.pair], contact);
      contacts.push_back(contact);
    }
  }
}

template <int spacedim>
unsigned int
MasslessTargets<spacedim>::target(const unsigned int pair, const Memory &memory) const
{
  const unsigned int of_node = pair % (1 + obstacles.size());
  return of_node == 0 ? faces[memory.face].body : n_bodies + of_node - 1;
}

template <int spacedim>
double
MasslessTargets<spacedim>::friction(const unsigned int pair, const Memory &memory) const
{
  return frictions[own_number(body(pair)) * (own_bodies.size() + obstacles.size()) +
                   own_number(target(pair, memory))];
}

template <int spacedim>
unsigned int
MasslessTargets<spacedim>::own_number(const unsigned int partner) const
{
  if (partner >= n_bodies)
    return own_bodies.size() + partner - n_bodies;
  return std::lower_bound(own_bodies.begin(), own_bodies.end(), partner) - own_bodies.begin();
}

template <int spacedim>
dealii::Point<spacedim>
MasslessTargets<spacedim>::position(const NodeTable<spacedim> &nodes,
                                    const MasslessPlace<spacedim> &place) const
{
  if (place.face == MasslessPlace<spacedim>::no_face)
    return place.point;
  Vector sum;
  for (unsigned int i = 0; i < faces[place.face].n_nodes; ++i)
    sum += place.weights[i] * nodes.position(faces[place.face].nodes[i]);
  return place.point + sum;
}

template <int spacedim>
void
MasslessTargets<spacedim>::add_anchor(const NodeTable<spacedim> &nodes, const Memory &memory,
                                      MasslessContact<spacedim> &contact) const
{
  contact.anchor.n_nodes = 0;
  contact.slip = Vector();
  contact.friction = friction(contact.pair, memory);
  const bool is_on_face = memory.anchor.face != MasslessPlace<spacedim>::no_face;
  if (contact.friction == 0 || !memory.is_anchored ||
      (is_on_face && faces[memory.anchor.face].body != faces[memory.face].body))
    return;
  const unsigned int node = contact.stencil.nodes[0];
  contact.slip = contact.tangential(nodes.position(node) - position(nodes, memory.anchor));
  contact.anchor.add(node, 1);
  if (is_on_face)
    for (unsigned int i = 0; i < faces[memory.anchor.face].n_nodes; ++i)
      if (memory.anchor.weights[i] != 0)
        contact.anchor.add(faces[memory.anchor.face].nodes[i], -memory.anchor.weights[i]);
}

template <int spacedim>
typename MasslessTargets<spacedim>::Vector
MasslessTargets<spacedim>::slip_beyond(const NodeTable<spacedim> &nodes,
                                       const MasslessContact<spacedim> &contact,
                                       const Memory &memory, const Vector &elastic) const
{
  if (!memory.is_anchored)
    return Vector();
  return contact.tangential(nodes.position(contact.stencil.nodes[0]) -
                            position(nodes, memory.anchor)) -
         elastic;
}

template <int spacedim>
void
MasslessTargets<spacedim>::move_anchor(const NodeTable<spacedim> &nodes,
                                       const MasslessContact<spacedim> &contact,
                                       const Vector &elastic, Memory &memory) const
{
  const dealii::Point<spacedim> place = nodes.position(contact.stencil.nodes[0]) - elastic;
  memory.is_anchored = true;
  memory.anchor = MasslessPlace<spacedim>();
  memory.anchor.point = place;
  if (contact.is_with_obstacle())
    return;
  std::array<dealii::Point<spacedim>, SurfaceFace<spacedim>::max_nodes> corners;
  const SurfaceFace<spacedim> &face = faces[memory.face];
  for (unsigned int i = 0; i < face.n_nodes; ++i)
    corners[i] = nodes.position(face.nodes[i]);
  const auto closest = closest_point<spacedim>(corners.data(), face.n_nodes, place);
  memory.anchor.face = memory.face;
  memory.anchor.weights = closest.weights;
  // a node a little beside a rim has its anchor beside it, too
  memory.anchor.point = dealii::Point<spacedim>(contact.tangential(place - closest.point));
}

template class MasslessTargets<2>;
template class MasslessTargets<3>;
} // namespace KickDrift
