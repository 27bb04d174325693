#ifndef KICKDRIFT_POTENTIALS_LOADS_BODY_LOAD_H
#define KICKDRIFT_POTENTIALS_LOADS_BODY_LOAD_H

#include <deal.II/base/function.h>
#include <deal.II/base/tensor.h>

#include <functional>
#include <memory>
#include <vector>

namespace KickDrift
{
/**
 * A distributed load on a body: a function of the place in the reference configuration and of time.
 * All but pressures keep their directions (dead loads); these follow the surface.
 */
template <int spacedim>
struct BodyLoad
{
  /// What a load is counted per.
  enum class Type
  {
    body_force,   ///< force per reference volume
    acceleration, ///< force per mass
    traction,     ///< force per reference area
    pressure      ///< force per present area, against the outward normal
  };

  Type type;                                         ///< what the value is counted per
  std::shared_ptr<dealii::Function<spacedim>> value; ///< spacedim components; pressures have one
  bool depends_on_time = true;                       ///< does the value change with time?
  /// If there is one, the load is the value without time, times this at a time [-]; may be
  /// empty.
  std::function<double(double)> factor = {};

  /// Is it a traction or a pressure?
  bool
  acts_on_boundary() const
  {
    return type == Type::traction || type == Type::pressure;
  }
};

/// The same acceleration everywhere and always, such as gravity [length/time^2].
template <int spacedim>
BodyLoad<spacedim>
gravity(const dealii::Tensor<1, spacedim> &acceleration)
{
  const std::vector<double> components(acceleration.begin_raw(), acceleration.end_raw());
  return {BodyLoad<spacedim>::Type::acceleration,
          std::make_shared<dealii::Functions::ConstantFunction<spacedim>>(components), false};
}
} // namespace KickDrift

#endif
