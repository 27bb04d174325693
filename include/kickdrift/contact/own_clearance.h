#ifndef KICKDRIFT_CONTACT_OWN_CLEARANCE_H
#define KICKDRIFT_CONTACT_OWN_CLEARANCE_H

#include <kickdrift/contact/face_search.h>

#include <limits>

namespace KickDrift
{
/**
 * Remembers how far a contactor is from what it could touch of its own body. Where bodies do not
 * fold, that is nothing for long, until the surface has turned (FaceSearch::n_turns()). Once it has
 * seen something, or looked twice on a body that turns often, it leaves the matter to others
 * (Vicinity).
 */
class OwnClearance
{
public:
  /**
   * How far the contactor is from what it could touch of its own @p body at @p time, at least;
   * infinity if there is nothing [length].
   *
   * @param enough while this is known to be free there is no look [length]
   * @param first_sight how far to look at first; who sees nothing looks further later [length]
   * @param clearance (sight) finds the distance, at least sight if there is nothing [length]
   */
  template <int spacedim, typename FindClearance>
  double
  distance(const unsigned int body, const double time, const double enough,
           const double first_sight, const FaceSearch<spacedim> &search,
           const MotionBounds<spacedim> &bounds, const FindClearance &clearance)
  {
    const double path = bounds.path(body, time);
    const bool has_turned = turns != search.n_turns(body);
    if (has_turned || (!is_done && !(clear - 2 * (path - path_then) >= enough)))
    {
      turns = search.n_turns(body);
      sight = has_turned ? first_sight : further * sight;
      clear = clearance(sight);
      path_then = path;
      is_done = clear < sight || (sight > first_sight && turns > few_turns);
      if (clear >= sight && sight > search.diameter(body))
        clear = std::numeric_limits<double>::infinity();
    }
    return clear - 2 * (path - path_then);
  }

private:
  static constexpr double further = 8;
  static constexpr unsigned int few_turns = 3;

  double clear = 0;     ///< at path_then [length]
  double path_then = 0; ///< MotionBounds::path() [length]
  double sight = 0;     ///< of the last look [length]
  unsigned int turns = -1;
  char is_done = 0; ///< a flag; whatever byte a checkpoint holds is one
};
} // namespace KickDrift

#endif
