#include "material_split.h"
#include "critical_step.h"

#include <kickdrift/potentials/materials/built_in_materials.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace
{
/// Share of the shear modulus that stabilises.
constexpr double alpha = 0.2;

/// Largest lambda/mu of the stabilisation, so that it does not lock.
constexpr double bound = 1;

/// What one material has beyond another.
template <int dim>
class Difference final : public Material<dim>
{
public:
  using Gradient = typename Material<dim>::Gradient;

  Difference(std::shared_ptr<const Material<dim>> whole, std::shared_ptr<const Material<dim>> part)
      : whole(std::move(whole)), part(std::move(part))
  {
  }
  double
  density() const override
  {
    return whole->density();
  }
  double
  energy_density(const Gradient &H) const override
  {
    return whole->energy_density(H) - part->energy_density(H);
  }
  Gradient
  stress(const Gradient &H) const override
  {
    return whole->stress(H) - part->stress(H);
  }
  double
  stress_across(const Gradient &H) const override
  {
    return whole->stress_across(H) - part->stress_across(H);
  }
  double
  wave_speed() const override
  {
    const double c = whole->wave_speed(), c_part = part->wave_speed();
    return std::sqrt(std::max(0., c * c - c_part * c_part));
  }
  bool
  is_linear() const override
  {
    return whole->is_linear();
  }

private:
  const std::shared_ptr<const Material<dim>> whole, part;
};

template <int dim>
std::shared_ptr<const Material<dim>>
isotropic_material(const BuiltInLaw law, const double density, const Lame &moduli)
{
  const auto [lambda, mu] = moduli;
  const double youngs_modulus = mu * (3 * lambda + 2 * mu) / (lambda + mu);
  const double poissons_ratio = 0.5 * lambda / (lambda + mu);
  switch (law)
  {
  case BuiltInLaw::linear_elastic:
    return std::make_shared<LinearElastic<dim>>(density, youngs_modulus, poissons_ratio);
  case BuiltInLaw::neo_hookean:
    return std::make_shared<NeoHookean<dim>>(density, youngs_modulus, poissons_ratio);
  default:
    return std::make_shared<StVenantKirchhoff<dim>>(density, youngs_modulus, poissons_ratio);
  }
}
} // namespace

template <int dim>
MaterialSplit<dim>
split_for_nodal_integration(std::shared_ptr<const Material<dim>> material)
{
  BuiltInLaw law = material->built_in_law();
  const bool is_built_in = law != BuiltInLaw::none;
  const Lame moduli = reference_lame(*material);
  AssertThrow(moduli.mu > 0,
              dealii::ExcMessage("Nodal integration needs a material with shear stiffness; the "
                                 "shear modulus in the reference state is " +
                                 std::to_string(moduli.mu) + "."));
  const Lame soft = {alpha * std::min(moduli.lambda, bound * moduli.mu), alpha * moduli.mu};
  if (!is_built_in && material->is_linear())
    law = BuiltInLaw::linear_elastic;
  const auto stabilisation = isotropic_material<dim>(law, material->density(), soft);
  if (!is_built_in)
    return {std::make_shared<Difference<dim>>(material, stabilisation), stabilisation};
  const Lame rest = {moduli.lambda - soft.lambda, moduli.mu - soft.mu};
  return {isotropic_material<dim>(law, material->density(), rest), stabilisation};
}

template MaterialSplit<2> split_for_nodal_integration(std::shared_ptr<const Material<2>>);
template MaterialSplit<3> split_for_nodal_integration(std::shared_ptr<const Material<3>>);
} // namespace KickDrift
