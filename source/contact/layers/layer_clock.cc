#include <kickdrift/contact/layers/layer_clock.h>

#include <deal.II/base/exceptions.h>

#include <cmath>

namespace KickDrift
{
std::int64_t
LayerClock::tick_at(const double time) const
{
  const double ticks = time / unit;
  AssertThrow(std::abs(ticks) < 0x1p61,
              dealii::ExcMessage("The run has more steps than the clocks of penalty layers can "
                                 "count: lower 'Contact/Layers/Depth'."));
  std::int64_t tick = std::llround(ticks);
  while (this->time(tick) > time)
    --tick;
  while (this->time(tick + 1) <= time)
    ++tick;
  return tick;
}
} // namespace KickDrift
