#include <kickdrift/contact/response/collision_response.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
using dealii::SymmetricTensor;
using dealii::Tensor;

namespace
{
// Inverse masses below this share of the contact's largest are zero: the direction is held.
constexpr double rank_tolerance = 1e-12;

Tensor<1, 1>
solve(const SymmetricTensor<2, 1> &matrix, const Tensor<1, 1> &rhs, const double zero)
{
  return matrix[0][0] > zero ? rhs / matrix[0][0] : Tensor<1, 1>();
}

/// Pseudo-inverse of a positive semidefinite matrix; eigenvalues up to @p zero are taken as zero.
Tensor<1, 2>
solve(const SymmetricTensor<2, 2> &matrix, const Tensor<1, 2> &rhs, const double zero)
{
  const double trace = dealii::trace(matrix);
  if (trace <= zero)
    return Tensor<1, 2>();
  if (dealii::determinant(matrix) > zero * trace) // the smaller eigenvalue is about their ratio
    return dealii::invert(matrix) * rhs;
  return matrix * rhs / (trace * trace);
}

std::array<Tensor<1, 2>, 1>
tangents(const Tensor<1, 2> &normal)
{
  return {{dealii::cross_product_2d(normal)}};
}

std::array<Tensor<1, 3>, 2>
tangents(const Tensor<1, 3> &normal)
{
  unsigned int smallest = 0;
  for (unsigned int d = 1; d < 3; ++d)
    if (std::abs(normal[d]) < std::abs(normal[smallest]))
      smallest = d;
  Tensor<1, 3> axis;
  axis[smallest] = 1;
  Tensor<1, 3> first = dealii::cross_product_3d(normal, axis);
  first /= first.norm();
  return {{first, dealii::cross_product_3d(normal, first)}};
}

/// Friction of one contact: a share of the impulse stick - reaction * n.
template <int spacedim>
struct Friction
{
  Tensor<1, spacedim> stick; ///< tangential impulse that would stop the tangential rate
  double reaction; ///< taken from the normal impulse, so that the normal rate stays as it is
  double share;    ///< that Coulomb's law allows
};

/**
 * @param rate relative velocity at which friction is judged; it has no say about the normal rate
 * @param normal_impulse of the whole contact, if there were no friction
 */
template <int spacedim>
Friction<spacedim>
coulomb(const FrictionalContact<spacedim> &contact, const Tensor<1, spacedim> &rate,
        const double normal_impulse)
{
  const auto &n = contact.normal;
  const auto &C = contact.inverse_mass;
  const Tensor<1, spacedim> Cn = C * n;
  const double a = n * Cn;
  const auto t = tangents(n);
  SymmetricTensor<2, spacedim - 1> C_tangential;
  Tensor<1, spacedim - 1> minus_rate;
  for (unsigned int i = 0; i < spacedim - 1; ++i)
  {
    minus_rate[i] = -(t[i] * rate);
    for (unsigned int j = 0; j <= i; ++j)
      C_tangential[i][j] = t[i] * (C * t[j]) - (t[i] * Cn) * (t[j] * Cn) / a;
  }
  const auto p = solve(C_tangential, minus_rate, rank_tolerance * dealii::trace(C));

  Friction<spacedim> friction;
  for (unsigned int i = 0; i < spacedim - 1; ++i)
    friction.stick += p[i] * t[i];
  friction.reaction = Cn * friction.stick / a;
  const double demand = friction.stick.norm() + contact.friction * friction.reaction;
  const double bound = contact.friction * normal_impulse;
  friction.share = demand <= bound ? 1. : bound / demand;
  return friction;
}
} // namespace

template <int spacedim>
FrictionalImpulse<spacedim>
frictional_impulse(const FrictionalContact<spacedim> &contact, const double restitution)
{
  const Tensor<1, spacedim> Cn = contact.inverse_mass * contact.normal;
  const double compression = -(contact.rate * contact.normal) / (contact.normal * Cn);
  const double normal_impulse = (1 + restitution) * compression;
  FrictionalContact<spacedim> compressed = contact;
  compressed.rate += compression * Cn;
  auto result = friction_at_compression(compressed, normal_impulse);
  result.normal += normal_impulse;
  return result;
}

template <int spacedim>
FrictionalImpulse<spacedim>
friction_at_compression(const FrictionalContact<spacedim> &contact, const double normal_impulse)
{
  const auto friction = coulomb(contact, contact.rate, normal_impulse);
  FrictionalImpulse<spacedim> result;
  const double s = friction.share;
  result.normal = -s * friction.reaction;
  result.tangential = s * friction.stick;
  result.sticks = s == 1;
  result.friction_loss = -(s - 0.5 * s * s) * (friction.stick * contact.rate);
  return result;
}

template FrictionalImpulse<2> frictional_impulse(const FrictionalContact<2> &, double);
template FrictionalImpulse<3> frictional_impulse(const FrictionalContact<3> &, double);
template FrictionalImpulse<2> friction_at_compression(const FrictionalContact<2> &, double);
template FrictionalImpulse<3> friction_at_compression(const FrictionalContact<3> &, double);
} // namespace KickDrift
