// Patches of one body that look at each other without ever meeting, such as both sides of a wall.

#include <kickdrift/base/limits.h>
#include <kickdrift/contact/geometry/closest_point.h>
#include <kickdrift/contact/geometry/segments.h>
#include <kickdrift/contact/tracking/patch_pairs.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace
{
using Limits::infinity;
// Sides that are left with less than this share of the contactors' length are looked at: it would
// be used up too soon.
constexpr double least_share = 0.02;
// When a deadline has come, patches that have used up this share of their own are looked at, too.
constexpr double share_used = 0.5;

/// The rotation next to @p a, from its polar decomposition (Higham 1986); false if there is none.
/// deal.II's project_onto_orthogonal_tensors() takes four times as long, which would be a third of
/// the time of contact where walls are thin.
template <int dim>
bool
find_rotation(dealii::Tensor<2, dim> &a)
{
  const double norm = a.norm();
  if (!(norm > 0) || !(determinant(a) > 1e-12 * std::pow(norm, dim)))
    return false;
  constexpr unsigned int most_iterations = 60;
  for (unsigned int i = 0; i < most_iterations; ++i)
  {
    const double scale = std::pow(determinant(a), -1. / dim);
    const dealii::Tensor<2, dim> next = 0.5 * (scale * a + transpose(invert(a)) / scale);
    const double change = (next - a).norm();
    a = next;
    if (change < 1e-7) // the error is of the order of its square
      return true;
  }
  return false;
}

/// Distance between the edge and those of a face that have no node in common with it.
template <typename Position>
double
distance_to_edges(const dealii::ArrayView<const unsigned int> own, const SurfaceFace<3> &face,
                  const Position &position)
{
  const Segment edge = {{position(own[0]), position(own[1])}};
  double nearest = infinity;
  for (unsigned int i = 0; i < face.n_nodes; ++i)
  {
    const auto numbers = ends_of_edge(face.n_nodes, i);
    const unsigned int ends[2] = {face.nodes[numbers[0]], face.nodes[numbers[1]]};
    if (std::find_first_of(own.begin(), own.end(), ends, ends + 2) == own.end())
      nearest = std::min(nearest,
                         closest_points(edge, {{position(ends[0]), position(ends[1])}}).distance);
  }
  return nearest;
}

/// Distance between a contactor on these nodes and what it touches on a face, at least; infinity if
/// they have nodes in common. Two nodes in space are those of an edge, which touches edges.
template <int spacedim, typename Position>
double
distance_to_face(const dealii::ArrayView<const unsigned int> own, const SurfaceFace<spacedim> &face,
                 const Position &position)
{
  if constexpr (spacedim == 3)
    if (own.size() == 2)
      return distance_to_edges(own, face, position);
  const auto end = face.nodes.begin() + face.n_nodes;
  if (std::find_first_of(face.nodes.begin(), end, own.begin(), own.end()) != end)
    return infinity;
  std::array<dealii::Point<spacedim>, SurfaceFace<spacedim>::max_nodes> corners;
  for (unsigned int i = 0; i < face.n_nodes; ++i)
    corners[i] = position(face.nodes[i]);
  // a point between nodes is no further from the nearest one than this
  double extent = 0, nearest = infinity;
  for (const unsigned int node : own)
  {
    extent =
        std::max(extent, (own.size() == 2 ? 0.5 : 1.) * position(node).distance(position(own[0])));
    nearest = std::min(
        nearest, closest_point<spacedim>(corners.data(), face.n_nodes, position(node)).distance);
  }
  return nearest - extent;
}
} // namespace

/// Distance between contactors of some groups of one patch and what they touch on the faces of the
/// other, at least, where @p position says that nodes are; those with nodes in common never touch
/// [length].
template <int spacedim>
template <typename Position>
double
PatchPairs<spacedim>::distance(const Contactors &contactors, const unsigned int p,
                               const unsigned int other, const std::uint32_t mask,
                               const Position &position) const
{
  static thread_local std::vector<std::pair<dealii::Point<spacedim>, double>> balls; // of faces
  balls.clear();
  for (const unsigned int f : patches.faces(other))
  {
    const auto &face = surface.faces[f];
    balls.emplace_back(position(face.nodes[0]), 0.);
    for (unsigned int i = 1; i < face.n_nodes; ++i)
      balls.back().second =
          std::max(balls.back().second, balls.back().first.distance(position(face.nodes[i])));
  }
  double nearest = infinity;
  const auto &own_groups = groups_of_patch[p];
  for (unsigned int i = 0; i < own_groups.size() && mask >> i > 0; ++i)
    if (mask >> i & 1)
      for (const unsigned int c : groups[own_groups[i]].members)
      {
        const auto own = contactors.nodes(c);
        const dealii::Point<spacedim> first = position(own[0]);
        double extent = 0;
        for (const unsigned int node : own)
          extent = std::max(extent, position(node).distance(first));
        for (unsigned int k = 0; k < balls.size(); ++k)
        {
          const double around = balls[k].second + extent + std::max(nearest, 0.);
          if (balls[k].first.distance_square(first) <= around * around)
            nearest = std::min(nearest, distance_to_face<spacedim>(
                                            own, surface.faces[patches.faces(other)[k]], position));
        }
      }
  return nearest;
}

/// How the nodes of a patch lie now: turned by a rotation, but for deviations.
template <int spacedim>
void
PatchPairs<spacedim>::renew_frame(const unsigned int p)
{
  Frame &frame = frames[p];
  const unsigned int body = patches.body(p);
  const double path = bounds.path(body, now);
  if (frame.path == path)
    return;
  frame.path = path;
  frame.deviation = infinity;
  const auto &own = patches.nodes_of(p);
  static thread_local std::vector<std::pair<Vector, Vector>> places; // now and in the beginning
  places.clear();
  Vector mean, mean_reference;
  for (const unsigned int node : own)
  {
    places.emplace_back(nodes.position_at(node, now) - dealii::Point<spacedim>(),
                        nodes.reference(node) - dealii::Point<spacedim>());
    mean += places.back().first;
    mean_reference += places.back().second;
  }
  mean /= own.size();
  mean_reference /= own.size();
  dealii::Tensor<2, spacedim> rotation;
  double largest_arm = 0;
  for (auto &[present, reference] : places)
  {
    present -= mean;
    reference -= mean_reference;
    rotation += outer_product(present, reference);
    largest_arm = std::max(largest_arm, reference.norm_square());
  }
  if (!patches.faces(p).empty()) // nodes in a plane do not say how its normal turns
  {
    const unsigned int f = patches.faces(p)[0];
    const auto reference = [&](const unsigned int node) { return nodes.reference(node); };
    rotation += 1e-3 * rotation.norm() *
                outer_product(search.face_normal(f), unit_normal(surface.faces[f], reference));
  }
  if (!find_rotation<spacedim>(rotation))
    return;
  double largest = 0;
  for (const auto &[present, reference] : places)
    largest = std::max(largest, (present - rotation * reference).norm_square());
  frame.center = mean - bounds.displacement(body, now);
  frame.reference = mean_reference;
  frame.radius = std::sqrt(largest_arm);
  frame.rotation = rotation;
  frame.deviation = std::sqrt(largest);
}

/// How near a point of one patch and a point of the other can be when their frames were made, that
/// were at least @p first from each other in the reference configuration [length].
template <int spacedim>
double
PatchPairs<spacedim>::least_distance(const Frame &own, const Frame &other, const double first)
{
  // the mean of both rotations turns vectors by half of what they differ by, and shortens them
  const double turn = std::sqrt(0.5) * (other.rotation - own.rotation).norm();
  const double shortening = std::sqrt(std::max(0., 1 - 0.25 * turn * turn));
  const Vector shift = other.center - own.center -
                       0.5 * (own.rotation + other.rotation) * (other.reference - own.reference);
  return shortening * first - shift.norm() - 0.5 * turn * (own.radius + other.radius) -
         own.deviation - other.deviation;
}

/// Until when contactors of these groups of @p p cannot touch the partner, a patch of the same
/// body, as a path of the body; @p measures : look at distances if nothing else helps [length].
template <int spacedim>
double
PatchPairs<spacedim>::find_apart(const Contactors &contactors, const unsigned int p,
                                 const Partner &partner, const bool measures)
{
  const double first = partner.first_distance, length = patches.contactor_length(p);
  if (first == infinity)
    return infinity;
  const unsigned int body = patches.body(p);
  const double path = bounds.path(body, now), soon = path + least_share * length;
  // a contactor must have come to this share of its first distance, and so near
  const double reach = sight_of_own * length + surface.thickness(body);
  const double touching = std::min(surface.share_of_first_distance(body) * first, reach);
  const Frame &own = frames[p], &other = frames[partner.patch];
  // nodes of a body come nearer to each other than a rotation has them by as much as both have left
  // its frame
  const auto until = [&]
  { return 0.5 * (own.path + other.path + least_distance(own, other, first) - touching); };
  double result = first > 0 ? until() : -infinity;
  if (!(result >= soon) && first > 0 && (own.path < path || other.path < path))
  {
    renew_frame(p);
    renew_frame(partner.patch);
    result = until();
  }
  if (!(result >= soon) && measures) // how far are they from each other now?
    result = path + 0.5 * (distance(contactors, p, partner.patch, partner.opposed,
                                    [&](const unsigned int node)
                                    { return nodes.position_at(node, now); }) -
                           reach);
  // a run that blows up must come to its end
  return result >= soon && bounds.time_of_path(body, result) > now + search.least_interval()
             ? result
             : -infinity;
}

/// Find out how long contactors of @p p that may look at the partner, a patch of the same body,
/// cannot touch it. What was known stays true.
template <int spacedim>
void
PatchPairs<spacedim>::keep_apart(const Contactors &contactors, const unsigned int p,
                                 Partner &partner, const bool measures)
{
  const std::uint32_t mask = partner.opposed;
  if (mask & ~partner.measured)
  {
    partner.measured |= mask;
    partner.first_distance =
        std::max(0., distance(contactors, p, partner.patch, partner.measured,
                              [&](const unsigned int node) { return nodes.reference(node); }));
  }
  if (mask & ~partner.apart)
    partner.apart_until = -infinity;
  partner.apart_until = std::max(partner.apart_until, find_apart(contactors, p, partner, measures));
  partner.apart = mask;
  if (bounds.time_of_path(patches.body(p), partner.apart_until) > now)
    deadlines[p] = std::min(deadlines[p], partner.apart_until);
  else
    partner.apart = 0;
}

/// Look again at patches that may have come nearer to others of their body, and at those that soon
/// will.
template <int spacedim>
void
PatchPairs<spacedim>::check_apart(const Contactors &contactors)
{
  for (unsigned int b = 0; b < first_deadlines.size(); ++b)
  {
    if (bounds.time_of_path(b, first_deadlines[b]) > now)
      continue;
    const double path = bounds.path(b, now);
    static thread_local std::vector<unsigned int> due;
    due.clear();
    for (const unsigned int p : patches_of_body[b])
      if (deadlines[p] < infinity &&
          !(path - frames[p].path < share_used * (deadlines[p] - frames[p].path)))
        due.push_back(p);
    static thread_local std::vector<double> used;
    used.clear();
    for (const unsigned int p : due)
    {
      used.push_back(deadlines[p] - frames[p].path);
      renew_frame(p);
    }
    for (unsigned int i = 0; i < due.size(); ++i)
      look_at_own(contactors, due[i], path + used[i]);
    find_first_deadline(b);
  }
}

/// Look again at the patches of its own body that @p p may touch, as far as is known, before the
/// body's path is @p late.
template <int spacedim>
void
PatchPairs<spacedim>::look_at_own(const Contactors &contactors, const unsigned int p,
                                  const double late)
{
  deadlines[p] = infinity;
  for (Partner &partner : partners[p])
    if (partner.opposed != 0 && patches.body(partner.patch) == patches.body(p))
    {
      if (partner.facing == 0 && partner.apart_until >= late)
      {
        deadlines[p] = std::min(deadlines[p], partner.apart_until);
        continue;
      }
      keep_apart(contactors, p, partner, partner.facing == 0);
      set_facing(p, partner, partner.opposed & ~partner.apart);
    }
}

template <int spacedim>
void
PatchPairs<spacedim>::find_first_deadline(const unsigned int body)
{
  double &first = first_deadlines[body];
  first = infinity;
  for (const unsigned int p : patches_of_body[body])
    first = std::min(first, deadlines[p]);
}

template <int spacedim>
double
PatchPairs<spacedim>::next_update() const
{
  double next = patches.next_exit();
  for (unsigned int b = 0; b < first_deadlines.size(); ++b)
    next = std::min(next, bounds.time_of_path(b, first_deadlines[b]));
  return next;
}

template class PatchPairs<2>;
template class PatchPairs<3>;
} // namespace KickDrift
