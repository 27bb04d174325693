#ifndef KICKDRIFT_POTENTIALS_CELLS_VISCOSITY_H
#define KICKDRIFT_POTENTIALS_CELLS_VISCOSITY_H

#include <kickdrift/potentials/cells/cell_kicks.h>
#include <kickdrift/potentials/kicks_by_clock.h>
#include <kickdrift/stepping/clocks/stepper_exceptions.h>

#include <array>
#include <string>
#include <vector>

namespace KickDrift
{
/**
 * Forces of cells against the rate of their deformation, on the clocks of the cells.
 *
 * Stiffness-proportional damping: stresses @f$S = \tau C : \dot E@f$ with the elasticity C of the
 * reference state (isotropic, from reference_lame()) and the rate of Green's strain, at the points
 * at which the strain energy is integrated. A mode of frequency @f$\omega@f$ has the damping ratio
 * @f$\tau \omega / 2@f$.
 *
 * Bulk viscosity (von Neumann & Richtmyer 1950; Landshoff 1955), which smears shocks over a few
 * cells: the pressure @f$-\rho L (b_1 c + b_2^2 L \max(0, -\dot\epsilon)) \dot\epsilon@f$ with the
 * mean rate @f$\dot\epsilon = \dot v / v@f$ of the volume v of the cell, its present length L, the
 * smallest distance of opposite sides, and the speed c of pressure waves in the reference state.
 *
 * Rates are means since the cell's last kick: differences of what was there then and what is there
 * now, over the time between. That is known whenever kicks come, does not depend on the order of
 * those that come at the same time, and is with one clock the usual velocity half a step ago. So
 * kicks depend on displacements and on what book() remembers, and on velocities not at all.
 *
 * Forces are those of symmetric stresses at the present positions: both momenta stay. Strains and
 * volumes do not change in rigid motion, and so nothing acts against it. What is lost is summed up
 * by the trapezoidal rule between kicks, and is EnergyBalance::viscous_loss.
 */
template <int dim>
class CellViscosity : public ClockedKicks<dim>
{
public:
  /// A vector in space.
  using Vector = typename Kicks<dim>::Vector;

  /**
   * Kick k is that of cell k of @p cells . The integration is that of their strain energy; not
   * StrainIntegration::nodal.
   */
  CellViscosity(const CellData<dim> &cells, const Material<dim> &material,
                StrainIntegration integration, const Viscosity &viscosity);

  /// Rates and losses are counted from the displacements and times that the nodes have now. To be
  /// called before the first kick.
  void begin(const NodeTable<dim> &nodes);

  std::string
  name() const override
  {
    return "viscosity";
  }
  /// Number of kicks.
  unsigned int
  n_kicks() const override
  {
    return nodes_of_cells.size() / nodes_per_cell;
  }
  std::vector<unsigned int> support(unsigned int k) const override;
  /// Their geometry and what is remembered of them go.
  void let_go(const std::vector<char> &is_elsewhere, bool stays_known) override;
  /// See Kicks.
  void kick(NodeTable<dim> &nodes, unsigned int clock, double time, double step) const override;
  /// See Kicks.
  void force(const NodeTable<dim> &nodes, unsigned int k, double time,
             std::vector<Vector> &force) const override;
  /// Sums up losses and remembers the cells as they are.
  void book(const NodeTable<dim> &nodes, unsigned int clock, double time) override;

  /// Includes the loss since the last kicks, up to the time of the nodes.
  void add_energy(const NodeTable<dim> &nodes, EnergyBalance &balance) const override;
  /// A deleted cell is not viscous any more.
  bool
  ends_with_followed() const override
  {
    return true;
  }
  /// What it has lost until then stays.
  void end(const NodeTable<dim> &nodes, unsigned int k) override;
  void serialize(Archive &archive) override;
  KickAccount account(unsigned int k) override;

  /**
   * tau, and for bulk viscosity, with the bulk modulus @f$K = \lambda + 2 \mu/d@f$,
   * @f$b_1 \rho c L / K@f$: no deformation of a cell has less energy for its mean change of volume
   * than the uniform one.
   */
  double damping_time(unsigned int k) const override;
  /// The same with the present deformation and, for quadratic bulk viscosity, rate.
  double current_damping_time(const NodeTable<dim> &nodes, unsigned int k) const override;
  bool has_constant_steps() const override;

private:
  /// A point of integration, with the displacements of the nodes at two times.
  struct PointState;
  /// What the forces of a cell are made of.
  struct CellState;

  /// Forces on the nodes of a kick [force], kept on the stack.
  using Forces = std::array<Vector, 1 << dim>;
  /// Calculate them, for the displacements that the nodes have at @p time.
  Forces forces_at(const NodeTable<dim> &nodes, unsigned int k, double time) const;
  Forces forces_of(const CellState &state, unsigned int k) const;

  /// Number of points of a cell.
  unsigned int n_points() const;
  /// Gradients of the shape functions at a point of a cell, and its weight [1/length].
  double gradients(unsigned int k, unsigned int point, Vector *result) const;
  /// Cell @p k at @p time , compared with when it was booked.
  CellState compare(const NodeTable<dim> &nodes, unsigned int k, double time) const;
  /// Smallest distance of opposite sides for this mean deformation gradient [length].
  double length(unsigned int k, const dealii::Tensor<2, dim> &deformation) const;
  /// Loss of kick @p k from when it was booked until the nodes are where they are.
  double loss_since(const NodeTable<dim> &nodes, unsigned int k, const Forces &forces) const;

  // what is remembered of a kick: some numbers, then forces and displacements of the nodes
  double *
  memory(const unsigned int k)
  {
    return &memories[std::size_t(place(k)) * memory_size];
  }
  const double *
  memory(const unsigned int k) const
  {
    return &memories[std::size_t(place(k)) * memory_size];
  }
  double
  length_of(const unsigned int k) const
  {
    return lengths[place(k)];
  }

  static constexpr unsigned int nowhere = -1; ///< place of what was let go

  /// Where the numbers of kick @p k are. Throws StepperExceptions::ExcGivenElsewhere if they are
  /// not.
  unsigned int
  place(const unsigned int k) const
  {
    if (places.empty())
      return k;
    AssertThrow(places[k] != nowhere, StepperExceptions::ExcGivenElsewhere(k));
    return places[k];
  }

  /// Node @p a of kick @p k.
  unsigned int
  node(const unsigned int k, const unsigned int a) const
  {
    return nodes_of_cells[std::size_t(k) * nodes_per_cell + a];
  }

  const unsigned int nodes_per_cell;
  const std::vector<unsigned int> nodes_of_cells; ///< shape (n_kicks, nodes_per_cell)
  const Viscosity viscosity;
  const StrainIntegration integration;
  const double lambda, mu, density, wave_speed;
  const bool is_linear;
  const unsigned int points_per_cell;                    ///< of the cells, not of the integration
  std::vector<unsigned int> places;                      ///< by kick; empty: all are in order
  std::vector<dealii::Tensor<2, dim>> inverse_jacobians; ///< shape (places, points_per_cell)
  std::vector<double> weights;                           ///< the same shape
  std::vector<double> lengths;                           ///< in the reference state, by place
  const unsigned int memory_size;
  std::vector<double> memories; ///< shape (places, memory_size)
};
} // namespace KickDrift

#endif
