#ifndef KICKDRIFT_CONTACT_GEOMETRY_OBSTACLES_H
#define KICKDRIFT_CONTACT_GEOMETRY_OBSTACLES_H

#include <deal.II/base/exceptions.h>
#include <deal.II/base/point.h>
#include <deal.II/base/tensor.h>

#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace KickDrift
{
/// What is thrown if obstacles are misused.
struct ObstacleExceptions
{
  /// @addtogroup Exceptions
  /// @{

  /// A null pointer in place of a shape.
  DeclException1(ExcNoShape, std::string,
                 << arg1 << " has no shape: a null pointer was given for it.");

  /// A distance to a shape is not a number.
  DeclException2(ExcDistance, std::string, std::string,
                 << "Shape::distance() of the obstacle '" << arg1 << "' is not a number at " << arg2
                 << ", which is relative to the displacement of the obstacle.");

  /// An obstacle is moved to nowhere.
  DeclException2(ExcDisplacement, std::string, double, << "The displacement of the obstacle '"
                                                       << arg1 << "' is not finite at time " << arg2
                                                       << ".");
  /// @}
};

/// What is known about a function along straight lines.
enum class Convexity
{
  unknown, ///< nothing
  convex,  ///< it lies above its tangents, and where lines are extended above its chords
  concave  ///< it lies below its tangents and above its chords
};

/// A rigid shape without a mesh, given by the signed distance to its surface. Several threads may
/// ask it at once.
template <int spacedim>
class Shape
{
public:
  virtual ~Shape() = default;

  /// Distance of a point to the surface, negative inside [length]. It never changes by more than
  /// the point moves. A lower bound of the distance will do where that is so.
  virtual double distance(const dealii::Point<spacedim> &point) const = 0;

  /**
   * Whether distance() is a convex function of the point, as the signed distance to a convex shape
   * is, or a concave one. Detection ahead of time is faster where it knows; what is said must be
   * true of all points, and of the function: a lower bound of the distance to a convex shape need
   * not be convex. Where the function is positive normal() must be its gradient, which so has
   * length one; where it has an edge, the gradient on one side. So override normal(), too, unless
   * the function is smooth: central differences across an edge are the gradient on neither side.
   */
  virtual Convexity
  convexity() const
  {
    return Convexity::unknown;
  }

  /// Points deeper than this may be nearer to the wrong side and are not pushed out [length].
  virtual double
  depth_limit() const
  {
    return std::numeric_limits<double>::infinity();
  }

  /// Side lengths of the smallest box around it, the shortest first [length]; infinite if unknown.
  virtual std::array<double, spacedim> extents() const;

  /// Unit vector in which the distance grows fastest [-]; by central differences unless overridden.
  virtual dealii::Tensor<1, spacedim> normal(const dealii::Point<spacedim> &point) const;
};

/// A rigid target of contact.
template <int spacedim>
struct Obstacle
{
  std::string name;                             ///< appears in messages and reports
  std::shared_ptr<const Shape<spacedim>> shape; ///< where the displacement is zero
  /// Of the whole shape at a time [length]; empty if it stays where it is. One thread asks.
  std::function<dealii::Tensor<1, spacedim>(double time)> displacement;
  /// Bound of the second derivative of the displacement at all times, if one is known; detection
  /// ahead of time needs it of obstacles that move [length/time^2].
  std::optional<double> largest_acceleration = {};
};

/// Throws ObstacleExceptions::ExcNoShape if one of them has none.
template <int spacedim>
void check_shapes(const std::vector<Obstacle<spacedim>> &obstacles);

/// Displacement of an obstacle at a time [length]. Throws ObstacleExceptions::ExcDisplacement.
template <int spacedim>
dealii::Tensor<1, spacedim> displacement_of(const Obstacle<spacedim> &obstacle, double time);

/// Distance to the shape of an obstacle, of a @p point relative to its displacement [length].
/// Throws ObstacleExceptions::ExcDistance if it is not a number although the point is finite.
template <int spacedim>
double distance_to(const Obstacle<spacedim> &obstacle, const dealii::Point<spacedim> &point);

/// The half space below a plane.
template <int spacedim>
class HalfSpace : public Shape<spacedim>
{
public:
  /// @param outward must not be zero
  HalfSpace(const dealii::Point<spacedim> &point, const dealii::Tensor<1, spacedim> &outward);

  double distance(const dealii::Point<spacedim> &point) const override;
  dealii::Tensor<1, spacedim> normal(const dealii::Point<spacedim> &point) const override;

  Convexity
  convexity() const override
  {
    return Convexity::convex;
  }

private:
  const dealii::Point<spacedim> origin;
  const dealii::Tensor<1, spacedim> outward;
};

/// A ball, in two dimensions a disc.
template <int spacedim>
class Ball : public Shape<spacedim>
{
public:
  /// A ball, in two dimensions a disc; @p radius is positive [length].
  Ball(const dealii::Point<spacedim> &centre, double radius);

  double distance(const dealii::Point<spacedim> &point) const override;
  double depth_limit() const override;
  std::array<double, spacedim> extents() const override;
  dealii::Tensor<1, spacedim> normal(const dealii::Point<spacedim> &point) const override;

  Convexity
  convexity() const override
  {
    return Convexity::convex;
  }

private:
  const dealii::Point<spacedim> centre;
  const double radius;
};

/// A circular cylinder with plane ends.
class Cylinder : public Shape<3>
{
public:
  /// @param axis must not be zero
  /// @param length along the axis, centre in the middle; may be infinite
  Cylinder(const dealii::Point<3> &centre, const dealii::Tensor<1, 3> &axis, double radius,
           double length);

  /// Negative inside [length].
  double distance(const dealii::Point<3> &point) const override;
  double depth_limit() const override;
  std::array<double, 3> extents() const override;
  dealii::Tensor<1, 3> normal(const dealii::Point<3> &point) const override; ///< Unit vector [-].

  Convexity
  convexity() const override
  {
    return Convexity::convex;
  }

private:
  const dealii::Point<3> centre;
  const dealii::Tensor<1, 3> axis;
  const double radius, half_length;
};

/// A box (a rectangle) with sides along three (two) orthogonal directions.
template <int spacedim>
class Cuboid : public Shape<spacedim>
{
public:
  /// @param half_lengths along the directions
  /// @param directions orthogonal unit vectors
  Cuboid(const dealii::Point<spacedim> &centre, const std::array<double, spacedim> &half_lengths,
         const std::array<dealii::Tensor<1, spacedim>, spacedim> &directions);

  double distance(const dealii::Point<spacedim> &point) const override;
  double depth_limit() const override;
  std::array<double, spacedim> extents() const override;
  dealii::Tensor<1, spacedim> normal(const dealii::Point<spacedim> &point) const override;

  Convexity
  convexity() const override
  {
    return Convexity::convex;
  }

private:
  /// Coordinates along the directions.
  std::array<double, spacedim> coordinates(const dealii::Point<spacedim> &point) const;

  const dealii::Point<spacedim> centre;
  const std::array<double, spacedim> half_lengths;
  const std::array<dealii::Tensor<1, spacedim>, spacedim> directions;
};

/// All that is not in a shape: bodies move within the shape.
template <int spacedim>
class Outside : public Shape<spacedim>
{
public:
  /// What is outside of @p shape becomes inside. Throws ObstacleExceptions::ExcNoShape.
  explicit Outside(std::shared_ptr<const Shape<spacedim>> inner) : shape(std::move(inner))
  {
    AssertThrow(shape, ObstacleExceptions::ExcNoShape("The argument of Outside"));
  }

  double
  distance(const dealii::Point<spacedim> &point) const override
  {
    return -shape->distance(point);
  }

  dealii::Tensor<1, spacedim>
  normal(const dealii::Point<spacedim> &point) const override
  {
    return -shape->normal(point);
  }

  Convexity
  convexity() const override
  {
    switch (shape->convexity())
    {
    case Convexity::convex:
      return Convexity::concave;
    case Convexity::concave:
      return Convexity::convex;
    default:
      return Convexity::unknown;
    }
  }

private:
  const std::shared_ptr<const Shape<spacedim>> shape;
};
} // namespace KickDrift

#endif
