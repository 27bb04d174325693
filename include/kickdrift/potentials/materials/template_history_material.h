#ifndef KICKDRIFT_POTENTIALS_MATERIALS_TEMPLATE_HISTORY_MATERIAL_H
#define KICKDRIFT_POTENTIALS_MATERIALS_TEMPLATE_HISTORY_MATERIAL_H

#include <kickdrift/potentials/materials/history_material.h>
#include <kickdrift/potentials/materials/packed_number.h>

#include <algorithm>
#include <array>

namespace KickDrift
{
/**
 * A material with history whose law is written once, as templates over the number type, and
 * evaluated for four cells at once:
 *
 * @code
 * template <int dim>
 * class MyMaterial : public TemplateHistoryMaterial<dim, MyMaterial<dim>, 7>
 * {
 * public:
 *   template <typename Number>
 *   void update_law(const dealii::Tensor<2, dim, Number> &H, double time,
 *                   const std::array<Number, 7> &old_state, std::array<Number, 7> &state) const;
 *   template <typename Number>
 *   Number energy_law(const dealii::Tensor<2, dim, Number> &H,
 *                     const std::array<Number, 7> &state) const;
 *   template <typename Number>
 *   dealii::Tensor<2, dim, Number> stress_law(const dealii::Tensor<2, dim, Number> &H,
 *                                             const std::array<Number, 7> &state) const;
 *   ... initial_state(), dissipation(), density(), wave_speed() and parameters
 * };
 * @endcode
 *
 * Number is double or PackedNumber. Branches are written with max(), min(), abs() and
 * if_positive(x, a, b). What comes out for a cell must not depend on the others: iterations take a
 * fixed number of steps.
 */
template <int dim, typename Derived, unsigned int n_state>
class TemplateHistoryMaterial : public HistoryMaterial<dim>
{
public:
  /// Gradient of a displacement, or a stress.
  using Gradient = typename Material<dim>::Gradient;
  using HistoryMaterial<dim>::energy_density;
  using HistoryMaterial<dim>::stress;

  /// n_state; an initial_state() of another length is refused where cells are made.
  unsigned int
  fixed_state_size() const final
  {
    return n_state;
  }

  void
  update(const Gradient &displacement_gradient, const double time, const double *old_state,
         double *new_state) const final
  {
    std::array<double, n_state> state{};
    derived().update_law(displacement_gradient, time, array(old_state), state);
    std::copy(state.begin(), state.end(), new_state);
  }

  double
  energy_density(const Gradient &displacement_gradient, const double *state) const final
  {
    return derived().energy_law(displacement_gradient, array(state));
  }

  Gradient
  stress(const Gradient &displacement_gradient, const double *state) const final
  {
    return derived().stress_law(displacement_gradient, array(state));
  }

  void
  updated_stresses(const unsigned int lanes, const double *displacement_gradients,
                   const double time, const double *old_states, double *new_states,
                   double *stresses) const final
  {
    dealii::Tensor<2, dim, PackedNumber> H;
    std::array<PackedNumber, n_state> old_state{}, state{};
    for (unsigned int lane = 0; lane < PackedNumber::size; ++lane)
    {
      for (unsigned int i = 0; i < dim * dim; ++i)
        H[i / dim][i % dim][lane] = displacement_gradients[PackedNumber::size * i + lane];
      for (unsigned int i = 0; i < n_state; ++i)
        old_state[i][lane] = old_states[PackedNumber::size * i + lane];
    }
    derived().update_law(H, time, old_state, state);
    const dealii::Tensor<2, dim, PackedNumber> P = derived().stress_law(H, state);
    for (unsigned int lane = 0; lane < PackedNumber::size; ++lane)
      if (lanes >> lane & 1)
      {
        for (unsigned int i = 0; i < dim * dim; ++i)
          stresses[PackedNumber::size * i + lane] = P[i / dim][i % dim][lane];
        for (unsigned int i = 0; i < n_state; ++i)
          new_states[PackedNumber::size * i + lane] = state[i][lane];
      }
  }

private:
  const Derived &
  derived() const
  {
    return static_cast<const Derived &>(*this);
  }

  static std::array<double, n_state>
  array(const double *numbers)
  {
    std::array<double, n_state> result;
    std::copy(numbers, numbers + n_state, result.begin());
    return result;
  }
};
} // namespace KickDrift

#endif
