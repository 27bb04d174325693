#include <kickdrift/contact/geometry/bounding_volumes.h>
#include <kickdrift/contact/tracking/surroundings.h>

#include <algorithm>
#include <limits>

namespace KickDrift
{
namespace
{
constexpr double infinity = std::numeric_limits<double>::infinity();
// How far, in its lengths, a viewer that turns looks for what it could touch of its own body: it
// may turn again soon.
constexpr double sight_of_turning = 4;
} // namespace

template <int spacedim>
Surroundings<spacedim>::Surroundings(const Exclusions &exclusions,
                                     const FaceSearch<spacedim> &search,
                                     const MotionBounds<spacedim> &bounds, Targets &targets)
    : exclusions(exclusions), search(search), bounds(bounds), targets(targets)
{
}

template <int spacedim>
void
Surroundings<spacedim>::start(const unsigned int n_viewers)
{
  sights.assign(n_viewers, Sight());
}

template <int spacedim>
Box<spacedim>
Surroundings<spacedim>::Viewer::box() const
{
  return enclosing_box<spacedim>(points);
}

template <int spacedim>
bool
Surroundings<spacedim>::look(const Viewer &viewer, const double time, const double radius)
{
  Sight &sight = sights[viewer.index];
  const unsigned int turns = search.n_turns(viewer.body);
  const bool must_renew = sight.turns != turns && has_turned(viewer, time);
  sight.turns = turns;
  if (!must_renew && sight.vicinity.holds(viewer.points, time, radius, bounds))
    return false;
  search_around(viewer, time, radius, must_renew);
  sight.vicinity.holds(viewer.points, time, radius, bounds);
  return true;
}

template <int spacedim>
void
Surroundings<spacedim>::search_around(const Viewer &viewer, const double time, const double radius,
                                      const bool has_turned)
{
  Sight &sight = sights[viewer.index];
  Vicinity<spacedim> &vicinity = sight.vicinity;
  const double reach = vicinity.reach_for(radius, viewer.length);
  if (has_turned || is_worth_measuring(viewer, time, reach))
  {
    // not the first time, when most bodies show that they do not fold at all
    const bool may_turn_again = has_turned && sight.own_distance > 0;
    measure_own(viewer, time, may_turn_again ? sight_of_turning * viewer.length : infinity);
  }
  sight.listed_outward = viewer.outward;
  const Box<spacedim> box = viewer.box();
  static thread_local std::vector<unsigned int> found;
  vicinity.begin(viewer.points, time, reach, bounds);
  for (unsigned int b = 0; b < bounds.n_bodies(); ++b)
  {
    if (exclusions.excluded(viewer.body, b))
      continue;
    const bool is_own = b == viewer.body;
    const double to_body =
        is_own ? own_clearance(viewer, time) : search.distance_to_body(b, box, time);
    if (to_body > Vicinity<spacedim>::watched * reach && (!is_own || to_body == infinity))
    {
      vicinity.rule_out(to_body);
      continue;
    }
    vicinity.add_body(b, std::max(reach, to_body), bounds);
    if (to_body > reach)
      continue;
    found.clear();
    targets.find_targets(viewer, b, reach, time, found);
    for (const unsigned int target : found)
    {
      const double distance = targets.distance_to(viewer, target, time);
      if (!(distance <= reach && targets.is_possible(viewer, target)))
        continue;
      vicinity.add(target, distance);
      if (is_own)
        heed_listed(viewer, distance, time);
    }
  }
  vicinity.end();
}

/// Look how far away it is what the viewer could touch of its own body, not further than that.
template <int spacedim>
void
Surroundings<spacedim>::measure_own(const Viewer &viewer, const double time, const double furthest)
{
  Sight &sight = sights[viewer.index];
  sight.own_outward = viewer.outward;
  sight.own_distance = targets.distance_to_own(viewer, time, furthest);
  sight.own_path = bounds.path(viewer.body, time);
}

/// Is so little of the own clearance left, but not for the reason that something is near? Who wants
/// to know about @p distance had better measure then.
template <int spacedim>
bool
Surroundings<spacedim>::is_worth_measuring(const Viewer &viewer, const double time,
                                           const double distance) const
{
  const double clearance = own_clearance(viewer, time);
  return clearance < distance && sights[viewer.index].own_distance - clearance >= distance;
}

/// A target of its own body that is listed may come to look at the viewer without notice.
template <int spacedim>
void
Surroundings<spacedim>::heed_listed(const Viewer &viewer, const double distance, const double time)
{
  if (distance >= own_clearance(viewer, time))
    return;
  sights[viewer.index].own_distance = distance;
  sights[viewer.index].own_path = bounds.path(viewer.body, time);
}

/// How far the viewer is from what it could touch of its own body, at least, while nothing has
/// turned.
template <int spacedim>
double
Surroundings<spacedim>::own_clearance(const Viewer &viewer, const double time) const
{
  const Sight &sight = sights[viewer.index];
  return sight.own_distance - 2 * (bounds.path(viewer.body, time) - sight.own_path);
}

/// Has the viewer turned since its list was made, or since its own body was measured?
template <int spacedim>
bool
Surroundings<spacedim>::looks_elsewhere(const Viewer &viewer) const
{
  constexpr double turn = FaceSearch<spacedim>::turn;
  const Sight &sight = sights[viewer.index];
  return std::max((viewer.outward - sight.own_outward).norm_square(),
                  (viewer.outward - sight.listed_outward).norm_square()) > turn * turn;
}

/// Have surfaces turned such that targets may be missing in the list?
template <int spacedim>
bool
Surroundings<spacedim>::has_turned(const Viewer &viewer, const double time) const
{
  const Sight &sight = sights[viewer.index];
  const unsigned int body = viewer.body;
  if (!search.remembers_turns_since(body, sight.turns) || looks_elsewhere(viewer))
    return true;
  const double range = range_of_turns(viewer, time);
  static thread_local std::vector<unsigned int> found;
  found.clear();
  for (const unsigned int face : search.turned_since(body, sight.turns))
    targets.find_targets_of_face(face, found);
  return std::any_of(found.begin(), found.end(),
                     [&](const unsigned int target)
                     {
                       return targets.look_at_each_other(viewer, target, false) &&
                              targets.distance_to(viewer, target, time) < range &&
                              targets.is_possible(viewer, target) && !is_listed(viewer, target);
                     });
}

/// Up to which distance faces of its own body matter to the viewer when they turn.
template <int spacedim>
double
Surroundings<spacedim>::range_of_turns(const Viewer &viewer, const double time) const
{
  return std::max(sights[viewer.index].vicinity.range(viewer.body, viewer.points, time, bounds),
                  own_clearance(viewer, time));
}

template <int spacedim>
bool
Surroundings<spacedim>::may_wake(const Viewer &viewer, const unsigned int body,
                                 const unsigned int since, const double time)
{
  if (!search.remembers_turns_since(body, since))
    return true;
  const bool is_own = body == viewer.body;
  const double range = is_own ? range_of_turns(viewer, time) : 0;
  static thread_local std::vector<unsigned int> found;
  for (const unsigned int face : search.turned_since(body, since))
  {
    if (is_own && targets.carries(face, viewer))
      return true;
    found.clear();
    targets.find_targets_of_face(face, found);
    for (const unsigned int target : found)
      if (targets.look_at_each_other(viewer, target, !is_own) &&
          targets.is_possible(viewer, target) &&
          (is_own ? targets.distance_to(viewer, target, time) < range : is_listed(viewer, target)))
        return true;
  }
  return false;
}

template <int spacedim>
bool
Surroundings<spacedim>::is_listed(const Viewer &viewer, const unsigned int target) const
{
  const auto &list = sights[viewer.index].vicinity.targets();
  return std::any_of(list.begin(), list.end(),
                     [&](const auto &listed) { return listed.index == target; });
}

template <int spacedim>
Freedom
Surroundings<spacedim>::freedom(const Viewer &viewer, const double time, const double share,
                                const double deepest)
{
  const unsigned int own = viewer.body;
  const Vicinity<spacedim> &vicinity = sights[viewer.index].vicinity;
  // distances of the nearest targets that it may touch
  double to_others = infinity, to_own = infinity;
  for (const auto &target : vicinity.targets())
  {
    if (vicinity.distance_from_here_on(target) >= std::max(to_others, to_own))
      break;
    const bool is_own = targets.body_of_target(target.index) == own;
    double &nearest = is_own ? to_own : to_others;
    if (vicinity.distance(target) < nearest &&
        targets.look_at_each_other(viewer, target.index, !is_own))
      nearest = std::min(nearest, targets.distance_to(viewer, target.index, time));
  }

  const Box<spacedim> box = viewer.box();
  Freedom freedom{infinity, infinity};
  for (unsigned int b = 0; b < bounds.n_bodies(); ++b)
  {
    if (exclusions.excluded(own, b))
      continue;
    const double rate = bounds.rate(own, b), range = vicinity.range(b, viewer.points, time, bounds);
    // what was not added is further away than what is listed of others
    const double way = range < infinity ? std::min(b == own ? to_own : to_others, range) : infinity;
    double until = rate > 0 ? time + way / rate : infinity;
    if (b != own && way == range) // nothing at hand: where do both fly?
    {
      const double sweep = search.free_until(b, box, own, time, freedom.latest);
      until = range < infinity ? std::max(until, sweep) : sweep;
    }
    limit(freedom, viewer, b, until, std::min(share * search.thickness(b), deepest));
  }
  return freedom;
}

template <int spacedim>
Freedom
Surroundings<spacedim>::glance(const Viewer &viewer, const double time, const double share,
                               const double deepest)
{
  const Freedom unknown{time, time};
  const unsigned int own = viewer.body;
  if (sights[viewer.index].turns != search.n_turns(own) || looks_elsewhere(viewer))
    return unknown;
  if (!exclusions.excluded(own, own) && is_worth_measuring(viewer, time, viewer.length))
  {
    measure_own(viewer, time, infinity);
    for (const auto &target : sights[viewer.index].vicinity.targets())
      if (targets.body_of_target(target.index) == own)
        heed_listed(viewer, targets.distance_to(viewer, target.index, time), time);
  }
  const Box<spacedim> box = viewer.box();
  Freedom freedom{infinity, infinity};
  for (unsigned int b = 0; b < bounds.n_bodies(); ++b)
  {
    if (exclusions.excluded(own, b))
      continue;
    const double rate = bounds.rate(own, b);
    const double until = b != own   ? search.free_until(b, box, own, time, freedom.latest)
                         : rate > 0 ? time + own_clearance(viewer, time) / rate
                                    : infinity;
    // nearer than that a list tells much more
    const double near = b == own ? viewer.length : search.margin(b);
    if (until < freedom.latest && !((until - time) * rate >= near))
      return unknown;
    limit(freedom, viewer, b, until, std::min(share * search.thickness(b), deepest));
  }
  return freedom;
}

template <int spacedim>
void
Surroundings<spacedim>::limit(Freedom &freedom, const Viewer &viewer, const unsigned int body,
                              const double until, const double depth) const
{
  const double rate = bounds.rate(viewer.body, body);
  freedom.until = std::min(freedom.until, until);
  if (rate > 0)
    freedom.latest = std::min(freedom.latest, until + depth / rate);
}

template class Surroundings<2>;
template class Surroundings<3>;
} // namespace KickDrift
