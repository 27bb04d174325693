// Free rigid bodies: what is conserved, closed forms, and that nothing depends on the frame.

#include <kickdrift/base/archive.h>
#include <kickdrift/nodes/rigid_motion.h>

#include <deal.II/base/numbers.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using namespace dealii;
using namespace KickDrift;

namespace
{
using Vector3 = Tensor<1, 3>;

Vector3
vector(const double x, const double y, const double z)
{
  Vector3 result;
  result[0] = x;
  result[1] = y;
  result[2] = z;
  return result;
}

RigidMass
body(const double xx, const double yy, const double zz, const double xy = 0)
{
  RigidMass mass;
  mass.mass = 2;
  mass.inertia[0][0] = xx;
  mass.inertia[1][1] = yy;
  mass.inertia[2][2] = zz;
  mass.inertia[0][1] = xy;
  return mass;
}

/// Largest relative error of the energy while a body without symmetry turns.
double
energy_error(const double turns)
{
  RigidMotion motion(body(1, 2, 2.7, 0.1), 3);
  motion.angular_momentum = vector(1, 0.3, 2);
  motion.momentum = vector(0.3, -0.1, 0.2);
  const double energy = motion.energy(), step = 0.35;
  const Vector3 momentum = motion.momentum, angular_momentum = motion.angular_momentum;
  double worst = 0, turned = 0;
  for (; turned < turns; turned += step * motion.angular_velocity().norm() / (2 * numbers::PI))
  {
    motion.advance(step);
    worst = std::max(worst, std::abs(motion.energy() / energy - 1));
  }
  EXPECT_EQ(motion.momentum, momentum);
  EXPECT_EQ(motion.angular_momentum, angular_momentum);
  const Tensor<2, 3> R = motion.rotation.matrix();
  EXPECT_LT((transpose(R) * R - Tensor<2, 3>(unit_symmetric_tensor<3>())).norm(), 1e-14);
  return worst;
}

/// Euler's equations in the body's frame, and its rotation, by the classical Runge-Kutta method.
struct Reference
{
  SymmetricTensor<2, 3> inertia;
  Tensor<2, 3> R;
  Vector3 momentum; ///< in the body's frame

  void
  advance(const double h)
  {
    const auto inverse = invert(inertia);
    const auto rate = [&](const Tensor<2, 3> &R0, const Vector3 &P)
    {
      const Vector3 omega = inverse * P;
      Tensor<2, 3> dR;
      for (unsigned int i = 0; i < 3; ++i)
      {
        Vector3 row;
        for (unsigned int j = 0; j < 3; ++j)
          row[j] = R0[i][j];
        const Vector3 turned = cross_product_3d(row, omega); // row i of R [omega]x
        for (unsigned int j = 0; j < 3; ++j)
          dR[i][j] = turned[j];
      }
      return std::make_pair(dR, cross_product_3d(P, omega));
    };
    const auto k1 = rate(R, momentum);
    const auto k2 = rate(R + 0.5 * h * k1.first, momentum + 0.5 * h * k1.second);
    const auto k3 = rate(R + 0.5 * h * k2.first, momentum + 0.5 * h * k2.second);
    const auto k4 = rate(R + h * k3.first, momentum + h * k3.second);
    R += h / 6 * (k1.first + 2. * k2.first + 2. * k3.first + k4.first);
    momentum += h / 6 * (k1.second + 2. * k2.second + 2. * k3.second + k4.second);
  }
};
} // namespace

TEST(RigidMotion, KeepsEnergyAndMomenta)
{
  EXPECT_LT(energy_error(300), 2e-14);
}

TEST(RigidMotion, SlowKeepsEnergyAndMomentaForManyTurns)
{
  EXPECT_LT(energy_error(1e5), 2e-14);
}

TEST(RigidMotion, FollowsEulersEquations)
{
  for (const RigidMass &mass : {body(1, 2, 2.7, 0.1), body(0.02, 1, 1)})
  {
    RigidMotion motion(mass, 3);
    motion.angular_momentum = vector(0.05, 0.3, 2);
    Reference reference{mass.inertia, motion.rotation.matrix(), motion.angular_momentum};
    for (unsigned int i = 0; i < 2000; ++i)
      reference.advance(1e-3);
    for (unsigned int i = 0; i < 100; ++i)
      motion.advance(0.02);
    EXPECT_LT((motion.rotation.matrix() - reference.R).norm(), 2e-9);
  }
}

TEST(RigidMotion, IsOfSixthOrder)
{
  const auto end = [](const unsigned int n)
  {
    RigidMotion motion(body(1, 2, 2.7), 3);
    motion.angular_momentum = vector(1, 1.3, 2);
    for (unsigned int i = 0; i < n; ++i)
      motion.advance(3. / n);
    return motion.rotation.matrix();
  };
  const auto exact = end(400);
  const double coarse = (end(12) - exact).norm(), fine = (end(24) - exact).norm();
  EXPECT_GT(coarse / fine, 45); // 64, but for higher orders
  EXPECT_LT(fine, 1e-6);
}

/// The axis of a symmetric top goes round the angular momentum at the rate |L| / J_across.
TEST(RigidMotion, SymmetricTopPrecesses)
{
  RigidMotion motion(body(1, 1, 0.4), 3);
  motion.angular_momentum = vector(0.7, 0, 0.9);
  const Vector3 L = motion.angular_momentum, axis = vector(0, 0, 1);
  const double rate = L.norm(), angle = rate * 5.;
  for (unsigned int i = 0; i < 100; ++i)
    motion.advance(0.05);
  const Vector3 expected = Rotation::about(angle / L.norm() * L)(axis);
  EXPECT_LT((motion.rotation(axis) - expected).norm(), 1e-9);
  // and it spins about itself by what is left
  const Vector3 spin = motion.angular_velocity() - L;
  EXPECT_NEAR(spin * motion.rotation(axis), 0.9 / 0.4 - 0.9, 1e-9);
}

TEST(RigidMotion, SteadySpinIsExact)
{
  RigidMotion motion(body(1, 2, 3), 3);
  motion.angular_momentum = vector(0, 0, 6);
  for (unsigned int i = 0; i < 10; ++i)
    motion.advance(0.7);
  EXPECT_LT((motion.rotation.matrix() - Rotation::about(vector(0, 0, 14)).matrix()).norm(), 1e-14);
}

TEST(RigidMotion, GoesBack)
{
  RigidMotion motion(body(1, 2, 2.7, 0.1), 3);
  motion.angular_momentum = vector(1, 0.3, 2);
  motion.momentum = vector(1, 2, 3);
  for (const double step : {0.2, 0.05, -0.05, -0.2})
    motion.advance(step);
  EXPECT_LT((motion.rotation.matrix() - Tensor<2, 3>(unit_symmetric_tensor<3>())).norm(), 1e-14);
  EXPECT_LT(motion.centre_displacement.norm(), 1e-15);
}

TEST(RigidMotion, RotationsFromMatrices)
{
  for (const Vector3 &angle : {vector(0, 0, 0), vector(0.1, -0.2, 0.3), vector(3.1, 0, 0.1),
                               vector(0.1, 3.1, 0), vector(0, 0.2, 3.14)})
  {
    const Rotation rotation = Rotation::about(angle);
    const Tensor<2, 3> matrix = rotation.matrix();
    EXPECT_LT((Rotation::of(matrix).matrix() - matrix).norm(), 1e-14);
    EXPECT_LT((rotation.inverse(rotation(vector(1, 2, 3))) - vector(1, 2, 3)).norm(), 1e-14);
    const Vector3 turned = matrix * vector(1, 2, 3);
    EXPECT_LT((rotation(vector(1, 2, 3)) - turned).norm(), 1e-14);
  }
}

TEST(RigidMotion, RefusesWhatIsNoBody)
{
  EXPECT_THROW(RigidMotion(body(1, 1, -1), 3), RigidMotion::ExcInertia);
  EXPECT_THROW(RigidMotion(body(1, 1, 3), 3), RigidMotion::ExcInertia);
  EXPECT_NO_THROW(RigidMotion(body(0, 0, 3), 2));
  RigidMass none = body(1, 1, 1);
  none.mass = 0;
  EXPECT_THROW(RigidMotion(none, 3), RigidMotion::ExcInertia);
}
