#include <kickdrift/potentials/materials/history_material.h>
#include <kickdrift/potentials/materials/packed_number.h>

#include <limits>

namespace KickDrift
{
template <int dim>
void
HistoryMaterial<dim>::updated_stresses(const unsigned int lanes,
                                       const double *displacement_gradients, const double time,
                                       const double *old_states, double *new_states,
                                       double *stresses) const
{
  constexpr unsigned int n_lanes = PackedNumber::size;
  const unsigned int n_state = initial_state().size();
  std::vector<double> old_state(n_state), new_state(n_state);
  for (unsigned int lane = 0; lane < n_lanes; ++lane)
    if (lanes >> lane & 1)
    {
      Gradient H;
      for (unsigned int i = 0; i < dim * dim; ++i)
        H[i / dim][i % dim] = displacement_gradients[n_lanes * i + lane];
      for (unsigned int i = 0; i < n_state; ++i)
        old_state[i] = old_states[n_lanes * i + lane];
      update(H, time, old_state.data(), new_state.data());
      const Gradient P = stress(H, new_state.data());
      for (unsigned int i = 0; i < n_state; ++i)
        new_states[n_lanes * i + lane] = new_state[i];
      for (unsigned int i = 0; i < dim * dim; ++i)
        stresses[n_lanes * i + lane] = P[i / dim][i % dim];
    }
}

template <int dim>
double
HistoryMaterial<dim>::energy_density(const Gradient &displacement_gradient) const
{
  return energy_density(displacement_gradient, initial_state().data());
}

template <int dim>
typename HistoryMaterial<dim>::Gradient
HistoryMaterial<dim>::stress(const Gradient &displacement_gradient) const
{
  return stress(displacement_gradient, initial_state().data());
}

template <int dim>
double
HistoryMaterial<dim>::stress_across(const Gradient &, const double *) const
{
  return std::numeric_limits<double>::quiet_NaN();
}

template <int dim>
double
HistoryMaterial<dim>::stress_across(const Gradient &displacement_gradient) const
{
  return stress_across(displacement_gradient, initial_state().data());
}

template class HistoryMaterial<2>;
template class HistoryMaterial<3>;
} // namespace KickDrift
