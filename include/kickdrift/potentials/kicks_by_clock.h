#ifndef KICKDRIFT_POTENTIALS_KICKS_BY_CLOCK_H
#define KICKDRIFT_POTENTIALS_KICKS_BY_CLOCK_H

#include <vector>

namespace KickDrift
{
/// Which kicks are on which clock, for families that need no other arrangement.
class KicksByClock
{
public:
  /// All kicks on clock 0.
  explicit KicksByClock(unsigned int n_kicks = 0);

  /// @param clock_of_kick shape (n_kicks)
  void assign(const std::vector<unsigned int> &clock_of_kick, unsigned int n_clocks);

  /// Move a kick to another clock.
  void change(unsigned int kick, unsigned int clock);

  /// Clock of a kick.
  unsigned int
  clock(const unsigned int kick) const
  {
    return clock_of_kick[kick];
  }

  /// Kicks of a clock, ascending whatever the history; none for a clock that is unknown.
  const std::vector<unsigned int> &kicks(unsigned int clock) const;

private:
  std::vector<unsigned int> clock_of_kick;
  std::vector<std::vector<unsigned int>> kicks_of_clock;
};
} // namespace KickDrift

#endif
