// Patches of one body that look at each other without ever meeting, such as both sides of a wall.

#include <kickdrift/contact/geometry/closest_point.h>
#include <kickdrift/contact/tracking/patch_pairs.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace KickDrift
{
namespace
{
constexpr double infinity = std::numeric_limits<double>::infinity();
// Sides that are left with less than this share of their first distance are looked at: it would be
// used up too soon.
constexpr double least_share = 0.05;

/// The rotation next to @p a, from its polar decomposition; false if there is none.
template <int dim>
bool
find_rotation(dealii::Tensor<2, dim> &a)
{
  const double norm = a.norm();
  if (!(norm > 0) || !(determinant(a) > 1e-12 * std::pow(norm, dim)))
    return false;
  a /= norm;
  constexpr unsigned int most_iterations = 60;
  for (unsigned int i = 0; i < most_iterations; ++i)
  {
    const dealii::Tensor<2, dim> next = 0.5 * (a + transpose(invert(a)));
    const double change = (next - a).norm();
    a = next;
    if (change < 1e-12)
      return true;
  }
  return false;
}
} // namespace

/// Distance between contactors of some groups of one patch and faces of the other in the reference
/// configuration, at least; those with nodes in common never touch [length].
template <int spacedim>
double
PatchPairs<spacedim>::first_distance(const Contactors &contactors, const unsigned int p,
                                     const unsigned int other, const std::uint32_t mask) const
{
  double nearest = infinity;
  for (unsigned int i = 0; mask >> i > 0; ++i)
    for (const unsigned int c : groups[groups_of_patch[p][i]].members)
    {
      if (!(mask >> i & 1))
        break;
      const auto own = contactors.nodes(c);
      // points between nodes are nearer than this to one of them, or to the middle
      double extent = 0;
      Vector middle;
      for (const unsigned int node : own)
      {
        middle += (nodes.reference(node) - dealii::Point<spacedim>()) / double(own.size());
        extent = std::max(extent, (own.size() == 2 ? 0.25 : 1.) *
                                      nodes.reference(node).distance(nodes.reference(own[0])));
      }
      for (const unsigned int f : patches.faces(other))
      {
        const auto &face = surface.faces[f];
        // nothing of the face is further from its first node than its size, and nothing of the
        // contactor further from its middle than three times the extent
        const double around = search.face_size(f) + 4 * extent + std::max(nearest, 0.);
        if (nodes.reference(face.nodes[0]).distance_square(dealii::Point<spacedim>(middle)) >
            around * around)
          continue;
        const auto begin = face.nodes.begin(), end = begin + face.n_nodes;
        if (std::find_first_of(begin, end, own.begin(), own.end()) != end)
          continue;
        std::array<dealii::Point<spacedim>, SurfaceFace<spacedim>::max_nodes> corners;
        for (unsigned int i = 0; i < face.n_nodes; ++i)
          corners[i] = nodes.reference(face.nodes[i]);
        const auto include = [&](const dealii::Point<spacedim> &point)
        {
          const auto closest = closest_point<spacedim>(corners.data(), face.n_nodes, point);
          nearest = std::min(nearest, closest.distance - extent);
        };
        include(dealii::Point<spacedim>(middle));
        for (unsigned int i = 0; i < own.size() && own.size() > 1; ++i)
          include(nodes.reference(own[i]));
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
  dealii::Tensor<1, spacedim> mean, mean_reference;
  const double n = patches.nodes_of(p).size() + patches.nodes_of(other).size();
  for (const unsigned int patch : {p, other})
    for (const unsigned int node : patches.nodes_of(patch))
    {
      mean += (nodes.position_at(node, now) - dealii::Point<spacedim>()) / n;
      mean_reference += (nodes.reference(node) - dealii::Point<spacedim>()) / n;
    }
  dealii::Tensor<2, spacedim> rotation;
  for (const unsigned int patch : {p, other})
    for (const unsigned int node : patches.nodes_of(patch))
      rotation += outer_product(Vector(nodes.position_at(node, now) - mean),
                                Vector(nodes.reference(node) - mean_reference));
  if (!find_rotation<spacedim>(rotation))
    return infinity;
  double sum = 0;
  for (const unsigned int patch : {p, other})
  {
    double largest = 0;
    for (const unsigned int node : patches.nodes_of(patch))
      largest = std::max(largest, (Vector(nodes.position_at(node, now) - mean) -
                                   rotation * Vector(nodes.reference(node) - mean_reference))
                                      .norm_square());
    sum += std::sqrt(largest);
  }
  return sum;
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
        std::max(0., first_distance(contactors, p, partner.patch, partner.measured));
  }
  partner.apart_until = -infinity;
  // a contactor must have come to half of its first distance; nodes of a body come that much nearer
  // to each other than a rotation has them when paths have grown by half of it
  const double left =
      partner.first_distance > 0
          ? 0.5 * (approached * partner.first_distance - distortion(p, partner.patch))
          : 0.;
  if (!(left >= least_share * partner.first_distance) || left == 0)
    return;
  partner.apart_until = bounds.path(body, now) + left;
  if (!(bounds.time_of_path(body, partner.apart_until) > now)) // rounding; a run that blows up
    partner.apart_until = -infinity;
  else
  {
    deadlines[body].push_back({partner.apart_until, p, partner.patch});
    std::push_heap(deadlines[body].begin(), deadlines[body].end());
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
  {
    auto &list = partners[deadline.patch];
    const auto partner =
        std::find_if(list.begin(), list.end(),
                     [&](const Partner &listed) { return listed.patch == deadline.partner; });
    if (partner != list.end() && partner->apart_until == deadline.path)
      set_facing(deadline.patch, *partner, facing(contactors, deadline.patch, *partner));
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
