#include <kickdrift/potentials/materials/prestressed.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
using dealii::SymmetricTensor;

namespace
{
constexpr unsigned int pack_size = 4;

/// Where a component of the stress is in a state.
constexpr unsigned int
place(const unsigned int i, const unsigned int j)
{
  return i == j ? i : 2 + i + j;
}

/// dP_ik / dH_jl in the reference state.
template <int dim>
double
reference_tangent(const Material<dim> &material, const unsigned int i, const unsigned int j,
                  const unsigned int k, const unsigned int l)
{
  constexpr double increment = 1e-6;
  dealii::Tensor<2, dim> H;
  H[j][l] = increment;
  return (material.stress(H) - material.stress(-H))[i][k] / (2 * increment);
}

template <int dim>
dealii::Tensor<2, dim>
stress_of(const double *state)
{
  dealii::Tensor<2, dim> S;
  for (unsigned int i = 0; i < dim; ++i)
    for (unsigned int j = 0; j < dim; ++j)
      S[i][j] = state[place(std::min(i, j), std::max(i, j))];
  return S;
}
} // namespace

template <int dim>
PrestressedMaterial<dim>::PrestressedMaterial(std::shared_ptr<const Material<dim>> the_elastic,
                                              const double largest_stress)
    : elastic(std::move(the_elastic)), largest_stress(largest_stress)
{
  AssertThrow(elastic && dynamic_cast<const HistoryMaterial<dim> *>(elastic.get()) == nullptr,
              ExcHistory("Initial stress", "an elastic one"));
  AssertThrow(largest_stress >= 0 && std::isfinite(largest_stress),
              dealii::ExcMessage("The largest initial stress is " + std::to_string(largest_stress) +
                                 "; it must be finite and not negative."));
  lambda = reference_tangent(*elastic, 0, 1, 0, 1);
  mu = reference_tangent(*elastic, 0, 0, 1, 1);
}

template <int dim>
std::vector<double>
PrestressedMaterial<dim>::state(const SymmetricTensor<2, 3> &stress)
{
  std::vector<double> result(n_state);
  for (unsigned int i = 0; i < 3; ++i)
    for (unsigned int j = i; j < 3; ++j)
      if (dim == 3 || i == j || j < 2)
        result[place(i, j)] = stress[i][j];
  return result;
}

template <int dim>
double
PrestressedMaterial<dim>::wave_speed() const
{
  const double speed = elastic->wave_speed();
  return std::sqrt(speed * speed + largest_stress / density());
}

template <int dim>
std::vector<double>
PrestressedMaterial<dim>::initial_state() const
{
  return state(largest_stress * dealii::unit_symmetric_tensor<3>());
}

template <int dim>
void
PrestressedMaterial<dim>::update(const Gradient &, double, const double *old_state,
                                 double *new_state) const
{
  std::copy_n(old_state, n_state, new_state);
}

template <int dim>
double
PrestressedMaterial<dim>::energy_density(const Gradient &H, const double *state) const
{
  const auto S = stress_of<dim>(state);
  double trace = 0, square = 0;
  for (unsigned int i = 0; i < 3; ++i)
    for (unsigned int j = 0; j < 3; ++j)
      if (dim == 3 || i == j || (i < 2 && j < 2))
      {
        const double stress = state[place(std::min(i, j), std::max(i, j))];
        trace += i == j ? stress : 0.;
        square += stress * stress;
      }
  const double stored =
      mu > 0 ? (square - lambda / (3 * lambda + 2 * mu) * trace * trace) / (4 * mu) : 0.;
  return elastic->energy_density(H) + stored + scalar_product(S, H + 0.5 * (transpose(H) * H));
}

template <int dim>
typename PrestressedMaterial<dim>::Gradient
PrestressedMaterial<dim>::stress(const Gradient &H, const double *state) const
{
  const auto S = stress_of<dim>(state);
  return elastic->stress(H) + S + H * S;
}

template <int dim>
double
PrestressedMaterial<dim>::stress_across(const Gradient &H, const double *state) const
{
  const Gradient identity(dealii::unit_symmetric_tensor<dim>());
  const double J = is_linear() ? 1. : determinant(identity + H);
  return elastic->stress_across(H) + state[2] / J;
}

template <int dim>
void
PrestressedMaterial<dim>::updated_stresses(const unsigned int lanes, const double *gradients,
                                           double, const double *old_states, double *new_states,
                                           double *stresses) const
{
  elastic->stresses(lanes, gradients, stresses);
  std::copy_n(old_states, n_state * pack_size, new_states);
  for (unsigned int i = 0; i < dim; ++i)
    for (unsigned int j = 0; j < dim; ++j)
      for (unsigned int lane = 0; lane < pack_size; ++lane)
      {
        double sum = old_states[pack_size * place(std::min(i, j), std::max(i, j)) + lane];
        for (unsigned int k = 0; k < dim; ++k)
          sum += gradients[pack_size * (dim * i + k) + lane] *
                 old_states[pack_size * place(std::min(k, j), std::max(k, j)) + lane];
        stresses[pack_size * (dim * i + j) + lane] += sum;
      }
}

template class PrestressedMaterial<2>;
template class PrestressedMaterial<3>;
} // namespace KickDrift
