#ifndef KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_KERNELS_PLASTIC_LAW_H
#define KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_KERNELS_PLASTIC_LAW_H

// Laws with history. With a state of a point, shape (n_state, n_lanes):
//   update(H, weight, old_state, new_state)   propose a state; weight times stress in it
//   stress(H, weight, state)                  with the state held
//   energy(H, weight, state), dissipation(weight, state)

#include "laws.h"

namespace KickDrift
{
namespace CellKernels
{
namespace KICKDRIFT_ISA
{
KICKDRIFT_INLINE unsigned int
bits_of(const IntegerLanes &mask)
{
  return (mask[0] & 1) | (mask[1] & 1) << 1 | (mask[2] & 1) << 2 | (mask[3] & 1) << 3;
}

/// Iterations end when the change of a lane is below this, so that the error of a method of second
/// order is below round-off; a lane is left alone from then on, whatever the others need.
constexpr double last_change = 1e-9;
constexpr int most_iterations = 50;

/// Asks the material at every point.
struct HistoryByMaterial
{
  const LawData &data;
  const unsigned int lanes;
  const double time;

  KICKDRIFT_INLINE
  HistoryByMaterial(const LawData &data, const unsigned int lanes, const double time)
      : data(data), lanes(lanes), time(time)
  {
  }

  template <int dim>
  KICKDRIFT_INLINE Matrix<dim>
  update(const Matrix<dim> &H, const Lanes weight, const double *old_state, double *new_state) const
  {
    alignas(32) double gradients[dim * dim * n_lanes], stresses[dim * dim * n_lanes] = {};
    store_all(H, gradients);
    data.history.update(data.material, lanes, gradients, time, old_state, new_state, stresses);
    return weighted<dim>(stresses, weight);
  }

  template <int dim>
  KICKDRIFT_INLINE Matrix<dim>
  stress(const Matrix<dim> &H, const Lanes weight, const double *state) const
  {
    alignas(32) double gradients[dim * dim * n_lanes], stresses[dim * dim * n_lanes] = {};
    store_all(H, gradients);
    data.history.stress(data.material, lanes, gradients, state, stresses);
    return weighted<dim>(stresses, weight);
  }

  template <int dim>
  KICKDRIFT_INLINE void
  add_energies(const Matrix<dim> &H, const Lanes weight, const double *state, Lanes &strain,
               Lanes &dissipation) const
  {
    alignas(32) double gradients[dim * dim * n_lanes], energies[n_lanes] = {},
                                                       dissipated[n_lanes] = {};
    store_all(H, gradients);
    data.history.energy(data.material, lanes, gradients, state, energies, dissipated);
    strain += weight * load(energies);
    dissipation += weight * load(dissipated);
  }

private:
  template <int dim>
  static KICKDRIFT_INLINE void
  store_all(const Matrix<dim> &H, double *gradients)
  {
    for (int i = 0; i < dim * dim; ++i)
      store(gradients + n_lanes * i, H[i / dim][i % dim]);
  }

  template <int dim>
  static KICKDRIFT_INLINE Matrix<dim>
  weighted(const double *stresses, const Lanes weight)
  {
    Matrix<dim> P;
    for (int i = 0; i < dim * dim; ++i)
      P[i / dim][i % dim] = weight * load(stresses + n_lanes * i);
    return P;
  }
};

/**
 * The return mapping of PlasticMaterial. The state begins with G = C_p^-1 - I, by components 00,
 * 11, 22, 01, 02, 12, in two dimensions without the last two; then come the equivalent plastic
 * strain, the plastic work, and with a flow function more.
 */
struct Plastic
{
  const LawData &data;
  const unsigned int lanes;
  const double time;
  const IntegerLanes mask;

  KICKDRIFT_INLINE
  Plastic(const LawData &data, const unsigned int lanes, const double time)
      : data(data), lanes(lanes), time(time), mask(mask_of(lanes))
  {
  }

  template <int dim>
  KICKDRIFT_INLINE Matrix<dim>
  stress(const Matrix<dim> &H, const Lanes weight, const double *state) const
  {
    Matrix<dim> P = NeoHookean(data, lanes).stress(H, weight);
    add_stress(P, pushed(H, state), weight);
    return P;
  }

  /// Not inlined, as it is long, and the loop over the points of a cell is to vanish.
  template <int dim>
  __attribute__((noinline)) Matrix<dim>
  update(const Matrix<dim> &H, const Lanes &weight, const double *old_state,
         double *new_state) const
  {
    constexpr int n_g = n_tensor<dim>;
    const int n_state = data.history.n_state;
    Matrix<dim> P = NeoHookean(data, lanes).stress(H, weight);
    Matrix<dim> FG = pushed(H, old_state);

    // b_e - I of the trial state
    Matrix<dim> E;
    KICKDRIFT_UNROLL
    for (int i = 0; i < dim; ++i)
      KICKDRIFT_UNROLL
    for (int k = i; k < dim; ++k)
    {
      Lanes sum = H[i][k] + H[k][i] + FG[i][k];
      KICKDRIFT_UNROLL
      for (int x = 0; x < dim; ++x)
        sum += (H[i][x] + FG[i][x]) * H[k][x];
      E[i][k] = E[k][i] = sum;
    }
    const Lanes across = dim == 2 ? load(old_state + 2 * n_lanes) : all(0.);
    const Lanes mean = (trace(E) + across) * (1. / 3);
    KICKDRIFT_UNROLL
    for (int i = 0; i < dim; ++i)
      E[i][i] -= mean;
    const Lanes across_deviator = across - mean;
    Lanes norm_square = square(E);
    if constexpr (dim == 2)
      norm_square += across_deviator * across_deviator;
    const Lanes trial = data.mu * square_root(1.5 * norm_square);
    const Lanes trial_mean = mean + 1.;
    const Lanes determinant = determinant_of_deviator(E, across_deviator);
    const Lanes stiffness = data.mu * norm_square *
                            (3. * trial_mean * trial_mean - 0.5 * norm_square) /
                            (norm_square * trial_mean - 3. * determinant);

    for (int i = 0; i < n_state; ++i)
      store(new_state + n_lanes * i, load(old_state + n_lanes * i));
    double *const strain = new_state + n_lanes * n_g;
    Lanes increment, flow_stress;
    const IntegerLanes yields = flow(trial, stiffness, strain, increment, flow_stress);
    if (!any(yields))
    {
      add_stress(P, FG, weight);
      return P;
    }
    const Lanes scale = yields ? flow_stress / trial : all(1.);

    // The mean p of b_e for which det(p I + scale dev b_e) is J^2.
    const Lanes J = NeoHookean::j_minus_trace(H) + trace(H) + 1.;
    const Lanes a = scale * scale * norm_square * 0.5;
    const Lanes b = scale * scale * scale * determinant - J * J;
    Lanes p = trial_mean;
    IntegerLanes active = yields;
    for (int i = 0; i < most_iterations && any(active); ++i)
    {
      const Lanes change = ((p * p - a) * p + b) / (3. * p * p - a);
      p = active ? p - change : p;
      active &= (change > last_change * p) | (change < -last_change * p);
    }

    // -dW/dscale = 3/2 mu dp/dscale
    double *const work = strain + n_lanes;
    const Lanes dissipated = (1.5 * data.mu) * (1. - scale) * scale *
                             (norm_square * p - 3. * scale * determinant) / (3. * p * p - a);
    store(strain, yields ? load(strain) + increment : load(strain));
    store(work, yields ? load(work) + dissipated : load(work));

    // C_p^-1 = F^-1 b_e F^-T = scale (trial C_p^-1) + c C^-1, and F C_p^-1 from that
    const Lanes c = yields ? p - scale * trial_mean : all(0.);
    const Lanes less = scale - 1.;
    const Matrix<dim> B = inverse_transpose(H, J);
    KICKDRIFT_UNROLL
    for (int i = 0; i < dim; ++i)
      KICKDRIFT_UNROLL
    for (int k = i; k < dim; ++k)
    {
      Lanes inverse_metric = B[0][i] * B[0][k];
      KICKDRIFT_UNROLL
      for (int x = 1; x < dim; ++x)
        inverse_metric += B[x][i] * B[x][k];
      add_component(tensor_index(i, k), i == k, scale, less, c, inverse_metric, yields, old_state,
                    new_state);
    }
    if constexpr (dim == 2)
      add_component(2, true, scale, less, c, all(1.), yields, old_state, new_state);
    KICKDRIFT_UNROLL
    for (int i = 0; i < dim; ++i)
      KICKDRIFT_UNROLL
    for (int k = 0; k < dim; ++k)
    {
      const Lanes F = i == k ? H[i][k] + 1. : H[i][k];
      FG[i][k] = yields ? scale * FG[i][k] + less * F + c * B[i][k] : FG[i][k];
    }
    add_stress(P, FG, weight);
    return P;
  }

  template <int dim>
  KICKDRIFT_INLINE void
  add_energies(const Matrix<dim> &H, const Lanes weight, const double *state, Lanes &strain,
               Lanes &dissipation) const
  {
    const Matrix<dim> FG = pushed(H, state);
    Lanes sum = dim == 2 ? load(state + 2 * n_lanes) : all(0.); // tr(F G F^T)
    KICKDRIFT_UNROLL
    for (int i = 0; i < dim; ++i)
      KICKDRIFT_UNROLL
    for (int k = 0; k < dim; ++k)
      sum += FG[i][k] * (i == k ? H[i][k] + 1. : H[i][k]);
    strain += NeoHookean(data, lanes).energy(H, weight) + weight * (0.5 * data.mu) * sum;
    dissipation += weight * load(state + n_lanes * (n_tensor<dim> + 1));
  }

private:
  template <int dim>
  static constexpr int n_tensor = dim == 3 ? 6 : 4;

  /// Where a component of G is in the state.
  static constexpr int
  tensor_index(const int i, const int k)
  {
    return i == k ? i : i + k + 2;
  }

  /// F G
  template <int dim>
  static KICKDRIFT_INLINE Matrix<dim>
  pushed(const Matrix<dim> &H, const double *state)
  {
    Matrix<dim> G, FG;
    KICKDRIFT_UNROLL
    for (int i = 0; i < dim; ++i)
      KICKDRIFT_UNROLL
    for (int k = i; k < dim; ++k)
      G[i][k] = G[k][i] = load(state + n_lanes * tensor_index(i, k));
    KICKDRIFT_UNROLL
    for (int i = 0; i < dim; ++i)
      KICKDRIFT_UNROLL
    for (int k = 0; k < dim; ++k)
    {
      FG[i][k] = G[i][k];
      KICKDRIFT_UNROLL
      for (int x = 0; x < dim; ++x)
        FG[i][k] += H[i][x] * G[x][k];
    }
    return FG;
  }

  /// @param across component of the third axis, in two dimensions
  template <int dim>
  static KICKDRIFT_INLINE Lanes
  determinant_of_deviator(const Matrix<dim> &E, const Lanes across)
  {
    if constexpr (dim == 3)
      return E[0][0] * (E[1][1] * E[2][2] - E[1][2] * E[1][2]) -
             E[0][1] * (E[0][1] * E[2][2] - E[1][2] * E[0][2]) +
             E[0][2] * (E[0][1] * E[1][2] - E[1][1] * E[0][2]);
    return (E[0][0] * E[1][1] - E[0][1] * E[0][1]) * across;
  }

  /// F^-T
  template <int dim>
  static KICKDRIFT_INLINE Matrix<dim>
  inverse_transpose(const Matrix<dim> &H, const Lanes J)
  {
    Matrix<dim> B = NeoHookean::quadratic_cofactor(H);
    const Lanes scale = 1. / J, tr = trace(H);
    KICKDRIFT_UNROLL
    for (int i = 0; i < dim; ++i)
      KICKDRIFT_UNROLL
    for (int k = 0; k < dim; ++k)
    {
      Lanes cofactor = B[i][k] - H[k][i];
      if (i == k)
        cofactor += tr + 1.;
      B[i][k] = cofactor * scale;
    }
    return B;
  }

  /// P += weight mu F G
  template <int dim>
  KICKDRIFT_INLINE void
  add_stress(Matrix<dim> &P, const Matrix<dim> &FG, const Lanes weight) const
  {
    const Lanes shear = weight * data.mu;
    KICKDRIFT_UNROLL
    for (int i = 0; i < dim; ++i)
      KICKDRIFT_UNROLL
    for (int k = 0; k < dim; ++k)
      P[i][k] += shear * FG[i][k];
  }

  static KICKDRIFT_INLINE void
  add_component(const int index, const bool is_diagonal, const Lanes scale, const Lanes less,
                const Lanes c, const Lanes inverse_metric, const IntegerLanes yields,
                const double *old_state, double *new_state)
  {
    const Lanes G = load(old_state + n_lanes * index);
    Lanes flown = scale * G + c * inverse_metric;
    if (is_diagonal)
      flown += less;
    store(new_state + n_lanes * index, yields ? flown : G);
  }

  /**
   * Lanes that yield, with the increments of their equivalent plastic strains and the flow
   * stresses.
   * @param strain of the new state, which is the old one so far, and what follows it
   */
  KICKDRIFT_INLINE IntegerLanes
  flow(const Lanes trial, const Lanes stiffness, double *strain, Lanes &increment,
       Lanes &flow_stress) const
  {
    const HistoryData &history = data.history;
    if (history.flow)
      return flow_by_material(trial, stiffness, strain, increment, flow_stress);
    const Lanes yield_stress = history.yield_stress + history.hardening * load(strain);
    const Lanes excess = trial - yield_stress;
    const IntegerLanes yields = (excess > 0.) & mask;
    if (!any(yields))
      return yields;
    increment = excess / (stiffness + history.hardening);
    flow_stress = yield_stress + history.hardening * increment;
    return yields;
  }

  /// The first number after plastic strain and work is the yield stress, if time stands still.
  KICKDRIFT_INLINE IntegerLanes
  flow_by_material(const Lanes trial, const Lanes stiffness, double *strain, Lanes &increment,
                   Lanes &flow_stress) const
  {
    const IntegerLanes yields = (trial > load(strain + 2 * n_lanes)) & mask;
    const unsigned int bits = bits_of(yields);
    alignas(32) double trials[n_lanes], stiffnesses[n_lanes], increments[n_lanes] = {},
                                                              stresses[n_lanes] = {};
    store(trials, trial);
    store(stiffnesses, stiffness);
    data.history.flow(data.material, lanes, bits, trials, stiffnesses, time, strain, increments,
                      stresses);
    increment = load(increments);
    flow_stress = load(stresses);
    return yields & (increment > 0.);
  }
};
} // namespace KICKDRIFT_ISA
} // namespace CellKernels
} // namespace KickDrift

#endif
