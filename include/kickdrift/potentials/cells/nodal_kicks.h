#ifndef KICKDRIFT_POTENTIALS_CELLS_NODAL_KICKS_H
#define KICKDRIFT_POTENTIALS_CELLS_NODAL_KICKS_H

#include <kickdrift/potentials/cells/cell_kicks.h>
#include <kickdrift/potentials/kicks_by_clock.h>

#include <array>

namespace KickDrift
{
/**
 * Strain-energy kicks of nodal integration (Puso & Solberg, Int. J. Numer. Meth. Engng 67 (2006)
 * 841-867): one per node, V_A W(H_A), with the displacement gradient averaged over the node's part
 * V_A of the cells around it.
 *
 * A node's part of a simplex is its (dim+1)-th, of a tensor-product cell the quadrature point next
 * to the node. The support is all nodes of the cells around the node. The critical step is exact in
 * any state, because the operator has no higher rank than H has entries.
 *
 * Its many functions are those of Kicks and StrainKicks.
 */
template <int dim>
class NodalKicks final : public ClockedKicks<dim, StrainKicks<dim>>
{
public:
  /// A vector in space.
  using Vector = typename Kicks<dim>::Vector;
  /// Gradient of a displacement, or a stress.
  using Gradient = dealii::Tensor<2, dim>;

  /// One kick per node that occurs in @p cells, which must be valid.
  NodalKicks(const CellData<dim> &cells, std::shared_ptr<const Material<dim>> material);

  std::string
  name() const override
  {
    return "nodal strain";
  }
  /// One for each node.
  unsigned int
  n_kicks() const override
  {
    return centres.size();
  }
  std::vector<unsigned int> support(unsigned int k) const override;
  void nodal_stiffness(unsigned int k, std::vector<double> &stiffness) const override;
  double critical_step(unsigned int k, const std::vector<double> &masses) const override;
  /// With the stiffness of the deformed state.
  double current_critical_step(const NodeTable<dim> &nodes, unsigned int k,
                               const std::vector<double> &masses) const override;
  /// From the strain energy, as if it were that of one normal strain.
  double deformation(const NodeTable<dim> &nodes, unsigned int k) const override;
  /// See Kicks.
  void kick(NodeTable<dim> &nodes, unsigned int clock, double time, double step) const override;
  /// See Kicks.
  std::optional<unsigned int>
  undefined_clock() const override
  {
    return undefined;
  }
  /// See Kicks.
  void force(const NodeTable<dim> &nodes, unsigned int k, double time,
             std::vector<Vector> &force) const override;
  /// Adds to the strain energy.
  void add_energy(const NodeTable<dim> &nodes, EnergyBalance &balance) const override;

  /// Of all cells around the nodes.
  const Material<dim> &
  material() const override
  {
    return *the_material;
  }

  /// The node that kick @p k belongs to; ascending.
  unsigned int
  node(const unsigned int k) const
  {
    return centres[k];
  }

  /// Kick of a node. @pre The node occurs in the cells.
  unsigned int kick_of_node(unsigned int node) const;

  /// Reference volume of kick @p k [length^dim].
  double
  volume(const unsigned int k) const
  {
    return volumes[k];
  }

  /// Averaged displacement gradient of kick @p k for nodes that are all at one time.
  Gradient gradient(const NodeTable<dim> &nodes, unsigned int k) const;

  /// Strain energy of kick @p k for nodes that are all at one time [energy].
  double energy(const NodeTable<dim> &nodes, unsigned int k) const;

  /// Cauchy stress of kick @p k [energy/length^dim].
  dealii::SymmetricTensor<2, dim> cauchy_stress(const NodeTable<dim> &nodes, unsigned int k) const;

  /// The same for the component across the plane of plane strain, in two dimensions
  /// [energy/length^dim].
  double
  stress_across(const NodeTable<dim> &nodes, const unsigned int k) const
  {
    return dim == 2 ? the_material->stress_across(gradient(nodes, k)) : 0.;
  }

  /// Memory that a kick takes [bytes].
  double bytes_per_kick() const;

private:
  /// A node of a support: H is the sum of displacement times gradient over the support.
  struct Member
  {
    Vector gradient; ///< of H by the node's displacement [1/length]
    unsigned int node;
  };

  void add_support(const CellData<dim> &cells, const std::vector<std::size_t> &corners);
  using Tangent = std::array<std::array<double, dim * dim>, dim * dim>;
  double step_for_tangent(unsigned int k, const Tangent &current,
                          const std::vector<double> &masses) const;

  std::shared_ptr<const Material<dim>> the_material;
  std::vector<unsigned int> centres;
  std::vector<std::size_t> begin_of_support; ///< shape (n_kicks + 1)
  std::vector<Member> members;               ///< of all supports
  std::vector<double> volumes;
  Tangent tangent;                               ///< of the material in the reference state
  mutable std::optional<unsigned int> undefined; ///< see undefined_clock()
};

/// The potentials of stabilised nodal integration: together they have the energy of the material.
template <int dim>
struct NodalIntegration
{
  std::shared_ptr<NodalKicks<dim>> nodal;                     ///< kicks of the nodes
  std::vector<std::shared_ptr<CellKicks<dim>>> stabilisation; ///< families as of make_cell_kicks()
};

/**
 * Stabilised nodal integration of @p cells of one material: W = W_nodal + W_stabilisation, the
 * first integrated at the nodes, the second cell by cell with the usual quadrature, so that what
 * the nodal averages do not see is resisted. See doc/theory.md for the split.
 *
 * Throws dealii::ExceptionBase as make_cell_kicks() does, and for materials without shear
 * stiffness.
 */
template <int dim>
NodalIntegration<dim> make_nodal_integration(const CellData<dim> &cells,
                                             const std::shared_ptr<const Material<dim>> &material);
} // namespace KickDrift

#endif
