#include "history_data.h"

#include <kickdrift/potentials/materials/plasticity.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace KickDrift
{
using namespace CellKernels;

namespace
{
// The kernels hand back the pointer that LawData has, to the Material.

template <int dim>
const HistoryMaterial<dim> &
with_history(const void *material)
{
  return static_cast<const HistoryMaterial<dim> &>(*static_cast<const Material<dim> *>(material));
}

/// Displacement gradient of a lane.
template <int dim>
dealii::Tensor<2, dim>
gradient_of(const double *gradients, const unsigned int lane)
{
  dealii::Tensor<2, dim> H;
  for (unsigned int i = 0; i < dim * dim; ++i)
    H[i / dim][i % dim] = gradients[n_lanes * i + lane];
  return H;
}

/// State of a lane.
std::array<double, max_state>
state_of(const double *states, const unsigned int n_state, const unsigned int lane)
{
  std::array<double, max_state> state{};
  for (unsigned int i = 0; i < n_state; ++i)
    state[i] = states[n_lanes * i + lane];
  return state;
}

template <int dim>
void
update_batch(const void *material, const unsigned int lanes, const double *gradients,
             const double time, const double *old_state, double *new_state, double *stresses)
{
  with_history<dim>(material).updated_stresses(lanes, gradients, time, old_state, new_state,
                                               stresses);
}

template <int dim>
void
stress_of_batch(const void *material, const unsigned int lanes, const double *gradients,
                const double *states, double *stresses)
{
  const auto &law = with_history<dim>(material);
  const unsigned int n_state = law.initial_state().size();
  for (unsigned int lane = 0; lane < n_lanes; ++lane)
    if (lanes >> lane & 1)
    {
      const auto P =
          law.stress(gradient_of<dim>(gradients, lane), state_of(states, n_state, lane).data());
      for (unsigned int i = 0; i < dim * dim; ++i)
        stresses[n_lanes * i + lane] = P[i / dim][i % dim];
    }
}

template <int dim>
void
energy_of_batch(const void *material, const unsigned int lanes, const double *gradients,
                const double *states, double *energies, double *dissipation)
{
  const auto &law = with_history<dim>(material);
  const unsigned int n_state = law.initial_state().size();
  for (unsigned int lane = 0; lane < n_lanes; ++lane)
    if (lanes >> lane & 1)
    {
      const auto state = state_of(states, n_state, lane);
      energies[lane] = law.energy_density(gradient_of<dim>(gradients, lane), state.data());
      dissipation[lane] = law.dissipation(state.data());
    }
}

// Materials without history.

template <int dim>
void
elastic_update(const void *material, const unsigned int lanes, const double *gradients, double,
               const double *, double *, double *stresses)
{
  static_cast<const Material<dim> *>(material)->stresses(lanes, gradients, stresses);
}

template <int dim>
void
elastic_stress(const void *material, const unsigned int lanes, const double *gradients,
               const double *, double *stresses)
{
  static_cast<const Material<dim> *>(material)->stresses(lanes, gradients, stresses);
}

template <int dim>
void
elastic_energy(const void *material, const unsigned int lanes, const double *gradients,
               const double *, double *energies, double *)
{
  static_cast<const Material<dim> *>(material)->energy_densities(lanes, gradients, energies);
}

template <int dim>
void
flow_of_batch(const void *material, const unsigned int lanes, const unsigned int yielding,
              const double *trial_stress, const double *stiffness, const double time,
              double *history, double *increment, double *flow_stress)
{
  const auto &law = static_cast<const PlasticMaterial<dim> &>(with_history<dim>(material));
  for (unsigned int lane = 0; lane < n_lanes; ++lane)
    if (lanes >> lane & 1)
    {
      PlasticHistory point{history[lane], history[n_lanes + lane], history[2 * n_lanes + lane],
                           history[3 * n_lanes + lane]};
      if (yielding >> lane & 1)
      {
        const auto flow = law.flow(trial_stress[lane], stiffness[lane], time, point);
        increment[lane] = flow.increment;
        flow_stress[lane] = flow.flow_stress;
      }
      if (increment[lane] > 0)
        history[2 * n_lanes + lane] = point.yield_stress;
      history[3 * n_lanes + lane] = time;
    }
}
} // namespace

template <int dim>
HistoryData
history_data(const Material<dim> &material)
{
  const auto *law = dynamic_cast<const HistoryMaterial<dim> *>(&material);
  if (!law)
    return {0, &elastic_update<dim>, &elastic_stress<dim>, &elastic_energy<dim>, 0, 0, nullptr};
  const std::vector<double> initial_state = law->initial_state();
  const unsigned int n_state = initial_state.size();
  AssertThrow(n_state > 0 && n_state <= max_state,
              dealii::ExcMessage("A material with history has a state of " +
                                 std::to_string(n_state) + " numbers; it must be of 1 to " +
                                 std::to_string(max_state) + "."));
  AssertThrow(std::all_of(initial_state.begin(), initial_state.end(),
                          [](const double number) { return std::isfinite(number); }),
              dealii::ExcMessage("The initial state of a material with history has numbers that "
                                 "are not finite."));
  const unsigned int expected = law->fixed_state_size();
  AssertThrow(expected == 0 || expected == n_state,
              dealii::ExcMessage("The initial state of a material has " + std::to_string(n_state) +
                                 " numbers, but its law was written for " +
                                 std::to_string(expected) + "."));
  HistoryData data = {
      n_state, &update_batch<dim>, &stress_of_batch<dim>, &energy_of_batch<dim>, 0, 0, nullptr};
  if (const auto *plastic = law->plastic())
  {
    const auto linear = plastic->linear_hardening();
    if (linear)
    {
      data.yield_stress = linear->first;
      data.hardening = linear->second;
    }
    else
      data.flow = &flow_of_batch<dim>;
  }
  return data;
}

template <int dim>
HistoryLaw
history_law_of(const Material<dim> &material)
{
  const auto *law = dynamic_cast<const HistoryMaterial<dim> *>(&material);
  return law && law->plastic() ? HistoryLaw::plastic : HistoryLaw::by_material;
}

template HistoryData history_data(const Material<2> &);
template HistoryData history_data(const Material<3> &);
template HistoryLaw history_law_of(const Material<2> &);
template HistoryLaw history_law_of(const Material<3> &);
} // namespace KickDrift
