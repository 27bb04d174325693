#ifndef KICKDRIFT_CONTACT_OWN_CLEARANCE_H
#define KICKDRIFT_CONTACT_OWN_CLEARANCE_H

#include <kickdrift/contact/face_search.h>

#include <limits>

namespace KickDrift
{
/**
 * Remembers how far a contactor is from what it could touch of its own body. Where bodies do not
 * fold, that is nothing at all, until the surface has turned (FaceSearch::n_turns()).
 */
class OwnClearance
{
public:
  /**
   * A time before which the contactor cannot touch its own @p body.
   *
   * @param first_sight how far to look at first; whoever sees nothing looks further next time
   * @param clearance (sight) finds the distance, at least sight if there is nothing [length]
   */
  template <int spacedim, typename FindClearance>
  double
  free_until(const unsigned int body, const double time, const double first_sight,
             const FaceSearch<spacedim> &search, const MotionBounds<spacedim> &bounds,
             const FindClearance &clearance)
  {
    const double path = bounds.path(body, time);
    if (turns != search.n_turns(body) || !(clear - 2 * (path - path_then) >= 0.5 * clear))
    {
      turns = search.n_turns(body);
      sight = sight > 0 ? further * sight : first_sight;
      clear = clearance(sight);
      if (clear < sight)
        sight = first_sight;
      else if (sight > search.diameter(body))
        clear = std::numeric_limits<double>::infinity();
      path_then = path;
    }
    const double rate = bounds.rate(body, body);
    const double rest = clear - 2 * (path - path_then);
    return time + (rate > 0 ? rest / rate : std::numeric_limits<double>::infinity());
  }

  /// What is left of the distance found last, if it still means anything [length].
  template <int spacedim>
  double
  rest(const unsigned int body, const double time, const FaceSearch<spacedim> &search,
       const MotionBounds<spacedim> &bounds) const
  {
    return turns == search.n_turns(body) ? clear - 2 * (bounds.path(body, time) - path_then) : 0;
  }

private:
  static constexpr double further = 8;

  double clear = 0;     ///< at path_then [length]
  double path_then = 0; ///< MotionBounds::path() [length]
  double sight = 0;     ///< of the last look [length]
  unsigned int turns = -1;
};
} // namespace KickDrift

#endif
