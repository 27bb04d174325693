#ifndef KICKDRIFT_NODES_RESTRAINTS_H
#define KICKDRIFT_NODES_RESTRAINTS_H

#include <deal.II/base/exceptions.h>
#include <deal.II/base/tensor.h>

#include <unordered_map>
#include <vector>

namespace KickDrift
{
class Archive;

/**
 * Nodal restraints @f$G^T v = G^T w@f$ in any direction, as projectors
 * @f$P = I - G (G^T G)^{-1} G^T@f$ (Wolff & Bucher 2013, section 4).
 *
 * The effective inverse mass of a restrained node is P/m. The support takes the restrained part of
 * every impulse: it is summed up as the reaction, and its work on a moving support as prescribed
 * work.
 */
template <int spacedim>
class Restraints
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  /// A restraint's direction has no finite positive length.
  DeclException1(ExcDirection, unsigned int, << "A restraint of node " << arg1
                                             << " needs a direction that is finite and not zero.");

  /// A support is moved along a direction in which the node is free.
  DeclException1(ExcNotRestrained, unsigned int,
                 << "The motion of node " << arg1
                 << " can only be prescribed along restrained directions.");

  /**
   * Restrain @p node along @p direction (need not be a unit vector; linearly dependent directions
   * are merged). Throws ExcDirection.
   */
  void add(unsigned int node, const Vector &direction);

  /// Is the node restrained in any direction?
  bool
  is_restrained(const unsigned int node) const
  {
    return node < restrained.size() && restrained[node];
  }

  /// Number of restrained directions of the node.
  unsigned int n_directions(unsigned int node) const;

  /// Is the node restrained in all directions?
  bool
  holds(const unsigned int node) const
  {
    return is_restrained(node) && n_directions(node) == spacedim;
  }

  /// P applied to @p vector; the vector itself for a free node.
  Vector
  project(const unsigned int node, const Vector &vector) const
  {
    return is_restrained(node) ? free_part(node, vector) : vector;
  }

  /// The feasible velocity P @p velocity + (I-P) w. The reaction and its work are added to the
  /// sums.
  Vector enforce(unsigned int node, const Vector &velocity, double mass);

  /// Add the restrained part of an impulse on the node, and its work, to the sums.
  void
  take_reaction(const unsigned int node, const Vector &impulse)
  {
    if (is_restrained(node))
      add_reaction(node, impulse);
  }

  /**
   * Set the velocity of the support along @p directions to that of @p support; other components of
   * @p support are ignored. The support's components along the node's other restraints stay: the
   * change dw satisfies @f$d_i\cdot dw = d_i\cdot(w - w_{old})@f$ for all @p directions and
   * @f$e_j\cdot dw = 0@f$ for the restrained directions e_j that are independent of them.
   * Returns the new velocity of the node. Reaction and work are added to the sums.
   *
   * Throws ExcNotRestrained if the node is not restrained along one of the directions.
   */
  Vector set_support_velocity(unsigned int node, const std::vector<Vector> &directions,
                              const Vector &support, const Vector &velocity, double mass);

  /**
   * The same for the state at the start, in which the node is moving already: the sums do not
   * change.
   */
  Vector set_initial_support_velocity(unsigned int node, const std::vector<Vector> &directions,
                                      const Vector &support, const Vector &velocity);

  /// Is the node restrained along @p direction?
  bool is_restrained_along(unsigned int node, const Vector &direction) const;

  /// Impulse that the support has given to the node since the start [mass*length/time].
  Vector reaction(unsigned int node) const;

  /// Work that moving supports have done on the nodes since the start [energy].
  double prescribed_work() const;

  /// What the run changes at a restrained node, to be kept by another process: support, reaction
  /// and work.
  struct Account
  {
    Vector support;  ///< velocity of the support, within the restrained directions [length/time]
    Vector reaction; ///< impulse that the support has given [mass*length/time]
    double work = 0; ///< that the moving support has done on the node [energy]
  };

  /// Account of a restrained node.
  Account &
  account(const unsigned int node)
  {
    return restraints[index.at(node)].account;
  }

  /// Number of restrained nodes.
  unsigned int
  n_nodes() const
  {
    return restraints.size();
  }

  /// All restrained nodes, ascending.
  std::vector<unsigned int> nodes() const;

  /// Write to, or read from, a checkpoint what changes during a run.
  void serialize(Archive &archive);

private:
  struct Restraint
  {
    std::vector<Vector> directions; ///< orthonormal
    std::vector<Vector> given;      ///< unit vectors that were added, independent or not
    Account account;
  };

  static Vector support_change(const Restraint &restraint, const std::vector<Vector> &directions,
                               const Vector &support);

  /// project() and take_reaction() of a restrained node.
  Vector free_part(unsigned int node, const Vector &vector) const;
  void add_reaction(unsigned int node, const Vector &impulse);

  const Restraint *
  find(const unsigned int node) const
  {
    const auto it = index.find(node);
    return it == index.end() ? nullptr : &restraints[it->second];
  }

  std::unordered_map<unsigned int, unsigned int> index;
  std::vector<Restraint> restraints;
  std::vector<char> restrained; ///< by node up to the last one that is: most nodes are free
};
} // namespace KickDrift

#endif
