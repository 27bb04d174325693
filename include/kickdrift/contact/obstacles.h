#ifndef KICKDRIFT_CONTACT_OBSTACLES_H
#define KICKDRIFT_CONTACT_OBSTACLES_H

#include <deal.II/base/point.h>
#include <deal.II/base/tensor.h>

#include <functional>
#include <memory>
#include <string>

namespace KickDrift
{
/// A rigid shape without a mesh, given by the signed distance to its surface.
template <int spacedim>
class Shape
{
public:
  virtual ~Shape() = default;

  /// Distance of a point to the surface, negative inside [length].
  virtual double distance(const dealii::Point<spacedim> &point) const = 0;

  /// Unit vector in which the distance grows fastest [-]; by central differences unless overridden.
  virtual dealii::Tensor<1, spacedim> normal(const dealii::Point<spacedim> &point) const;
};

/// A rigid target of contact.
template <int spacedim>
struct Obstacle
{
  std::string name;
  std::shared_ptr<const Shape<spacedim>> shape; ///< at time 0
  /// Of the whole shape at a time [length]; empty if it stays where it is.
  std::function<dealii::Tensor<1, spacedim>(double time)> displacement;
};
} // namespace KickDrift

#endif
