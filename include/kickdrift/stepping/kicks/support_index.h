#ifndef KICKDRIFT_STEPPING_KICKS_SUPPORT_INDEX_H
#define KICKDRIFT_STEPPING_KICKS_SUPPORT_INDEX_H

#include <kickdrift/stepping/clocks/stepper_exceptions.h>
#include <kickdrift/stepping/kicks/kick_families.h>

namespace KickDrift
{
/// Which of several processes give the kicks on watched nodes; all know these nodes at any time.
enum class WatchedKicks
{
  by_all, ///< all, which then know the forces on these nodes
  divided ///< the owners of the nodes, where telling the others takes less than kicking
};

/**
 * Which nodes kicks act on, and which kicks act on a node.
 *
 * Kicks of nodes are indexed for watched nodes, and for the other nodes of the kicks of those.
 * Watched and restrained nodes are listed by clock: for their kicks' clocks at the start, and
 * besides for kicks promoted to a class.
 */
template <int spacedim>
class SupportIndex
{
public:
  /// A kick of a family with KickRole::damping.
  struct DampingKick
  {
    unsigned int family; ///< of the stepper
    unsigned int kick;   ///< of the family
  };

  /// @p nodes and @p families must outlive the index.
  SupportIndex(const NodeTable<spacedim> &nodes, const KickFamilies<spacedim> &families);

  /// Index the kicks of these nodes, too; before start(). Throws StepperExceptions::ExcNoSuchNode.
  void watch(const std::vector<unsigned int> &nodes, WatchedKicks kicks);

  /// Make the index; families have been given their clocks.
  void start(const TimeLevels &levels);

  /// Are the kicks of @p node indexed?
  bool
  is_watched(const unsigned int node) const
  {
    return node < watched.size() && watched[node];
  }

  /// Is it watched, and do all processes give its kicks?
  bool
  is_kicked_by_all(const unsigned int node) const
  {
    return node < kicked_by_all.size() && kicked_by_all[node];
  }

  /// The kick with this id has ended: kicks_of_node() lists it no longer.
  void end(unsigned int id);

  /// Ids of the kicks that act on @p node or have followers that do, without those that have
  /// ended, ascending. Throws StepperExceptions::ExcNodeNotWatched.
  dealii::ArrayView<const unsigned int>
  kicks_of_node(const unsigned int node) const
  {
    AssertThrow(node < ids_of_node.n_rows() && watched[node],
                StepperExceptions::ExcNodeNotWatched(node));
    const auto ids = ids_of_node.row(node);
    return n_ended.empty()
               ? ids
               : dealii::ArrayView<const unsigned int>(ids.data(), ids.size() - n_ended[node]);
  }

  /// Ids of the kicks that share a node with the kick with this id, itself and those that have
  /// ended included; it must act on a watched node. Ascending.
  /// They are kept for the next time; not for several threads at once.
  const std::vector<unsigned int> &neighbours_of_kick(unsigned int id) const;

  /// The damping that acts on @p node, which has no ids. Throws
  /// StepperExceptions::ExcNodeNotWatched.
  std::vector<DampingKick> damping_of_node(unsigned int node) const;

  /// Nodes of the kick with this id.
  std::vector<unsigned int>
  nodes_of_kick(const unsigned int id) const
  {
    return families.support(id);
  }

  /// Watched nodes of the kicks that were on @p clock at the start.
  dealii::ArrayView<const unsigned int>
  watched_on_clock(const unsigned int clock) const
  {
    return watched_of_clock.row(clock);
  }

  /// Restrained nodes of the kicks that were on @p clock at the start.
  dealii::ArrayView<const unsigned int>
  restrained_on_clock(const unsigned int clock) const
  {
    return restrained_of_clock.row(clock);
  }

  /// Watched nodes of the kicks promoted to a class.
  const std::vector<unsigned int> &
  watched_promoted_to(const unsigned int step_class) const
  {
    return promoted_watched[step_class];
  }

  /// Restrained nodes of the kicks promoted to a class.
  const std::vector<unsigned int> &
  restrained_promoted_to(const unsigned int step_class) const
  {
    return promoted_restrained[step_class];
  }

  /// From now on @p kicks are those promoted to a class.
  void set_promoted(unsigned int step_class, const std::vector<unsigned int> &kicks);

private:
  /// Watched nodes, and the others that their kicks act on.
  std::vector<char> nodes_of_watched_kicks() const;

  const NodeTable<spacedim> &nodes;
  const KickFamilies<spacedim> &families;
  std::vector<char> watched, kicked_by_all; ///< by node
  /// Of watched nodes and of those next to them; the last n_ended of a row have ended.
  CompressedRows<unsigned int> ids_of_node;
  std::vector<unsigned int> n_ended; ///< by node; empty: none
  CompressedRows<unsigned int> damping_of_nodes;
  std::vector<DampingKick> damping_kicks; ///< entries of damping_of_nodes
  CompressedRows<unsigned int> watched_of_clock, restrained_of_clock;
  std::vector<std::vector<unsigned int>> promoted_watched, promoted_restrained; ///< by class
  mutable std::vector<std::vector<unsigned int>> neighbours; ///< by kick; empty: not asked for yet
  std::vector<char> is_listed;                               ///< by node, for set_promoted()
};
} // namespace KickDrift

#endif
