#ifndef KICKDRIFT_NODES_NODE_TABLE_H
#define KICKDRIFT_NODES_NODE_TABLE_H

#include <kickdrift/base/archive.h>
#include <kickdrift/base/lifetime.h>
#include <kickdrift/nodes/node_state.h>
#include <kickdrift/nodes/restraints.h>
#include <kickdrift/nodes/rigid_bodies.h>

#include <deal.II/base/exceptions.h>
#include <deal.II/base/point.h>
#include <deal.II/base/tensor.h>

#include <cstdlib>
#include <numeric>
#include <vector>

namespace KickDrift
{
/**
 * The nodes of all bodies: displacements, velocities, own times and effective inverse masses.
 *
 * Displacements rather than positions are stored, so that forces do not depend on where in space a
 * body lies. Indices are local and dense. A restrained node moves with its effective inverse mass
 * W = P/m (method: nodal restraints); code that changes velocities of restrained nodes as if they
 * were free must call enforce_restraint() for them afterwards. Nodes of rigid bodies move with
 * these, see RigidBodies.
 */
template <int spacedim>
class NodeTable
{
public:
  /// A node was given a mass that is not positive.
  DeclException2(ExcMass, unsigned int, double, << "Node " << arg1 << " has the lumped mass "
                                                << arg2 << ", but masses must be positive.");

  /**
   * Append a node at rest and return its index.
   * @param reference reference position [length]
   * @param mass lumped mass, positive [mass]; otherwise throws ExcMass
   */
  unsigned int
  add(const dealii::Point<spacedim> &reference, const double mass)
  {
    AssertThrow(mass > 0, ExcMass(size(), mass));
    NodeState state;
    state.inverse_mass = 1. / mass;
    states.push_back(state);
    references.push_back(reference);
    return states.size() - 1;
  }

  /// Make room for so many nodes altogether.
  void
  reserve(const unsigned int n_nodes)
  {
    states.reserve(n_nodes);
    references.reserve(n_nodes);
  }

  /// Number of nodes.
  unsigned int
  size() const
  {
    return states.size();
  }

  /// State of a node.
  NodeState &
  operator[](const unsigned int node)
  {
    return states[node];
  }
  /// State of a node.
  const NodeState &
  operator[](const unsigned int node) const
  {
    return states[node];
  }

  /// States of all nodes, by node.
  NodeState *
  data()
  {
    return states.data();
  }
  /// States of all nodes, by node.
  const NodeState *
  data() const
  {
    return states.data();
  }

  /// Reference position [length].
  const dealii::Point<spacedim> &
  reference(const unsigned int node) const
  {
    return references[node];
  }

  /// Current position at the node's own time [length].
  dealii::Point<spacedim>
  position(const unsigned int node) const
  {
    dealii::Point<spacedim> x = references[node];
    for (unsigned int d = 0; d < spacedim; ++d)
      x[d] += states[node].displacement[d];
    return x;
  }

  /// Position at @p time in free flight: to the bit what position() is after drifting the node to
  /// it [length].
  dealii::Point<spacedim>
  position_at(const unsigned int node, const double time) const
  {
    dealii::Point<spacedim> x = references[node];
    for (unsigned int d = 0; d < spacedim; ++d)
      x[d] += states[node].displacement_at(time, d);
    return x;
  }

  /// Displacement at @p time in free flight: to the bit what displacement() is after drifting the
  /// node to it [length].
  dealii::Tensor<1, spacedim>
  displacement_at(const unsigned int node, const double time) const
  {
    dealii::Tensor<1, spacedim> u;
    for (unsigned int d = 0; d < spacedim; ++d)
      u[d] = states[node].displacement_at(time, d);
    return u;
  }

  /// Displacement at the node's own time [length].
  dealii::Tensor<1, spacedim>
  displacement(const unsigned int node) const
  {
    return tensor(states[node].displacement);
  }

  /// Velocity at the node's own time [length/time].
  dealii::Tensor<1, spacedim>
  velocity(const unsigned int node) const
  {
    return tensor(states[node].velocity);
  }

  /**
   * Velocity with which the node moves at this instant: that along its course, except for a node of
   * a rigid body, which flies straight but turns with the body. What contacts reverse, or stop
   * [length/time].
   * @pre drift() was called, not that of the state alone
   */
  dealii::Tensor<1, spacedim>
  momentary_velocity(const unsigned int node) const
  {
    return is_rigid(node) ? rigid_bodies.velocity(*this, node) : velocity(node);
  }

  /// Does the node belong to a rigid body?
  bool
  is_rigid(const unsigned int node) const
  {
    return rigid_bodies.body_of(node) != RigidBodies<spacedim>::none;
  }

  /// Free flight of a node up to @p time, and of the rigid body that it may belong to [time].
  void
  drift(const unsigned int node, const double time)
  {
    states[node].drift(time);
    if (is_rigid(node))
      rigid_bodies.advance_to(rigid_bodies.body_of(node), time);
  }

  /// Set the displacement [length].
  void
  set_displacement(const unsigned int node, const dealii::Tensor<1, spacedim> &u)
  {
    for (unsigned int d = 0; d < spacedim; ++d)
      states[node].displacement[d] = u[d];
  }

  /// Set the velocity [length/time].
  void
  set_velocity(const unsigned int node, const dealii::Tensor<1, spacedim> &v)
  {
    for (unsigned int d = 0; d < spacedim; ++d)
      states[node].velocity[d] = v[d];
  }

  /// Lumped mass [mass].
  double
  mass(const unsigned int node) const
  {
    return 1. / states[node].inverse_mass;
  }

  /// Give a node another lumped mass. Throws ExcMass unless it is positive
  /// [mass].
  void
  set_mass(const unsigned int node, const double mass)
  {
    AssertThrow(mass > 0, ExcMass(node, mass));
    states[node].inverse_mass = 1. / mass;
  }

  /// Effective inverse mass W = P/m applied to an impulse: the change of velocity that it causes.
  /// At a rigid body it causes one of other nodes, too, see RigidGrip.
  dealii::Tensor<1, spacedim>
  velocity_change(const unsigned int node, const dealii::Tensor<1, spacedim> &impulse) const
  {
    if (is_rigid(node))
      return rigid_velocity_change(node, impulse);
    return restraints.project(node, impulse) * states[node].inverse_mass;
  }

  /// Add to the velocity what @p impulse [mass*length/time] changes, restraints respected.
  /// One on a node of a rigid body changes the course of all its nodes.
  void
  apply_impulse(const unsigned int node, const dealii::Tensor<1, spacedim> &impulse)
  {
    if (is_rigid(node))
    {
      add_rigid_impulse(node, impulse);
      rigid_bodies.fly(*this, rigid_bodies.body_of(node));
      return;
    }
    const auto change = velocity_change(node, impulse);
    for (unsigned int d = 0; d < spacedim; ++d)
      states[node].velocity[d] += change[d];
    restraints.take_reaction(node, impulse);
  }

  /// The part of apply_impulse() that changes the motion of the rigid body of @p node; its nodes
  /// still have to RigidBodies::fly().
  void
  add_rigid_impulse(const unsigned int node, const dealii::Tensor<1, spacedim> &impulse)
  {
    rigid_bodies.advance_to(rigid_bodies.body_of(node), states[node].time);
    rigid_bodies.add_impulse(*this, node, impulse);
  }

  /// Make velocities of @p node feasible again after it was kicked as if it were free.
  void
  enforce_restraint(const unsigned int node)
  {
    const auto feasible = restraints.enforce(node, velocity(node), mass(node));
    set_velocity(node, feasible);
  }

  /// Write to, or read from, a checkpoint what changes during a run.
  void
  serialize(Archive &archive)
  {
    archive.section("nodes");
    archive.fixed(states);
    rigid_bodies.serialize(archive, *this);
    archive(restraints, damping_losses, dashpot_losses);
    AssertThrow(damping_losses.empty() || damping_losses.size() == states.size(),
                dealii::ExcDimensionMismatch(damping_losses.size(), states.size()));
    AssertThrow(dashpot_losses.empty() || dashpot_losses.size() == states.size(),
                dealii::ExcDimensionMismatch(dashpot_losses.size(), states.size()));
  }

  /// Restraints, by node.
  Restraints<spacedim> restraints;

  /// Nodes that move as rigid bodies.
  RigidBodies<spacedim> rigid_bodies;

  /// For the stepper, which must not use a table that is gone.
  Lifetime lifetime;

  /// Damping has taken @p energy from the node [energy].
  void
  add_damping_loss(const unsigned int node, const double energy)
  {
    damping_losses.resize(states.size());
    damping_losses[node] += energy;
  }

  /// Energy that damping has taken from the nodes since the start, summed up node by node, so that
  /// it does not depend on the order of kicks [energy].
  double
  damping_loss() const
  {
    return std::accumulate(damping_losses.begin(), damping_losses.end(), 0.);
  }

  /// The same by node; empty as long as nothing is damped [energy].
  std::vector<double> damping_losses;

  /// A dashpot that pulls at the node, the first one if there are two, has taken @p energy
  /// [energy].
  void
  add_dashpot_loss(const unsigned int node, const double energy)
  {
    dashpot_losses.resize(states.size());
    dashpot_losses[node] += energy;
  }

  /// Energy that dashpots have taken since the start [energy].
  double
  dashpot_loss() const
  {
    return std::accumulate(dashpot_losses.begin(), dashpot_losses.end(), 0.);
  }

  /// The same by node; empty as long as there is none [energy].
  std::vector<double> dashpot_losses;

private:
  dealii::Tensor<1, spacedim>
  rigid_velocity_change(const unsigned int node, const dealii::Tensor<1, spacedim> &impulse) const
  {
    RigidGrip<spacedim> grip;
    grip.add(*this, rigid_bodies, node, 1);
    return grip.velocity_change(rigid_bodies.motion(rigid_bodies.body_of(node)), impulse);
  }

  static dealii::Tensor<1, spacedim>
  tensor(const double (&a)[3])
  {
    dealii::Tensor<1, spacedim> t;
    for (unsigned int d = 0; d < spacedim; ++d)
      t[d] = a[d];
    return t;
  }

  AlignedVector<NodeState> states;
  std::vector<dealii::Point<spacedim>> references;
};
} // namespace KickDrift

#endif
