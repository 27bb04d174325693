#ifndef KICKDRIFT_OUTPUT_SAVE_TIMES_H
#define KICKDRIFT_OUTPUT_SAVE_TIMES_H

#include <kickdrift/base/archive.h>

#include <cmath>

namespace KickDrift
{
/// Times at which the state of a run is saved, in equal intervals from zero. A run that is
/// continued to a later end keeps those that it began with; what remains is a shorter interval at
/// its end.
struct SaveTimes
{
  double end = 1;             ///< of the run as it began [time]
  unsigned int intervals = 1; ///< until then

  /// Number @p index; 0 for the start [time].
  double
  time(const unsigned int index) const
  {
    return end * index / intervals;
  }

  /// Index of the last one of a run until @p end_of_run, which is then or a little later.
  unsigned int
  last(const double end_of_run) const
  {
    constexpr double rounding = 1e-12;
    return std::ceil(end_of_run / end * intervals * (1 - rounding));
  }

  /// Is that exactly at the end of the run?
  bool
  ends_with(const double end_of_run) const
  {
    return std::abs(time(last(end_of_run)) - end_of_run) <= 1e-12 * end_of_run;
  }

  /// Are these the same times, as far as both go?
  bool
  has_intervals_of(const SaveTimes &other) const
  {
    return std::abs(time(1) - other.time(1)) <= 1e-12 * time(1);
  }

  /// Write to, or read from, a checkpoint.
  void
  serialize(Archive &archive)
  {
    archive(end, intervals);
  }
};
} // namespace KickDrift

#endif
