#ifndef KICKDRIFT_STEPPING_BOUNDARIES_CLASS_BOUNDARIES_H
#define KICKDRIFT_STEPPING_BOUNDARIES_CLASS_BOUNDARIES_H

#include <kickdrift/base/archive_checks.h>
#include <kickdrift/stepping/boundaries/shared_nodes.h>
#include <kickdrift/stepping/clocks/sweeps.h>
#include <kickdrift/stepping/division/halo.h>
#include <kickdrift/stepping/kicks/kick_subset.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace KickDrift
{
/**
 * Where the kicks of a class see the nodes that they share with kicks of finer classes.
 *
 * Where two classes share a node the impulses of both come at different times, so that the node
 * moves to and fro between them even if the forces of both cancel, by an amount that does not
 * become less with the mesh. So a kick with step @f$H_K@f$ sees a shared node of mass m, in the
 * middle of its interval, at
 * @f[ \hat x = x + \frac{c_K}{m} f_K(\hat x), \qquad c_K = \frac{H_K^2}{12} + \frac{H_0^2}{6}, @f]
 * with the force @f$f_K@f$ of all kicks of its class, and the finest step @f$H_0@f$ at the node. It
 * is as if the kicks of the class hung on the node by a spring of stiffness @f$m/c_K@f$: their
 * potential is replaced by its Moreau-Yosida envelope, which is softer, depends on positions only
 * and is not changed by motions as a whole.
 *
 * What is read at any instant is without that motion, too: see read_at().
 *
 * The positions are found by a few sweeps over the kicks of the class around such nodes, each node
 * relaxed by the stiffness that the class puts on it. Restrained components are not shifted, nor
 * are nodes of rigid bodies. With several processes each finds the positions of its own nodes.
 */
template <int spacedim>
class ClassBoundaries
{
public:
  /// Makes the nodes of those that are given here equal to those of their owners.
  using MakeHalo = std::function<Halo(const std::vector<unsigned int> &nodes)>;

  /**
   * @param families must outlive the object.
   * @param ranks with several processes; null: there is one
   * @param make_halo with several processes
   */
  explicit ClassBoundaries(const KickFamilies<spacedim> &families, Ranks *ranks = nullptr,
                           MakeHalo make_halo = {});

  /// Find shared nodes, and the kicks around them, anew when they are asked for next.
  void
  find_anew()
  {
    are_found = false;
  }

  /// The kick with this id has come into another class, or to its end.
  void
  changed(const unsigned int id)
  {
    if (are_found)
      shared_nodes.changed(id);
  }

  /// Put the nodes that kicks of class @p step_class share with finer ones to where these see them
  /// at @p time, to which their nodes are drifted. Collective.
  void shift(NodeTable<spacedim> &nodes, const TimeLevels &levels, unsigned int step_class,
             double time);

  /// Put them back to where they are; not twice.
  void restore(NodeTable<spacedim> &nodes, unsigned int step_class) const;

  /**
   * Put shared nodes, which are all at @p time, to where they would be if each kick had given its
   * impulse evenly over its interval, without the shift that kicks of coarser classes bring about
   * at any time:
   * @f[ \bar x = x + \sum_K \left(\tfrac12 r_K^2 - \tfrac18 H_K^2 + c_K\right) \frac{f_K}{m} @f]
   * with the time @f$r_K@f$ from the end of an interval of the class to the instant, and
   * @f$c_K=H_K^2/8@f$ for the finest class of the node. At instants at which intervals of all
   * classes end, and beside classes twice as fine, that is x itself. Collective.
   * @param stays nodes that stay where they are, shape (nodes); empty: none
   */
  void read_at(NodeTable<spacedim> &nodes, const TimeLevels &levels, double time,
               const std::vector<char> &stays);

  /**
   * Measure by how much a sweep reduces errors, choose the number of sweeps for all classes by
   * sweeps_needed(), and accelerate them from now on. Collective.
   * @param nodes as they are at the start; come back as they were
   */
  void choose_sweeps(NodeTable<spacedim> &nodes, const TimeLevels &levels);

  /// For each kick of a class; two before choose_sweeps().
  unsigned int
  n_sweeps() const
  {
    return sweeps;
  }

  /// Kicks of sweeps per time for the present classes [1/time].
  double rate_of_kicks(const NodeTable<spacedim> &nodes, const TimeLevels &levels);

  /// Kicks of all sweeps so far, those of shift().
  std::uint64_t
  count() const
  {
    return n_kicks;
  }

  /// Write to, or read from, a checkpoint what has been counted.
  void
  serialize(Archive &archive)
  {
    archive.section("class boundaries");
    archive(n_kicks, sweeps, reductions);
    check_state(sweeps >= fewest_sweeps && sweeps <= most_sweeps, "stepper");
    for (const double reduction : reductions)
      check_state(reduction >= 0 && reduction < 1, "stepper");
  }

private:
  /// A node that a class shares with others.
  struct Node
  {
    unsigned int node;
    double inverse_mass;     ///< zero if it is never shifted [1/mass]
    double stiffness;        ///< that the kicks here put on it [force/length]
    double shift;            ///< c/m; zero beside coarser classes only [length/force]
    double reading;          ///< c - H^2/8 [time^2]
    double own[spacedim];    ///< displacement while the node is shifted [length]
    double before[spacedim]; ///< where it was shifted to before the last sweep [length]
  };

  struct Class
  {
    unsigned int version = 0; ///< of the shared nodes from which this was made
    std::vector<Node> shared;
    std::vector<unsigned int> nodes; ///< of all kicks around those that are given here
    /// On nodes that are shifted, by family.
    std::vector<std::unique_ptr<KickSubset<spacedim>>> kicks;
    /// On other shared nodes only, by family; null until read_at() asks for them.
    std::vector<std::unique_ptr<KickSubset<spacedim>>> other_kicks;
    std::vector<std::vector<unsigned int>> others; ///< of which those are to be made, by family
    unsigned int n_kicks = 0;                      ///< on nodes that are shifted, here or elsewhere
    bool is_read = false;                          ///< is there a node with a reading?
    Halo halo;                                     ///< of nodes that are shifted

    /// Is something to be done to shift nodes, here or for others?
    bool
    has_shifts() const
    {
      return n_kicks > 0 && (!kicks.empty() || !halo.parcels.empty());
    }
  };

  Class &current(const TimeLevels &levels, const NodeTable<spacedim> &nodes,
                 unsigned int step_class);
  void make(Class &result, const TimeLevels &levels, const NodeTable<spacedim> &nodes,
            unsigned int step_class) const;
  void exchange(NodeTable<spacedim> &nodes, Halo &halo) const;
  /// Let kicks give shifts of the nodes of a class, which are drifted.
  void begin_shift(NodeTable<spacedim> &nodes, Class &of_class);
  /// @param weight of the step from where nodes were before the last sweep, 1: not accelerated
  void sweep(NodeTable<spacedim> &nodes, Class &of_class, double time, double weight = 1) const;
  /// By how much a sweep over a class reduces errors here [-].
  double contraction(NodeTable<spacedim> &nodes, unsigned int step_class, Class &of_class);
  void make_other_kicks(Class &of_class) const;
  /// Set velocities of the nodes of a class aside, so that kicks give shifts instead.
  void put_aside(NodeTable<spacedim> &nodes, const Class &of_class);
  void put_back(NodeTable<spacedim> &nodes, const Class &of_class) const;

  const KickFamilies<spacedim> &families;
  Ranks *const ranks;
  const MakeHalo make_halo;
  SharedNodes<spacedim> shared_nodes;
  bool are_found = false;
  std::vector<Class> classes;
  std::uint64_t n_kicks = 0;
  unsigned int sweeps = fewest_sweeps;
  /// By class, what a sweep that is not accelerated leaves of an error [-]; zero for those without
  /// boundaries at the start.
  std::vector<double> reductions;
  AlignedVector<NodeState> kept; ///< see put_aside()
};
} // namespace KickDrift

#endif
