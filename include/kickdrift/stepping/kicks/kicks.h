#ifndef KICKDRIFT_STEPPING_KICKS_KICKS_H
#define KICKDRIFT_STEPPING_KICKS_KICKS_H

#include <kickdrift/base/lifetime.h>
#include <kickdrift/nodes/node_table.h>
#include <kickdrift/stepping/clocks/stepper_exceptions.h>
#include <kickdrift/stepping/kicks/energy_balance.h>
#include <kickdrift/stepping/kicks/kick_subset.h>

#include <deal.II/base/array_view.h>

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace KickDrift
{
class Archive;
class Threads;
template <int spacedim>
class KickFamilies;

/// A clock whose kicks are due.
struct DueClock
{
  unsigned int clock; ///< number of the clock
  double time;        ///< [time]
  double step;        ///< [time]
};

/// Numbers that a family keeps of one of its kicks: number i is data[i * stride].
struct KickAccount
{
  double *data = nullptr;  ///< the first number; null if there are none, or none any more
  unsigned int size = 0;   ///< how many there are
  unsigned int stride = 1; ///< from one to the next
};

/// What kicks stand for, as reports group them.
enum class KickKind
{
  strain, ///< strain energy
  rigid,  ///< cells without strain energy
  sweep,  ///< in reports only: all that sweeps at class boundaries evaluate
  other   ///< loads, springs, damping, ...
};

/**
 * A family of kicks of one kind: whatever changes velocities at an instant. Strain energy of cells,
 * body forces, tractions and springs are families; new physics is a new family.
 *
 * A family does not know when its kicks come. The stepper puts every kick on a clock, and from then
 * on asks for all kicks of a clock at once. Families that are evaluated kick by kick are simpler to
 * write with SimpleKicks.
 *
 * More than twenty functions: what stepper, critical steps, books and checkpoints ask of a
 * family. Most have a default, and SimpleKicks leaves four of them to write.
 */
template <int spacedim>
class Kicks
{
  template <int>
  friend class KickFamilies;

public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  virtual ~Kicks() = default;

  /// Name under which the family's kicks are counted in reports, e.g. "strain".
  virtual std::string name() const = 0;

  /// What the kicks stand for.
  virtual KickKind
  kind() const
  {
    return KickKind::other;
  }

  /// Of families that cover the same matter, which one this is, as membrane and bending of a shell;
  /// 0 for all others. The forces of each are smooth by themselves, so that the clocks of one do
  /// not matter to the other: see ClassBoundaries.
  virtual unsigned int
  stratum() const
  {
    return 0;
  }

  /// Number of kicks; they count from 0.
  virtual unsigned int n_kicks() const = 0;

  /// Nodes whose displacements kick @p k depends on and whose velocities it changes.
  virtual std::vector<unsigned int> support(unsigned int k) const = 0;

  /**
   * Stiffness that kick @p k puts on each node of its support in the reference state: the largest
   * eigenvalue of the node's diagonal block of the second derivatives of V, or a bound of it such
   * as the trace; not negative. It says how nodal masses are shared among kicks, see CriticalSteps.
   * @param stiffness shape (nodes of the support), of any length before [force/length]; left empty
   * if the kick sets no limit to the step
   */
  virtual void
  nodal_stiffness(unsigned int /*k*/, std::vector<double> &stiffness) const
  {
    stiffness.clear();
  }

  /**
   * Critical step 2/omega_max of kick @p k alone in the reference state, if its nodes had these
   * masses; never above the exact one, infinity if the kick sets no limit [time].
   *
   * By default from @f$\omega^2 \le \sum_A \kappa_A / m_A@f$ with the nodal_stiffness()
   * @f$\kappa_A@f$: as V is convex, @f$u \cdot K u \le (\sum_A \sqrt{\kappa_A} |u_A|)^2@f$. For a
   * spring that is exact.
   * @param masses shape (nodes of the support) [mass]; zero only at nodes without stiffness
   */
  virtual double critical_step(unsigned int k, const std::vector<double> &masses) const;

  /// Calculates the masses with which a kick carries its nodes, shape (nodes of the support)
  /// [mass].
  using MassesOfKick = std::function<void(unsigned int k, std::vector<double> &masses)>;

  /// critical_step() of all kicks, shape (n_kicks()) [time]. Families in which many kicks are equal
  /// calculate equal ones once.
  virtual std::vector<double> critical_steps(const MassesOfKick &masses_of_kick) const;

  /// Are critical steps, or damping times, independent of the displacements?
  virtual bool
  has_constant_steps() const
  {
    return true;
  }

  /**
   * A strain that says how far kick @p k is from the reference state, for nodes that are all at one
   * time [-]. It need not be exact: the current critical step is calculated anew only if this has
   * changed. By default it is always.
   */
  virtual double
  deformation(const NodeTable<spacedim> & /*nodes*/, unsigned int /*k*/) const
  {
    return std::numeric_limits<double>::infinity();
  }

  /**
   * critical_step() in the current state, for nodes that are all at one time: of the same quality,
   * or within about a per cent of the exact one and nearly always below it [time].
   */
  virtual double
  current_critical_step(const NodeTable<spacedim> & /*nodes*/, const unsigned int k,
                        const std::vector<double> &masses) const
  {
    return critical_step(k, masses);
  }

  /**
   * For kicks on the clock of another one, which oppose velocities: a time @f$\tau_k@f$ with which
   * the damping matrix C of kick @p k is bounded by the stiffness matrix of the kick that it
   * follows, @f$C \le \tau_k K@f$, in the reference state; zero: there is no damping [time].
   *
   * The critical step h of that kick becomes @f$h (\sqrt{1 + \xi^2} - \xi)@f$ with
   * @f$\xi = \tau/h@f$ and the sum @f$\tau@f$ of all that damp it: stable is
   * @f$\frac 1 4 h^2 K + \frac 1 2 h C \le M@f$ if forces are those of velocities half a step ago.
   */
  virtual double
  damping_time(unsigned int /*k*/) const
  {
    return 0;
  }

  /// The same in the current state, for nodes that are all at one time, still as a multiple of the
  /// stiffness in the reference state [time].
  virtual double
  current_damping_time(const NodeTable<spacedim> & /*nodes*/, const unsigned int k) const
  {
    return damping_time(k);
  }

  /**
   * The part of the nodes' masses that belongs to kick @p k itself, such as the lumped mass of a
   * cell; empty if there is no such thing. Those of all kicks must add up to the nodes' masses.
   * @param masses shape (nodes of the support), of any length before [mass]
   */
  virtual void
  own_masses(unsigned int /*k*/, std::vector<double> &masses) const
  {
    masses.clear();
  }

  /**
   * Let @p threads help in kick(); called at most once, before assign_clocks(), which may then use
   * the reference positions of @p nodes. The bits of the result must not depend on the number of
   * threads. By default all kicks are given by the calling thread.
   */
  virtual void
  use_threads(const std::shared_ptr<Threads> & /*threads*/, const NodeTable<spacedim> & /*nodes*/)
  {
  }

  /**
   * With several processes: only others give the kicks @p k with @p is_elsewhere [k], shape
   * (n_kicks()). Called at most once, before assign_clocks(), which puts these kicks on the last
   * clock, which never comes. Unless @p stays_known nothing is asked about them from now on but
   * support(), and account() for its size, so what else they need may go. By default everything
   * stays.
   */
  virtual void
  let_go(const std::vector<char> & /*is_elsewhere*/, bool /*stays_known*/)
  {
  }

  /// Must one process give all kicks? Then Stepper::start() refuses several.
  virtual bool
  is_for_one_process() const
  {
    return false;
  }

  /**
   * Arrange the kicks by clock; called once before the first kick.
   * @param clock_of_kick shape (n_kicks())
   */
  virtual void assign_clocks(const std::vector<unsigned int> &clock_of_kick,
                             unsigned int n_clocks) = 0;

  /// Kick @p k belongs to @p clock from now on. Only called between kicks, rarely.
  virtual void change_clock(unsigned int k, unsigned int clock) = 0;

  /**
   * Drift the supports of all kicks of @p clock to @p time and subtract
   * step * inverse mass * dV/dx from the velocities, as if all nodes were free.
   *
   * With several processes a kick moves a node by one NodeTable::drift(), to exactly @p time and
   * before it changes the velocity, and does not change displacements or times otherwise: other
   * processes that hold kicks on the node are told its new velocity and time only, and drift it
   * themselves. A build of deal.II's Debug flavour checks that.
   *
   * Two kicks at one time with steps a and b must be one with step a + b, and a kick must change
   * nothing but @p nodes: Stepper::snapshot() kicks a copy with fractional, also negative, steps.
   */
  virtual void kick(NodeTable<spacedim> &nodes, unsigned int clock, double time,
                    double step) const = 0;

  /**
   * Some kicks, to be given together at any time, without drifting, for as long as the family
   * lives and neither clocks nor deletions change. By default from force().
   */
  virtual std::unique_ptr<KickSubset<spacedim>> subset(std::vector<unsigned int> kicks) const;

  /// Estimate of the share of drifting in the time spent in kick(); zero if not known.
  virtual double
  drift_share() const
  {
    return 0;
  }

  /**
   * kick() for several clocks one after the other, in the order of their times. After the kicks of
   * due[i], and before the next change anything, @p after(i) is called (unless it is empty); it may
   * only change the velocities of the nodes of the kicks of due[i].
   *
   * Families may evaluate several kicks at once if the result is the same to the last bit. After a
   * kick with an undefined_clock() there are no more.
   */
  virtual void
  kick_in_sequence(NodeTable<spacedim> &nodes, const dealii::ArrayView<const DueClock> &due,
                   const std::function<void(unsigned int)> &after) const
  {
    for (unsigned int i = 0; i < due.size(); ++i)
    {
      kick(nodes, due[i].clock, due[i].time, due[i].step);
      if (undefined_clock())
        return;
      if (after)
        after(i);
    }
  }

  /// The clock on which the last kick(), or kick_in_sequence(), has met a force that is not finite,
  /// such as that of a cell which is turned inside out. Families that do not look have none.
  virtual std::optional<unsigned int>
  undefined_clock() const
  {
    return {};
  }

  /**
   * Force -dV/dx of kick @p k on each node of its support, at the nodes' positions extrapolated to
   * @p time. For queries about single kicks, not for the loop.
   */
  virtual void force(const NodeTable<spacedim> &nodes, unsigned int k, double time,
                     std::vector<Vector> &force) const = 0;

  /// force() of a kick on @p n_nodes nodes. Throws StepperExceptions::ExcForceLength if it is not
  /// as long as that.
  void
  checked_force(const NodeTable<spacedim> &nodes, const unsigned int k, const double time,
                const unsigned int n_nodes, std::vector<Vector> &result) const
  {
    force(nodes, k, time, result);
    AssertThrow(result.size() == n_nodes,
                StepperExceptions::ExcForceLength(name(), k, result.size(), n_nodes));
  }

  /// Do kicks depend on earlier ones? Then book() tells that one counts, at once after it.
  virtual bool
  has_history() const
  {
    return false;
  }

  /// Called after each kick of @p clock in the run (not for snapshots), for families that sum up
  /// their work, or that remember what has happened to them: kick by kick, see account().
  virtual void
  book(const NodeTable<spacedim> & /*nodes*/, unsigned int /*clock*/, double /*time*/)
  {
  }

  /**
   * The numbers that book() keeps of kick @p k, such as its work until now or what it remembers;
   * empty: none. With several processes a kick is given and booked by those that own its nodes, and
   * the first process gets the accounts of all kicks: sums over kicks are formed of these, in
   * add_energy(), and by the first process only.
   */
  virtual KickAccount
  account(const unsigned int /*k*/)
  {
    return {};
  }

  /// May kicks come to an end during a run, as those of cells that fail do?
  virtual bool
  can_end() const
  {
    return false;
  }

  /// Kicks that have come to their end with the last book(), each once. They count until the time
  /// of the kick: what they have given beyond it is taken back.
  virtual std::vector<unsigned int>
  take_ended()
  {
    return {};
  }

  /// For kicks on the clock of another one: do they end when that one does?
  virtual bool
  ends_with_followed() const
  {
    return false;
  }

  /// Kick @p k is not given any more. Its nodes are at the time of its last kick, at which it is
  /// called, after book(): what is stored then is lost.
  virtual void
  end(const NodeTable<spacedim> & /*nodes*/, unsigned int /*k*/)
  {
  }

  /// Add the family's share (strain energy, external work, ...) for nodes that are all at one time.
  virtual void add_energy(const NodeTable<spacedim> &nodes, EnergyBalance &balance) const = 0;

  /// Write to, or read from, a checkpoint what the family has summed up. Clocks are not part of it:
  /// the stepper restores them by change_clock().
  virtual void
  serialize(Archive & /*archive*/)
  {
  }

private:
  Lifetime::Watch on_clocks; ///< of the families of a stepper that have given it its clocks
};
} // namespace KickDrift

#endif
