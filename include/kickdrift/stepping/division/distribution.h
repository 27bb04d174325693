#ifndef KICKDRIFT_STEPPING_DIVISION_DISTRIBUTION_H
#define KICKDRIFT_STEPPING_DIVISION_DISTRIBUTION_H

#include <kickdrift/parallel/ranks.h>
#include <kickdrift/stepping/division/division.h>
#include <kickdrift/stepping/division/halo.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace KickDrift
{
/**
 * The kicks of a run divided among processes, all of which know all nodes, kicks and clocks.
 *
 * Nodes have owners (NodeOwners). A process holds the kicks that act on nodes of its own, and gives
 * no others, so an owned node gets all of its kicks, in the order of one process. The other nodes
 * of held kicks are its halo: after every clock that has kicked them their owners tell their
 * velocities and times. Displacements do not travel: the line before a kick is the same on all that
 * hold the node, which drift it to the time of the kick. So Kicks::kick() must not move nodes
 * otherwise, and what else does, such as motions and events, all do alike on all nodes. Some nodes
 * are in the halos of all, since all answer contacts there, or are owned by all, which give the
 * same kicks there, with nothing to be sent. The bits of a run do not depend on the number of
 * processes. The first process also gets what families keep of all kicks, and so can be asked about
 * each of them; the others let go of what they do not give (KickFamilies::hold()).
 */
template <int spacedim>
class Distribution
{
public:
  /// All must outlive the object.
  Distribution(Ranks &ranks, NodeTable<spacedim> &nodes, KickFamilies<spacedim> &families);

  /**
   * Choose owners, and tell the families which kicks are held, before they are given their clocks;
   * @p levels have been started. Throws StepperExceptions::ExcOneProcess without step classes, and
   * StepperExceptions::ExcOwners.
   * @param of_all nodes at which all processes do the same between kicks
   * @param given owners to take instead of those for the present clocks; null: none
   */
  void divide(const TimeLevels &levels, const NodesOfAll &of_all, const NodeOwners *given);

  /// Those that divide() has chosen.
  const NodeOwners &
  node_owners() const
  {
    return owners;
  }

  /// Families have been given their clocks.
  void start(const TimeLevels &levels);

  /// The kick with this id comes with @p clock from now on.
  void change_clock(unsigned int id, unsigned int clock);

  /// Kicks of @p clock have just been given: update the halo.
  void exchange(unsigned int clock);

  /// Of the nodes that neighbours tell each other of, these, ascending, for so many numbers each;
  /// all processes ask for the same nodes.
  Halo halo_of(const std::vector<unsigned int> &of_nodes, unsigned int numbers_per_node) const;

  /**
   * Collective: kicks that have come to their end at the present instant, by family and number
   * there. Those that hold them have @p found them; all get all, in the order of one process. For
   * what the first process does not hold it gets what their families keep of them, and until
   * return_lines() the lines of their nodes.
   */
  std::vector<std::pair<unsigned int, unsigned int>>
  agree_on_ended(const std::vector<std::pair<unsigned int, unsigned int>> &found);

  /// Are there kicks of this family that can end and are not everybody's? After start().
  bool
  divides_ends(const unsigned int family) const
  {
    return ends_are_divided[family];
  }

  /// After agree_on_ended().
  void return_lines();

  /// Collective: every process gets the lines and restraints of all nodes. @p table is the one of
  /// the constructor or a copy of it.
  void gather(NodeTable<spacedim> &table) const;

  /// Collective: the first process gets what families keep of their kicks.
  void gather_accounts();

  /// Collective: numbers by id of a kick, each of which those know that hold the kick.
  /// @param for_all or the first process only
  void gather_by_id(const std::vector<std::vector<double> *> &numbers, bool for_all);

  /// Collective: a vector that the owner of a node finds; where all own it, each finds it.
  dealii::Tensor<1, spacedim>
  from_owner(unsigned int node, const std::function<dealii::Tensor<1, spacedim>()> &find) const;

  /// Does this process own a node, alone or with all others?
  bool
  owns(const unsigned int node) const
  {
    return owners(node) == ranks.rank() || owners(node) == NodeOwners::everybody;
  }

  /// Do all processes own a node?
  bool
  is_everybodys(const unsigned int node) const
  {
    return owners(node) == NodeOwners::everybody;
  }

  /// The first process that holds the kick with this id, or NodeOwners::everybody. After start().
  unsigned int
  first_holder(const unsigned int id) const
  {
    return holder_of_id[id];
  }

  /// What this process has to do, with kicks on these clocks. After start().
  Holding holding(const TimeLevels &levels) const;

private:
  /// Nodes that this process and another one keep equal.
  struct Neighbour
  {
    unsigned int rank;
    std::vector<unsigned int> sent, received; ///< nodes, ascending
  };

  void find_neighbours();
  /// The first process that holds a kick of a family, or everybody.
  unsigned int holder(unsigned int family, unsigned int k) const;
  void note(const std::vector<unsigned int> &kicked, unsigned int clock);
  Halo &halo_of(unsigned int clock);
  /// Of the neighbours' nodes those for which @p is_wanted (node).
  template <typename Predicate>
  Halo make_halo(const Predicate &is_wanted, unsigned int numbers_per_node) const;

  Ranks &ranks;
  NodeTable<spacedim> &nodes;
  KickFamilies<spacedim> &families;
  NodeOwners owners;
  std::vector<unsigned int> known_to_all; ///< nodes of single processes
  std::vector<unsigned int> holder_of_id; ///< see holder()
  std::vector<Neighbour> neighbours;
  std::vector<std::uint64_t> clocks_of_node; ///< bits: which have moved it; none is taken back
  std::vector<std::optional<Halo>> halos;    ///< by clock; empty where they have to be made anew
  std::vector<char> ends_are_divided;        ///< by family, see divides_ends()
  std::vector<std::pair<unsigned int, NodeState>> borrowed; ///< see return_lines(); own lines
};
} // namespace KickDrift

#endif
