#ifndef KICKDRIFT_POTENTIALS_CELLS_KICKS_AT_POINTS_H
#define KICKDRIFT_POTENTIALS_CELLS_KICKS_AT_POINTS_H

#include <kickdrift/nodes/interpolation.h>
#include <kickdrift/potentials/cells/cell_kicks.h>
#include <kickdrift/potentials/kicks_by_clock.h>

#include <optional>

namespace KickDrift
{
/**
 * The kicks of another family whose "nodes" are points that follow nodes, such as cells and loads
 * that touch hanging nodes: V(x_p(x_A)).
 *
 * The points of a kick are put where their parents are, the other family kicks them, and what their
 * momenta have changed by goes to the parents with the weights of the interpolation. The support is
 * the parents.
 *
 * Masses @f$m_A@f$ of the parents carry the kick if the other family is stable with masses
 * @f$m_p@f$ of the points for which @f$\sum_p m_p w_{pA} \le m_A@f$, since weights that are not
 * negative and sum to one have @f$(C v)_p^2 \le \sum_A w_{pA} v_A^2@f$ (Jensen). They are divided
 * in proportion to the square roots of the stiffnesses of the points.
 *
 * @tparam Family Kicks<dim> or CellKicks<dim>
 */
template <int dim, typename Family = Kicks<dim>>
class KicksAtPoints : public Family
{
public:
  /// A vector in space.
  using Vector = typename Kicks<dim>::Vector;

  /// @param kicks whose node indices are numbers of @p points
  KicksAtPoints(std::shared_ptr<Family> kicks, std::shared_ptr<const Interpolation<dim>> points);

  /// That of the other family.
  std::string
  name() const override
  {
    return inner->name();
  }
  /// Number of kicks.
  unsigned int
  n_kicks() const override
  {
    return inner->n_kicks();
  }
  /// Parents of the points of the kick, each once.
  std::vector<unsigned int> support(unsigned int k) const override;
  /// Square of the sum of the square roots of those of the points, with their weights.
  void nodal_stiffness(unsigned int k, std::vector<double> &stiffness) const override;
  /// That of the other family with masses of the points, see above.
  double critical_step(unsigned int k, const std::vector<double> &masses) const override;
  /// Those of the other family.
  bool
  has_constant_steps() const override
  {
    return inner->has_constant_steps();
  }
  /// The same for points that have moved with their parents.
  double current_critical_step(const NodeTable<dim> &nodes, unsigned int k,
                               const std::vector<double> &masses) const override;
  /// That of the other family.
  double
  deformation(const NodeTable<dim> &nodes, const unsigned int k) const override
  {
    return inner->deformation(points_of_kick(nodes, k), k);
  }
  /// Of the other family.
  double
  damping_time(const unsigned int k) const override
  {
    return inner->damping_time(k);
  }
  /// Of the other family.
  double
  current_damping_time(const NodeTable<dim> &nodes, const unsigned int k) const override
  {
    return inner->current_damping_time(points_of_kick(nodes, k), k);
  }
  /// What parents get of the masses of the points.
  void own_masses(unsigned int k, std::vector<double> &masses) const override;
  /// Of the other family.
  double
  drift_share() const override
  {
    return inner->drift_share();
  }
  /// They help the other family.
  void
  use_threads(const std::shared_ptr<Threads> &threads, const NodeTable<dim> &) override
  {
    inner->use_threads(threads, table);
  }
  /// See Kicks; points stay.
  void
  let_go(const std::vector<char> &is_elsewhere, const bool stays_known) override
  {
    inner->let_go(is_elsewhere, stays_known);
  }
  /// See Kicks.
  void assign_clocks(const std::vector<unsigned int> &clock_of_kick,
                     unsigned int n_clocks) override;
  /// See Kicks.
  void change_clock(unsigned int k, unsigned int clock) override;
  /// See Kicks.
  void kick(NodeTable<dim> &nodes, unsigned int clock, double time, double step) const override;
  /// Some of the other family.
  std::unique_ptr<KickSubset<dim>> subset(std::vector<unsigned int> kicks) const override;
  /// Of the other family.
  std::optional<unsigned int>
  undefined_clock() const override
  {
    return inner->undefined_clock();
  }
  /// See Kicks.
  void force(const NodeTable<dim> &nodes, unsigned int k, double time,
             std::vector<Vector> &force) const override;
  /// That of the other family.
  bool
  has_history() const override
  {
    return inner->has_history();
  }
  /// See Kicks.
  void book(const NodeTable<dim> &nodes, unsigned int clock, double time) override;
  /// See Kicks.
  void add_energy(const NodeTable<dim> &nodes, EnergyBalance &balance) const override;
  /// Of the other family; the points have no state.
  void
  serialize(Archive &archive) override
  {
    inner->serialize(archive);
  }

  /// Of the other family.
  KickAccount
  account(const unsigned int k) override
  {
    return inner->account(k);
  }

  /// Of the other family.
  bool
  can_end() const override
  {
    return inner->can_end();
  }
  /// Of the other family.
  std::vector<unsigned int>
  take_ended() override
  {
    return inner->take_ended();
  }
  /// Of the other family.
  bool
  ends_with_followed() const override
  {
    return inner->ends_with_followed();
  }
  /// See Kicks.
  void
  end(const NodeTable<dim> &nodes, const unsigned int k) override
  {
    inner->end(points_of_kick(nodes, k), k);
  }

  /// All points where their parents are, which are all at one time; valid until the next call of
  /// anything here. For what the other family is to be told, such as Loads::begin().
  const NodeTable<dim> &points_at(const NodeTable<dim> &nodes) const;

protected:
  /// The points of kick @p k where their parents are, which are all at one time.
  const NodeTable<dim> &points_of_kick(const NodeTable<dim> &nodes, unsigned int k) const;

  /// Memory that the points take [bytes].
  std::size_t memory_of_points() const;

  const std::shared_ptr<Family> inner; ///< the other family

private:
  class Subset;
  /// Numbers of the points of a kick.
  dealii::ArrayView<const unsigned int>
  points_of(const unsigned int k) const
  {
    return {point_list.data() + begin_of_kick[k], begin_of_kick[k + 1] - begin_of_kick[k]};
  }
  /// Sums of numbers of the points of a kick over their parents, with the weights.
  std::vector<double> gather(unsigned int k, const std::vector<double> &of_points) const;
  /// Masses of the points of a kick, from those of its parents.
  std::vector<double> masses_of_points(unsigned int k, const std::vector<double> &masses) const;
  /// The points of these kicks, each once, in the order of the kicks.
  template <typename Range>
  std::vector<unsigned int> points_of_kicks(const Range &kicks) const;
  /// Those of all kicks of a clock.
  const std::vector<unsigned int> &points_on_clock(unsigned int clock) const;
  /// Let @p kick_points () kick these points, where nodes of the table have them at @p time, and
  /// give what it has given to their parents.
  template <typename Function>
  void kick_parents(NodeTable<dim> &nodes, const std::vector<unsigned int> &list, double time,
                    const Function &kick_points) const;
  void place(const NodeTable<dim> &nodes, unsigned int point, double time) const;

  const std::shared_ptr<const Interpolation<dim>> points;
  std::vector<std::size_t> begin_of_kick; ///< shape (n_kicks + 1)
  std::vector<unsigned int> point_list;   ///< of all kicks
  KicksByClock by_clock;

  // What kicks write down for themselves.
  mutable NodeTable<dim> table;        ///< the points
  mutable std::vector<char> is_listed; ///< by point
  /// See points_on_clock(); empty where they have to be listed anew.
  mutable std::vector<std::optional<std::vector<unsigned int>>> points_by_clock;
};

/// Strain-energy kicks of cells at points.
template <int dim>
class CellKicksAtPoints final : public KicksAtPoints<dim, CellKicks<dim>>
{
public:
  /// As KicksAtPoints has it.
  CellKicksAtPoints(std::shared_ptr<CellKicks<dim>> kicks,
                    std::shared_ptr<const Interpolation<dim>> points)
      : KicksAtPoints<dim, CellKicks<dim>>(std::move(kicks), std::move(points))
  {
  }

  /// Cells book no work, so points need not be put where their parents are, unless strains decide
  /// whether cells fail.
  void
  book(const NodeTable<dim> &nodes, const unsigned int clock, const double time) override
  {
    if (this->can_end())
      KicksAtPoints<dim, CellKicks<dim>>::book(nodes, clock, time);
    else
      this->inner->book(nodes, clock, time);
  }
  /// See CellKicks.
  void
  set_failure_strain(const double strain) override
  {
    this->inner->set_failure_strain(strain);
  }
  /// See CellKicks.
  bool
  is_deleted(const unsigned int k) const override
  {
    return this->inner->is_deleted(k);
  }
  /// See CellKicks.
  unsigned int
  n_deleted() const override
  {
    return this->inner->n_deleted();
  }
  /// See CellKicks.
  unsigned int
  cell(const unsigned int k) const override
  {
    return this->inner->cell(k);
  }
  /// See CellKicks.
  double
  energy(const NodeTable<dim> &nodes, const unsigned int k) const override
  {
    return this->inner->energy(this->points_of_kick(nodes, k), k);
  }
  /// See CellKicks.
  dealii::SymmetricTensor<2, dim>
  mean_stress(const NodeTable<dim> &nodes, const unsigned int k) const override
  {
    return this->inner->mean_stress(this->points_of_kick(nodes, k), k);
  }
  /// See CellKicks.
  double
  mean_stress_across(const NodeTable<dim> &nodes, const unsigned int k) const override
  {
    return this->inner->mean_stress_across(this->points_of_kick(nodes, k), k);
  }
  /// See CellKicks.
  std::vector<double>
  mean_outputs(const NodeTable<dim> &nodes, const unsigned int k) const override
  {
    return this->inner->mean_outputs(this->points_of_kick(nodes, k), k);
  }
  /// See StrainKicks.
  const Material<dim> &
  material() const override
  {
    return this->inner->material();
  }
  /// See CellKicks.
  double
  bytes_per_cell() const override
  {
    return this->inner->bytes_per_cell() + double(this->memory_of_points()) / this->n_kicks();
  }
};
} // namespace KickDrift

#endif
