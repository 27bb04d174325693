#ifndef KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_KERNELS_LAWS_H
#define KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_KERNELS_LAWS_H

// Stress P = dW/dH and energy density W for four displacement gradients H at once, both times a
// weight. The formulas are those of the classes in built_in_materials.h.

#include "lanes.h"

namespace KickDrift
{
namespace CellKernels
{
namespace KICKDRIFT_ISA
{
/// A tensor for each of four cells.
template <int dim>
struct Matrix
{
  Lanes entry[dim][dim];

  KICKDRIFT_INLINE Lanes *
  operator[](const int row)
  {
    return entry[row];
  }
  KICKDRIFT_INLINE const Lanes *
  operator[](const int row) const
  {
    return entry[row];
  }
};

template <int dim>
KICKDRIFT_INLINE Lanes
trace(const Matrix<dim> &A)
{
  Lanes sum = A[0][0];
  KICKDRIFT_UNROLL
  for (int d = 1; d < dim; ++d)
    sum += A[d][d];
  return sum;
}

/// A:A
template <int dim>
KICKDRIFT_INLINE Lanes
square(const Matrix<dim> &A)
{
  Lanes sum = all(0.);
  KICKDRIFT_UNROLL
  for (int i = 0; i < dim; ++i)
    KICKDRIFT_UNROLL
  for (int j = 0; j < dim; ++j)
    sum += A[i][j] * A[i][j];
  return sum;
}

/// H + H^T
template <int dim>
KICKDRIFT_INLINE Matrix<dim>
twice_linear_strain(const Matrix<dim> &H)
{
  Matrix<dim> strain;
  KICKDRIFT_UNROLL
  for (int i = 0; i < dim; ++i)
    KICKDRIFT_UNROLL
  for (int j = i; j < dim; ++j)
    strain[j][i] = strain[i][j] = H[i][j] + H[j][i];
  return strain;
}

/// H + H^T + H^T H
template <int dim>
KICKDRIFT_INLINE Matrix<dim>
twice_green_strain(const Matrix<dim> &H)
{
  Matrix<dim> strain;
  KICKDRIFT_UNROLL
  for (int i = 0; i < dim; ++i)
    KICKDRIFT_UNROLL
  for (int j = i; j < dim; ++j)
  {
    Lanes sum = H[i][j] + H[j][i];
    KICKDRIFT_UNROLL
    for (int k = 0; k < dim; ++k)
      sum += H[k][i] * H[k][j];
    strain[j][i] = strain[i][j] = sum;
  }
  return strain;
}

/// lambda tr(e) I + 2 mu e, given 2e
template <int dim>
KICKDRIFT_INLINE Matrix<dim>
isotropic_stress(const Matrix<dim> &twice_strain, const Lanes lambda, const Lanes mu)
{
  Matrix<dim> S;
  const Lanes pressure = trace(twice_strain) * (0.5 * lambda);
  KICKDRIFT_UNROLL
  for (int i = 0; i < dim; ++i)
    KICKDRIFT_UNROLL
  for (int j = i; j < dim; ++j)
    S[j][i] = S[i][j] = i == j ? mu * twice_strain[i][i] + pressure : mu * twice_strain[i][j];
  return S;
}

/// lambda/2 tr(e)^2 + mu e:e, given 2e
template <int dim>
KICKDRIFT_INLINE Lanes
isotropic_energy(const Matrix<dim> &twice_strain, const Lanes lambda, const Lanes mu)
{
  const Lanes volumetric = trace(twice_strain);
  return lambda * volumetric * volumetric * 0.125 + mu * square(twice_strain) * 0.25;
}

struct Isotropic
{
  const Lanes lambda, mu;

  KICKDRIFT_INLINE
  Isotropic(const LawData &data, unsigned int) : lambda(all(data.lambda)), mu(all(data.mu)) {}
};

struct LinearElastic : Isotropic
{
  using Isotropic::Isotropic;

  template <int dim>
  KICKDRIFT_INLINE Matrix<dim>
  stress(const Matrix<dim> &H, const Lanes weight) const
  {
    return isotropic_stress(twice_linear_strain(H), lambda * weight, mu * weight);
  }

  template <int dim>
  KICKDRIFT_INLINE Lanes
  energy(const Matrix<dim> &H, const Lanes weight) const
  {
    return isotropic_energy(twice_linear_strain(H), lambda, mu) * weight;
  }
};

struct StVenantKirchhoff : Isotropic
{
  using Isotropic::Isotropic;

  template <int dim>
  KICKDRIFT_INLINE Matrix<dim>
  stress(const Matrix<dim> &H, const Lanes weight) const
  {
    const Matrix<dim> S = isotropic_stress(twice_green_strain(H), lambda * weight, mu * weight);
    Matrix<dim> P;
    KICKDRIFT_UNROLL
    for (int i = 0; i < dim; ++i)
      KICKDRIFT_UNROLL
    for (int j = 0; j < dim; ++j)
    {
      P[i][j] = S[i][j];
      KICKDRIFT_UNROLL
      for (int k = 0; k < dim; ++k)
        P[i][j] += H[i][k] * S[k][j];
    }
    return P;
  }

  template <int dim>
  KICKDRIFT_INLINE Lanes
  energy(const Matrix<dim> &H, const Lanes weight) const
  {
    return isotropic_energy(twice_green_strain(H), lambda, mu) * weight;
  }
};

struct NeoHookean : Isotropic
{
  using Isotropic::Isotropic;

  // With j = J - 1 written in H nothing cancels at small strains:
  // P = [mu (H + H^T + (j - tr H) I + j H - cof H) + lambda ln(1+j) cof F] / (1+j),
  // cof F = (1 + tr H) I - H^T + cof H, where cof H is there in three dimensions only (in plane
  // strain it belongs to the direction that does not move).
  template <int dim>
  KICKDRIFT_INLINE Matrix<dim>
  stress(const Matrix<dim> &H, const Lanes weight) const
  {
    const Lanes quadratic = j_minus_trace(H), tr = trace(H), j = quadratic + tr;
    const Matrix<dim> cof = quadratic_cofactor(H);
    const Lanes scale = weight / (j + 1.);
    const Lanes shear = mu * scale, pressure = lambda * log_1_plus(j) * scale;
    Matrix<dim> P;
    KICKDRIFT_UNROLL
    for (int i = 0; i < dim; ++i)
      KICKDRIFT_UNROLL
    for (int k = 0; k < dim; ++k)
    {
      Lanes deviator = H[i][k] + H[k][i] + j * H[i][k] - cof[i][k];
      Lanes cofactor = cof[i][k] - H[k][i];
      if (i == k)
      {
        deviator += quadratic;
        cofactor += tr + 1.;
      }
      P[i][k] = shear * deviator + pressure * cofactor;
    }
    return P;
  }

  template <int dim>
  KICKDRIFT_INLINE Lanes
  energy(const Matrix<dim> &H, const Lanes weight) const
  {
    const Lanes j = trace(H) + j_minus_trace(H);
    const Lanes log_j = log_1_plus(j);
    return weight *
           (mu * 0.5 * (square(H) + 2. * (trace(H) - log_j)) + lambda * 0.5 * log_j * log_j);
  }

  /// cof H in three dimensions, zero in two.
  template <int dim>
  static KICKDRIFT_INLINE Matrix<dim>
  quadratic_cofactor(const Matrix<dim> &H)
  {
    Matrix<dim> cof;
    KICKDRIFT_UNROLL
    for (int i = 0; i < dim; ++i)
      KICKDRIFT_UNROLL
    for (int k = 0; k < dim; ++k)
      if constexpr (dim == 3)
        cof[i][k] = H[(i + 1) % 3][(k + 1) % 3] * H[(i + 2) % 3][(k + 2) % 3] -
                    H[(i + 1) % 3][(k + 2) % 3] * H[(i + 2) % 3][(k + 1) % 3];
      else
        cof[i][k] = all(0.);
    return cof;
  }

  /// (J - 1) - tr H
  template <int dim>
  static KICKDRIFT_INLINE Lanes
  j_minus_trace(const Matrix<dim> &H)
  {
    if constexpr (dim == 3)
    {
      const Matrix<dim> cof = quadratic_cofactor(H);
      const Lanes determinant = H[0][0] * cof[0][0] + H[0][1] * cof[0][1] + H[0][2] * cof[0][2];
      return trace(cof) + determinant;
    }
    else
      return H[0][0] * H[1][1] - H[0][1] * H[1][0];
  }
};

/// Any other material: asked point by point, for a pack of cells at once.
struct ByMaterial
{
  const LawData &data;
  const unsigned int lanes;

  KICKDRIFT_INLINE
  ByMaterial(const LawData &data, const unsigned int lanes) : data(data), lanes(lanes) {}

  template <int dim>
  KICKDRIFT_INLINE Matrix<dim>
  stress(const Matrix<dim> &H, const Lanes weight) const
  {
    alignas(32) double gradients[dim * dim * n_lanes], stresses[dim * dim * n_lanes] = {};
    store_all(H, gradients);
    data.stress(data.material, lanes, gradients, stresses);
    Matrix<dim> P;
    for (int i = 0; i < dim * dim; ++i)
      P[i / dim][i % dim] = weight * load(stresses + n_lanes * i);
    return P;
  }

  template <int dim>
  KICKDRIFT_INLINE Lanes
  energy(const Matrix<dim> &H, const Lanes weight) const
  {
    alignas(32) double gradients[dim * dim * n_lanes], energies[n_lanes] = {};
    store_all(H, gradients);
    data.energy(data.material, lanes, gradients, energies);
    return weight * load(energies);
  }

private:
  template <int dim>
  static KICKDRIFT_INLINE void
  store_all(const Matrix<dim> &H, double *gradients)
  {
    for (int i = 0; i < dim * dim; ++i)
      store(gradients + n_lanes * i, H[i / dim][i % dim]);
  }
};
} // namespace KICKDRIFT_ISA
} // namespace CellKernels
} // namespace KickDrift

#endif
