#ifndef KICKDRIFT_POTENTIALS_STRAIN_KICKS_H
#define KICKDRIFT_POTENTIALS_STRAIN_KICKS_H

#include <kickdrift/potentials/material.h>
#include <kickdrift/stepping/kicks.h>

namespace KickDrift
{
/// Where the strain energy of a body is integrated.
enum class StrainIntegration
{
  standard, ///< in the cells: 2-point Gauss in every direction, simplices one point
  nodal     ///< at the nodes, with a stabilisation in the cells: does not lock
};

/// Kicks of strain energy, whatever they are the energy of: cells, or neighbourhoods of nodes.
template <int dim>
class StrainKicks : public Kicks<dim>
{
public:
  /**
   * Critical step of kick @p k in the current state, of the same quality as critical_step(), or
   * within about a per cent of the exact one and nearly always below it [time].
   */
  virtual double current_critical_step(const NodeTable<dim> &nodes, unsigned int k) const = 0;

  virtual const Material<dim> &material() const = 0;
};
} // namespace KickDrift

#endif
