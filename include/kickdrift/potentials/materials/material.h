#ifndef KICKDRIFT_POTENTIALS_MATERIALS_MATERIAL_H
#define KICKDRIFT_POTENTIALS_MATERIALS_MATERIAL_H

#include <deal.II/base/parameter_handler.h>
#include <deal.II/base/symmetric_tensor.h>
#include <deal.II/base/tensor.h>

#include <memory>
#include <string>

namespace KickDrift
{
/// Laws that the vectorised kernels know; every other material is evaluated through its class.
enum class BuiltInLaw
{
  none,
  linear_elastic,
  st_venant_kirchhoff,
  neo_hookean
};

/**
 * A hyperelastic material: an energy density and its derivative. In two dimensions plane strain.
 *
 * Derive from it, or from TemplateMaterial if speed matters, and register the class with
 * Registry<Material<dim>> to use its name in a parameter file. Several threads may ask a material
 * at once. Any consistent system of units.
 */
template <int dim>
class Material
{
public:
  /// Gradient of a displacement, or a stress.
  using Gradient = dealii::Tensor<2, dim>;

  virtual ~Material() = default;

  /// Declare the parameters in the current subsection.
  static void
  declare_parameters(dealii::ParameterHandler &)
  {
  }
  /// Read the parameters from the current subsection.
  virtual void
  parse_parameters(dealii::ParameterHandler &)
  {
  }

  /// Mass per reference volume [mass/length^dim], positive.
  virtual double density() const = 0;

  /// Strain energy per reference volume for the displacement gradient H = F - I.
  virtual double energy_density(const Gradient &displacement_gradient) const = 0;

  /// First Piola-Kirchhoff stress, the derivative of energy_density() by H [energy/length^dim].
  virtual Gradient stress(const Gradient &displacement_gradient) const = 0;

  /// Cauchy stress across the plane in plane strain, which fields of cells need in two dimensions;
  /// by default not-a-number: not known [energy/length^dim].
  virtual double stress_across(const Gradient &displacement_gradient) const;

  /**
   * Stresses of the points of four cells at once, for the kernels. As it is here one stress() after
   * the other; TemplateMaterial computes them together.
   * @param lanes bit mask of the cells that are wanted
   * @param displacement_gradients shape (dim, dim, 4)
   * @param stresses shape (dim, dim, 4)
   */
  virtual void stresses(unsigned int lanes, const double *displacement_gradients,
                        double *stresses) const;

  /// The same for energies, shape (4).
  virtual void energy_densities(unsigned int lanes, const double *displacement_gradients,
                                double *energies) const;

  /// Speed of pressure waves in the reference state [length/time], for viscosity only.
  virtual double wave_speed() const = 0;

  /// Is the stress a linear function of H, hence the critical step constant?
  virtual bool
  is_linear() const
  {
    return false;
  }

  /// Which vectorised law computes the same; Lamé parameters by lame().
  virtual BuiltInLaw
  built_in_law() const
  {
    return BuiltInLaw::none;
  }

  /// Lamé parameters lambda and mu [energy/length^dim], for built-in laws.
  virtual std::pair<double, double>
  lame() const
  {
    return {0., 0.};
  }
};
} // namespace KickDrift

#endif
