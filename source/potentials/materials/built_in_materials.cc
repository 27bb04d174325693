#include <kickdrift/base/parameter_table.h>
#include <kickdrift/base/registry.h>
#include <kickdrift/potentials/materials/built_in_materials.h>
#include <kickdrift/potentials/materials/plasticity.h>

#include <deal.II/base/symmetric_tensor.h>

#include <cmath>
#include <limits>

#include "checks.h"

namespace KickDrift
{
namespace
{
double
check_density(const double density)
{
  check_value(density > 0 && std::isfinite(density), "Density", density, "positive and finite");
  return density;
}

/// Entries of all built-in materials.
struct ElasticConstants
{
  double density = 1, youngs_modulus = 1, poissons_ratio = 0;
};

void
list(ElasticConstants &constants, ParameterTable table)
{
  using dealii::Patterns::Double;
  table.add("Density", constants.density, Double(0.),
            "Mass per volume in the reference configuration, positive. "
            "Units: mass/length^3, in two dimensions mass/length^2.");
  table.add("Young's modulus", constants.youngs_modulus, Double(0.),
            "Stress per strain under uniaxial stress, positive. Units: force/area.");
  table.add("Poisson's ratio", constants.poissons_ratio, Double(-1., 0.5),
            "Lateral contraction per elongation under uniaxial stress, above -1 and below "
            "0.5. Two-dimensional bodies are in plane strain. Units: none.");
}

/// J - 1, without the cancellation that computing J first would bring at small strains.
template <int dim>
double
volume_change(const dealii::Tensor<2, dim> &H)
{
  double change = trace(H) + determinant(H);
  if constexpr (dim == 3)
    change += 0.5 * (trace(H) * trace(H) - trace(H * H));
  return change;
}
} // namespace

Lame
Lame::from_young_and_poisson(const double E, const double nu)
{
  check_value(E > 0 && std::isfinite(E), "Young's modulus", E, "positive and finite");
  check_value(nu > -1 && nu < 0.5, "Poisson's ratio", nu, "above -1 and below 0.5");
  return {E * nu / ((1 + nu) * (1 - 2 * nu)), E / (2 * (1 + nu))};
}

template <int dim>
IsotropicMaterial<dim>::IsotropicMaterial(const double density, const double youngs_modulus,
                                          const double poissons_ratio)
    : moduli(Lame::from_young_and_poisson(youngs_modulus, poissons_ratio)),
      mass_density(check_density(density))
{
}

template <int dim>
void
IsotropicMaterial<dim>::declare_parameters(dealii::ParameterHandler &prm)
{
  ElasticConstants defaults;
  list(defaults, {prm, ParameterTable::Task::declare});
}

template <int dim>
void
IsotropicMaterial<dim>::parse_parameters(dealii::ParameterHandler &prm)
{
  ElasticConstants constants;
  list(constants, {prm, ParameterTable::Task::read});
  mass_density = check_density(constants.density);
  moduli = Lame::from_young_and_poisson(constants.youngs_modulus, constants.poissons_ratio);
}

template <int dim>
double
IsotropicMaterial<dim>::wave_speed() const
{
  return std::sqrt((moduli.lambda + 2 * moduli.mu) / mass_density);
}

template <int dim>
double
LinearElastic<dim>::energy_density(const Gradient &H) const
{
  const auto strain = symmetrize(H);
  const double volumetric = trace(strain);
  return 0.5 * this->moduli.lambda * volumetric * volumetric + this->moduli.mu * (strain * strain);
}

template <int dim>
typename LinearElastic<dim>::Gradient
LinearElastic<dim>::stress(const Gradient &H) const
{
  Gradient P = this->moduli.mu * (H + transpose(H));
  for (unsigned int d = 0; d < dim; ++d)
    P[d][d] += this->moduli.lambda * trace(H);
  return P;
}

template <int dim>
double
LinearElastic<dim>::stress_across(const Gradient &H) const
{
  return this->moduli.lambda * trace(H);
}

template <int dim>
double
StVenantKirchhoff<dim>::energy_density(const Gradient &H) const
{
  const auto strain = symmetrize(H) + 0.5 * symmetrize(transpose(H) * H);
  const double volumetric = trace(strain);
  return 0.5 * this->moduli.lambda * volumetric * volumetric + this->moduli.mu * (strain * strain);
}

template <int dim>
typename StVenantKirchhoff<dim>::Gradient
StVenantKirchhoff<dim>::stress(const Gradient &H) const
{
  const Gradient twice_strain = H + transpose(H) + transpose(H) * H;
  Gradient S = this->moduli.mu * twice_strain;
  for (unsigned int d = 0; d < dim; ++d)
    S[d][d] += 0.5 * this->moduli.lambda * trace(twice_strain);
  return S + H * S;
}

template <int dim>
double
StVenantKirchhoff<dim>::stress_across(const Gradient &H) const
{
  const double strain = trace(H) + 0.5 * H.norm_square();
  return this->moduli.lambda * strain / (1 + volume_change(H));
}

template <int dim>
double
NeoHookean<dim>::energy_density(const Gradient &H) const
{
  const double j = volume_change(H);
  if (!(j > -1))
    return std::numeric_limits<double>::quiet_NaN();
  const double log_j = std::log1p(j);
  return 0.5 * this->moduli.mu * (H.norm_square() + 2 * (trace(H) - log_j)) +
         0.5 * this->moduli.lambda * log_j * log_j;
}

template <int dim>
typename NeoHookean<dim>::Gradient
NeoHookean<dim>::stress(const Gradient &H) const
{
  const double j = volume_change(H);
  if (!(j > -1))
  {
    Gradient undefined;
    for (unsigned int d = 0; d < dim; ++d)
      for (unsigned int e = 0; e < dim; ++e)
        undefined[d][e] = std::numeric_limits<double>::quiet_NaN();
    return undefined;
  }
  const Gradient inverse_transpose =
      transpose(invert(Gradient(dealii::unit_symmetric_tensor<dim>()) + H));
  // F - F^-T = H + (F^T - 1) F^-T, which does not cancel for small H.
  return this->moduli.mu * (H + transpose(H) * inverse_transpose) +
         this->moduli.lambda * std::log1p(j) * inverse_transpose;
}

template <int dim>
double
NeoHookean<dim>::stress_across(const Gradient &H) const
{
  const double j = volume_change(H);
  return j > -1 ? this->moduli.lambda * std::log1p(j) / (1 + j)
                : std::numeric_limits<double>::quiet_NaN();
}

namespace
{
template <int dim>
bool
register_materials()
{
  using Materials = Registry<Material<dim>>;
  return Materials::template add<LinearElastic<dim>>("linear elastic",
                                                     "Small strains and rotations, isotropic; a "
                                                     "run warns when they become larger than "
                                                     "0.1.") &&
         Materials::template add<StVenantKirchhoff<dim>>(
             "St. Venant-Kirchhoff",
             "Stress linear in the Green-Lagrange strain, isotropic: large rotations, moderate "
             "strains.") &&
         Materials::template add<NeoHookean<dim>>(
             "neo-Hookean", "Compressible neo-Hookean, isotropic: large strains.");
}
} // namespace

void
register_built_in_materials()
{
  static const bool done = register_materials<2>() && register_materials<3>();
  (void)done;
  register_plastic_materials();
}

template class IsotropicMaterial<2>;
template class IsotropicMaterial<3>;
template class LinearElastic<2>;
template class LinearElastic<3>;
template class StVenantKirchhoff<2>;
template class StVenantKirchhoff<3>;
template class NeoHookean<2>;
template class NeoHookean<3>;
} // namespace KickDrift
