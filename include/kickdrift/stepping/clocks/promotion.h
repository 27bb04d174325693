#ifndef KICKDRIFT_STEPPING_CLOCKS_PROMOTION_H
#define KICKDRIFT_STEPPING_CLOCKS_PROMOTION_H

#include <limits>

namespace KickDrift
{
/// What has been asked for of a kick: a finer step class than its natural one for a while, and a
/// coarser one for longer (see TimeLevels::promote()). Trivial to copy, as checkpoints need.
struct Promotion
{
  unsigned int step_class;        ///< asked for now
  unsigned int coarser_class = 0; ///< asked for beyond that
  double until;                   ///< end of the first [time]
  /// End of the second; before that of the first if there is none [time].
  double coarser_until = -std::numeric_limits<double>::infinity();

  /// One that has ended, if nothing else is said.
  explicit Promotion(unsigned int step_class = 0,
                     double until = -std::numeric_limits<double>::infinity());

  /// @p other_class is asked for until @p other_until, too; @p now is the present time [time].
  void add(unsigned int other_class, double other_until, double now);

  /// The class of the kick at @p time, with the natural class @p natural.
  unsigned int class_at(double time, unsigned int natural) const;
};
} // namespace KickDrift

#endif
