#ifndef KICKDRIFT_NODES_RIGID_BODIES_H
#define KICKDRIFT_NODES_RIGID_BODIES_H

#include <kickdrift/nodes/rigid_motion.h>

#include <deal.II/base/array_view.h>
#include <deal.II/base/exceptions.h>
#include <deal.II/base/point.h>
#include <deal.II/base/symmetric_tensor.h>
#include <deal.II/base/tensor.h>

#include <string>
#include <utility>
#include <vector>

namespace KickDrift
{
class Archive;
template <int spacedim>
class NodeTable;

/**
 * Nodes that move as rigid bodies.
 *
 * A body has a state of its own, see RigidMotion: a free flight that is exact, whatever its
 * rotation. Its nodes fly straight, as all do: on the chord to where the body will have them at
 * the time up to which it looks ahead, and so they are exactly there then, and the shape does not
 * creep. Between these times they are off by @f$\omega^2 r h^2/8@f$ at most. An impulse on a node
 * is one on the body at the place where the node is, so that angular momentum is conserved; all of
 * its nodes then change their course. So the effective inverse mass of a node is
 * @f$W = 1/M - [r]_\times J^{-1} [r]_\times@f$, and nodes of one body are coupled by it.
 *
 * Masses of these nodes in the table are what kicks, which know nothing of this, work with: their
 * changes of velocity times these masses are impulses on the body. Who sums up masses or momenta
 * asks MotionSums.
 */
template <int spacedim>
class RigidBodies
{
public:
  /// A vector in the space of the nodes.
  using Vector = dealii::Tensor<1, spacedim>;

  /// No body: what body_of() returns for other nodes.
  static constexpr unsigned int none = -1;

  /// Largest angle by which a body may turn while its nodes fly straight.
  static constexpr double largest_turn = 0.5;

  /// Some of a body's nodes cannot be part of it.
  DeclException2(ExcNode, std::string, unsigned int,
                 << "Node " << arg2 << " cannot be part of the rigid body '" << arg1
                 << "': there is no such node, or it belongs to another rigid body.");

  /// A body of nothing.
  DeclException1(ExcNoNodes, std::string,
                 << "The rigid body '" << arg1
                 << "' has no nodes, or a centre that is not a finite point.");

  /// A rigid body must be free.
  DeclException2(ExcRestrained, std::string, unsigned int,
                 << "Body '" << arg1 << "' is rigid, but a restraint holds its node " << arg2
                 << ". Rigid bodies have no restraints.");

  /// Nodes fly straight for too long.
  DeclException2(
      ExcSpin, std::string, double,
      << "The rigid body '" << arg1 << "' turns by an angle of " << arg2
      << " while its nodes fly straight; 0.5 are allowed. Lower its 'Rigid critical step' or the "
         "'Time step', or leave both out: steps then follow what the body does.");

  /// The start is no motion of a rigid body.
  DeclException2(ExcNotRigid, std::string, std::string,
                 << "The " << arg2 << " of the rigid body '" << arg1
                 << "' at the start is not that of a rigid body: it must be a translation and a "
                    "rotation, for velocities c + w x r.");

  /**
   * Make a rigid body of these nodes, and return its number. Throws ExcNode, ExcNoNodes,
   * RigidMotion::ExcInertia.
   * @param name appears in messages
   */
  unsigned int add(const NodeTable<spacedim> &table, const std::string &name,
                   const std::vector<unsigned int> &nodes, const RigidMass &mass);

  /// Are there no bodies?
  bool
  empty() const
  {
    return bodies.empty();
  }

  /// Number of bodies.
  unsigned int
  size() const
  {
    return bodies.size();
  }

  /// Body that a node belongs to; none for most.
  unsigned int
  body_of(const unsigned int node) const
  {
    return node < body_of_node.size() ? body_of_node[node] : none;
  }

  /// Nodes of a body, ascending.
  const std::vector<unsigned int> &
  nodes_of(const unsigned int body) const
  {
    return bodies[body].nodes;
  }

  /// Name of a body.
  const std::string &
  name(const unsigned int body) const
  {
    return bodies[body].name;
  }

  /// Motion of a body, at the time time_of().
  const RigidMotion &
  motion(const unsigned int body) const
  {
    return bodies[body].motion;
  }

  /// Time up to which motion() has come [time].
  double
  time_of(const unsigned int body) const
  {
    return bodies[body].time;
  }

  /// From the centre of its body to where a node is at time_of() [length].
  dealii::Tensor<1, 3> arm(const NodeTable<spacedim> &table, unsigned int node) const;

  /// The same at another time, at which the motion of the body is @p motion.
  dealii::Tensor<1, 3> arm(const NodeTable<spacedim> &table, unsigned int node, double time,
                           const RigidMotion &motion) const;

  /// Velocity of its body at a node at time_of(), not that along the chord [length/time].
  Vector velocity(const NodeTable<spacedim> &table, unsigned int node) const;

  /// The body of a node at @p time, which is not before time_of(). The node need not be there yet.
  void advance_to(unsigned int body, double time);

  /// Take over displacements and velocities from the nodes, which are all at one time. Throws
  /// ExcNotRigid, ExcRestrained.
  void start(NodeTable<spacedim> &table);

  /// From now on the body looks ahead up to @p end, and for @p step where that is too close; until
  /// the next fly() nodes keep their course. [time]
  void look_ahead(unsigned int body, double end, double step);

  /**
   * All nodes of the body are to be at @p time: what kicks have added to their velocities are
   * impulses on the body. Returns whether there were any.
   */
  bool take_kicks(NodeTable<spacedim> &table, unsigned int body, double time);

  /// An impulse on a node at time_of() its body, whose nodes then need to fly().
  void add_impulse(const NodeTable<spacedim> &table, unsigned int node, const Vector &impulse);

  /// Give the nodes of a body the course to where it will have them. If it does not look ahead they
  /// are put where it has them, with the velocities that it has there.
  void fly(NodeTable<spacedim> &table, unsigned int body);

  /// Where a body would look ahead to, and how long that is from time_of(), if @p motion were its
  /// motion then; after zero time if it does not look ahead.
  std::pair<RigidMotion, double> ahead_of(unsigned int body, RigidMotion motion) const;

  /// The course that fly() would give a node of a body whose ahead_of() is @p ahead
  /// [length/time].
  Vector course(const NodeTable<spacedim> &table, unsigned int node,
                const std::pair<RigidMotion, double> &ahead) const;

  /// Have velocities of nodes been changed since fly()?
  bool are_kicked(const NodeTable<spacedim> &table, unsigned int body) const;

  /// Throw ExcSpin if the body turns too far in its present step while its nodes fly straight.
  void check_turn(unsigned int body) const;

  /// Write to, or read from, a checkpoint what changes during a run; the nodes of @p table have
  /// been read.
  void serialize(Archive &archive, const NodeTable<spacedim> &table);

private:
  struct Body
  {
    std::string name;
    std::vector<unsigned int> nodes;
    std::vector<dealii::Tensor<1, 3>> arms; ///< in the reference state, by node [length]
    std::vector<Vector> courses;            ///< velocities since fly(), by node [length/time]
    RigidMotion motion;
    double time; ///< see time_of()
    double end;  ///< see look_ahead() [time]
    double step; ///< see look_ahead() [time]
  };

  void find_position(NodeTable<spacedim> &table, Body &body) const;
  void find_velocity(NodeTable<spacedim> &table, Body &body) const;

  std::vector<Body> bodies;
  std::vector<unsigned int> body_of_node; ///< by node up to the last one
  std::vector<unsigned int> place;        ///< by node, among the nodes of its body
};

/**
 * What nodes @f$\sum_B c_B x_B@f$ of one rigid body have together, e.g. the corners of a face: an
 * impulse p on the sum is one of @f$c\,p@f$ on the body, at an arm such that its moment about the
 * centre is @f$s \times p@f$.
 */
template <int spacedim>
struct RigidGrip
{
  /// A vector in the space of the nodes.
  using Vector = dealii::Tensor<1, spacedim>;

  double coefficient = 0;   ///< c = sum_B c_B [-]
  dealii::Tensor<1, 3> arm; ///< s = sum_B c_B r_B [length]

  /// Add a node of the body.
  void
  add(const NodeTable<spacedim> &table, const RigidBodies<spacedim> &bodies,
      const unsigned int node, const double share)
  {
    coefficient += share;
    arm += share * bodies.arm(table, node);
  }

  /// C p: what an impulse on the sum adds to its velocity [length/time].
  Vector
  velocity_change(const RigidMotion &motion, const Vector &impulse) const
  {
    const dealii::Tensor<1, 3> p = in_space(impulse);
    const auto turned = motion.angular_change(dealii::cross_product_3d(arm, p));
    return from_space<spacedim>((coefficient * coefficient / motion.mass().mass) * p +
                                dealii::cross_product_3d(turned, arm));
  }
};
} // namespace KickDrift

#endif
