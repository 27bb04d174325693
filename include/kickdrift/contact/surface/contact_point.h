#ifndef KICKDRIFT_CONTACT_SURFACE_CONTACT_POINT_H
#define KICKDRIFT_CONTACT_SURFACE_CONTACT_POINT_H

#include <kickdrift/nodes/node_table.h>

#include <deal.II/base/symmetric_tensor.h>
#include <deal.II/base/tensor.h>

#include <algorithm>
#include <array>

namespace KickDrift
{
/**
 * The few nodes of one contact: those of the contactor with their shape values (a node has +1), and
 * those of the target with minus theirs, so that the gap changes at the rate
 * n . (sum_B c_B v_B - v_target).
 */
template <int spacedim>
struct ContactStencil
{
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;
  static constexpr unsigned int max_nodes =
      spacedim == 2 ? 4 : 8; ///< most nodes that take part in a contact

  std::array<unsigned int, max_nodes> nodes;  ///< the nodes that take part
  std::array<double, max_nodes> coefficients; ///< c_B [-]
  unsigned int n_nodes = 0;                   ///< how many there are
  Vector normal;                              ///< outward unit normal of the target [-]
  Vector target_velocity; ///< of a target that moves by itself (an obstacle) [length/time]

  /// Add a node with its coefficient in the gap rate.
  void
  add(const unsigned int node, const double coefficient)
  {
    nodes[n_nodes] = node;
    coefficients[n_nodes] = coefficient;
    ++n_nodes;
  }

  /// Velocity of the contactor relative to the target, for any velocities of the nodes.
  template <typename VelocityOfNode>
  Vector
  relative_velocity(const VelocityOfNode &velocity) const
  {
    return difference(velocity) - target_velocity;
  }

  /// sum_B c_B v_B for any vectors of the nodes.
  template <typename VectorOfNode>
  Vector
  difference(const VectorOfNode &vector) const
  {
    Vector result;
    for (unsigned int i = 0; i < n_nodes; ++i)
      result += coefficients[i] * vector(nodes[i]);
    return result;
  }

  /// Call @p f (body, grip) for each rigid body that has some of the nodes.
  template <typename Function>
  void
  for_each_grip(const NodeTable<spacedim> &table, const Function &f) const
  {
    const RigidBodies<spacedim> &bodies = table.rigid_bodies;
    for (unsigned int i = 0; i < n_nodes && !bodies.empty(); ++i)
    {
      const unsigned int body = bodies.body_of(nodes[i]);
      bool is_next = body != RigidBodies<spacedim>::none;
      for (unsigned int j = 0; j < i; ++j)
        is_next = is_next && bodies.body_of(nodes[j]) != body;
      if (!is_next)
        continue;
      RigidGrip<spacedim> grip;
      for (unsigned int j = i; j < n_nodes; ++j)
        if (bodies.body_of(nodes[j]) == body)
          grip.add(table, bodies, nodes[j], coefficients[j]);
      f(body, grip);
    }
  }

  /// a = n . C n [1/mass]: what an impulse of one adds to the gap rate.
  double
  inverse_mass(const NodeTable<spacedim> &table) const
  {
    double a = 0;
    for (unsigned int i = 0; i < n_nodes; ++i)
      if (!table.is_rigid(nodes[i]))
        a += coefficients[i] * coefficients[i] * (normal * table.velocity_change(nodes[i], normal));
    for_each_grip(table, [&](const unsigned int body, const RigidGrip<spacedim> &grip)
                  { a += normal * grip.velocity_change(table.rigid_bodies.motion(body), normal); });
    return a;
  }

  /// C = sum_B c_B^2 W_B [1/mass]: what an impulse adds to the relative velocity. Nodes of one
  /// rigid body are coupled, see RigidGrip.
  dealii::SymmetricTensor<2, spacedim>
  inverse_mass_tensor(const NodeTable<spacedim> &table) const
  {
    dealii::SymmetricTensor<2, spacedim> C;
    const auto add = [&C](const double factor, const auto &velocity_change)
    {
      for (unsigned int d = 0; d < spacedim; ++d)
      {
        Vector unit;
        unit[d] = factor;
        const Vector column = velocity_change(unit);
        for (unsigned int k = 0; k <= d; ++k)
          C[k][d] += column[k];
      }
    };
    for (unsigned int i = 0; i < n_nodes; ++i)
      if (!table.is_rigid(nodes[i]))
        add(coefficients[i] * coefficients[i],
            [&](const Vector &unit) { return table.velocity_change(nodes[i], unit); });
    for_each_grip(table,
                  [&](const unsigned int body, const RigidGrip<spacedim> &grip)
                  {
                    add(1., [&](const Vector &unit)
                        { return grip.velocity_change(table.rigid_bodies.motion(body), unit); });
                  });
    return C;
  }

  /// Is there nothing that can deform: are all nodes those of rigid bodies, or held?
  bool
  is_rigid(const NodeTable<spacedim> &table) const
  {
    return std::all_of(nodes.begin(), nodes.begin() + n_nodes,
                       [&](const unsigned int node)
                       { return table.is_rigid(node) || table.restraints.holds(node); });
  }

  /// No less than what an impulse of one along the surface adds to any rate along it [1/mass].
  double
  tangential_inverse_mass(const NodeTable<spacedim> &table) const
  {
    double bound = 0;
    const bool deforms = !is_rigid(table);
    for (unsigned int i = 0; i < n_nodes && deforms; ++i)
      if (!table.is_rigid(nodes[i]))
        bound += coefficients[i] * coefficients[i] * table[nodes[i]].inverse_mass;
    for_each_grip(table,
                  [&](const unsigned int body, const RigidGrip<spacedim> &grip)
                  {
                    const RigidMotion &motion = table.rigid_bodies.motion(body);
                    for (unsigned int d = 0; d < spacedim; ++d)
                    {
                      Vector unit;
                      unit[d] = 1;
                      bound += unit * grip.velocity_change(motion, unit);
                    }
                    bound -= normal * grip.velocity_change(motion, normal);
                  });
    return bound;
  }

  /// Impulse on node @p i of the stencil when the contactor gets @p p along the normal and @p
  /// tangential.
  Vector
  share(const unsigned int i, const double p, const Vector &tangential) const
  {
    return (p * coefficients[i]) * normal + coefficients[i] * tangential;
  }

  /// Give the contactor the impulse @p p along the normal and @p tangential, and the target its
  /// reaction.
  void
  apply(NodeTable<spacedim> &table, const double p, const Vector &tangential = Vector()) const
  {
    for (unsigned int i = 0; i < n_nodes; ++i)
      if (table.is_rigid(nodes[i]))
        table.add_rigid_impulse(nodes[i], share(i, p, tangential));
      else
        table.apply_impulse(nodes[i], share(i, p, tangential));
    for_each_grip(table, [&](const unsigned int body, const RigidGrip<spacedim> &)
                  { table.rigid_bodies.fly(table, body); });
  }
};

/// What a test of one contactor has found.
template <int spacedim>
struct ContactPoint
{
  bool sees = false;       ///< is there a target in sight? Only then the rest means anything
  bool touches = false;    ///< is the contactor in contact with it?
  bool is_lost = false;    ///< is it so deep inside that pushing it out would be guessing?
  double depth = 0;        ///< positive behind the target's surface [length]
  double distance = 0;     ///< of the two points [length]
  double size = 1;         ///< of the target where it was hit, to compare the depth with [length]
  unsigned int body = 0;   ///< of the contactor
  unsigned int target = 0; ///< the other body, or an obstacle: those count on after the bodies
  ContactStencil<spacedim> stencil; ///< the nodes that take part, for the response
};

} // namespace KickDrift

#endif
