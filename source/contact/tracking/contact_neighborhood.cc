#include <kickdrift/base/archive.h>
#include <kickdrift/base/limits.h>
#include <kickdrift/contact/geometry/bounding_volumes.h>
#include <kickdrift/contact/tracking/contact_neighborhood.h>

#include <algorithm>

namespace KickDrift
{
namespace
{
using Limits::infinity;
// How far, in its lengths, a contactor that turns looks for what it could touch of its own body: it
// may turn again soon.
constexpr double reach_after_normal_change = 4;
} // namespace

template <int spacedim>
ContactNeighborhood<spacedim>::ContactNeighborhood(const Exclusions &exclusions,
                                                   const FaceSearch<spacedim> &search,
                                                   const MotionBounds<spacedim> &bounds,
                                                   Targets &targets)
    : exclusions(exclusions), search(search), bounds(bounds), targets(targets)
{
}

template <int spacedim>
void
ContactNeighborhood<spacedim>::start(const unsigned int n_queries)
{
  entries.assign(n_queries, Entry());
}

template <int spacedim>
Box<spacedim>
ContactNeighborhood<spacedim>::NeighborhoodQuery::box() const
{
  return grown(enclosing_box<spacedim>(points), extent);
}

template <int spacedim>
bool
ContactNeighborhood<spacedim>::update(const NeighborhoodQuery &query, const double time,
                                      const double radius)
{
  Entry &entry = entries[query.index];
  const unsigned int normal_changes = search.n_normal_changes(query.body);
  const bool must_renew =
      entry.normal_changes != normal_changes && normals_have_changed(query, time);
  entry.normal_changes = normal_changes;
  if (!must_renew && entry.neighbors.holds(query.points, time, radius, bounds))
    return false;
  search_around(query, time, radius, must_renew);
  entry.neighbors.holds(query.points, time, radius, bounds);
  return true;
}

template <int spacedim>
void
ContactNeighborhood<spacedim>::search_around(const NeighborhoodQuery &query, const double time,
                                             const double radius, const bool normals_have_changed)
{
  Entry &entry = entries[query.index];
  NeighborList<spacedim> &neighbors = entry.neighbors;
  const double reach = neighbors.reach_for(radius, query.length);
  if (normals_have_changed || is_worth_measuring(query, time, reach))
  {
    // not the first time: most bodies hardly turn
    const bool may_change_again = normals_have_changed && entry.own_distance > 0;
    measure_own(query, time,
                may_change_again ? reach_after_normal_change * query.length : infinity);
  }
  entry.listed_outward = query.outward;
  const Box<spacedim> box = query.box();
  static thread_local std::vector<unsigned int> found;
  neighbors.begin(query.points, time, reach, bounds);
  for (unsigned int b = 0; b < bounds.n_bodies(); ++b)
  {
    if (exclusions.excluded(query.body, b))
      continue;
    const bool is_own = b == query.body;
    const double to_body =
        is_own ? own_clearance(query, time) : search.distance_to_body(b, box, time);
    if (to_body > NeighborList<spacedim>::watched * reach && (!is_own || to_body == infinity))
    {
      neighbors.rule_out(to_body);
      continue;
    }
    neighbors.add_body(b, std::max(reach, to_body), bounds);
    if (to_body > reach)
      continue;
    found.clear();
    targets.find_targets(query, b, reach, time, found);
    for (const unsigned int target : found)
    {
      const double distance = targets.distance_to(query, target, time);
      if (!(distance <= reach && targets.is_possible(query, target)))
        continue;
      neighbors.add(target, distance);
      if (is_own)
        update_own_distance(query, distance, time);
    }
  }
  neighbors.end();
}

/// Look how far away it is what the contactor could touch of its own body, not further than that.
template <int spacedim>
void
ContactNeighborhood<spacedim>::measure_own(const NeighborhoodQuery &query, const double time,
                                           const double furthest)
{
  Entry &entry = entries[query.index];
  entry.own_outward = query.outward;
  entry.own_distance = exclusions.excluded(query.body, query.body)
                           ? infinity
                           : targets.distance_to_own(query, time, furthest);
  entry.own_path = bounds.path(query.body, time);
}

/// Is little of the own clearance left although nothing is near? Then it is worth measuring anew,
/// if more than @p distance is wanted.
template <int spacedim>
bool
ContactNeighborhood<spacedim>::is_worth_measuring(const NeighborhoodQuery &query, const double time,
                                                  const double distance) const
{
  const double clearance = own_clearance(query, time);
  return clearance < distance && entries[query.index].own_distance - clearance >= distance;
}

/// A target of its own body that is listed may come to look at the contactor without notice.
template <int spacedim>
void
ContactNeighborhood<spacedim>::update_own_distance(const NeighborhoodQuery &query,
                                                   const double distance, const double time)
{
  if (distance >= own_clearance(query, time))
    return;
  entries[query.index].own_distance = distance;
  entries[query.index].own_path = bounds.path(query.body, time);
}

/// How far the contactor is from what it could touch of its own body, at least, while nothing has
/// turned.
template <int spacedim>
double
ContactNeighborhood<spacedim>::own_clearance(const NeighborhoodQuery &query,
                                             const double time) const
{
  const Entry &entry = entries[query.index];
  return entry.own_distance - 2 * (bounds.path(query.body, time) - entry.own_path);
}

/// Has the contactor turned since its list was made, or since its own body was measured?
template <int spacedim>
bool
ContactNeighborhood<spacedim>::normal_has_changed(const NeighborhoodQuery &query) const
{
  constexpr double normal_change = FaceSearch<spacedim>::normal_change;
  const Entry &entry = entries[query.index];
  return std::max((query.outward - entry.own_outward).norm_square(),
                  (query.outward - entry.listed_outward).norm_square()) >
         normal_change * normal_change;
}

/// Have surfaces turned such that targets may be missing in the list?
template <int spacedim>
bool
ContactNeighborhood<spacedim>::normals_have_changed(const NeighborhoodQuery &query,
                                                    const double time) const
{
  const Entry &entry = entries[query.index];
  const unsigned int body = query.body;
  if (!search.remembers_normal_changes_since(body, entry.normal_changes) ||
      normal_has_changed(query))
    return true;
  const double range = range_of_normal_changes(query, time);
  static thread_local std::vector<unsigned int> found;
  found.clear();
  for (const unsigned int face : search.normals_changed_since(body, entry.normal_changes))
    targets.find_targets_of_face(face, found);
  return std::any_of(found.begin(), found.end(),
                     [&](const unsigned int target)
                     {
                       return targets.may_look_at(query, target) &&
                              targets.distance_to(query, target, time) < range &&
                              targets.is_possible(query, target) && !is_listed(query, target);
                     });
}

/// Up to which distance faces of its own body matter to the contactor when they turn.
template <int spacedim>
double
ContactNeighborhood<spacedim>::range_of_normal_changes(const NeighborhoodQuery &query,
                                                       const double time) const
{
  return std::max(entries[query.index].neighbors.range(query.body, query.points, time, bounds),
                  own_clearance(query, time));
}

template <int spacedim>
bool
ContactNeighborhood<spacedim>::may_wake(const NeighborhoodQuery &query, const unsigned int body,
                                        const unsigned int since, const double time)
{
  if (!search.remembers_normal_changes_since(body, since))
    return true;
  const bool is_own = body == query.body;
  const double range = is_own ? range_of_normal_changes(query, time) : 0;
  static thread_local std::vector<unsigned int> found;
  for (const unsigned int face : search.normals_changed_since(body, since))
  {
    if (is_own && targets.carries(face, query))
      return true;
    found.clear();
    targets.find_targets_of_face(face, found);
    for (const unsigned int target : found)
      if (targets.may_look_at(query, target) && targets.is_possible(query, target) &&
          (is_own ? targets.distance_to(query, target, time) < range : is_listed(query, target)))
        return true;
  }
  return false;
}

template <int spacedim>
bool
ContactNeighborhood<spacedim>::is_listed(const NeighborhoodQuery &query,
                                         const unsigned int target) const
{
  const auto &list = entries[query.index].neighbors.targets();
  return std::any_of(list.begin(), list.end(),
                     [&](const auto &listed) { return listed.index == target; });
}

template <int spacedim>
ContactFreeInterval
ContactNeighborhood<spacedim>::free_interval(const NeighborhoodQuery &query, const double time,
                                             const double share)
{
  const unsigned int own = query.body;
  const NeighborList<spacedim> &neighbors = entries[query.index].neighbors;
  // distances of the nearest targets that it may touch
  double to_others = infinity, to_own = infinity;
  for (const auto &target : neighbors.targets())
  {
    if (neighbors.distance_from_here_on(target) >= std::max(to_others, to_own))
      break;
    const bool is_own = targets.body_of_target(target.index) == own;
    double &nearest = is_own ? to_own : to_others;
    if (neighbors.distance(target) < nearest && targets.may_look_at(query, target.index))
      nearest = std::min(nearest, targets.distance_to(query, target.index, time));
  }

  const Box<spacedim> box = query.box();
  ContactFreeInterval free_interval{infinity, infinity};
  for (unsigned int b = 0; b < bounds.n_bodies(); ++b)
  {
    if (exclusions.excluded(own, b))
      continue;
    const double rate = bounds.rate(own, b), range = neighbors.range(b, query.points, time, bounds);
    // what was not added is further away than what is listed of others
    const double way =
        range < infinity ? std::max(0., std::min(b == own ? to_own : to_others, range)) : infinity;
    double until = rate > 0 ? time + way / rate : infinity;
    if (b != own && way == range) // nothing at hand: where do both fly?
    {
      const double sweep = search.free_until(b, box, own, time, free_interval.latest);
      until = range < infinity ? std::max(until, sweep) : sweep;
    }
    limit(free_interval, query, b, until,
          std::min(share * search.thickness(b), targets.deepest(query, b)));
  }
  return free_interval;
}

template <int spacedim>
void
ContactNeighborhood<spacedim>::limit(ContactFreeInterval &free_interval,
                                     const NeighborhoodQuery &query, const unsigned int body,
                                     const double until, const double depth) const
{
  const double rate = bounds.rate(query.body, body);
  free_interval.until = std::min(free_interval.until, until);
  if (rate > 0)
    free_interval.latest = std::min(free_interval.latest, until + depth / rate);
}

template <int spacedim>
void
ContactNeighborhood<spacedim>::Entry::serialize(Archive &archive)
{
  archive(neighbors, own_distance, own_path, own_outward, listed_outward, normal_changes);
}

template <int spacedim>
void
ContactNeighborhood<spacedim>::serialize(Archive &archive)
{
  archive.section("surroundings");
  archive.fixed(entries);
}

template <int spacedim>
void
ContactNeighborhood<spacedim>::check(const unsigned int n_targets) const
{
  for (const Entry &entry : entries)
    entry.neighbors.check(n_targets, bounds.n_bodies());
}

template class ContactNeighborhood<2>;
template class ContactNeighborhood<3>;
} // namespace KickDrift
