// Patches of one body that look at each other without ever meeting, such as both sides of a wall.

#include <kickdrift/contact/geometry/closest_point.h>
#include <kickdrift/contact/geometry/segments.h>
#include <kickdrift/contact/tracking/patch_pairs.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace KickDrift
{
namespace
{
constexpr double infinity = std::numeric_limits<double>::infinity();
// Sides that are left with less than this share of the contactors' length are looked at: it would
// be used up too soon.
constexpr double least_share = 0.05;
// Deadlines that are no longer true are thrown away when there are more than this for each patch.
constexpr std::size_t most_deadlines = 64;

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

/// How much the vectors from nodes of one patch to nodes of the other differ from what a rotation
/// makes of those in the reference configuration, at most; infinity if that is not known [length].
template <int spacedim>
double
PatchPairs<spacedim>::distortion(const unsigned int p, const unsigned int other) const
{
  static thread_local std::vector<std::pair<Vector, Vector>> places; // now and in the beginning
  places.clear();
  std::pair<Vector, Vector> mean;
  for (const unsigned int patch : {p, other})
    for (const unsigned int node : patches.nodes_of(patch))
    {
      places.emplace_back(nodes.position_at(node, now) - dealii::Point<spacedim>(),
                          nodes.reference(node) - dealii::Point<spacedim>());
      mean.first += places.back().first;
      mean.second += places.back().second;
    }
  mean.first /= places.size();
  mean.second /= places.size();
  dealii::Tensor<2, spacedim> rotation;
  for (auto &[present, reference] : places)
  {
    present -= mean.first;
    reference -= mean.second;
    rotation += outer_product(present, reference);
  }
  // nodes in a plane do not say how its normal turns
  const unsigned int f = patches.faces(other)[0];
  const auto reference = [&](const unsigned int node) { return nodes.reference(node); };
  rotation += 1e-3 * rotation.norm() *
              outer_product(search.face_normal(f), unit_normal(surface.faces[f], reference));
  if (!find_rotation<spacedim>(rotation))
    return infinity;
  double largest = 0, largest_of_other = 0;
  const std::size_t n_own = patches.nodes_of(p).size();
  for (std::size_t i = 0; i < places.size(); ++i)
  {
    double &of_patch = i < n_own ? largest : largest_of_other;
    of_patch = std::max(of_patch, (places[i].first - rotation * places[i].second).norm_square());
  }
  return std::sqrt(largest) + std::sqrt(largest_of_other);
}

/// Find out how long contactors of these groups of @p p cannot touch the partner, a patch of the
/// same body.
template <int spacedim>
void
PatchPairs<spacedim>::find_apart(const Contactors &contactors, const unsigned int p,
                                 const std::uint32_t mask, Partner &partner)
{
  const unsigned int body = patches.body(p);
  if (mask & ~partner.measured)
  {
    partner.measured |= mask;
    partner.first_distance =
        std::max(0., distance(contactors, p, partner.patch, partner.measured,
                              [&](const unsigned int node) { return nodes.reference(node); }));
  }
  partner.apart_until = -infinity;
  partner.apart = 0;
  // a contactor must have come to half of its first distance; nodes of a body come that much nearer
  // to each other than a rotation has them when paths have grown by half of it
  const double least = least_share * patches.contactor_length(p);
  double left = partner.first_distance > 0
                    ? 0.5 * (approached * partner.first_distance - distortion(p, partner.patch))
                    : 0.;
  if (!(left >= least)) // then how far are they from each other?
    left = 0.5 * (distance(contactors, p, partner.patch, mask,
                           [&](const unsigned int node) { return nodes.position_at(node, now); }) -
                  sight_of_own * patches.contactor_length(p));
  if (!(left >= least) || left == 0)
    return;
  const double until = bounds.path(body, now) + left;
  // a run that blows up must come to its end
  if (!(bounds.time_of_path(body, until) > now + search.least_interval()))
    return;
  partner.apart_until = until;
  partner.apart = mask;
  add_deadline(p, partner);
}

template <int spacedim>
void
PatchPairs<spacedim>::add_deadline(const unsigned int p, const Partner &partner)
{
  if (partner.apart_until == infinity)
    return;
  auto &heap = deadlines[patches.body(p)];
  heap.push_back({partner.apart_until, p, partner.patch});
  std::push_heap(heap.begin(), heap.end());
}

template <int spacedim>
void
PatchPairs<spacedim>::find_deadlines()
{
  deadlines.assign(bounds.n_bodies(), {});
  for (unsigned int p = 0; p < partners.size(); ++p)
    for (const Partner &partner : partners[p])
      if (partner.apart_until > -infinity)
        add_deadline(p, partner);
}

/// Have the two parted, or got another deadline?
template <int spacedim>
bool
PatchPairs<spacedim>::is_stale(const Deadline &deadline) const
{
  const Partner *const partner = find_partner(deadline.patch, deadline.partner);
  return partner == nullptr || partner->apart_until != deadline.path;
}

template <int spacedim>
void
PatchPairs<spacedim>::drop_stale_deadlines()
{
  for (auto &heap : deadlines)
  {
    while (!heap.empty() && is_stale(heap.front()))
    {
      std::pop_heap(heap.begin(), heap.end());
      heap.pop_back();
    }
    if (heap.size() <= most_deadlines * patches.size())
      continue;
    heap.erase(std::remove_if(heap.begin(), heap.end(),
                              [&](const Deadline &deadline) { return is_stale(deadline); }),
               heap.end());
    std::make_heap(heap.begin(), heap.end());
  }
}

/// Look again at patches that may have come nearer to others of their body.
template <int spacedim>
void
PatchPairs<spacedim>::check_apart(const Contactors &contactors)
{
  static thread_local std::vector<Deadline> due;
  due.clear();
  for (unsigned int b = 0; b < deadlines.size(); ++b)
    while (!deadlines[b].empty() && bounds.time_of_path(b, deadlines[b].front().path) <= now)
    {
      due.push_back(deadlines[b].front());
      std::pop_heap(deadlines[b].begin(), deadlines[b].end());
      deadlines[b].pop_back();
    }
  for (const Deadline &deadline : due)
    if (!is_stale(deadline))
    {
      Partner &partner = *find_partner(deadline.patch, deadline.partner);
      partner.apart_until = -infinity;
      set_facing(deadline.patch, partner, facing(contactors, deadline.patch, partner));
    }
}

template <int spacedim>
double
PatchPairs<spacedim>::next_update() const
{
  double next = patches.next_exit();
  for (unsigned int b = 0; b < deadlines.size(); ++b)
    if (!deadlines[b].empty())
      next = std::min(next, bounds.time_of_path(b, deadlines[b].front().path));
  return next;
}

template class PatchPairs<2>;
template class PatchPairs<3>;
} // namespace KickDrift
