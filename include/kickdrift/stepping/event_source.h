#ifndef KICKDRIFT_STEPPING_EVENT_SOURCE_H
#define KICKDRIFT_STEPPING_EVENT_SOURCE_H

#include <kickdrift/base/lifetime.h>

#include <deal.II/base/array_view.h>

namespace KickDrift
{
/**
 * Events between kicks that change velocities, such as collisions.
 *
 * Kicks of the same time come before process().
 */
class EventSource
{
public:
  virtual ~EventSource() = default;

  /// Time of the next event [time].
  virtual double next_time() const = 0;

  /// Do all that is due at exactly @p time.
  virtual void process(double time) = 0;

  /// Velocities of these (watched) nodes have just been changed by kicks at @p time.
  virtual void nodes_kicked(dealii::ArrayView<const unsigned int> nodes, double time) = 0;

  /// For the stepper, which must not ask an event source that is gone.
  const Lifetime &
  lifetime() const
  {
    return my_lifetime;
  }

private:
  Lifetime my_lifetime;
};
} // namespace KickDrift

#endif
