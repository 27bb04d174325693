#include <kickdrift/base/archive.h>
#include <kickdrift/nodes/rigid_motion.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace KickDrift
{
using dealii::cross_product_3d;
using dealii::Tensor;

namespace
{
// Largest angle that one step of the composition turns by.
constexpr double largest_step_angle = 0.4;
// Energy is kept where its slope is above this share of its largest, against errors below this one.
constexpr double smallest_share = 1e-6;
constexpr double rounding = 1e-13;
// Newton's method converges within a few.
constexpr unsigned int most_iterations = 30;
// Composition of sixth order with seven stages (Yoshida 1990, solution A); symmetric.
constexpr std::array<double, 3> outer_stages = {
    {0.784513610477560, 0.235573213359357, -1.17767998417887}};

/// [v]x, so that [v]x y = v x y.
Tensor<2, 3>
cross_product_matrix(const Tensor<1, 3> &v)
{
  Tensor<2, 3> result;
  result[0][1] = -v[2];
  result[0][2] = v[1];
  result[1][0] = v[2];
  result[1][2] = -v[0];
  result[2][0] = -v[1];
  result[2][1] = v[0];
  return result;
}
} // namespace

Rotation
Rotation::about(const Vector &angle)
{
  const double size = angle.norm();
  Rotation result;
  result.real = std::cos(0.5 * size);
  result.axis = (size > 0 ? std::sin(0.5 * size) / size : 0.5) * angle;
  return result;
}

Rotation
Rotation::of(const Tensor<2, 3> &R)
{
  // from the largest component (Shepperd 1978)
  std::array<double, 4> square = {{1 + R[0][0] + R[1][1] + R[2][2], 1 + R[0][0] - R[1][1] - R[2][2],
                                   1 - R[0][0] + R[1][1] - R[2][2],
                                   1 - R[0][0] - R[1][1] + R[2][2]}};
  const unsigned int largest = std::max_element(square.begin(), square.end()) - square.begin();
  const double size = 0.5 * std::sqrt(square[largest]);
  Rotation result;
  if (largest == 0)
  {
    result.real = size;
    for (unsigned int d = 0; d < 3; ++d)
      result.axis[d] = (R[(d + 2) % 3][(d + 1) % 3] - R[(d + 1) % 3][(d + 2) % 3]) / (4 * size);
    return result;
  }
  const unsigned int i = largest - 1, j = (i + 1) % 3, k = (i + 2) % 3;
  result.real = (R[k][j] - R[j][k]) / (4 * size);
  result.axis[i] = size;
  result.axis[j] = (R[i][j] + R[j][i]) / (4 * size);
  result.axis[k] = (R[i][k] + R[k][i]) / (4 * size);
  return result;
}

Rotation
Rotation::operator*(const Rotation &first) const
{
  Rotation result;
  result.real = real * first.real - axis * first.axis;
  result.axis = real * first.axis + first.real * axis + cross_product_3d(axis, first.axis);
  const double size =
      std::sqrt(result.real * result.real + result.axis.norm_square()); // one, but for rounding
  result.real /= size;
  result.axis /= size;
  return result;
}

Tensor<2, 3>
Rotation::matrix() const
{
  Tensor<2, 3> result;
  for (unsigned int d = 0; d < 3; ++d)
  {
    Vector unit;
    unit[d] = 1;
    const Vector column = (*this)(unit);
    for (unsigned int e = 0; e < 3; ++e)
      result[e][d] = column[e];
  }
  return result;
}

RigidMotion::RigidMotion(const RigidMass &mass, const unsigned int dimension) : body(mass)
{
  AssertThrow(body.mass > 0 && std::isfinite(body.mass), ExcInertia(body.mass));
  if (dimension == 2)
  {
    const double moment = body.inertia[2][2];
    AssertThrow(moment > 0 && std::isfinite(moment), ExcInertia(moment));
    body.inertia = moment * dealii::unit_symmetric_tensor<3>();
  }
  else
  {
    const auto moments = dealii::eigenvalues(body.inertia); // the largest first
    for (const double moment : moments)
      AssertThrow(moment > 0 && std::isfinite(moment), ExcInertia(moment));
    AssertThrow(moments[0] <= (1 + 1e-9) * (moments[1] + moments[2]), ExcInertia(moments[0]));
  }
  inverse_inertia = dealii::invert(body.inertia);
}

/// One stage: L stays what it is in space, and so does the energy if Newton's method has converged.
void
RigidMotion::rotate_by_midpoint(const double duration)
{
  const Vector before = rotation.inverse(angular_momentum);
  const Tensor<2, 3> inverse = inverse_inertia;
  Vector after = before, omega = inverse * before;
  Tensor<2, 3> unit;
  for (unsigned int d = 0; d < 3; ++d)
    unit[d][d] = 1;
  double last_change = std::numeric_limits<double>::infinity();
  for (unsigned int i = 0; i < most_iterations; ++i)
  {
    const Vector middle = 0.5 * (before + after);
    omega = inverse * middle;
    // the tangent of half the angle in place of half the angle: steady rotations are exact
    const double half_angle = 0.5 * duration * omega.norm();
    const double step =
        duration * (std::abs(half_angle) > 1e-8 ? std::tan(half_angle) / half_angle : 1);
    const Vector residual = after - before + step * cross_product_3d(omega, middle);
    const Tensor<2, 3> slope =
        unit + 0.5 * step * (cross_product_matrix(omega) - cross_product_matrix(middle) * inverse);
    const Vector change = dealii::invert(slope) * residual;
    const double size = change.norm();
    if (!(size < last_change))
      break; // what is left is rounding
    after -= change;
    last_change = size;
    if (size == 0)
      break;
  }
  omega = inverse * (0.5 * (before + after));
  rotation = rotation * Rotation::about(duration * omega);
}

/// Rounding of single steps has a bias.
void
RigidMotion::keep_energy()
{
  const Vector omega = angular_velocity();
  const Vector along = cross_product_3d(angular_momentum, omega);
  const double square = along.norm_square(), scale = angular_momentum.norm() * omega.norm();
  const double error = 0.5 * (angular_momentum * omega) - energy_of_rotation;
  // near steady rotation energy does not depend on the rotation
  if (square > smallest_share * smallest_share * scale * scale &&
      std::abs(error) < rounding * energy_of_rotation)
    rotation = Rotation::about((error / square) * along) * rotation;
}

void
RigidMotion::rotate(const double duration)
{
  const Vector omega = inverse_inertia * rotation.inverse(angular_momentum);
  const double angle = std::abs(duration) * omega.norm();
  if (cross_product_3d(omega, rotation.inverse(angular_momentum)).norm_square() == 0)
  {
    rotation = rotation * Rotation::about(duration * omega);
    return;
  }
  if (last_angular_momentum != angular_momentum)
  {
    last_angular_momentum = angular_momentum;
    energy_of_rotation = 0.5 * (angular_momentum * angular_velocity());
  }
  AssertThrow(angle <= 1e6, ExcSpin(angle));
  const unsigned int n_steps = std::ceil(angle / largest_step_angle);
  const double step = duration / n_steps;
  const double middle = 1 - 2 * (outer_stages[0] + outer_stages[1] + outer_stages[2]);
  for (unsigned int i = 0; i < n_steps; ++i)
  {
    for (unsigned int stage = 0; stage < 3; ++stage)
      rotate_by_midpoint(outer_stages[stage] * step);
    rotate_by_midpoint(middle * step);
    for (unsigned int stage = 3; stage-- > 0;)
      rotate_by_midpoint(outer_stages[stage] * step);
  }
  keep_energy();
}

void
RigidMotion::advance(const double duration)
{
  centre_displacement += duration * velocity();
  if (duration != 0 && angular_momentum != Vector())
    rotate(duration);
}

void
RigidMotion::serialize(Archive &archive)
{
  archive(centre_displacement, rotation, momentum, angular_momentum, last_angular_momentum,
          energy_of_rotation);
}
} // namespace KickDrift
