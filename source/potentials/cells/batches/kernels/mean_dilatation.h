#ifndef KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_KERNELS_MEAN_DILATATION_H
#define KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_KERNELS_MEAN_DILATATION_H

// Stresses at the points of a cell of cells.h, as they are or with the dilatation averaged.

#include "cells.h"
#include "plastic_law.h"

namespace KickDrift
{
namespace CellKernels
{
namespace KICKDRIFT_ISA
{
/// (1 + x)^(1/dim) - 1, also for small x; not-a-number for x <= -1.
template <int dim>
KICKDRIFT_INLINE Lanes
root_minus_1(const Lanes x)
{
  if constexpr (dim == 2)
    return x / (square_root(x + 1.) + 1.);
  // Halley's method converges from 1 for all positive numbers, with the third order.
  const Lanes cube = x + 1.;
  Lanes c = all(1.);
  IntegerLanes active = cube > 0.;
  for (int i = 0; i < most_iterations && any(active); ++i)
  {
    const Lanes c3 = c * c * c;
    const Lanes change = c * (cube - c3) / (2. * c3 + cube);
    c = active ? c + change : c;
    active &= (change > last_change * c) | (change < -last_change * c);
  }
  return cube > 0. ? x / (c * c + c + 1.) : all(__builtin_nan(""));
}

/**
 * Add the stresses law(q, H, weight) at all points to a cell.
 *
 * Mean dilatation: the energy is that of r F with r = (mean J / J)^(1/dim), where mean J is the
 * ratio of the volumes of the cell, and the forces are its exact derivatives: with the Kirchhoff
 * pressures p = P : r F / dim of the law
 *   r P - p F^-T + (sum of weight p) / (volume mean J) J F^-T
 * (Simo, Taylor & Pister 1985; here for any law, as F-bar of de Souza Neto et al. 1996 has it).
 */
template <Scheme scheme, int dim, typename Cell, typename PointLaw>
KICKDRIFT_INLINE void
add_stresses(Cell &cell, const PointLaw &law)
{
  constexpr int n_points = Cell::n_points;
  if constexpr (scheme == Scheme::at_points)
  {
    KICKDRIFT_UNROLL
    for (int q = 0; q < n_points; ++q)
      cell.add(q, law(q, cell.gradient(q), cell.weight(q)));
    return;
  }
  Matrix<dim> gradients[n_points];
  Lanes dilatation[n_points]; // J - 1
  Lanes volume = all(0.), mean = all(0.);
  KICKDRIFT_UNROLL
  for (int q = 0; q < n_points; ++q)
  {
    gradients[q] = cell.gradient(q);
    dilatation[q] = NeoHookean::j_minus_trace(gradients[q]) + trace(gradients[q]);
    volume += cell.weight(q);
    mean += cell.weight(q) * dilatation[q];
  }
  mean /= volume;
  Matrix<dim> stress[n_points], cofactor[n_points];
  Lanes pressure = all(0.);
  for (int q = 0; q < n_points; ++q)
  {
    const Matrix<dim> &H = gradients[q];
    const Lanes J = dilatation[q] + 1.;
    const Lanes stretch = root_minus_1<dim>((mean - dilatation[q]) / J);
    Matrix<dim> stretched = H;
    KICKDRIFT_UNROLL
    for (int i = 0; i < dim; ++i)
      KICKDRIFT_UNROLL
    for (int k = 0; k < dim; ++k)
      stretched[i][k] += stretch * (i == k ? H[i][k] + 1. : H[i][k]);
    const Matrix<dim> P = law(q, stretched, cell.weight(q));
    Lanes own_pressure = trace(P);
    KICKDRIFT_UNROLL
    for (int i = 0; i < dim; ++i)
      KICKDRIFT_UNROLL
    for (int k = 0; k < dim; ++k)
      own_pressure += P[i][k] * stretched[i][k];
    own_pressure *= 1. / dim;
    pressure += own_pressure;
    const Lanes per_cofactor = own_pressure / J, weight = cell.weight(q);
    const Matrix<dim> quadratic = NeoHookean::quadratic_cofactor(H);
    const Lanes tr = trace(H) + 1.;
    KICKDRIFT_UNROLL
    for (int i = 0; i < dim; ++i)
      KICKDRIFT_UNROLL
    for (int k = 0; k < dim; ++k)
    {
      const Lanes linear = quadratic[i][k] - H[k][i];
      const Lanes entry = i == k ? linear + tr : linear;
      stress[q][i][k] = P[i][k] + stretch * P[i][k] - per_cofactor * entry;
      cofactor[q][i][k] = weight * entry;
    }
  }
  pressure /= volume * (mean + 1.);
  KICKDRIFT_UNROLL
  for (int q = 0; q < n_points; ++q)
  {
    KICKDRIFT_UNROLL
    for (int i = 0; i < dim; ++i)
      KICKDRIFT_UNROLL
    for (int k = 0; k < dim; ++k)
      stress[q][i][k] += pressure * cofactor[q][i][k];
    cell.add(q, stress[q]);
  }
}
} // namespace KICKDRIFT_ISA
} // namespace CellKernels
} // namespace KickDrift

#endif
