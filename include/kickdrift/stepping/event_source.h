#ifndef KICKDRIFT_STEPPING_EVENT_SOURCE_H
#define KICKDRIFT_STEPPING_EVENT_SOURCE_H

#include <kickdrift/base/lifetime.h>

#include <deal.II/base/array_view.h>
#include <deal.II/base/tensor.h>

#include <functional>

namespace KickDrift
{
/**
 * Events between kicks that change velocities, such as collisions.
 *
 * Kicks of the same time come before process().
 */
template <int spacedim>
class EventSource
{
public:
  /// Called with a node and an impulse [mass*length/time].
  using OnImpulse =
      std::function<void(unsigned int node, const dealii::Tensor<1, spacedim> &impulse)>;

  virtual ~EventSource() = default;

  /// Time of the next event [time].
  virtual double next_time() const = 0;

  /// Do all that is due at exactly @p time.
  virtual void process(double time) = 0;

  /// Velocities of these (watched) nodes have just been changed by kicks at @p time.
  virtual void nodes_kicked(dealii::ArrayView<const unsigned int> nodes, double time) = 0;

  /// These kicks have changed their clocks at @p time, and come next at other times than it seemed
  /// before [time].
  virtual void
  kicks_moved(dealii::ArrayView<const unsigned int> /*ids*/, double /*time*/)
  {
  }

  /// Natural classes of kicks have changed, see TimeLevels::classes().
  virtual void
  classes_changed()
  {
  }

  /**
   * What is still to be given up to @p time, the present one, minus what has been given beyond it.
   * Like a kick, an impulse of an event that recurs stands for an interval around it, and
   * synchronised velocities have of it what belongs to the time before. Events that happen once,
   * such as impacts, have nothing pending.
   *
   * The callback is called any number of times, for some nodes several times.
   */
  virtual void
  pending_impulses(double /*time*/, const OnImpulse & /*on_impulse*/) const
  {
  }

  /// Do nodes move to and fro between events that recur? Then their energy with all that has been
  /// given is no error, see EnergyBalance::contact_ripple.
  virtual bool
  has_ripple() const
  {
    return true;
  }

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
