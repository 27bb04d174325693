#ifndef KICKDRIFT_POTENTIALS_LOADS_DASHPOTS_H
#define KICKDRIFT_POTENTIALS_LOADS_DASHPOTS_H

#include <kickdrift/potentials/kicks_by_clock.h>
#include <kickdrift/potentials/loads/damping.h>
#include <kickdrift/stepping/kicks/damping_kicks.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace KickDrift
{
/// A linear dashpot at a node: the force is @f$-c@f$ times the velocity relative to the other end.
template <int spacedim>
struct Dashpot
{
  /// Where it pulls.
  enum class Direction
  {
    along, ///< the line from one end to the other, at the time; nowhere if they are at one point
    all    ///< in all directions; to a point that does not move only
  };

  unsigned int node;                      ///< one end
  std::optional<unsigned int> other;      ///< the other end; none: a point that does not move
  dealii::Point<spacedim> anchor;         ///< that point [length]
  double coefficient;                     ///< c, not negative [force time/length]
  Direction direction = Direction::along; ///< where it pulls
};

/**
 * Dashpots; see DampingKicks with @f$x = c w h@f$ for an interval h, w being the effective inverse
 * mass between the ends in the direction of the dashpot. They limit no critical step, whatever x.
 * But kicks on nodes that dashpots connect get the class of the finest of them: see Damping in
 * doc/theory.md.
 *
 * Those that share nodes are one kick: they are solved together, and for x each counts what all of
 * them do to the velocity between its ends. Impulses on both ends are opposite and along the line
 * between them: momenta stay. What is taken, the impulse times the mean of the relative velocities
 * of the intervals before and after, goes to NodeTable::dashpot_loss().
 *
 * For one process: the solution needs all nodes. It takes time with the cube of the number in a
 * group.
 */
template <int spacedim>
class Dashpots : public ClockedKicks<spacedim, DampingKicks<spacedim>>
{
public:
  /// A vector in space.
  using Vector = typename Kicks<spacedim>::Vector;

  /**
   * @param dashpots throws dealii::ExceptionBase if one has invalid properties, naming it
   * @param damping of the nodes, which is to be added after the dashpots: both are solved together
   */
  explicit Dashpots(std::vector<Dashpot<spacedim>> dashpots,
                    std::vector<std::shared_ptr<const Damping<spacedim>>> damping = {});

  std::string
  name() const override
  {
    return "dashpot";
  }
  /// Number of kicks: of groups of dashpots that share nodes.
  unsigned int
  n_kicks() const override
  {
    return groups.size();
  }
  std::vector<unsigned int>
  support(const unsigned int k) const override
  {
    return groups[k].nodes;
  }
  bool
  is_for_one_process() const override
  {
    return true;
  }
  void damp(NodeTable<spacedim> &nodes, const std::vector<Vector> &before, unsigned int clock,
            double time, double step) override;
  void damp_share(NodeTable<spacedim> &nodes, const std::vector<Vector> &before, unsigned int clock,
                  double time, double duration) const override;
  void force(const NodeTable<spacedim> &nodes, unsigned int k, double time,
             std::vector<Vector> &force) const override;
  Vector impulse_on(const NodeTable<spacedim> &nodes, unsigned int k, unsigned int node,
                    const Vector &velocity, double time, double duration) const override;
  void serialize(Archive &archive) override;

private:
  /// Dashpots that share nodes.
  struct Group
  {
    std::vector<unsigned int> nodes;   ///< ascending
    std::vector<unsigned int> members; ///< indices of dashpots, ascending
  };
  /// A dashpot, or one of the directions of one that pulls in all.
  struct Row;
  using VectorOf = std::function<Vector(unsigned int node)>;
  /// What damping does to a node, given kick k of a family of damping.
  using EffectOf = std::function<typename Damping<spacedim>::Effect(
      const Damping<spacedim> &damping, unsigned int k, unsigned int node)>;
  /// How velocities of nodes become those after damping.
  using Effects = std::map<unsigned int, typename Damping<spacedim>::Effect>;

  Effects effects(const Group &group, unsigned int clock, const EffectOf &effect) const;
  static VectorOf after(const NodeTable<spacedim> &nodes, const Effects &effects,
                        const VectorOf &velocity);
  std::vector<Row> rows(const NodeTable<spacedim> &nodes, const Group &group, double time,
                        const Effects &effects) const;
  static VectorOf velocity_of(const Group &group,
                              typename std::vector<Vector>::const_iterator begin);
  /// Velocity or displacement of the node relative to the other end; if it is pulled in all
  /// directions, the part that its restraints leave free.
  Vector relative(const NodeTable<spacedim> &nodes, unsigned int member,
                  const VectorOf &vector) const;
  std::vector<double> impulses(const std::vector<Row> &rows, double step, bool only_after) const;
  std::vector<Vector> sums(const Group &group, const std::vector<Row> &rows,
                           const std::vector<double> &impulses) const;
  void give(NodeTable<spacedim> &nodes, const Group &group, const std::vector<Vector> &before,
            const Effects &effects, const std::vector<Vector> &impulses) const;
  Effects effects_of_share(const Group &group, unsigned int clock, double time,
                           double duration) const;
  std::vector<Vector> share(const NodeTable<spacedim> &nodes, const Group &group,
                            const Effects &effects, const VectorOf &velocity, double time,
                            double duration) const;

  const std::vector<unsigned int> &
  on_clock(const unsigned int clock) const override
  {
    return this->by_clock.kicks(clock);
  }

  const std::vector<Dashpot<spacedim>> dashpots;
  const std::vector<std::shared_ptr<const Damping<spacedim>>> damping;
  std::vector<Group> groups;
  /// By dashpot: of the node relative to the other end; a force on the node.
  std::vector<LastDamping<spacedim>> memory;
};
} // namespace KickDrift

#endif
