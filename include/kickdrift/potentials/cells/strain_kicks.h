#ifndef KICKDRIFT_POTENTIALS_CELLS_STRAIN_KICKS_H
#define KICKDRIFT_POTENTIALS_CELLS_STRAIN_KICKS_H

#include <kickdrift/potentials/materials/material.h>
#include <kickdrift/stepping/kicks/kicks.h>

namespace KickDrift
{
/// Where the strain energy of a body is integrated.
enum class StrainIntegration
{
  standard,       ///< in the cells: 2-point Gauss in every direction, simplices one point
  nodal,          ///< at the nodes, with a stabilisation in the cells: does not lock
  one_point,      ///< in the cells, with the mean gradient and hourglass control
  mean_dilatation ///< as standard, with the dilatation averaged over the cell
};

/**
 * What resists the deformations of quadrilaterals and hexahedra that the mean gradient does not
 * see. The energy is a function of the displacements and does not change when a cell is rotated, so
 * momentum, angular momentum and energy are kept as by strain energy.
 */
struct HourglassControl
{
  /// How the stiffness is chosen.
  enum class Form
  {
    /// Strains that the modes stand for, without those that make cells lock (after Belytschko &
    /// Bindeman 1993).
    physical,
    /// The same stiffness for all modes, a fraction of 2 mu times the square of the mean gradient
    /// operator (after Flanagan & Belytschko 1981).
    flanagan_belytschko
  };
  Form form = Form::physical; ///< how the stiffness is chosen
  double coefficient = 0;     ///< 0: the usual one, 1 for physical, 0.05 for Flanagan-Belytschko
};

/// How viscous the cells of a body are; all zero: not at all.
struct Viscosity
{
  double stiffness_damping = 0; ///< tau, damping as a share of the stiffness [time]
  double linear_bulk = 0;       ///< b1 of bulk viscosity, usually 0.06 [-]
  double quadratic_bulk = 0;    ///< b2 of bulk viscosity, usually 1.2 [-]

  /// Is there any?
  bool
  any() const
  {
    return stiffness_damping > 0 || linear_bulk > 0 || quadratic_bulk > 0;
  }
};

/// Kicks of strain energy, whatever they are the energy of: cells, or neighbourhoods of nodes.
template <int dim>
class StrainKicks : public Kicks<dim>
{
public:
  KickKind
  kind() const override
  {
    return KickKind::strain;
  }

  bool
  has_constant_steps() const override
  {
    return material().is_linear();
  }

  /// Of all kicks of the family.
  virtual const Material<dim> &material() const = 0;
};
} // namespace KickDrift

#endif
