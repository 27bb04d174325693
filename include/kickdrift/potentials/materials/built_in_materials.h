#ifndef KICKDRIFT_POTENTIALS_MATERIALS_BUILT_IN_MATERIALS_H
#define KICKDRIFT_POTENTIALS_MATERIALS_BUILT_IN_MATERIALS_H

#include <kickdrift/potentials/materials/material.h>

namespace KickDrift
{
/// Lamé parameters of an isotropic elastic material [force/area].
struct Lame
{
  double lambda = 0; ///< first parameter
  double mu = 0;     ///< shear modulus

  /**
   * From Young's modulus [force/area], positive, and Poisson's ratio, in (-1, 1/2).
   * Throws dealii::ExceptionBase otherwise.
   */
  static Lame from_young_and_poisson(double youngs_modulus, double poissons_ratio);
};

/**
 * What the built-in isotropic materials share: density, Lamé parameters and how they are read.
 * In two dimensions plane strain.
 */
template <int dim>
class IsotropicMaterial : public Material<dim>
{
public:
  /// Gradient of a displacement, or a stress.
  using Gradient = typename Material<dim>::Gradient;

  /**
   * @param density mass per reference volume, positive [mass/length^dim]
   * @param youngs_modulus positive [force/area]
   * @param poissons_ratio in (-1, 1/2)
   * Throws dealii::ExceptionBase, naming the parameter, if a value is out of its range.
   */
  IsotropicMaterial(double density, double youngs_modulus, double poissons_ratio);

  /// Declare the parameters in the current subsection.
  static void declare_parameters(dealii::ParameterHandler &prm);
  /// Read the parameters from the current subsection.
  void parse_parameters(dealii::ParameterHandler &prm) override;

  double
  density() const override
  {
    return mass_density;
  }

  /// sqrt((lambda + 2 mu) / density).
  double wave_speed() const override;

  std::pair<double, double>
  lame() const override
  {
    return {moduli.lambda, moduli.mu};
  }

protected:
  Lame moduli; ///< Lamé parameters

private:
  double mass_density;
};

/// Small strains: W = lambda/2 (tr e)^2 + mu e:e with e = (H + H^T)/2. Rotations cause stress.
template <int dim>
class LinearElastic : public IsotropicMaterial<dim>
{
public:
  /// Gradient of a displacement, or a stress.
  using Gradient = typename Material<dim>::Gradient;

  /// See IsotropicMaterial.
  LinearElastic(double density = 1, double youngs_modulus = 1, double poissons_ratio = 0)
      : IsotropicMaterial<dim>(density, youngs_modulus, poissons_ratio)
  {
  }
  double energy_density(const Gradient &displacement_gradient) const override;
  Gradient stress(const Gradient &displacement_gradient) const override;
  double stress_across(const Gradient &displacement_gradient) const override;
  bool
  is_linear() const override
  {
    return true;
  }
  BuiltInLaw
  built_in_law() const override
  {
    return BuiltInLaw::linear_elastic;
  }
};

/**
 * St. Venant-Kirchhoff: W = lambda/2 (tr E)^2 + mu E:E with E = (H + H^T + H^T H)/2.
 * For large rotations and moderate strains; too soft in strong compression.
 */
template <int dim>
class StVenantKirchhoff : public IsotropicMaterial<dim>
{
public:
  /// Gradient of a displacement, or a stress.
  using Gradient = typename Material<dim>::Gradient;

  /// See IsotropicMaterial.
  StVenantKirchhoff(double density = 1, double youngs_modulus = 1, double poissons_ratio = 0)
      : IsotropicMaterial<dim>(density, youngs_modulus, poissons_ratio)
  {
  }
  double energy_density(const Gradient &displacement_gradient) const override;
  Gradient stress(const Gradient &displacement_gradient) const override;
  double stress_across(const Gradient &displacement_gradient) const override;
  BuiltInLaw
  built_in_law() const override
  {
    return BuiltInLaw::st_venant_kirchhoff;
  }
};

/**
 * Compressible neo-Hookean: W = mu/2 (tr C - 3 - 2 ln J) + lambda/2 (ln J)^2 (Bonet & Wood,
 * Nonlinear Continuum Mechanics for Finite Element Analysis, section on compressible
 * neo-Hookean materials). For J <= 0 energy and stress are not-a-number.
 */
template <int dim>
class NeoHookean : public IsotropicMaterial<dim>
{
public:
  /// Gradient of a displacement, or a stress.
  using Gradient = typename Material<dim>::Gradient;

  /// See IsotropicMaterial.
  NeoHookean(double density = 1, double youngs_modulus = 1, double poissons_ratio = 0)
      : IsotropicMaterial<dim>(density, youngs_modulus, poissons_ratio)
  {
  }
  double energy_density(const Gradient &displacement_gradient) const override;
  Gradient stress(const Gradient &displacement_gradient) const override;
  double stress_across(const Gradient &displacement_gradient) const override;
  BuiltInLaw
  built_in_law() const override
  {
    return BuiltInLaw::neo_hookean;
  }
};

/**
 * Make these materials, and those of plasticity.h, available by name in two and three dimensions.
 * May be called any number of times.
 */
void register_built_in_materials();
} // namespace KickDrift

#endif
