#ifndef KICKDRIFT_SOURCE_POTENTIALS_CELLS_MATERIAL_SPLIT_H
#define KICKDRIFT_SOURCE_POTENTIALS_CELLS_MATERIAL_SPLIT_H

#include <kickdrift/potentials/materials/material.h>

namespace KickDrift
{
/// Two materials whose energy densities add up to that of a third.
template <int dim>
struct MaterialSplit
{
  std::shared_ptr<const Material<dim>> nodal;         ///< for potentials of nodal averages
  std::shared_ptr<const Material<dim>> stabilisation; ///< soft and compressible, for cells
};

/**
 * Split @p material for stabilised nodal integration. The stabilisation has the Lamé parameters
 * alpha mu and alpha min(lambda, bound mu).
 *
 * The built-in laws are linear in the Lamé parameters, so both parts are the same law. For others,
 * the stabilisation is St. Venant-Kirchhoff (linear elastic if the material is linear) with the
 * parameters taken from the tangent in the reference state, and the nodal part the difference.
 * Throws dealii::ExceptionBase if the material has no shear stiffness.
 */
template <int dim>
MaterialSplit<dim> split_for_nodal_integration(std::shared_ptr<const Material<dim>> material);
} // namespace KickDrift

#endif
