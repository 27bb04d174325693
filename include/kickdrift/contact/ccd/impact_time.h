#ifndef KICKDRIFT_CONTACT_CCD_IMPACT_TIME_H
#define KICKDRIFT_CONTACT_CCD_IMPACT_TIME_H

#include <kickdrift/contact/geometry/box.h>
#include <kickdrift/contact/geometry/obstacles.h>

#include <deal.II/base/array_view.h>
#include <deal.II/base/point.h>
#include <deal.II/base/tensor.h>

#include <limits>

/**
 * @file
 * When do moving things touch for the first time? Times count from now; infinity stands for never,
 * and "not until the horizon".
 */

namespace KickDrift
{
/// A sphere whose centre moves with constant acceleration while it grows. It contains what it
/// bounds at all times if radius(t) = radius + growth t + growth_rate t^2/2 reckons with all that
/// may happen.
template <int spacedim>
struct MovingSphere
{
  dealii::Point<spacedim> center;           ///< of the sphere, now [length]
  double radius = 0;                        ///< now, not negative [length]
  dealii::Tensor<1, spacedim> velocity;     ///< of the centre [length/time]
  dealii::Tensor<1, spacedim> acceleration; ///< of the centre [length/time^2]
  double growth = 0;                        ///< not negative [length/time]
  double growth_rate = 0;                   ///< not negative [length/time^2]
};

/**
 * First time within [0, @p horizon] at which the spheres touch: the first root of
 * |d(t)|^2 = (r_1(t)+r_2(t))^2, of degree four, two without acceleration and growth (Aragon &
 * Molinari 2014, section 3.1). Zero if they overlap already; infinity if they do not touch.
 * Spheres that pass each other within round-off count as touching.
 */
template <int spacedim>
double first_contact(const MovingSphere<spacedim> &first, const MovingSphere<spacedim> &second,
                     double horizon = std::numeric_limits<double>::infinity());

/// First time within [0, @p horizon] at which two boxes that move straight touch. Exact up to
/// round-off.
template <int spacedim>
double first_contact(const Box<spacedim> &first, const dealii::Tensor<1, spacedim> &first_velocity,
                     const Box<spacedim> &second,
                     const dealii::Tensor<1, spacedim> &second_velocity,
                     double horizon = std::numeric_limits<double>::infinity());

/// A point that moves straight.
template <int spacedim>
struct MovingPoint
{
  dealii::Point<spacedim> position;     ///< now [length]
  dealii::Tensor<1, spacedim> velocity; ///< [length/time]

  /// Where the point is at a time [length].
  dealii::Point<spacedim>
  at(const double time) const
  {
    return position + time * velocity;
  }
};

/// What is known about the first contact of two primitives.
struct Impact
{
  /// There is no contact before [time].
  double time = std::numeric_limits<double>::infinity();
  /// Whether this is the contact, to 1e-10 of itself or until they are as near as round-off. If
  /// not, the search was given up here; seen only for motions that nearly touch over and over.
  bool is_exact = true;
};

/**
 * First contact of a sphere with a shape that rests; a point is a sphere of no size. Zero if they
 * overlap already.
 *
 * The gap is positive until a bound of it gets to zero; there it is asked for again. The bound is
 * the tangent of the distance where the shape is convex, its chord where it is concave, and how
 * fast the sphere moves and grows where nothing is known: then the search takes the longer the more
 * obliquely the two come together, and is given up after 10 000 distances.
 */
template <int spacedim>
Impact first_contact(const MovingSphere<spacedim> &sphere, const Shape<spacedim> &shape);

/**
 * First contact of a point with a segment (2 corners), a triangle (3) or a bilinear quadrilateral
 * (4, lexicographic) whose corners move straight, within [0, @p horizon].
 *
 * Conservative advancement on parts of the face: a part is excluded until the corners can reach the
 * plane through the point that separates them, and is halved where its parts can be excluded for
 * longer. Newton's method finds the contact itself, so that all other parts need to be excluded
 * only up to there. Faces and motions may be degenerate; nothing is ever missed.
 *
 * @param reach the time at which the distance gets as small as this [length]
 */
template <int spacedim>
Impact first_contact(const MovingPoint<spacedim> &point,
                     dealii::ArrayView<const MovingPoint<spacedim>> corners,
                     double horizon = std::numeric_limits<double>::infinity(), double reach = 0);

/// The same for two straight edges, given by two points each.
Impact first_contact_of_edges(dealii::ArrayView<const MovingPoint<3>> first,
                              dealii::ArrayView<const MovingPoint<3>> second,
                              double horizon = std::numeric_limits<double>::infinity(),
                              double reach = 0);
} // namespace KickDrift

#endif
