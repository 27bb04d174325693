#ifndef KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_KERNELS_ONE_POINT_H
#define KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_KERNELS_ONE_POINT_H

// Tensor-product cells integrated with one point, and the hourglass control that this needs; the
// interface is that of the classes in cells.h, and
//   resist_hourglass(control)   to be called after add(): add the hourglass energy's derivatives
//   hourglass_energy(control)

#include "cells.h"

namespace KickDrift
{
namespace CellKernels
{
namespace KICKDRIFT_ISA
{
/// Number of set bits of a mode, for at most three axes.
constexpr int
n_axes(const int mode)
{
  return (mode & 1) + (mode >> 1 & 1) + (mode >> 2 & 1);
}

/**
 * The displacement is expanded in products of the reference coordinates, as in TensorCell; modes
 * are numbered by the coordinates that they contain, as bits. The strain is that of the mean
 * gradient, which sees the linear modes and, in general cells, a little of the others. What is left
 * of the mixed modes after taking away the mean gradient's linear field are the hourglass
 * amplitudes q, a vector for each mixed mode; linear fields have none (Flanagan & Belytschko 1981).
 *
 * Their energy is a function of the total displacement and of the geometry in the reference state,
 * and does not change if the cell is rotated as a whole:
 *   Flanagan-Belytschko: modulus/2 * V * B:B * sum of q.q, with the mean gradient operator B;
 *   physical: energies of the strains that the modes stand for, linear in p = Q^T F^T q, where F is
 *     the mean deformation gradient and Q holds the axes of the cell. Normal strains have Young's
 *     modulus, as in the bending of a beam; of shear strains only those of torsion count, because
 *     those of bending are an artefact of the shape functions.
 *
 * Numbers of the geometry, all gradients scaled by 2^(1-dim):
 *   box:     inverse edge lengths (dim), volume
 *   affine:  J^-1 (dim, dim), volume, B:B, axes Q (dim, dim), inverse edge lengths along the axes
 *   general: mean gradients of all modes but the constant (2^dim - 1, dim), volume, B:B, axes,
 *            inverse lengths, coefficients of the reference position (mixed modes, dim)
 */
template <int dim, Geometry kind>
class OnePointCell
{
public:
  static constexpr bool has_hourglass = true;
  static constexpr int n_nodes = 1 << dim;
  static constexpr int n_points = 1;
  static constexpr int n_mixed = n_nodes - 1 - dim;
  static constexpr int n_gradients = kind == Geometry::box      ? dim
                                     : kind == Geometry::affine ? dim * dim
                                                                : (n_nodes - 1) * dim;
  static constexpr int n_geometry = n_gradients + 1 +
                                    (kind == Geometry::box ? 0 : 1 + dim * dim + dim) +
                                    (kind == Geometry::general ? n_mixed * dim : 0);

  KICKDRIFT_INLINE
  OnePointCell(const double *geometry, const double *displacements) : geometry(geometry)
  {
    KICKDRIFT_UNROLL
    for (int c = 0; c < dim; ++c)
    {
      Lanes values[n_nodes];
      KICKDRIFT_UNROLL
      for (int a = 0; a < n_nodes; ++a)
        values[a] = load(displacements + n_lanes * (dim * a + c));
      analyse<dim>(values);
      KICKDRIFT_UNROLL
      for (int m = 0; m < n_nodes; ++m)
        modes[m][c] = values[m];
    }
    KICKDRIFT_UNROLL
    for (int c = 0; c < dim; ++c)
      KICKDRIFT_UNROLL
    for (int x = 0; x < dim; ++x)
      if constexpr (kind == Geometry::box)
        H[c][x] = modes[1 << x][c] * number(x);
      else
      {
        Lanes sum = modes[1][c] * mean_gradient(1, x);
        KICKDRIFT_UNROLL
        for (int m = 2; m < n_nodes; ++m)
          if (has_gradient(m))
            sum += modes[m][c] * mean_gradient(m, x);
        H[c][x] = sum;
      }
    if constexpr (kind == Geometry::general)
      KICKDRIFT_UNROLL
    for (int m = 0; m < n_nodes; ++m)
      if (n_axes(m) > 1)
        KICKDRIFT_UNROLL
    for (int c = 0; c < dim; ++c)
      KICKDRIFT_UNROLL
    for (int x = 0; x < dim; ++x)
      modes[m][c] -= H[c][x] * position(m, x);
  }

  KICKDRIFT_INLINE const Matrix<dim> &
  gradient(int) const
  {
    return H;
  }

  KICKDRIFT_INLINE Lanes
  weight(int) const
  {
    return number(n_gradients);
  }

  KICKDRIFT_INLINE void
  add(int, const Matrix<dim> &P)
  {
    stress = P;
  }

  KICKDRIFT_INLINE void
  resist_hourglass(const HourglassData &control)
  {
    if (control.kind == HourglassKind::flanagan_belytschko)
    {
      const Lanes stiffness = uniform_stiffness(control);
      KICKDRIFT_UNROLL
      for (int m = 0; m < n_nodes; ++m)
        if (n_axes(m) > 1)
          KICKDRIFT_UNROLL
      for (int c = 0; c < dim; ++c)
        forces[m][c] = stiffness * modes[m][c];
      return;
    }
    Amplitudes p, conjugate;
    pull_back(control, p);
    physical_forces(control, p, conjugate);
    push_forward(control, conjugate);
  }

  KICKDRIFT_INLINE Lanes
  hourglass_energy(const HourglassData &control) const
  {
    Lanes sum = all(0.);
    Amplitudes p, conjugate;
    if (control.kind == HourglassKind::flanagan_belytschko)
    {
      const Lanes stiffness = uniform_stiffness(control);
      for (int m = 0; m < n_nodes; ++m)
        if (n_axes(m) > 1)
          for (int c = 0; c < dim; ++c)
            sum += stiffness * modes[m][c] * modes[m][c];
      return 0.5 * sum;
    }
    pull_back(control, p);
    physical_forces(control, p, conjugate);
    for (int m = 0; m < n_nodes; ++m)
      if (n_axes(m) > 1)
        for (int c = 0; c < dim; ++c)
          sum += p[m][c] * conjugate[m][c];
    return 0.5 * sum;
  }

  KICKDRIFT_INLINE void
  gradient_of_energy(double *result)
  {
    if constexpr (kind == Geometry::general)
      KICKDRIFT_UNROLL
    for (int m = 0; m < n_nodes; ++m)
      if (n_axes(m) > 1)
        KICKDRIFT_UNROLL
    for (int c = 0; c < dim; ++c)
      KICKDRIFT_UNROLL
    for (int x = 0; x < dim; ++x)
      stress[c][x] -= forces[m][c] * position(m, x);
    KICKDRIFT_UNROLL
    for (int c = 0; c < dim; ++c)
    {
      Lanes values[n_nodes];
      values[0] = all(0.);
      KICKDRIFT_UNROLL
      for (int m = 1; m < n_nodes; ++m)
      {
        values[m] = n_axes(m) > 1 ? forces[m][c] : all(0.);
        if constexpr (kind == Geometry::box)
        {
          if (n_axes(m) == 1)
            values[m] = stress[c][axis_of(m)] * number(axis_of(m));
        }
        else if (has_gradient(m))
          KICKDRIFT_UNROLL
        for (int x = 0; x < dim; ++x)
          values[m] += stress[c][x] * mean_gradient(m, x);
      }
      synthesise<dim>(values);
      KICKDRIFT_UNROLL
      for (int a = 0; a < n_nodes; ++a)
        store(result + n_lanes * (dim * a + c), values[a]);
    }
  }

private:
  /// By mode and component; only those of mixed modes are used.
  using Amplitudes = Lanes[n_nodes][dim];

  /// The axis that a linear mode is the coordinate of.
  static constexpr int
  axis_of(const int mode)
  {
    return mode >> 1;
  }

  /// Has the mode a part in the mean gradient?
  static constexpr bool
  has_gradient(const int mode)
  {
    return kind == Geometry::general ? mode > 0 : n_axes(mode) == 1;
  }

  KICKDRIFT_INLINE Lanes
  number(const int i) const
  {
    return load(geometry + n_lanes * i);
  }

  KICKDRIFT_INLINE Lanes
  mean_gradient(const int mode, const int x) const
  {
    return number(dim * (kind == Geometry::general ? mode - 1 : axis_of(mode)) + x);
  }

  /// Coefficient of a mixed mode in the reference position.
  KICKDRIFT_INLINE Lanes
  position(const int mode, const int x) const
  {
    constexpr int first = n_gradients + 2 + dim * dim + dim;
    // mixed modes: 3; or 3, 5, 6, 7
    const int index = mode == 3 ? 0 : mode - 4;
    return number(first + dim * index + x);
  }

  KICKDRIFT_INLINE Lanes
  inverse_length(const int axis) const
  {
    return number(kind == Geometry::box ? axis : n_gradients + 2 + dim * dim + axis);
  }

  KICKDRIFT_INLINE Lanes
  cell_axis(const int x, const int axis) const
  {
    return number(n_gradients + 2 + dim * x + axis);
  }

  KICKDRIFT_INLINE Lanes
  uniform_stiffness(const HourglassData &control) const
  {
    Lanes square_of_gradients;
    if constexpr (kind == Geometry::box)
    {
      square_of_gradients = number(0) * number(0);
      KICKDRIFT_UNROLL
      for (int x = 1; x < dim; ++x)
        square_of_gradients += number(x) * number(x);
    }
    else
      square_of_gradients = number(n_gradients + 1);
    return square_of_gradients * weight(0) * control.normal;
  }

  /// p = Q^T (q + H^T q), without the second term for linear materials.
  KICKDRIFT_INLINE void
  pull_back(const HourglassData &control, Amplitudes &p) const
  {
    KICKDRIFT_UNROLL
    for (int m = 0; m < n_nodes; ++m)
      if (n_axes(m) > 1)
      {
        Lanes material[dim];
        KICKDRIFT_UNROLL
        for (int x = 0; x < dim; ++x)
        {
          Lanes sum = H[0][x] * modes[m][0];
          KICKDRIFT_UNROLL
          for (int c = 1; c < dim; ++c)
            sum += H[c][x] * modes[m][c];
          material[x] = modes[m][x] + control.rotation * sum;
        }
        KICKDRIFT_UNROLL
        for (int k = 0; k < dim; ++k)
          if constexpr (kind == Geometry::box)
            p[m][k] = material[k];
          else
          {
            p[m][k] = cell_axis(0, k) * material[0];
            KICKDRIFT_UNROLL
            for (int x = 1; x < dim; ++x)
              p[m][k] += cell_axis(x, k) * material[x];
          }
      }
  }

  /// Derivative of the energy by p; the energy is half the product of both.
  KICKDRIFT_INLINE void
  physical_forces(const HourglassData &control, const Amplitudes &p, Amplitudes &conjugate) const
  {
    // Squares of derivatives, averaged over the cell: 1/3 and, with two other axes, 1/9.
    const Lanes normal = weight(0) * (control.normal / 3);
    KICKDRIFT_UNROLL
    for (int k = 0; k < dim; ++k)
    {
      const Lanes stiffness = normal * inverse_length(k) * inverse_length(k);
      KICKDRIFT_UNROLL
      for (int m = 0; m < n_nodes; ++m)
        if (n_axes(m) > 1 && (m >> k & 1))
          conjugate[m][k] = p[m][k] * (n_axes(m) == 3 ? stiffness * (1. / 3) : stiffness);
    }
    if constexpr (dim == 3)
    {
      // Component k of the mode of the two other axes: all shear strains that it has.
      const Lanes shear = weight(0) * (control.shear / 3);
      Lanes twist[dim]; // of the axes k+1 and k+2, linear along k
      KICKDRIFT_UNROLL
      for (int k = 0; k < dim; ++k)
      {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        twist[k] = shear * (inverse_length(j) * p[7 - (1 << i)][i] +
                            inverse_length(i) * p[7 - (1 << j)][j]);
      }
      KICKDRIFT_UNROLL
      for (int k = 0; k < dim; ++k)
      {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        conjugate[7 - (1 << k)][k] = inverse_length(i) * twist[j] + inverse_length(j) * twist[i];
      }
    }
  }

  /// From derivatives by p to those by q, and by H.
  KICKDRIFT_INLINE void
  push_forward(const HourglassData &control, const Amplitudes &conjugate)
  {
    KICKDRIFT_UNROLL
    for (int m = 0; m < n_nodes; ++m)
      if (n_axes(m) > 1)
      {
        Lanes material[dim];
        KICKDRIFT_UNROLL
        for (int x = 0; x < dim; ++x)
          if constexpr (kind == Geometry::box)
            material[x] = conjugate[m][x];
          else
          {
            material[x] = cell_axis(x, 0) * conjugate[m][0];
            KICKDRIFT_UNROLL
            for (int k = 1; k < dim; ++k)
              material[x] += cell_axis(x, k) * conjugate[m][k];
          }
        KICKDRIFT_UNROLL
        for (int c = 0; c < dim; ++c)
        {
          Lanes sum = H[c][0] * material[0];
          KICKDRIFT_UNROLL
          for (int x = 1; x < dim; ++x)
            sum += H[c][x] * material[x];
          forces[m][c] = material[c] + control.rotation * sum;
          const Lanes q = modes[m][c] * control.rotation;
          KICKDRIFT_UNROLL
          for (int x = 0; x < dim; ++x)
            stress[c][x] += q * material[x];
        }
      }
  }

  const double *geometry;
  Amplitudes modes;  ///< coefficients of the displacement; of mixed modes the hourglass part q
  Amplitudes forces; ///< derivatives of the hourglass energy by q
  Matrix<dim> H;
  Matrix<dim> stress; ///< derivative of the energy by H
};
} // namespace KICKDRIFT_ISA
} // namespace CellKernels
} // namespace KickDrift

#endif
