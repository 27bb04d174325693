#ifndef KICKDRIFT_STEPPING_KICKS_CLASS_BOUNDARIES_H
#define KICKDRIFT_STEPPING_KICKS_CLASS_BOUNDARIES_H

#include <kickdrift/stepping/division/halo.h>
#include <kickdrift/stepping/kicks/kick_subset.h>
#include <kickdrift/stepping/kicks/shared_nodes.h>

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
 * are nodes of rigid bodies and those that have lent their mass. With several processes each finds
 * the positions of its own nodes.
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

  /// Put them back to where they are.
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

  /// Kicks of a sweep over class @p step_class.
  unsigned int n_kicks(const TimeLevels &levels, const NodeTable<spacedim> &nodes,
                       unsigned int step_class);

  /// Number of sweeps for each kick of a class.
  static constexpr unsigned int n_sweeps = 2;

private:
  /// A node that a class shares with others.
  struct Node
  {
    unsigned int node;
    double inverse_mass;  ///< zero if it is never shifted [1/mass]
    double stiffness;     ///< that the kicks here put on it [force/length]
    double shift;         ///< c/m; zero beside coarser classes only [length/force]
    double reading;       ///< c - H^2/8 [time^2]
    double own[spacedim]; ///< displacement while the node is shifted [length]
  };

  struct Class
  {
    unsigned int version = 0; ///< of the shared nodes from which this was made
    std::vector<Node> shared;
    std::vector<unsigned int> nodes; ///< of all kicks around those that are given here
    /// Beside finer classes, and those beside coarser ones only, by family.
    std::vector<std::unique_ptr<KickSubset<spacedim>>> kicks, other_kicks;
    unsigned int n_kicks = 0; ///< beside finer classes
    bool is_read = false;     ///< is reading zero everywhere?
    Halo halo;
  };

  Class &current(const TimeLevels &levels, const NodeTable<spacedim> &nodes,
                 unsigned int step_class);
  void make(Class &result, const TimeLevels &levels, const NodeTable<spacedim> &nodes,
            unsigned int step_class) const;
  void exchange(NodeTable<spacedim> &nodes, Halo &halo) const;
  /// Set velocities of the nodes of a class aside, so that kicks give shifts instead.
  void put_aside(NodeTable<spacedim> &nodes, const Class &of_class);
  void put_back(NodeTable<spacedim> &nodes, const Class &of_class) const;

  const KickFamilies<spacedim> &families;
  Ranks *const ranks;
  const MakeHalo make_halo;
  SharedNodes<spacedim> shared_nodes;
  bool are_found = false;
  std::vector<Class> classes;
  AlignedVector<NodeState> kept; ///< see put_aside()
};
} // namespace KickDrift

#endif
