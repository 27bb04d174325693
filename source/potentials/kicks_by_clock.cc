#include <kickdrift/potentials/kicks_by_clock.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>

namespace KickDrift
{
KicksByClock::KicksByClock(const unsigned int n_kicks)
{
  assign(std::vector<unsigned int>(n_kicks, 0), 1);
}

void
KicksByClock::assign(const std::vector<unsigned int> &clocks, const unsigned int n_clocks)
{
  clock_of_kick = clocks;
  kicks_of_clock.assign(n_clocks, {});
  for (unsigned int k = 0; k < clocks.size(); ++k)
  {
    AssertThrow(clocks[k] < n_clocks, dealii::ExcIndexRange(clocks[k], 0, n_clocks));
    kicks_of_clock[clocks[k]].push_back(k);
  }
}

void
KicksByClock::change(const unsigned int kick, const unsigned int clock)
{
  auto &old = kicks_of_clock[clock_of_kick[kick]];
  old.erase(std::lower_bound(old.begin(), old.end(), kick));
  if (clock >= kicks_of_clock.size())
    kicks_of_clock.resize(clock + 1);
  auto &now = kicks_of_clock[clock];
  now.insert(std::lower_bound(now.begin(), now.end(), kick), kick);
  clock_of_kick[kick] = clock;
}

const std::vector<unsigned int> &
KicksByClock::kicks(const unsigned int clock) const
{
  static const std::vector<unsigned int> none;
  return clock < kicks_of_clock.size() ? kicks_of_clock[clock] : none;
}
} // namespace KickDrift
