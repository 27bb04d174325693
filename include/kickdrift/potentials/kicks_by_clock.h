#ifndef KICKDRIFT_POTENTIALS_KICKS_BY_CLOCK_H
#define KICKDRIFT_POTENTIALS_KICKS_BY_CLOCK_H

#include <kickdrift/stepping/kicks/kicks.h>

#include <deal.II/base/exceptions.h>

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

/// Base class of families of kicks (@p Base is Kicks or derived from it) that need no other
/// arrangement.
template <int spacedim, typename Base = Kicks<spacedim>>
class ClockedKicks : public Base
{
public:
  /// See Kicks.
  void
  assign_clocks(const std::vector<unsigned int> &clock_of_kick,
                const unsigned int n_clocks) override
  {
    AssertThrow(clock_of_kick.size() == this->n_kicks(),
                dealii::ExcDimensionMismatch(clock_of_kick.size(), this->n_kicks()));
    by_clock.assign(clock_of_kick, n_clocks);
  }

  /// See Kicks.
  void
  change_clock(const unsigned int k, const unsigned int clock) override
  {
    by_clock.change(k, clock);
  }

protected:
  KicksByClock by_clock; ///< which kicks come together
};
} // namespace KickDrift

#endif
