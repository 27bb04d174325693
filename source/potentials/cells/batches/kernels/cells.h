#ifndef KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_KERNELS_CELLS_H
#define KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_KERNELS_CELLS_H

// How displacement gradients at quadrature points come from nodal displacements, and nodal forces
// from stresses, for four cells at once. Every class here has the same interface:
//   Cell(geometry, displacements)   differentiate the displacements
//   gradient(q), weight(q)          displacement gradient and weight at point q
//   add(q, P)                       take weight times stress at point q; points come in order
//   gradient_of_energy(result)      write the nodal dV/du

#include "laws.h"

namespace KickDrift
{
namespace CellKernels
{
namespace KICKDRIFT_ISA
{
/**
 * Sum and difference along every axis of values on the corners of a dim-dimensional cube: corner
 * values -> coefficients of the products of +-1 that the corners stand for.
 */
template <int dim>
KICKDRIFT_INLINE void
analyse(Lanes *values)
{
  KICKDRIFT_UNROLL
  for (int axis = 0; axis < dim; ++axis)
    KICKDRIFT_UNROLL
  for (int i = 0; i < 1 << dim; ++i)
    if (!(i >> axis & 1))
    {
      const Lanes low = values[i], high = values[i | 1 << axis];
      values[i] = low + high;
      values[i | 1 << axis] = high - low;
    }
}

/// The transpose of analyse(): coefficients -> corner values.
template <int dim>
KICKDRIFT_INLINE void
synthesise(Lanes *values)
{
  KICKDRIFT_UNROLL
  for (int axis = dim - 1; axis >= 0; --axis)
    KICKDRIFT_UNROLL
  for (int i = 0; i < 1 << dim; ++i)
    if (!(i >> axis & 1))
    {
      const Lanes constant = values[i], linear = values[i | 1 << axis];
      values[i] = constant - linear;
      values[i | 1 << axis] = constant + linear;
    }
}

/// Remove bit @p axis of @p i, or insert a set one.
constexpr int
without_bit(const int i, const int axis)
{
  return (i & ((1 << axis) - 1)) | (i >> (axis + 1) << axis);
}
constexpr int
with_bit(const int i, const int axis)
{
  return (i & ((1 << axis) - 1)) | 1 << axis | (i >> axis << (axis + 1));
}

/// Coordinate of the Gauss points on [-1,1], to the power of the number of set bits of @p mode.
constexpr double
point_power(const int mode)
{
  constexpr double g = 0.57735026918962576451;
  constexpr double powers[4] = {1., g, 1. / 3, g / 3};
  return powers[(mode & 1) + (mode >> 1 & 1) + (mode >> 2 & 1)];
}

/**
 * Tensor-product cell with two Gauss points along each axis. The displacement is expanded in
 * products of the reference coordinates; its derivative along axis k takes only 2^(dim-1) different
 * values at the 2^dim points, because it does not depend on coordinate k.
 *
 * Stored inverse Jacobians are scaled by 2^(1-dim), the factor of the expansion.
 */
template <int dim, Geometry geometry_kind>
class TensorCell
{
public:
  static constexpr bool has_hourglass = false;
  static constexpr int n_nodes = 1 << dim;
  static constexpr int n_points = 1 << dim;
  static constexpr int n_geometry = geometry_kind == Geometry::box ? dim + 1
                                    : geometry_kind == Geometry::affine
                                        ? dim * dim + 1
                                        : n_points * (dim * dim + 1);

  KICKDRIFT_INLINE
  TensorCell(const double *geometry, const double *displacements) : geometry(geometry)
  {
    KICKDRIFT_UNROLL
    for (int c = 0; c < dim; ++c)
    {
      Lanes modes[n_nodes];
      KICKDRIFT_UNROLL
      for (int a = 0; a < n_nodes; ++a)
        modes[a] = load(displacements + n_lanes * (dim * a + c));
      analyse<dim>(modes);
      KICKDRIFT_UNROLL
      for (int axis = 0; axis < dim; ++axis)
      {
        Lanes values[n_patterns];
        KICKDRIFT_UNROLL
        for (int i = 0; i < n_patterns; ++i)
          values[i] = modes[with_bit(i, axis)] * axis_factor(axis, i);
        synthesise<dim - 1>(values);
        KICKDRIFT_UNROLL
        for (int i = 0; i < n_patterns; ++i)
          derivative[axis][i][c] = values[i];
      }
    }
  }

  KICKDRIFT_INLINE Matrix<dim>
  gradient(const int q) const
  {
    Matrix<dim> H;
    KICKDRIFT_UNROLL
    for (int c = 0; c < dim; ++c)
      KICKDRIFT_UNROLL
    for (int x = 0; x < dim; ++x)
      if constexpr (geometry_kind == Geometry::box)
        H[c][x] = derivative[x][without_bit(q, x)][c];
      else
      {
        Lanes sum = derivative[0][without_bit(q, 0)][c] * inverse_jacobian(q, 0, x);
        KICKDRIFT_UNROLL
        for (int k = 1; k < dim; ++k)
          sum += derivative[k][without_bit(q, k)][c] * inverse_jacobian(q, k, x);
        H[c][x] = sum;
      }
    return H;
  }

  KICKDRIFT_INLINE Lanes
  weight(const int q) const
  {
    constexpr int last = geometry_kind == Geometry::box ? dim : dim * dim;
    return number(geometry_kind == Geometry::general ? (last + 1) * q + last : last);
  }

  /// Called for the points in ascending order.
  KICKDRIFT_INLINE void
  add(const int q, const Matrix<dim> &P)
  {
    KICKDRIFT_UNROLL
    for (int c = 0; c < dim; ++c)
      KICKDRIFT_UNROLL
    for (int k = 0; k < dim; ++k)
    {
      Lanes flux;
      if constexpr (geometry_kind == Geometry::box)
        flux = P[c][k];
      else
      {
        flux = P[c][0] * inverse_jacobian(q, k, 0);
        KICKDRIFT_UNROLL
        for (int x = 1; x < dim; ++x)
          flux += P[c][x] * inverse_jacobian(q, k, x);
      }
      // The first point of a pattern is the one at the low end of axis k.
      Lanes &sum = fluxes[k][without_bit(q, k)][c];
      sum = q >> k & 1 ? sum + flux : flux;
    }
  }

  KICKDRIFT_INLINE void
  gradient_of_energy(double *result) const
  {
    KICKDRIFT_UNROLL
    for (int c = 0; c < dim; ++c)
    {
      Lanes modes[n_nodes];
      KICKDRIFT_UNROLL
      for (int a = 0; a < n_nodes; ++a)
        modes[a] = all(0.);
      KICKDRIFT_UNROLL
      for (int axis = 0; axis < dim; ++axis)
      {
        Lanes values[n_patterns];
        KICKDRIFT_UNROLL
        for (int i = 0; i < n_patterns; ++i)
          values[i] = fluxes[axis][i][c];
        analyse<dim - 1>(values);
        KICKDRIFT_UNROLL
        for (int i = 0; i < n_patterns; ++i)
          modes[with_bit(i, axis)] += values[i] * axis_factor(axis, i);
      }
      synthesise<dim>(modes);
      KICKDRIFT_UNROLL
      for (int a = 0; a < n_nodes; ++a)
        store(result + n_lanes * (dim * a + c), modes[a]);
    }
  }

private:
  static constexpr int n_patterns = 1 << (dim - 1);

  KICKDRIFT_INLINE Lanes
  number(const int i) const
  {
    return load(geometry + n_lanes * i);
  }

  KICKDRIFT_INLINE Lanes
  inverse_jacobian(const int q, const int row, const int column) const
  {
    const int first = geometry_kind == Geometry::general ? (dim * dim + 1) * q : 0;
    return number(first + dim * row + column);
  }

  /// What a coefficient of the derivative along an axis is multiplied with.
  KICKDRIFT_INLINE Lanes
  axis_factor(const int axis, const int mode) const
  {
    if constexpr (geometry_kind == Geometry::box)
      return number(axis) * point_power(mode);
    else
      return all(point_power(mode));
  }

  const double *geometry;
  Lanes derivative[dim][n_patterns][dim]; ///< by axis, by point across the axis, by component
  Lanes fluxes[dim][n_patterns][dim];     ///< likewise
};

/// Triangle or tetrahedron with linear shape functions.
template <int dim>
class SimplexCell
{
public:
  static constexpr bool has_hourglass = false;
  static constexpr int n_nodes = dim + 1;
  static constexpr int n_points = 1;
  static constexpr int n_geometry = dim * dim + 1;

  KICKDRIFT_INLINE
  SimplexCell(const double *geometry, const double *displacements) : geometry(geometry)
  {
    KICKDRIFT_UNROLL
    for (int c = 0; c < dim; ++c)
      KICKDRIFT_UNROLL
    for (int k = 0; k < dim; ++k)
      derivative[k][c] =
          load(displacements + n_lanes * (dim * (k + 1) + c)) - load(displacements + n_lanes * c);
  }

  KICKDRIFT_INLINE Matrix<dim>
  gradient(int) const
  {
    Matrix<dim> H;
    KICKDRIFT_UNROLL
    for (int c = 0; c < dim; ++c)
      KICKDRIFT_UNROLL
    for (int x = 0; x < dim; ++x)
    {
      H[c][x] = derivative[0][c] * inverse_jacobian(0, x);
      KICKDRIFT_UNROLL
      for (int k = 1; k < dim; ++k)
        H[c][x] += derivative[k][c] * inverse_jacobian(k, x);
    }
    return H;
  }

  KICKDRIFT_INLINE Lanes
  weight(int) const
  {
    return load(geometry + n_lanes * dim * dim);
  }

  KICKDRIFT_INLINE void
  add(int, const Matrix<dim> &P)
  {
    stress = P;
  }

  KICKDRIFT_INLINE void
  gradient_of_energy(double *result) const
  {
    KICKDRIFT_UNROLL
    for (int c = 0; c < dim; ++c)
    {
      Lanes total = all(0.);
      KICKDRIFT_UNROLL
      for (int k = 0; k < dim; ++k)
      {
        Lanes flux = stress[c][0] * inverse_jacobian(k, 0);
        KICKDRIFT_UNROLL
        for (int x = 1; x < dim; ++x)
          flux += stress[c][x] * inverse_jacobian(k, x);
        store(result + n_lanes * (dim * (k + 1) + c), flux);
        total += flux;
      }
      store(result + n_lanes * c, -total);
    }
  }

private:
  KICKDRIFT_INLINE Lanes
  inverse_jacobian(const int row, const int column) const
  {
    return load(geometry + n_lanes * (dim * row + column));
  }

  const double *geometry;
  Lanes derivative[dim][dim]; ///< by reference direction, by component
  Matrix<dim> stress;
};
} // namespace KICKDRIFT_ISA
} // namespace CellKernels
} // namespace KickDrift

#endif
