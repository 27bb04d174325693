#ifndef KICKDRIFT_NODES_RIGID_MOTION_H
#define KICKDRIFT_NODES_RIGID_MOTION_H

#include <deal.II/base/exceptions.h>
#include <deal.II/base/point.h>
#include <deal.II/base/symmetric_tensor.h>
#include <deal.II/base/tensor.h>

namespace KickDrift
{
class Archive;

/// A vector of the plane or of space as one of space.
template <int spacedim>
dealii::Tensor<1, 3>
in_space(const dealii::Tensor<1, spacedim> &vector)
{
  dealii::Tensor<1, 3> result;
  for (unsigned int d = 0; d < spacedim; ++d)
    result[d] = vector[d];
  return result;
}

/// The components in space of spacedim dimensions.
template <int spacedim>
dealii::Tensor<1, spacedim>
from_space(const dealii::Tensor<1, 3> &vector)
{
  dealii::Tensor<1, spacedim> result;
  for (unsigned int d = 0; d < spacedim; ++d)
    result[d] = vector[d];
  return result;
}

/// A rotation, as a unit quaternion: rotations that follow each other do not stray from rotations.
class Rotation
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, 3>;

  /// None.
  Rotation() = default;

  /// About the direction of @p angle, by its length [-].
  static Rotation about(const Vector &angle);

  /// That of a proper orthogonal matrix.
  static Rotation of(const dealii::Tensor<2, 3> &matrix);

  /// First @p first, then this one.
  Rotation operator*(const Rotation &first) const;

  /// R x.
  Vector
  operator()(const Vector &x) const
  {
    return x + change(x);
  }

  /// R^T x.
  Vector
  inverse(const Vector &x) const
  {
    return x + 2. * (dealii::cross_product_3d(axis, dealii::cross_product_3d(axis, x)) -
                     real * dealii::cross_product_3d(axis, x));
  }

  /// R x - x, accurate for small rotations.
  Vector
  change(const Vector &x) const
  {
    const Vector turned = dealii::cross_product_3d(axis, x);
    return 2. * (real * turned + dealii::cross_product_3d(axis, turned));
  }

  /// R as a matrix.
  dealii::Tensor<2, 3> matrix() const;

private:
  double real = 1; ///< cosine of half the angle
  Vector axis;     ///< sine of half the angle, times the direction
};

/// Mass of a rigid body and how it is distributed, in the reference state.
struct RigidMass
{
  double mass = 0;                       ///< [mass]
  dealii::Point<3> centre;               ///< of mass [length]
  dealii::SymmetricTensor<2, 3> inertia; ///< about the centre; of plane bodies only [2][2] counts
                                         ///< [mass*length^2]
};

/**
 * A free rigid body: centre, rotation and momenta. In the plane rotations are about the third
 * axis.
 *
 * Both momenta are kept as they are in space, so that nothing but impulses changes them. The
 * rotation follows from Euler's equations by the midpoint rule in the body's own frame, which keeps
 * the energy and |L| exactly (Austin, Krishnaprasad & Wang 1993, Simo & Wong 1991), with the exact
 * angle for steady rotations; a symmetric composition of it is of sixth order (Yoshida 1990).
 * Rounding of the energy does not add up, as it is removed by rotations of the order of rounding.
 */
class RigidMotion
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, 3>;

  /// A body has no positive mass, or its moments of inertia are not those of a body.
  DeclException1(ExcInertia, double,
                 << "A rigid body needs a positive mass and moments of inertia that are positive "
                    "(and no larger than the sum of the other two), but one is "
                 << arg1 << ".");

  /// The body turns too fast for anything that follows it.
  DeclException1(ExcSpin,
                 double, << "A rigid body is to turn by an angle of " << arg1 << " at once.");

  /// At rest in the reference state. Throws ExcInertia.
  RigidMotion(const RigidMass &mass, unsigned int dimension);

  /// Free flight for @p duration, which may be negative [time]. Throws ExcSpin if the angle is not
  /// a number, or more than a million.
  void advance(double duration);

  /// Give the body an impulse [mass*length/time], and one about its centre [mass*length^2/time].
  void
  add_impulse(const Vector &impulse, const Vector &moment)
  {
    momentum += impulse;
    angular_momentum += moment;
  }

  /// Displacement of the point that has been at @p arm from the centre in the reference state
  /// [length].
  Vector
  displacement(const Vector &arm) const
  {
    return centre_displacement + rotation.change(arm);
  }

  /// Of the centre [length/time].
  Vector
  velocity() const
  {
    return momentum / body.mass;
  }

  /// [1/time]
  Vector
  angular_velocity() const
  {
    return rotation(inverse_inertia * rotation.inverse(angular_momentum));
  }

  /// Velocity of the point at @p arm from the centre at present [length/time].
  Vector
  velocity_at(const Vector &arm) const
  {
    return velocity() + dealii::cross_product_3d(angular_velocity(), arm);
  }

  /// What @p moment [mass*length^2/time] adds to the angular velocity [1/time].
  Vector
  angular_change(const Vector &moment) const
  {
    return rotation(inverse_inertia * rotation.inverse(moment));
  }

  /// J w at present [mass*length^2/time].
  Vector
  angular_momentum_of(const Vector &angular_velocity) const
  {
    return rotation(body.inertia * rotation.inverse(angular_velocity));
  }

  /// Kinetic energy [energy].
  double
  energy() const
  {
    return 0.5 * (momentum * velocity() + angular_momentum * angular_velocity());
  }

  /// As given to the constructor.
  const RigidMass &
  mass() const
  {
    return body;
  }

  /// Write to, or read from, a checkpoint what changes during a run.
  void serialize(Archive &archive);

  Vector centre_displacement; ///< [length]
  Rotation rotation;          ///< from the reference state
  Vector momentum;            ///< [mass*length/time]
  Vector angular_momentum;    ///< about the centre [mass*length^2/time]

private:
  void rotate(double duration);
  void rotate_by_midpoint(double duration);
  void keep_energy();

  RigidMass body;
  dealii::SymmetricTensor<2, 3> inverse_inertia; ///< in the reference state
  Vector last_angular_momentum;  ///< with which the body has rotated last [mass*length^2/time]
  double energy_of_rotation = 0; ///< since it has had that [energy]
};
} // namespace KickDrift

#endif
