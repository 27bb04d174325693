#include <kickdrift/base/archive_checks.h>
#include <kickdrift/base/limits.h>
#include <kickdrift/contact/surface/surface_patches.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace
{
using Limits::infinity;
// Of a box, as a share of the patch's contactor length: larger ones are near others sooner,
// smaller ones break more often.
constexpr double margin_share = 0.25;
// Boxes reach ahead by this share of the patch's size, but not further than it comes within so many
// of the times between checks.
constexpr double share_ahead = 0.1;
constexpr double waits_ahead = 64;
// Boxes of nodes that nothing kicks last for this share of the time at least: a run that blows up
// must come to its end.
constexpr double least_share_of_time = 1e-9;
} // namespace

template <int spacedim>
SurfacePatches<spacedim>::SurfacePatches(const NodeTable<spacedim> &nodes,
                                         const Surface<spacedim> &surface)
    : nodes(nodes), surface(surface)
{
}

template <int spacedim>
void
SurfacePatches<spacedim>::start(const double time, const std::vector<double> &longest_waits)
{
  form_patches(time);
  index_nodes();
  boxes.resize(patches.size());
  limits_of_node.assign(nodes.size(), Limits());
  exits.assign(patches.size(), infinity);
  is_broken.assign(patches.size(), 0);
  broken_patches.clear();
  first_exit = infinity;
  set_longest_waits(longest_waits);
  renew(time);
}

template <int spacedim>
void
SurfacePatches<spacedim>::set_longest_waits(const std::vector<double> &longest_waits)
{
  waits = longest_waits;
  for (unsigned int p = 0; p < patches.size(); ++p)
  {
    Patch &patch = patches[p];
    patch.shortest_wait = infinity;
    patch.has_unkicked = false;
    for (const unsigned int node : patch.nodes)
    {
      patch.shortest_wait = std::min(patch.shortest_wait, waits[node]);
      patch.has_unkicked = patch.has_unkicked || std::isinf(waits[node]);
    }
    break_box(p);
  }
}

template <int spacedim>
unsigned int
SurfacePatches<spacedim>::patch_of(const dealii::ArrayView<const unsigned int> wanted) const
{
  for (const unsigned int p : patches_of_node(wanted[0]))
  {
    const auto &own = patches[p].nodes;
    if (std::all_of(wanted.begin(), wanted.end(),
                    [&](const unsigned int node)
                    { return std::binary_search(own.begin(), own.end(), node); }))
      return p;
  }
  AssertThrow(false, dealii::ExcInternalError());
  return 0;
}

template <int spacedim>
void
SurfacePatches<spacedim>::check_boxes(const unsigned int node, const double time)
{
  for (const unsigned int p : patches_of_node(node))
  {
    const double wait = waits[node];
    const auto end = end_of_flight(node, std::isinf(wait) ? exits[p] : time + wait);
    for (unsigned int d = 0; d < spacedim; ++d)
      if (!(end[d] >= boxes[p].lower[d] && end[d] <= boxes[p].upper[d]))
        break_box(p);
  }
}

/// Where a node will be at @p until if nothing kicks it; what stands still may do so for ever.
template <int spacedim>
dealii::Point<spacedim>
SurfacePatches<spacedim>::end_of_flight(const unsigned int node, const double until) const
{
  return nodes.position_at(node, nodes.velocity(node).norm_square() > 0 ? until : nodes[node].time);
}

/// What all boxes of a node have in common.
template <int spacedim>
void
SurfacePatches<spacedim>::find_limits(const unsigned int node)
{
  Limits &limits = limits_of_node[node];
  const auto &reference = nodes.reference(node);
  limits.wait = waits[node];
  for (unsigned int d = 0; d < spacedim; ++d)
  {
    // one without mass may have been put elsewhere: it is always looked at
    limits.lower[d] = nodes[node].inverse_mass == 0 ? infinity : -infinity;
    limits.upper[d] = infinity;
    for (const unsigned int p : patches_of_node(node))
    {
      limits.lower[d] = std::max(limits.lower[d], boxes[p].lower[d] - reference[d]);
      limits.upper[d] = std::min(limits.upper[d], boxes[p].upper[d] - reference[d]);
    }
  }
}

template <int spacedim>
void
SurfacePatches<spacedim>::break_box(const unsigned int patch)
{
  if (is_broken[patch])
    return;
  is_broken[patch] = 1;
  broken_patches.push_back(patch);
}

template <int spacedim>
void
SurfacePatches<spacedim>::check_exits(const double time)
{
  if (time < first_exit)
    return;
  for (unsigned int p = 0; p < patches.size(); ++p)
    if (exits[p] <= time)
      break_box(p);
}

template <int spacedim>
void
SurfacePatches<spacedim>::renew(const double time)
{
  bool may_exit = false;
  for (const unsigned int p : broken_patches)
  {
    fit(p, time);
    is_broken[p] = 0;
    may_exit = may_exit || patches[p].has_unkicked;
  }
  for (const unsigned int p : broken_patches)
    for (const unsigned int node : patches[p].nodes)
      find_limits(node);
  broken_patches.clear();
  if (may_exit)
    find_first_exit();
}

template <int spacedim>
void
SurfacePatches<spacedim>::find_first_exit()
{
  first_exit = infinity;
  for (const double exit : exits)
    first_exit = std::min(first_exit, exit);
}

template <int spacedim>
void
SurfacePatches<spacedim>::fit(const unsigned int p, const double time)
{
  const Patch &patch = patches[p];
  Box<spacedim> box;
  for (unsigned int d = 0; d < spacedim; ++d)
  {
    box.lower[d] = infinity;
    box.upper[d] = -infinity;
  }
  const auto include = [&](const dealii::Point<spacedim> &x)
  {
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      box.lower[d] = std::min(box.lower[d], x[d]);
      box.upper[d] = std::max(box.upper[d], x[d]);
    }
  };
  Vector mean;
  double fastest_unkicked = 0;
  for (const unsigned int node : patch.nodes)
  {
    include(nodes.position_at(node, time));
    mean += nodes.velocity(node) / double(patch.nodes.size());
    if (std::isinf(waits[node]))
      fastest_unkicked = std::max(fastest_unkicked, nodes.velocity(node).norm());
  }
  const double size = box.lower.distance(box.upper) + patch.contactor_length;
  const double speed = mean.norm();
  const double ahead =
      speed > 0 ? std::min(share_ahead * size / speed, waits_ahead * patch.shortest_wait) : 0;
  exits[p] = fastest_unkicked > 0
                 ? time + std::max(size / fastest_unkicked, least_share_of_time * std::abs(time))
                 : infinity;

  const Box<spacedim> now = box;
  include(now.lower + ahead * mean);
  include(now.upper + ahead * mean);
  for (const unsigned int node : patch.nodes)
    include(end_of_flight(node, std::isinf(waits[node]) ? exits[p] : time + waits[node]));
  boxes[p] = grown(box, margin_share * patch.contactor_length);
}

template <int spacedim>
void
SurfacePatches<spacedim>::serialize(Archive &archive)
{
  archive.section("surface patches");
  archive.fixed(boxes, exits, is_broken, limits_of_node);
  archive(first_exit, broken_patches);
  for (const unsigned int p : broken_patches)
    check_state(p < patches.size() && is_broken[p] == 1, "surface patches");
}

template class SurfacePatches<2>;
template class SurfacePatches<3>;
} // namespace KickDrift
