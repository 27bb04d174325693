#ifndef KICKDRIFT_CONTACT_MASSLESS_ZONE_H
#define KICKDRIFT_CONTACT_MASSLESS_ZONE_H

#include <kickdrift/contact/massless/equilibrium.h>
#include <kickdrift/contact/massless/lenders.h>
#include <kickdrift/contact/response/pairs.h>
#include <kickdrift/contact/response/statistics.h>
#include <kickdrift/stepping/stepper.h>

#include <memory>
#include <vector>

namespace KickDrift
{
/// What solutions took, of kicks of the run.
struct MasslessEfforts
{
  std::uint64_t solutions = 0;  ///< kicks
  std::uint64_t iterations = 0; ///< of Newton's method, of all solutions
  std::uint64_t sweeps = 0;     ///< of all iterations
  std::uint64_t unfinished = 0; ///< solutions that were not within the tolerance at the end
};

/// What all zones of a model write down together.
template <int spacedim>
struct MasslessBooks
{
  ContactStatistics<spacedim> stats; ///< impulses on nodes, deepest penetration, at kicks
  ContactPairs<spacedim> pairs;      ///< resultants
  MasslessEfforts done;              ///< what solutions took
  mutable NodeTable<spacedim> copy;  ///< of the nodes, to be changed by whoever solves
};

/**
 * Lasting contact as a potential: nodes of the surface without mass.
 *
 * Nodes in contact have lent their masses to receivers in the next layer. They are where the energy
 * V(q, s) of the cells around them (the layer) is least under the constraint that nothing
 * penetrates. That makes the energy of the layer a potential of the massive nodes q alone,
 * @f[ \hat V(q) = \min_s V(q, s), \quad g_c(q, s) \ge 0, @f]
 * with continuous derivatives, which are the forces at the minimum:
 * @f$\partial\hat V/\partial q = \partial V/\partial q - \sum_c \lambda_c \nabla_q g_c@f$ with the
 * contact forces @f$\lambda_c \ge 0@f$. So the zone is a family of one kick on one clock, given in
 * place of the kicks of its cells: no impulses, no chatter, penetration by compliance only, and
 * forces of static contact by construction.
 *
 * What equilibrium lacks at a massless node when iterations stop is given to its receiver, so that
 * momentum is exact at any tolerance.
 *
 * The step: as both sides are massless, and obstacles stand still, changes of q alone are
 * admissible, so that no frequency of the zone is above that of its cells with the masses that they
 * had; masses of receivers have only grown.
 *
 * Massless nodes move with their receivers between kicks, which is a good start for the next
 * solution. In snapshots they are where equilibrium puts them, with the receivers' velocities.
 */
template <int spacedim>
class MasslessZone : public Kicks<spacedim>, public MasslessExceptions
{
public:
  /// A vector in space.
  using Vector = typename Kicks<spacedim>::Vector;

  /**
   * @param targets all their nodes are massless or held
   * @param loans of all massless nodes among them, ascending; masses have been lent
   * @param ids of all kicks that act on massless nodes, ascending
   *
   * Nodes, stepper and books must outlive the zone; its kick must be given in place of those with
   * these ids (see Stepper::add_in_place_of()), and start() called after Stepper::start().
   */
  MasslessZone(const NodeTable<spacedim> &nodes, const Stepper<spacedim> &stepper,
               MasslessTargets<spacedim> targets, std::vector<MasslessLoan> loans,
               std::vector<unsigned int> ids, MasslessBooks<spacedim> &books,
               const MasslessParameters &parameters);

  /// Ids of the kicks that act on massless nodes.
  const std::vector<unsigned int> &
  ids() const
  {
    return ids_of_layer;
  }

  /// Find what is near, and the blocks of the layer; throws ExcNoEquilibrium.
  void start();

  /// Number of massless nodes.
  unsigned int
  n_massless() const
  {
    return massless.size();
  }

  /// By massless node.
  const std::vector<MasslessLoan> &
  loans() const
  {
    return massless;
  }

  /// Add what is pending of nodal impulses at the present time, so that they are what
  /// Stepper::snapshot() sees.
  void add_pending(ContactStatistics<spacedim> &statistics) const;

  /// The same for resultants of pairs.
  void add_pending(ContactPairs<spacedim> &pairs) const;

  std::string
  name() const override
  {
    return "massless zone";
  }
  KickKind
  kind() const override
  {
    return KickKind::strain;
  }
  unsigned int
  n_kicks() const override
  {
    return 1;
  }
  std::vector<unsigned int> support(unsigned int k) const override;
  void assign_clocks(const std::vector<unsigned int> &clock_of_kick,
                     unsigned int n_clocks) override;
  void change_clock(unsigned int k, unsigned int clock) override;
  void kick(NodeTable<spacedim> &nodes, unsigned int clock, double time,
            double step) const override;
  void force(const NodeTable<spacedim> &nodes, unsigned int k, double time,
             std::vector<Vector> &force) const override;
  void book(const NodeTable<spacedim> &nodes, unsigned int clock, double time) override;
  /// That of the compliance of contacts; that of cells is added by their families.
  void add_energy(const NodeTable<spacedim> &nodes, EnergyBalance &balance) const override;
  void serialize(Archive &archive) override;

private:
  /// What the last kick has found, to be kept if it was one of the run.
  struct Solution
  {
    typename MasslessEquilibrium<spacedim>::Memories memories;
    typename MasslessEquilibrium<spacedim>::Effort effort;
    double step = 0; ///< of the kick [time]
  };

  void make_layer();
  /// Move massless nodes to the equilibrium, and calculate the forces on all members there.
  void solve(NodeTable<spacedim> &nodes, double time, std::vector<Vector> &forces) const;
  /// Call @p f (contact, normal force, friction), as they act on the contactor, for the contacts of
  /// the last solution that bear.
  template <typename Function>
  void
  for_each_force(const Function &f) const
  {
    for (const auto &contact : equilibrium->contacts())
      if (last.memories[contact.pair].force > 0)
        f(contact, last.memories[contact.pair].force * contact.stencil.normal,
          last.memories[contact.pair].friction);
  }
  double largest_relative_speed(const NodeTable<spacedim> &nodes) const;
  /// Energy that friction has taken since the last kick, in the last solution.
  double slip_loss(const NodeTable<spacedim> &nodes) const;
  /// Anchors of nodes that slip, or do not touch, move with them.
  void move_anchors(const NodeTable<spacedim> &nodes,
                    typename MasslessEquilibrium<spacedim>::Memories &of_pairs) const;
  /// Solve at the present time; returns how long its forces are still to act, or have acted too
  /// long (negative) [time].
  double solve_now() const;
  /// Add impulses of the last solution.
  void book_impulses(ContactStatistics<spacedim> &statistics, double duration) const;
  void book_impulses(ContactPairs<spacedim> &pairs, double duration) const;
  /// Nodes of the layer where they are at @p time, in a table that may be changed.
  NodeTable<spacedim> &copy_at(const NodeTable<spacedim> &nodes, double time) const;

  const NodeTable<spacedim> &nodes;
  const Stepper<spacedim> &stepper;
  const MasslessTargets<spacedim> targets;
  const MasslessParameters parameters;
  const std::vector<MasslessLoan> massless;
  const std::vector<unsigned int> ids_of_layer;
  double length;               ///< smallest distance of a massless node from its receiver [length]
  double way_since_search = 0; ///< of two contactors to each other, at most [length]
  std::unique_ptr<MasslessLayer<spacedim>> layer;
  std::unique_ptr<MasslessEquilibrium<spacedim>> equilibrium;
  unsigned int own_clock = 0;
  typename MasslessEquilibrium<spacedim>::Memories memories; ///< of the last kick of the run
  // see MasslessBooks
  ContactStatistics<spacedim> &stats;
  ContactPairs<spacedim> &pairs;
  MasslessEfforts &done;
  NodeTable<spacedim> &copy; ///< see copy_at()
  unsigned int kicks = 0;    ///< of this zone

  mutable Solution last;
  mutable std::vector<Vector> forces_on_members; ///< to allocate them once [force]
};
} // namespace KickDrift

#endif
