#include <kickdrift/base/archive_checks.h>
#include <kickdrift/base/limits.h>
#include <kickdrift/contact/geometry/bounding_volumes.h>
#include <kickdrift/contact/tracking/patch_pairs.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace
{
using Limits::infinity;
// After so many changes of every box the tree of boxes is refitted, and built anew if that pays.
constexpr unsigned int changes_before_refit = 8;
// How far contactors see, in their lengths.
constexpr double sight = 1;
} // namespace

template <int spacedim>
PatchPairs<spacedim>::PatchPairs(const Surface<spacedim> &surface, const NodeTable<spacedim> &nodes,
                                 const Exclusions &exclusions, const FaceSearch<spacedim> &search,
                                 MotionBounds<spacedim> &bounds)
    : surface(surface),
      nodes(nodes),
      exclusions(exclusions),
      search(search),
      bounds(bounds),
      patches(bounds.patches)
{
}

template <int spacedim>
void
PatchPairs<spacedim>::start(const Contactors &contactors, const double time)
{
  now = time;
  normals.resize(surface.faces.size());
  hourglasses.resize(surface.faces.size());
  edges.assign(surface.faces.size(), 0);
  for (unsigned int f = 0; f < surface.faces.size(); ++f)
    keep_normal(f);
  const unsigned int n = patches.size();
  fits.assign(surface.body_names.size(), 0);
  for (unsigned int p = 0; p < n; ++p)
    if (!patches.faces(p).empty())
      fits[patches.body(p)] = search.n_fits(patches.body(p));
  partners.assign(n, {});
  face_cones.assign(n, Cone());
  frames.assign(n, Frame());
  deadlines.assign(n, infinity);
  first_deadlines.assign(bounds.n_bodies(), infinity);
  patches_of_body.assign(bounds.n_bodies(), {});
  for (unsigned int p = 0; p < n; ++p)
    patches_of_body[patches.body(p)].push_back(p);
  near_boxes.resize(n);
  for (unsigned int p = 0; p < n; ++p)
  {
    near_boxes[p] = near_box(p);
    face_cones[p] = cone_of_faces(p);
  }
  tree.build(near_boxes);
  form_groups(contactors);
  for (Group &group : groups)
    renew_cone(contactors, group);
  for (unsigned int p = 0; p < n; ++p)
    renew_box(contactors, p);
  woken_groups.clear();
}

template <int spacedim>
void
PatchPairs<spacedim>::update(const Contactors &contactors, const double time)
{
  now = time;
  woken_groups.clear();
  find_turned(contactors);
  check_apart(contactors);
  patches.check_exits(time);
  const std::vector<unsigned int> broken = patches.broken();
  patches.renew(time);
  for (const unsigned int p : broken)
    renew_box(contactors, p);
}

/// What is in sight of a patch.
template <int spacedim>
Box<spacedim>
PatchPairs<spacedim>::near_box(const unsigned int p) const
{
  return grown(patches.box(p),
               sight * patches.contactor_length(p) + 0.5 * surface.thickness(patches.body(p)));
}

template <int spacedim>
void
PatchPairs<spacedim>::renew_box(const Contactors &contactors, const unsigned int p)
{
  near_boxes[p] = near_box(p);
  if (++n_updates > changes_before_refit * patches.size())
  {
    tree.refit(near_boxes);
    n_updates = 0;
  }
  else
    tree.update(p, near_boxes[p]);
  static thread_local std::vector<unsigned int> near;
  near.clear();
  tree.query(near_boxes[p], near);
  near.erase(std::remove_if(near.begin(), near.end(),
                            [&](const unsigned int other) {
                              return exclusions.excluded(patches.body(p), patches.body(other)) ||
                                     are_apart(p, other);
                            }),
             near.end());
  std::sort(near.begin(), near.end());
  set_partners(contactors, p, near);
  for (const unsigned int g : groups_of_patch[p])
    if (!groups[g].looks_for_faces)
    {
      const auto &members = groups[g].members;
      set_n_facing(g, std::any_of(members.begin(), members.end(),
                                  [&](const unsigned int contactor)
                                  { return contactors.may_see(contactor, patches.box(p)); }));
    }
}

/// Are patches of one body too far from each other to touch while no box is broken?
template <int spacedim>
bool
PatchPairs<spacedim>::are_apart(const unsigned int p, const unsigned int other) const
{
  const double length = std::max(patches.contactor_length(p), patches.contactor_length(other));
  return patches.body(p) == patches.body(other) &&
         distance_bound(patches.box(p), patches.box(other)) >
             sight_of_own * length + surface.thickness(patches.body(p));
}

template <int spacedim>
void
PatchPairs<spacedim>::set_partners(const Contactors &contactors, const unsigned int p,
                                   const std::vector<unsigned int> &near)
{
  const std::vector<Partner> before = partners[p];
  for (const Partner &partner : before)
    if (!std::binary_search(near.begin(), near.end(), partner.patch))
    {
      remove(p, partner.patch);
      if (partner.patch != p)
        remove(partner.patch, p);
    }
  const auto add = [&](const unsigned int a, const unsigned int b)
  {
    auto &list = partners[a];
    const auto place =
        list.insert(std::lower_bound(list.begin(), list.end(), b, comes_before), Partner{b});
    set_facing(a, *place, facing(contactors, a, *place));
  };
  for (const unsigned int other : near)
  {
    if (find_partner(p, other) != nullptr)
      continue;
    add(p, other);
    if (other != p)
      add(other, p);
  }
}

template <int spacedim>
const typename PatchPairs<spacedim>::Partner *
PatchPairs<spacedim>::find_partner(const unsigned int p, const unsigned int other) const
{
  const auto &list = partners[p];
  const auto place = std::lower_bound(list.begin(), list.end(), other, comes_before);
  return place != list.end() && place->patch == other ? &*place : nullptr;
}

template <int spacedim>
void
PatchPairs<spacedim>::remove(const unsigned int p, const unsigned int other)
{
  Partner *const partner = find_partner(p, other);
  set_facing(p, *partner, 0);
  partners[p].erase(partners[p].begin() + (partner - partners[p].data()));
}

template <int spacedim>
void
PatchPairs<spacedim>::set_facing(const unsigned int p, Partner &partner, const std::uint32_t mask)
{
  const std::uint32_t changed = partner.facing ^ mask;
  partner.facing = mask;
  const auto &own = groups_of_patch[p];
  for (unsigned int i = 0; changed >> i > 0; ++i)
    if (changed >> i & 1)
      set_n_facing(own[i], groups[own[i]].n_facing + (mask >> i & 1 ? 1 : -1));
}

template <int spacedim>
void
PatchPairs<spacedim>::set_n_facing(const unsigned int g, const unsigned int n)
{
  if (groups[g].n_facing == 0 && n > 0)
    woken_groups.push_back(g);
  groups[g].n_facing = n;
}

template <int spacedim>
void
PatchPairs<spacedim>::Partner::serialize(Archive &archive)
{
  archive(patch, facing, opposed, measured, apart, first_distance, apart_until);
}

template <int spacedim>
void
PatchPairs<spacedim>::serialize(Archive &archive)
{
  // by members: with the gap at their end cones would bring in bytes that nobody has set
  const auto serialize_cone = [&](Cone &cone)
  {
    archive(cone.axis, cone.angle, cone.cosine, cone.sine, cone.everywhere);
    check_state(is_flag(cone.everywhere), "patch pairs");
  };
  archive.section("patch pairs");
  archive(tree, n_updates, now, woken_groups);
  for (Cone &cone : face_cones)
    serialize_cone(cone);
  archive.fixed(near_boxes, normals, hourglasses, edges, fits, frames, deadlines);
  for (auto &list : partners)
    archive(list);
  for (Group &group : groups)
  {
    serialize_cone(group.cone);
    archive(group.cosine, group.sine, group.n_facing);
  }
  if (!archive.is_reading())
    return;
  for (const unsigned int g : woken_groups)
    check_state(g < groups.size(), "patch pairs");
  for (unsigned int p = 0; p < frames.size(); ++p)
    check_state(!std::isnan(frames[p].path) && !std::isnan(deadlines[p]), "patch pairs");
  for (unsigned int b = 0; b < first_deadlines.size(); ++b)
    find_first_deadline(b);
  check_partners();
}

template <int spacedim>
void
PatchPairs<spacedim>::check_partners() const
{
  for (const auto &list : partners)
    for (unsigned int i = 0; i < list.size(); ++i)
      check_state(list[i].patch < patches.size() && (i == 0 || list[i - 1].patch < list[i].patch),
                  "patch pairs");
  std::vector<unsigned int> n_facing(groups.size(), 0);
  for (unsigned int p = 0; p < partners.size(); ++p)
    for (const Partner &partner : partners[p])
    {
      const auto &own = groups_of_patch[p];
      check_state(find_partner(partner.patch, p) != nullptr && !std::isnan(partner.apart_until) &&
                      std::uint64_t(partner.facing | partner.opposed) >> own.size() == 0,
                  "patch pairs");
      for (unsigned int i = 0; partner.facing >> i > 0; ++i)
        n_facing[own[i]] += partner.facing >> i & 1;
    }
  // contactors that look for targets that move by themselves are not counted by patches
  for (unsigned int g = 0; g < groups.size(); ++g)
    check_state(groups[g].n_facing == n_facing[g] || (n_facing[g] == 0 && groups[g].n_facing == 1),
                "patch pairs");
}

template class PatchPairs<2>;
template class PatchPairs<3>;
} // namespace KickDrift
