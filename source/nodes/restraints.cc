#include <kickdrift/base/archive.h>
#include <kickdrift/nodes/restraints.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace
{
/// Directions are linearly dependent if the orthogonal rest of a unit vector is below this.
constexpr double dependent = 1e-8;

template <int spacedim>
dealii::Tensor<1, spacedim>
restrained_part(const std::vector<dealii::Tensor<1, spacedim>> &directions,
                const dealii::Tensor<1, spacedim> &vector)
{
  dealii::Tensor<1, spacedim> part;
  for (const auto &g : directions)
    part += (g * vector) * g;
  return part;
}

/// The part of @p vector orthogonal to the orthonormal @p directions; zero if it is round-off.
template <int spacedim>
dealii::Tensor<1, spacedim>
remainder(const std::vector<dealii::Tensor<1, spacedim>> &directions,
          const dealii::Tensor<1, spacedim> &vector)
{
  auto rest = vector - restrained_part(directions, vector);
  if (rest.norm() < dependent * vector.norm())
    return {};
  // twice, for orthogonality to round-off
  rest -= restrained_part(directions, rest);
  return rest;
}
} // namespace

template <int spacedim>
void
Restraints<spacedim>::add(const unsigned int node, const Vector &direction)
{
  AssertThrow(direction.norm() > 0 && std::isfinite(direction.norm()), ExcDirection(node));
  const auto [it, is_new] = index.emplace(node, restraints.size());
  if (is_new)
    restraints.emplace_back();
  if (restrained.size() <= node)
    restrained.resize(node + 1, false);
  restrained[node] = true;
  auto &directions = restraints[it->second].directions;

  const Vector unit = direction / direction.norm();
  restraints[it->second].given.push_back(unit);
  Vector g = remainder(directions, unit);
  if (g.norm() == 0)
    return;
  g /= g.norm();
  directions.push_back(g);

  // a fixed node is fixed exactly: all unit vectors, no rounding left in the projector
  if (directions.size() == spacedim)
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      directions[d] = Vector();
      directions[d][d] = 1;
    }
}

template <int spacedim>
unsigned int
Restraints<spacedim>::n_directions(const unsigned int node) const
{
  const auto *restraint = find(node);
  return restraint ? restraint->directions.size() : 0;
}

template <int spacedim>
typename Restraints<spacedim>::Vector
Restraints<spacedim>::free_part(const unsigned int node, const Vector &vector) const
{
  return vector - restrained_part(restraints[index.at(node)].directions, vector);
}

template <int spacedim>
typename Restraints<spacedim>::Vector
Restraints<spacedim>::enforce(const unsigned int node, const Vector &velocity, const double mass)
{
  const auto it = index.find(node);
  if (it == index.end())
    return velocity;
  auto &restraint = restraints[it->second];
  const Vector feasible =
      velocity - restrained_part(restraint.directions, velocity) + restraint.account.support;
  const Vector impulse = mass * (feasible - velocity);
  restraint.account.reaction += impulse;
  restraint.account.work += impulse * restraint.account.support;
  return feasible;
}

template <int spacedim>
void
Restraints<spacedim>::add_reaction(const unsigned int node, const Vector &impulse)
{
  auto &restraint = restraints[index.at(node)];
  const Vector taken = -restrained_part(restraint.directions, impulse);
  restraint.account.reaction += taken;
  restraint.account.work += taken * restraint.account.support;
}

template <int spacedim>
bool
Restraints<spacedim>::is_restrained_along(const unsigned int node, const Vector &direction) const
{
  const auto *restraint = find(node);
  return restraint && remainder(restraint->directions, direction).norm() == 0;
}

template <int spacedim>
typename Restraints<spacedim>::Vector
Restraints<spacedim>::support_change(const Restraint &restraint,
                                     const std::vector<Vector> &directions, const Vector &support)
{
  const auto append = [](std::vector<Vector> &basis, const Vector &vector)
  {
    const Vector rest = remainder(basis, vector);
    if (rest.norm() > 0)
      basis.push_back(rest / rest.norm());
    return rest.norm() > 0;
  };
  std::vector<Vector> all, kept, moved;
  for (const auto &d : directions)
    append(all, d);
  for (const auto &e : restraint.given)
    if (append(all, e))
      append(kept, e);

  // within the complement of what is kept, one direction after the other
  Vector change;
  for (const auto &d : directions)
    if (append(moved, remainder(kept, d)))
      change +=
          (d * (support - restraint.account.support - change)) / (d * moved.back()) * moved.back();
  return change;
}

template <int spacedim>
typename Restraints<spacedim>::Vector
Restraints<spacedim>::set_initial_support_velocity(const unsigned int node,
                                                   const std::vector<Vector> &directions,
                                                   const Vector &support, const Vector &velocity)
{
  for (const auto &direction : directions)
    AssertThrow(is_restrained_along(node, direction), ExcNotRestrained(node));
  auto &restraint = restraints[index.at(node)];
  restraint.account.support += support_change(restraint, directions, support);
  return velocity - restrained_part(restraint.directions, velocity) + restraint.account.support;
}

template <int spacedim>
typename Restraints<spacedim>::Vector
Restraints<spacedim>::set_support_velocity(const unsigned int node,
                                           const std::vector<Vector> &directions,
                                           const Vector &support, const Vector &velocity,
                                           const double mass)
{
  const Vector result = set_initial_support_velocity(node, directions, support, velocity);
  auto &restraint = restraints[index.at(node)];
  const Vector before = restrained_part(restraint.directions, velocity);
  const Vector impulse = mass * (restraint.account.support - before);
  restraint.account.reaction += impulse;
  restraint.account.work += 0.5 * (impulse * (restraint.account.support + before));
  return result;
}

template <int spacedim>
typename Restraints<spacedim>::Vector
Restraints<spacedim>::reaction(const unsigned int node) const
{
  const auto *restraint = find(node);
  return restraint ? restraint->account.reaction : Vector();
}

/// Node by node, so that it does not depend on the order of kicks.
template <int spacedim>
double
Restraints<spacedim>::prescribed_work() const
{
  double sum = 0;
  for (const Restraint &restraint : restraints)
    sum += restraint.account.work;
  return sum;
}

template <int spacedim>
std::vector<unsigned int>
Restraints<spacedim>::nodes() const
{
  std::vector<unsigned int> result;
  for (const auto &entry : index)
    result.push_back(entry.first);
  std::sort(result.begin(), result.end());
  return result;
}

template <int spacedim>
void
Restraints<spacedim>::serialize(Archive &archive)
{
  archive.section("restraints");
  for (Restraint &restraint : restraints)
    archive(restraint.account);
}

template class Restraints<2>;
template class Restraints<3>;
} // namespace KickDrift
