#ifndef KICKDRIFT_POTENTIALS_MATERIALS_TEMPLATE_MATERIAL_H
#define KICKDRIFT_POTENTIALS_MATERIALS_TEMPLATE_MATERIAL_H

#include <kickdrift/potentials/materials/material.h>
#include <kickdrift/potentials/materials/packed_number.h>

namespace KickDrift
{
/**
 * A material whose law is written once, as templates over the number type, and evaluated for four
 * cells at once:
 *
 * @code
 * template <int dim>
 * class MyMaterial : public TemplateMaterial<dim, MyMaterial<dim>>
 * {
 * public:
 *   template <typename Number>
 *   Number energy_law(const dealii::Tensor<2, dim, Number> &H) const;
 *   template <typename Number>
 *   dealii::Tensor<2, dim, Number> stress_law(const dealii::Tensor<2, dim, Number> &H) const;
 *   ... density(), wave_speed() and parameters as in any Material
 * };
 * @endcode
 *
 * Number is double or PackedNumber. The compiler's options for the file that instantiates the law
 * say how wide the instructions are.
 */
template <int dim, typename Derived>
class TemplateMaterial : public Material<dim>
{
public:
  /// Gradient of a displacement, or a stress.
  using Gradient = typename Material<dim>::Gradient;

  double
  energy_density(const Gradient &displacement_gradient) const final
  {
    return derived().energy_law(displacement_gradient);
  }

  Gradient
  stress(const Gradient &displacement_gradient) const final
  {
    return derived().stress_law(displacement_gradient);
  }

  void
  stresses(const unsigned int lanes, const double *displacement_gradients,
           double *stresses) const final
  {
    const PackedGradient P = derived().stress_law(packed(displacement_gradients));
    for (unsigned int i = 0; i < dim * dim; ++i)
      for (unsigned int lane = 0; lane < PackedNumber::size; ++lane)
        if (lanes >> lane & 1)
          stresses[PackedNumber::size * i + lane] = P[i / dim][i % dim][lane];
  }

  void
  energy_densities(const unsigned int lanes, const double *displacement_gradients,
                   double *energies) const final
  {
    const PackedNumber energy = derived().energy_law(packed(displacement_gradients));
    for (unsigned int lane = 0; lane < PackedNumber::size; ++lane)
      if (lanes >> lane & 1)
        energies[lane] = energy[lane];
  }

private:
  using PackedGradient = dealii::Tensor<2, dim, PackedNumber>;

  const Derived &
  derived() const
  {
    return static_cast<const Derived &>(*this);
  }

  static PackedGradient
  packed(const double *gradients)
  {
    PackedGradient result;
    for (unsigned int i = 0; i < dim * dim; ++i)
      for (unsigned int lane = 0; lane < PackedNumber::size; ++lane)
        result[i / dim][i % dim][lane] = gradients[PackedNumber::size * i + lane];
    return result;
  }
};
} // namespace KickDrift

#endif
