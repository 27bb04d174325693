#ifndef KICKDRIFT_SOURCE_POTENTIALS_CELLS_CELL_FAMILY_H
#define KICKDRIFT_SOURCE_POTENTIALS_CELLS_CELL_FAMILY_H

#include "batches/cell_schedule.h"
#include "cell_deletion.h"
#include "critical_step.h"
#include "fingerprint.h"

#include <kickdrift/potentials/cells/cell_kicks.h>
#include <kickdrift/potentials/materials/history_material.h>
#include <kickdrift/stepping/clocks/stepper_exceptions.h>
#include <kickdrift/stepping/threads.h>

#include <memory>

namespace KickDrift
{
/// The strain-energy kicks of cells with one kind of geometry: the vectorised kernels' owner.
template <int dim>
class CellFamily final : public CellKicks<dim>
{
public:
  using Vector = dealii::Tensor<1, dim>;

  /**
   * @param members indices of the cells of @p cells that belong to the family
   * @param hourglass of a kind other than none: integrate with one point
   * @param scheme not for one point
   */
  CellFamily(const CellData<dim> &cells, std::vector<unsigned int> members,
             CellKernels::Geometry geometry, std::shared_ptr<const Material<dim>> material,
             const CellKernels::HourglassData &hourglass, CellKernels::Scheme scheme);

  /// Does the material have a history, or is dilatation averaged? Then the kernels are others.
  static bool needs_history_kernels(const Material<dim> &material, CellKernels::Scheme scheme);

  std::string
  name() const override
  {
    return "strain";
  }
  unsigned int
  n_kicks() const override
  {
    return members.size();
  }
  std::vector<unsigned int> support(unsigned int k) const override;
  void nodal_stiffness(unsigned int k, std::vector<double> &stiffness) const override;
  double critical_step(unsigned int k, const std::vector<double> &masses) const override;
  std::vector<double>
  critical_steps(const typename Kicks<dim>::MassesOfKick &masses_of_kick) const override;
  /// By a few steps of Lanczos' method with the residual as margin.
  double current_critical_step(const NodeTable<dim> &nodes, unsigned int k,
                               const std::vector<double> &masses) const override;
  /// From the strain energy, as if it were that of one normal strain; with a history the largest
  /// strain.
  double deformation(const NodeTable<dim> &nodes, unsigned int k) const override;
  void own_masses(unsigned int k, std::vector<double> &masses) const override;
  void use_threads(const std::shared_ptr<Threads> &threads, const NodeTable<dim> &nodes) override;
  /// Their geometry and history go, unless they stay known.
  void
  let_go(const std::vector<char> &is_elsewhere, const bool stays_known) override
  {
    has_last_clock_elsewhere = true;
    if (!stays_known)
      elsewhere = is_elsewhere;
  }
  void assign_clocks(const std::vector<unsigned int> &clock_of_kick,
                     unsigned int n_clocks) override;
  void change_clock(unsigned int k, unsigned int clock) override;
  void kick(NodeTable<dim> &nodes, unsigned int clock, double time, double step) const override;
  void kick_in_sequence(NodeTable<dim> &nodes, const dealii::ArrayView<const DueClock> &due,
                        const std::function<void(unsigned int)> &after) const override;
  std::unique_ptr<KickSubset<dim>> subset(std::vector<unsigned int> kicks) const override;
  std::optional<unsigned int>
  undefined_clock() const override
  {
    return undefined;
  }
  double
  drift_share() const override
  {
    return drift_sampler.drift_share();
  }
  void force(const NodeTable<dim> &nodes, unsigned int k, double time,
             std::vector<Vector> &force) const override;
  void add_energy(const NodeTable<dim> &nodes, EnergyBalance &balance) const override;
  bool
  has_history() const override
  {
    return history && history->size_of_cell() > 0;
  }
  /// Commits the states that the last kick has proposed.
  void book(const NodeTable<dim> &nodes, unsigned int clock, double time) override;
  /// The committed states of a cell.
  KickAccount account(unsigned int k) override;
  /// The committed states, by cell.
  void serialize(Archive &archive) override;

  bool
  can_end() const override
  {
    return deletion != nullptr;
  }
  /// Of cells that have failed.
  std::vector<unsigned int> take_ended() override;
  void end(const NodeTable<dim> &nodes, unsigned int k) override;
  void set_failure_strain(double strain) override;
  bool
  is_deleted(const unsigned int k) const override
  {
    return deletion && deletion->is_deleted[k];
  }
  unsigned int
  n_deleted() const override
  {
    return deletion ? deletion->n_deleted : 0;
  }

  unsigned int
  cell(const unsigned int k) const override
  {
    return members[k];
  }
  double energy(const NodeTable<dim> &nodes, unsigned int k) const override;
  dealii::SymmetricTensor<2, dim> mean_stress(const NodeTable<dim> &nodes,
                                              unsigned int k) const override;
  double mean_stress_across(const NodeTable<dim> &nodes, unsigned int k) const override;
  std::vector<double> mean_outputs(const NodeTable<dim> &nodes, unsigned int k) const override;
  const Material<dim> &
  material() const override
  {
    return *the_material;
  }
  double bytes_per_cell() const override;

private:
  class Subset;
  static constexpr unsigned int max_nodes = 1 << dim;
  static constexpr unsigned int max_size = max_nodes * dim * CellKernels::n_lanes;

  /// Throw if the cell was let_go().
  void
  check_held(const unsigned int slot) const
  {
    AssertThrow(slot < schedule.batches().n_complete(),
                StepperExceptions::ExcGivenElsewhere(schedule.cell(slot)));
  }
  void store_geometry(const CellData<dim> &cells, unsigned int cell,
                      std::vector<double> &numbers) const;
  void store_masses(const CellData<dim> &cells);
  /// What is stored of the geometry of a cell, shape (n_geometry).
  using Numbers = std::vector<double>;
  Numbers numbers(unsigned int slot) const;
  /// The same, rounded, with the @p masses of its nodes, rounded in place: all that the critical
  /// step depends on. Cells with one fingerprint get the same numbers.
  Numbers rounded(unsigned int slot, std::vector<double> &masses, Fingerprint &fingerprint) const;
  /// d(reference coordinate)/dX at a point; not with one-point integration of general cells.
  dealii::Tensor<2, dim> inverse_jacobian(const Numbers &numbers, unsigned int point) const;
  /// Gradients of the shape functions at a point.
  std::vector<Vector> gradients(const Numbers &numbers, unsigned int point) const;
  /// Displacement gradient at a point; of one-point cells the mean one.
  dealii::Tensor<2, dim> displacement_gradient(unsigned int slot, const Numbers &numbers,
                                               unsigned int point,
                                               const NodeTable<dim> &nodes) const;
  /// What the material gets to see at the points: displacement gradients, perhaps with the
  /// dilatation averaged.
  std::vector<dealii::Tensor<2, dim>> strains(unsigned int slot, const Numbers &numbers,
                                              const NodeTable<dim> &nodes) const;
  /// States at the points that follow from the committed ones, shape (points, n_state).
  std::vector<double> states(unsigned int slot, const std::vector<dealii::Tensor<2, dim>> &strains,
                             double time) const;
  double
  time_of(const NodeTable<dim> &nodes, const unsigned int slot) const
  {
    return nodes[schedule.batches().nodes_of(slot)[0]].time;
  }
  const double *
  state_of_point(const std::vector<double> &states, const unsigned int point) const
  {
    return states.data() + point * (states.size() / points_per_cell);
  }
  template <typename Job>
  void share(unsigned int first, unsigned int last, const Job &job) const;
  /// Of the slots [begin, end).
  void get_energies(unsigned int begin, unsigned int end, const NodeTable<dim> &nodes,
                    CellKernels::Energies *result) const;
  /// Is a cell to be deleted, whose nodes are at the time of its kick?
  bool fails(const NodeTable<dim> &nodes, unsigned int k) const;
  void find_failed(const NodeTable<dim> &nodes, unsigned int clock);
  void serialize_deletion(Archive &archive);
  double weight(const Numbers &numbers, unsigned int point) const;
  double size(unsigned int slot) const;
  /// Upper triangle of the stiffness matrix in the reference state.
  std::vector<double> stiffness_matrix(const Numbers &numbers) const;
  void apply_stiffness(const NodeTable<dim> &nodes, unsigned int k,
                       const std::vector<double> &direction, std::vector<double> &result) const;

  std::shared_ptr<const Material<dim>> the_material;
  std::vector<unsigned int> members;
  CellKernels::Geometry geometry;
  unsigned int nodes_per_cell;
  bool one_point;
  unsigned int points_per_cell;
  const CellKernels::KernelSet &kernels;
  CellKernels::Kernel kernel;
  CellKernels::LawData law;
  CellKernels::Scheme scheme;
  const HistoryMaterial<dim> *with_history; ///< the material, if it has one; else null
  CellSchedule schedule;
  std::shared_ptr<Threads> threads;      ///< null: there is one
  bool has_last_clock_elsewhere = false; ///< does the last clock never come, see let_go()?
  std::vector<char> elsewhere; ///< of which nothing stays, until assign_clocks(); empty: none
  /// Kicks propose what follows; null: the kernels need none.
  std::unique_ptr<CellHistory> history;
  std::unique_ptr<CellDeletion> deletion; ///< null: no cell is ever deleted
  mutable DriftSampler drift_sampler;
  mutable std::optional<unsigned int> undefined; ///< see undefined_clock()
  Tangent<dim> tangent;                          ///< of the material in the reference state
  /// Own lumped masses, shape (n_kicks, 1 if all nodes of a cell have the same).
  std::vector<float> masses;
};
} // namespace KickDrift

#endif
