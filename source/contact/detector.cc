#include <kickdrift/contact/detector.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace KickDrift
{
namespace
{
// A node deeper behind a face than this share of the face's size is not in contact with it.
constexpr double depth_limit = 1.;
// Node and face look at each other if the cosine of their normals is below this.
constexpr double facing = -0.25;
// Faces whose normals have a larger cosine than this are nearly parallel.
constexpr double parallel = 0.7;
// In self-contact the two sides must have come nearer than this share of their first distance.
constexpr double approached = 0.5;
// How far beside a face, in sizes of the face, still counts as on it. A contact that lasts is not
// lost because nodes at the rims of two bodies move a little beside each other; a new one must be
// inside.
constexpr double rim_of_new_contact = 1e-6;
constexpr double rim_of_lasting_contact = 0.1;
} // namespace

template <int spacedim>
Detector<spacedim>::Detector(NodeTable<spacedim> &nodes, Surface<spacedim> surface,
                             const std::vector<std::pair<std::string, std::string>> &exclude)
    : nodes(nodes), skin(std::move(surface)), search(nodes, skin)
{
  apply_exclusions(exclude);
}

template <int spacedim>
unsigned int
Detector<spacedim>::body_index(const std::string &name) const
{
  const auto it = std::find(skin.body_names.begin(), skin.body_names.end(), name);
  AssertThrow(it != skin.body_names.end(),
              dealii::ExcMessage("Contact/Exclude names an unknown body '" + name + "'."));
  return it - skin.body_names.begin();
}

template <int spacedim>
std::vector<char>
Detector<spacedim>::nodes_on_faces() const
{
  std::vector<char> on_face(nodes.size(), 0);
  for (const auto &face : skin.faces)
    for (unsigned int i = 0; i < face.n_nodes; ++i)
      on_face[face.nodes[i]] = 1;
  return on_face;
}

template <int spacedim>
void
Detector<spacedim>::apply_exclusions(
    const std::vector<std::pair<std::string, std::string>> &exclude)
{
  const auto before = nodes_on_faces();
  auto &faces = skin.faces;
  for (const auto &[first, second] : exclude)
    if (second.empty())
      for (unsigned int b = 0; b < skin.body_names.size(); ++b)
        excluded_bodies.emplace(b, b);
    else if (second.find_first_not_of("0123456789") == std::string::npos)
    {
      // a part of the boundary takes no part in contact
      const unsigned int b = body_index(first);
      const auto is_excluded = [&](const auto &face)
      { return face.body == b && std::to_string(face.boundary_id) == second; };
      const auto end = std::remove_if(faces.begin(), faces.end(), is_excluded);
      AssertThrow(end != faces.end(),
                  dealii::ExcMessage("Contact/Exclude names boundary id " + second +
                                     ", which body '" + first + "' does not have."));
      faces.erase(end, faces.end());
    }
    else
    {
      excluded_bodies.emplace(body_index(first), body_index(second));
      excluded_bodies.emplace(body_index(second), body_index(first));
    }

  // nodes that have lost all their faces go, particles that never had any stay
  const auto after = nodes_on_faces();
  const auto has_lost = [&](const Contactor &c) { return before[c.node] && !after[c.node]; };
  auto &contactors = skin.contactors;
  contactors.erase(std::remove_if(contactors.begin(), contactors.end(), has_lost),
                   contactors.end());
}

template <int spacedim>
bool
Detector<spacedim>::excluded(const Contactor &contactor, const unsigned int f) const
{
  const auto &face = skin.faces[f];
  if (face.body == contactor.body)
    for (unsigned int i = 0; i < face.n_nodes; ++i)
      if (face.nodes[i] == contactor.node)
        return true;
  return !excluded_bodies.empty() && excluded_bodies.count({contactor.body, face.body}) > 0;
}

template <int spacedim>
unsigned int
Detector<spacedim>::corners_of(const unsigned int f, const double time, Corners &corners)
{
  const auto &face = skin.faces[f];
  for (unsigned int i = 0; i < face.n_nodes; ++i)
  {
    nodes[face.nodes[i]].drift(time);
    corners[i] = nodes.position(face.nodes[i]);
  }
  return face.n_nodes;
}

/// Faces of the last search by distance of their bounding boxes, nearest first, own faces left out.
template <int spacedim>
void
Detector<spacedim>::sort_nearby(const Contactor &contactor, const dealii::Point<spacedim> &point,
                                const double time)
{
  by_distance.clear();
  Corners corners;
  for (const unsigned int f : nearby)
  {
    if (excluded(contactor, f))
      continue;
    const unsigned int n = corners_of(f, time, corners);
    double square = 0;
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      double lower = corners[0][d], upper = corners[0][d];
      for (unsigned int i = 1; i < n; ++i)
      {
        lower = std::min(lower, corners[i][d]);
        upper = std::max(upper, corners[i][d]);
      }
      const double outside = std::max(0., std::max(lower - point[d], point[d] - upper));
      square += outside * outside;
    }
    by_distance.emplace_back(std::sqrt(square), f);
  }
  std::sort(by_distance.begin(), by_distance.end());
}

template <int spacedim>
double
Detector<spacedim>::facing_limit(const Vector &outward) const
{
  return outward.norm_square() > 0 ? facing : 1;
}

template <int spacedim>
bool
Detector<spacedim>::sees_nothing(const unsigned int c, const double distance)
{
  const Contactor &contactor = skin.contactors[c];
  const Vector outward = search.nodal_normal(contactor.node);
  const auto point = nodes.position(contactor.node);
  nearby.clear();
  search.candidates(point, distance, outward, facing_limit(outward), nearby);
  for (const unsigned int f : nearby)
  {
    // too deep behind it to touch it, like the other side of the contactor's own body
    const double height = search.face_normal(f) * (point - nodes.position(skin.faces[f].nodes[0]));
    if (height > -2 * depth_limit * search.face_size(f) && !excluded(contactor, f))
      return false;
  }
  return true;
}

template <int spacedim>
bool
Detector<spacedim>::find(const Query &query, Hit<spacedim> &hit)
{
  const Contactor &contactor = skin.contactors[query.contactor];
  nodes[contactor.node].drift(query.time);
  const auto point = nodes.position(contactor.node);
  hit.face = Hit<spacedim>::none;

  // the nearest face that looks at the contactor and at which the contactor looks; a node without
  // faces (a particle) looks everywhere
  const Vector outward = search.nodal_normal(contactor.node);
  const double limit = facing_limit(outward);
  nearby.clear();
  search.candidates(point, query.radius, outward, limit, nearby);
  sort_nearby(contactor, point, query.time);
  double nearest = std::numeric_limits<double>::infinity();
  Corners corners;
  for (const auto &[distance, f] : by_distance)
  {
    if (distance >= nearest)
      break;
    const unsigned int n = corners_of(f, query.time, corners);
    const auto closest = closest_point<spacedim>(corners.data(), n, point);
    if (closest.distance >= nearest || outward * closest.normal > limit ||
        is_neighbour(contactor, f, closest))
      continue;
    nearest = closest.distance;
    hit.face = f;
    hit.closest = closest;
  }
  if (nearest == std::numeric_limits<double>::infinity())
    return false;

  hit.depth = -(hit.closest.normal * (point - hit.closest.point));
  const double size = search.face_size(hit.face);
  if (hit.depth <= 0 || hit.depth > depth_limit * size)
    return false;
  const double beside = std::sqrt(std::max(0., nearest * nearest - hit.depth * hit.depth));
  const double rim = size * (query.lasts ? rim_of_lasting_contact : rim_of_new_contact);
  return beside <= hit.depth + rim && !is_outside(query, hit, rim);
}

/// Is the face near only because it is a neighbour of the contactor on its own body?
template <int spacedim>
bool
Detector<spacedim>::is_neighbour(const Contactor &contactor, const unsigned int f,
                                 const ClosestPoint<spacedim> &closest) const
{
  const auto &face = skin.faces[f];
  if (face.body != contactor.body)
    return false;
  Vector between;
  for (unsigned int i = 0; i < face.n_nodes; ++i)
    between +=
        closest.weights[i] * (nodes.reference(contactor.node) - nodes.reference(face.nodes[i]));
  return closest.distance > approached * between.norm();
}

/// Is the contactor behind one face of a body, but in front of another one that is nearer?
template <int spacedim>
bool
Detector<spacedim>::is_outside(const Query &query, const Hit<spacedim> &hit, const double rim)
{
  const Contactor &contactor = skin.contactors[query.contactor];
  const auto point = nodes.position(contactor.node);
  const unsigned int body = skin.faces[hit.face].body;
  // faces that are nearly parallel to the one that was hit say the same as it does
  nearby.clear();
  search.candidates(point, hit.closest.distance, hit.closest.normal, parallel, nearby);
  sort_nearby(contactor, point, query.time);
  Corners corners;
  for (const auto &[distance, f] : by_distance)
  {
    if (distance >= hit.closest.distance)
      break;
    if (skin.faces[f].body != body)
      continue;
    const unsigned int n = corners_of(f, query.time, corners);
    const auto closest = closest_point<spacedim>(corners.data(), n, point);
    if (closest.distance < hit.closest.distance && closest.normal * (point - closest.point) > rim)
      return true;
  }
  return false;
}

template class Detector<2>;
template class Detector<3>;
} // namespace KickDrift
