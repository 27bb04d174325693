#ifndef KICKDRIFT_CONTACT_GEOMETRY_CURVED_FACE_H
#define KICKDRIFT_CONTACT_GEOMETRY_CURVED_FACE_H

#include <kickdrift/contact/geometry/box.h>

#include <deal.II/base/point.h>

#include <vector>

namespace KickDrift
{
/**
 * A face given by polynomials: a curve over [0,1] in 2D, a tensor product over [0,1]^2 in 3D, of
 * degree 1, 2 or 3 in every direction, as MappingQ makes them.
 *
 * Kept as Bernstein polynomials, whose control points enclose the face in their convex hull.
 */
template <int spacedim>
class CurvedFace
{
public:
  static constexpr int face_dim = spacedim - 1; ///< number of coordinates on a face

  /// The point of a face that is closest to a given point.
  struct Closest
  {
    dealii::Point<face_dim> coordinates; ///< in [0,1]^(spacedim-1)
    dealii::Point<spacedim> point;       ///< [length]
    double distance = 0;                 ///< [length]
  };

  /**
   * Through (degree+1)^(spacedim-1) points at equidistant coordinates, the first of which grows
   * fastest. Throws dealii::ExceptionBase for other numbers of points and degrees.
   */
  CurvedFace(const std::vector<dealii::Point<spacedim>> &points, unsigned int degree);

  /// Contains the face; not the smallest box that does.
  Box<spacedim> bounding_box() const;

  /// Point of the face with these coordinates [length].
  dealii::Point<spacedim> at(const dealii::Point<face_dim> &coordinates) const;

  /**
   * The global minimum of |x(xi) - y| over the face, by projected Newton iterations from parts of
   * it, until control points show that no other part can be nearer by more than 1e-6 of the
   * distance, or after 1000 parts: seen from the centre of a sphere all are equally near.
   */
  Closest closest_point(const dealii::Point<spacedim> &y) const;

  /// Is there a point of the face within @p radius of @p y?
  bool is_within(const dealii::Point<spacedim> &y, double radius) const;

private:
  struct Part;
  struct Derivatives;

  Derivatives derivatives(const dealii::Point<face_dim> &coordinates) const;
  /// The closest point nearer than @p beyond, else one at infinity; any point not further than
  /// @p near_enough will do.
  Closest search(const dealii::Point<spacedim> &y, double beyond, double near_enough) const;
  Closest local_minimum(dealii::Point<face_dim> start, const dealii::Point<spacedim> &y) const;

  unsigned int degree;
  std::vector<dealii::Point<spacedim>> control; ///< first index fastest
};
} // namespace KickDrift

#endif
