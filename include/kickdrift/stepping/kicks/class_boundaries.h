#ifndef KICKDRIFT_STEPPING_KICKS_CLASS_BOUNDARIES_H
#define KICKDRIFT_STEPPING_KICKS_CLASS_BOUNDARIES_H

#include <kickdrift/stepping/kicks/kick_families.h>
#include <kickdrift/stepping/kicks/kick_subset.h>

#include <array>
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
 * The positions are found by a few sweeps over the kicks of the class around such nodes, each node
 * relaxed by the stiffness that the class puts on it. Restrained components are not shifted, nor
 * are nodes of rigid bodies and those that have lent their mass.
 */
template <int spacedim>
class ClassBoundaries
{
public:
  /// @p families must outlive the object.
  explicit ClassBoundaries(const KickFamilies<spacedim> &families);

  /// Find shared nodes, and the kicks around them, for the present classes. After
  /// KickFamilies::assign_clocks().
  void find(const TimeLevels &levels, const NodeTable<spacedim> &nodes);

  /// Put the nodes that kicks of class @p step_class share with finer ones to where these see them
  /// at @p time, to which their nodes are drifted.
  void shift(NodeTable<spacedim> &nodes, unsigned int step_class, double time);

  /// Put them back to where they are.
  void restore(NodeTable<spacedim> &nodes, unsigned int step_class) const;

  /// Kicks of a sweep over class @p step_class.
  unsigned int
  n_kicks(const unsigned int step_class) const
  {
    return step_class < classes.size() ? classes[step_class].n_kicks : 0;
  }

  /// Number of sweeps for each kick of a class.
  static constexpr unsigned int n_sweeps = 2;

private:
  /// A node that a class shares with finer ones.
  struct SharedNode
  {
    unsigned int node;
    double shift;         ///< c/m: displacement for a force [length/force]
    double relaxation;    ///< share of what is missing that a sweep adds [-]
    double own[spacedim]; ///< displacement while the node is shifted [length]
  };

  struct Class
  {
    std::vector<SharedNode> shared;
    std::vector<unsigned int> nodes; ///< of all kicks around those
    std::vector<std::unique_ptr<KickSubset<spacedim>>> kicks;
    unsigned int n_kicks = 0;
  };

  const KickFamilies<spacedim> &families;
  std::vector<Class> classes;
  AlignedVector<NodeState> kept; ///< of the nodes of a class, while they are shifted
};
} // namespace KickDrift

#endif
