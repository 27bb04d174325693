// Islands with rigid bodies, by Newton's method.

#include <kickdrift/contact/response/impulse_solver.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace KickDrift
{
namespace
{
// Iterations that are expected: 4 to 8 without friction, more with it.
constexpr unsigned int expected_iterations = 10;

/// The normal, and what is tangential.
template <int spacedim>
std::array<dealii::Tensor<1, spacedim>, spacedim>
frame_of(const dealii::Tensor<1, spacedim> &normal)
{
  std::array<dealii::Tensor<1, spacedim>, spacedim> frame;
  frame[0] = normal;
  if constexpr (spacedim == 2)
    frame[1] = dealii::cross_product_2d(normal);
  else
  {
    unsigned int flattest = 0;
    for (unsigned int d = 1; d < spacedim; ++d)
      if (std::abs(normal[d]) < std::abs(normal[flattest]))
        flattest = d;
    dealii::Tensor<1, spacedim> axis;
    axis[flattest] = 1;
    frame[1] = dealii::cross_product_3d(normal, axis);
    frame[1] /= frame[1].norm();
    frame[2] = dealii::cross_product_3d(normal, frame[1]);
  }
  return frame;
}
} // namespace

/// An iteration eliminates the velocities of what moves, and looks at all contacts about ten times.
template <int spacedim>
bool
ImpulseSolver<spacedim>::newton_is_cheaper(const Island &island, const double n_sweeps) const
{
  double n = 0; // velocities
  for (const unsigned int one : island.moving)
    n += moving[one].body ? ImpulseNewton<spacedim>::max_components : spacedim;
  const double of_link = island.has_rigid ? 100 : 20; // multiplications in a sweep
  const double of_sweep = of_link * island.n_links;
  const double of_iteration = n * n * n / 6 + 10 * of_sweep;
  return expected_iterations * of_iteration < n_sweeps * of_sweep;
}

template <int spacedim>
void
ImpulseSolver<spacedim>::set_up_newton(const Island &island,
                                       const std::vector<unsigned int> &chosen)
{
  newton.clear();
  place_in_island.resize(moving.size());
  for (const unsigned int one : island.moving)
    place_in_island[one] = add_to_newton(one);
  for (const unsigned int c : chosen)
  {
    const Entry &contact = contacts[c];
    const auto directions = frame_of(contact.normal);
    typename ImpulseNewton<spacedim>::Contact entry{{},
                                                    contact.wanted,
                                                    contact.inverse_mass,
                                                    contact.tangential_inverse_mass,
                                                    contact.friction,
                                                    contact.least,
                                                    {}};
    const Vector present = relative_velocity(contact);
    for (unsigned int i = 0; i < spacedim; ++i)
    {
      entry.rate[i] = directions[i] * present;
      entry.impulse[i] = i == 0 ? contact.impulse : directions[i] * contact.tangential;
    }
    newton.add(entry);
    for (unsigned int l = 0; l < contact.n_links; ++l)
      newton.add(newton_link(contact.first_link + l, directions));
  }
}

template <int spacedim>
unsigned int
ImpulseSolver<spacedim>::add_to_newton(const unsigned int number)
{
  const Moving &one = moving[number];
  typename ImpulseNewton<spacedim>::Mass mass{};
  for (unsigned int d = 0; d < spacedim; ++d)
    mass[d][d] = one.body ? one.body->mass().mass : 1 / nodes[one.node].inverse_mass;
  if (!one.body)
    return newton.add_moving(spacedim, mass);
  constexpr unsigned int n = ImpulseNewton<spacedim>::max_components, first_axis = 6 - n;
  for (unsigned int k = spacedim; k < n; ++k)
  {
    dealii::Tensor<1, 3> turn;
    turn[first_axis + k - 3] = 1;
    const auto moment = one.body->angular_momentum_of(turn);
    for (unsigned int l = spacedim; l < n; ++l)
      mass[l][k] = moment[first_axis + l - 3];
  }
  return newton.add_moving(n, mass);
}

template <int spacedim>
typename ImpulseNewton<spacedim>::Link
ImpulseSolver<spacedim>::newton_link(const unsigned int number,
                                     const std::array<Vector, spacedim> &directions) const
{
  const Link &link = links[number];
  const Moving &one = moving[link.moving];
  typename ImpulseNewton<spacedim>::Link result{place_in_island[link.moving], {}, {}};
  for (unsigned int i = 0; i < spacedim; ++i)
  {
    Vector impulse = link.coefficient * directions[i];
    Vector change = link.mobility * directions[i];
    if (one.is_restrained)
    {
      change = nodes.velocity_change(one.node, impulse);
      impulse = nodes.restraints.project(one.node, impulse);
    }
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      result.rate_of[d][i] = impulse[d];
      result.change_by[d][i] = change[d];
    }
    if (!one.body)
      continue;
    const auto moment = dealii::cross_product_3d(arms[number], in_space<spacedim>(impulse));
    const auto turn = one.body->angular_change(moment);
    for (unsigned int d = spacedim == 2 ? 2 : 0; d < 3; ++d)
    {
      const unsigned int k = spacedim == 2 ? 2 : 3 + d;
      result.rate_of[k][i] = moment[d];
      result.change_by[k][i] = turn[d];
    }
  }
  return result;
}

/// Contacts that repeat others only make many impulses of one: those that have none and do not
/// close are left out, until they do.
template <int spacedim>
bool
ImpulseSolver<spacedim>::solve_by_newton(const Island &island, const double tolerance)
{
  std::vector<unsigned int> chosen, others;
  for (const unsigned int c : island.contacts)
    (contacts[c].impulse > 0 ? chosen : others).push_back(c);
  for (bool is_solved = false;;)
  {
    const double largest = take_closing(others, chosen, tolerance);
    if (is_solved && !(largest > tolerance))
      return true;
    std::sort(chosen.begin(), chosen.end());
    set_up_newton(island, chosen);
    is_solved = newton.solve(tolerance);
    for (unsigned int i = 0; i < chosen.size(); ++i)
    {
      Entry &contact = contacts[chosen[i]];
      const auto directions = frame_of(contact.normal);
      const auto &impulse = newton.contacts()[i].impulse;
      Vector tangential;
      for (unsigned int d = 1; d < spacedim; ++d)
        tangential += impulse[d] * directions[d];
      change_impulse(contact, impulse[0], tangential);
    }
    if (!is_solved)
      return false;
  }
}

/// Move those of @p others that close fastest to @p chosen, all that close at half of the largest
/// rate (how many at once is for cost alone). Returns that rate.
template <int spacedim>
double
ImpulseSolver<spacedim>::take_closing(std::vector<unsigned int> &others,
                                      std::vector<unsigned int> &chosen,
                                      const double tolerance) const
{
  std::vector<double> closing;
  for (const unsigned int c : others)
    closing.push_back(contacts[c].wanted - contacts[c].normal * relative_velocity(contacts[c]));
  const double largest = closing.empty() ? 0. : *std::max_element(closing.begin(), closing.end());
  std::vector<unsigned int> left;
  for (unsigned int i = 0; i < others.size(); ++i)
    (closing[i] > tolerance && closing[i] >= 0.5 * largest ? chosen : left).push_back(others[i]);
  others = std::move(left);
  return largest;
}

template bool ImpulseSolver<2>::newton_is_cheaper(const Island &, double) const;
template bool ImpulseSolver<2>::solve_by_newton(const Island &, double);
template bool ImpulseSolver<3>::newton_is_cheaper(const Island &, double) const;
template bool ImpulseSolver<3>::solve_by_newton(const Island &, double);
} // namespace KickDrift
