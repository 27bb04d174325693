#ifndef KICKDRIFT_CONTACT_FREEDOM_H
#define KICKDRIFT_CONTACT_FREEDOM_H

#include <kickdrift/contact/detector.h>
#include <kickdrift/contact/exclusions.h>
#include <kickdrift/contact/face_search.h>
#include <kickdrift/contact/vicinity.h>

#include <algorithm>
#include <limits>

namespace KickDrift
{
/// Distances from a contactor to the nearest targets that are listed in its vicinity [length].
struct Clearances
{
  double others = std::numeric_limits<double>::infinity(); ///< of other bodies
  double own = std::numeric_limits<double>::infinity();    ///< of the contactor's own body
};

/**
 * When a contactor of body @p own, which is the hull of @p points at @p time, can be in touch (see
 * Detector::freedom()): nothing comes nearer faster than the bounds of motion allow.
 *
 * @param depth (body) how deep it may be in there without being missed [length]
 */
template <int spacedim, typename Depth>
Freedom
find_freedom(const Vicinity<spacedim> &vicinity, const Clearances &clear,
             const typename Vicinity<spacedim>::Points &points, const unsigned int own,
             const double time, const FaceSearch<spacedim> &search,
             const MotionBounds<spacedim> &bounds, const Exclusions &exclusions, const Depth &depth)
{
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Box<spacedim> box{points[0], points[0]};
  for (const auto &point : points)
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      box.lower[d] = std::min(box.lower[d], point[d]);
      box.upper[d] = std::max(box.upper[d], point[d]);
    }
  Freedom freedom{infinity, infinity};
  for (unsigned int b = 0; b < bounds.n_bodies(); ++b)
  {
    if (exclusions.excluded(own, b))
      continue;
    const double rate = bounds.rate(own, b), range = vicinity.range(b, points, time, bounds);
    // what was not added is further away than what is listed of others
    const double way =
        range < infinity ? std::min(b == own ? clear.own : clear.others, range) : infinity;
    double until = rate > 0 ? time + way / rate : infinity;
    if (b != own && way == range) // nothing at hand: where do both fly?
    {
      const double sweep = search.free_until(b, box, own, time, freedom.latest);
      until = range < infinity ? std::max(until, sweep) : sweep;
    }
    freedom.until = std::min(freedom.until, until);
    if (rate > 0)
      freedom.latest = std::min(freedom.latest, until + depth(b) / rate);
  }
  freedom.latest = std::max(freedom.latest, freedom.until);
  return freedom;
}
} // namespace KickDrift

#endif
