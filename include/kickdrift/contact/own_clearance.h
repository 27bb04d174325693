#ifndef KICKDRIFT_CONTACT_OWN_CLEARANCE_H
#define KICKDRIFT_CONTACT_OWN_CLEARANCE_H

#include <kickdrift/contact/face_search.h>

#include <algorithm>
#include <limits>

namespace KickDrift
{
/**
 * Remembers how far a contactor is from what it could touch of its own body. Where bodies do not
 * fold, that is nothing at all, until the surface has turned (FaceSearch::n_turns()). Once it has
 * seen something, it leaves the matter to others (Vicinity).
 */
class OwnClearance
{
public:
  /**
   * How far the contactor is from what it could touch of its own @p body at @p time, at least;
   * infinity if there is nothing [length].
   *
   * @param enough while this is known to be free there is no look [length]
   * @param first_sight how far to look at first; who sees nothing looks further next time [length]
   * @param clearance (sight) finds the distance, at least sight if there is nothing [length]
   */
  template <int spacedim, typename FindClearance>
  double
  distance(const unsigned int body, const double time, const double enough,
           const double first_sight, const FaceSearch<spacedim> &search,
           const MotionBounds<spacedim> &bounds, const FindClearance &clearance)
  {
    const double path = bounds.path(body, time);
    if (turns != search.n_turns(body) || (!has_seen && !(clear - 2 * (path - path_then) >= enough)))
    {
      turns = search.n_turns(body);
      sight = std::max(first_sight, sight);
      clear = clearance(sight);
      path_then = path;
      has_seen = clear < sight;
      if (!has_seen && sight > search.diameter(body))
        clear = std::numeric_limits<double>::infinity();
      if (!has_seen)
        sight *= further;
    }
    return clear - 2 * (path - path_then);
  }

private:
  static constexpr double further = 8;

  double clear = 0;     ///< at path_then [length]
  double path_then = 0; ///< MotionBounds::path() [length]
  double sight = 0;     ///< of the next look [length]
  unsigned int turns = -1;
  bool has_seen = false;
};
} // namespace KickDrift

#endif
