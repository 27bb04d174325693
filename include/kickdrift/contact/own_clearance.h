#ifndef KICKDRIFT_CONTACT_OWN_CLEARANCE_H
#define KICKDRIFT_CONTACT_OWN_CLEARANCE_H

#include <limits>

namespace KickDrift
{
/**
 * Remembers how far a contactor is from what it could touch of its own body. Where bodies do not
 * fold, that is nothing for long, until the surface nearby has turned. Once it has seen something,
 * or looked twice on a body that turns often, it leaves the matter to others (Vicinity).
 */
class OwnClearance
{
public:
  /**
   * How far the contactor is from what it could touch of its own body, at least; infinity if there
   * is nothing [length].
   *
   * @param path MotionBounds::path() of the body now [length]
   * @param has_turned so that what was seen does not hold any more
   * @param enough while this is known to be free there is no look [length]
   * @param first_sight how far to look at first; who sees nothing looks further later [length]
   * @param diameter of the body [length]
   * @param clearance (sight) finds the distance, at least sight if there is nothing [length]
   */
  template <typename FindClearance>
  double
  distance(const double path, const bool has_turned, const double enough, const double first_sight,
           const double diameter, const FindClearance &clearance)
  {
    if (has_turned || (!is_done && !(clear - 2 * (path - path_then) >= enough)))
    {
      turns += has_turned && turns <= few_turns;
      sight = has_turned ? first_sight : further * sight;
      clear = clearance(sight);
      path_then = path;
      is_done = clear < sight || (sight > first_sight && turns > few_turns);
      if (clear >= sight && sight > diameter)
        clear = std::numeric_limits<double>::infinity();
    }
    return clear - 2 * (path - path_then);
  }

private:
  static constexpr double further = 8;
  static constexpr unsigned int few_turns = 3;

  double clear = 0;       ///< at path_then [length]
  double path_then = 0;   ///< MotionBounds::path() [length]
  double sight = 0;       ///< of the last look [length]
  unsigned int turns = 0; ///< how often it has turned, up to few_turns + 1
  char is_done = 0;       ///< a flag; whatever byte a checkpoint holds is one
};
} // namespace KickDrift

#endif
