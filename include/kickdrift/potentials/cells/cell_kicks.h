#ifndef KICKDRIFT_POTENTIALS_CELLS_CELL_KICKS_H
#define KICKDRIFT_POTENTIALS_CELLS_CELL_KICKS_H

#include <kickdrift/potentials/cells/strain_kicks.h>

namespace KickDrift
{
/// Cells of one type, as the strain kernels need them; filled by deal_ii/ from a DoFHandler.
template <int dim>
struct CellData
{
  /// Nodes per cell: 2^dim (tensor-product cells, deal.II's lexicographic vertex order) or dim+1.
  unsigned int nodes_per_cell = 0;
  /// Quadrature points per cell: 2^dim (2-point Gauss, lexicographic) or 1.
  unsigned int points_per_cell = 0;
  /// Node indices, shape (n_cells, nodes_per_cell).
  std::vector<unsigned int> nodes;
  /// Inverse Jacobians d(reference coordinate)/dX, shape (n_cells, points_per_cell) [1/length].
  std::vector<dealii::Tensor<2, dim>> inverse_jacobians;
  /// Quadrature weight times Jacobian determinant, shape (n_cells, points_per_cell) [length^dim].
  std::vector<double> weights;
  /// Lumped mass that the cell gives to each of its nodes, shape (n_cells, nodes_per_cell) [mass].
  std::vector<double> masses;
  /// Of materials with history: states at the start, shape (n_cells, points_per_cell, n_state);
  /// empty: HistoryMaterial::initial_state() everywhere.
  std::vector<double> initial_states;
};

/**
 * Strain-energy kicks: one per cell, V(x) = sum over quadrature points of weight * W(H).
 *
 * All cells have one type, one material and one kind of geometry; make_cell_kicks() splits a body.
 */
template <int dim>
class CellKicks : public StrainKicks<dim>
{
public:
  /// Index of the cell (in the CellData it was made from) that kick @p k belongs to.
  virtual unsigned int cell(unsigned int k) const = 0;

  /// Strain energy (without that of hourglass control) of kick @p k for nodes that are all at one
  /// time [energy].
  virtual double energy(const NodeTable<dim> &nodes, unsigned int k) const = 0;

  /// Volume average of the Cauchy stress of kick @p k [energy/length^dim].
  virtual dealii::SymmetricTensor<2, dim> mean_stress(const NodeTable<dim> &nodes,
                                                      unsigned int k) const = 0;

  /// The same for the component across the plane of plane strain, in two dimensions
  /// [energy/length^dim].
  virtual double mean_stress_across(const NodeTable<dim> &nodes, unsigned int k) const = 0;

  /// Materials with history: averages of HistoryMaterial::outputs() over the reference volume of
  /// kick @p k, for nodes that are all at one time; others have none.
  virtual std::vector<double>
  mean_outputs(const NodeTable<dim> & /*nodes*/, unsigned int /*k*/) const
  {
    return {};
  }

  /**
   * Delete cells whose failure strain, see failure_strain(), reaches @p strain: from the kick at
   * which it does they exert no force and set no step, and what they have stored is
   * EnergyBalance::eroded_energy. Their masses stay with the nodes. Before the clocks are assigned.
   * @param strain positive [-]
   */
  virtual void set_failure_strain(double strain) = 0;

  /// Has the cell of kick @p k been deleted?
  virtual bool is_deleted(unsigned int k) const = 0;

  /// Number of cells that have been deleted so far.
  virtual unsigned int n_deleted() const = 0;

  /// Bytes held per cell: connectivity, geometry, arrangement by clocks.
  virtual double bytes_per_cell() const = 0;
};

/**
 * Strain-energy kicks for @p cells of one material: one family for each kind of geometry that
 * occurs (axis-parallel boxes, affine cells, general cells), each storing no more than it needs.
 * Throws if a cell is inverted (weight not positive), naming the cell.
 */
template <int dim>
std::vector<std::shared_ptr<CellKicks<dim>>>
make_cell_kicks(const CellData<dim> &cells, std::shared_ptr<const Material<dim>> material);

/**
 * The same with the dilatation averaged over each cell, so that cells do not lock where
 * deformations keep the volume, in plastic flow or if Poisson's ratio is near 1/2 (Simo, Taylor &
 * Pister 1985). Throws for simplices, which have one point, and for linear materials.
 */
template <int dim>
std::vector<std::shared_ptr<CellKicks<dim>>>
make_mean_dilatation_kicks(const CellData<dim> &cells,
                           std::shared_ptr<const Material<dim>> material);

/**
 * The same with one-point integration: V(x) = volume * W(mean H) + hourglass energy. @p cells are
 * described as for make_cell_kicks(). Throws for simplices too, for materials without shear
 * stiffness, and for those with history: hourglass control is elastic.
 */
template <int dim>
std::vector<std::shared_ptr<CellKicks<dim>>>
make_one_point_kicks(const CellData<dim> &cells, std::shared_ptr<const Material<dim>> material,
                     const HourglassControl &control = HourglassControl());
} // namespace KickDrift

#endif
