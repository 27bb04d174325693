#ifndef KICKDRIFT_CONTACT_GEOMETRY_BOUNDING_VOLUMES_H
#define KICKDRIFT_CONTACT_GEOMETRY_BOUNDING_VOLUMES_H

#include <kickdrift/contact/geometry/box.h>

#include <deal.II/base/array_view.h>
#include <deal.II/base/point.h>
#include <deal.II/base/tensor.h>

#include <array>

namespace KickDrift
{
/**
 * Bounding volumes of increasing tightness: spheres, boxes (box.h), discrete oriented
 * polytopes and oriented boxes. For every kind there are
 *
 * * enclose: a volume around points. Points may lie outside by round-off, which is below 1e-15 of
 *   the largest coordinate;
 * * overlap: false only if the volumes have no point in common;
 * * distance_bound: not larger than the distance of the volumes, zero if they overlap [length];
 * * swept: the volume that contains the given one while it moves straight by a displacement.
 */
template <int spacedim>
struct Sphere
{
  dealii::Point<spacedim> center; ///< centre [length]
  double radius = 0;              ///< [length]
};

/**
 * Discrete oriented polytope: what lies between k/2 pairs of parallel planes, whose directions are
 * fixed: k = 8 in 2D; 6 (a box), 14, 18 or 26 in 3D. The directions are the axes, then the
 * diagonals of the cube (14), or those of its faces (18), or both (26); in 2D those of the square.
 */
template <int spacedim, int k>
struct Polytope
{
  static constexpr unsigned int n_directions =
      k / 2; ///< number of directions in which the polytope has two planes

  /// Components -1, 0 and 1, not unit vectors.
  static const std::array<dealii::Tensor<1, spacedim>, n_directions> &directions();

  std::array<double, n_directions> lower; ///< of x . direction [length]
  std::array<double, n_directions> upper; ///< of x . direction [length]
};

/// Box in any orientation.
template <int spacedim>
struct OrientedBox
{
  dealii::Point<spacedim> center;                         ///< centre [length]
  std::array<dealii::Tensor<1, spacedim>, spacedim> axes; ///< unit vectors, orthogonal
  std::array<double, spacedim> half_sizes;                ///< along the axes [length]
};

/// The sphere around the centre of the points' box.
template <int spacedim>
Sphere<spacedim> enclosing_sphere(dealii::ArrayView<const dealii::Point<spacedim>> points);

/// The smallest box around points.
template <int spacedim>
Box<spacedim> enclosing_box(dealii::ArrayView<const dealii::Point<spacedim>> points);

/// The smallest polytope around points.
template <int spacedim, int k>
Polytope<spacedim, k> enclosing_polytope(dealii::ArrayView<const dealii::Point<spacedim>> points);

/// Its axes are the principal axes of the points: eigenvectors of their covariance.
template <int spacedim>
OrientedBox<spacedim>
enclosing_oriented_box(dealii::ArrayView<const dealii::Point<spacedim>> points);

/// Lower bound for the distance of what they enclose; zero if they overlap [length].
template <int spacedim>
double distance_bound(const Sphere<spacedim> &a, const Sphere<spacedim> &b);
/// Lower bound for the distance of what they enclose; zero if they overlap [length].
template <int spacedim>
double distance_bound(const Box<spacedim> &a, const Box<spacedim> &b);
/// Lower bound for the distance of what they enclose; zero if they overlap [length].
template <int spacedim, int k>
double distance_bound(const Polytope<spacedim, k> &a, const Polytope<spacedim, k> &b);
/// Projects on the axes of both, and in 3D on their cross products: zero only if they overlap.
template <int spacedim>
double distance_bound(const OrientedBox<spacedim> &a, const OrientedBox<spacedim> &b);

/// Do the volumes overlap?
template <int spacedim>
bool overlap(const Sphere<spacedim> &a, const Sphere<spacedim> &b);
/// Do the volumes overlap?
template <int spacedim>
bool overlap(const Box<spacedim> &a, const Box<spacedim> &b);
/// Do the volumes overlap?
template <int spacedim, int k>
bool overlap(const Polytope<spacedim, k> &a, const Polytope<spacedim, k> &b);
/// Do the volumes overlap?
template <int spacedim>
bool overlap(const OrientedBox<spacedim> &a, const OrientedBox<spacedim> &b);

/// A volume that contains @p volume wherever it is moved to on its way along @p by.
template <int spacedim>
Sphere<spacedim> swept(const Sphere<spacedim> &volume, const dealii::Tensor<1, spacedim> &by);
/// A volume that contains @p volume wherever it is moved to on its way along @p by.
template <int spacedim>
Box<spacedim> swept(const Box<spacedim> &volume, const dealii::Tensor<1, spacedim> &by);
/// A volume that contains @p volume wherever it is moved to on its way along @p by.
template <int spacedim, int k>
Polytope<spacedim, k> swept(const Polytope<spacedim, k> &volume,
                            const dealii::Tensor<1, spacedim> &by);
/// A volume that contains @p volume wherever it is moved to on its way along @p by.
template <int spacedim>
OrientedBox<spacedim> swept(const OrientedBox<spacedim> &volume,
                            const dealii::Tensor<1, spacedim> &by);
} // namespace KickDrift

#endif
